/* What tenants can make many does not cost by the square: steps of n, 2n and 4n stay near n log n. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/growth_world.h"

/* n log n from n to 4n is a factor of 4 x (1 + 2 / log2 n): below 5 from n = 256 on. The square is 16. */
static void holds_n_log_n(const char *what, uint64_t (*world)(uint32_t n), uint32_t n) {
    uint64_t one = world(n), two = world(2 * n), four = world(4 * n);
    print_message("%s: %llu, %llu, %llu steps for %u, %u, %u\n", what, (unsigned long long)one,
                  (unsigned long long)two, (unsigned long long)four, n, 2 * n, 4 * n);
    assert_true(one >= n); /* else nothing was counted */
    assert_true(four <= 5 * one);
}

static void test_gangs(void **state) {
    (void)state;
    holds_n_log_n("units of gangs", growth_gangs, 1024);
}

static void test_reports(void **state) {
    (void)state;
    holds_n_log_n("reports of an evicted gang", growth_reports, 1024);
}

static void test_victims(void **state) {
    (void)state;
    holds_n_log_n("victims below a parent's limit", growth_victims, 512);
}

static void test_needless(void **state) {
    (void)state;
    holds_n_log_n("unsettled evictions", growth_needless, 512);
}

static void test_waiting_queues(void **state) {
    (void)state;
    holds_n_log_n("waiting queues, drf", growth_waiting_drf, 512);
    holds_n_log_n("waiting queues, quota", growth_waiting_quota, 512);
}

static void test_users(void **state) {
    (void)state;
    holds_n_log_n("waiting users", growth_users, 512);
}

static void test_terms(void **state) {
    (void)state;
    holds_n_log_n("distinct terms about jobs", growth_terms, 512);
    holds_n_log_n("terms with a label that everybody has", growth_term_pairs, 256);
}

static void test_exclusive(void **state) {
    (void)state;
    holds_n_log_n("racks that belong to other jobs", growth_exclusive, 1024);
    holds_n_log_n("tasks that leave a rack for one job", growth_exclusive_victims, 512);
}

static void test_actions(void **state) {
    (void)state;
    holds_n_log_n("unsettled places on a node that drains", growth_drained, 512);
    holds_n_log_n("jobs that run on a node that drains", growth_drain_turns, 512);
    holds_n_log_n("tasks of one job that others make room for", growth_elastic, 512);
    holds_n_log_n("stale gangs", growth_stale, 512);
    holds_n_log_n("users beside what is owed", growth_owed, 512);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gangs),          cmocka_unit_test(test_reports),
        cmocka_unit_test(test_victims),        cmocka_unit_test(test_needless),
        cmocka_unit_test(test_waiting_queues), cmocka_unit_test(test_users),
        cmocka_unit_test(test_terms),          cmocka_unit_test(test_exclusive),
        cmocka_unit_test(test_actions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
