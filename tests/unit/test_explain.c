/* What people are told about a job that waits: the reason, who holds what it could use, what its queues have a right to, when it starts.
 * Texts are compared as a whole: every number in them is part of the promise. */
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

static void a_job_that_waits_is_told_all_there_is(void **state) {
    lsched_cluster *c = told_begin(
        HEAD "topology: [rack]\n"
             "nodes: [{name: 'n[0-3]', labels: {rack: 'r[0-1]'}, cpu: 64, gpus: 8}]\n"
             "queues:\n"
             "  - {name: research, quota: {gpu: 16}}\n"
             "  - {name: product, quota: {gpu: 16}, limit: {gpu: 24}, reclaim_min_runtime: 30m}\n"
             "jobs:\n"
             "  - {name: serve, queue: product, running_on: n0, running_since: -1h, "
             "preemptible: false, tasks: {gpu: 8}}\n"
             "  - {name: scan, queue: product, running_on: n1, running_since: -10m, duration: 3h, "
             "tasks: {gpu: 8}}\n"
             "  - {name: eval, queue: product, running_on: n2, running_since: -20m, duration: 2h, "
             "tasks: {gpu: 8}}\n"
             "  - {name: llm, queue: research, priority: 50, topology: {required: rack}, "
             "tasks: {count: 2, gpu: 8}}\n");
    (void)state;
    told_is(
        c, "llm",
        "llm waits (research, priority 50, 2 tasks x 8 GPUs, gang).\n"
        "  waits       no rack has room for 2 tasks at once: r1 comes closest, with room for 1 of "
        "the 2; a task needs 8 GPUs on one node; "
        "4 nodes can hold that, 1 has room now\n"
        "  held        of 32 GPUs on nodes that could hold it: product holds 24, 8 idle\n"
        "  others      work that it could stop must run longer first: eval until 08:10 "
        "(in 10 min), a minimum run time of 30 min\n"
        "  starts      08:10 (in 10 min) at the earliest, by stopping others; 09:40 "
        "(in 100 min), when eval ends by its estimate, if nothing takes the room before it\n"
        "  quota       research uses 0 of 16 guaranteed GPUs: it may have the job's 16 now\n");
    lsched_cluster_destroy(c);
}

static void a_policy_without_guarantees_tells_of_queues_what_it_knows(void **state) {
    lsched_cluster *c = told_begin(
        "nodes: [{name: n, cpu: 64, gpus: 8}]\n"
        "queues: [{name: top, limit: {gpu: 7}, children: [{name: q, quota: {gpu: 4}}]}]\n"
        "jobs:\n"
        "  - {name: first, queue: q, priority: 1, tasks: {gpu: 6}}\n"
        "  - {name: over, queue: q, tasks: {gpu: 2}}\n");
    (void)state;
    told_is(c, "over",
            "over waits (q, priority 0, 1 task x 2 GPUs).\n"
            "  waits       queue top may use 7 GPUs and uses 6 GPUs; the job needs 2 GPUs more\n"
            "  queue       q uses 6 GPUs, has a quota of 4 that the policy's fair share does not "
            "guarantee, has no limit\n"
            "  queue       top uses 6 GPUs, may use 7 GPUs\n");
    told_is(c, "first",
            "first is placed (q, priority 1, 1 task x 6 GPUs).\n"
            "  task 0      proposed on n devices 0-5\n"
            "  queue       q uses 6 GPUs, has a quota of 4 that the policy's fair share does not "
            "guarantee, has no limit\n"
            "  queue       top uses 6 GPUs, may use 7 GPUs\n");
    lsched_cluster_destroy(c);
}

