/*
 * simulate_report.h -- the arguments of `lsched simulate`, the state of a replay of the trace
 * openb, and the functions that print its result.
 */
#ifndef LSCHED_CLI_SIMULATE_REPORT_H
#define LSCHED_CLI_SIMULATE_REPORT_H

#include "cli/support/command.h"
#include "cli/replay/openb_bound.h"
#include "cli/replay/openb_replay.h"
#include "cli/support/terminal.h"

struct simulate_args {
    struct text_list policies, params;
    bool json, progress, no_progress;
    /* options for the trace openb */
    const char *nodes, *tasks;
    int64_t seeds, seed_first;
    bool shuffle_nodes;
    /* options for the trace philly */
    const char *queues, *vc, *window_days;
    int64_t gpus, gpus_per_node, protect_minutes, checkpoint_minutes, release_seconds;
    bool static_partition, compare_static, overtake, known_durations, verify;
    const char *per_job; /* also for the trace swf */
    /* options for the trace swf */
    int64_t procs;
    bool perfect_estimates, overrun, drop_zero_runs, promises;
};

struct simulation {
    const struct simulate_args *args;
    struct input_file nodes_file, tasks_file;
    uint64_t nodes_print, tasks_print;
    struct openb_nodes nodes;
    struct openb_tasks tasks;
    struct openb_mix mix;
    struct policy_source policies[OPTION_LIST_MAX];
    lsched_param *params;          /* owned by this struct */
    struct replay_result *results; /* owned by this struct; results by [policy][seed] */
    struct openb_bound bound;      /* mean of the lower bounds over all seeds */
    struct progress progress;
    size_t policy_now, seed_now;
};

void simulate_print_table(const struct simulation *sim);
/* Prints a JSON object if there is one policy, otherwise a JSON array with one object for each
 * policy. docs/cli.md describes the objects. */
void simulate_print_json(const struct simulation *sim);

#endif
