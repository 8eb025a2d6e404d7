/* swf_command.c -- see swf_command.h. */
#include "cli/commands/swf_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/xz_input.h"
#include "cli/policy/policy_params.h"
#include "cli/replay/batch_figures.h"
#include "cli/replay/classic_policies.h"
#include "cli/replay/job_simulation.h"
#include "cli/replay/simulate_report.h"
#include "cli/support/json_writer.h"
#include "cli/support/options.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"
#include "cli/traces/swf_trace.h"

enum { PROGRESS_PARTS = 1000 }; /* steps of the progress display for one policy */

struct swf_simulation {
    const struct simulate_args *args;
    struct input_file file;
    struct swf_trace trace;
    int64_t procs;
    bool one_queue;
    uint64_t dropped;
    struct policy_source policies[OPTION_LIST_MAX];
    lsched_param *params;
    struct batch_figures figures[OPTION_LIST_MAX];
    struct progress progress;
    size_t policy_now;
};

/* ---- the log ---- */

/* Applies the rules for run times and estimates. A plan needs an estimate, therefore an estimate of
 * 0 seconds becomes a microsecond. */
static void apply_rules(struct swf_simulation *sim) {
    for (size_t i = 0; i < sim->trace.list.n_jobs; i++) {
        struct listed_job *job = &sim->trace.list.jobs[i];
        if (job->estimate_us == 0) job->estimate_us = job->duration_us;
        if (job->duration_us > job->estimate_us && !sim->args->overrun)
            job->duration_us = job->estimate_us;
        if (sim->args->perfect_estimates) job->estimate_us = job->duration_us;
        if (job->estimate_us == 0) job->estimate_us = 1;
    }
}

static int find_procs(struct swf_simulation *sim) {
    sim->procs = sim->args->procs;
    if (sim->procs == NOT_GIVEN)
        sim->procs = sim->trace.max_procs > 0 ? sim->trace.max_procs : sim->trace.max_nodes;
    if (sim->procs == 0) {
        complain("%s: the header has neither MaxProcs nor MaxNodes; --procs M says how many "
                 "processors there are",
                 sim->file.name);
        return EXIT_INPUT;
    }
    if (sim->procs <= JOB_UNITS_MAX) return EXIT_OK;
    complain("%s: expected at most %d processors (MaxProcs in the header), got %" PRId64,
             sim->file.name, JOB_UNITS_MAX, sim->procs);
    return EXIT_INPUT;
}

static int read_log(struct swf_simulation *sim, const char *path, size_t by) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read_packed(path, &sim->file);
    if (rc != EXIT_OK) return rc;
    if (swf_read(sim->file.text, sim->file.len, sim->one_queue ? SWF_BY_QUEUE : (enum swf_queues)by,
                 !sim->args->drop_zero_runs, &sim->trace, &err) < 0)
        return library_error(sim->file.name, &err);
    apply_rules(sim);
    return find_procs(sim);
}

/* ---- replaying ---- */

static void step(void *user, uint64_t done, uint64_t total) {
    struct swf_simulation *sim = user;
    progress_step(&sim->progress, sim->policy_now * PROGRESS_PARTS + done * PROGRESS_PARTS / total,
                  sim->policies[sim->policy_now].word);
}

static int replay(struct swf_simulation *sim, const struct policy_source *policy,
                  struct batch_figures *figures) {
    struct simulation_setup setup = {
        .list = &sim->trace.list,
        .policy = policy,
        .kind = LSCHED_CPU,
        .units = sim->procs,
        .node_units = (uint32_t)sim->procs,
        .one_queue = sim->one_queue,
        .overtake = true,
        .estimates = true,
        .verify = sim->args->verify,
        .step = step,
        .user = sim,
    };
    struct simulation_result result;
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = EXIT_OK;
    if (job_simulation(&setup, &result, &err) < 0) {
        progress_hide(&sim->progress);
        rc = policy_source_error(policy, sim->file.name, &err);
    } else {
        *figures = batch_figures_of(&sim->trace.list, result.outcomes, sim->procs);
        sim->dropped = result.measure.dropped;
        if (sim->args->per_job != NULL)
            rc = batch_figures_csv(sim->args->per_job, sim->policy_now > 0, policy->word,
                                   &sim->trace.list, result.outcomes);
    }
    job_simulation_free(&result);
    return rc;
}

