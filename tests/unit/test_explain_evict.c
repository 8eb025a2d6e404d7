/* Who took whose resources and why, who may be stopped, and why nobody was: as texts with their numbers, and as records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/told.h"

#define HEAD                     \
    "start: 2026-01-05T08:00Z\n" \
    "policy: guaranteed-quota\n"
#define TWO                                         \
    "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\n" \
    "queues: [{name: a, quota: {gpu: 4}}, {name: b, quota: {gpu: 4}}]\n"

/* ---- who took whose ---- */

static void a_job_that_is_stopped_is_told_for_whom(void **state) {
    lsched_cluster *c = told_begin(
        HEAD TWO
        "jobs:\n"
        "  - {name: x, queue: a, running_on: [n0, n1], running_since: -150m, checkpoint: 1h, "
        "restart_cost: 5m, tasks: {count: 2, min: 1, gpu: 4}}\n"
        "  - {name: y, queue: b, priority: 7, tasks: {gpu: 4}}\n");
    (void)state;
    told_is(
        c, "x",
        "x has 1 of 2 tasks placed (a, priority 0, 2 tasks x 4 GPUs).\n"
        "  stopped     1 task, 2.4 GPU-hours of work, by reclaim for y (b, priority 7), because a "
        "held more than its entitlement, and b did not\n"
        "  task 0      releasing on n0 devices 0-3, gone by 08:00:30 (in 30 s)\n"
        "  task 1      runs on n1 devices 0-3\n"
        "  waits       its old tasks are still stopping; they should be gone in 30 s\n"
        "  starts      08:00:30 (in 30 s) at the earliest\n"
        "  quota       a uses 4 of 4 guaranteed GPUs; with the job's 4 it would be 4 above "
        "that, above its fair share of 4: the job may borrow idle amounts, but not stop other work\n"
        "  reclaim     other queues must not stop it: a is within its guarantee\n"
        "  preempt     jobs of its queue above priority 0 may stop it\n"
        "  disturbed   1 time so far\n");
    told_is(c, "y",
            "y waits for its place to be released (b, priority 7, 1 task x 4 GPUs).\n"
            "  task 0      nominated on n0 devices 0-3\n"
            "  room        1 task still leaves its nodes: x; the last by 08:00:30 (in 30 s)\n"
            "  waits       its place is being released; it should be free in 30 s\n"
            "  starts      08:00:30 (in 30 s), when its place is free\n"
            "  quota       b uses 4 of 4 guaranteed GPUs; its fair share is 4 GPUs\n");
    lsched_waiting w = told_waits(c, "y", "its place is being released; it should be free in 30 s");
    assert_int_equal(w.code, LSCHED_WAIT_NOMINATED);
    assert_true(w.until_us == INT64_C(1767600030000000));
    w = told_waits(c, "x", "its old tasks are still stopping; they should be gone in 30 s");
    assert_int_equal(w.code, LSCHED_WAIT_LEAVING);
    lsched_cluster_destroy(c);
}

static void a_job_that_moves_is_told_where_to(void **state) {
    lsched_cluster *c = told_begin(
        HEAD TWO "jobs:\n"
                 "  - {name: s, queue: a, running_on: n0, running_since: -10m, tasks: {gpu: 1}}\n"
                 "  - {name: t, queue: a, running_on: n1, running_since: -20m, tasks: {gpu: 2}}\n"
                 "  - {name: big, queue: b, tasks: {gpu: 4}}\n");
    (void)state;
    told_is(c, "s",
            "s is being moved (a, priority 0, 1 task x 1 GPU).\n"
            "  stopped     1 task, 11 GPU-minutes of work, by consolidate for big (b, priority 0), "
            "which fits when this one runs elsewhere\n"
            "  task 0      releasing on n0 device 0, gone by 08:00:30 (in 30 s)\n"
            "  task 0      nominated on n1 device 2\n"
            "  waits       it moves: its old place should be gone in 30 s\n"
            "  starts      08:00:30 (in 30 s), when its place is free\n"
            "  quota       a uses 3 of 4 guaranteed GPUs; its fair share is 3 GPUs\n"
            "  disturbed   1 time so far\n");
    lsched_cluster_destroy(c);
}

