/* Recutting of idle slices against a shortest path: the brute force knows two steps, destroy one
 * idle instance and create one, and searches all geometries that they lead to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/mig/mig_plan.h"
#include "property/chance.h"

enum { GEOMETRIES_MAX = 8192, FAR = 1000000 };

static struct alloc memory;
static uint32_t all[GEOMETRIES_MAX], n_all;

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static void list_geometries(const struct mig_table *t) {
    n_all = 1;
    all[0] = 0;
    for (uint32_t s = 0; s < t->slices; s++) {
        uint32_t before = n_all;
        for (uint32_t i = 0; i < before; i++)
            for (uint32_t p = 0; p < t->n_profiles; p++) {
                uint32_t g = all[i] | (p + 1) << 4 * s;
                if (mig_geometry_legal(t, g)) all[n_all++] = g;
            }
    }
}

static uint32_t index_of(uint32_t geometry) {
    for (uint32_t i = 0; i < n_all; i++)
        if (all[i] == geometry) return i;
    return UINT32_MAX;
}

/* A hash of geometries is not worth it: they are found by their number once, when the table
 * begins. */
static uint32_t by_start[GEOMETRIES_MAX][8][8]; /* geometry with one instance more or less */

static void link_geometries(const struct mig_table *t) {
    list_geometries(t);
    memset(by_start, 0xFF, sizeof by_start);
    for (uint32_t i = 0; i < n_all; i++)
        for (uint32_t s = 0; s < t->slices; s++) {
            uint32_t p = (all[i] >> 4 * s & 15);
            if (!p) continue;
            uint32_t less = index_of(all[i] & ~(15u << 4 * s));
            assert_true(less < n_all);
            by_start[i][s][p - 1] = less;
            by_start[less][s][p - 1] = i;
        }
}

/* Cost of reaching each geometry from one, with the busy instances in place: Bellman's steps over a
 * list that grows. */
static void distances(const struct mig_table *t, const struct mig_state *d, uint32_t create,
                      uint32_t destroy, uint32_t *dist) {
    static uint32_t list[GEOMETRIES_MAX * 64];
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_all; i++) dist[i] = FAR;
    list[n++] = index_of(d->geometry);
    dist[list[0]] = 0;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t i = list[at];
        for (uint32_t s = 0; s < t->slices; s++)
            for (uint32_t p = 0; p < t->n_profiles; p++) {
                uint32_t to = by_start[i][s][p];
                if (to == UINT32_MAX || (d->busy >> s & 1)) continue;
                uint32_t step = all[to] > all[i] ? create : destroy;
                if (dist[i] + step >= dist[to]) continue;
                dist[to] = dist[i] + step;
                assert_true(n < GEOMETRIES_MAX * 64);
                list[n++] = to;
            }
    }
}

/* Has the geometry so many idle instances of each profile. */
static int serves(const struct mig_table *t, uint32_t geometry, uint32_t busy,
                  const uint32_t *want) {
    uint32_t have[MIG_PROFILES_MAX] = {0};
    for (uint32_t s = 0; s < 8; s++)
        if ((geometry >> 4 * s & 15) && !(busy >> s & 1)) have[(geometry >> 4 * s & 15) - 1]++;
    for (uint32_t p = 0; p < t->n_profiles; p++)
        if (have[p] < want[p]) return 0;
    return 1;
}

