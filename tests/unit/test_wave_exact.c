/*
 * test_wave_exact.c -- the programme without a beam against brute force: every way to place every
 * item of small random problems, over every grid time, bin, config and slice, judged by
 * pack_value_of alone. Features one by one and mixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack/wave/wave.h"
#include "support/pack_inside.h"
#include "support/pack_random.h"

#define GRID INT64_C(600000000)
enum { WAYS_MAX = 300, TASKS_MAX = 12, ITEMS_MAX = 8, PLANS_MAX = 60000 };

struct ways {
    uint32_t n;
    struct pack_spot spots[WAYS_MAX][TASKS_MAX];
};

struct brute {
    const struct pack_problem *p;
    struct pack_cost *cost;
    struct ways ways[ITEMS_MAX];
    struct pack_spot spots[TASKS_MAX];
    struct pack_value least;
};

static int64_t on_grid(int64_t time) {
    if (time == INT64_MAX || time == INT64_MIN) return time;
    return (time + GRID - 1) / GRID * GRID;
}

/* Times on a grid, so that some best plan is on it, and few starts. */
static void coarsen(struct pack_random *r, uint64_t seed) {
    lsched_pack_problem *p = &r->problem;
    p->now_us = on_grid(p->now_us);
    for (uint32_t s = 0; s <= p->n_slots && p->n_slots; s++) {
        r->slots[s] = on_grid(r->slots[s]);
        if (s > 0 && r->slots[s] <= r->slots[s - 1]) r->slots[s] = r->slots[s - 1] + GRID;
    }
    for (uint32_t i = 0; i < p->n_items; i++) {
        lsched_pack_item *item = &r->items[i];
        int is_fixed = item->latest_us == item->ready_us;
        item->ready_us = on_grid(item->ready_us);
        if (item->flags & LSCHED_PACK_ITEM_HAS_DEADLINE)
            item->deadline_us = on_grid(item->deadline_us);
        int64_t from = item->ready_us > p->now_us ? item->ready_us : p->now_us;
        item->flags |= LSCHED_PACK_ITEM_HAS_LATEST;
        item->latest_us =
            is_fixed ? item->ready_us : from + (int64_t)((seed >> (3 * i)) % 4) * GRID;
        if (item->latest_us < item->ready_us) item->latest_us = item->ready_us;
        for (uint32_t c = 0; c < item->n_configs; c++) {
            lsched_pack_config *config = &r->configs[(size_t)(item->configs - r->configs) + c];
            if (config->n_slots == 0 && config->duration_us != INT64_MAX)
                config->duration_us = on_grid(config->duration_us);
        }
    }
    for (uint32_t i = 0; i < p->n_reservations; i++) {
        r->reservations[i].from_us = on_grid(r->reservations[i].from_us);
        r->reservations[i].to_us = on_grid(r->reservations[i].to_us);
    }
}

static void all_out(struct brute *b) {
    for (uint32_t t = 0; t < b->p->n_tasks; t++)
        b->spots[t] = (struct pack_spot){.bin = PACK_NO_BIN};
}

/* Every way to place one item alone; 0: too many. */
static int list_ways(struct brute *b, uint32_t i) {
    const struct pack_item *item = &b->p->items[i];
    struct ways *w = &b->ways[i];
    int has_mig = 0;
    for (uint32_t c = 0; c < item->n_configs; c++)
        has_mig |= b->p->configs[item->first_config + c].profile != PACK_NO_SLICE;
    uint64_t places = (uint64_t)b->p->n_bins * (has_mig ? 8 : 1), combos = 1;
    for (uint32_t t = 0; t < item->tasks; t++) combos *= places;
    if (combos > 5000) return 0;
    w->n = 0;
    for (uint32_t c = 0; c < item->n_configs; c++)
        for (int64_t s = item->ready; s <= item->latest; s += GRID)
            for (uint64_t k = 0; k < combos; k++) {
                uint64_t rest = k;
                struct pack_value value;
                uint32_t bad;
                all_out(b);
                for (uint32_t t = 0; t < item->tasks; t++, rest /= places)
                    b->spots[item->first_task + t] =
                        (struct pack_spot){.bin = (uint32_t)(rest % places % b->p->n_bins),
                                           .slice = (uint8_t)(rest % places / b->p->n_bins),
                                           .config = (uint16_t)c,
                                           .start = s};
                if (pack_value_of(b->cost, b->spots, &value, &bad, NULL) != 0) continue;
                if (w->n == WAYS_MAX) return 0;
                memcpy(w->spots[w->n++], &b->spots[item->first_task],
                       item->tasks * sizeof(struct pack_spot));
            }
    return 1;
}

/* Least value over all plans; 0: too many to try. */
static int brute_force(struct brute *b) {
    uint32_t at[ITEMS_MAX] = {0}, n = b->p->n_items;
    uint64_t plans = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (!list_ways(b, i)) return 0;
        plans *= b->ways[i].n + 1;
        if (plans > PLANS_MAX) return 0;
    }
    int has = 0;
    for (uint64_t k = 0; k < plans; k++) {
        struct pack_value value;
        uint32_t bad;
        all_out(b);
        for (uint32_t i = 0; i < n; i++)
            if (at[i] > 0)
                memcpy(&b->spots[b->p->items[i].first_task], b->ways[i].spots[at[i] - 1],
                       b->p->items[i].tasks * sizeof(struct pack_spot));
        if (pack_value_of(b->cost, b->spots, &value, &bad, NULL) == 0 &&
            (!has || pack_value_less(value, b->least))) {
            b->least = value;
            has = 1;
        }
        for (uint32_t i = 0; i < n; i++) {
            if (++at[i] <= b->ways[i].n) break;
            at[i] = 0;
        }
    }
    return has;
}

