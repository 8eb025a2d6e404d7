/*
 * test_changes_asked.c -- what the change feed tells of each call that ends, removes, loses or releases
 * something, and what it leaves out because the call asked for it (changes.h). Each case is a call in a
 * world of its own, with all records that the call makes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/counted.h"
#include "support/settle.h"
#include "support/api_case.h"

static uint64_t from; /* cursor before the call in question */

#define MUST(call)                                              \
    do {                                                        \
        if ((call) < 0) fail_msg("%s: %s", #call, err.message); \
    } while (0)

/* All records since `from`, a line each: "job[task] kind because call". */
static const char *told(void) {
    static char text[4096];
    lsched_change c = {.size = sizeof c};
    size_t n = 0;
    int32_t rc;
    text[0] = 0;
    while ((rc = lsched_changes_next(world.cluster, &from, &c, &err)) == 1) {
        char task[24] = "";
        if (c.task_index != LSCHED_NO_TASK)
            snprintf(task, sizeof task, "[%lld]", (long long)c.task_index);
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s%s %s %s %s\n", (int)c.job_name.len,
                              c.job_name.ptr, task, lsched_change_name(c.kind),
                              lsched_because_name(c.because), lsched_call_name(c.call));
        assert_true(n < sizeof text);
    }
    assert_int_equal(rc, 0);
    return text;
}

static void begin(void) {
    from = lsched_changes_end(world.cluster);
}

static lsched_id submit(const char *name, uint32_t count, uint32_t min) {
    lsched_group_desc group = api_group(count);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    group.min_count = min;
    MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static void cycle(void) {
    MUST(api_cycle(world.cluster, world.now_us += 1000000, NULL));
}

static int32_t report(lsched_id job, uint32_t index, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = index;
    return lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err);
}

/* A job of which `running` tasks run; if there are more, the others are proposed. */
static lsched_id job_with(const char *name, uint32_t count, uint32_t min, uint32_t running) {
    lsched_id job = submit(name, count, min);
    cycle();
    for (uint32_t i = 0; i < running; i++) MUST(report(job, i, LSCHED_EVENT_STARTED));
    return job;
}

static lsched_id open_decision(lsched_id job, uint32_t state) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    while (lsched_tasks_next(world.cluster, job, 0, &cursor, &t, NULL) == 1)
        if (t.state == state) return t.decision;
    fail_msg("no open decision");
    return 0;
}

/* ---- ends that the host asks for ---- */

static void the_end_of_a_task(void **state) {
    (void)state;
    lsched_id job = job_with("elastic", 4, 1, 4);
    begin();
    MUST(report(job, 2, LSCHED_EVENT_ENDED));
    assert_string_equal(told(), "");
    MUST(report(job, 1, LSCHED_EVENT_FAILED));
    assert_string_equal(told(), "");
    MUST(report(world.busy, 0, LSCHED_EVENT_ENDED)); /* a rule ends the job with its last task */
    assert_string_equal(told(), "busy ended job tasks-report\n");
}

static void the_end_of_a_gang_member(void **state) {
    (void)state;
    lsched_id job = job_with("gang", 3, 3, 1);
    begin();
    MUST(report(job, 0, LSCHED_EVENT_FAILED));
    assert_string_equal(told(), "gang[2] withdrawn gang tasks-report\n"
                                "gang[1] withdrawn gang tasks-report\n");
    job = job_with("pair", 2, 2, 2);
    begin();
    MUST(report(job, 0, LSCHED_EVENT_FAILED));
    assert_string_equal(told(), "pair stale gang tasks-report\n");
    cycle();
    MUST(report(job, 0, LSCHED_EVENT_STARTED));
    assert_string_equal(told(), "pair repaired gang schedule\n");
}

static void a_job_is_removed(void **state) {
    (void)state;
    lsched_id jobs[] = {job_with("elastic", 4, 1, 2), world.open, world.later};
    begin();
    MUST(lsched_jobs_remove(world.cluster, jobs, 3, NULL, NULL, &err));
    assert_string_equal(told(), "");
}

/* Tasks that run, that are proposed, that wait and that stop: all of them end with the job, and none is
 * lost. */
static void a_job_is_completed(void **state) {
    (void)state;
    lsched_id jobs[] = {job_with("elastic", 6, 1, 3), job_with("even", 2, 2, 2)};
    lsched_counters before = counted(world.cluster), after;
    MUST(report(jobs[0], 1, LSCHED_EVENT_ENDED));
    before = counted(world.cluster);
    begin();
    MUST(lsched_jobs_complete(world.cluster, jobs, 2, NULL, NULL, &err));
    assert_string_equal(told(), "");
    after = counted(world.cluster);
    assert_int_equal(after.ended, before.ended + 4); /* 2 tasks of each job ran */
    assert_memory_equal(after.changes, before.changes, sizeof after.changes);
    assert_int_equal(after.removed, before.removed);
}