/* Within the guarantee, within the fair share, beyond it. */
static void the_quota_line_says_what_the_job_would_make_of_it(void **state) {
    lsched_cluster *c =
        told_begin(HEAD "nodes: [{name: 'n[0-2]', cpu: 64, gpus: 8}]\n"
                        "queues:\n"
                        "  - {name: a, quota: {gpu: 8}}\n"
                        "  - {name: b, quota: {gpu: 4}, limit: {gpu: 20}}\n"
                        "  - {name: none}\n"
                        "jobs:\n"
                        "  - {name: a-in, queue: a, tasks: {gpu: 8, count: 3, min: 3}}\n"
                        "  - {name: b-full, queue: b, tasks: {count: 6, gpu: 2}}\n"
                        "  - {name: b-more, queue: b, tasks: {gpu: 8, count: 2}}\n"
                        "  - {name: of-none, queue: none, tasks: {gpu: 8, count: 2}}\n");
    (void)state;
    told_line(c, "b-full", "quota",
              "b uses 12 GPUs, 8 above its guarantee of 4; its fair share is "
              "8 GPUs; its limit is 20");
    told_line(
        c, "b-more", "quota",
        "b uses 12 GPUs, 8 above its guarantee of 4; with the job's 16 it would be above its "
        "fair share of 8: the job may borrow idle amounts, but not stop other work; its limit is 20");
    told_line(c, "a-in", "quota",
              "a uses 0 of 8 guaranteed GPUs; with the job's 24 it would be 16 above that, above "
              "its fair share of 12: the job may borrow idle amounts, but not stop other work");
    told_line(c, "of-none", "quota",
              "none uses 0 GPUs and has no guarantee; with the job's 16 it would be above its fair "
              "share of 4: the job may borrow idle amounts, but not stop other work");
    lsched_cluster_destroy(c);
}

static void quotas_that_exceed_their_parents_are_told(void **state) {
    lsched_cluster *c =
        told_begin(HEAD "nodes: [{name: n, cpu: 64, gpus: 8}]\n"
                        "queues:\n"
                        "  - name: org\n"
                        "    quota: {gpu: 8}\n"
                        "    children: [{name: a, quota: {gpu: 12}}, {name: b, quota: {gpu: 4}}]\n"
                        "jobs: [{name: j, queue: a, tasks: {gpu: 7}}]\n");
    (void)state;
    told_line(c, "j", "quota",
              "a uses 7 GPUs, 1 above its guarantee of 6; its fair share is 7 GPUs; its quota is "
              "12, scaled down because the quotas below org add up to more than its guarantee");
    lsched_cluster_destroy(c);
}

static void what_queues_say_no_to_is_told(void **state) {
    lsched_cluster *c = told_begin(
        HEAD "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 8}]\n"
             "queues:\n"
             "  - {name: one, quota: {gpu: 4}, jobs_max: 1}\n"
             "  - {name: firm, quota: {gpu: 4}}\n"
             "  - {name: keeps, quota: {gpu: 8}, lend_limit: {gpu: 3}}\n"
             "jobs:\n"
             "  - {name: j-0, queue: one, tasks: {gpu: 1}}\n"
             "  - {name: j-1, queue: one, tasks: {gpu: 2}}\n"
             "  - {name: f-0, queue: firm, preemptible: false, priority: 1, tasks: {gpu: 3}}\n"
             "  - {name: f-1, queue: firm, preemptible: false, tasks: {gpu: 2}}\n"
             "  - {name: wide, queue: firm, priority: -1, tasks: {gpu: 8}}\n");
    (void)state;
    lsched_waiting w = told_waits(c, "j-1", "queue one has 1 job that holds tasks, and may have 1");
    assert_int_equal(w.code, LSCHED_WAIT_JOBS);
    w = told_waits(c, "f-1",
                   "it is not preemptible, so its minimum must fit the guarantee: that of firm "
                   "leaves 1 GPU for such work, and it needs 2");
    assert_int_equal(w.code, LSCHED_WAIT_QUOTA);
    told_line(c, "f-1", "quota",
              "firm uses 3 of 4 guaranteed GPUs; of its guarantee 1 are left to work that is not "
              "preemptible, and the job needs 2");
    w = told_waits(c, "wide",
                   "idle amounts are kept for their owners, most for keeps: they lend 7 GPUs "
                   "more, and it needs 8; it is not allowed to take anything from others: firm had "
                   "5 GPUs left of its fair share when it was tried, and it needs 8");
    assert_int_equal(w.code, LSCHED_WAIT_LENDING);
    lsched_cluster_destroy(c);
}

