/* The sets that tables of links answer, against going through all sets by the definition in
 * docs/machines.md, for a family of machines of 8 devices, every mask of free devices, every k
 * and every least kind; and what operators expect of known machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/fault_alloc.h"
#include "support/link_matrices.h"

enum { KINDS = 7 };

/* ---- the definition, written down once more: sets as lists of devices ---- */

struct set {
    uint32_t n, at[LINK_DEVICES];
};

static struct set set_of(uint32_t mask) {
    struct set s = {0, {0}};
    for (uint32_t i = 0; i < LINK_DEVICES; i++)
        if (mask >> i & 1) s.at[s.n++] = i;
    return s;
}

/* Slowest link, sum of links, sum of nearness. */
static void look(const struct link_matrix *m, uint32_t mask, int64_t out[3], uint32_t *kind) {
    struct set s = set_of(mask);
    int64_t slowest = -1, sum = 0, near = 0;
    *kind = KINDS;
    for (uint32_t a = 0; a < s.n; a++)
        for (uint32_t b = 0; b < a; b++) {
            int64_t v = m->mbps[s.at[a]][s.at[b]];
            if (slowest < 0 || v < slowest) slowest = v;
            sum += v;
            near += m->near[s.at[a]][s.at[b]];
            if (m->kind[s.at[a]][s.at[b]] < *kind) *kind = m->kind[s.at[a]][s.at[b]];
        }
    out[0] = slowest < 0 ? 0 : slowest;
    out[1] = sum;
    out[2] = near;
}

/* By mask: what it is, its least kind, and what can be had of it. */
struct known {
    int64_t is[1 << 8][3], offer[1 << 8][3];
    uint32_t kind[1 << 8];
};

static void know(const struct link_matrix *m, struct known *w) {
    memset(w, 0, sizeof *w);
    for (uint32_t s = 0; s < 1u << m->n; s++) look(m, s, w->is[s], &w->kind[s]);
    for (uint32_t rest = 0; rest < 1u << m->n; rest++)
        for (int size = 2; size <= 8; size++) {
            int64_t slowest = 0, sum = 0, near = 0;
            for (uint32_t s = 1; s < 1u << m->n; s++) {
                if ((s & rest) != s || __builtin_popcount(s) != size) continue;
                if (w->is[s][0] > slowest || (w->is[s][0] == slowest && w->is[s][1] > sum)) {
                    slowest = w->is[s][0];
                    sum = w->is[s][1];
                }
                if (w->is[s][2] > near) near = w->is[s][2];
            }
            w->offer[rest][0] += slowest;
            w->offer[rest][1] += sum;
            w->offer[rest][2] += near;
        }
}

static uint32_t best_by_definition(const struct known *w, int k, uint32_t least, uint32_t free) {
    uint32_t best = 0;
    int64_t best_key[6] = {0};
    for (uint32_t s = 1; s <= free; s++) { /* upwards, so that of equals the lowest stays */
        if ((s & free) != s || __builtin_popcount(s) != k || (k > 1 && w->kind[s] < least))
            continue;
        const int64_t *is = w->is[s], *offer = w->offer[free ^ s];
        int64_t key[6] = {is[0], is[1], offer[0], offer[1], is[2], offer[2]};
        int i = 0;
        while (i < 6 && key[i] == best_key[i]) i++;
        if (best && (i == 6 || key[i] < best_key[i])) continue;
        best = s;
        memcpy(best_key, key, sizeof key);
    }
    return best;
}

/* ---- */

static struct alloc memory;

static int open_memory(void **unused) {
    (void)unused;
    return alloc_init(&memory, NULL, UINT64_MAX);
}

static int nothing_left(void **unused) {
    (void)unused;
    return memory.bytes != 0;
}

