/*
 * Effective guarantees of siblings: quotas as they are, in proportion where they add up to more
 * than there is, and what an unlimited quota comes to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/share_quota/guarantee.h"

#define ANY LSCHED_UNLIMITED

static struct sibling queues[8];
static uint32_t rows[8];

static void start(uint32_t n, const int64_t *quotas) {
    memset(queues, 0, sizeof queues);
    for (uint32_t i = 0; i < n; i++) {
        queues[i].quota = quotas[i];
        queues[i].limit = ANY;
    }
}

static void assert_guarantees(uint32_t n, const int64_t *expected) {
    for (uint32_t i = 0; i < n; i++)
        if (queues[i].guarantee != expected[i])
            fail_msg("queue %u: expected %lld, found %lld", i, (long long)expected[i],
                     (long long)queues[i].guarantee);
}

static void test_quotas_that_fit_are_guaranteed(void **state) {
    (void)state;
    start(3, (const int64_t[]){10, 0, 20});
    guarantee_divide(queues, 3, 100, 1, 1, rows);
    assert_guarantees(3, (const int64_t[]){10, 0, 20});
    guarantee_divide(queues, 3, 30, 0, 1, rows);
    assert_guarantees(3, (const int64_t[]){10, 0, 20});
    assert_int_equal(queues[0].basis, 10);
    assert_int_equal(queues[1].basis, 0);
}

static void test_more_than_there_is_scales(void **state) {
    (void)state;
    start(3, (const int64_t[]){10, 0, 20});
    guarantee_divide(queues, 3, 15, 1, 1, rows); /* nobody above promised less */
    assert_guarantees(3, (const int64_t[]){10, 0, 20});
    guarantee_divide(queues, 3, 15, 0, 1, rows);
    assert_guarantees(3, (const int64_t[]){5, 0, 10});
    guarantee_divide(queues, 3, 17, 0, 1, rows); /* 5.67, 11.33 */
    assert_guarantees(3, (const int64_t[]){6, 0, 11});
    guarantee_divide(queues, 3, 0, 0, 1, rows);
    assert_guarantees(3, (const int64_t[]){0, 0, 0});
    start(3, (const int64_t[]){8, 8, 8});
    guarantee_divide(queues, 3, 10, 0, 1, rows); /* equal remainders: the oldest */
    assert_guarantees(3, (const int64_t[]){4, 3, 3});
}

static void test_whole_devices_are_guaranteed_whole(void **state) {
    (void)state;
    start(2, (const int64_t[]){8000, 8000});
    guarantee_divide(queues, 2, 9000, 0, 1000, rows);
    assert_guarantees(2, (const int64_t[]){5000, 4000});
    guarantee_divide(queues, 2, 9000, 0, 1, rows);
    assert_guarantees(2, (const int64_t[]){4500, 4500});
}

static void test_unlimited_quotas(void **state) {
    (void)state;
    start(2, (const int64_t[]){ANY, ANY});
    guarantee_divide(queues, 2, 100, 1, 1, rows); /* nobody keeps account */
    assert_guarantees(2, (const int64_t[]){ANY, ANY});
    assert_int_equal(queues[0].basis, 100);
    guarantee_divide(queues, 2, 101, 0, 1, rows); /* the parent does */
    assert_guarantees(2, (const int64_t[]){51, 50});
    start(4, (const int64_t[]){ANY, 30, ANY, 20});
    guarantee_divide(queues, 4, 100, 1, 1, rows); /* others have quotas: unlimited all the same */
    assert_guarantees(4, (const int64_t[]){ANY, 30, ANY, 20});
    assert_int_equal(queues[0].basis, 100);
    assert_int_equal(queues[1].basis, 30);
    guarantee_divide(queues, 4, 100, 0, 1, rows); /* below a parent: what the others leave */
    assert_guarantees(4, (const int64_t[]){25, 30, 25, 20});
    guarantee_divide(queues, 4, 40, 0, 1, rows);
    assert_guarantees(4, (const int64_t[]){0, 24, 0, 16});
    queues[2].limit = 10;
    guarantee_divide(queues, 4, 100, 0, 1, rows); /* what the limit cuts off goes to nobody */
    assert_guarantees(4, (const int64_t[]){25, 30, 10, 20});
}

static void test_amounts_at_the_edge(void **state) {
    (void)state;
    const int64_t most = INT64_C(1) << 62;
    start(4, (const int64_t[]){most, most, most, most});
    guarantee_divide(queues, 4, most, 0, 1, rows);
    assert_guarantees(4, (const int64_t[]){most / 4, most / 4, most / 4, most / 4});
    start(3, (const int64_t[]){most, most - 1, 1});
    guarantee_divide(queues, 3, most - 1, 0, 1, rows);
    assert_int_equal(queues[0].guarantee + queues[1].guarantee + queues[2].guarantee, most - 1);
    assert_true(queues[2].guarantee <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotas_that_fit_are_guaranteed),
        cmocka_unit_test(test_more_than_there_is_scales),
        cmocka_unit_test(test_whole_devices_are_guaranteed_whole),
        cmocka_unit_test(test_unlimited_quotas),
        cmocka_unit_test(test_amounts_at_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