/* The guarantee of what may not be stopped is taken up by such work alone; from cousins a queue may take what goes nowhere beyond. */
static void levels_are_told_by_what_they_stop(void **state) {
    lsched_cluster *c = told_begin(
        HEAD "nodes: [{name: 'n[0-1]', cpu: 64, gpus: 4}]\n"
             "queues:\n"
             "  - {name: org, quota: {gpu: 8}, children: [{name: a, quota: {gpu: 4}, "
             "reclaim_min_runtime: 1h}, {name: b, quota: {gpu: 4}}]}\n"
             "jobs:\n"
             "  - {name: x, queue: a, running_on: [n0, n1], running_since: -10m, "
             "tasks: {count: 2, gpu: 4}}\n"
             "  - {name: y, queue: b, tasks: {gpu: 4}}\n"
             "  - {name: firm, queue: b, preemptible: false, priority: -1, tasks: {gpu: 3}}\n");
    char text[4096];
    (void)state;
    assert_true(lsched_explain(c, lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("y")), text,
                               sizeof text, NULL, NULL) > 0);
    assert_non_null(strstr(text, "  quota       b uses 0 of 4 guaranteed GPUs: it may have the "
                                 "job's 4 now\n"
                                 "  quota       org uses 8 of 8 guaranteed GPUs; with the job's 4 "
                                 "it would be 4 above that, above its fair share of 8: no work "
                                 "outside this queue may be stopped for the job\n"));
    assert_true(lsched_explain(c, lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("firm")), text,
                               sizeof text, NULL, NULL) > 0);
    assert_non_null(strstr(text, "  quota       org uses 8 of 8 guaranteed GPUs; of its guarantee "
                                 "8 are left to work that is not preemptible, and the job needs "
                                 "3\n"));
    lsched_cluster_destroy(c);
}

static void a_hook_that_fails_is_told_where_nobody_is_stopped_for_it(void **state) {
    lsched_cluster *c = told_begin(
        "policy:\n"
        "  name: mine\n"
        "  text: |\n"
        "    return { api = 1, name = 'mine', fair_share = 'quota',\n"
        "      pipeline = { 'allocate', 'reclaim' }, victim = function(job, c) return job.priority == 7 and 0 / 0 or 1 end }\n"
        "nodes: [{name: n, cpu: 64, gpus: 4}]\n"
        "queues: [{name: a}, {name: b, quota: {gpu: 4}}]\n"
        "jobs:\n"
        "  - {name: x, queue: a, running_on: n, tasks: {gpu: 4}}\n"
        "  - {name: y, queue: b, priority: 7, tasks: {gpu: 4}}\n");
    char text[4096];
    (void)state;
    assert_true(lsched_explain(c, lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("y")), text,
                               sizeof text, NULL, NULL) > 0);
    const char *line = strstr(text, "  others      no work is stopped while the policy fails: ");
    assert_non_null(line);
    assert_non_null(strstr(line, "victim"));
    lsched_cluster_destroy(c);
}

static void growth_is_told_as_growth(void **state) {
    lsched_cluster *c = told_begin(HEAD "nodes: [{name: n, cpu: 64, gpus: 4}]\n"
                                        "queues: [{name: q, quota: {gpu: 4}}]\n"
                                        "jobs: [{name: j, queue: q, tasks: {count: 6, min: 2, "
                                        "gpu: 1}}]\n");
    (void)state;
    told_is(
        c, "j",
        "j has 4 of 6 tasks placed (q, priority 0, 6 tasks x 1 GPU, gang of at least 2).\n"
        "  task 0      proposed on n device 0\n"
        "  task 1      proposed on n device 1\n"
        "  task 2      proposed on n device 2\n"
        "  task 3      proposed on n device 3\n"
        "  waits       it has its minimum; one more task needs 1 GPU on one node; 1 node can "
        "hold that, none has room now (at most 0 GPUs free)\n"
        "  held        of 4 GPUs on nodes that could hold it: q holds 4, 0 idle\n"
        "  others      it is not allowed to take anything from others: q has 0 GPUs left of its fair share, and "
        "it needs 1\n"
        "  quota       q uses 4 of 4 guaranteed GPUs; with the job's 1 it would be 1 above "
        "that, above its fair share of 4: the job may borrow idle amounts, but not stop other work\n");
    lsched_cluster_destroy(c);
}

