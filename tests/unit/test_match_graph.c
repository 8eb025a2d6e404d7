/* Devices that may be together, against all subsets: match and distinct attributes, in the order of preference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/devices/match_graph.h"

static uint32_t seed;
static uint32_t roll(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

struct rule {
    int alike;
    uint32_t value[MATCH_DEVICES];
};

/* From the meaning: every two of the set. */
static int allowed(const struct rule *rules, uint32_t n_rules, uint32_t set) {
    for (uint32_t r = 0; r < n_rules; r++)
        for (uint32_t i = 0; i < MATCH_DEVICES; i++)
            for (uint32_t j = 0; j < i; j++) {
                if (!(set >> i & 1) || !(set >> j & 1)) continue;
                uint32_t a = rules[r].value[i], b = rules[r].value[j];
                if (a == MATCH_LACKS || b == MATCH_LACKS || (a == b) != rules[r].alike) return 0;
            }
    return 1;
}

/* Is set a before set b: at the first device of the order where they differ, who has it. */
static int before(uint32_t a, uint32_t b, const uint8_t *order, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if ((a ^ b) >> order[i] & 1) return a >> order[i] & 1;
    return 0;
}

static void make(struct match_graph *f, const struct rule *rules, uint32_t n_rules, uint32_t n) {
    match_graph_all(f, n);
    for (uint32_t r = 0; r < n_rules; r++)
        (rules[r].alike ? match_graph_match : match_graph_distinct)(f, rules[r].value, n);
}

static void test_against_all_subsets(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 3000; round++) {
        seed = round * 7919 + 1;
        uint32_t n = 1 + roll(round < 2900 ? 9 : MATCH_DEVICES), n_rules = roll(4), k = 1 + roll(n);
        uint32_t fit = roll(1u << n) | (roll(2) ? (1u << n) - 1 : 0), best = 0;
        struct rule rules[4];
        uint8_t order[MATCH_DEVICES];
        struct match_graph f;
        for (uint32_t r = 0; r < n_rules; r++) {
            uint32_t values = 1 + roll(5);
            rules[r].alike = (int)roll(2);
            for (uint32_t i = 0; i < MATCH_DEVICES; i++)
                rules[r].value[i] = roll(12) ? roll(values) : MATCH_LACKS;
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t j = roll(i + 1);
            order[i] = order[j];
            order[j] = (uint8_t)i;
        }
        make(&f, rules, n_rules, n);
        for (uint32_t set = 1; set < 1u << n; set++) {
            int good = allowed(rules, n_rules, set);
            assert_int_equal(match_graph_allow(&f, set), good);
            if (!good || (set & ~fit) || (uint32_t)__builtin_popcount(set) != k) continue;
            if (best == 0 || before(set, best, order, n)) best = set;
        }
        uint32_t got = (uint32_t)match_graph_choose(&f, fit, k, order, n);
        if (got != best)
            fail_msg("round %u: n %u k %u fit %#x: %#x, not %#x", round, n, k, fit, got, best);
        assert_int_equal(match_graph_have(&f, fit, k), best != 0);
    }
}

static void test_by_number(void **unused) {
    (void)unused;
    const uint32_t numa[8] = {0, 0, 0, 0, 1, 1, 1, 1}, rail[8] = {0, 1, 2, 3, 0, 1, 2, 3};
    struct match_graph f;
    match_graph_all(&f, 8);
    assert_int_equal(match_graph_choose(&f, 0xFF, 8, NULL, 8), 0xFF);
    match_graph_match(&f, numa, 8);
    assert_int_equal(match_graph_choose(&f, 0xFE, 4, NULL, 8), 0xF0);
    assert_int_equal(match_graph_choose(&f, 0xFE, 5, NULL, 8), 0);
    match_graph_all(&f, 8);
    match_graph_distinct(&f, rail, 8);
    assert_int_equal(match_graph_choose(&f, 0xFE, 4, NULL, 8), 0x1E);
    assert_int_equal(match_graph_choose(&f, 0xFF, 5, NULL, 8), 0);
    match_graph_match(&f, numa, 8);
    assert_int_equal(match_graph_choose(&f, 0xFC, 3, NULL, 8), 0x70);
}

/* A device that lacks the attribute serves alone, never with others. */
static void test_lacking(void **unused) {
    (void)unused;
    const uint32_t value[4] = {MATCH_LACKS, 7, MATCH_LACKS, 7};
    struct match_graph f;
    match_graph_all(&f, 4);
    match_graph_match(&f, value, 4);
    assert_int_equal(match_graph_choose(&f, 0xF, 1, NULL, 4), 1);
    assert_int_equal(match_graph_choose(&f, 0xF, 2, NULL, 4), 0xA);
    assert_int_equal(match_graph_choose(&f, 0x7, 2, NULL, 4), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_all_subsets),
                                       cmocka_unit_test(test_by_number),
                                       cmocka_unit_test(test_lacking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