/* Least value over all partitions of the items, for fixed items and bins that are all alike: item i
 * goes to a bin that is in use or to the first that is not, or is left out. */
static int brute_partitions(struct brute *b) {
    uint32_t part[ITEMS_MAX] = {0}, n = b->p->n_items;
    int has = 0;
    for (;;) {
        struct pack_value value;
        uint32_t bad, used = 0, i = n;
        all_out(b);
        for (uint32_t k = 0; k < n; k++) {
            if (part[k] > 0)
                b->spots[b->p->items[k].first_task] =
                    (struct pack_spot){.bin = part[k] - 1, .start = b->p->items[k].ready};
            if (part[k] > used) used = part[k];
        }
        if (used <= b->p->n_bins && pack_value_of(b->cost, b->spots, &value, &bad, NULL) == 0 &&
            (!has || pack_value_less(value, b->least))) {
            b->least = value;
            has = 1;
        }
        while (i-- > 0) {
            uint32_t before = 0;
            for (uint32_t k = 0; k < i; k++)
                if (part[k] > before) before = part[k];
            if (part[i] <= before) break;
        }
        if (i == UINT32_MAX) return has;
        part[i]++;
        for (uint32_t k = i + 1; k < n; k++) part[k] = 0;
    }
}

/* 1: compared; 0: too large for brute force, or not legal any more on the grid. */
static int compare(uint64_t seed, uint32_t n_items, uint32_t features, uint64_t piece,
                   int (*brute)(struct brute *)) {
    struct pack_random r;
    struct pack_inside inside;
    lsched_error err = {.size = sizeof err};
    int done = 0;
    pack_random_make(&r, seed, n_items, features);
    coarsen(&r, seed);
    if (pack_inside_make(&inside, &r.problem, &r.opts, &err) != 0) {
        pack_random_free(&r);
        return 0;
    }
    const struct pack_problem *p = &inside.problem;
    struct pack_arena arena = {0};
    struct brute *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->p = p;
    pack_cost_new(p, &arena);
    wave_new(p, &r.opts, 1, &arena);
    void *block = pack_inside_block(&arena);
    b->cost = pack_cost_new(p, &arena);
    struct wave *wave = wave_new(p, &r.opts, 1, &arena);
    if (p->n_tasks <= TASKS_MAX && brute(b)) {
        struct pack_spot spots[TASKS_MAX];
        struct pack_best best = {.spots = spots, .cost = b->cost};
        struct pack_meter m = {.until = piece};
        int proved = 0;
        while (wave_run(wave, &best, &m, NULL, &proved) == PACK_MORE) m.until += piece;
        if (!proved || best.value.left_out != b->least.left_out ||
            best.value.price != b->least.price)
            print_error("seed %llu, %u items, features %#x: exact %lld, %lld (proved %d); brute "
                        "force %lld, %lld\n",
                        (unsigned long long)seed, n_items, features, (long long)best.value.left_out,
                        (long long)best.value.price, proved, (long long)b->least.left_out,
                        (long long)b->least.price);
        assert_true(proved);
        assert_int_equal(best.value.left_out, b->least.left_out);
        assert_int_equal(best.value.price, b->least.price);
        done = 1;
    }
    free(block);
    free(b);
    pack_inside_free(&inside);
    pack_random_free(&r);
    return done;
}

static void compare_many(uint32_t n_seeds, uint32_t max_items, uint32_t always, uint32_t some,
                         uint32_t at_least) {
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= n_seeds; seed++) {
        uint32_t n_items = 1 + (uint32_t)(seed % max_items);
        uint32_t features = always | pack_random_features(seed * 77 + 5, some);
        compared +=
            (uint32_t)compare(seed, n_items, features, seed % 3 ? UINT64_MAX : 50, brute_force);
    }
    print_message("%u of %u problems were small enough\n", compared, n_seeds);
    assert_true(compared >= at_least);
}

static void fixed_equals_brute_force(void **state) {
    (void)state;
    compare_many(800, 5, 0,
                 PACK_RANDOM_PROFILES | PACK_RANDOM_SOFT | PACK_RANDOM_CLASSES |
                     PACK_RANDOM_LIMITED | PACK_RANDOM_RESERVED | PACK_RANDOM_PLACED |
                     PACK_RANDOM_PINNED | PACK_RANDOM_PRICES | PACK_RANDOM_ENDLESS |
                     PACK_RANDOM_BIG,
                 400);
}

static void eight_items_equal_all_partitions(void **state) {
    uint32_t compared = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        compared += (uint32_t)compare(
            seed, 6 + (uint32_t)(seed % 3),
            pack_random_features(seed, PACK_RANDOM_PROFILES | PACK_RANDOM_SOFT | PACK_RANDOM_BIG),
            UINT64_MAX, brute_partitions);
    assert_true(compared > 50);
}

static void flexible_equals_brute_force(void **state) {
    (void)state;
    compare_many(
        600, 3, PACK_RANDOM_FLEXIBLE,
        PACK_RANDOM_CLASSES | PACK_RANDOM_LIMITED | PACK_RANDOM_PRICES | PACK_RANDOM_RESERVED, 150);
}

static void everything_equals_brute_force(void **state) {
    (void)state;
    compare_many(900, 3, PACK_RANDOM_FLEXIBLE, PACK_RANDOM_ALL, 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_equals_brute_force),
        cmocka_unit_test(eight_items_equal_all_partitions),
        cmocka_unit_test(flexible_equals_brute_force),
        cmocka_unit_test(everything_equals_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
