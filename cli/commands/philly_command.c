/*
 * philly_command.c -- see philly_command.h. This file reads the lists and runs the arms one after
 * the other.
 */
#include "cli/commands/philly_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/traces/philly_trace.h"
#include "cli/replay/simulate_report.h"
#include "cli/input/xz_input.h"

#define MINUTE_US ((int64_t)60000000)
#define DAY_US    (1440 * MINUTE_US)

enum {
    GPUS_MAX = 1048576,
    MINUTES_MAX = 5256000, /* ten years */
    SECONDS_MAX = 86400,
    DAYS_MAX = 100000,
    PROGRESS_PARTS = 1000 /* parts of one arm */
};

/* ---- the command line ---- */

static int check_range(const struct command *command, const char *name, int64_t value,
                       int64_t max) {
    if (value <= max) return EXIT_OK;
    return usage_error(command, "--%s: expected at most %" PRId64 ", got %" PRId64, name, max,
                       value);
}

static int check_queues(const struct simulate_args *args) {
    const struct command *command = args->command;
    bool one = args->queues != NULL && strcmp(args->queues, "one") == 0;
    if (args->queues != NULL && !one && strcmp(args->queues, "by-vc") != 0)
        return usage_error(command, "--queues: expected by-vc or one, got '%s'", args->queues);
    if (one && (args->static_partition || args->compare_static))
        return usage_error(command,
                           "a static partition needs --queues by-vc: it has no other parts");
    if (one && args->vc != NULL)
        return usage_error(command, "--vc gives the quotas of --queues by-vc; 'one' has none");
    if (args->static_partition && args->compare_static) {
        return usage_error(command,
                           "--static-partition and --compare-static exclude each other: the "
                           "second adds a static partition to the policies");
    }
    return EXIT_OK;
}

static int check_args(const struct simulate_args *args) {
    const struct command *command = args->command;
    if (args->policies.n == 0)
        return usage_error(command, "--policy is missing; 'lsched policies' lists them");
    if (args->policies.n > PHILLY_POLICIES_MAX)
        return usage_error(command, "--policy is given more than %d times", PHILLY_POLICIES_MAX);
    if (args->gpus_per_node < 1 || args->gpus_per_node > LSCHED_DEVICES_PER_NODE_MAX) {
        return usage_error(command, "--gpus-per-node: expected 1 to %d, got %" PRId64,
                           LSCHED_DEVICES_PER_NODE_MAX, args->gpus_per_node);
    }
    if (args->gpus < 1 || args->gpus % args->gpus_per_node != 0) {
        return usage_error(
            command, "--gpus: expected a multiple of %" PRId64 ", the GPUs of a node, got %" PRId64,
            args->gpus_per_node, args->gpus);
    }
    int rc = check_range(args->command, "gpus", args->gpus, GPUS_MAX);
    if (rc == EXIT_OK)
        rc = check_range(args->command, "protect-minutes", args->protect_minutes, MINUTES_MAX);
    if (rc == EXIT_OK)
        rc =
            check_range(args->command, "checkpoint-minutes", args->checkpoint_minutes, MINUTES_MAX);
    if (rc == EXIT_OK)
        rc = check_range(args->command, "release-seconds", args->release_seconds, SECONDS_MAX);
    if (rc == EXIT_OK) rc = check_queues(args);
    return rc;
}

/* Reads a number of days of at most DAYS_MAX and moves *text behind it. */
static bool read_day(const char **text, int64_t *out) {
    char *end = NULL;
    if (**text < '0' || **text > '9') return false;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return *out <= DAYS_MAX;
}

static int read_window(struct philly_simulation *sim) {
    const char *text = sim->args->window_days;
    if (text == NULL) return EXIT_OK;
    bool right = read_day(&text, &sim->window[0]) && *text++ == ':' &&
                 read_day(&text, &sim->window[1]) && *text == '\0' &&
                 sim->window[0] < sim->window[1];
    if (right) return EXIT_OK;
    return usage_error(sim->args->command,
                       "--window-days: expected two days such as 14:70, got '%s'",
                       sim->args->window_days);
}

static int open_policies(struct philly_simulation *sim) {
    for (size_t i = 0; i < sim->args->policies.n; i++) {
        int rc =
            policy_source_open(sim->args->command, sim->args->policies.items[i], &sim->policies[i]);
        if (rc != EXIT_OK) return rc;
    }
    return EXIT_OK;
}

/* ---- input ---- */

static int read_vcs(struct philly_simulation *sim, const char *jobs_path) {
    static const char name[] = "philly_vc.csv";
    lsched_error err = LSCHED_ERROR_INIT;
    const char *slash = strrchr(jobs_path, '/');
    size_t directory = slash != NULL ? (size_t)(slash - jobs_path) + 1 : 0;
    char *beside = must_alloc(directory + sizeof name);
    memcpy(beside, jobs_path, directory);
    memcpy(beside + directory, name, sizeof name);
    int rc = input_read(sim->args->vc != NULL ? sim->args->vc : beside, &sim->vcs_file);
    if (rc == EXIT_OK) rc = input_unxz(&sim->vcs_file);
    if (rc == EXIT_OK &&
        philly_vcs_read(sim->vcs_file.text, sim->vcs_file.len, &sim->list, &err) < 0) {
        rc = library_error(sim->vcs_file.name, &err);
    }
    free(beside);
    return rc;
}