static void a_move_for_nobody_is_told_as_such(void **state) {
    lsched_cluster *c = told_play(
        HEAD TWO "schedule: {moves_max: 1}\n"
                 "settle: manual\n"
                 "jobs:\n"
                 "  - {name: p, queue: a, running_on: n0, running_since: -1h, tasks: {gpu: 1}}\n"
                 "  - {name: q, queue: a, running_on: n1, running_since: -2h, tasks: {gpu: 2}}\n"
                 "expect: {plan: {moves: 1}}\n");
    (void)state;
    told_line(c, "p", "stopped",
              "1 task, 1.0 GPU-hours of work, by consolidate, so that whole nodes come free");
    lsched_cluster_destroy(c);
}

static void of_many_who_leave_the_first_by_name_are_told(void **state) {
    lsched_cluster *c = told_begin(HEAD "nodes: [{name: n, cpu: 64, gpus: 6}]\n"
                                        "queues: [{name: a}, {name: b, quota: {gpu: 6}}]\n"
                                        "jobs:\n"
                                        "  - {name: 'x-[0-5]', queue: a, tasks: {gpu: 1}}\n"
                                        "  - {name: y, queue: b, tasks: {gpu: 6}}\n"
                                        "running:\n"
                                        "  - {task: x-3/0, node: n}\n  - {task: x-5/0, node: n}\n"
                                        "  - {task: x-0/0, node: n}\n  - {task: x-4/0, node: n}\n"
                                        "  - {task: x-2/0, node: n}\n  - {task: x-1/0, node: n}\n");
    (void)state;
    told_line(c, "y", "room",
              "6 tasks still leave its nodes: x-0, x-1, x-2, x-3 and others; the last by 08:00:30 "
              "(in 30 s)");
    lsched_cluster_destroy(c);
}

/* The host does not stop it: nothing is planned on its room any more. */
static void what_does_not_stop_is_told_as_overdue(void **state) {
    lsched_cluster *c = told_play(
        HEAD TWO "settle: confirm\n"
                 "jobs:\n"
                 "  - {name: x, queue: a, running_on: n0, running_since: -1h, tasks: {gpu: 4}}\n"
                 "  - {name: z, queue: a, running_on: n1, running_since: -2h, tasks: {gpu: 4}}\n"
                 "  - {name: y, queue: b, tasks: {gpu: 4}}\n"
                 "events: [{at: 10m}]\n");
    (void)state;
    told_line(c, "x", "task 0",
              "releasing on n0 devices 0-3, but is overdue: no plan counts on its room any more");
    told_line(c, "x", "waits",
              "its old tasks are still stopping; they should have been gone by now");
    told_line(c, "x", "starts", NULL);
    told_line(c, "y", "held",
              "of 8 GPUs on nodes that could hold it: a holds 8, 0 idle; 4 are held by tasks that "
              "were told to stop and are overdue");
    lsched_cluster_destroy(c);
}

static void a_gang_below_its_minimum_is_told_when_it_is_stopped(void **state) {
    static const char world[] =
        HEAD "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\n"
             "queues: [{name: a, quota: {gpu: 8}}]\n"
             "jobs:\n"
             "  - {name: g, queue: a, running_on: [n0, n1], stale_grace: 5m, "
             "tasks: {count: 2, gpu: 4}}\n"
             "events:\n"
             "  - {at: 10s, remove_nodes: [n1]}\n"
             "  - {at: 60s}\n";
    lsched_cluster *c = told_play(world);
    (void)state;
    told_line(c, "g", "gang",
              "runs below its minimum; the rest of it is stopped at 08:05 (in 4 min)");
    lsched_cluster_destroy(c);
    static const char later[] =
        HEAD "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\n"
             "queues: [{name: a, quota: {gpu: 8}}]\n"
             "settle: confirm\n"
             "jobs: [{name: g, queue: a, running_on: [n0, n1], tasks: {count: 2, gpu: 4}}]\n"
             "events: [{at: 10s, remove_nodes: [n1]}, {at: 80s}]\n";
    c = told_play(later);
    told_line(c, "g", "stopped",
              "1 task, by evict-stale-gangs: the gang was below its minimum for longer "
              "than allowed");
    lsched_cluster_destroy(c);
}

/* ---- who may be stopped ---- */

