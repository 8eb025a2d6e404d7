/*
 * cmd_metrics.c -- the command `lsched metrics`, which prints the counters of a cluster as
 * OpenMetrics text: of a scenario that is played to its end, or of a saved cluster.
 *
 * The text is that of lsched_metrics_write(), which an orchestrator serves to its monitoring
 * system. A saved cluster has no counters (counters.h), so its counters are 0 and its present
 * values are those of the state.
 */
#include <stdio.h>
#include <string.h>

#include "cli/input/input_file.h"
#include "cli/plan/scenario_session.h"
#include "cli/support/command.h"

struct metrics_args {
    const char *policy;
    bool queues;
};

/* The first bytes of a saved cluster (docs/embedding.md). */
static const char saved_begins[] = "LSCHEDIM";

static int32_t print_bytes(void *user, const void *bytes, size_t n) {
    (void)user;
    return fwrite(bytes, 1, n, stdout) == n ? 0 : 1;
}

static int metrics_print(const struct metrics_args *args, const lsched_cluster *cluster) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t flags = args->queues ? LSCHED_METRICS_QUEUES : 0;
    int32_t rc = lsched_metrics_write(cluster, flags, print_bytes, NULL, &err);
    /* the main function reports output that cannot be written */
    return rc < 0 && rc != LSCHED_E_STATE ? library_error(NULL, &err) : EXIT_OK;
}

static int metrics_of_saved(const struct metrics_args *args, const struct input_file *file) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = NULL;
    if (args->policy != NULL)
        return usage_error("metrics", "--policy is for scenarios; %s is a saved cluster",
                           file->name);
    if (lsched_cluster_load(NULL, file->text, file->len, &cluster, &err) < 0) {
        int rc = library_error(file->name, &err);
        return err.code == LSCHED_E_NOMEM ? rc : EXIT_INPUT;
    }
    int rc = metrics_print(args, cluster);
    lsched_cluster_destroy(cluster);
    return rc;
}

static int32_t metrics_begins(void *user, const lsched_cluster *cluster,
                              const lsched_schedule_opts *schedule) {
    (void)user;
    (void)cluster;
    (void)schedule;
    return 0;
}

static int32_t metrics_go_on(void *user, const lsched_scenario_cycle *cycle) {
    (void)user;
    (void)cycle;
    return 0;
}

static int metrics_of_scenario(const struct metrics_args *args, const struct input_file *file) {
    struct session session;
    struct policy_source policy = {0};
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = EXIT_OK;
    if (args->policy != NULL) rc = policy_source_open("metrics", args->policy, &policy);
    if (rc != EXIT_OK) return rc;
    rc = session_open_text(file, args->policy != NULL ? &policy : NULL, &session);
    if (rc == EXIT_OK && session_play(&session, metrics_begins, metrics_go_on, NULL, &err) < 0)
        rc = library_error(file->name, &err);
    if (rc == EXIT_OK) rc = metrics_print(args, session.cluster);
    session_close(&session);
    if (args->policy != NULL) policy_source_close(&policy);
    return rc;
}

static int metrics(const void *argument, const struct parsed *words) {
    const struct metrics_args *args = argument;
    struct input_file file;
    int rc = session_read_file(words->positionals[0], &file);
    if (rc != EXIT_OK) return rc;
    size_t begin = sizeof saved_begins - 1;
    bool saved = file.len >= begin && memcmp(file.text, saved_begins, begin) == 0;
    rc = saved ? metrics_of_saved(args, &file) : metrics_of_scenario(args, &file);
    input_free(&file);
    return rc;
}

#define ARGS struct metrics_args
static const struct option options[] = {
    INPUT(ALL, "policy", "P", policy,
          "use this policy (a name or a Lua file) instead of the scenario's"),
    FLAG(ALL, "queues", queues, "also print the counters of each queue"),
};

const struct command command_metrics = {
    .name = "metrics",
    .arguments = "FILE",
    .summary = "print the counters of a cluster for a monitoring system",
    .about = "Plays all steps of a scenario, or loads a saved cluster, and prints the counters and "
             "some present values as OpenMetrics text, which Prometheus and others read. An "
             "orchestrator serves the same text with lsched_metrics_write().",
    .examples = "  lsched metrics examples/scenarios/research-and-product.yaml\n"
                "  lsched metrics cluster.yaml --queues --policy drf",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = 1,
    .run = metrics,
};
