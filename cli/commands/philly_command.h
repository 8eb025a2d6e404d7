/*
 * philly_command.h -- the command `lsched simulate philly`: its state, and the function that runs
 * it.
 *
 * An arm is one replay of the job list with one policy. In most arms the queues lend unused quota
 * to each other. In an arm with a static partition no queue gets more than its quota. All arms
 * replay the same job list.
 */
#ifndef LSCHED_CLI_PHILLY_COMMAND_H
#define LSCHED_CLI_PHILLY_COMMAND_H

#include "cli/replay/batch_figures.h"
#include "cli/replay/job_simulation.h"
#include "cli/support/terminal.h"

enum {
    PHILLY_POLICIES_MAX = 8,
    PHILLY_ARMS_MAX = PHILLY_POLICIES_MAX + 1
}; /* PHILLY_ARMS_MAX is also the largest number of columns in the result table */

struct command;
struct simulate_args;

struct philly_arm {
    const struct policy_source *policy;
    bool static_partition;
    struct simulation_result result;
    struct batch_figures figures;
};

struct philly_simulation {
    const struct command *command; /* whose table of options filled `args` */
    const struct simulate_args *args;
    struct input_file jobs_file, vcs_file;
    struct job_list list;
    /* owned by this struct; GPUs that each virtual cluster (VC) has as quota; NULL if all jobs are
     * in one queue */
    int64_t *quotas;
    /* start and end of the measured window in days after the first submission; both are equal if
     * there is no window */
    int64_t window[2];
    /* start and end of the measured window as absolute times in microseconds */
    int64_t window_us[2];
    struct policy_source policies[PHILLY_POLICIES_MAX];
    lsched_param *params; /* owned by this struct */
    struct philly_arm arms[PHILLY_ARMS_MAX];
    size_t n_arms, arm_now;
    struct progress progress;
};

/* Replays the job list in the file with every arm, and prints the results. Returns an exit code. */
int philly_simulate(const struct command *command, const struct simulate_args *args,
                    const char *file);

#endif
