/*
 * test_device_part.c -- what one device gives to a task and what that counts as: the cases that docs/shares.md names, and random ones against
 * the definition, found by counting up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/wide.h"
#include "model/shapes/device_part.h"

#define GIB ((int64_t)1 << 30)

static const struct device_kind h100 = {80 * GIB, 132, 1000, LSCHED_SHARING_MPS};

static struct device_part taken(struct device_kind kind, struct device_ask ask) {
    struct device_part part = {0};
    assert_true(device_part_of(&kind, &ask, &part));
    return part;
}

static void the_larger_of_share_memory_and_cores(void **state) {
    (void)state;
    assert_int_equal(taken(h100, (struct device_ask){.milli = 250}).milli, 250);
    assert_int_equal(taken(h100, (struct device_ask){.milli = 250, .memory = 40 * GIB}).milli, 500);
    assert_int_equal(taken(h100, (struct device_ask){.milli = 250, .memory = 10 * GIB}).milli, 250);
    assert_int_equal(taken(h100, (struct device_ask){.sm_count = 33}).milli, 250);
    assert_int_equal(taken(h100, (struct device_ask){.sm_count = 34}).milli, 258); /* 257.57.. */
    assert_int_equal(
        taken(h100, (struct device_ask){.milli = 100, .sm_count = 66, .memory = 30 * GIB}).milli,
        500);
    assert_int_equal(taken(h100, (struct device_ask){.memory = 1}).milli, 1);
    assert_int_equal(taken(h100, (struct device_ask){.memory = 80 * GIB}).milli, 1000);
}

static void the_same_request_on_another_device(void **state) {
    struct device_kind small = h100, large = h100;
    (void)state;
    small.memory = 24 * GIB;
    large.memory = 141 * GIB;
    struct device_ask ask = {.memory = 20 * GIB};
    assert_int_equal(taken(small, ask).milli, 834);
    assert_int_equal(taken(h100, ask).milli, 250);
    assert_int_equal(taken(large, ask).milli, 142);
}

static void memory_that_is_not_asked_for(void **state) {
    (void)state;
    assert_int_equal(taken(h100, (struct device_ask){.milli = 500}).memory, 40 * GIB);
    assert_int_equal(taken(h100, (struct device_ask){.milli = 1000}).memory, 80 * GIB);
    assert_int_equal(taken(h100, (struct device_ask){.sm_count = 33}).memory, 20 * GIB);
    assert_int_equal(taken(h100, (struct device_ask){.milli = 500, .sm_count = 132}).memory,
                     40 * GIB);
}

static void a_limit_is_at_most_the_device(void **state) {
    (void)state;
    struct device_ask ask = {.memory = 20 * GIB, .limit = 60 * GIB};
    assert_int_equal(taken(h100, ask).limit, 60 * GIB);
    ask.limit = 100 * GIB;
    assert_int_equal(taken(h100, ask).limit, 80 * GIB);
    ask.limit = 0;
    assert_int_equal(taken(h100, ask).limit, 20 * GIB);
    struct device_kind more = h100;
    more.overcommit_milli = 1500;
    assert_int_equal(device_part_all(&more).limit, 120 * GIB);
    assert_int_equal(device_part_all(&more).memory, 80 * GIB);
}

