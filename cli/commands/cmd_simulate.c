/*
 * cmd_simulate.c -- the command `lsched simulate TRACE`: its arguments and options, and the replay
 * of the trace openb. That replay shows how many GPUs of a cluster each policy leaves unused if the
 * same tasks arrive. philly_command.c replays the trace philly.
 *
 * All policies are replayed with the same seeds, which decide the order of arrival. Therefore two
 * policies are compared on equal orders of arrival.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/policy/policy_params.h"
#include "cli/support/options.h"
#include "cli/support/did_you_mean.h"
#include "cli/commands/philly_command.h"
#include "cli/commands/swf_command.h"
#include "cli/replay/simulate_report.h"

enum {
    SEEDS_MAX = 10000,
    GPUS_MAX = 1048576,
    MINUTES_MAX = 5256000, /* ten years */
    SECONDS_MAX = 86400
};
#define SEED_MAX ((int64_t)1 << 62)

/* ---- input ---- */

static int read_inputs(struct simulation *sim) {
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read(sim->args->nodes, &sim->nodes_file);
    if (rc == EXIT_OK) rc = input_read(sim->args->tasks, &sim->tasks_file);
    if (rc != EXIT_OK) return rc;
    if (openb_nodes_read(sim->nodes_file.text, sim->nodes_file.len, &sim->nodes, &err) < 0) {
        return library_error(sim->nodes_file.name, &err);
    }
    if (openb_tasks_read(sim->tasks_file.text, sim->tasks_file.len, &sim->tasks, &err) < 0) {
        return library_error(sim->tasks_file.name, &err);
    }
    sim->nodes_print = input_fingerprint(&sim->nodes_file);
    sim->tasks_print = input_fingerprint(&sim->tasks_file);
    openb_mix_make(&sim->tasks, &sim->mix);
    return EXIT_OK;
}

/* Computes a lower bound on the unused GPUs, which holds for every policy on these orders of
 * arrival. */
static void find_bound(struct simulation *sim) {
    struct replay replay = {.nodes = &sim->nodes, .tasks = &sim->tasks};
    double seeds = (double)sim->args->seeds;
    for (int64_t s = 0; s < sim->args->seeds; s++) {
        struct openb_bound bound;
        openb_bound_of(&replay, (uint64_t)(sim->args->seed_first + s), &bound);
        sim->bound.totals_percent += bound.totals_percent / seeds;
        sim->bound.pieces_percent += bound.pieces_percent / seeds;
    }
}

/* ---- replaying ---- */

static void step(void *user, uint64_t arrived, uint64_t arrivals) {
    struct simulation *sim = user;
    uint64_t seeds = (uint64_t)sim->args->seeds;
    uint64_t replays = sim->policy_now * seeds + sim->seed_now;
    char label[128];
    snprintf(label, sizeof label, "%s, order %zu of %" PRIu64, sim->policies[sim->policy_now].word,
             sim->seed_now + 1, seeds);
    /* progress is counted in thousandths of a replay, because the numbers of arrivals differ a
     * little between the seeds */
    progress_step(&sim->progress, replays * 1000 + arrived * 1000 / arrivals, label);
}

static int replay_error(const struct simulation *sim, lsched_error *err) {
    if (openb_error_of_node(&sim->nodes, err)) return library_error(sim->nodes_file.name, err);
    return policy_source_error(&sim->policies[sim->policy_now], NULL, err);
}

static int replay_all(struct simulation *sim) {
    size_t seeds = (size_t)sim->args->seeds, policies = sim->args->policies.n;
    sim->results = must_alloc(policies * seeds * sizeof sim->results[0]);
    progress_begin(&sim->progress, sim->args->progress, sim->args->no_progress,
                   policies * seeds * 1000);
    for (sim->policy_now = 0; sim->policy_now < policies; sim->policy_now++) {
        struct replay replay = {.nodes = &sim->nodes,
                                .tasks = &sim->tasks,
                                .policy = &sim->policies[sim->policy_now],
                                .shuffle_nodes = sim->args->shuffle_nodes,
                                .step = step,
                                .user = sim};
        for (sim->seed_now = 0; sim->seed_now < seeds; sim->seed_now++) {
            lsched_error err = LSCHED_ERROR_INIT;
            struct replay_result *result = &sim->results[sim->policy_now * seeds + sim->seed_now];
            uint64_t seed = (uint64_t)sim->args->seed_first + sim->seed_now;
            if (openb_replay(&replay, &sim->mix, seed, result, &err) < 0) {
                progress_hide(&sim->progress);
                return replay_error(sim, &err);
            }
            /* The replay ends before the last arrivals if these ask for no GPU. Therefore this call
             * shows the replay as finished. */
            step(sim, 1, 1);
        }
    }
    progress_hide(&sim->progress);
    return EXIT_OK;
}