static void protection_is_told_at_the_level_where_it_holds(void **state) {
    lsched_cluster *c = told_begin(
        HEAD "nodes: [{name: 'n[0-3]', cpu: 64, gpus: 4}]\n"
             "queues:\n"
             "  - {name: org, quota: {gpu: 8}, children: [{name: v, quota: {gpu: 4}}, "
             "{name: s, quota: {gpu: 4}}]}\n"
             "  - {name: p, quota: {gpu: 4}, reclaim_min_runtime: 1h, preempt_min_runtime: 15m}\n"
             "jobs:\n"
             "  - {name: j, queue: v, disruptions: {max: 2, window: 24h}, "
             "running_on: [n0, n0, n0, n0, n1, n1, n1, n1], running_since: -10m, "
             "tasks: {count: 8, min: 2, gpu: 1}}\n"
             "  - {name: firm, queue: p, preemptible: false, running_on: n2, tasks: {gpu: 4}}\n"
             "  - {name: soft, queue: p, priority: 3, running_on: n3, running_since: -10m, "
             "tasks: {gpu: 4}}\n");
    (void)state;
    told_line(
        c, "j", "reclaim",
        "queues below org may stop it, other queues must not: v is 4 GPUs above its guarantee, org "
        "within its own");
    told_line(c, "j", "preempt",
              "jobs of its queue above priority 0 may stop it, and at that priority what is above "
              "its minimum, 6 tasks");
    told_line(c, "j", "disturbed", "0 times so far, of at most 2 in 24 h");
    told_line(c, "firm", "reclaim",
              "no job may stop it: it is not preemptible and has no more than its minimum");
    told_line(c, "firm", "preempt", NULL);
    told_line(c, "soft", "reclaim",
              "other queues may stop it: p is 4 GPUs above its guarantee, but not before 08:50 "
              "(in 50 min), a minimum run time of 60 min");
    told_line(c, "soft", "preempt",
              "jobs of its queue above priority 3 may stop it, but not before 08:05 (in 5 min), a "
              "minimum run time of 15 min");
    lsched_cluster_destroy(c);
}

static void a_policy_that_stops_nobody_says_nothing_of_stopping(void **state) {
    lsched_cluster *c = told_begin("nodes: [{name: n, cpu: 4}]\nqueues: [{name: q}]\n"
                                   "jobs: [{name: j, queue: q, running_on: n, tasks: {cpu: 2}}]\n");
    (void)state;
    told_is(c, "j",
            "j runs (q, priority 0, 1 task x 2 cores).\n"
            "  task 0      runs on n\n"
            "  queue       q uses 2 cores, has no limit\n");
    lsched_cluster_destroy(c);
}

/* ---- why nobody was stopped ---- */

static lsched_waiting why(lsched_cluster *c, const char *job, const char *text) {
    lsched_waiting w;
    told_line(c, job, "others", text);
    lsched_error err = LSCHED_ERROR_INIT;
    w = (lsched_waiting){.size = sizeof w};
    assert_true(lsched_explain(c, lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(job)), NULL, 0, &w,
                               &err) > 0);
    return w;
}

static void delay_share_and_its_own_wish_are_told(void **state) {
    lsched_cluster *c = told_begin(
        HEAD
        "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\n"
        "queues:\n"
        "  - {name: a, quota: {gpu: 4}}\n"
        "  - {name: b, quota: {gpu: 4}, preemption_delay: 10m}\n"
        "jobs:\n"
        "  - {name: x, queue: a, priority: 1, running_on: [n0, n1], tasks: {count: 2, min: 1, gpu: 4}}\n"
        "  - {name: patient, queue: b, submitted: -4m, tasks: {gpu: 4}}\n"
        "  - {name: calm, queue: b, preempts: false, tasks: {gpu: 2}}\n"
        "  - {name: third, queue: a, tasks: {gpu: 3}}\n");
    (void)state;
    lsched_waiting w = why(
        c, "patient", "it may stop others when its preemption delay is over, at 08:06 (in 6 min)");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_DELAY);
    assert_true(w.until_us == INT64_C(1767600360000000));
    told_line(c, "patient", "starts", "08:06 (in 6 min) at the earliest, by stopping others");
    w = why(c, "calm", "it was submitted as a job that never stops others");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_NEVER);
    w = why(
        c, "third",
        "it is not allowed to take anything from others: a has 0 GPUs left of its fair share, and it needs 3; "
        "8 GPUs are held by jobs of its own queue with the same or a higher priority (x): with priority 2 "
        "or more it may stop work there");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_SHARE);
    assert_true(w.evict_have == 0 && w.evict_need == 3000);
    lsched_cluster_destroy(c);
}

/* The share is that of now, like what the queue uses beside it: another job of the queue, tried
 * later in the same cycle, has got a claim. */