static void check_targets(const struct mig_table *t, const struct mig_state *devices, uint32_t n,
                          const struct mig_order *order, const struct mig_target *out,
                          const struct mig_result *result) {
    uint32_t given[MIG_PROFILES_MAX] = {0};
    uint64_t cost = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = devices[i].geometry;
        assert_int_equal(out[i].destroys & devices[i].busy, 0);
        for (uint32_t s = 0; s < 8; s++) {
            if (out[i].destroys >> s & 1) assert_true(mig_at(g, s) != MIG_NONE);
            if (out[i].destroys >> s & 1) g = mig_remove(g, s);
        }
        for (uint32_t s = 0; s < 8; s++) {
            if (!(out[i].creates >> s & 1)) continue;
            assert_int_equal(mig_at(g, s), MIG_NONE);
            g = mig_add(g, mig_at(out[i].geometry, s), s);
        }
        assert_int_equal(g, out[i].geometry);
        assert_true(mig_geometry_legal(t, g));
        assert_int_equal(out[i].given & devices[i].busy, 0);
        for (uint32_t s = 0; s < 8; s++)
            if (out[i].given >> s & 1) given[mig_at(g, s)]++;
        cost += order->create_cost * (uint32_t)__builtin_popcount(out[i].creates) +
                order->destroy_cost * (uint32_t)__builtin_popcount(out[i].destroys);
    }
    assert_int_equal(cost, result->cost);
    for (uint32_t p = 0; p < t->n_profiles; p++) assert_int_equal(given[p], order->want[p]);
}

static struct mig_state random_device(const struct mig_table *t, struct chance *c) {
    struct mig_state d = {all[chance_below(c, n_all)], 0};
    uint32_t begins = mig_begins(d.geometry);
    d.busy = mig_covered(t, d.geometry, begins & chance_below(c, 256) & chance_below(c, 256));
    return d;
}

static void compare_one(const struct mig_table *t, const struct mig_state *d,
                        const struct mig_order *order, const uint32_t *dist) {
    struct mig_target out;
    struct mig_result result;
    uint32_t least = FAR;
    for (uint32_t i = 0; i < n_all; i++)
        if (dist[i] < least && serves(t, all[i], d->busy, order->want)) least = dist[i];
    assert_int_equal(mig_plan(&memory, t, d, 1, order, &out, &result), LSCHED_OK);
    assert_true(result.exact);
    assert_int_equal(result.found, least < FAR);
    if (!result.found) return;
    assert_int_equal(result.cost, least);
    check_targets(t, d, 1, order, &out, &result);
}

/* A30: every geometry, every set of busy instances, every wish. */
static void test_every_plan_of_a_small_device(void **unused) {
    (void)unused;
    static uint32_t dist[GEOMETRIES_MAX];
    const struct mig_table *t = mig_table_named(text("a30"));
    link_geometries(t);
    for (uint32_t i = 0; i < n_all; i++) {
        uint32_t begins = mig_begins(all[i]);
        for (uint32_t which = begins;; which = (which - 1) & begins) {
            struct mig_state d = {all[i], mig_covered(t, all[i], which)};
            struct mig_order order = {{0}, 2, 3, NULL};
            distances(t, &d, 2, 3, dist);
            for (uint32_t w = 0; w < 6 * 2 * 4 * 2 * 2; w++) {
                uint32_t x = w;
                order.want[0] = x % 6, x /= 6;
                order.want[1] = x % 2, x /= 2;
                order.want[2] = x % 4, x /= 4;
                order.want[3] = x % 2, x /= 2;
                order.want[4] = x;
                compare_one(t, &d, &order, dist);
            }
            if (!which) break;
        }
    }
    assert_int_equal(memory.bytes, 0);
}

static void random_wish(const struct mig_table *t, struct chance *c, uint32_t slices,
                        uint32_t *want) {
    memset(want, 0, MIG_PROFILES_MAX * sizeof *want);
    for (uint32_t tries = 1 + chance_below(c, 8); tries > 0; tries--) {
        uint32_t p = chance_below(c, t->n_profiles);
        if (t->profiles[p].slices > slices) continue;
        want[p]++;
        slices -= t->profiles[p].slices;
    }
}

