/*
 * batch_replay.h -- replays the jobs of a batch system with each of several policies on one pool of
 * units, and prints the results, for `lsched simulate swf` and `lsched slurm replay`.
 *
 * The pool is one node with all units, so that a job needs nothing but its number of units. The
 * rules are those by which results for logs are published: a job whose estimate is missing has its
 * run time as estimate, and a run ends at the estimate at the latest. At one instant, first all
 * ends happen, then all arrivals, then the policy decides.
 */
#ifndef LSCHED_CLI_BATCH_REPLAY_H
#define LSCHED_CLI_BATCH_REPLAY_H

#include "cli/replay/batch_figures.h"
#include "cli/replay/promise_figures.h"
#include "cli/support/command.h"
#include "cli/support/terminal.h"

struct batch_replay {
    const char *command; /* name of the command for messages */
    const char *file;    /* name of the log for messages */
    struct job_list *list;
    int64_t units;
    const char *unit;     /* what a unit is, such as "processors" */
    const char *unit_key; /* key of `units` in JSON */
    bool one_queue;       /* true if all jobs are in one queue */
    uint64_t never_ran;   /* jobs that are not in the list because they never ran */
    const struct text_list *policies, *params;
    const char *per_job; /* file for a row of each job; NULL: none */
    bool perfect_estimates, overrun, verify, json, progress, no_progress;
    bool promises; /* true if the expected starts of waiting jobs are judged as well */
    /* the rest belongs to batch_replay.c */
    struct policy_source sources[OPTION_LIST_MAX];
    lsched_param *values; /* owned by this struct; values of parameters of the policies */
    struct batch_figures figures[OPTION_LIST_MAX];
    struct promise_figures promised[OPTION_LIST_MAX];
    struct progress shown;
    size_t policy_now;
    uint64_t dropped;
};

/* Opens the policies and checks the arguments. The caller calls it before it reads the log, so that
 * a wrong word is told at once. Returns an exit code. The caller calls batch_replay_close() in any
 * case. */
int batch_replay_open(struct batch_replay *replay);
/* Replays the list with every policy and prints the results. Returns an exit code. */
int batch_replay_run(struct batch_replay *replay);
void batch_replay_close(struct batch_replay *replay);

#endif
