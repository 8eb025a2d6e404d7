/*
 * Layouts of sizing.h against an exact search of another kind (which combinations of instances some
 * layout serves, one device after the other), against a search over layouts of a whole server, and
 * against the bound for large pools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/sizing.h>

#include "property/chance.h"

enum { PROFILES = LSCHED_FORECAST_LAYOUT_PROFILES, VECTORS_MAX = 4096, STATES_MAX = 1 << 18 };

struct table {
    lsched_mig_profile profiles[PROFILES];
    uint32_t n, slices;
    uint8_t vectors[VECTORS_MAX][PROFILES]; /* all sets of instances of a device */
    uint32_t n_vectors;
};

/* All sets of instances, by trying each start of each profile on the slices that are free. */
static void place_next(struct table *t, uint32_t used, uint32_t from, uint8_t *counts) {
    assert_true(t->n_vectors < VECTORS_MAX);
    memcpy(t->vectors[t->n_vectors++], counts, PROFILES);
    for (uint32_t p = 0; p < t->n; p++)
        for (uint32_t s = from; s < t->slices; s++) {
            const lsched_mig_profile *m = &t->profiles[p];
            uint32_t bits = ((1u << m->slices) - 1) << s;
            if (m->media || !(m->starts >> s & 1) || (used & bits) || counts[p] == m->max) continue;
            if (s + m->slices > t->slices) continue;
            counts[p]++;
            place_next(t, used | bits, s + m->slices, counts);
            counts[p]--;
        }
}

static void table_read(struct table *t, const char *name) {
    uint8_t counts[PROFILES] = {0};
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < lsched_mig_profiles_size(lsched_cstr(name)); i++) {
        t->profiles[i] = (lsched_mig_profile)LSCHED_INIT(lsched_mig_profile);
        assert_int_equal(lsched_mig_profiles_at(lsched_cstr(name), i, &t->profiles[i], NULL),
                         LSCHED_OK);
        if (t->profiles[i].slices > t->slices) t->slices = t->profiles[i].slices;
        t->n++;
    }
    place_next(t, 0, 0, counts);
}

static uint64_t worth(const struct table *t, const uint32_t *served) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < t->n; p++) sum += (uint64_t)served[p] * t->profiles[p].share_milli;
    return sum;
}

static lsched_forecast_layout layout_of(const struct table *t, uint32_t devices,
                                        const uint32_t *wanted, lsched_forecast_layout_row *rows,
                                        size_t capacity) {
    lsched_forecast_layout_query q = LSCHED_INIT(lsched_forecast_layout_query);
    lsched_forecast_layout out = LSCHED_INIT(lsched_forecast_layout);
    lsched_error err = LSCHED_ERROR_INIT;
    q.n_devices = devices;
    q.profiles = t->profiles;
    q.n_profiles = t->n;
    q.wanted = wanted;
    if (lsched_forecast_layout_get(&q, rows, capacity, &out, &err) != LSCHED_OK)
        fail_msg("%s", err.message);
    return out;
}

static int is_vector(const struct table *t, const uint32_t *instances) {
    for (uint32_t i = 0; i < t->n_vectors; i++) {
        uint32_t p = 0;
        while (p < t->n && t->vectors[i][p] == instances[p]) p++;
        if (p == t->n) return 1;
    }
    return 0;
}

/* What a layout says of itself holds. */
static void check_layout(const struct table *t, uint32_t devices, const uint32_t *wanted,
                         const lsched_forecast_layout *out,
                         const lsched_forecast_layout_row *rows) {
    uint32_t used = 0, served[PROFILES] = {0};
    for (uint32_t i = 0; i < out->n_rows; i++) {
        assert_true(rows[i].devices > 0 && is_vector(t, rows[i].instances));
        used += rows[i].devices;
        for (uint32_t p = 0; p < PROFILES; p++) served[p] += rows[i].devices * rows[i].instances[p];
    }
    assert_true(used + out->free_devices == devices);
    for (uint32_t p = 0; p < t->n; p++)
        assert_true(served[p] == out->served[p] && served[p] <= wanted[p]);
    assert_true(out->served_milli == worth(t, served) && out->wanted_milli == worth(t, wanted));
    assert_true(out->served_milli <= out->bound_milli && out->bound_milli <= out->wanted_milli);
    assert_true(out->exact == (out->served_milli == out->bound_milli));
}

/* Which combinations up to `wanted` some layout serves, one device after the other. Sets
 * *devices to the fewest devices for the greatest worth, which it returns. */
