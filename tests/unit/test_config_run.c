/* Running scenarios: that expectations which do not hold are said so, in words; callbacks,
 * options, memory. What scenarios that hold look like is in tests/scenarios. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/clock.h>
#include <libsched/scenario.h>

#include "support/fault_alloc.h"

struct seen {
    char text[8192];
    size_t used;
    uint32_t cycles;
    uint32_t stop_at; /* on_cycle ends the run there; 0: never */
    int64_t last_now_us;
    const char *file_text;
    lsched_scenario_report report;
    lsched_error err;
    int32_t code;
};

static void on_failure(void *user, const lsched_error *failure) {
    struct seen *seen = user;
    assert_int_equal(failure->code, 0);
    assert_true(failure->line > 0);
    seen->used += (size_t)snprintf(seen->text + seen->used, sizeof seen->text - seen->used, "%s\n",
                                   failure->message);
}

static int32_t on_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct seen *seen = user;
    assert_int_equal(cycle->cycle, seen->cycles);
    assert_non_null(cycle->plan);
    seen->cycles++;
    seen->last_now_us = cycle->now_us;
    return seen->cycles == seen->stop_at;
}

static int32_t on_read_file(void *user, const char *name, const char **text, size_t *len) {
    struct seen *seen = user;
    if (strcmp(name, "mine.lua") != 0) return LSCHED_E_NOENT;
    *text = seen->file_text;
    *len = strlen(seen->file_text);
    return 0;
}

static void run_with(struct seen *seen, const char *text, const lsched_scenario_run_opts *given) {
    lsched_scenario_run_opts opts = *given;
    lsched_scenario *s = NULL;
    lsched_cluster *cluster = NULL;
    opts.user = seen;
    opts.on_failure = on_failure;
    opts.on_cycle = on_cycle;
    seen->err = (lsched_error)LSCHED_ERROR_INIT;
    seen->report = (lsched_scenario_report)LSCHED_SCENARIO_REPORT_INIT;
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x.yaml"), &s, &seen->err) < 0)
        fail_msg("%s", seen->err.message);
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    seen->code = lsched_scenario_run(s, cluster, &opts, &seen->report, &seen->err);
    lsched_cluster_destroy(cluster);
    lsched_scenario_destroy(s);
}

static void run(struct seen *seen, const char *text) {
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    memset(seen, 0, sizeof *seen);
    run_with(seen, text, &opts);
}

#define WORLD                                                  \
    "start: 1h\n"                                              \
    "nodes: [{name: a, cpu: 4, gpus: 2, labels: {rack: r0}}, " \
    "{name: b, cpu: 4, labels: {rack: r1}}]\n"                 \
    "queues: [{name: q, limit: {gpu: 1}}]\n"                   \
    "jobs: [{name: j, queue: q, tasks: {count: 2, cpu: 3}}, "  \
    "{name: big, queue: q, tasks: {cpu: 9}}]\n"

/* Takes "x.yaml:5:12: " out of every line: where things stand is the parser's test. */
static void drop_places(char *text) {
    static const char place[] = "x.yaml:5:";
    for (char *at = text; (at = strstr(at, place)) != NULL;) {
        char *end = at + strlen(place);
        end += strspn(end, "0123456789");
        assert_memory_equal(end, ": ", 2);
        memmove(at, end + 2, strlen(end + 2) + 1);
    }
}

/* Runs WORLD with one line of expectation and wants exactly this complaint about line 5. */
static void expect_failure(const char *expectation, const char *message) {
    char text[2048];
    struct seen seen;
    snprintf(text, sizeof text, WORLD "expect: {%s}\n", expectation);
    run(&seen, text);
    if (seen.code < 0) fail_msg("%s", seen.err.message);
    drop_places(seen.text);
    if (strcmp(seen.text, message) != 0)
        fail_msg("%s\nexpected %sgot      %s", expectation, message, seen.text);
    assert_true(seen.report.failures > 0 || message[0] == '\0');
}

