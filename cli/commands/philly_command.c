/*
 * philly_command.c -- see philly_command.h. This file reads the job list and the list of virtual
 * clusters, and runs the arms one after the other.
 */
#include "cli/commands/philly_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/philly_report.h"
#include "cli/replay/batch_figures.h"
#include "cli/replay/classic_policies.h"
#include "cli/traces/philly_trace.h"
#include "cli/replay/simulate_report.h"
#include "cli/input/xz_input.h"
#include "cli/policy/policy_params.h"
#include "cli/support/options.h"

#define MINUTE_US ((int64_t)60000000)

enum { PROGRESS_PARTS = 1000 }; /* steps of the progress display for one arm */

/* ---- the command line ---- */

static int check_queues(const struct simulate_args *args) {
    static const char *const words[] = {"by-vc", "one", NULL};
    const char *command = "simulate";
    size_t by = 0;
    int rc = options_choose(command, "--queues", args->queues, words, &by);
    if (rc != EXIT_OK) return rc;
    bool one = by == 1;
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
    const char *command = "simulate";
    if (args->policies.n == 0)
        return usage_error(command, "--policy is missing; 'lsched policies' lists them");
    if (args->policies.n > PHILLY_POLICIES_MAX)
        return usage_error(command, "--policy is given more than %d times", PHILLY_POLICIES_MAX);
    if (args->gpus < 1 || args->gpus % args->gpus_per_node != 0) {
        return usage_error(
            command, "--gpus: expected a multiple of %" PRId64 ", the GPUs of a node, got %" PRId64,
            args->gpus_per_node, args->gpus);
    }
    return check_queues(args);
}

/* The schedulers of the literature know one queue and nothing else. */
static int check_classics(const struct philly_simulation *sim) {
    bool one = sim->args->queues != NULL && strcmp(sim->args->queues, "one") == 0;
    for (size_t i = 0; i < sim->args->policies.n && !one; i++)
        if (classic_policies_has(&sim->policies[i]))
            return usage_error("simulate", "--policy %s needs --queues one", sim->policies[i].word);
    return EXIT_OK;
}

/* ---- input ---- */

/* Sets the window by the days that the caller has asked for. A window after the last submission is
 * an error: its figures would be those of an idle cluster. */
static int set_window(struct philly_simulation *sim) {
    const struct job_list *list = &sim->list;
    int64_t first_us = list->jobs[0].submit_us;
    int64_t last_us = list->jobs[list->n_jobs - 1].submit_us;
    for (size_t i = 0; i < 2; i++) sim->window_us[i] = first_us + sim->window[i] * JOB_DAY_US;
    if (sim->args->window_days == NULL || sim->window_us[0] <= last_us) return EXIT_OK;
    complain("%s: --window-days %s begins after the last submission, which is in day %" PRId64,
             sim->jobs_file.name, sim->args->window_days, (last_us - first_us) / JOB_DAY_US);
    return EXIT_INPUT;
}

