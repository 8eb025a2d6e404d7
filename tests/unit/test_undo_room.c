/* The largest step between two calls of undo_room() fits what undo_room() promises, at every limit at once: all resource kinds, the
 * deepest queues, all quota kinds of one model, lend limits and remembered use. Past the promise a write would leave the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "model/jobs/releasing.h"
#include "model/jobs/task.h"
#include "model/jobs/task_row.h"
#include "model/resizes/resize.h"
#include "support/settle.h"

static lsched_cluster *cluster;
static lsched_amount all[LSCHED_RESOURCE_KINDS_MAX];
static uint32_t n_all;
static char queues[LSCHED_QUEUE_DEPTH_MAX][8];

static void good(int32_t code) {
    assert_true(code >= 0);
}

static void add_kinds(void) {
    char name[16];
    for (uint32_t i = LSCHED_GPU + 1; i < LSCHED_RESOURCE_KINDS_MAX; i++) {
        snprintf(name, sizeof name, "kind%u", i);
        good(lsched_resource_add(cluster, lsched_cstr(name), NULL));
    }
    for (uint32_t i = 0; i < LSCHED_RESOURCE_PARTS_MAX; i++) {
        snprintf(name, sizeof name, "model%u", i);
        lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
        part.name = lsched_cstr(name), part.model = LSCHED_TEXT("H100");
        good(lsched_resource_add_part(cluster, &part, NULL));
    }
    n_all = 0;
    for (uint32_t r = 1; r < LSCHED_RESOURCE_KINDS_MAX; r++)
        all[n_all++] = (lsched_amount){r, 0, r == LSCHED_GPU ? 8000 : 10};
}

static void add_node(void) {
    lsched_amount capacity[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_all; i++)
        if (all[i].kind != LSCHED_GPU) capacity[n] = all[i], capacity[n++].amount = 1000;
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    devices.count = LSCHED_DEVICES_PER_NODE_MAX;
    devices.model = LSCHED_TEXT("H100");
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    d.name = LSCHED_TEXT("n");
    d.capacity = capacity;
    d.n_capacity = n;
    d.devices = &devices;
    d.n_devices = 1;
    good(lsched_nodes_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, NULL));
}

static void add_queues(void) {
    lsched_amount none[LSCHED_RESOURCE_KINDS_MAX];
    memcpy(none, all, sizeof none);
    for (uint32_t i = 0; i < n_all; i++) none[i].amount = 0;
    for (uint32_t i = 0; i < LSCHED_QUEUE_DEPTH_MAX; i++) {
        snprintf(queues[i], sizeof queues[i], "q%u", i);
        lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
        d.name = lsched_cstr(queues[i]);
        if (i) d.parent_name = lsched_cstr(queues[i - 1]);
        d.quota = all;
        d.n_quota = n_all;
        d.lend_limit = none;
        d.n_lend_limit = n_all;
        good(lsched_queues_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, NULL));
    }
}

static void add_job(void) {
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = all;
    g.n_request = n_all;
    g.max_count = 2;
    g.min_count = 1;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = LSCHED_TEXT("j");
    d.queue_name = lsched_cstr(queues[LSCHED_QUEUE_DEPTH_MAX - 1]);
    d.groups = &g;
    d.n_groups = 1;
    d.flags = LSCHED_JOB_NON_PREEMPTIBLE;
    good(lsched_jobs_submit(cluster, &d, 1, sizeof d, NULL, NULL, NULL, NULL));
}

static lsched_plan *cycle(int64_t now) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan *plan = NULL;
    good(lsched_schedule(cluster, &opts, &plan, NULL));
    return plan;
}

static void start_all(void) {
    lsched_plan *plan = cycle(1000000);
    assert_true(lsched_plan_size(plan) > 0);
    const lsched_decision *d = lsched_plan_at(plan, 0);
    lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = d->job;
    e.task_index = d->task_index;
    assert_int_equal(d->task_index, 0);
    e.event = LSCHED_EVENT_STARTED;
    good(settle_each(cluster, &d->id, &how, 1, NULL, NULL));
    good(lsched_tasks_report(cluster, &e, 1, sizeof e, NULL, NULL, NULL));
    lsched_plan_destroy(plan);
}

/* Records of one step, which began with undo_room. */
static size_t records, most;
static void begin_step(void) {
    assert_int_equal(undo_room(&cluster->k), LSCHED_OK);
    records = cluster->k.undo_n;
}
static void end_step(const char *what) {
    size_t n = cluster->k.undo_n - records;
    print_message("%s: %zu records\n", what, n);
    if (n > most) most = n;
}

/* A resize of all kinds is proposed and confirmed, so that the task has a size of its own. Each of
 * its steps asks for room on its way: an assertion of undo_log() fails if one does not. */
static void resize_steps(uint32_t task) {
    struct columns *k = &cluster->k;
    int64_t amount[KINDS_MAX] = {0};
    uint32_t decision;
    for (uint32_t r = 1; r < LSCHED_RESOURCE_KINDS_MAX; r++)
        if (r != LSCHED_GPU) amount[r] = 12;
    amount[LSCHED_GPU] = k->c[C_SHAPE_REQ + LSCHED_GPU].i64[task_shape(k, task)];
    assert_int_equal(undo_room(k), LSCHED_OK);
    assert_int_equal(resize_want(k, task, amount, 2000000), LSCHED_OK);
    assert_int_equal(resize_propose(k, task_size_row(k, task), 98, 2000000, &decision), LSCHED_OK);
    assert_int_equal(resize_confirm(k, task), LSCHED_OK);
}

static void the_largest_step_fits(void **unused) {
    (void)unused;
    static const char policy[] =
        "return { api = 1, name = 'p', fair_share = 'quota', usage = { half_life = 100 } }";
    good(lsched_cluster_create(NULL, &cluster, NULL));
    good(lsched_policy_load(cluster, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, NULL));
    add_kinds();
    add_node();
    add_queues();
    add_job();
    start_all();
    struct columns *k = &cluster->k;
    uint32_t job = name_find(k, T_IX_JOB, "j", 1), task = task_find(k, job, 0), releasing, decision;
    assert_int_equal(undo_begin(k), LSCHED_OK);
    set_meta(k, M_NOW, 2000000); /* use is settled anew */
    resize_steps(task);
    begin_step();
    struct evict_spec evict = {.now = 2000000, .release_at = 3000000, .group = 99};
    assert_int_equal(task_evict(k, task, &evict, &releasing, &decision), LSCHED_OK);
    end_step("evict");
    set_meta(k, M_NOW, 3000000);
    begin_step();
    assert_int_equal(releasing_restore(k, releasing), LSCHED_OK);
    end_step("restore");
    set_meta(k, M_NOW, 4000000);
    begin_step();
    task_release(k, task, LSCHED_TASK_DONE);
    end_step("release");
    assert_true(most > LIMIT_UNDO_SPARE / 4); /* the test reaches what it means to */
    assert_true(most <= LIMIT_UNDO_SPARE);
    undo_rollback(k, 0);
    undo_end(k);
    assert_int_equal(lsched_verify(cluster, NULL, NULL), 0);
    lsched_cluster_destroy(cluster);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_largest_step_fits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