static void test_failures_say_what_was_got(void **state) {
    (void)state;
    expect_failure("placed: {j: [a, b]}", "");
    expect_failure("placed: {j: [b, b]}", "expected job j on b, b, got a, b\n");
    expect_failure("placed: {j: a}", "expected job j on a, got a, b\n");
    expect_failure("placed: {j: 3}", "expected 3 placed tasks of job j, got 2\n");
    expect_failure("placed: {j/0-1: {in: a}}", "expected job j/0-1 only on a, got a task on b\n");
    expect_failure("placed: {j: {together: rack}}", "expected job j in one rack, got r0, r1\n");
    expect_failure("placed: {j: {apart: rack}}", "");
    expect_failure("placed: {big: {together: rack}}", "expected job big placed, got none\n");
    expect_failure("tasks: {j/0: proposed}", "expected task j/0 to be proposed, got running\n");
    expect_failure("tasks: {big: running}", "expected task big/0 to be running, got waiting\n");
    expect_failure("tasks: {j/0: waiting}", "expected task j/0 to be waiting, got running\n");
    expect_failure("tasks: {big: waiting}", "");
    expect_failure("tasks: {big: waits}", ""); /* the old spelling */
    expect_failure("tasks: {ghost: running}", "expected a job ghost, got none of that name\n");
    expect_failure("order: [j, big]", "expected decision 1 to place big, got j/1\n");
    expect_failure("order: [j, j/1, big]", "expected 3 placed tasks, got 2\n");
    expect_failure("gone: {jobs: [ghost, j]}", "expected \"j\" to be gone, got it alive\n");
    expect_failure("jobs: {j: {running: \"> 2\", parked: true}}",
                   "expected running of job j to be >2, got 2\n"
                   "expected parked of job j to be true, got false\n");
    expect_failure("jobs: {j: {submitted: 5s, queue: r}}",
                   "expected submitted of job j to be 5s, got 0s\n"
                   "expected queue of job j to be \"r\", got \"q\"\n");
    expect_failure("queues: {q: {used: {cpu: 5}, limit: {gpu: unlimited}}}",
                   "expected used cpu of queue q to be 5, got 6\n"
                   "expected limit gpu of queue q to be unlimited, got 1\n");
    expect_failure("nodes: {a: {free: {cpu: 2}, device_free: [1, 0.5], cordoned: true}}",
                   "expected free cpu of node a to be 2, got 1\n"
                   "expected device 1 of node a to be 0.5 free, got 1\n"
                   "expected cordoned of node a to be true, got false\n");
    expect_failure("plan: {decisions: 1, partial: true, policy_error: E_BUDGET}",
                   "expected decisions of the plan to be 1, got 2\n"
                   "expected partial of the plan to be true, got false\n"
                   "expected policy_error of the plan to be E_BUDGET, got OK\n");
    expect_failure("cluster: {open: 1, oldest_open: 0s, now: 1s}",
                   "expected open of the cluster to be 1, got 0\n"
                   "expected oldest_open of the cluster to be 0s, got never\n"
                   "expected now of the cluster to be 1s, got 0s\n");
    expect_failure("withdrawn: [j/0]", "expected j/0 to be withdrawn, got none\n");
    expect_failure("status: [OK]", "expected a batch of 1 elements, got 2\n");
    expect_failure("next_wake: 5s", "expected the next wake at 5s, got never\n");
}

