/* What a reason names as its cause: each world has one cause, and the line is compared as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/told.h"

#define HEAD  "start: 2026-01-05T08:00Z\n"
#define QUOTA HEAD "policy: guaranteed-quota\n"

static void line(const char *world, const char *job, const char *label, const char *rest) {
    lsched_cluster *c = told_begin(world);
    told_line(c, job, label, rest);
    lsched_cluster_destroy(c);
}

static void work_that_is_not_preemptible_is_no_guarantee(void **state) {
    (void)state;
    line(
        QUOTA
        "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 8}]\n"
        "queues: [{name: a, quota: {gpu: 8}}, {name: b, quota: {gpu: 8}}]\n"
        "jobs:\n"
        "  - {name: x, queue: a, preemptible: false, running_on: n0, running_since: -1h, tasks: {gpu: 8}}\n"
        "  - {name: y, queue: a, preemptible: false, running_on: n1, running_since: -1h, tasks: {gpu: 8}}\n"
        "  - {name: j, queue: b, tasks: {gpu: 8}}\n",
        "j", "others",
        "no other work may be stopped for it: it lacks 8 GPUs; 16 GPUs are held by work that is not "
        "preemptible (x)");
}

static void equal_priority_in_its_own_queue_is_told(void **state) {
    (void)state;
    line(
        QUOTA
        "nodes: [{name: n, cpu: 64, gpus: 4}]\nqueues: [{name: q}]\n"
        "jobs:\n"
        "  - {name: b, queue: q, priority: 10, running_on: n, running_since: -10m, tasks: {gpu: 4}}\n"
        "  - {name: j, queue: q, priority: 10, tasks: {gpu: 4}}\n",
        "j", "others",
        "it is not allowed to take anything from others: q has 0 GPUs left of its fair share, and it needs 4; "
        "4 GPUs are held by jobs of its own queue with the same or a higher priority (b): with priority 11 or "
        "more it may stop work there");
}

static void saturation_is_named(void **state) {
    (void)state;
    line(QUOTA "nodes: [{name: n, cpu: 64, gpus: 10}]\nqueues: [{name: a}, {name: b}]\n"
               "jobs:\n"
               "  - {name: x, queue: a, running_on: [n, n, n, n, n, n, n], running_since: -1h, "
               "tasks: {count: 7, min: 1, gpu: 1}}\n"
               "  - {name: j, queue: b, tasks: {gpu: 5}}\n",
         "j", "others",
         "proved that stopping others cannot help: it lacks 2 GPUs, and 0 may be "
         "stopped; a is above its fair share, but its work may be stopped only if "
         "it uses more than 1.5 times that share (the policy's saturation)");
}

static void a_hook_that_spares_all_is_named_with_its_line(void **state) {
    (void)state;
    line(
        HEAD "policy:\n  name: v\n  text: |\n"
             "    return { api = 1, name = \"v\", fair_share = \"quota\",\n"
             "      pipeline = { \"allocate\", \"reclaim\" },\n"
             "      victim = function(job, candidate) return nil end }\n"
             "nodes: [{name: n, cpu: 64, gpus: 8}]\n"
             "queues: [{name: own, quota: {gpu: 8}}, {name: guest}]\n"
             "jobs:\n"
             "  - {name: a, queue: guest, running_on: n, running_since: -3h, tasks: {gpu: 8}}\n"
             "  - {name: j, queue: own, tasks: {gpu: 8}}\n",
        "j", "others",
        "no work that may be stopped or moved would make room where it needs room; the policy's hook "
        "victim (line 3) decides which of the other work may be stopped");
}

static void work_over_its_estimate_is_told_so(void **state) {
    (void)state;
    line(
        HEAD
        "nodes: [{name: n, cpu: 64, gpus: 8}]\nqueues: [{name: q}]\n"
        "jobs:\n"
        "  - {name: a, queue: q, duration: 2h, running_on: n, running_since: -3h, tasks: {gpu: 8}}\n"
        "  - {name: j, queue: q, tasks: {gpu: 8}}\n",
        "j", "waits",
        "needs 8 GPUs on one node; 1 node can hold that, none has room now (at most 0 GPUs free); "
        "1 would after a ends, which is 60 min over its estimate");
}

static void limits_and_numbers_of_jobs_have_starts(void **state) {
    static const char world[] = HEAD
        "nodes: [{name: n, cpu: 64, gpus: 16}]\n"
        "queues: [{name: q, limit: {gpu: 8}}, {name: r, jobs_max: 1}]\n"
        "jobs:\n"
        "  - {name: a, queue: q, duration: 2h, running_on: n, running_since: -1h, tasks: {gpu: 8}}\n"
        "  - {name: j, queue: q, tasks: {gpu: 4}}\n"
        "  - {name: b, queue: r, duration: 3h, running_on: n, running_since: -1h, tasks: {gpu: 1}}\n"
        "  - {name: k, queue: r, tasks: {gpu: 1}}\n";
    lsched_cluster *c = told_begin(world);
    lsched_waiting w = {.size = sizeof w};
    (void)state;
    told_line(
        c, "j", "starts",
        "09:00 (in 60 min), when a ends by its estimate, if nothing takes the room before it");
    told_line(c, "k", "starts",
              "10:00 (in 2 h), when b ends by its estimate, if nothing takes the room before it");
    assert_true(lsched_explain(c, lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("k")), NULL, 0, &w,
                               NULL) > 0);
    assert_true(w.starts_us == INT64_C(1767607200000000));
    assert_true(w.starts_job == lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("b")));
    lsched_cluster_destroy(c);
}

static void who_is_behind_is_told_who_is_before(void **state) {
    (void)state;
    line(
        HEAD
        "nodes: [{name: n, cpu: 64, gpus: 8}]\nqueues: [{name: q}]\n"
        "jobs:\n"
        "  - {name: a, queue: q, duration: 2h, running_on: n, running_since: -1h, tasks: {gpu: 8}}\n"
        "  - {name: big, queue: q, priority: 10, duration: 5h, tasks: {gpu: 8}}\n"
        "  - {name: j, queue: q, tasks: {gpu: 8}}\n",
        "j", "starts",
        "not before 09:00 (in 60 min), when a ends by its estimate; big (priority 10) waits for room "
        "and is tried before it");
}

static void a_limit_of_the_policy_has_its_line_and_its_end(void **state) {
    (void)state;
    line(
        HEAD "policy:\n  text: |\n    return { api = 1,\n      limit = function(queue, now)\n"
             "        return { gpu = 4 }, calendar.next(now, \"18:00\")\n      end }\n"
             "nodes: [{name: n, cpu: 64, gpus: 8}]\nqueues: [{name: q}]\n"
             "jobs: [{name: j, queue: q, tasks: {gpu: 8}}]\n",
        "j", "waits",
        "queue q may use 4 GPUs and uses 0 GPUs; the job needs 8 GPUs more; the policy's hook limit "
        "(line 2) sets that limit, until 18:00 (in 10 h)");
}

static void a_filter_has_its_line_and_a_node(void **state) {
    (void)state;
    line(HEAD "policy:\n  text: |\n    return { api = 1,\n"
              "      filter = function(job, node) return node.labels.tier == \"firm\" end }\n"
              "nodes: [{name: 'n[0-3]', cpu: 64, labels: {tier: spot}}]\nqueues: [{name: q}]\n"
              "jobs: [{name: j, queue: q, tasks: {cpu: 2}}]\n",
         "j", "waits",
         "the policy's filter (line 2) left none of the nodes that have room, such as n0; 4 could "
         "hold it");
}

static void a_pipeline_that_places_nothing_is_named(void **state) {
    (void)state;
    line(
        "policy: {text: \"return {api=1, pipeline={'evict-overdue'}}\"}\n"
        "nodes: [{name: n, cpu: 8}]\nqueues: [{name: q}]\njobs: [{name: j, queue: q, tasks: {cpu: 1}}]\n",
        "j", "waits", "the policy's pipeline places nothing");
}

static void a_model_is_named_with_the_nearest(void **state) {
    (void)state;
    line("nodes: [{name: n, cpu: 64, gpus: {count: 8, model: H100-80GB}}, "
         "{name: a, cpu: 64, gpus: {count: 8, model: A100}}]\nqueues: [{name: q}]\n"
         "jobs: [{name: j, queue: q, tasks: {gpu: 4, models: H100}}]\n",
         "j", "waits",
         "no node could hold a task even when empty: it needs 4 GPUs on one node with device model "
         "H100 (there is H100-80GB); a comes closest, with 0 of the 4 GPUs");
}

/* Guarantees of GPUs that are there in instances only. */
static void guarantees_that_whole_gpus_cannot_meet_are_told(void **state) {
    (void)state;
    line(
        QUOTA
        "nodes: [{name: w, cpu: 64, gpus: {count: 8, model: A100-40GB}}, "
        "{name: m, cpu: 64, gpus: {count: 2, model: A100-40GB, sharing: mig}}]\n"
        "queues: [{name: a, quota: {gpu: 6}}, {name: b, quota: {gpu: 4}}]\n"
        "jobs:\n"
        "  - {name: x, queue: a, preemptible: false, running_on: w, running_since: -1h, tasks: {gpu: 6}}\n"
        "  - {name: j, queue: b, tasks: {gpu: 4}}\n",
        "j", "guarantees",
        "10 GPUs are guaranteed in all, but such tasks can have only 8: MIG "
        "slices, devices of other models and devices that do not exist are not "
        "counted");
}

