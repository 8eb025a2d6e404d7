/* Both sorts against the plainest one: lists of all lengths around the run length, many equal keys,
 * lists in order, in reverse and nearly in order; the stable one keeps equals as they stood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"
#include "property/chance.h"

enum { MOST = 300 };

struct entry {
    int32_t key;
    uint32_t number;
};

struct order {
    int32_t sign;
    uint64_t calls;
};

static int key_before(struct order *o, struct entry a, struct entry b) {
    o->calls++;
    return o->sign * a.key < o->sign * b.key;
}

static int both_before(struct order *o, struct entry a, struct entry b) {
    return a.key != b.key ? key_before(o, a, b) : a.number < b.number;
}

SORT_STABLE(stable, struct entry, struct order *, key_before)
SORT_IN_PLACE(in_place, struct entry, struct order *, both_before)

#define BYTE_BEFORE(of, a, b) ((a) < (b))
SORT_IN_PLACE(bytes, unsigned char, const void *, BYTE_BEFORE)
SORT_STABLE(bytes_stable, unsigned char, const void *, BYTE_BEFORE)

/* By selection: the least of the rest goes first, the earliest of equals. */
static void oracle(const struct entry *list, struct entry *out, uint32_t n, int32_t sign) {
    uint8_t taken[MOST] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t least = n;
        for (uint32_t j = 0; j < n; j++)
            if (!taken[j] && (least == n || sign * list[j].key < sign * list[least].key)) least = j;
        taken[least] = 1;
        out[i] = list[least];
    }
}

static void fill(struct chance *c, struct entry *list, uint32_t n) {
    uint32_t way = chance_below(c, 5), keys = chance_below(c, 2) ? 4 : 1000000;
    for (uint32_t i = 0; i < n; i++) {
        int32_t at = (int32_t)i, random = (int32_t)chance_below(c, keys);
        int32_t key = way == 0   ? at
                      : way == 1 ? -at
                      : way == 2 ? at + 40 * (int32_t)(chance_one_in(c, 20))
                                 : random;
        list[i] = (struct entry){key, i};
    }
}

static void expect_same(const struct entry *a, const struct entry *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(a[i].key, b[i].key);
        assert_int_equal(a[i].number, b[i].number);
    }
}

static void random_lists_come_out_as_by_selection(void **unused) {
    (void)unused;
    struct chance c = {chance_seed(7)};
    struct entry list[MOST], a[MOST], want[MOST], spare[MOST];
    for (uint32_t round = 0; round < 1500; round++) {
        uint32_t n = round < 40 ? round : chance_below(&c, MOST + 1);
        struct order o = {chance_one_in(&c, 2) ? 1 : -1, 0};
        fill(&c, list, n);
        oracle(list, want, n, o.sign);
        memcpy(a, list, sizeof a);
        stable(&o, a, n <= SORT_RUN ? NULL : spare, n);
        expect_same(a, want, n);
        memcpy(a, list, sizeof a);
        assert_int_equal(in_place_is_done(&o, a, n), memcmp(a, want, n * sizeof *a) == 0);
        in_place(&o, a, n);
        expect_same(a, want, n);
    }
}

static void every_list_of_zeros_and_ones_is_sorted(void **unused) {
    (void)unused;
    unsigned char list[12], other[12], spare[12];
    for (uint32_t n = 0; n <= 12; n++)
        for (uint32_t bits = 0; bits < 1u << n; bits++) {
            for (uint32_t i = 0; i < n; i++) list[i] = other[i] = (unsigned char)(bits >> i & 1);
            bytes(NULL, list, n);
            bytes_stable(NULL, other, spare, n);
            for (uint32_t i = 0; i < n; i++) {
                unsigned char want = i >= n - (uint32_t)__builtin_popcount(bits);
                assert_int_equal(list[i], want);
                assert_int_equal(other[i], want);
            }
        }
}

/* What the head of sort.h promises; 2 log2 300 is below 17, log2 300 below 9. */
static void comparisons_keep_to_the_promise(void **unused) {
    (void)unused;
    struct chance c = {11};
    struct entry list[MOST], a[MOST], spare[MOST];
    for (uint32_t round = 0; round < 200; round++) {
        struct order o = {1, 0};
        fill(&c, list, MOST);
        memcpy(a, list, sizeof a);
        in_place(&o, a, MOST);
        assert_in_range(o.calls, 0, MOST * 17);
        o.calls = 0;
        stable(&o, list, spare, MOST);
        assert_in_range(o.calls, 0, MOST * 12); /* runs by insertion may cost 3 more */
        o.calls = 0;
        stable(&o, list, spare, MOST);
        assert_in_range(o.calls, 0, MOST - 1);
        assert_true(in_place_is_done(&o, a, MOST));
        assert_in_range(o.calls, 0, 2 * (MOST - 1));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lists_come_out_as_by_selection),
        cmocka_unit_test(every_list_of_zeros_and_ones_is_sorted),
        cmocka_unit_test(comparisons_keep_to_the_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
