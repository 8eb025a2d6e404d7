/*
 * philly_command.h -- `lsched simulate philly`: its options, its state, and the functions that
 * print its result.
 *
 * An arm is one replay: a policy with queues that lend idle quota to each other, or with a static
 * partition. All arms use the same list.
 */
#ifndef LSCHED_CLI_PHILLY_COMMAND_H
#define LSCHED_CLI_PHILLY_COMMAND_H

#include "cli/support/command.h"
#include "cli/replay/list_replay.h"
#include "cli/support/terminal.h"

enum {
    PHILLY_POLICIES_MAX = 8,
    PHILLY_ARMS_MAX = PHILLY_POLICIES_MAX + 1
}; /* the widest table has this many columns */

struct simulate_args;

struct philly_arm {
    const struct policy_source *policy;
    bool static_partition;
    struct list_result result;
};

struct philly_simulation {
    const struct simulate_args *args;
    struct input_file jobs_file, vcs_file;
    struct job_list list;
    int64_t *quotas;      /* owned; by virtual cluster (VC); NULL: one queue */
    int64_t window[2];    /* days after the first submission; equal: no window */
    int64_t window_us[2]; /* absolute time in microseconds */
    struct policy_source policies[PHILLY_POLICIES_MAX];
    struct philly_arm arms[PHILLY_ARMS_MAX];
    size_t n_arms, arm_now;
    struct progress progress;
};

/* Runs the command on the job list `file`. Returns an exit code. */
int philly_simulate(const struct simulate_args *args, const char *file);

void philly_print_table(struct philly_simulation *sim);
/* Prints an object for one arm, and an array of objects for several; docs/simulate-philly.md
 * describes the keys. */
void philly_print_json(struct philly_simulation *sim);

#endif
