/*
 * frag_mix.c -- see frag_mix.h.
 *
 * The entries of the view's mix are sorted by their requests. Entries with equal requests are
 * merged to groups, rare groups are dropped, and the remaining groups are copied. The sort is a
 * heap sort of indexes. qsort would not do, because the order that it gives to equal elements
 * differs between C libraries, and because glibc's qsort allocates memory.
 */
#include "algorithms/support/frag_mix.h"

#include <string.h>

#include "base/sort.h"

/* maximum number of bits of the sum of all counts, which is shifted left by FRAG_ONE_BITS */
#define COUNT_BITS 38

/* One class of tasks while the mix is read. */
struct group {
    uint32_t entry; /* index in the view's mix of the first entry of this class */
    uint32_t kept;
    int64_t count;
};

struct reading {
    const lsched_view *view;
    const struct frag_rule *rule;
    uint32_t *order; /* indexes of entries; after merge_equal, indexes of groups */
    struct group *groups;
    uint32_t n_groups;
};

/* ---- order ---- */

static int frag_mix_compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int counts_kind(const struct frag_rule *rule, uint32_t kind) {
    return kind == LSCHED_CPU || (kind != LSCHED_GPU && !rule->cpu_alone);
}

static int compare_models(const lsched_task_shape *a, const lsched_task_shape *b) {
    int by = frag_mix_compare(a->n_models, b->n_models);
    for (uint32_t i = 0; by == 0 && i < a->n_models; i++)
        by = frag_mix_compare(a->models[i], b->models[i]);
    return by;
}

/* Orders entries by class: tasks with devices first, then by cpu request, then by all other
 * requests that distinguish classes. */
static int compare_entries(const struct reading *r, uint32_t x, uint32_t y) {
    const lsched_task_shape *a = &r->view->mix[x];
    const lsched_task_shape *b = &r->view->mix[y];
    int by = frag_mix_compare(a->gpu_devices == 0, b->gpu_devices == 0);
    if (by == 0) by = frag_mix_compare(a->request[LSCHED_CPU], b->request[LSCHED_CPU]);
    if (by == 0) by = frag_mix_compare(a->gpu_devices, b->gpu_devices);
    if (by == 0 && a->gpu_devices) by = frag_mix_compare(a->device_milli, b->device_milli);
    if (by == 0 && a->gpu_devices) by = compare_models(a, b);
    for (uint32_t kind = 1; by == 0 && kind < r->view->n_kinds; kind++)
        if (counts_kind(r->rule, kind)) by = frag_mix_compare(a->request[kind], b->request[kind]);
    return by;
}

static int entry_less(const struct reading *r, uint32_t a, uint32_t b) {
    return compare_entries(r, a, b) < 0;
}

SORT_IN_PLACE(sort_entries, uint32_t, const struct reading *, entry_less)

/* Orders groups by frequency, the most frequent group first. Groups with equal frequency keep the
 * order in which they are stored. */
static int group_less(const struct reading *r, uint32_t a, uint32_t b) {
    int by = frag_mix_compare(r->groups[b].count, r->groups[a].count);
    return by ? by < 0 : a < b;
}

SORT_IN_PLACE(sort_groups, uint32_t, const struct reading *, group_less)

/* ---- reading ---- */

/* Returns the number of bits by which counts are shifted right, so that their sum has at most
 * COUNT_BITS bits. */
static uint32_t count_shift(const lsched_view *view) {
    int64_t most = 0;
    for (uint32_t i = 0; i < view->n_mix; i++)
        if (view->mix_count[i] > most) most = view->mix_count[i];
    uint32_t shift = 0;
    if (view->n_mix == 0) return 0;
    while ((most >> shift) > ((int64_t)1 << COUNT_BITS) / view->n_mix) shift++;
    return shift;
}

static void merge_equal(struct reading *r) {
    uint32_t n = r->order ? r->view->n_mix : 0;
    uint32_t shift = count_shift(r->view);
    for (uint32_t i = 0; i < n; i++) r->order[i] = i;
    sort_entries(r, r->order, n);
    r->n_groups = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t entry = r->order[i];
        if (i == 0 || compare_entries(r, r->order[i - 1], entry) != 0)
            r->groups[r->n_groups++] = (struct group){entry, 0, 0};
        r->groups[r->n_groups - 1].count += r->view->mix_count[entry] >> shift;
    }
}

/* Keeps the most frequent groups until the kept groups cover the percentage of the rule. Returns
 * the sum of their counts. */
static int64_t keep_frequent(struct reading *r) {
    int64_t all = 0;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        all += r->groups[i].count;
        r->order[i] = i;
    }
    sort_groups(r, r->order, r->n_groups);
    int64_t kept = 0;
    for (uint32_t i = 0; i < r->n_groups && kept * 100 < all * r->rule->cover_percent; i++) {
        r->groups[r->order[i]].kept = 1;
        kept += r->groups[r->order[i]].count;
    }
    return kept;
}

/* Sets the bits of the models that the class can use. If the class can use any model, all bits are
 * set, also the bit of number `n`, which stands for the models that no node has. If the class names
 * its models, the bit of number `n` stays 0. */
