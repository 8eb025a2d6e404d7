/* test_verify_arrays.c -- damaged job arrays: each is refused by the check that is meant for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "engine/state/cluster.h"
#include "model/arrays/array.h"
#include "model/shapes/job_states.h"
#include "support/verify_refused.h"

static lsched_cluster *cluster;
#define K (&cluster->k)

static void submit(const char *name, uint32_t count) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    g.request = &cpu;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.array_count = count;
    assert_int_equal(lsched_jobs_submit(cluster, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
}

/* Of the array "sweep", two elements are placed, and a third one waits as a job. All elements of
 * "short" have begun. */
static int open_world(void **unused) {
    (void)unused;
    lsched_amount cpu = {LSCHED_CPU, 0, 4000};
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    n.name = LSCHED_TEXT("n");
    n.capacity = &cpu;
    n.n_capacity = 1;
    q.name = LSCHED_TEXT("q");
    if (lsched_cluster_create(NULL, &cluster, NULL) != LSCHED_OK) return 1;
    if (lsched_nodes_add(cluster, &n, 1, sizeof n, NULL, NULL, NULL, NULL) != 1) return 1;
    if (lsched_queues_add(cluster, &q, 1, sizeof q, NULL, NULL, NULL, NULL) != 1) return 1;
    submit("short", 2);
    submit("sweep", 20);
    submit("other#1", 0);
    o.now_us = 1000000;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    int32_t rc = lsched_schedule(cluster, &o, &plan, NULL);
    lsched_plan_destroy(plan);
    return rc != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    lsched_cluster_destroy(cluster);
    return 0;
}

static uint32_t named(const char *name) {
    uint32_t job = name_find(K, T_IX_JOB, name, strlen(name));
    assert_int_not_equal(job, NO_ROW);
    return job;
}

static uint32_t sweep(void) {
    return K->c[C_JOB_ARRAY].u32[named("sweep")];
}

static void the_world_is_sound(void **unused) {
    (void)unused;
    verify_sound(K);
    assert_int_equal(K->c[C_ARRAY_NEXT].u32[sweep()],
                     2 + (name_find(K, T_IX_JOB, "sweep#02", 8) != NO_ROW));
    assert_int_equal(array_weight(K, named("short")), 0);
}

static void a_wrong_phase_is_found(void **unused) {
    (void)unused;
    K->c[C_JOB_PHASE].u8[named("short")] = 3;
    verify_refused(K, "is in phase 3, and 0 of its elements have not begun");
}

/* An element that runs is taken for the array, and the array for another job. */
static void an_array_with_tasks_is_found(void **unused) {
    (void)unused;
    uint32_t array = named("short"), element = named("short#0");
    K->c[C_ARRAY_JOB].u32[K->c[C_JOB_ARRAY].u32[array]] = element;
    K->c[C_JOB_ARRAY].u32[array] = NO_ROW;
    K->c[C_JOB_PHASE].u8[array] = JOB_FULL;
    K->c[C_JOB_PHASE].u8[element] = JOB_ARRAY;
    verify_refused(K, "is an array and has tasks itself");
}

static void an_element_of_another_array_is_found(void **unused) {
    (void)unused;
    K->c[C_JOB_ARRAY].u32[named("sweep#00")] = K->c[C_JOB_ARRAY].u32[named("short")];
    verify_refused(K, "has not the name of an element of its array");
}

static void an_array_of_another_job_is_found(void **unused) {
    (void)unused;
    K->c[C_ARRAY_JOB].u32[K->c[C_JOB_ARRAY].u32[named("short")]] = named("other#1");
    verify_refused(K, "is not that of its job");
}

static void too_many_elements_are_found(void **unused) {
    (void)unused;
    K->c[C_ARRAY_COUNT].u32[K->c[C_JOB_ARRAY].u32[named("short")]] = LSCHED_ARRAY_COUNT_MAX + 1;
    verify_refused(K, "elements, of which");
}

static void wrong_counts_are_found(void **unused) {
    (void)unused;
    K->c[C_ARRAY_SUCCEEDED].u32[sweep()] = 7;
    verify_refused(K, "elements with jobs and 7 successes");
}

static void wrong_numbers_are_found(void **unused) {
    (void)unused;
    set_meta(K, M_NUMBERED, 0);
    verify_refused(K, "have names like those of elements");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_world_is_sound),
        TEST(a_wrong_phase_is_found),
        TEST(an_array_with_tasks_is_found),
        TEST(an_element_of_another_array_is_found),
        TEST(an_array_of_another_job_is_found),
        TEST(too_many_elements_are_found),
        TEST(wrong_counts_are_found),
        TEST(wrong_numbers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