static void test_plans_of_one_device(void **unused) {
    (void)unused;
    static uint32_t dist[GEOMETRIES_MAX];
    struct chance c = {chance_variable("LSCHED_TEST_SEED", 51)};
    const struct mig_table *t = mig_table_named(text("h100-80gb"));
    print_message("seed %llu\n", (unsigned long long)c.state);
    link_geometries(t);
    for (uint32_t round = 0; round < 150; round++) {
        struct mig_state d = random_device(t, &c);
        struct mig_order order = {{0}, 1 + chance_below(&c, 3), chance_below(&c, 4), NULL};
        distances(t, &d, order.create_cost, order.destroy_cost, dist);
        for (uint32_t i = 0; i < 40; i++) {
            random_wish(t, &c, 9, order.want);
            compare_one(t, &d, &order, dist);
        }
    }
    assert_int_equal(memory.bytes, 0);
}

/* Least cost of one device for every part of a wish; parts are numbered in mixed radix. */
static void costs_of_parts(const struct mig_table *t, const struct mig_state *d,
                           const uint32_t *want, const uint32_t *dist, uint32_t n_parts,
                           uint32_t *cost) {
    for (uint32_t part = 0; part < n_parts; part++) {
        uint32_t some[MIG_PROFILES_MAX] = {0}, x = part;
        for (uint32_t p = 0; p < t->n_profiles; p++) some[p] = x % (want[p] + 1), x /= want[p] + 1;
        cost[part] = FAR;
        for (uint32_t i = 0; i < n_all; i++)
            if (dist[i] < cost[part] && serves(t, all[i], d->busy, some)) cost[part] = dist[i];
    }
}

static void test_plans_of_three_devices(void **unused) {
    (void)unused;
    enum { DEVICES = 3, PARTS_MAX = 4096 };
    static uint32_t dist[GEOMETRIES_MAX], cost[DEVICES][PARTS_MAX];
    struct chance c = {chance_variable("LSCHED_TEST_SEED", 77)};
    const struct mig_table *t = mig_table_named(text("a30"));
    print_message("seed %llu\n", (unsigned long long)c.state);
    link_geometries(t);
    for (uint32_t round = 0; round < 400; round++) {
        struct mig_state d[DEVICES];
        struct mig_order order = {{0}, 1, 1 + chance_below(&c, 2), NULL};
        struct mig_target out[DEVICES];
        struct mig_result result;
        uint32_t n_parts = 1, least = FAR;
        random_wish(t, &c, 11, order.want);
        for (uint32_t p = 0; p < t->n_profiles; p++) n_parts *= order.want[p] + 1;
        assert_true(n_parts <= PARTS_MAX);
        for (uint32_t i = 0; i < DEVICES; i++) {
            d[i] = i && chance_one_in(&c, 3) ? d[i - 1] : random_device(t, &c);
            distances(t, &d[i], order.create_cost, order.destroy_cost, dist);
            costs_of_parts(t, &d[i], order.want, dist, n_parts, cost[i]);
        }
        for (uint32_t a = 0; a < n_parts; a++)
            for (uint32_t b = 0; b < n_parts; b++) {
                uint32_t rest = 0, radix = 1, x = a, y = b;
                int legal = 1;
                for (uint32_t p = 0; p < t->n_profiles; p++) {
                    uint32_t w = order.want[p] + 1, taken = x % w + y % w;
                    legal = legal && taken < w;
                    rest += (w - 1 - taken) * radix;
                    radix *= w, x /= w, y /= w;
                }
                if (!legal || cost[0][a] == FAR || cost[1][b] == FAR || cost[2][rest] == FAR)
                    continue;
                uint32_t sum = cost[0][a] + cost[1][b] + cost[2][rest];
                if (sum < least) least = sum;
            }
        assert_int_equal(mig_plan(&memory, t, d, DEVICES, &order, out, &result), LSCHED_OK);
        assert_true(result.exact);
        assert_int_equal(result.found, least < FAR);
        if (!result.found) continue;
        assert_int_equal(result.cost, least);
        check_targets(t, d, DEVICES, &order, out, &result);
    }
    assert_int_equal(memory.bytes, 0);
}

/* Far more than the table holds: no promise of least cost, but what it says is true, and cheap
 * where that is easy. */
