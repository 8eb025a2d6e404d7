/* The four order algorithms: which of two jobs goes first, at the ends of the ranges too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "algorithms/builtin.h"

enum { JOBS = 5 };

static const int32_t priority[JOBS] = {0, INT32_MAX, INT32_MIN, 7, -7};
static const int64_t submit_us[JOBS] = {50, 40, 30, 20, 10};
static const int64_t duration_us[JOBS] = {0, 3600, 60, INT64_MAX - 1, 1};
static const int64_t deadline_us[JOBS] = {100, 0, 99, INT64_MAX - 1, 0};

/* Keys of all jobs, asked for in reverse rows: keys[i] belongs to jobs[i], not to row i. */
static void keys_of(const lsched_algorithm *algorithm, int64_t *by_row) {
    const lsched_view view = {.size = sizeof view,
                              .now_us = 1000000,
                              .n_jobs = JOBS,
                              .job_priority = priority,
                              .job_submit_us = submit_us,
                              .job_duration_us = duration_us,
                              .job_deadline_us = deadline_us};
    const uint32_t rows[JOBS] = {4, 3, 2, 1, 0};
    int64_t keys[JOBS];
    assert_int_equal(algorithm->role, LSCHED_ROLE_ORDER);
    assert_int_equal(algorithm->api, LSCHED_ALGORITHM_API);
    assert_false(algorithm->order->uses_now);
    assert_int_equal(algorithm->order->keys(NULL, &view, rows, JOBS, keys), LSCHED_OK);
    for (int i = 0; i < JOBS; i++) by_row[rows[i]] = keys[i];
}

static void assert_order(const lsched_algorithm *algorithm, const int *first_to_last) {
    int64_t key[JOBS];
    keys_of(algorithm, key);
    for (int i = 1; i < JOBS; i++) assert_true(key[first_to_last[i - 1]] <= key[first_to_last[i]]);
}

static void test_priority_higher_first(void **state) {
    (void)state;
    assert_string_equal(order_priority.name, "priority");
    assert_order(&order_priority, (const int[]){1, 3, 0, 4, 2});
    int64_t key[JOBS];
    keys_of(&order_priority, key);
    assert_true(key[1] < key[3] && key[3] < key[0] && key[0] < key[4] && key[4] < key[2]);
}

static void test_fifo_leaves_it_to_submission_time(void **state) {
    (void)state;
    int64_t key[JOBS];
    assert_string_equal(order_fifo.name, "fifo");
    keys_of(&order_fifo, key);
    for (int i = 1; i < JOBS; i++) assert_int_equal(key[i], key[0]);
}

static void test_shortest_first_unknown_last(void **state) {
    (void)state;
    assert_string_equal(order_shortest_first.name, "shortest-first");
    assert_order(&order_shortest_first, (const int[]){4, 2, 1, 3, 0});
    int64_t key[JOBS];
    keys_of(&order_shortest_first, key);
    assert_true(key[3] < key[0]); /* the longest known goes before the unknown */
}

static void test_deadline_earliest_first_none_last(void **state) {
    (void)state;
    assert_string_equal(order_deadline.name, "deadline");
    assert_order(&order_deadline, (const int[]){2, 0, 3, 1, 4});
    int64_t key[JOBS];
    keys_of(&order_deadline, key);
    assert_true(key[3] < key[1]);
    assert_int_equal(key[1], key[4]);
    assert_true(key[2] < key[0]); /* both have passed: still the earliest */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_priority_higher_first),
        cmocka_unit_test(test_fifo_leaves_it_to_submission_time),
        cmocka_unit_test(test_shortest_first_unknown_last),
        cmocka_unit_test(test_deadline_earliest_first_none_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