/* ---- the command ---- */

static void free_simulation(struct simulation *sim) {
    for (size_t i = 0; i < OPTION_LIST_MAX; i++) policy_source_close(&sim->policies[i]);
    openb_mix_free(&sim->mix);
    openb_nodes_free(&sim->nodes);
    openb_tasks_free(&sim->tasks);
    input_free(&sim->nodes_file);
    input_free(&sim->tasks_file);
    free(sim->results);
    free(sim->params);
}

static int check_openb(const struct simulate_args *args) {
    const char *command = "simulate";
    if (args->nodes == NULL) return usage_error(command, "--nodes FILE is missing");
    if (args->tasks == NULL) return usage_error(command, "--tasks FILE is missing");
    if (args->policies.n == 0)
        return usage_error(command, "--policy is missing; 'lsched policies' lists them");
    return EXIT_OK;
}

static int simulate_openb(const struct simulate_args *args) {
    int rc = check_openb(args);
    if (rc != EXIT_OK) return rc;
    struct simulation *sim = must_alloc_zero(sizeof *sim);
    sim->args = args;
    rc = policy_sources_open("simulate", &args->policies, sim->policies);
    if (rc == EXIT_OK)
        rc = policy_params_for_all("simulate", &args->params, sim->policies, args->policies.n,
                                   &sim->params);
    if (rc == EXIT_OK) rc = read_inputs(sim);
    if (rc == EXIT_OK) rc = replay_all(sim);
    if (rc == EXIT_OK) find_bound(sim);
    if (rc == EXIT_OK && args->json) simulate_print_json(sim);
    if (rc == EXIT_OK && !args->json) simulate_print_table(sim);
    free_simulation(sim);
    free(sim);
    return rc;
}

/* ---- arguments and options ---- */

static const char *const trace_names[] = {"openb", "philly", "swf", NULL};
enum { TRACE_OPENB, TRACE_PHILLY, TRACE_SWF };
/* masks of traces; each option has the mask of the traces for which it can be given */
enum { OPENB = 1 << TRACE_OPENB, PHILLY = 1 << TRACE_PHILLY, SWF = 1 << TRACE_SWF };

#define ARGS struct simulate_args
static const struct option options[] = {
    INPUTS(
        ALL, "policy", "P", policies,
        "a ready-made policy by name, or a Lua file by its path; give it several times to compare"),
    LIST(ALL, "param", "NAME=VALUE", params,
         "a value for a parameter of every policy; may be given several times"),
    FLAG(ALL, "json", json, "print JSON instead of a table"),
    PROGRESS_OPTIONS,

    INPUT(OPENB, "nodes", "FILE", nodes, "openb: the node list (CSV)"),
    INPUT(OPENB, "tasks", "FILE", tasks, "openb: the task list (CSV)"),
    COUNT(OPENB, "seeds", "N", seeds, 10, 1, SEEDS_MAX,
          "openb: how many arrival orders to average over (10)"),
    COUNT(OPENB, "seed-first", "S", seed_first, 42, 0, SEED_MAX,
          "openb: the first seed (42); the others follow"),
    FLAG(OPENB, "shuffle-nodes", shuffle_nodes,
         "openb: add the nodes in random order, to see whether the order matters"),

    COUNT(PHILLY, "gpus", "N", gpus, 512, 0, GPUS_MAX, "philly: GPUs of the cluster (512)"),
    COUNT(PHILLY, "gpus-per-node", "K", gpus_per_node, 1, 1, LSCHED_DEVICES_PER_NODE_MAX,
          "philly: GPUs of each node (1: the cluster is one pool)"),
    TEXT(PHILLY | SWF, "queues", "BY", queues,
         "philly: 'by-vc' (the default: a queue for each virtual cluster, with its part of the "
         "GPUs as quota) or 'one'; swf: 'one' (the default), 'by-queue', 'by-user' or 'by-group'"),
    INPUT(PHILLY, "vc", "FILE", vc,
          "philly: nodes of each virtual cluster (philly_vc.csv beside the jobs)"),
    FLAG(PHILLY, "static-partition", static_partition,
         "philly: no queue gets more than its quota, nothing is evicted"),
    FLAG(PHILLY, "compare-static", compare_static,
         "philly: show a static partition beside the policies"),
    FLAG(PHILLY, "overtake", overtake,
         "philly: a job may start before an earlier one of its queue"),
    TEXT(PHILLY, "window-days", "A:B", window_days,
         "philly: measure days A to B after the first submission as well"),
    COUNT(PHILLY, "protect-minutes", "M", protect_minutes, 30, 0, MINUTES_MAX,
          "philly: what runs for less is not evicted (30)"),
    COUNT(PHILLY, "checkpoint-minutes", "M", checkpoint_minutes, 60, 0, MINUTES_MAX,
          "philly: how often a job saves its work (60); 0: never"),
    COUNT(PHILLY, "release-seconds", "S", release_seconds, 0, 0, SECONDS_MAX,
          "philly: how long an evicted task takes to stop (0)"),
    FLAG(PHILLY, "known-durations", known_durations,
         "philly: tell the policy how long each job will run"),
    FLAG(PHILLY | SWF, "verify", verify,
         "philly, swf: check every plan with the independent verifier"),

    COUNT(SWF, "procs", "M", procs, NOT_GIVEN, 1, JOB_UNITS_MAX,
          "swf: processors of the machine (MaxProcs of the log's header)"),
    FLAG(SWF, "perfect-estimates", perfect_estimates,
         "swf: the estimate of each job is its run time"),
    FLAG(SWF, "overrun", overrun, "swf: a run may outlast its estimate, and is not cut there"),
    FLAG(SWF, "promises", promises,
         "swf: judge the starts that waiting jobs are told: how often they are missed, and how "
         "sharp they are"),
    FLAG(SWF, "drop-zero-runs", drop_zero_runs, "swf: leave out jobs that ran for 0 seconds"),
    OUTPUT(PHILLY | SWF, "per-job", "FILE.csv", per_job,
           "philly, swf: write when each job started and ended, one row for each"),
};

