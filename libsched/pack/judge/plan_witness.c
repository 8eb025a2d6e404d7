/* plan_witness.c -- see plan_witness.h. */
#include "pack/judge/plan_witness.h"

#ifdef NDEBUG

struct plan_witness *plan_witness_new(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts) {
    (void)problem;
    (void)opts;
    return NULL;
}

void plan_witness_free(struct plan_witness *w) {
    (void)w;
}

lsched_pack_place *plan_witness_places(struct plan_witness *w, size_t *n) {
    (void)w;
    *n = 0;
    return NULL;
}

int plan_witness_agrees(struct plan_witness *w, const lsched_pack_info *told) {
    (void)w;
    (void)told;
    return 1;
}

#else

#include <stdio.h>

#include "base/alloc.h"
#include "pack/problem/pack_arena.h"
#include "pack/problem/problem_read.h"

struct plan_witness {
    struct alloc alloc;
    size_t bytes; /* size of the memory block, which begins with this struct and holds all arrays */
    lsched_pack_problem problem;
    lsched_pack_opts opts;
    lsched_pack_place *places; /* [n_places] the plan to check */
    size_t n_places;
};

/* The problem that is being copied, and the arena that takes the copies. */
struct copying {
    /* copy of the caller's problem struct, with all strides filled in */
    const lsched_pack_problem *in;
    struct pack_arena *a;
};

/* Copies n elements of `size` bytes to memory from the arena. Returns NULL while the arena only
 * counts bytes, and if there are no elements. */
static void *copy(struct pack_arena *a, const void *from, uint64_t n, uint64_t size) {
    void *to = from && n ? pack_take(a, n, size) : NULL;
    if (to) memcpy(to, from, n * size);
    return to;
}

static lsched_text witness_text(struct pack_arena *a, lsched_text text) {
    text = arg_text(text);
    return (lsched_text){copy(a, text.ptr, text.len, 1), text.len};
}

static lsched_pack_config *witness_configs(const struct copying *c, const lsched_pack_item *item) {
    lsched_pack_config *to = pack_take(c->a, item->n_configs, sizeof *to), one;
    for (uint32_t i = 0; i < item->n_configs; i++) {
        read_config(&one, c->in, item, i);
        uint64_t cells = (uint64_t)c->in->n_resources * (one.n_slots ? one.n_slots : 1);
        one.size = sizeof one;
        one.demand = copy(c->a, one.demand, cells, sizeof *one.demand);
        one.sigma = copy(c->a, one.sigma, cells, sizeof *one.sigma);
        one.mig_profile = witness_text(c->a, one.mig_profile);
        if (to) to[i] = one;
    }
    return to;
}

static lsched_pack_item *witness_items(const struct copying *c) {
    lsched_pack_item *to = pack_take(c->a, c->in->n_items, sizeof *to), one;
    for (uint32_t i = 0; i < c->in->n_items; i++) {
        read_item(&one, c->in, i);
        one.size = sizeof one;
        one.name = witness_text(c->a, one.name);
        one.configs = witness_configs(c, &one);
        one.classes = copy(c->a, one.classes, one.n_classes, sizeof *one.classes);
        one.bins_now = copy(c->a, one.bins_now, tasks_of_item(&one), sizeof *one.bins_now);
        if (to) to[i] = one;
    }
    return to;
}

static lsched_pack_class *witness_classes(const struct copying *c) {
    lsched_pack_class *to = pack_take(c->a, c->in->n_classes, sizeof *to), one;
    for (uint32_t i = 0; i < c->in->n_classes; i++) {
        read_class(&one, c->in, i);
        one.size = sizeof one;
        one.name = witness_text(c->a, one.name);
        one.capacity = copy(c->a, one.capacity, c->in->n_resources, sizeof *one.capacity);
        one.mig_table = witness_text(c->a, one.mig_table);
        if (to) to[i] = one;
    }
    return to;
}

static lsched_pack_resource *witness_resources(const struct copying *c) {
    lsched_pack_resource *to = pack_take(c->a, c->in->n_resources, sizeof *to), one;
    for (uint32_t i = 0; i < c->in->n_resources; i++) {
        read_element(&one, sizeof one, c->in->resources, i, c->in->resource_size);
        one.size = sizeof one;
        one.name = witness_text(c->a, one.name);
        if (to) to[i] = one;
    }
    return to;
}