static void expect_definition(const struct link_matrix *m, const char *what) {
    static struct known w;
    struct link_table t;
    know(m, &w);
    assert_int_equal(link_table_open(&t, &memory, m), LSCHED_OK);
    for (uint32_t k = 0; k <= m->n; k++)
        for (uint32_t least = 0; least < KINDS; least++) {
            assert_int_equal(link_table_ready(&t, &memory, k, (uint8_t)least), LSCHED_OK);
            for (uint32_t free = 0; free < 1u << m->n; free++) {
                uint32_t want = best_by_definition(&w, (int)k, least, free);
                uint32_t have = link_pick(&t, k, (uint8_t)least, free);
                if (have != want)
                    fail_msg("%s: %u of %#x, least kind %u: %#x, should be %#x", what, k, free,
                             least, have, want);
            }
        }
    link_table_close(&t, &memory);
}

static void known_machines_answer_by_definition(void **unused) {
    (void)unused;
    struct link_matrix m = matrix_cube_mesh();
    expect_definition(&m, "cube mesh");
    m = matrix_nvswitch(8, 450000);
    expect_definition(&m, "NVSwitch");
    memset(m.near, 0, sizeof m.near);
    expect_definition(&m, "NVSwitch, no device nearer than another");
    m = matrix_pcie(8);
    expect_definition(&m, "PCIe");
    m = matrix_islands(8, 4, 300000);
    expect_definition(&m, "4 + 4");
    m = matrix_islands(8, 2, 100000);
    expect_definition(&m, "bridges");
    for (uint32_t n = 1; n < 8; n++) {
        m = matrix_islands(n, 3, 50000);
        expect_definition(&m, "few devices, islands of three");
    }
}

static void random_machines_answer_by_definition(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t s = seed;
        struct link_matrix m = matrix_random(8, &s);
        char what[32];
        snprintf(what, sizeof what, "seed %u", (unsigned)seed);
        expect_definition(&m, what);
    }
}

static void search_answers_as_tables_do(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t s = seed;
        struct link_matrix m = seed == 4 ? matrix_cube_mesh() : matrix_random(8, &s);
        struct link_table t;
        assert_int_equal(link_table_open(&t, &memory, &m), LSCHED_OK);
        for (uint32_t k = 1; k <= 8; k++)
            for (uint8_t least = 0; least < KINDS; least++) {
                assert_int_equal(link_table_ready(&t, &memory, k, least), LSCHED_OK);
                for (uint32_t free = 0; free < 256; free++)
                    if (link_pick(&t, k, least, free) != link_search(&m, k, least, free))
                        fail_msg("seed %u: %u of %#x, least kind %u", (unsigned)seed, k, free,
                                 least);
            }
        link_table_close(&t, &memory);
    }
}

static void sixteen_devices_by_table_and_by_search(void **unused) {
    (void)unused;
    uint64_t seed = 77;
    struct link_matrix family[3] = {matrix_random(16, &seed), matrix_islands(16, 4, 200000),
                                    matrix_pcie(16)};
    for (uint32_t f = 0; f < 3; f++) {
        struct link_table t;
        assert_int_equal(link_table_open(&t, &memory, &family[f]), LSCHED_OK);
        for (uint32_t k = 1; k <= 16; k++) {
            assert_int_equal(link_table_ready(&t, &memory, k, 0), LSCHED_OK);
            for (uint32_t i = 0; i < 12; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 99;
                uint32_t free = (uint32_t)(seed >> 40) & (uint32_t)(seed >> 20) & 0xFFFF;
                if (i == 0) free |= 0x8001; /* both ends */
                if (__builtin_popcount(free) > 10) free &= 0x3FF;
                if (link_pick(&t, k, 0, free) != link_search(&family[f], k, 0, free))
                    fail_msg("seed 77, machine %u: %u of %#x", f, k, free);
            }
            uint32_t all = link_pick(&t, k, 0, 0xFFFF);
            assert_int_equal(__builtin_popcount(all), (int)k);
        }
        link_table_close(&t, &memory);
    }
}

static uint32_t ask(const struct link_matrix *m, uint32_t k, uint8_t least, uint32_t free) {
    struct link_table t;
    assert_int_equal(link_table_open(&t, &memory, m), LSCHED_OK);
    assert_int_equal(link_table_ready(&t, &memory, k, least), LSCHED_OK);
    uint32_t got = link_pick(&t, k, least, free);
    link_table_close(&t, &memory);
    return got;
}

