/* Devices that may be together, against all subsets and, for wide nodes, against counts of values: match and distinct
 * attributes, in the order of preference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/devices/match_graph.h"
#include "model/store/steps.h"

static uint32_t seed;
static uint32_t roll(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* The test goes through all subsets, so that it keeps to MATCH_SURE devices. */
struct rule {
    int alike;
    uint32_t value[MATCH_SURE];
};

/* From the meaning: every two of the set. */
static int allowed(const struct rule *rules, uint32_t n_rules, uint32_t set) {
    for (uint32_t r = 0; r < n_rules; r++)
        for (uint32_t i = 0; i < MATCH_SURE; i++)
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
        uint32_t n = 1 + roll(round < 2900 ? 9 : MATCH_SURE), n_rules = roll(4), k = 1 + roll(n);
        uint32_t fit = roll(1u << n) | (roll(2) ? (1u << n) - 1 : 0), best = 0;
        struct rule rules[4];
        uint8_t order[MATCH_SURE] = {0};
        struct match_graph f;
        for (uint32_t r = 0; r < n_rules; r++) {
            uint32_t values = 1 + roll(5);
            rules[r].alike = (int)roll(2);
            for (uint32_t i = 0; i < MATCH_SURE; i++)
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
        uint64_t steps[STEPS_WORDS] = {0};
        f.steps = steps;
        uint32_t got = (uint32_t)match_graph_choose(&f, fit, k, order, n);
        assert_true(steps[STEPS_MATCH] >= (best ? k : 1));
        assert_int_equal(steps[STEPS_ALL], steps[STEPS_MATCH]);
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

/* ---- wide nodes: equal values and one distinct attribute, computed without a graph ---- */

enum { WIDE = 128 };
_Static_assert((int)MATCH_DEVICES <= (int)WIDE, "the values are for all devices");

/* Devices with equal classes can be together, except two with the same value. */
struct wide {
    uint32_t n, class[WIDE], value[WIDE];
    uint8_t order[WIDE];
};

static int goes_with(const struct wide *w, uint32_t a, uint32_t b) {
    return w->class[a] == w->class[b] && w->value[a] != w->value[b];
}

/* The most devices of `left` that can be together: the most values in one class. */
static uint32_t most(const struct wide *w, const uint8_t *left) {
    uint32_t best = 0;
    for (uint32_t class = 0; class < WIDE; class ++) {
        uint8_t seen[2 * WIDE] = {0};
        uint32_t n = 0;
        for (uint32_t i = 0; i < w->n; i++)
            if (left[i] && w->class[i] == class && !seen[w->value[i]]++) n++;
        if (n > best) best = n;
    }
    return best;
}

/* The set that the order prefers: each device in turn is taken if the rest can still be found. */
static device_set best_of(const struct wide *w, device_set fit, uint32_t k) {
    uint8_t left[WIDE] = {0};
    device_set set = 0;
    for (uint32_t i = 0; i < w->n; i++) left[i] = (uint8_t)device_set_has(fit, i);
    for (uint32_t at = 0; at < w->n && k > 0; at++) {
        uint32_t d = w->order[at];
        uint8_t with[WIDE] = {0};
        if (!left[d]) continue;
        for (uint32_t i = 0; i < w->n; i++) with[i] = left[i] && goes_with(w, d, i);
        left[d] = 0;
        if (1 + most(w, with) < k) continue;
        for (uint32_t i = 0; i < w->n; i++) left[i] = with[i];
        set |= device_set_bit(d);
        k--;
    }
    return k == 0 ? set : 0;
}

static void fill_wide(struct wide *w, struct match_graph *f) {
    uint32_t classes = 1 + roll(4), values = 1 + roll(2 * WIDE);
    w->n = MATCH_DEVICES - roll(MATCH_DEVICES / 2);
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t j = roll(i + 1);
        w->order[i] = w->order[j];
        w->order[j] = (uint8_t)i;
        w->class[i] = roll(classes);
        w->value[i] = roll(values);
    }
    match_graph_all(f, w->n);
    match_graph_match(f, w->class, w->n);
    match_graph_distinct(f, w->value, w->n);
}

static void test_wide(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 600; round++) {
        struct wide w;
        struct match_graph f;
        seed = round * 104729 + 3;
        fill_wide(&w, &f);
        device_set fit = round % 3 ? device_set_below(w.n) : 0;
        for (uint32_t i = 0; i < w.n; i++)
            if (!fit || roll(3) == 0) fit ^= device_set_bit(i);
        uint8_t left[WIDE];
        for (uint32_t i = 0; i < w.n; i++) left[i] = (uint8_t)device_set_has(fit, i);
        uint32_t there = most(&w, left);
        /* the greatest set, one more, and any number */
        uint32_t ask[] = {there ? there : 1, there + 1, 1 + roll(w.n)};
        for (uint32_t a = 0; a < 3; a++) {
            device_set got = match_graph_choose(&f, fit, ask[a], w.order, w.n),
                       want = best_of(&w, fit, ask[a]);
            if (got != want)
                fail_msg("round %u: %u devices of %u: another set", round, ask[a], w.n);
            assert_int_equal(match_graph_have(&f, fit, ask[a]), ask[a] <= there);
        }
    }
}

/* Two distinct attributes: the search ends, and what it finds is allowed. */
static void test_hard(void **unused) {
    (void)unused;
    uint32_t found = 0;
    for (uint32_t round = 0; round < 40; round++) {
        uint32_t a[WIDE], b[WIDE], side = 2 + round % 10;
        uint8_t order[WIDE];
        struct match_graph f;
        seed = round * 31337 + 5;
        for (uint32_t i = 0; i < MATCH_DEVICES; i++) {
            a[i] = roll(side);
            b[i] = roll(side);
            order[i] = (uint8_t)i;
        }
        match_graph_all(&f, MATCH_DEVICES);
        match_graph_distinct(&f, a, MATCH_DEVICES);
        match_graph_distinct(&f, b, MATCH_DEVICES);
        for (uint32_t k = 1; k <= side + 1; k++) {
            device_set got =
                match_graph_choose(&f, device_set_below(MATCH_DEVICES), k, order, MATCH_DEVICES);
            assert_int_equal(got ? device_set_count(got) : k, k);
            assert_true(match_graph_allow(&f, got));
            assert_true(k <= side || !got); /* there are not so many values */
            found += got != 0;
        }
    }
    assert_true(found > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_subsets), cmocka_unit_test(test_by_number),
        cmocka_unit_test(test_lacking), cmocka_unit_test(test_wide), cmocka_unit_test(test_hard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
