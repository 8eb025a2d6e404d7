/*
 * cmd_simulate.c -- `lsched simulate openb`: how much of a cluster each policy leaves unused, on
 * the same arrivals.
 *
 * All policies see the same seeds, so differences between them are differences on equal orders.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "did_you_mean.h"
#include "simulate_report.h"

enum { SEEDS_MAX = 10000 };
#define SEED_MAX ((int64_t)1 << 62)

/* ---- input ----------------------------------------------------------------------------------- */

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

/* ---- replaying ------------------------------------------------------------------------------- */

static void step(void *user, uint64_t arrived, uint64_t arrivals) {
    struct simulation *sim = user;
    uint64_t seeds = (uint64_t)sim->args->seeds;
    uint64_t replays = sim->policy_now * seeds + sim->seed_now;
    char label[128];
    snprintf(label, sizeof label, "%s, order %zu of %" PRIu64, sim->policies[sim->policy_now].word,
             sim->seed_now + 1, seeds);
    /* in thousandths of a replay: the orders differ a little in length */
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
    return library_error(
        blames_policy ? (policy->is_file ? policy->file.name : policy->word) : NULL, err);
}

static int replay_all(struct simulation *sim) {
    size_t seeds = (size_t)sim->args->seeds, policies = sim->args->policies.n;
    sim->results = must_alloc(policies * seeds * sizeof sim->results[0]);
    progress_begin(&sim->progress, sim->args->progress, sim->args->no_progress,
                   policies * seeds * 1000);
    for (sim->policy_now = 0; sim->policy_now < policies; sim->policy_now++) {
        struct replay replay = {
            &sim->nodes, &sim->tasks, &sim->policies[sim->policy_now], sim->args->shuffle_nodes,
            step,        sim};
        for (sim->seed_now = 0; sim->seed_now < seeds; sim->seed_now++) {
            lsched_error err = LSCHED_ERROR_INIT;
            struct replay_result *result = &sim->results[sim->policy_now * seeds + sim->seed_now];
            uint64_t seed = (uint64_t)sim->args->seed_first + sim->seed_now;
            if (openb_replay(&replay, &sim->mix, seed, result, &err) < 0) {
                progress_hide(&sim->progress);
                return replay_error(sim, &err);
            }
            step(sim, 1, 1); /* a replay ends before arrivals that ask for no GPU */
        }
    }
    progress_hide(&sim->progress);
    return EXIT_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void free_simulation(struct simulation *sim) {
    for (size_t i = 0; i < OPTION_LIST_MAX; i++) policy_source_close(&sim->policies[i]);
    openb_mix_free(&sim->mix);
    openb_nodes_free(&sim->nodes);
    openb_tasks_free(&sim->tasks);
    input_free(&sim->nodes_file);
    input_free(&sim->tasks_file);
    free(sim->results);
}

static const char *trace_word(const void *list, size_t i) {
    (void)list;
    return i == 0 ? "openb" : NULL;
}

static int check_args(const struct simulate_args *args, const char *trace) {
    const struct command *command = &command_simulate;
    if (strcmp(trace, "openb") != 0) {
        const char *meant = suggest(trace, trace_word, NULL);
        if (meant != NULL)
            return usage_error(command, "unknown trace '%s'; did you mean '%s'?", trace, meant);
        return usage_error(command, "unknown trace '%s'; there is: openb", trace);
    }
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
    if (args->progress && args->no_progress) {
        return usage_error(command, "--progress and --no-progress exclude each other");
    }
    return EXIT_OK;
}

static int simulate(const void *argument, char *const *positionals, size_t n_positionals) {
    (void)n_positionals;
    const struct simulate_args *args = argument;
    int rc = check_args(args, positionals[0]);
    if (rc != EXIT_OK) return rc;
    struct simulation *sim = must_alloc(sizeof *sim);
    memset(sim, 0, sizeof *sim);
    sim->args = args;
    rc = open_policies(&command_simulate, sim);
    if (rc == EXIT_OK) rc = read_inputs(sim);
    if (rc == EXIT_OK) rc = replay_all(sim);
    if (rc == EXIT_OK && args->json) simulate_print_json(sim);
    if (rc == EXIT_OK && !args->json) simulate_print_table(sim);
    free_simulation(sim);
    free(sim);
    return rc;
}

static void defaults(void *argument) {
    struct simulate_args *args = argument;
    args->seeds = 10;
    args->seed_first = 42;
}

static const struct option options[] = {
    {"nodes", "FILE", "the node list (CSV)", offsetof(struct simulate_args, nodes), OPTION_TEXT},
    {"tasks", "FILE", "the task list (CSV)", offsetof(struct simulate_args, tasks), OPTION_TEXT},
    {"policy", "P",
     "a ready-made policy by name, or a Lua file by its path; give it several times to compare",
     offsetof(struct simulate_args, policies), OPTION_LIST},
    {"seeds", "N", "how many arrival orders to average over (10)",
     offsetof(struct simulate_args, seeds), OPTION_COUNT},
    {"seed-first", "S", "the first seed (42); the others follow",
     offsetof(struct simulate_args, seed_first), OPTION_COUNT},
    {"shuffle-nodes", NULL, "add the nodes in random order, to see whether the order matters",
     offsetof(struct simulate_args, shuffle_nodes), OPTION_FLAG},
    {"json", NULL, "print JSON instead of a table", offsetof(struct simulate_args, json),
     OPTION_FLAG},
    {"progress", NULL, "show progress on stderr even if that is no terminal",
     offsetof(struct simulate_args, progress), OPTION_FLAG},
    {"no-progress", NULL, "show no progress", offsetof(struct simulate_args, no_progress),
     OPTION_FLAG},
};

const struct command command_simulate = {
    .name = "simulate",
    .arguments = "openb",
    .summary = "replay a trace and measure what a policy makes of it",
    .about = "Replays the openb cluster (Alibaba, 1,213 GPU nodes with 6,212 GPUs) by the protocol "
             "of the FGD paper: tasks arrive in random order until 130 % of all GPUs have been "
             "asked for, none ends, and a task that fits nowhere is dropped. The result is the "
             "share of GPUs that stay unallocated: what a policy loses to fragmentation. Every "
             "policy sees the same arrival orders.",
    .examples = "  lsched simulate openb --policy best-fit --policy fgd --policy mine.lua \\\n"
                "      --nodes examples/openb/nodes.csv --tasks examples/openb/tasks.csv\n"
                "  lsched simulate openb --nodes N.csv --tasks T.csv --policy mine.lua \\\n"
                "      --seeds 30 --shuffle-nodes --json",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .positionals_min = 1,
    .positionals_max = 1,
    .defaults = defaults,
    .run = simulate,
};
_Static_assert(sizeof(struct simulate_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
