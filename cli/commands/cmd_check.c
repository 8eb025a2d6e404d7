/*
 * cmd_check.c -- the command `lsched check`, which checks a policy. The command loads the policy
 * into an empty cluster, as a scheduler would do. If the user names a scenario, the command also
 * loads the policy into the cluster of the scenario.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/support/number_text.h"
#include "cli/policy/check_errors.h"
#include "cli/policy/check_report.h"
#include "cli/support/command.h"
#include "cli/support/host_allocator.h"
#include "cli/support/json_writer.h"
#include "cli/policy/policy_listing.h"
#include "cli/policy/policy_source.h"
#include "cli/plan/scenario_session.h"
#include "cli/plan/state_warnings.h"

struct check_args {
    int64_t nodes, jobs, queues;
    bool json, strict;
};

static void begin_json(struct json *json, const char *file, bool ok) {
    json_begin_object(json, stdout);
    json_string(json, "file", file);
    json_bool(json, "ok", ok);
}

static void print_json(const char *file, const lsched_policy_info *info,
                       const struct check_report *report) {
    struct json json;
    begin_json(&json, file, true);
    policy_json(&json, info);
    policy_settings_json(&json, info);
    check_report_json(&json, report);
    json_end(&json);
}

static void error_json(struct json *json, const char *key, const lsched_error *err,
                       enum json_layout layout) {
    json_object(json, key, layout);
    json_string(json, "code", lsched_error_name(err->code));
    json_uint(json, "line", err->line);
    json_uint(json, "column", err->column);
    json_string(json, "message", err->message);
    json_close(json);
}

static void print_json_errors(const char *file, const struct check_errors *errors) {
    struct json json;
    begin_json(&json, file, false);
    error_json(&json, "error", &errors->items[0], JSON_LINES);
    json_array(&json, "errors", JSON_LINES);
    for (size_t i = 0; i < errors->n; i++) error_json(&json, NULL, &errors->items[i], JSON_LINE);
    json_close(&json);
    json_end(&json);
}

static void print_text(const char *file, const lsched_policy_info *info,
                       const struct check_report *report) {
    char hooks[POLICY_HOOK_NAMES_BYTES];
    printf("%s: ok", file);
    if (report->n_warnings > 0)
        printf(", with %zu warning%s", report->n_warnings, plural(report->n_warnings));
    printf("\n");
    printf("  name        %s\n", info->name);
    printf("  hooks       %s\n", policy_hook_names(info->hooks, hooks));
    printf("  placement   %s\n", info->placement);
    printf("  fair share  %s\n", info->fair_share);
    printf("  order       %s\n", info->order);
    printf("  pipeline    %s\n", info->pipeline);
    policy_settings_print(info);
    printf("  hash        %016llx\n", (unsigned long long)info->hash);
    check_report_print(report, file);
}

/* Reports the errors. Returns the largest exit code of all errors. */
static int show_errors(const struct check_args *args, const char *file,
                       const struct check_errors *errors) {
    int worst = EXIT_OK;
    if (args->json) print_json_errors(file, errors);
    for (size_t i = 0; i < errors->n; i++) {
        int rc = library_error(file, &errors->items[i]);
        if (rc > worst) worst = rc;
    }
    return worst;
}

/* Reads the warnings about settings of the cluster that have no effect under the policy, and about
 * names in the policy that the cluster lacks. The scenario session calls this function after the
 * first cycle. */
static int32_t on_cycle(void *user, const lsched_scenario_cycle *cycle) {
    state_warnings_read(cycle->cluster, user);
    state_warnings_misfits(cycle->cluster, user);
    return 0;
}

static int read_scenario(const char *path, const struct policy_source *policy,
                         struct state_warnings *out) {
    struct session session = {0};
    struct input_file file;
    int rc = session_read_file(path, &file);
    if (rc != EXIT_OK) return rc;
    rc = session_open_text(&file, policy, &session);
    if (rc == EXIT_OK) rc = session_first_cycle(&session, session.info.start_us, on_cycle, out);
    session_close(&session);
    input_free(&file);
    return rc;
}

