/* told.c -- see told.h. */
#include "support/told.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/scenario.h>

static lsched_scenario *parse(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    if (lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("test"), &scenario, &err) < 0)
        fail_msg("%s", err.message);
    return scenario;
}

static void on_failure(void *user, const lsched_error *failure) {
    (void)user;
    print_message("%s\n", failure->message);
}

lsched_cluster *told_play(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    lsched_scenario *scenario = parse(text);
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    opts.flags = LSCHED_RUN_VERIFY;
    opts.on_failure = on_failure;
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    if (lsched_scenario_run(scenario, cluster, &opts, &report, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(report.failures, 0);
    lsched_scenario_destroy(scenario);
    return cluster;
}

lsched_cluster *told_begin(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_scenario *scenario = parse(text);
    lsched_scenario_info info = {.size = sizeof info};
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    if (lsched_scenario_apply(scenario, cluster, NULL, &err) < 0) fail_msg("%s", err.message);
    lsched_scenario_get(scenario, &info, NULL);
    opts.now_us = info.start_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    if (lsched_schedule(cluster, &opts, &plan, &err) < 0) fail_msg("%s", err.message);
    lsched_plan_destroy(plan);
    lsched_scenario_destroy(scenario);
    return cluster;
}

static void explain(lsched_cluster *cluster, const char *job, char *text, size_t cap,
                    lsched_waiting *record) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id id = lsched_find(cluster, LSCHED_KIND_JOB, lsched_cstr(job));
    int64_t n = lsched_explain(cluster, id, text, cap, record, &err);
    if (n < 0) fail_msg("%s: %s", job, err.message);
    assert_true((size_t)n < cap);
}

void told_is(lsched_cluster *cluster, const char *job, const char *text) {
    char got[4096];
    explain(cluster, job, got, sizeof got, NULL);
    assert_string_equal(got, text);
}

void told_line(lsched_cluster *cluster, const char *job, const char *label, const char *rest) {
    char got[4096];
    explain(cluster, job, got, sizeof got, NULL);
    for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n")) {
        size_t n = strlen(label);
        while (*line == ' ') line++;
        if (strncmp(line, label, n) != 0 || line[n] != ' ') continue;
        for (line += n; *line == ' ';) line++;
        if (!rest) fail_msg("%s: %s is told: %s", job, label, line);
        assert_string_equal(line, rest);
        return;
    }
    if (rest) fail_msg("%s: nothing is told of %s", job, label);
}

lsched_waiting told_waits(lsched_cluster *cluster, const char *job, const char *text) {
    char got[4096];
    lsched_waiting record = {.size = sizeof record};
    explain(cluster, job, got, sizeof got, &record);
    assert_true(lsched_waiting_text(cluster, &record, got, sizeof got, NULL) < (int64_t)sizeof got);
    assert_string_equal(got, text);
    return record;
}