/* A start is told only where estimates give one: not of work that should have ended already. */
static void starts_are_told_from_estimates_that_can_be_believed(void **state) {
    static const char world[] =
        "start: 2026-01-05T08:00Z\n"
        "nodes: [{name: 'n[0-2]', cpu: 64, gpus: 8}]\n"
        "queues: [{name: q}]\n"
        "jobs:\n"
        "  - {name: a, queue: q, running_on: n0, running_since: -1h, duration: 2h, tasks: {gpu: 8}}\n"
        "  - {name: b, queue: q, running_on: n1, running_since: -1h, duration: 5h, tasks: {gpu: 8}}\n"
        "  - {name: late, queue: q, running_on: n2, running_since: -2h, duration: 1h, "
        "tasks: {gpu: 8}}\n"
        "  - {name: one, queue: q, tasks: {gpu: 8}}\n"
        "  - {name: two, queue: q, tasks: {count: 2, gpu: 6}}\n"
        "  - {name: three, queue: q, tasks: {count: 3, gpu: 8}}\n";
    lsched_cluster *c = told_begin(world);
    (void)state;
    told_line(
        c, "one", "starts",
        "09:00 (in 60 min), when a ends by its estimate, if nothing takes the room before it");
    told_line(
        c, "two", "starts",
        "not before 12:00 (in 4 h), when b ends by its estimate; one and 1 more wait for room "
        "and are tried before it");
    told_line(c, "three", "starts", NULL);
    lsched_cluster_destroy(c);
}

static void gone_objects_are_said_to_be_gone(void **state) {
    lsched_cluster *c = told_begin("nodes: [{name: n, cpu: 1}]\nqueues: [{name: q}]\n"
                                   "jobs: [{name: j, queue: q, tasks: {cpu: 2}}]\n");
    char text[200];
    (void)state;
    lsched_waiting w = told_waits(c, "j",
                                  "no node could hold a task even when empty: it needs 2 cores on "
                                  "one node; n comes closest, with 1 of the 2 cores");
    w.task_group = 7;
    lsched_waiting_text(c, &w, text, sizeof text, NULL);
    assert_string_equal(text, "the object that the reason names does not exist any more");
    w.task_group = 0;
    w.evict_code = LSCHED_NO_VICTIM_SHARE;
    w.evict_queue = 1;
    lsched_waiting_text(c, &w, text, sizeof text, NULL);
    assert_string_equal(text, "the object that the reason names does not exist any more");
    /* without the job, there is nothing to say why it waits */
    lsched_error err = LSCHED_ERROR_INIT;
    w.evict_code = LSCHED_NO_VICTIM_NOT_TRIED;
    assert_int_equal(lsched_jobs_remove(c, &w.job, 1, NULL, NULL, NULL), 1);
    assert_int_equal(lsched_waiting_text(c, &w, text, sizeof text, &err), LSCHED_E_STALE);
    assert_int_equal(err.code, LSCHED_E_STALE);
    assert_string_equal(text, "");
    w.job = w.queue;
    assert_int_equal(lsched_waiting_text(c, &w, text, sizeof text, NULL), LSCHED_E_KIND);
    lsched_cluster_destroy(c);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_waits_is_told_all_there_is),
        cmocka_unit_test(a_policy_without_guarantees_tells_of_queues_what_it_knows),
        cmocka_unit_test(the_quota_line_says_what_the_job_would_make_of_it),
        cmocka_unit_test(quotas_that_exceed_their_parents_are_told),
        cmocka_unit_test(what_queues_say_no_to_is_told),
        cmocka_unit_test(levels_are_told_by_what_they_stop),
        cmocka_unit_test(a_hook_that_fails_is_told_where_nobody_is_stopped_for_it),
        cmocka_unit_test(growth_is_told_as_growth),
        cmocka_unit_test(starts_are_told_from_estimates_that_can_be_believed),
        cmocka_unit_test(gone_objects_are_said_to_be_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