/* Loads the policy into the cluster. Returns an exit code, which is EXIT_OK if the policy has no
 * errors. */
static int load(const struct check_args *args, const struct policy_source *source,
                lsched_cluster *cluster) {
    struct check_errors *errors = must_alloc(sizeof *errors);
    check_load(source, cluster, errors);
    int failed = errors->n > 0 ? show_errors(args, policy_source_name(source), errors) : EXIT_OK;
    free(errors);
    return failed;
}

static int report_on(const struct check_args *args, const char *file, lsched_cluster *cluster,
                     const struct state_warnings *state) {
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info, NULL);
    struct check_report *report = must_alloc(sizeof *report);
    check_report_make(
        cluster, file,
        &(struct check_size){(uint64_t)args->nodes, (uint64_t)args->jobs, (uint64_t)args->queues},
        report);
    for (size_t i = 0; i < state->n; i++) check_report_warn(report, state->text[i]);
    if (args->json) {
        print_json(file, &info, report);
    } else {
        print_text(file, &info, report);
    }
    int rc = args->strict && report->n_warnings > 0 ? EXIT_EXPECTATION : EXIT_OK;
    free(report);
    return rc;
}

/* Loads the policy without the scenario first, because this reports all errors of the policy at
 * once. Loading the policy with the scenario would report only the first error. */
static int check_in(const struct check_args *args, const struct policy_source *source,
                    const char *scenario, lsched_cluster *cluster) {
    struct state_warnings state = {0};
    int rc = load(args, source, cluster);
    if (rc == EXIT_OK && scenario != NULL) rc = read_scenario(scenario, source, &state);
    if (rc == EXIT_OK) rc = report_on(args, policy_source_name(source), cluster, &state);
    state_warnings_free(&state);
    return rc;
}

static int check(const void *argument, const struct parsed *words) {
    struct policy_source source;
    int rc = policy_source_open("check", words->positionals[0], &source);
    if (rc != EXIT_OK) return rc;
    struct host_allocator memory;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.allocator = host_allocator_begin(&memory);
    rc = lsched_cluster_create(&opts, &cluster, &err) < 0
             ? library_error(NULL, &err)
             : check_in(argument, &source, words->n_positionals > 1 ? words->positionals[1] : NULL,
                        cluster);
    lsched_cluster_destroy(cluster);
    host_allocator_end(&memory);
    policy_source_close(&source);
    return rc;
}

#define ARGS struct check_args
static const struct option options[] = {
    COUNT(ALL, "nodes", "N", nodes, 1000, 0, INT64_MAX, "reckon costs for so many nodes (1000)"),
    COUNT(ALL, "jobs", "N", jobs, 10000, 0, INT64_MAX, "for so many jobs (10000)"),
    COUNT(ALL, "queues", "N", queues, 100, 0, INT64_MAX, "and queues (100)"),
    FLAG(ALL, "strict", strict, "exit code 1 if there are warnings"),
    FLAG(ALL, "json", json, "print JSON, also about an error"),
};

const struct command command_check = {
    .name = "check",
    .arguments = "POLICY [SCENARIO]",
    .summary = "load a policy and say what it does, or what is wrong with it",
    .about = "Loads a policy as a scheduler would: parses it, checks every key and field, and runs "
             "it once in its sandbox. Prints its hooks and choices, what each hook reads, how it "
             "runs and what it may cost, and what looks wrong; or its errors as "
             "file:line:column. With a scenario it also runs the scenario's first cycle under the "
             "policy, and warns of what of the cluster has no effect.",
    .examples = "  lsched check mine.lua\n"
                "  lsched check - < mine.lua\n"
                "  lsched check fgd                a ready-made policy, by name\n"
                "  lsched check mine.lua cluster.yaml        and in this cluster",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = 2,
    .run = check,
};