static void test_plans_of_many_devices(void **unused) {
    (void)unused;
    enum { DEVICES = 300 };
    static struct mig_state d[DEVICES];
    static struct mig_target out[DEVICES];
    struct chance c = {chance_variable("LSCHED_TEST_SEED", 5)};
    const struct mig_table *t = mig_table_named(text("h100-80gb"));
    struct mig_order order = {{100, 0, 40, 60, 50, 10, 20, 0}, 1, 1, NULL};
    struct mig_result result;
    memset(d, 0, sizeof d);
    assert_int_equal(mig_plan(&memory, t, d, DEVICES, &order, out, &result), LSCHED_OK);
    assert_false(result.exact);
    assert_true(result.found);
    assert_int_equal(result.cost, 280);
    check_targets(t, d, DEVICES, &order, out, &result);
    link_geometries(t);
    for (uint32_t i = 0; i < DEVICES; i++) d[i] = random_device(t, &c);
    assert_int_equal(mig_plan(&memory, t, d, DEVICES, &order, out, &result), LSCHED_OK);
    if (result.found) check_targets(t, d, DEVICES, &order, out, &result);
    order.want[6] = 301;
    assert_int_equal(mig_plan(&memory, t, d, DEVICES, &order, out, &result), LSCHED_OK);
    assert_false(result.found);
    for (uint32_t i = 0; i < DEVICES; i++) assert_int_equal(out[i].geometry, d[i].geometry);
}

/* Of plans that cost the same, the one that keeps the lower half whole. */
static void test_equal_cost_keeps_worth(void **unused) {
    (void)unused;
    const struct mig_table *t = mig_table_named(text("h100-80gb"));
    struct mig_state d = {0, 0};
    struct mig_order order = {{1, 0, 0, 1}, 1, 1, NULL};
    struct mig_target out;
    struct mig_result result;
    assert_int_equal(mig_plan(&memory, t, &d, 1, &order, &out, &result), LSCHED_OK);
    assert_int_equal(result.cost, 2);
    assert_int_equal(out.given, 0x50); /* 2g at 4, 1g at 6 */
}

struct scarce {
    uint32_t left;
};
static void *scarce_alloc(void *user, size_t bytes) {
    struct scarce *s = user;
    return s->left-- > 0 ? malloc(bytes) : NULL;
}
static void *scarce_realloc(void *user, void *old, size_t old_bytes, size_t bytes) {
    struct scarce *s = user;
    (void)old_bytes;
    return s->left-- > 0 ? realloc(old, bytes) : NULL;
}
static void scarce_free(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

static void test_out_of_memory_anywhere(void **unused) {
    (void)unused;
    const struct mig_table *t = mig_table_named(text("h100-80gb"));
    struct mig_state d[2] = {{0, 0}, {0, 0}};
    struct mig_order order = {{3, 1, 1, 1, 1}, 1, 1, NULL};
    int32_t rc = LSCHED_E_NOMEM;
    for (uint32_t n = 0; rc != LSCHED_OK; n++) {
        struct scarce scarce = {n};
        lsched_allocator hooks = {sizeof hooks,   0,          &scarce, scarce_alloc,
                                  scarce_realloc, scarce_free};
        struct mig_target out[2];
        struct mig_result result;
        struct alloc a;
        assert_int_equal(alloc_init(&a, &hooks, UINT64_MAX), LSCHED_OK);
        rc = mig_plan(&a, t, d, 2, &order, out, &result);
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_NOMEM);
        assert_int_equal(a.bytes, 0);
        assert_true(n < 100);
    }
}

static int open_memory(void **unused) {
    (void)unused;
    return alloc_init(&memory, NULL, UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_plan_of_a_small_device),
        cmocka_unit_test(test_plans_of_one_device),
        cmocka_unit_test(test_plans_of_three_devices),
        cmocka_unit_test(test_plans_of_many_devices),
        cmocka_unit_test(test_equal_cost_keeps_worth),
        cmocka_unit_test(test_out_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, open_memory, NULL);
}