static void what_is_left_of_a_share_is_that_of_now(void **state) {
    lsched_cluster *c = told_begin(
        HEAD "nodes:\n"
             "  - {name: f, cpu: 8, gpus: {count: 2, memory: 40Gi, sharing: fraction}}\n"
             "  - {name: w, cpu: 8, gpus: {count: 2, memory: 40Gi}}\n"
             "queues: [{name: a, quota: {gpu: 2}}, {name: b, quota: {gpu: 2}}]\n"
             "running: [{task: half-0/0, node: f}, {task: half-1/0, node: f}, "
             "{task: half-2/0, node: f}]\n"
             "jobs:\n"
             "  - {name: 'half-[0-2]', queue: b, tasks: {gpu: 0.5}}\n"
             "  - {name: whole, queue: b, tasks: {gpu: 1}, running_on: w}\n"
             "  - {name: memp, queue: a, tasks: {gpu: 0.5, gpu_memory: 30Gi}}\n"
             "  - name: both\n"
             "    queue: a\n"
             "    groups: [{name: leader, cpu: 4, gpu: 0.5}, {name: workers, count: 2, gpu: 1}]\n");
    (void)state;
    lsched_waiting w = why(
        c, "both",
        "it is not allowed to take anything from others: a has 1.25 GPUs left of its fair share, and it needs 2.5");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_SHARE);
    assert_true(w.evict_have == 1250 && w.evict_need == 2500);
    lsched_cluster_destroy(c);
}

static void what_guarantees_protect_is_told(void **state) {
    lsched_cluster *c =
        told_begin(HEAD "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\n"
                        "queues: [{name: a, quota: {gpu: 5}}, {name: b, quota: {gpu: 4}}]\n"
                        "jobs:\n"
                        "  - {name: 'x-[0-7]', queue: a, tasks: {gpu: 1}}\n"
                        "  - {name: y, queue: b, tasks: {gpu: 4}}\n"
                        "running:\n"
                        "  - {task: x-0/0, node: n0}\n  - {task: x-1/0, node: n0}\n"
                        "  - {task: x-2/0, node: n0}\n  - {task: x-3/0, node: n0}\n"
                        "  - {task: x-4/0, node: n1}\n  - {task: x-5/0, node: n1}\n"
                        "  - {task: x-6/0, node: n1}\n  - {task: x-7/0, node: n1}\n");
    (void)state;
    lsched_waiting w = why(c, "y",
                           "guarantees protect the others: it lacks 4 GPUs, and less than 4 may be "
                           "taken from them");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_PROTECTED);
    assert_true(w.evict_need == 4000 && w.evict_have == 3999);
    lsched_cluster_destroy(c);
}

static void a_proof_is_told_with_the_places_that_are_missing(void **state) {
    lsched_cluster *c = told_begin(
        HEAD "topology: [rack]\n"
             "nodes: [{name: 'n[0-3]', labels: {rack: 'r[0-1]'}, cpu: 64, gpus: 4}]\n"
             "queues: [{name: a, quota: {gpu: 4}}, {name: b, quota: {gpu: 12}}]\n"
             "jobs:\n"
             "  - {name: x, queue: a, running_on: [n0, n1, n2, n3], "
             "tasks: {count: 4, min: 0, gpu: 4}}\n"
             "  - {name: y, queue: b, topology: {required: rack}, tasks: {count: 3, gpu: 4}}\n");
    (void)state;
    lsched_waiting w = why(
        c, "y",
        "proved that stopping others cannot help: even if all work were gone that may be stopped, only 2 of the 3 "
        "tasks that it lacks would find a place");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_IMPOSSIBLE);
    assert_true(w.evict_need == 3 && w.evict_have == 2 && w.evict_kind == 0);
    lsched_cluster_destroy(c);
}

static void a_spent_rate_is_told_with_its_end(void **state) {
    lsched_cluster *c = told_begin(
        "start: 2026-01-05T08:20Z\n"
        "policy: {name: guaranteed-quota, params: {evictions_per_hour: 1}}\n" TWO "jobs:\n"
        "  - {name: x, queue: a, running_on: [n0, n0, n0, n0, n1, n1, n1, n1], "
        "tasks: {count: 8, min: 0, gpu: 1}}\n"
        "  - {name: 'y-[0-2]', queue: b, tasks: {gpu: 1}}\n");
    (void)state;
    told_line(c, "y-0", "waits", "its place is being released; it should be free in 30 s");
    lsched_waiting w = why(
        c, "y-2",
        "the policy allows fewer evictions per hour than it needs, or they are used up, until 09:00 (in 40 min)");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_RATE);
    assert_true(w.until_us == INT64_C(1767603600000000));
    lsched_cluster_destroy(c);
}