static int check_words(const struct simulate_args *args, const struct parsed *words,
                       size_t *trace) {
    const char *command = "simulate";
    const char *word = words->positionals[0];
    for (*trace = 0; trace_names[*trace] != NULL && strcmp(word, trace_names[*trace]) != 0;)
        ++*trace;
    if (trace_names[*trace] == NULL) {
        const char *meant = suggest_listed(word, trace_names);
        return usage_error(command, "unknown trace '%s'%s", word,
                           meant != NULL ? did_you_mean(meant).text
                                         : "; there are: openb, philly, swf");
    }
    if (*trace == TRACE_OPENB && words->n_positionals > 1)
        return usage_error(command, "unexpected argument '%s'", words->positionals[1]);
    if (*trace == TRACE_PHILLY && words->n_positionals < 2)
        return usage_error(command, "simulate philly needs FILE, the list of jobs");
    if (*trace == TRACE_SWF && words->n_positionals < 2)
        return usage_error(command, "simulate swf needs FILE, the log");
    int rc = options_check_kind(&command_simulate, words, (uint32_t)*trace, word);
    if (rc == EXIT_OK && args->progress && args->no_progress)
        rc = usage_error(command, "--progress and --no-progress exclude each other");
    return rc;
}

static int simulate(const void *args, const struct parsed *words) {
    size_t trace = 0;
    int rc = check_words(args, words, &trace);
    if (rc != EXIT_OK) return rc;
    switch (trace) {
    case TRACE_PHILLY: return philly_simulate(&command_simulate, args, words->positionals[1]);
    case TRACE_SWF: return swf_simulate(args, words->positionals[1]);
    default: return simulate_openb(args);
    }
}

const struct command command_simulate = {
    .name = "simulate",
    .arguments = "openb | philly FILE | swf FILE",
    .summary = "replay a trace and measure what a policy makes of it",
    .about =
        "openb: the cluster of Alibaba (1,213 GPU nodes with 6,212 GPUs) by the protocol of the "
        "FGD paper: tasks arrive in random order until 130 % of all GPUs have been asked for, none "
        "ends, and a task that fits nowhere is dropped. The result is the share of GPUs that stay "
        "unallocated: what a policy loses to fragmentation. "
        "philly FILE: four months of jobs of Microsoft's Philly clusters in virtual time: "
        "arrivals, departures, evictions, restarts from checkpoints. The result is how long jobs "
        "wait, how much of the cluster stays idle, and what evictions cost. "
        "swf FILE: the log of a batch system in the Standard Workload Format, on one pool of "
        "processors. --policy also takes the schedulers of the literature: fcfs, easy, easy-sjbf, "
        "conservative, sjf. "
        "Every policy sees the same arrivals.",
    .examples = "  lsched simulate openb --policy best-fit --policy fgd --policy mine.lua \\\n"
                "      --nodes examples/openb/nodes.csv --tasks examples/openb/tasks.csv\n"
                "  lsched simulate openb --nodes N.csv --tasks T.csv --policy mine.lua \\\n"
                "      --seeds 30 --shuffle-nodes --json\n"
                "  lsched simulate philly examples/philly/jobs.csv --policy guaranteed-quota \\\n"
                "      --compare-static\n"
                "  lsched simulate swf examples/swf/log.swf --policy easy --policy conservative",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = 2,
    .run = simulate,
};
