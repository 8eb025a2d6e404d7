/*
 * test_hook_values.c -- hooks that read values of a job: jobs with equal values share what is known
 * of the nodes, jobs with other values do not, and the end of a task costs no look at all nodes for
 * each waiting job.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/growth_world.h"
#include "support/job_priority.h"

static void load(struct growth_world *w, const char *policy) {
    growth_must(w, lsched_policy_load(w->c, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &w->err));
}

static lsched_id submit(struct growth_world *w, uint32_t number, int64_t hours, int32_t priority) {
    char name[16];
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_id id;
    snprintf(name, sizeof name, "j%05u", number);
    g.request = &cpu;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.duration_us = hours * INT64_C(3600000000);
    d.priority = priority;
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &id, NULL, &w->err));
    return id;
}

static void end(struct growth_world *w, lsched_id job) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = job;
    e.event = LSCHED_EVENT_ENDED;
    growth_must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &w->err));
}

/* Returns the number in the name of the node on which the job runs, -1 if it waits. */
static int node_of(struct growth_world *w, lsched_id job) {
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    size_t len;
    if (lsched_tasks_next(w->c, job, 0, &cursor, &info, NULL) != 1) return -1;
    const char *name = lsched_name(w->c, info.node, &len);
    return name ? atoi(name + 1) : -1;
}

/* Short jobs go to the first of the nodes, long ones to the last. */
static const char by_length[] = "return { api = 1, name = 'p', placement = 'binpack',\n"
                                "  score = function(job, node)\n"
                                "    if job.duration > 7200 then return node.price end\n"
                                "    return -node.price end }";

static void test_values_tell_jobs_apart(void **state) {
    enum { NODES = 40, JOBS = 12 };
    struct growth_world w;
    lsched_id job[JOBS];
    (void)state;
    growth_open(&w);
    load(&w, by_length);
    growth_priced_nodes(&w, NODES, JOBS, 1000000);
    growth_queue(&w, "q", 1000);
    for (uint32_t i = 0; i < JOBS; i++) job[i] = submit(&w, i, i % 2 ? 3 : 1, 0);
    growth_cycle(&w);
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(node_of(&w, job[i]), i % 2 ? NODES - 1 : 0);
    lsched_cluster_destroy(w.c);
}

/* The same job is asked about with the value that it has now. */
static void test_changed_value(void **state) {
    static const char urgent_only[] =
        "return { api = 1, name = 'p', placement = 'binpack',\n"
        "  filter = function(job, node) return job.priority > 0 end }";
    struct growth_world w;
    (void)state;
    growth_open(&w);
    load(&w, urgent_only);
    growth_priced_nodes(&w, 4, 8, 1000000);
    growth_queue(&w, "q", 1000);
    lsched_id low = submit(&w, 0, 1, 0), other = submit(&w, 1, 1, 0);
    growth_cycle(&w);
    assert_int_equal(node_of(&w, low), -1);
    growth_must(&w, job_priority_set(w.c, low, 1, &w.err));
    w.now_us += 60000000;
    growth_cycle(&w);
    assert_true(node_of(&w, low) >= 0);
    assert_int_equal(node_of(&w, other), -1);
    lsched_cluster_destroy(w.c);
}

/* The filter lets only short jobs to most nodes; nodes and waiting jobs grow together. Returns the
 * steps of the latest of some cycles in which a task has ended and one job starts. */
static uint64_t steps_of_end(const char *policy, uint32_t nodes, uint32_t jobs) {
    struct growth_world w;
    uint64_t steps = 0;
    growth_open(&w);
    load(&w, policy);
    growth_priced_nodes(&w, nodes, 1, 1000000);
    growth_queue(&w, "q", nodes);
    lsched_id *running = malloc(nodes * sizeof *running);
    assert_non_null(running);
    for (uint32_t i = 0; i < nodes; i++) running[i] = submit(&w, i, 1, 0);
    growth_cycle(&w);
    for (uint32_t i = 0; i < jobs; i++) submit(&w, nodes + i, 1 + i % 2, 0);
    growth_cycle(&w);
    for (uint32_t i = 0; i < 4; i++) {
        end(&w, running[i]);
        steps = growth_cycle(&w);
    }
    free(running);
    lsched_cluster_destroy(w.c);
    return steps;
}

static void test_end_of_a_task(void **state) {
    static const char *const policies[] = {
        "return { api = 1, name = 'p', placement = 'binpack',\n"
        "  filter = function(job, node) return node.price < 3 or job.duration <= 7200 end }",
        by_length,
        "return { api = 1, name = 'p', placement = 'binpack', score = function(job, node)\n"
        "    return job.queue == 'q' and job.tasks - node.price or job.priority end }"};
    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        uint64_t few = steps_of_end(policies[i], 64, 64),
                 many = steps_of_end(policies[i], 512, 512);
        print_message("policy %zu: %llu steps, in a cluster of eight times the size %llu\n", i,
                      (unsigned long long)few, (unsigned long long)many);
        assert_true(many <= 2 * few);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values_tell_jobs_apart),
                                       cmocka_unit_test(test_changed_value),
                                       cmocka_unit_test(test_end_of_a_task)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