static int read_inputs(struct philly_simulation *sim, const char *path) {
    lsched_error err = LSCHED_ERROR_INIT;
    bool by_vc = sim->args->queues == NULL || strcmp(sim->args->queues, "by-vc") == 0;
    int rc = input_read_packed(path, &sim->jobs_file);
    if (rc == EXIT_OK && by_vc)
        rc = philly_vcs_open(sim->args->vc, &sim->jobs_file, path, &sim->vcs_file, &sim->list);
    if (rc == EXIT_OK && by_vc) rc = options_spare(sim->command, sim->args, sim->vcs_file.name);
    if (rc != EXIT_OK) return rc;
    if (philly_jobs_read(sim->jobs_file.text, sim->jobs_file.len, &sim->list, &err) < 0)
        return library_error(sim->jobs_file.name, &err);
    rc = set_window(sim);
    if (rc != EXIT_OK || !by_vc) return rc;
    sim->quotas = must_alloc(sim->list.n_queues * sizeof sim->quotas[0]);
    simulation_quotas(&sim->list, sim->args->gpus, sim->quotas);
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

/* Writes the rows of one arm of --per-job. A static partition has a name of its own. */
static int write_jobs(struct philly_simulation *sim, const struct philly_arm *arm) {
    bool partition = arm->static_partition && sim->args->compare_static;
    return batch_figures_csv(sim->args->per_job, sim->arm_now > 0,
                             partition ? "static partition" : arm->policy->word, &sim->list,
                             arm->result.outcomes);
}

static int replay_all(struct philly_simulation *sim) {
    const struct simulate_args *args = sim->args;
    choose_arms(sim);
    progress_begin(&sim->progress, args->progress, args->no_progress, sim->n_arms * PROGRESS_PARTS);
    for (sim->arm_now = 0; sim->arm_now < sim->n_arms; sim->arm_now++) {
        struct philly_arm *arm = &sim->arms[sim->arm_now];
        bool classic = classic_policies_has(arm->policy), pool = args->gpus_per_node == 1;
        enum job_rank rank = classic_policies_rank(arm->policy);
        struct simulation_setup setup = {
            .list = &sim->list,
            .policy = arm->policy,
            .rank = rank,
            /* Nodes of one GPU are a pool, in which a job needs only a number. For a scheduler of
             * the literature, which reads nothing else, the pool is one node. */
            .kind = classic && pool ? LSCHED_CPU : LSCHED_GPU,
            .units = args->gpus,
            .node_units = (uint32_t)(classic && pool ? args->gpus : args->gpus_per_node),
            .quota_units = sim->quotas,
            .one_queue = sim->quotas == NULL,
            .static_partition = arm->static_partition,
            .overtake = args->overtake || classic,
            .known_durations = args->known_durations || classic,
            .verify = args->verify,
            /* published figures of preemptive schedulers are for preemption at no cost */
            .protect_us = rank != RANK_NONE ? 0 : args->protect_minutes * MINUTE_US,
            .checkpoint_us = rank != RANK_NONE ? 1 : args->checkpoint_minutes * MINUTE_US,
            .release_us = args->release_seconds * 1000000,
            .window_us = {sim->window_us[0], sim->window_us[1]},
            .step = step,
            .user = sim,
        };
        lsched_error err = LSCHED_ERROR_INIT;
        int32_t rc = job_simulation(&setup, &arm->result, &err);
        if (rc < 0) progress_hide(&sim->progress);
        if (rc < 0) return policy_source_error(arm->policy, sim->jobs_file.name, &err);
        arm->figures = batch_figures_of(&sim->list, arm->result.outcomes, args->gpus);
        if (args->per_job != NULL && write_jobs(sim, arm) != EXIT_OK) return EXIT_INTERNAL;
        step(sim, 1, 1);
    }
    progress_hide(&sim->progress);
    return EXIT_OK;
}

static void free_simulation(struct philly_simulation *sim) {
    for (size_t i = 0; i < sim->n_arms; i++) job_simulation_free(&sim->arms[i].result);
    for (size_t i = 0; i < PHILLY_POLICIES_MAX; i++) policy_source_close(&sim->policies[i]);
    job_list_free(&sim->list);
    input_free(&sim->jobs_file);
    input_free(&sim->vcs_file);
    free(sim->quotas);
    free(sim->params);
}

int philly_simulate(const struct command *command, const struct simulate_args *args,
                    const char *file) {
    int rc = check_args(args);
    if (rc != EXIT_OK) return rc;
    struct philly_simulation *sim = must_alloc_zero(sizeof *sim);
    sim->command = command;
    sim->args = args;
    rc = job_list_days("simulate", args->window_days, sim->window);
    if (rc == EXIT_OK) rc = classic_policies_open("simulate", &args->policies, sim->policies);
    if (rc == EXIT_OK)
        rc = policy_params_for_all("simulate", &args->params, sim->policies, args->policies.n,
                                   &sim->params);
    if (rc == EXIT_OK) rc = check_classics(sim);
    if (rc == EXIT_OK) rc = read_inputs(sim, file);
    if (rc == EXIT_OK) rc = replay_all(sim);
    if (rc == EXIT_OK && args->json) philly_report_json(sim);
    if (rc == EXIT_OK && !args->json) philly_report_print(sim);
    free_simulation(sim);
    free(sim);
    return rc;
}