static void test_waiting_failures(void **state) {
    struct seen seen;
    (void)state;
    expect_failure("waiting: {big: never-fits}", "");
    expect_failure("waiting: {big: {need: {cpu: 9}, text: big}}", "");
    run(&seen, WORLD "expect: {waiting: {big: gang, j: any, ghost: room}}\n");
    assert_non_null(
        strstr(seen.text, "x.yaml:5:25: expected job big to wait for gang, got never-fits ("));
    assert_non_null(strstr(seen.text, "expected job j to wait for something, got none ("));
    assert_non_null(strstr(seen.text, "expected job ghost, got none of that name"));
    assert_int_equal(seen.report.failures, 3);
    run(&seen, WORLD "expect: {waiting: {big: {need: {gpu: 1}}}}\n");
    assert_string_equal(seen.text,
                        "x.yaml:5:38: expected job big to refer to the resource gpu, got cpu\n");
    run(&seen, WORLD "expect: {waiting: {big: {text: xyzzy}}}\n");
    assert_non_null(strstr(seen.text, "expected the reason of job big to say \"xyzzy\", got: "));
}

static void test_expected_errors(void **state) {
    struct seen seen;
    (void)state;
    run(&seen, WORLD "events:\n"
                     "  - {cordon: a, expect_error: E_NOENT}\n"
                     "  - {cordon: zz, expect_error: E_STATE}\n"
                     "  - {cordon: zz, expect_error: {code: E_NOENT, text: yy}}\n"
                     "  - {cordon: [zz, a], expect_error: {code: E_NOENT, status: [OK, OK]}}\n");
    assert_int_equal(seen.code, LSCHED_OK);
    assert_non_null(strstr(seen.text, "x.yaml:6:31: expected the error E_NOENT, got success\n"));
    assert_non_null(
        strstr(seen.text, "x.yaml:7:32: expected the error E_STATE, got E_NOENT: x.yaml:7:14: "));
    assert_non_null(
        strstr(seen.text, "x.yaml:8:32: expected an error that says \"yy\", got: x.yaml:8:14: "));
    assert_non_null(
        strstr(seen.text, "x.yaml:9:37: expected status OK of element 0, got E_NOENT\n"));
    assert_int_equal(seen.report.failures, 4);
}

static void test_an_error_that_nobody_expected_ends_the_run(void **state) {
    struct seen seen;
    (void)state;
    run(&seen, WORLD
        "events:\n  - {at: 5s}\n  - {submit: [{name: k, queue: zz, tasks: {cpu: 1}}]}\n  - {at: "
        "6s}\n");
    assert_int_equal(seen.code, LSCHED_E_NOENT);
    assert_int_equal(seen.err.code, LSCHED_E_NOENT);
    assert_int_equal(seen.err.line, 7);
    assert_memory_equal(seen.err.message, "x.yaml:7:", 9);
    assert_int_equal(seen.report.cycles, 2);
    assert_int_equal(seen.report.steps, 2);
    assert_true(seen.last_now_us == INT64_C(3605) * 1000000);
}

static void test_the_host_may_end_the_run(void **state) {
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    struct seen seen;
    (void)state;
    memset(&seen, 0, sizeof seen);
    seen.stop_at = 2;
    run_with(&seen, WORLD "events: [{at: 5s}, {at: 6s}, {at: 7s}]\n", &opts);
    assert_int_equal(seen.code, LSCHED_E_INTERRUPTED);
    assert_int_equal(seen.cycles, 2);
}

/* Before a cycle its decisions are not there yet: a clone may be given another policy. */
static int32_t before_cycle(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *schedule) {
    struct seen *seen = user;
    lsched_cluster_stats stats = {.size = sizeof stats};
    assert_int_equal(lsched_cluster_stats_get(cluster, &stats, NULL), LSCHED_OK);
    assert_int_equal(stats.tasks_placed, seen->cycles == 0 ? 0 : 2); /* j runs from the first on */
    assert_int_equal(stats.decisions_open, 0);
    assert_true(schedule->now_us >= seen->last_now_us);
    assert_true(schedule->flags & LSCHED_SCHEDULE_VERIFY);
    return seen->cycles == 2;
}