static void one_device_spoils_the_least(void **unused) {
    (void)unused;
    struct link_matrix m = matrix_islands(8, 4, 300000);
    /* Four joined devices are free and one of the other island: that one. */
    assert_int_equal(ask(&m, 1, 0, 0x2F), 0x20);
    /* A pair of the other island rather than half of a whole one. */
    assert_int_equal(ask(&m, 2, 0, 0xCF), 0xC0);
    m = matrix_nvswitch(8, 450000);
    /* All links equal: a device whose neighbour at the switch is taken already. */
    assert_int_equal(ask(&m, 1, 0, 0x0B), 0x08);
    assert_int_equal(ask(&m, 2, 0, 0x0E), 0x0C);
}

static void a_slow_link_counts_before_the_sum(void **unused) {
    (void)unused;
    struct link_matrix m;
    memset(&m, 0, sizeof m);
    m.n = 4;
    matrix_link(&m, 0, 1, 6, 900); /* 0, 1, 2: sum 1900, slowest 500 */
    matrix_link(&m, 0, 2, 6, 500);
    matrix_link(&m, 1, 2, 6, 500);
    matrix_link(&m, 0, 3, 6, 900); /* 0, 1, 3: sum 2200, slowest 400 */
    matrix_link(&m, 1, 3, 6, 400);
    matrix_link(&m, 2, 3, 1, 10);
    assert_int_equal(ask(&m, 3, 0, 0xF), 0x7);
    assert_int_equal(ask(&m, 2, 0, 0xF), 0x9); /* and what is left, 1 and 2, is faster */
}

static void a_least_kind_may_be_nowhere(void **unused) {
    (void)unused;
    struct link_matrix m = matrix_islands(8, 4, 300000);
    assert_int_equal(ask(&m, 4, 6, 0xFF), 0x0F);
    assert_int_equal(ask(&m, 4, 6, 0x77), 0);
    assert_int_equal(ask(&m, 5, 6, 0xFF), 0);
    assert_int_equal(ask(&m, 1, 6, 0x10), 0x10); /* one device has no link to miss */
    m = matrix_pcie(8);
    assert_int_equal(ask(&m, 2, 6, 0xFF), 0);
    m = matrix_nvswitch(8, 1);
    memset(m.near, 0, sizeof m.near);
    assert_int_equal(ask(&m, 8, 6, 0xFF), 0xFF);
    assert_int_equal(ask(&m, 2, 7, 0xFF), 0);
    assert_int_equal(ask(&m, 3, 0, 0x6), 0);
}

static void no_memory_changes_no_answer(void **unused) {
    (void)unused;
    struct link_matrix m = matrix_cube_mesh();
    for (uint32_t fail_at = 1;; fail_at++) {
        struct fault_alloc f = {.fail_at = fail_at};
        lsched_allocator hooks = fault_hooks(&f);
        struct alloc a;
        struct link_table t;
        assert_int_equal(alloc_init(&a, &hooks, UINT64_MAX), LSCHED_OK);
        int32_t rc = link_table_open(&t, &a, &m);
        if (rc == LSCHED_OK) {
            rc = link_table_ready(&t, &a, 3, 0);
            assert_int_equal(link_pick(&t, 3, 0, 0xB7), link_search(&m, 3, 0, 0xB7));
        }
        link_table_close(&t, &a);
        assert_int_equal(a.bytes, 0);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        if (rc == LSCHED_OK) break;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_true(fail_at < 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_machines_answer_by_definition),
        cmocka_unit_test(random_machines_answer_by_definition),
        cmocka_unit_test(search_answers_as_tables_do),
        cmocka_unit_test(sixteen_devices_by_table_and_by_search),
        cmocka_unit_test(one_device_spoils_the_least),
        cmocka_unit_test(a_slow_link_counts_before_the_sum),
        cmocka_unit_test(a_least_kind_may_be_nowhere),
        cmocka_unit_test(no_memory_changes_no_answer),
    };
    return cmocka_run_group_tests(tests, open_memory, nothing_left);
}