static void modes_and_isolation(void **state) {
    static const struct {
        uint8_t mode, isolation;
        uint32_t overcommit;
        int64_t milli; /* of a task that asks for a quarter; 0: it does not go there */
    } cases[] = {
        {LSCHED_SHARING_WHOLE, LSCHED_ISOLATE_NONE, 1000, 0},
        {LSCHED_SHARING_WHOLE, LSCHED_ISOLATE_MEMORY, 1000, 1000},
        {LSCHED_SHARING_WHOLE, LSCHED_ISOLATE_FULL, 1000, 1000},
        {LSCHED_SHARING_FRACTION, LSCHED_ISOLATE_NONE, 1000, 250},
        {LSCHED_SHARING_FRACTION, LSCHED_ISOLATE_MEMORY, 1000, 1000},
        {LSCHED_SHARING_FRACTION, LSCHED_ISOLATE_FULL, 1000, 1000},
        {LSCHED_SHARING_TIME_SLICE, LSCHED_ISOLATE_NONE, 1000, 250},
        {LSCHED_SHARING_TIME_SLICE, LSCHED_ISOLATE_MEMORY, 1000, 1000},
        {LSCHED_SHARING_TIME_SLICE, LSCHED_ISOLATE_FULL, 1000, 1000},
        {LSCHED_SHARING_MPS, LSCHED_ISOLATE_NONE, 1000, 250},
        {LSCHED_SHARING_MPS, LSCHED_ISOLATE_MEMORY, 1000, 250},
        {LSCHED_SHARING_MPS, LSCHED_ISOLATE_MEMORY, 1001, 1000},
        {LSCHED_SHARING_MPS, LSCHED_ISOLATE_FULL, 1000, 1000},
        {LSCHED_SHARING_MIG, LSCHED_ISOLATE_NONE, 1000, 0},
        {LSCHED_SHARING_MIG, LSCHED_ISOLATE_FULL, 1000, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_kind kind = h100;
        struct device_part part = {0};
        kind.mode = cases[i].mode;
        kind.overcommit_milli = cases[i].overcommit;
        struct device_ask ask = {.milli = 250, .isolation = cases[i].isolation};
        int fits = device_part_of(&kind, &ask, &part);
        assert_int_equal(fits, cases[i].milli != 0);
        if (fits) assert_int_equal(part.milli, cases[i].milli);
        ask.milli = 1000;
        assert_int_equal(device_part_of(&kind, &ask, &part), cases[i].mode != LSCHED_SHARING_MIG);
    }
}

static void what_nobody_has(void **state) {
    struct device_kind unknown = {0, 0, 1000, LSCHED_SHARING_FRACTION};
    struct device_part part;
    (void)state;
    assert_false(device_part_of(&h100, &(struct device_ask){.memory = 80 * GIB + 1}, &part));
    assert_false(device_part_of(&h100, &(struct device_ask){.sm_count = 133}, &part));
    assert_false(device_part_of(&unknown, &(struct device_ask){.memory = 1}, &part));
    assert_false(
        device_part_of(&unknown, &(struct device_ask){.milli = 500, .sm_count = 1}, &part));
    assert_true(device_part_of(&unknown, &(struct device_ask){.milli = 500}, &part));
    assert_int_equal(part.memory, 0);
}

/* ---- against the definition ---- */

static uint64_t seed = 20261121;
static uint64_t random_below(uint64_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % n;
}

/* The least number of thousandths that is no less, by counting. */
static uint32_t counted(int64_t amount, int64_t all) {
    uint32_t m = 0;
    while ((wide_i128)all * m < (wide_i128)amount * 1000) m++;
    return m;
}

static void random_requests(void **state) {
    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 20000; i++) {
        struct device_kind kind = {(int64_t)random_below(3) * (int64_t)(1 + random_below(1u << 20)),
                                   (uint32_t)(random_below(2) * (1 + random_below(200))),
                                   1000 + (uint32_t)random_below(2) * 500,
                                   (uint8_t)random_below(5)};
        struct device_ask ask = {
            (uint32_t)random_below(1001), (uint32_t)(random_below(2) * random_below(210)),
            (int64_t)(random_below(2) * random_below(1u << 21)), 0, (uint8_t)random_below(3)};
        if (ask.memory)
            ask.limit = (int64_t)random_below(2) * (ask.memory + (int64_t)random_below(1u << 20));
        struct device_part part = {0}, all = device_part_all(&kind);
        int could = device_part_of(&kind, &ask, &part);
        int enough = ask.memory <= kind.memory && ask.sm_count <= kind.sm_count;
        uint32_t charge = ask.milli,
                 by = ask.memory && enough ? counted(ask.memory, kind.memory) : 0;
        if (by > charge) charge = by;
        by = ask.sm_count && enough ? counted(ask.sm_count, kind.sm_count) : 0;
        if (by > charge) charge = by;
        int alone = ask.isolation > device_isolation(&kind) || charge == 1000;
        assert_int_equal(could, enough && kind.mode != LSCHED_SHARING_MIG &&
                                    (alone || kind.mode != LSCHED_SHARING_WHOLE));
        if (!could) continue;
        assert_int_equal(part.milli, alone ? 1000 : charge ? charge : 1);
        assert_true(device_part_fits(&part, &all));
        assert_true(part.memory >= ask.memory && part.limit >= part.memory);
        assert_true(part.sm_count >= ask.sm_count && part.limit <= kind.memory);
        if (ask.memory) assert_int_equal(part.memory, ask.memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_larger_of_share_memory_and_cores),
        cmocka_unit_test(the_same_request_on_another_device),
        cmocka_unit_test(memory_that_is_not_asked_for),
        cmocka_unit_test(a_limit_is_at_most_the_device),
        cmocka_unit_test(modes_and_isolation),
        cmocka_unit_test(what_nobody_has),
        cmocka_unit_test(random_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