static void a_task_that_stops_ends_with_its_completed_job(void **state) {
    (void)state;
    lsched_id job = submit("leaves", 3, 1);
    lsched_task_import m[2] = {LSCHED_TASK_IMPORT_INIT, LSCHED_TASK_IMPORT_INIT};
    for (uint32_t i = 0; i < 2; i++) {
        m[i].job = job;
        m[i].task_index = i;
        m[i].node = world.nodes[1];
        m[i].start_us = world.now_us;
    }
    m[1].state = LSCHED_TASK_RELEASING;
    MUST(lsched_tasks_import(world.cluster, m, 2, sizeof m[0], NULL, NULL, &err));
    begin();
    MUST(lsched_jobs_complete(world.cluster, &job, 1, NULL, NULL, &err));
    assert_string_equal(told(), "");
}

/* ---- ends that follow ---- */

static void a_node_is_removed(void **state) {
    (void)state;
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    MUST(lsched_tasks_next(world.cluster, world.busy, 0, &cursor, &t, NULL));
    begin();
    MUST(lsched_nodes_remove(world.cluster, &t.node, 1, NULL, NULL, &err));
    assert_non_null(strstr(told(), "busy[0] lost node nodes-remove\n"));
}

static void a_device_fails(void **state) {
    (void)state;
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    lsched_device_update u = LSCHED_INIT(lsched_device_update);
    MUST(lsched_tasks_next(world.cluster, world.busy, 0, &cursor, &t, NULL));
    u.node = t.node;
    while (!(t.device_mask >> u.device & 1)) u.device++;
    u.set = LSCHED_DEVICE_SET_HEALTH;
    u.health = LSCHED_HEALTH_FAILED;
    begin();
    MUST(lsched_devices_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
    assert_string_equal(told(), "busy[0] lost node devices-update\n");
}

/* ---- holds ---- */

static lsched_id held_job(void) {
    lsched_group_desc group = api_group(1);
    lsched_job_desc d = api_job("long", &group, 1);
    lsched_id job = 0;
    MUST(lsched_policy_load(world.cluster, LSCHED_TEXT("stops.lua"),
                            LSCHED_TEXT("return {api = 1, name = 'stops', "
                                        "pipeline = {'allocate', 'evict-overdue'}}"),
                            NULL, &err));
    d.time_limit_us = 1000000;
    MUST(lsched_jobs_submit(world.cluster, &d, 1, sizeof d, NULL, &job, NULL, &err));
    cycle();
    MUST(report(job, 0, LSCHED_EVENT_STARTED));
    world.now_us += 60000000;
    begin();
    cycle();
    assert_string_equal(told(), "long held stop schedule\n");
    return job;
}

static void the_end_of_a_hold(void **state) {
    (void)state;
    lsched_id job = held_job();
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_offer offer = LSCHED_INIT(lsched_offer);
    lsched_job_info info = {.size = sizeof info};
    u.job = job;
    u.set = LSCHED_JOB_SET_AGAIN;
    MUST(lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
    assert_string_equal(told(), ""); /* it is what was asked for */
    MUST(lsched_job_get(world.cluster, job, &info, &err));
    assert_int_equal(info.held, 0);
    api_world_drop(&world);
    MUST(api_world_make(&world, NULL));
    offer.object = held_job();
    offer.change = LSCHED_OFFER_RELEASE;
    MUST(lsched_offer_apply(world.cluster, &offer, &err));
    assert_string_equal(told(), "");
}

static void a_rejected_stop_ends_the_hold(void **state) {
    (void)state;
    lsched_id decision = open_decision(held_job(), LSCHED_TASK_RELEASING);
    lsched_outcome no = LSCHED_OUTCOME_REJECTED;
    MUST(settle_each(world.cluster, &decision, &no, 1, NULL, &err));
    assert_string_equal(told(), "long released request settle\n");
}

/* ---- rejections ---- */

static void reject(const lsched_refusal *refusal) {
    lsched_settlement s = {.size = sizeof s, .outcome = LSCHED_OUTCOME_REJECTED};
    s.decision = world.proposed;
    s.refusal = refusal;
    begin();
    MUST(lsched_settle(world.cluster, &s, 1, sizeof s, NULL, NULL, NULL, &err));
}

static void a_rejection(void **state) {
    (void)state;
    reject(NULL);
    assert_string_equal(told(), "open avoided refusal settle\n");
}

static void a_rejection_of_a_domain(void **state) {
    (void)state;
    lsched_refusal r = LSCHED_INIT(lsched_refusal);
    r.avoid = LSCHED_AVOID_DOMAIN;
    r.level = LSCHED_TEXT("zone");
    reject(&r);
    assert_string_equal(told(), "open avoided refusal settle\nopen avoided refusal settle\n");
}

/* The host has said which nodes are avoided, and until when. */
static void a_rejection_with_a_time(void **state) {
    (void)state;
    static const struct {
        uint32_t avoid;
        const char *level;
    } cases[] = {{LSCHED_AVOID_DEFAULT, ""},
                 {LSCHED_AVOID_NODE, ""},
                 {LSCHED_AVOID_DOMAIN, "zone"},
                 {LSCHED_AVOID_ANYWHERE, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lsched_refusal r = LSCHED_INIT(lsched_refusal);
        r.avoid = cases[i].avoid;
        r.level = lsched_cstr(cases[i].level);
        r.until_us = i % 2 ? LSCHED_NEVER_US : world.now_us + 5;
        reject(&r);
        assert_string_equal(told(), "");
        api_world_drop(&world);
        MUST(api_world_make(&world, NULL));
    }
}

/* ---- offers ---- */

/* A nomination on n2, which is full of tasks that stop, for a job that may not go to tier b. */
static void nominate_picky(void) {
    lsched_id jobs[] = {world.open, world.later}, leaves = submit("leaves", 8, 1);
    lsched_task_import m[8];
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_text tier = LSCHED_TEXT("b");
    lsched_label_rule not_b = {LSCHED_TEXT("tier"), &tier, 1, LSCHED_LABEL_NOT_IN};
    lsched_node_affinity term = {&not_b, 1, 0};
    lsched_group_desc group = api_group(1);
    lsched_job_desc d = api_job("picky", &group, 1);
    group.node_affinities = &term;
    group.n_node_affinities = 1;
    u.node = world.nodes[0];
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_CORDONED;
    MUST(lsched_jobs_remove(world.cluster, jobs, 2, NULL, NULL, &err));
    MUST(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
    for (uint32_t i = 0; i < 8; i++) {
        m[i] = (lsched_task_import)LSCHED_TASK_IMPORT_INIT;
        m[i].job = leaves;
        m[i].task_index = i;
        m[i].node = world.nodes[1];
        m[i].start_us = world.now_us;
        m[i].state = LSCHED_TASK_RELEASING;
        m[i].release_us = world.now_us + 60000000;
    }
    MUST(lsched_tasks_import(world.cluster, m, 8, sizeof m[0], NULL, NULL, &err));
    MUST(lsched_jobs_submit(world.cluster, &d, 1, sizeof d, NULL, &jobs[0], NULL, &err));
    cycle();
    assert_true(open_decision(jobs[0], LSCHED_TASK_NOMINATED) != 0);
}

/* What an offered change does beyond it is told as done by the offer, whatever call makes the change;
 * the job that it removes was asked for. */
static void a_change_of_an_offer(void **state) {
    (void)state;
    lsched_offer o = LSCHED_INIT(lsched_offer);
    o.change = LSCHED_OFFER_WITHDRAW;
    o.object = job_with("elastic", 4, 1, 2);
    begin();
    MUST(lsched_offer_apply(world.cluster, &o, &err));
    assert_string_equal(told(), "");
    nominate_picky();
    begin();
    o.change = LSCHED_OFFER_LABEL;
    o.object = world.nodes[1];
    memcpy(o.key, "tier", 5);
    memcpy(o.value, "b", 2);
    MUST(lsched_offer_apply(world.cluster, &o, &err));
    assert_string_equal(told(), "picky[0] withdrawn node offer-apply\n");
    lsched_id jobs[] = {world.busy};
    MUST(lsched_jobs_remove(world.cluster, jobs, 1, NULL, NULL, &err));
    MUST(lsched_nodes_remove(world.cluster, &world.nodes[1], 1, NULL, NULL, &err));
    assert_non_null(strstr(told(), "leaves[0] gone node nodes-remove\n")); /* no offer any more */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(the_end_of_a_task),
                                       TEST(the_end_of_a_gang_member),
                                       TEST(a_job_is_removed),
                                       TEST(a_job_is_completed),
                                       TEST(a_task_that_stops_ends_with_its_completed_job),
                                       TEST(a_node_is_removed),
                                       TEST(a_device_fails),
                                       TEST(the_end_of_a_hold),
                                       TEST(a_rejected_stop_ends_the_hold),
                                       TEST(a_rejection),
                                       TEST(a_rejection_of_a_domain),
                                       TEST(a_rejection_with_a_time),
                                       TEST(a_change_of_an_offer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
