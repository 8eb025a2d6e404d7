/*
 * test_absence_searches.c -- what a search for work to stop or to move costs while nodes are to
 * leave, in steps.
 *
 * The cluster is full but for one GPU, which no waiting job can use and to which no work can move:
 * its node leaves too early, or has a taint. Both worlds are alike otherwise, so a search of the
 * first one may cost little more than a search of the second one, in clusters of any size. In the
 * first world, all nodes leave each day, and the others stay long enough.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

enum { GPUS = 4, NODES_MAX = 256, SIZES = 3 };
#define NOW    INT64_C(1700000000000000)
#define MINUTE INT64_C(60000000)

struct case_of {
    const char *pipeline, *share;
    int32_t priority;     /* of the waiting jobs */
    const char *waits_in; /* their queue */
};

static void add_nodes(lsched_cluster *c, uint32_t n, int leave) {
    lsched_amount capacity[] = {{LSCHED_CPU, 0, 64000}};
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_taint taint = {.key = LSCHED_TEXT("kept"), .effect = LSCHED_TAINT_NO_START};
    gpus.count = GPUS;
    gpus.model = LSCHED_TEXT("H100-80GB");
    gpus.memory_bytes = (int64_t)80 << 30;
    for (uint32_t i = 0; i < n; i++) {
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        char name[16];
        snprintf(name, sizeof name, "n%03u", i);
        d.name = lsched_cstr(name);
        d.capacity = capacity;
        d.n_capacity = 1;
        d.devices = &gpus;
        d.n_devices = 1;
        if (leave) {
            d.leaves_us = NOW + (i ? 600 : 30) * MINUTE + i;
            d.back_us = d.leaves_us + 60 * MINUTE;
            d.leaves_every_us = 1440 * MINUTE;
        } else if (i == 0) {
            d.taints = &taint;
            d.n_taints = 1;
        }
        assert_int_equal(lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
    }
}

static lsched_id add_job(lsched_cluster *c, const char *name, const char *queue, int64_t cpu,
                         int32_t priority) {
    lsched_amount asks[] = {{LSCHED_CPU, 0, cpu}, {LSCHED_GPU, 0, 1000}};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    g.request = asks;
    g.n_request = 2;
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.priority = priority;
    d.duration_us = 60 * MINUTE;
    assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, &id, NULL, NULL), 1);
    return id;
}

/* Lets a job run on each GPU but one of the first node. */
static void fill(lsched_cluster *c, uint32_t n) {
    for (uint32_t i = 1; i < n * GPUS; i++) {
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        char name[16], node[16];
        snprintf(name, sizeof name, "r%04u", i);
        snprintf(node, sizeof node, "n%03u", i / GPUS);
        t.job = add_job(c, name, "runs", 1000, 0);
        t.node = lsched_find(c, LSCHED_KIND_NODE, lsched_cstr(node));
        t.start_us = NOW - 10 * MINUTE;
        assert_int_equal(lsched_tasks_import(c, &t, 1, sizeof t, NULL, NULL, NULL), 1);
    }
}

/* Runs a cycle; returns its steps. */
static uint64_t cycle(lsched_cluster *c, int64_t now, uint64_t *decisions) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan;
    opts.now_us = now;
    assert_int_equal(lsched_schedule(c, &opts, &plan, NULL), LSCHED_OK);
    lsched_plan_get(plan, &info, NULL);
    lsched_plan_destroy(plan);
    *decisions = info.decisions;
    return info.steps;
}

/* Returns the steps of the cycle after a job of another shape was submitted. */
static uint64_t steps_of(const struct case_of *o, uint32_t nodes, int leave, uint64_t *decisions) {
    lsched_cluster *c;
    lsched_queue_desc q[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    char text[256];
    uint64_t before;
    snprintf(text, sizeof text,
             "return { api = 1, name = 'p', fair_share = '%s', pipeline = { %s } }\n", o->share,
             o->pipeline);
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    assert_true(lsched_policy_load(c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, NULL) >= 0);
    q[0].name = LSCHED_TEXT("runs");
    q[1].name = LSCHED_TEXT("waits");
    assert_int_equal(lsched_queues_add(c, q, 2, sizeof q[0], NULL, NULL, NULL, NULL), 2);
    add_nodes(c, nodes, leave);
    fill(c, nodes);
    (void)add_job(c, "first", o->waits_in, 1000, o->priority);
    (void)cycle(c, NOW, &before);
    (void)add_job(c, "second", o->waits_in, 1001, o->priority);
    uint64_t steps = cycle(c, NOW + 1000, decisions);
    lsched_cluster_destroy(c);
    return steps;
}

static void a_search_costs_as_much_as_without_absences(void **state) {
    static const struct case_of cases[] = {
        {"'allocate', 'consolidate'", "drf", 0, "waits"},
        {"'allocate', 'reclaim'", "drf", 0, "waits"},
        {"'allocate', 'preempt'", "drf", 1, "runs"},
        {"'allocate', 'consolidate', 'reclaim', 'preempt'", "drf", 1, "runs"},
        {"'allocate', 'consolidate', 'reclaim', 'preempt'", "drf", 0, "waits"},
        {"'allocate', 'consolidate', 'reclaim', 'preempt'", "quota", 0, "waits"},
    };
    static const uint32_t sizes[SIZES] = {16, 64, NODES_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t s = 0; s < SIZES; s++) {
            uint64_t here, there;
            uint64_t leaves = steps_of(&cases[i], sizes[s], 1, &here),
                     stays = steps_of(&cases[i], sizes[s], 0, &there);
            print_message("%s by %s, %u nodes: %llu steps, %llu without absences; %llu decisions\n",
                          cases[i].pipeline, cases[i].share, sizes[s], (unsigned long long)leaves,
                          (unsigned long long)stays, (unsigned long long)here);
            assert_int_equal(here, there);
            if (leaves > stays + stays / 4 + 500)
                fail_msg("%llu steps, %llu without absences", (unsigned long long)leaves,
                         (unsigned long long)stays);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_costs_as_much_as_without_absences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