/* What a function answers is not known before it is asked: the latest pass says what it placed. */
static void a_function_pipeline_that_places_nothing_is_named(void **state) {
    (void)state;
    static const char places[] =
        HEAD "policy: {text: \"return {api=1, pipeline=function() return {'allocate'} end}\"}\n"
             "nodes: [{name: n, cpu: 8}]\nqueues: [{name: q}]\n"
             "jobs: [{name: j, queue: q, tasks: {cpu: 9}}]\n";
    line(HEAD
         "policy: {text: \"return {api=1, pipeline=function() return {'evict-overdue'} end}\"}\n"
         "nodes: [{name: n, cpu: 8}]\nqueues: [{name: q}]\n"
         "jobs: [{name: j, queue: q, tasks: {cpu: 1}}]\n",
         "j", "waits", "the policy's pipeline (line 1) places nothing");
    line(
        places, "j", "waits",
        "no node could hold a task even when empty: it needs 9 cores on one node; n comes closest, "
        "with 8 of the 9 cores");
}

/* Claims are no members: a gang that stands on them alone has no minimum yet. */
static void a_gang_of_claims_has_no_minimum(void **state) {
    (void)state;
    lsched_cluster *c = told_begin(
        QUOTA "nodes: [{name: n, cpu: 64, gpus: 4}]\n"
              "queues: [{name: a}, {name: b, quota: {gpu: 3}}]\n"
              "jobs:\n"
              "  - {name: x0, queue: a, running_on: n, running_since: -1h, tasks: {gpu: 1}}\n"
              "  - {name: x1, queue: a, running_on: n, running_since: -1h, tasks: {gpu: 1}}\n"
              "  - {name: x2, queue: a, running_on: n, running_since: -1h, tasks: {gpu: 1}}\n"
              "  - {name: x3, queue: a, running_on: n, running_since: -1h, tasks: {gpu: 1}}\n"
              "  - {name: j, queue: b, tasks: {count: 6, min: 3, gpu: 1}}\n");
    lsched_job_info info = {.size = sizeof info};
    char text[4096];
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("j"));
    assert_int_equal(lsched_job_get(c, job, &info, NULL), LSCHED_OK);
    assert_true(info.tasks_placed >= 3); /* what has a claim counts as placed, as the header says */
    assert_int_equal(info.tasks_running, 0);
    lsched_job_info leaves = {.size = sizeof leaves};
    uint32_t placed = 0;
    for (const char *x = "x0\0x1\0x2\0x3\0"; *x; x += 3) { /* what was asked to stop does not */
        assert_int_equal(
            lsched_job_get(c, lsched_find(c, LSCHED_KIND_JOB, (lsched_text){x, 2}), &leaves, NULL),
            LSCHED_OK);
        placed += leaves.tasks_placed;
    }
    assert_int_equal(placed, 4 - info.tasks_placed);
    assert_true(lsched_explain(c, job, text, sizeof text, NULL, NULL) > 0);
    if (strstr(text, "it has its minimum")) fail_msg("%s", text);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_pipeline_that_places_nothing_is_named),
        cmocka_unit_test(a_gang_of_claims_has_no_minimum),
        cmocka_unit_test(work_that_is_not_preemptible_is_no_guarantee),
        cmocka_unit_test(equal_priority_in_its_own_queue_is_told),
        cmocka_unit_test(saturation_is_named),
        cmocka_unit_test(a_hook_that_spares_all_is_named_with_its_line),
        cmocka_unit_test(work_over_its_estimate_is_told_so),
        cmocka_unit_test(limits_and_numbers_of_jobs_have_starts),
        cmocka_unit_test(who_is_behind_is_told_who_is_before),
        cmocka_unit_test(a_limit_of_the_policy_has_its_line_and_its_end),
        cmocka_unit_test(a_filter_has_its_line_and_a_node),
        cmocka_unit_test(a_pipeline_that_places_nothing_is_named),
        cmocka_unit_test(a_model_is_named_with_the_nearest),
        cmocka_unit_test(guarantees_that_whole_gpus_cannot_meet_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