static int replay_all(struct swf_simulation *sim) {
    size_t n = sim->args->policies.n;
    int rc = EXIT_OK;
    progress_begin(&sim->progress, sim->args->progress, sim->args->no_progress, n * PROGRESS_PARTS);
    for (sim->policy_now = 0; rc == EXIT_OK && sim->policy_now < n; sim->policy_now++)
        rc = replay(sim, &sim->policies[sim->policy_now], &sim->figures[sim->policy_now]);
    progress_hide(&sim->progress);
    return rc;
}

/* ---- output ---- */

static void json_policy(struct json *json, const struct swf_simulation *sim, size_t i) {
    json_object(json, NULL, JSON_LINES);
    json_string(json, "policy", sim->policies[i].word);
    batch_figures_json(json, &sim->figures[i]);
    json_uint(json, "dropped", sim->dropped);
    json_uint(json, "never_ran", sim->trace.never_ran);
    json_int(json, "procs", sim->procs);
    json_close(json);
}

static void print_json(const struct swf_simulation *sim) {
    struct json json;
    size_t n = sim->args->policies.n;
    if (n == 1) {
        json_begin(&json, stdout);
        json_policy(&json, sim, 0);
        json_end(&json);
        return;
    }
    json_begin_object(&json, stdout);
    json_array(&json, "policies", JSON_LINES);
    for (size_t i = 0; i < n; i++) json_policy(&json, sim, i);
    json_close(&json);
    json_end(&json);
}

static void print_table(const struct swf_simulation *sim) {
    struct text_table table;
    char mean[TIME_TEXT_BYTES], longest[TIME_TEXT_BYTES];
    printf("%zu jobs on %" PRId64 " processors; %" PRIu64 " dropped, %" PRIu64 " never ran\n\n",
           sim->trace.list.n_jobs, sim->procs, sim->dropped, sim->trace.never_ran);
    table_begin(&table, "lrrrrr");
    static const char *const heads[] = {"policy",           "wait, mean", "wait, longest",
                                        "completion, mean", "slowdown",   "in use, %"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) table_cell(&table, "%s", heads[i]);
    for (size_t i = 0; i < sim->args->policies.n; i++) {
        const struct batch_figures *figures = &sim->figures[i];
        table_cell(&table, "%s", sim->policies[i].word);
        table_cell(&table, "%s", span_short(figures->mean_wait_s, mean));
        table_cell(&table, "%s", span_short(figures->max_wait_s, longest));
        table_cell(&table, "%s", span_short(figures->mean_jct_s, mean));
        table_cell(&table, "%.3f", figures->bounded_slowdown);
        table_cell(&table, "%.1f", 100 * figures->utilization);
    }
    table_print(&table, stdout, 0, 0);
}

/* ---- the command ---- */

static int check_args(struct swf_simulation *sim, size_t *by) {
    static const char *const words[] = {"by-queue", "by-user", "by-group", "one", NULL};
    enum { ONE = 3 };
    if (sim->args->policies.n == 0)
        return usage_error("simulate", "--policy is missing; 'lsched policies' lists them, and "
                                       "fcfs, easy, easy-sjbf, conservative and sjf are known");
    *by = ONE;
    int rc = options_choose("simulate", "--queues", sim->args->queues, words, by);
    sim->one_queue = *by == ONE;
    return rc;
}

int swf_simulate(const struct simulate_args *args, const char *file) {
    struct swf_simulation *sim = must_alloc_zero(sizeof *sim);
    size_t by = 0;
    sim->args = args;
    int rc = check_args(sim, &by);
    if (rc == EXIT_OK) rc = classic_policies_open("simulate", &args->policies, sim->policies);
    if (rc == EXIT_OK)
        rc = policy_params_for_all("simulate", &args->params, sim->policies, args->policies.n,
                                   &sim->params);
    if (rc == EXIT_OK) rc = batch_figures_check("simulate", args->per_job, file);
    if (rc == EXIT_OK) rc = read_log(sim, file, by);
    if (rc == EXIT_OK) rc = replay_all(sim);
    if (rc == EXIT_OK && args->json) print_json(sim);
    if (rc == EXIT_OK && !args->json) print_table(sim);
    for (size_t i = 0; i < OPTION_LIST_MAX; i++) policy_source_close(&sim->policies[i]);
    free(sim->params);
    swf_free(&sim->trace);
    input_free(&sim->file);
    free(sim);
    return rc;
}
