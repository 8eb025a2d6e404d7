/*
 * pack_calls.c -- bytes become a packing problem, mostly a legal one, with any number now and then where a small one
 * is expected, and calls on packers of it.
 *
 * What must hold: a problem is refused with a message and nothing is left, or it has a plan after each
 * run that lsched_pack_check accepts at the packer's price, with a bound below; a tampered plan is judged
 * without harm; without memory nothing is left behind.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/pack.h>

#include "tests/support/fault_alloc.h"

enum { RESOURCES = 3, CLASSES = 3, ITEMS = 6, CONFIGS = 3, SLOTS = 5, TASKS = 3, RESERVATIONS = 3 };
enum { AMOUNTS = RESOURCES * SLOTS, PLACES = ITEMS * TASKS };

struct play {
    const uint8_t *at, *end;
    lsched_pack_resource resources[RESOURCES];
    lsched_pack_class classes[CLASSES];
    int64_t capacity[CLASSES][RESOURCES];
    lsched_pack_item items[ITEMS];
    lsched_pack_config configs[ITEMS][CONFIGS];
    int64_t demand[ITEMS][CONFIGS][AMOUNTS], sigma[ITEMS][CONFIGS][AMOUNTS];
    uint32_t allowed[ITEMS][CLASSES], now[ITEMS][TASKS];
    lsched_pack_reservation reservations[RESERVATIONS];
    int64_t taken[RESERVATIONS][RESOURCES], bounds[SLOTS + 1];
    lsched_pack_problem problem;
    lsched_pack_opts opts;
    struct fault_alloc memory;
    lsched_allocator hooks;
    lsched_pack_place places[PLACES];
    size_t n_places;
};

static void require(bool condition) {
    if (!condition) abort();
}

static uint8_t byte(struct play *p) {
    return p->at < p->end ? *p->at++ : 0;
}

static uint32_t below(struct play *p, uint32_t n) {
    return byte(p) % n;
}

/* A small number; one byte in thirty asks for one that is not. */
static int64_t number(struct play *p, int64_t unit) {
    static const int64_t odd[] = {
        -1, INT64_MAX,    INT64_MIN, (int64_t)1 << 62, (int64_t)1 << 61, (int64_t)1 << 40,
        1,  INT64_MAX - 1};
    uint8_t b = byte(p);
    return b < 248 ? b * unit : odd[b - 248];
}

static uint32_t count(struct play *p, uint32_t most) {
    uint8_t b = byte(p);
    return b == 255 ? UINT32_MAX : b == 254 ? most + 1 : b % (most + 1);
}

static lsched_text mig_text(struct play *p, int table) {
    static const char *const tables[] = {"", "", "h100-80gb", "a30", "none"};
    static const char *const profiles[] = {"",        "",           "1g.10gb", "3g.40gb",
                                           "7g.80gb", "1g.10gb+me", "x"};
    const char *s = table ? tables[below(p, 5)] : profiles[below(p, 7)];
    return (lsched_text){s, strlen(s)};
}

/* ---- a problem ---- */

static void make_classes(struct play *p) {
    p->problem.n_resources = below(p, RESOURCES + 1);
    p->problem.n_classes = 1 + below(p, CLASSES);
    for (uint32_t r = 0; r < RESOURCES; r++) {
        lsched_pack_resource *x = &p->resources[r];
        x->size = sizeof *x;
        x->soft = below(p, 4) == 3;
        if (!x->soft) continue;
        x->z_milli = (uint32_t)number(p, 100);
        x->overload_price_micro = number(p, 1000);
    }
    for (uint32_t c = 0; c < CLASSES; c++) {
        lsched_pack_class *x = &p->classes[c];
        x->size = sizeof *x;
        x->count = count(p, 4);
        x->capacity = p->capacity[c];
        for (uint32_t r = 0; r < RESOURCES; r++) p->capacity[c][r] = number(p, 1);
        x->mig_table = mig_text(p, 1);
        x->open_price_micro = number(p, 1000);
        x->on_price_micro_per_hour = number(p, 1000);
        x->switch_price_micro = number(p, 1000);
        x->recut_price_micro = number(p, 1000);
        x->on_now = below(p, 2);
    }
}

