/*
 * cmd_simulate.c -- the command `lsched simulate TRACE`: its arguments and options, and the replay
 * of openb, which shows how much of a cluster each policy leaves unused on the same arrivals.
 * philly_command.c replays the other trace.
 *
 * All policies get the same seeds, therefore a difference between two policies is a difference on
 * equal orders of arrival.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/options.h"
#include "cli/support/did_you_mean.h"
#include "cli/commands/philly_command.h"
#include "cli/replay/simulate_report.h"

enum { SEEDS_MAX = 10000 };
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

static int open_policies(const struct command *command, struct simulation *sim) {
    for (size_t i = 0; i < sim->args->policies.n; i++) {
        int rc = policy_source_open(command, sim->args->policies.items[i], &sim->policies[i]);
        if (rc != EXIT_OK) return rc;
    }
    return EXIT_OK;
}

/* Computes the lower bound that holds for every policy on the same arrivals. */
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
    /* in thousandths of a replay, because the orders differ a little in length */
    progress_step(&sim->progress, replays * 1000 + arrived * 1000 / arrivals, label);
}

static int replay_error(const struct simulation *sim, lsched_error *err) {
    const struct policy_source *policy = &sim->policies[sim->policy_now];
    if (err->index >= 0 && (size_t)err->index < sim->nodes.n) {
        err->line = sim->nodes.items[err->index].line;
        err->column = 1;
        return library_error(sim->nodes_file.name, err);
    }
    bool blames_policy =
        err->code == LSCHED_E_POLICY || err->code == LSCHED_E_BUDGET || err->line > 0;
    return library_error(blames_policy ? policy_source_name(policy) : NULL, err);
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
            step(sim, 1, 1); /* a replay ends before trailing arrivals that ask for no GPU */
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
}

static int check_openb(const struct simulate_args *args) {
    const struct command *command = &command_simulate;
    if (args->nodes == NULL) return usage_error(command, "--nodes FILE is missing");
    if (args->tasks == NULL) return usage_error(command, "--tasks FILE is missing");
    if (args->policies.n == 0)
        return usage_error(command, "--policy is missing; 'lsched policies' lists them");
    if (args->seeds < 1 || args->seeds > SEEDS_MAX) {
        return usage_error(command, "--seeds: expected 1 to %d, got %" PRId64, SEEDS_MAX,
                           args->seeds);
    }
    if (args->seed_first > SEED_MAX) {
        return usage_error(command, "--seed-first: expected at most %" PRId64, SEED_MAX);
    }
    return EXIT_OK;
}