static lsched_pack_reservation *witness_reservations(const struct copying *c) {
    lsched_pack_reservation *to = pack_take(c->a, c->in->n_reservations, sizeof *to), one;
    for (uint32_t i = 0; i < c->in->n_reservations; i++) {
        read_reservation(&one, c->in, i);
        one.size = sizeof one;
        one.amount = copy(c->a, one.amount, c->in->n_resources, sizeof *one.amount);
        if (to) to[i] = one;
    }
    return to;
}

static size_t witness_tasks(const lsched_pack_problem *in) {
    size_t n = 0;
    lsched_pack_item one;
    for (uint32_t i = 0; i < in->n_items; i++) {
        read_item(&one, in, i);
        n += tasks_of_item(&one);
    }
    return n;
}

/* Takes the witness struct and then all its arrays from the arena, and fills them. Returns NULL
 * while the arena only counts bytes. */
static struct plan_witness *witness_all(const lsched_pack_problem *in, struct pack_arena *a) {
    struct copying c = {in, a};
    lsched_pack_problem problem = *in;
    struct plan_witness *w = pack_take(a, 1, sizeof *w);
    size_t n_places = witness_tasks(in);
    problem.size = sizeof problem;
    problem.resources = witness_resources(&c);
    problem.classes = witness_classes(&c);
    problem.items = witness_items(&c);
    problem.reservations = witness_reservations(&c);
    problem.slot_bounds =
        copy(a, in->slot_bounds, in->n_slots ? in->n_slots + 1 : 0, sizeof *in->slot_bounds);
    problem.resource_size = problem.class_size = problem.item_size = 0;
    problem.config_size = problem.reservation_size = 0;
    lsched_pack_place *places = pack_take(a, n_places, sizeof *places);
    if (!w) return NULL;
    w->problem = problem;
    w->places = places;
    w->n_places = n_places;
    return w;
}

struct plan_witness *plan_witness_new(const lsched_pack_problem *problem,
                                      const lsched_pack_opts *opts) {
    lsched_pack_problem in;
    struct alloc alloc;
    struct pack_arena arena = {0};
    lsched_pack_opts mine = {.size = sizeof mine};
    if (read_problem(&in, problem, NULL) != LSCHED_OK || alloc_init(&alloc, NULL, 0) != LSCHED_OK)
        return NULL;
    if (opts && arg_struct(&mine, (uint32_t)sizeof mine, opts, 0, "options", NULL) != LSCHED_OK)
        return NULL;
    (void)witness_all(&in, &arena);
    size_t bytes = (size_t)arena.used;
    unsigned char *block = arena.used > SIZE_MAX / 2 ? NULL : alloc_new(&alloc, bytes);
    if (!block) return NULL;
    arena = (struct pack_arena){.base = block, .room = bytes};
    struct plan_witness *w = witness_all(&in, &arena);
    w->alloc = alloc;
    w->bytes = bytes;
    mine.size = sizeof mine;
    mine.allocator = NULL;
    w->opts = mine;
    return w;
}

void plan_witness_free(struct plan_witness *w) {
    if (!w) return;
    struct alloc alloc = w->alloc;
    alloc_free(&alloc, w, w->bytes);
}

lsched_pack_place *plan_witness_places(struct plan_witness *w, size_t *n) {
    *n = w ? w->n_places : 0;
    return w ? w->places : NULL;
}

int plan_witness_agrees(struct plan_witness *w, const lsched_pack_info *told) {
    lsched_pack_info judged = {.size = sizeof judged};
    lsched_error err = {.size = sizeof err};
    if (!w) return 1;
    int32_t rc = lsched_pack_check(&w->problem, &w->opts, w->places, w->n_places, &judged, &err);
    if (rc == LSCHED_E_NOMEM) return 1;
    int same = judged.left_out_weight == told->left_out_weight &&
               judged.left_out == told->left_out && judged.bins == told->bins &&
               judged.moves == told->moves && judged.resizes == told->resizes &&
               judged.recuts == told->recuts && judged.switch_ons == told->switch_ons &&
               judged.end_us == told->end_us;
    if (rc != LSCHED_OK)
        fprintf(stderr, "the judge refuses the packer's plan: %s\n", err.message);
    else if (!same)
        fprintf(stderr, "the judge computes another value of the plan than the packer\n");
    return rc == LSCHED_OK && same;
}

#endif
