/* A firm start loses its room to a job for which the action preempt stops work: a claim of this job
 * is on the node from then on. The change feed tells the loss with the reason CLAIM, the node and
 * the time that was firm, and the job gets the earliest start behind the claim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libsched/changes.h>
#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "support/settle.h"

#define MINUTE INT64_C(60000000)
#define START  INT64_C(1700000000000000)

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int64_t code) {
    if (code < 0) print_message("%lld %s\n", (long long)code, err.message);
    assert_true(code >= 0);
}

static lsched_id submit(lsched_cluster *c, const char *name, int64_t cores, int64_t length,
                        int32_t priority) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * cores};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &cpu;
    group.n_request = 1;
    group.max_count = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = START;
    job.duration_us = length;
    job.priority = priority;
    must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static lsched_id run(lsched_cluster *c, const char *name, int64_t cores, int32_t priority) {
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    lsched_id job = submit(c, name, cores, 60 * MINUTE, priority);
    task.job = job;
    task.start_us = START;
    task.node_name = LSCHED_TEXT("n");
    must(lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err));
    return job;
}

/* A node of 10 cores, of which work of priority 0 has six, and work of priority 1 has four. */
static lsched_cluster *make(void) {
    lsched_cluster *c;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 10000};
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.verify_every_plan = 1;
    must(lsched_cluster_create(&opts, &c, &err));
    must(lsched_policy_load(c, LSCHED_TEXT("p"),
                            LSCHED_TEXT("return { api = 1, name = 'p', order = 'priority', "
                                        "pipeline = { 'backfill', 'preempt' }, params = { "
                                        "backfill_reservations = 0, backfill_firm = 2 } }"),
                            NULL, &err));
    queue.name = LSCHED_TEXT("q");
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    node.name = LSCHED_TEXT("n");
    node.capacity = &cpu;
    node.n_capacity = 1;
    must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err));
    run(c, "low", 6, 0);
    run(c, "mid", 4, 1);
    return c;
}

/* Makes one cycle and confirms its decisions. Returns the number of nominations. */
static uint32_t cycle(lsched_cluster *c, int64_t now) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    uint32_t nominated = 0;
    opts.now_us = now;
    must(lsched_schedule(c, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        nominated += d->kind == LSCHED_DECIDE_NOMINATE;
        must(settle_each(c, &d->id, &how, 1, NULL, &err));
    }
    lsched_plan_destroy(plan);
    return nominated;
}

static int64_t firm_at(lsched_cluster *c, lsched_id job) {
    lsched_waiting why = {.size = sizeof why};
    must(lsched_waiting_get(c, job, &why, &err));
    return why.firm_us;
}

static void test_a_claim_takes_a_firm_start(void **state) {
    lsched_cluster *c = make();
    lsched_change change = {.size = sizeof change};
    uint32_t lost = 0;
    (void)state;
    lsched_id wide = submit(c, "wide", 10, 20 * MINUTE, 0);
    cycle(c, START + MINUTE);
    assert_true(firm_at(c, wide) == START + 60 * MINUTE);
    submit(c, "high", 6, 90 * MINUTE, 5);
    assert_int_equal(cycle(c, START + 10 * MINUTE), 1);
    /* the claim came after the plan of this cycle was made */
    assert_true(firm_at(c, wide) == START + 60 * MINUTE);
    uint64_t cursor = lsched_changes_end(c);
    cycle(c, START + 11 * MINUTE);
    while (lsched_changes_next(c, &cursor, &change, &err) == 1) {
        if (change.kind != LSCHED_CHANGE_FIRM_LOST) continue;
        assert_true(change.job == wide && change.because == LSCHED_BECAUSE_CLAIM);
        assert_true(change.until_us == START + 60 * MINUTE);
        assert_true(change.node == lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("n")));
        lost++;
    }
    assert_int_equal(lost, 1);
    assert_true(firm_at(c, wide) > START + 60 * MINUTE);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_claim_takes_a_firm_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