static void make_config(struct play *p, uint32_t i, uint32_t c) {
    lsched_pack_config *x = &p->configs[i][c];
    x->size = sizeof *x;
    x->n_slots = below(p, 3) ? 0 : count(p, SLOTS);
    x->first_slot = below(p, 2) ? 0 : count(p, SLOTS);
    x->duration_us = number(p, 60000000);
    x->demand = below(p, 8) ? p->demand[i][c] : NULL;
    x->sigma = below(p, 4) ? NULL : p->sigma[i][c];
    x->mig_profile = mig_text(p, 0);
    x->resize_price_micro = number(p, 1000);
    uint8_t shape = byte(p);
    for (uint32_t a = 0; a < AMOUNTS; a++) {
        p->demand[i][c][a] = a < 4 || shape & 1 ? number(p, 1) / (1 + shape % 4) : shape;
        p->sigma[i][c][a] = shape & 2 ? number(p, 1) : shape % 5;
    }
}

static void make_item(struct play *p, uint32_t i) {
    lsched_pack_item *x = &p->items[i];
    x->size = sizeof *x;
    x->flags = below(p, 8) == 7 ? LSCHED_PACK_ITEM_PINNED : 0;
    x->ready_us = number(p, 60000000);
    uint32_t kind = below(p, 3);
    if (kind != 1) {
        x->flags |= LSCHED_PACK_ITEM_HAS_LATEST;
        x->latest_us = kind == 0 ? x->ready_us : number(p, 120000000);
    }
    if (!below(p, 2)) {
        x->flags |= LSCHED_PACK_ITEM_HAS_DEADLINE;
        x->deadline_us = number(p, 60000000);
    }
    x->late_price_micro_per_hour = number(p, 1000);
    x->flow_price_micro_per_hour = number(p, 1000);
    x->weight = number(p, 1);
    x->n_configs = 1 + below(p, CONFIGS);
    x->configs = p->configs[i];
    x->tasks = below(p, TASKS + 1);
    x->apart = below(p, 2);
    x->n_classes = below(p, 3) ? 0 : below(p, CLASSES + 1);
    x->classes = p->allowed[i];
    x->bins_now = below(p, 2) ? p->now[i] : NULL;
    x->config_now = below(p, CONFIGS);
    x->slice_now = below(p, 9);
    if (!below(p, 2)) {
        x->flags |= LSCHED_PACK_ITEM_HAS_MOVED_AT;
        x->moved_at_us = number(p, -60000000);
    }
    x->move_price_micro = number(p, 1000);
    for (uint32_t c = 0; c < CLASSES; c++) p->allowed[i][c] = c + (below(p, 9) == 8);
    for (uint32_t t = 0; t < TASKS; t++) p->now[i][t] = below(p, 6);
    for (uint32_t c = 0; c < CONFIGS; c++) make_config(p, i, c);
}

static void make_rest(struct play *p) {
    for (uint32_t s = 1; s <= SLOTS; s++)
        p->bounds[s] = p->bounds[s - 1] + number(p, 60000000) % (1LL << 50) + 1;
    for (uint32_t k = 0; k < RESERVATIONS; k++) {
        lsched_pack_reservation *x = &p->reservations[k];
        x->size = sizeof *x;
        x->bin = below(p, 5);
        x->from_us = number(p, 60000000);
        if (!below(p, 2)) {
            x->flags |= LSCHED_PACK_RESERVATION_HAS_END;
            x->to_us = number(p, 120000000);
        }
        x->amount = below(p, 4) ? p->taken[k] : NULL;
        for (uint32_t r = 0; r < RESOURCES; r++) p->taken[k][r] = number(p, 1) / 4;
        x->mig_slices = below(p, 2) ? 0 : byte(p);
    }
    p->opts.size = sizeof p->opts;
    p->opts.method = below(p, 7);
    p->opts.beam = count(p, 8);
    p->opts.branch = below(p, 8);
    p->opts.seed = byte(p);
    p->opts.patience_milli = below(p, 2) ? 0 : (uint32_t)number(p, 100);
    p->opts.dwell_us = below(p, 2) ? 0 : number(p, 60000000);
    p->opts.bound_percent = below(p, 92);
}