static void test_a_look_before_each_cycle(void **state) {
    (void)state;
    struct seen seen = {.text = ""};
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    opts.flags = LSCHED_RUN_VERIFY;
    opts.before_cycle = before_cycle;
    run_with(&seen, WORLD "events: [{at: 5s}, {at: 6s}, {at: 7s}]\n", &opts);
    assert_int_equal(seen.code, LSCHED_E_INTERRUPTED);
    assert_int_equal(seen.cycles, 2); /* the third was ended before it began */
}

static void test_checks_can_be_left_out(void **state) {
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    struct seen seen;
    (void)state;
    memset(&seen, 0, sizeof seen);
    opts.flags = LSCHED_RUN_NO_CHECKS;
    run_with(&seen,
             WORLD "expect: {placed: {j: 7}}\nevents: [{cordon: zz, expect_error: E_STATE}]\n",
             &opts);
    assert_int_equal(seen.code, LSCHED_OK);
    assert_int_equal(seen.report.failures, 0);
    assert_int_equal(seen.report.checks, 0);
}

static void test_files_are_asked_for(void **state) {
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    struct seen seen;
    (void)state;
    run(&seen, WORLD "policy: {file: mine.lua}\n");
    assert_int_equal(seen.code, LSCHED_E_UNSUPPORTED);
    opts.read_file = on_read_file;
    memset(&seen, 0, sizeof seen);
    run_with(&seen, WORLD "policy: {file: other.lua}\n", &opts);
    assert_int_equal(seen.code, LSCHED_E_NOENT);
    assert_string_equal(seen.err.message,
                        "x.yaml:5:9: expected a file that can be read, got \"other.lua\"");
    memset(&seen, 0, sizeof seen);
    seen.file_text = "return { api = 1, name = \"mine\" }";
    run_with(&seen, WORLD "policy: {file: mine.lua}\nexpect: {policy: {name: mine}}\n", &opts);
    assert_string_equal(seen.text, "");
    assert_int_equal(seen.code, LSCHED_OK);
    memset(&seen, 0, sizeof seen);
    seen.file_text = "return { api = 1,\n  name == 3 }";
    run_with(&seen, WORLD "policy: {file: mine.lua}\n", &opts);
    assert_true(seen.code < 0);
    assert_memory_equal(seen.err.message, "x.yaml:5:9: mine.lua:2:", 23);
    memset(&seen, 0, sizeof seen);
    opts.flags = LSCHED_RUN_NO_POLICY; /* then it is not even asked for */
    run_with(&seen, WORLD "policy: {file: other.lua}\n", &opts);
    assert_int_equal(seen.code, LSCHED_OK);
}

