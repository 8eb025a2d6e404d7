/*
 * openb_replay.h -- replays one arrival order of the FGD protocol (Weng et al., USENIX ATC'23)
 * through the public API.
 *
 * The arrivals are all tasks of the list once, and then tasks drawn from the list with replacement,
 * until the arrivals ask for 130 % of the GPUs of the cluster. Then all arrivals are shuffled by
 * the Fisher-Yates method from the end. The seed is the first state of a SplitMix64 generator. The
 * random numbers are used first for the draws, then for the shuffle of the arrivals, and last for
 * the shuffle of the nodes if the user asks for it. Therefore a seed gives the same arrivals with
 * and without a shuffle of the nodes.
 *
 * Each arrival is a job of one task. The replay submits the job and runs one cycle. If the cycle
 * places the task, the task starts and never ends; otherwise the replay removes the job at once,
 * and the task counts as dropped. One task arrives in each second of virtual time. The replay
 * measures the percentage of all GPUs that is not allocated, at two points: when the arrived tasks,
 * including dropped tasks, ask for 100 % and for 130 % of the GPUs of the cluster. At each of these
 * points the verifier checks the cluster, and the replay compares its own count of used GPUs with
 * that of the library.
 */
#ifndef LSCHED_CLI_OPENB_REPLAY_H
#define LSCHED_CLI_OPENB_REPLAY_H

#include <stdbool.h>

#include "cli/replay/openb_request.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

enum { MARK_100, MARK_130, MARKS };

struct replay {
    const struct openb_nodes *nodes;
    const struct openb_tasks *tasks;
    const struct policy_source *policy;
    bool shuffle_nodes;
    /* called after each arrival to show progress; can be NULL */
    void (*step)(void *user, uint64_t arrived, uint64_t arrivals);
    void *user;
    const struct plan_watch *watch; /* functions that observe the cycles; can be NULL */
    size_t arrivals_max; /* largest number of arrivals that are replayed; 0 if there is no limit */
};

struct replay_result {
    uint64_t arrivals, placed, dropped;
    int64_t dropped_gpu_milli; /* milli-GPUs for which the dropped tasks asked */
    /* number of nodes that hold a task, and number of GPUs that are partly free, at the end of the
     * replay */
    uint64_t nodes_used, gpus_in_pieces;
    /* free milli-GPUs on all nodes, and free milli-GPUs on nodes that hold a task, at the end of
     * the replay */
    int64_t free_gpu_milli, free_on_used_milli;
    double unallocated_percent[MARKS];
    int64_t library_ns;  /* CPU time of the library calls for arrivals, in nanoseconds */
    uint64_t plans_hash; /* hash over the plan hashes of all cycles in order */
};

/* Returns an array with the index in the task list of each arriving task, in order of arrival. The
 * caller frees the array. Writes the number of arrivals to *n. */
uint32_t *openb_arrivals(const struct replay *replay, uint64_t seed, size_t *n);
/* Replays the arrivals of a seed. Returns 0 or a negative error code; fills *err after an error.
 * err->index is the index of the node that caused the error, or -1 if no node did. */
int32_t openb_replay(const struct replay *replay, const struct openb_mix *mix, uint64_t seed,
                     struct replay_result *out, lsched_error *err);

#endif