static void copy_models(struct frag_mix *mix, uint32_t at, const lsched_task_shape *task) {
    uint64_t *bits = mix->allowed + (size_t)at * mix->model_words;
    memset(bits, task->n_models ? 0 : 0xff, mix->model_words * sizeof *bits);
    for (uint32_t i = 0; i < task->n_models; i++) {
        uint32_t model = frag_model_number(&mix->models, task->models[i]);
        if (model < mix->models.n) bits[model / 64] |= (uint64_t)1 << model % 64;
    }
}

static void copy_requests(struct frag_mix *mix, const struct reading *r, uint32_t at,
                          const lsched_task_shape *task) {
    for (uint32_t kind = 0; kind < mix->n_kinds; kind++)
        mix->requests[(size_t)kind * mix->n + at] =
            counts_kind(r->rule, kind) ? task->request[kind] : 0;
}

static void copy_classes(struct frag_mix *mix, const struct reading *r, int64_t total) {
    for (uint32_t i = 0; i < r->n_groups; i++) mix->n += r->groups[i].kept;
    for (uint32_t i = 0, at = 0; i < r->n_groups; i++) {
        const struct group *group = &r->groups[i];
        if (!group->kept) continue;
        const lsched_task_shape *task = &r->view->mix[group->entry];
        if (task->gpu_devices) mix->n_gpu++;
        int64_t part = ((group->count << FRAG_ONE_BITS) + total / 2) / total;
        mix->classes[at] = (struct frag_class){
            .popularity = (uint32_t)part,
            .devices = (uint16_t)task->gpu_devices,
            .share_milli = (uint16_t)(task->gpu_devices ? task->device_milli : 0),
        };
        mix->popularity += part;
        copy_requests(mix, r, at, task);
        copy_models(mix, at, task);
        at++;
    }
}

static void frag_mix_find_others(struct frag_mix *mix) {
    for (uint32_t kind = 1; kind < mix->n_kinds; kind++) {
        if (kind == LSCHED_CPU) continue;
        int64_t any = 0;
        for (uint32_t i = 0; i < mix->n_gpu; i++) any |= frag_requests(mix, kind)[i];
        if (any) mix->other[mix->n_others++] = kind;
    }
}

/* Allocates one block for the mix and for the scratch arrays of struct reading. Arrays with wider
 * elements come first in the block, so that all arrays are aligned. */
static int32_t frag_mix_allocate(struct frag_mix *mix, struct reading *r,
                                 const lsched_algorithm_env *env) {
    size_t n = r->view->n_mix;
    size_t each = mix->n_kinds * sizeof *mix->requests + mix->model_words * sizeof *mix->allowed +
                  sizeof *r->groups + sizeof *mix->classes + sizeof *r->order;
    if (n > SIZE_MAX / each) return LSCHED_E_NOMEM;
    char *at = env->alloc(env->engine, n * each);
    if (!at) return LSCHED_E_NOMEM;
    mix->block = at;
    mix->block_bytes = n * each;
    mix->requests = (void *)at;
    at += n * mix->n_kinds * sizeof *mix->requests;
    mix->allowed = (void *)at;
    at += n * mix->model_words * sizeof *mix->allowed;
    r->groups = (void *)at;
    at += n * sizeof *r->groups;
    mix->classes = (void *)at;
    at += n * sizeof *mix->classes;
    r->order = (void *)at;
    return LSCHED_OK;
}

int32_t frag_mix_read(struct frag_mix *mix, const lsched_algorithm_env *env,
                      const lsched_view *view, const struct frag_rule *rule) {
    frag_mix_free(mix, env);
    if (view->n_mix == 0) return LSCHED_OK;
    struct reading r = {.view = view, .rule = rule};
    int32_t status = frag_models_read(&mix->models, env, view);
    mix->n_kinds = view->n_kinds;
    mix->model_words = mix->models.n / 64 + 1;
    if (status == LSCHED_OK) status = frag_mix_allocate(mix, &r, env);
    if (status < 0) {
        frag_mix_free(mix, env);
        return status;
    }
    merge_equal(&r);
    int64_t total = keep_frequent(&r);
    if (total > 0) copy_classes(mix, &r, total);
    frag_mix_find_others(mix);
    return LSCHED_OK;
}

int frag_mix_equals(const struct frag_mix *a, const struct frag_mix *b) {
    if (a->n != b->n || a->n_gpu != b->n_gpu || a->popularity != b->popularity ||
        a->models.n != b->models.n)
        return 0;
    if (a->n == 0) return 1;
    return a->n_kinds == b->n_kinds &&
           memcmp(a->models.rows, b->models.rows, a->models.n * sizeof *a->models.rows) == 0 &&
           memcmp(a->classes, b->classes, a->n * sizeof *a->classes) == 0 &&
           memcmp(a->requests, b->requests, (size_t)a->n * a->n_kinds * sizeof *a->requests) == 0 &&
           memcmp(a->allowed, b->allowed, (size_t)a->n * a->model_words * sizeof *a->allowed) == 0;
}

void frag_mix_free(struct frag_mix *mix, const lsched_algorithm_env *env) {
    env_free(env, mix->block, mix->block_bytes);
    frag_models_free(&mix->models, env);
    memset(mix, 0, sizeof *mix);
}