static void test_apply_makes_the_initial_state_only(void **state) {
    static const char text[] = WORLD "events: [{submit: [{name: k, queue: q, tasks: {cpu: 1}}]}]\n";
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_scenario *s = NULL;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    assert_int_equal(
        lsched_scenario_parse(NULL, lsched_cstr(text), (lsched_text){NULL, 0}, &s, &err),
        LSCHED_OK);
    assert_int_equal(lsched_cluster_create(NULL, &cluster, &err), LSCHED_OK);
    assert_int_equal(lsched_scenario_apply(s, cluster, NULL, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_stats_get(cluster, &stats, NULL), LSCHED_OK);
    assert_true(stats.nodes == 2 && stats.jobs == 2 && stats.tasks_placed == 0);
    /* A second time: the names are taken. */
    assert_int_equal(lsched_scenario_apply(s, cluster, NULL, &err), LSCHED_E_EXISTS);
    assert_int_equal(err.line, 2);
    assert_int_equal(lsched_scenario_apply(s, NULL, NULL, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_scenario_run(NULL, cluster, NULL, NULL, &err), LSCHED_E_NULL);
    lsched_cluster_destroy(cluster);
    lsched_scenario_destroy(s);
}

/* Objects can be added to what the cluster has; a text that does more than that is refused. */
static void test_objects_are_added_as_text(void **state) {
    static const char more[] = "jobs: [{name: k, queue: q, tasks: {cpu: 1}}]\n";
    static const char *const refused[] = {WORLD "events: [{finish: j}]\n",
                                          "expect: {waiting: {j: room}}\n" WORLD};
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text no_name = {NULL, 0};
    (void)state;
    assert_int_equal(lsched_cluster_create(NULL, &cluster, &err), LSCHED_OK);
    assert_int_equal(lsched_scenario_add(NULL, lsched_cstr(more), no_name, cluster, &err),
                     LSCHED_E_NOENT); /* the queue is not there yet */
    assert_int_equal(lsched_scenario_add(NULL, lsched_cstr(WORLD), no_name, cluster, &err),
                     LSCHED_OK);
    assert_int_equal(lsched_scenario_add(NULL, lsched_cstr(more), no_name, cluster, &err),
                     LSCHED_OK);
    assert_true(lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("k")) != 0);
    assert_int_equal(lsched_cluster_stats_get(cluster, &stats, NULL), LSCHED_OK);
    assert_true(stats.nodes == 2 && stats.jobs == 3);
    assert_int_equal(
        lsched_scenario_add(NULL, lsched_cstr(more), LSCHED_TEXT("more"), cluster, &err),
        LSCHED_E_EXISTS);
    assert_true(err.line == 1 && strncmp(err.message, "more:1:", 7) == 0);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(lsched_scenario_add(NULL, lsched_cstr(refused[i]), no_name, cluster, &err),
                         LSCHED_E_UNSUPPORTED);
    }
    assert_int_equal(lsched_scenario_add(NULL, lsched_cstr(more), no_name, NULL, &err),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_scenario_add(NULL, lsched_cstr("nodes: 7x"), no_name, cluster, &err),
                     LSCHED_E_TYPE);
    lsched_cluster_destroy(cluster);
}

static int64_t submitted_at(const lsched_cluster *cluster, const char *name) {
    lsched_job_info job = {.size = sizeof job};
    lsched_id id = lsched_find(cluster, LSCHED_KIND_JOB, lsched_cstr(name));
    assert_int_equal(lsched_job_get(cluster, id, &job, NULL), LSCHED_OK);
    return job.submit_us;
}

/* Times of objects that are added count from the time of the cluster, or from `start`. */
static void test_added_objects_begin_now(void **state) {
    static const char *const texts[] = {
        "jobs: [{name: a, queue: q, tasks: {cpu: 1}}]\n",
        "jobs: [{name: b, queue: q, tasks: {cpu: 1}, submitted: -10m}]\n",
        "start: 7s\njobs: [{name: c, queue: q, tasks: {cpu: 1}, submitted: 1s}]\n",
        "nodes: [{name: n, leaves: 1h, back: 2h}]\n"};
    const int64_t now = INT64_C(1767602000000000), minute = INT64_C(60000000);
    lsched_node_info node = {.size = sizeof node};
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text no_name = {NULL, 0};
    (void)state;
    assert_int_equal(lsched_cluster_create(NULL, &cluster, &err), LSCHED_OK);
    assert_int_equal(
        lsched_scenario_add(NULL,
                            lsched_cstr("queues: [{name: q}]\n"
                                        "jobs: [{name: old, queue: q, tasks: {cpu: 1}}]\n"),
                            no_name, cluster, &err),
        LSCHED_OK);
    assert_int_equal(submitted_at(cluster, "old"), 0); /* the clock has not run yet */
    assert_int_equal(lsched_clock_set(cluster, now, &err), LSCHED_OK);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(lsched_scenario_add(NULL, lsched_cstr(texts[i]), no_name, cluster, &err),
                         LSCHED_OK);
    assert_int_equal(submitted_at(cluster, "a"), now);
    assert_int_equal(submitted_at(cluster, "b"), now - 10 * minute);
    assert_int_equal(submitted_at(cluster, "c"), 8000000);
    assert_int_equal(lsched_node_get(cluster,
                                     lsched_find(cluster, LSCHED_KIND_NODE, LSCHED_TEXT("n")),
                                     &node, &err),
                     LSCHED_OK);
    assert_int_equal(node.leaves_us, now + 60 * minute);
    assert_int_equal(node.back_us, now + 120 * minute);
    lsched_cluster_destroy(cluster);
}