static uint64_t exact_worth(const struct table *t, uint32_t n_devices, const uint32_t *wanted,
                            uint32_t *devices) {
    static uint8_t least[STATES_MAX]; /* devices + 1; 0: no layout */
    size_t radix[PROFILES], n = 1;
    uint64_t best = 0;
    for (uint32_t p = 0; p < t->n; p++) {
        radix[p] = n;
        n *= wanted[p] + 1;
    }
    assert_true(n <= STATES_MAX);
    memset(least, 0, n);
    least[0] = 1;
    *devices = 0;
    for (uint32_t d = 1; d <= n_devices; d++)
        for (size_t state = 0; state < n; state++) {
            if (least[state] != d) continue;
            for (uint32_t v = 0; v < t->n_vectors; v++) {
                size_t next = 0;
                uint32_t served[PROFILES] = {0};
                for (uint32_t p = 0; p < t->n; p++) {
                    served[p] = (uint32_t)(state / radix[p] % (wanted[p] + 1)) + t->vectors[v][p];
                    if (served[p] > wanted[p]) served[p] = wanted[p];
                    next += served[p] * radix[p];
                }
                if (least[next] == 0) least[next] = (uint8_t)(d + 1);
                if (worth(t, served) > best) {
                    best = worth(t, served);
                    *devices = d;
                }
            }
        }
    return best;
}

static void test_exact(void **state) {
    (void)state;
    static struct table t;
    static const char *const names[] = {"a30", "h100-80gb", "a100-40gb"};
    uint64_t seed = chance_seed(11);
    for (uint32_t i = 0; i < chance_rounds(60); i++, seed++) {
        struct chance c = {seed};
        lsched_forecast_layout_row rows[64];
        uint32_t wanted[PROFILES] = {0}, devices = 1 + chance_below(&c, 4), fewest = 0;
        table_read(&t, names[i % 3]);
        for (uint32_t p = 0; p < t.n; p++)
            if (!t.profiles[p].media && !chance_one_in(&c, 3)) wanted[p] = chance_below(&c, 7);
        lsched_forecast_layout out = layout_of(&t, devices, wanted, rows, 64);
        check_layout(&t, devices, wanted, &out, rows);
        uint64_t best = exact_worth(&t, devices, wanted, &fewest);
        if (!out.exact || out.served_milli != best || devices - out.free_devices != fewest)
            fail_msg("seed %llu: %llu on %u devices, best %llu on %u", (unsigned long long)seed,
                     (unsigned long long)out.served_milli, devices - out.free_devices,
                     (unsigned long long)best, fewest);
    }
}

/* A search over layouts of whole pools: from random layouts, one device changes at a time, as
 * long as it helps or makes no difference. */
static uint64_t searched_worth(struct chance *c, const struct table *t, uint32_t devices,
                               const uint32_t *wanted, uint32_t steps) {
    static uint32_t chosen[1024];
    uint64_t best = 0, now = 0;
    uint32_t supply[PROFILES] = {0};
    for (uint32_t d = 0; d < devices; d++) {
        chosen[d] = chance_below(c, t->n_vectors);
        for (uint32_t p = 0; p < t->n; p++) supply[p] += t->vectors[chosen[d]][p];
    }
    for (uint32_t k = 0; k < steps; k++) {
        uint32_t d = chance_below(c, devices), v = chance_below(c, t->n_vectors);
        uint32_t served[PROFILES] = {0};
        for (uint32_t p = 0; p < t->n; p++) {
            uint32_t n = supply[p] - t->vectors[chosen[d]][p] + t->vectors[v][p];
            served[p] = n < wanted[p] ? n : wanted[p];
        }
        uint64_t then = worth(t, served);
        if (k > 0 && then < now) continue;
        for (uint32_t p = 0; p < t->n; p++)
            supply[p] = supply[p] - t->vectors[chosen[d]][p] + t->vectors[v][p];
        chosen[d] = v;
        now = then;
        if (now > best) best = now;
    }
    return best;
}

/* The mix of examples/mig80 on one server: within 2 % of the best layout that the search finds.
 * It is exact, so it is never below it. */
static void test_server(void **state) {
    (void)state;
    static struct table t;
    uint64_t seed = chance_seed(21);
    table_read(&t, "h100-80gb");
    for (uint32_t i = 0; i < chance_rounds(4); i++, seed++) {
        struct chance c = {seed};
        lsched_forecast_layout_row rows[64];
        uint32_t wanted[PROFILES] = {0};
        /* twelve or so jobs at a time, 1g 30 %, 2g 30 %, 3g 25 %, 7g 15 % */
        for (uint32_t job = 0; job < 18 + 2 * i; job++) {
            uint32_t percent = chance_below(&c, 100);
            wanted[percent < 30 ? 0 : percent < 60 ? 3 : percent < 85 ? 4 : 6]++;
        }
        lsched_forecast_layout out = layout_of(&t, 8, wanted, rows, 64);
        check_layout(&t, 8, wanted, &out, rows);
        uint64_t found = 0;
        for (int again = 0; again < 8; again++) {
            uint64_t one = searched_worth(&c, &t, 8, wanted, 50000);
            if (one > found) found = one;
        }
        printf("seed %llu: layout %llu, search %llu of %llu milli\n", (unsigned long long)seed,
               (unsigned long long)out.served_milli, (unsigned long long)found,
               (unsigned long long)out.wanted_milli);
        assert_true(out.exact && out.served_milli >= found);
    }
}