static void make(struct play *p) {
    make_classes(p);
    uint32_t n = below(p, ITEMS + 1);
    for (uint32_t i = 0; i < n; i++) make_item(p, i);
    make_rest(p);
    p->problem.size = sizeof p->problem;
    p->problem.resources = p->resources;
    p->problem.classes = p->classes;
    p->problem.items = p->items;
    p->problem.n_items = n;
    p->problem.n_slots = below(p, SLOTS + 1);
    p->problem.slot_bounds = p->bounds;
    p->problem.reservations = p->reservations;
    p->problem.n_reservations = below(p, RESERVATIONS + 1);
    p->problem.now_us = below(p, 4) ? 0 : number(p, 60000000);
    p->problem.makespan_price_micro_per_hour = number(p, 1000);
    p->hooks = fault_hooks(&p->memory);
    p->opts.allocator = &p->hooks;
}

/* ---- what must hold ---- */

static bool has_soft(const struct play *p) {
    for (uint32_t r = 0; r < p->problem.n_resources; r++)
        if (p->resources[r].soft) return true;
    return false;
}

static void check_plan(struct play *p, const lsched_packer *packer) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_pack_info info = {.size = sizeof info}, judged = {.size = sizeof judged};
    require(lsched_packer_get(packer, &info, &err) == 0);
    int64_t n = lsched_packer_places(packer, p->places, PLACES, &err);
    require(n >= 0 && n <= PLACES);
    p->n_places = (size_t)n;
    require(lsched_pack_check(&p->problem, &p->opts, p->places, p->n_places, &judged, &err) == 0);
    require(info.left_out_weight == judged.left_out_weight && info.bins == judged.bins);
    require(has_soft(p) || info.compared_micro == judged.compared_micro);
    require(info.lower_bound_micro <= info.compared_micro);
    require(info.left_out > 0 || info.lower_bound_bins <= info.bins);
}

static void run(struct play *p, lsched_packer *packer) {
    for (uint32_t n = 1 + below(p, 3); n > 0; n--) {
        if (below(p, 8) == 7) lsched_packer_interrupt(packer);
        int32_t more = lsched_packer_run(packer, (uint64_t)byte(p) * 8, NULL);
        require(more == 0 || more == 1);
        check_plan(p, packer);
        if (more == 0) break;
    }
}

/* A plan with one field changed: to start from, and to judge. */
static void tamper(struct play *p) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer;
    if (p->n_places == 0) return;
    lsched_pack_place *place = &p->places[below(p, (uint32_t)p->n_places)];
    switch (below(p, 6)) {
    case 0: place->bin = count(p, 5); break;
    case 1: place->config = count(p, CONFIGS); break;
    case 2: place->start_us = number(p, 60000000); break;
    case 3: place->end_us = number(p, 60000000); break;
    case 4: place->slice = count(p, 8); break;
    default: place->item = count(p, ITEMS); break;
    }
    int32_t rc = lsched_pack_check(&p->problem, &p->opts, p->places, p->n_places, NULL, &err);
    require(rc == 0 || (rc == LSCHED_E_STATE && err.message[0]));
    require(lsched_packer_create(&p->problem, &p->opts, &packer, &err) == 0);
    rc = lsched_packer_start_from(packer, p->places, p->n_places, &err);
    require(rc == 0 || err.message[0]);
    run(p, packer);
    lsched_packer_destroy(packer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct play p;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer = NULL;
    memset(&p, 0, sizeof p);
    p.at = data;
    p.end = data + size;
    make(&p);
    p.memory.fail_at = below(&p, 16) < 12 ? 0 : 1 + below(&p, 4);
    int32_t rc = lsched_packer_create(&p.problem, &p.opts, &packer, &err);
    p.memory.fail_at = 0;
    if (rc == 0) {
        run(&p, packer);
        lsched_packer_destroy(packer);
        tamper(&p);
    } else {
        require(rc < 0 && rc == err.code && err.message[0] && !packer);
    }
    require(p.memory.live_blocks == 0 && p.memory.wrong_sizes == 0);
    return 0;
}