static void test_a_scenario_may_be_run_again(void **state) {
    static const char text[] = WORLD "expect: {placed: {j: 2}}\nevents: [{at: 1s, finish: j}]\n";
    lsched_scenario_report reports[2] = {LSCHED_SCENARIO_REPORT_INIT, LSCHED_SCENARIO_REPORT_INIT};
    lsched_scenario *s = NULL;
    (void)state;
    assert_int_equal(
        lsched_scenario_parse(NULL, lsched_cstr(text), (lsched_text){NULL, 0}, &s, NULL),
        LSCHED_OK);
    for (int i = 0; i < 2; i++) {
        lsched_cluster *cluster = NULL;
        assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
        assert_int_equal(lsched_scenario_run(s, cluster, NULL, &reports[i], NULL), LSCHED_OK);
        lsched_cluster_destroy(cluster);
    }
    lsched_scenario_destroy(s);
    assert_int_equal(reports[0].failures, 0);
    assert_memory_equal(&reports[0], &reports[1], sizeof reports[0]);
    assert_true(reports[0].plans_hash != 0 && reports[0].decisions == 2 && reports[0].checks == 1);
}

/* The scenario's own memory fails, not the cluster's: the run ends with an error and gives all
 * of it back. */
static void test_out_of_memory_at_every_allocation(void **state) {
    static const char text[] =
        WORLD "settle: manual\n"
              "events:\n"
              "  - {remember: {d: {decision: j/0}}, reload: save}\n"
              "  - {settle: {reject: $d}, expect: {withdrawn: j/1, placed: {j: 0}}}\n"
              "  - {at: 10s, expect: {tasks: {j: proposed}, order: [j, j]}}\n";
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct fault_alloc fault = {.fail_at = n};
        lsched_allocator hooks = fault_hooks(&fault);
        lsched_scenario_opts opts = LSCHED_SCENARIO_OPTS_INIT;
        lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_scenario *s = NULL;
        lsched_cluster *cluster = NULL;
        opts.allocator = &hooks;
        assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
        int32_t code =
            lsched_scenario_parse(&opts, lsched_cstr(text), (lsched_text){NULL, 0}, &s, &err);
        if (code == LSCHED_OK) code = lsched_scenario_run(s, cluster, NULL, &report, &err);
        lsched_scenario_destroy(s);
        lsched_cluster_destroy(cluster);
        assert_true(fault.live_blocks == 0 && fault.wrong_sizes == 0);
        if (fault.failures == 0) {
            if (code) fail_msg("%s", err.message);
            assert_int_equal(report.failures, 0);
            print_message("%llu allocations\n", (unsigned long long)n - 1);
            return;
        }
        assert_int_equal(code, LSCHED_E_NOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_was_got),
        cmocka_unit_test(test_waiting_failures),
        cmocka_unit_test(test_expected_errors),
        cmocka_unit_test(test_an_error_that_nobody_expected_ends_the_run),
        cmocka_unit_test(test_the_host_may_end_the_run),
        cmocka_unit_test(test_checks_can_be_left_out),
        cmocka_unit_test(test_a_look_before_each_cycle),
        cmocka_unit_test(test_files_are_asked_for),
        cmocka_unit_test(test_apply_makes_the_initial_state_only),
        cmocka_unit_test(test_objects_are_added_as_text),
        cmocka_unit_test(test_added_objects_begin_now),
        cmocka_unit_test(test_a_scenario_may_be_run_again),
        cmocka_unit_test(test_out_of_memory_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