/* Pools that are too large for the exact search: within 2 % of the bound, or of the search. */
static void test_large(void **state) {
    (void)state;
    static struct table t;
    uint64_t seed = chance_seed(31);
    double worst = 1.0;
    table_read(&t, "h100-80gb");
    for (uint32_t i = 0; i < chance_rounds(6); i++, seed++) {
        struct chance c = {seed};
        lsched_forecast_layout_row rows[1024];
        uint32_t wanted[PROFILES] = {0}, devices = 50 + chance_below(&c, 950);
        for (uint32_t p = 0; p < t.n; p++)
            if (!t.profiles[p].media && !chance_one_in(&c, 4))
                wanted[p] = chance_below(&c, devices * 2000 / t.profiles[p].share_milli / t.n * 2);
        lsched_forecast_layout out = layout_of(&t, devices, wanted, rows, 1024);
        check_layout(&t, devices, wanted, &out, rows);
        uint64_t found = searched_worth(&c, &t, devices, wanted, 400000);
        double ratio = (double)out.served_milli / (double)out.bound_milli;
        printf("seed %llu, %u devices: layout %llu, search %llu, bound %llu of %llu milli\n",
               (unsigned long long)seed, devices, (unsigned long long)out.served_milli,
               (unsigned long long)found, (unsigned long long)out.bound_milli,
               (unsigned long long)out.wanted_milli);
        if (ratio < worst) worst = ratio;
        assert_true((double)out.served_milli >= 0.98 * (double)found);
    }
    printf("least part of the bound: %.4f\n", worst);
}

static int calls_left;
static void *scarce_alloc(void *user, size_t bytes) {
    (void)user;
    return calls_left-- > 0 ? malloc(bytes) : NULL;
}
static void *scarce_realloc(void *user, void *old, size_t before, size_t bytes) {
    (void)user;
    (void)before;
    return calls_left-- > 0 ? realloc(old, bytes) : NULL;
}
static void scarce_free(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

static void test_bad_queries(void **state) {
    (void)state;
    static struct table t;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t wanted[PROFILES] = {3};
    lsched_forecast_layout out = LSCHED_INIT(lsched_forecast_layout), before = out;
    lsched_forecast_layout_query q = LSCHED_INIT(lsched_forecast_layout_query);
    table_read(&t, "h100-80gb");
    q.n_devices = 1;
    q.profiles = t.profiles;
    q.n_profiles = t.n;
    q.wanted = wanted;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 1, &out, &err), LSCHED_E_NULL);
    wanted[1] = 1; /* +me */
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_E_INVAL);
    assert_int_equal(err.index, 1);
    wanted[1] = 0;
    q.n_devices = LSCHED_FORECAST_LAYOUT_DEVICES + 1;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_E_RANGE);
    q.n_devices = 1;
    q.n_profiles = 9;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_E_RANGE);
    q.n_profiles = t.n;
    t.profiles[2].starts = 0;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_E_RANGE);
    for (uint32_t p = 0; p < t.n; p++) { /* a table that no device has */
        t.profiles[p].media = 0;
        t.profiles[p].slices = t.profiles[p].compute = 1;
        t.profiles[p].starts = 255;
        t.profiles[p].max = 8;
    }
    t.profiles[0].slices = t.profiles[0].compute = 8;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_E_RANGE);
    assert_memory_equal(&out, &before, sizeof out);
    lsched_allocator scarce = LSCHED_INIT(lsched_allocator);
    scarce.alloc = scarce_alloc;
    scarce.realloc = scarce_realloc;
    scarce.free = scarce_free;
    q.allocator = &scarce;
    table_read(&t, "h100-80gb");
    calls_left = 0;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_E_NOMEM);
    calls_left = 1;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_OK);
    assert_true(out.served_milli == 375 && out.n_rows == 1 && out.free_devices == 0);
    q.n_devices = 0;
    calls_left = 1;
    assert_int_equal(lsched_forecast_layout_get(&q, NULL, 0, &out, &err), LSCHED_OK);
    assert_true(out.served_milli == 0 && out.exact == 1);
    q.allocator = NULL;
    lsched_forecast_need_opts opts = LSCHED_INIT(lsched_forecast_need_opts);
    lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need);
    lsched_forecast_sample sample = {1, 1.0};
    opts.allocator = &scarce;
    calls_left = 0;
    assert_int_equal(lsched_forecast_need_get(&sample, 1, 1, &opts, &need, &err), LSCHED_E_NOMEM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_server),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_bad_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