static int simulate_openb(const struct simulate_args *args) {
    int rc = check_openb(args);
    if (rc != EXIT_OK) return rc;
    struct simulation *sim = must_alloc(sizeof *sim);
    memset(sim, 0, sizeof *sim);
    sim->args = args;
    rc = open_policies(&command_simulate, sim);
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

static const char *const trace_names[] = {"openb", "philly", NULL};
enum { TRACE_OPENB, TRACE_PHILLY, TRACES };

static const char *trace_word(const void *list, size_t i) {
    (void)list;
    return trace_names[i];
}

#define AT(field) offsetof(struct simulate_args, field)
/* The options of all traces come first, then those of each trace; option_first has the start of
 * each group. */
static const struct option options[] = {
    {"policy", "P",
     "a ready-made policy by name, or a Lua file by its path; give it several times to compare",
     AT(policies), OPTION_LIST},
    {"json", NULL, "print JSON instead of a table", AT(json), OPTION_FLAG},
    {"progress", NULL, "show progress on stderr even if that is no terminal", AT(progress),
     OPTION_FLAG},
    {"no-progress", NULL, "show no progress", AT(no_progress), OPTION_FLAG},

    {"nodes", "FILE", "openb: the node list (CSV)", AT(nodes), OPTION_TEXT},
    {"tasks", "FILE", "openb: the task list (CSV)", AT(tasks), OPTION_TEXT},
    {"seeds", "N", "openb: how many arrival orders to average over (10)", AT(seeds), OPTION_COUNT},
    {"seed-first", "S", "openb: the first seed (42); the others follow", AT(seed_first),
     OPTION_COUNT},
    {"shuffle-nodes", NULL,
     "openb: add the nodes in random order, to see whether the order matters", AT(shuffle_nodes),
     OPTION_FLAG},

    {"gpus", "N", "philly: GPUs of the cluster (512)", AT(gpus), OPTION_COUNT},
    {"gpus-per-node", "K", "philly: GPUs of each node (1: the cluster is one pool)",
     AT(gpus_per_node), OPTION_COUNT},
    {"queues", "BY",
     "philly: 'by-vc' (the default: a queue for each virtual cluster, with its part of the GPUs as "
     "quota) or 'one'",
     AT(queues), OPTION_TEXT},
    {"vc", "FILE", "philly: nodes of each virtual cluster (philly_vc.csv beside the jobs)", AT(vc),
     OPTION_TEXT},
    {"static-partition", NULL, "philly: no queue gets more than its quota, nothing is evicted",
     AT(static_partition), OPTION_FLAG},
    {"compare-static", NULL, "philly: show a static partition beside the policies",
     AT(compare_static), OPTION_FLAG},
    {"overtake", NULL, "philly: a job may start before an earlier one of its queue", AT(overtake),
     OPTION_FLAG},
    {"window-days", "A:B", "philly: measure days A to B after the first submission as well",
     AT(window_days), OPTION_TEXT},
    {"protect-minutes", "M", "philly: what runs for less is not evicted (30)", AT(protect_minutes),
     OPTION_COUNT},
    {"checkpoint-minutes", "M", "philly: how often a job saves its work (60); 0: never",
     AT(checkpoint_minutes), OPTION_COUNT},
    {"release-seconds", "S", "philly: how long an evicted task takes to stop (0)",
     AT(release_seconds), OPTION_COUNT},
    {"known-durations", NULL, "philly: tell the policy how long each job will run",
     AT(known_durations), OPTION_FLAG},
    {"verify", NULL, "philly: check every plan with the independent verifier", AT(verify),
     OPTION_FLAG},
};
#undef AT
enum { N_OPTIONS = sizeof options / sizeof options[0] };
static const size_t option_first[TRACES + 1] = {4, 9, N_OPTIONS};

static int check_words(const struct simulate_args *args, char *const *words, size_t n_words,
                       size_t *trace) {
    const struct command *command = &command_simulate;
    for (*trace = 0; *trace < TRACES && strcmp(words[0], trace_names[*trace]) != 0;) ++*trace;
    if (*trace == TRACES) {
        const char *meant = suggest(words[0], trace_word, NULL);
        if (meant != NULL)
            return usage_error(command, "unknown trace '%s'; did you mean '%s'?", words[0], meant);
        return usage_error(command, "unknown trace '%s'; there are: openb, philly", words[0]);
    }
    if (*trace == TRACE_OPENB && n_words > 1)
        return usage_error(command, "unexpected argument '%s'", words[1]);
    if (*trace == TRACE_PHILLY && n_words < 2)
        return usage_error(command, "simulate philly needs FILE, the list of jobs");
    for (size_t i = option_first[0]; i < N_OPTIONS; i++) {
        bool own = i >= option_first[*trace] && i < option_first[*trace + 1];
        if (own || !option_is_given(args, &options[i])) continue;
        return usage_error(command, "--%s is not for %s", options[i].name, words[0]);
    }
    if (args->progress && args->no_progress)
        return usage_error(command, "--progress and --no-progress exclude each other");
    return EXIT_OK;
}

static void preset(int64_t *count, int64_t value) {
    if (*count == NOT_GIVEN) *count = value;
}

static int simulate(const void *argument, char *const *positionals, size_t n_positionals) {
    struct simulate_args args = *(const struct simulate_args *)argument;
    args.command = &command_simulate;
    size_t trace = 0;
    int rc = check_words(&args, positionals, n_positionals, &trace);
    if (rc != EXIT_OK) return rc;
    preset(&args.seeds, 10);
    preset(&args.seed_first, 42);
    preset(&args.gpus, 512);
    preset(&args.gpus_per_node, 1); /* the list does not describe nodes */
    preset(&args.protect_minutes, 30);
    preset(&args.checkpoint_minutes, 60);
    preset(&args.release_seconds, 0);
    return trace == TRACE_PHILLY ? philly_simulate(&args, positionals[1]) : simulate_openb(&args);
}

static void defaults(void *argument) {
    struct simulate_args *args = argument;
    args->seeds = args->seed_first = NOT_GIVEN;
    args->gpus = args->gpus_per_node = args->protect_minutes = NOT_GIVEN;
    args->checkpoint_minutes = args->release_seconds = NOT_GIVEN;
}

const struct command command_simulate = {
    .name = "simulate",
    .arguments = "openb | philly FILE",
    .summary = "replay a trace and measure what a policy makes of it",
    .about =
        "openb: the cluster of Alibaba (1,213 GPU nodes with 6,212 GPUs) by the protocol of the "
        "FGD paper: tasks arrive in random order until 130 % of all GPUs have been asked for, none "
        "ends, and a task that fits nowhere is dropped. The result is the share of GPUs that stay "
        "unallocated: what a policy loses to fragmentation. "
        "philly FILE: four months of jobs of Microsoft's Philly clusters in virtual time: "
        "arrivals, departures, evictions, restarts from checkpoints. The result is how long jobs "
        "wait, how much of the cluster stays idle, and what evictions cost. "
        "Every policy sees the same arrivals.",
    .examples = "  lsched simulate openb --policy best-fit --policy fgd --policy mine.lua \\\n"
                "      --nodes examples/openb/nodes.csv --tasks examples/openb/tasks.csv\n"
                "  lsched simulate openb --nodes N.csv --tasks T.csv --policy mine.lua \\\n"
                "      --seeds 30 --shuffle-nodes --json\n"
                "  lsched simulate philly examples/philly/jobs.csv --policy guaranteed-quota \\\n"
                "      --compare-static",
    .options = options,
    .n_options = N_OPTIONS,
    .positionals_min = 1,
    .positionals_max = 2,
    .defaults = defaults,
    .run = simulate,
};
_Static_assert(sizeof(struct simulate_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