static void without_guarantees_dominant_shares_decide(void **state) {
    lsched_cluster *c = told_begin(
        "policy: {name: mine, text: 'return { api = 1, name = \"mine\", pipeline = { \"allocate\", "
        "\"reclaim\" } }'}\n"
        "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\nqueues: [{name: a}, {name: b}]\n"
        "jobs:\n"
        "  - {name: x, queue: a, running_on: [n0, n0, n0, n0, n1, n1, n1, n1], "
        "tasks: {count: 8, min: 0, gpu: 1}}\n"
        "  - {name: y, queue: b, tasks: {count: 5, gpu: 1}}\n");
    (void)state;
    lsched_waiting w = why(c, "y",
                           "no work that may be stopped or moved would make room where it needs "
                           "room; work of another queue may be stopped as long as that queue's "
                           "dominant share stays above that of the job's queue");
    assert_int_equal(w.evict_code, LSCHED_NO_VICTIM_NO_FIT);
    told_line(c, "x", "reclaim",
              "other queues may stop it while its own has the larger dominant share");
    lsched_cluster_destroy(c);
}

/* ---- in plans ---- */

static void a_plan_of_all_that_waits_has_those_that_stand_in_no_line(void **state) {
    lsched_cluster *c = told_begin(HEAD TWO "jobs:\n"
                                            "  - {name: 'x-[0-1]', queue: a, tasks: {gpu: 4}}\n"
                                            "  - {name: 'y-[0-1]', queue: b, tasks: {gpu: 2}}\n"
                                            "running:\n"
                                            "  - {task: x-0/0, node: n0, since: -1h}\n"
                                            "  - {task: x-1/0, node: n1, since: -2h}\n");
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    char text[200];
    (void)state;
    opts.now_us = INT64_C(1767600010000000);
    opts.flags = LSCHED_SCHEDULE_ALL_WAITING | LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(c, &opts, &plan, NULL), LSCHED_OK);
    assert_int_equal(lsched_plan_size(plan), 0);
    assert_int_equal(lsched_plan_waiting_size(plan), 2);
    const lsched_waiting *leaves = lsched_plan_waiting_at(plan, 0),
                         *claims = lsched_plan_waiting_at(plan, 1);
    assert_true(leaves->code == LSCHED_WAIT_LEAVING && leaves->jobs == 1);
    assert_true(claims->code == LSCHED_WAIT_NOMINATED && claims->jobs == 2);
    assert_true(leaves->job == lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("x-0")));
    assert_true(claims->job == lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("y-0")));
    lsched_waiting_text(c, claims, text, sizeof text, NULL);
    assert_string_equal(text, "its place is being released; it should be free in 20 s");
    lsched_plan_destroy(plan);
    opts.flags = 0; /* what was tried in this cycle: nothing */
    assert_int_equal(lsched_schedule(c, &opts, &plan, NULL), LSCHED_OK);
    assert_int_equal(lsched_plan_waiting_size(plan), 0);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_is_stopped_is_told_for_whom),
        cmocka_unit_test(a_job_that_moves_is_told_where_to),
        cmocka_unit_test(a_move_for_nobody_is_told_as_such),
        cmocka_unit_test(of_many_who_leave_the_first_by_name_are_told),
        cmocka_unit_test(what_does_not_stop_is_told_as_overdue),
        cmocka_unit_test(a_gang_below_its_minimum_is_told_when_it_is_stopped),
        cmocka_unit_test(protection_is_told_at_the_level_where_it_holds),
        cmocka_unit_test(a_policy_that_stops_nobody_says_nothing_of_stopping),
        cmocka_unit_test(delay_share_and_its_own_wish_are_told),
        cmocka_unit_test(what_guarantees_protect_is_told),
        cmocka_unit_test(what_is_left_of_a_share_is_that_of_now),
        cmocka_unit_test(a_proof_is_told_with_the_places_that_are_missing),
        cmocka_unit_test(a_spent_rate_is_told_with_its_end),
        cmocka_unit_test(without_guarantees_dominant_shares_decide),
        cmocka_unit_test(a_plan_of_all_that_waits_has_those_that_stand_in_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