static int read_inputs(struct philly_simulation *sim, const char *path) {
    lsched_error err = LSCHED_ERROR_INIT;
    bool by_vc = sim->args->queues == NULL || strcmp(sim->args->queues, "by-vc") == 0;
    int rc = input_read(path, &sim->jobs_file);
    if (rc == EXIT_OK) rc = input_unxz(&sim->jobs_file);
    if (rc == EXIT_OK && by_vc) rc = read_vcs(sim, path);
    if (rc != EXIT_OK) return rc;
    if (philly_jobs_read(sim->jobs_file.text, sim->jobs_file.len, &sim->list, &err) < 0)
        return library_error(sim->jobs_file.name, &err);
    int64_t first_us = sim->list.jobs[0].submit_us;
    for (size_t i = 0; i < 2; i++) sim->window_us[i] = first_us + sim->window[i] * DAY_US;
    if (!by_vc) return EXIT_OK;
    sim->quotas = must_alloc(sim->list.n_queues * sizeof sim->quotas[0]);
    list_quotas(&sim->list, sim->args->gpus, sim->quotas);
    return EXIT_OK;
}

/* ---- replaying ---- */

static void step(void *user, uint64_t done, uint64_t total) {
    struct philly_simulation *sim = user;
    const struct philly_arm *arm = &sim->arms[sim->arm_now];
    char label[128];
    snprintf(label, sizeof label, "%s%s", arm->policy->word,
             arm->static_partition ? ", static partition" : "");
    progress_step(&sim->progress, sim->arm_now * PROGRESS_PARTS + done * PROGRESS_PARTS / total,
                  label);
}

static void choose_arms(struct philly_simulation *sim) {
    const struct simulate_args *args = sim->args;
    if (args->compare_static)
        sim->arms[sim->n_arms++] =
            (struct philly_arm){.policy = &sim->policies[0], .static_partition = true};
    for (size_t i = 0; i < args->policies.n; i++) {
        sim->arms[sim->n_arms++] = (struct philly_arm){.policy = &sim->policies[i],
                                                       .static_partition = args->static_partition};
    }
}

static int replay_error(const struct philly_simulation *sim, const struct policy_source *policy,
                        lsched_error *err) {
    bool blames_policy =
        err->code == LSCHED_E_POLICY || err->code == LSCHED_E_BUDGET || err->line > 0;
    const char *file = policy_source_name(policy);
    return library_error(blames_policy ? file : sim->jobs_file.name, err);
}

static int replay_all(struct philly_simulation *sim) {
    const struct simulate_args *args = sim->args;
    choose_arms(sim);
    progress_begin(&sim->progress, args->progress, args->no_progress, sim->n_arms * PROGRESS_PARTS);
    for (sim->arm_now = 0; sim->arm_now < sim->n_arms; sim->arm_now++) {
        struct philly_arm *arm = &sim->arms[sim->arm_now];
        struct list_setup setup = {
            .list = &sim->list,
            .policy = arm->policy,
            .kind = LSCHED_GPU,
            .units = args->gpus,
            .node_units = (uint32_t)args->gpus_per_node,
            .quota_units = sim->quotas,
            .one_queue = sim->quotas == NULL,
            .static_partition = arm->static_partition,
            .overtake = args->overtake,
            .known_durations = args->known_durations,
            .verify = args->verify,
            .protect_us = args->protect_minutes * MINUTE_US,
            .checkpoint_us = args->checkpoint_minutes * MINUTE_US,
            .release_us = args->release_seconds * 1000000,
            .window_us = {sim->window_us[0], sim->window_us[1]},
            .step = step,
            .user = sim,
        };
        lsched_error err = LSCHED_ERROR_INIT;
        int32_t rc = list_replay(&setup, &arm->result, &err);
        if (rc < 0) progress_hide(&sim->progress);
        if (rc < 0) return replay_error(sim, arm->policy, &err);
        step(sim, 1, 1);
    }
    progress_hide(&sim->progress);
    return EXIT_OK;
}

static void free_simulation(struct philly_simulation *sim) {
    for (size_t i = 0; i < sim->n_arms; i++) list_result_free(&sim->arms[i].result);
    for (size_t i = 0; i < PHILLY_POLICIES_MAX; i++) policy_source_close(&sim->policies[i]);
    job_list_free(&sim->list);
    input_free(&sim->jobs_file);
    input_free(&sim->vcs_file);
    free(sim->quotas);
}

int philly_simulate(const struct simulate_args *args, const char *file) {
    int rc = check_args(args);
    if (rc != EXIT_OK) return rc;
    struct philly_simulation *sim = must_alloc(sizeof *sim);
    memset(sim, 0, sizeof *sim);
    sim->args = args;
    rc = read_window(sim);
    if (rc == EXIT_OK) rc = open_policies(sim);
    if (rc == EXIT_OK) rc = read_inputs(sim, file);
    if (rc == EXIT_OK) rc = replay_all(sim);
    if (rc == EXIT_OK && args->json) philly_print_json(sim);
    if (rc == EXIT_OK && !args->json) philly_print_table(sim);
    free_simulation(sim);
    free(sim);
    return rc;
}
