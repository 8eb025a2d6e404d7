/*
 * openb_replay.h -- replays one arrival order of the FGD protocol (Weng et al., USENIX ATC'23)
 * through the public API.
 *
 * The arrivals are the task list once, then tasks drawn from it with replacement until the GPUs
 * asked for reach 130 % of the GPUs of the cluster. Then all arrivals are shuffled (Fisher-Yates
 * from the end). The seed is the state of a SplitMix64 generator. The draws come first, then the
 * shuffle of the arrivals, then the shuffle of the nodes if it is requested. Therefore one seed
 * gives the same arrivals in any order of nodes.
 *
 * Each arrival is a job of one task. It is submitted, one cycle runs, and then it is either placed
 * (confirmed, started, never ended) or dropped (removed from the cluster at once). There is one
 * arrival per second of virtual time. The result is the percentage of all GPUs that is not
 * allocated when the GPUs asked for so far, including dropped tasks, first reach 100 % and 130 %
 * of the cluster's. At both points the verifier runs, and the library's free amounts must agree
 * with those of the replay.
 */
#ifndef LSCHED_CLI_OPENB_REPLAY_H
#define LSCHED_CLI_OPENB_REPLAY_H

#include <stdbool.h>

#include "cli/traces/openb_trace.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

enum { MARK_100, MARK_130, MARKS };

struct replay {
    const struct openb_nodes *nodes;
    const struct openb_tasks *tasks;
    const struct policy_source *policy;
    bool shuffle_nodes;
    /* Called after every arrival to show progress; may be NULL. */
    void (*step)(void *user, uint64_t arrived, uint64_t arrivals);
    void *user;
    const struct plan_watch *watch; /* observes the cycles; may be NULL */
    size_t arrivals_max;            /* largest number of arrivals; 0: all */
};

struct replay_result {
    uint64_t arrivals, placed, dropped;
    int64_t dropped_gpu_milli; /* milli-GPUs that the dropped tasks asked for */
    /* At the end of the replay: nodes that hold a task, and GPUs that are partly free. */
    uint64_t nodes_used, gpus_in_pieces;
    /* free milli-GPUs on all nodes, and on nodes that hold a task */
    int64_t free_gpu_milli, free_on_used_milli;
    double unallocated_percent[MARKS];
    int64_t library_ns;  /* CPU time that the library's calls for arrivals took, in nanoseconds */
    uint64_t plans_hash; /* hash over the hashes of all plans, in their order */
};

/* The task list as a mix of expected tasks for the library: one entry per class of equal (cpu,
 * GPUs, share, models), with the number of its tasks. openb_mix_free() frees it. */
struct openb_mix {
    lsched_mix_entry *entries;
    struct openb_request *requests; /* requests to which the entries point */
    size_t n;
};
void openb_mix_make(const struct openb_tasks *tasks, struct openb_mix *out);
void openb_mix_free(struct openb_mix *mix);

/* Returns the task of each arrival as an index into the task list; the caller owns the array. *n
 * is the number of arrivals. */
uint32_t *openb_arrivals(const struct replay *replay, uint64_t seed, size_t *n);
/* Returns 0, or a negative code with err filled. err->index is the node that the error is about,
 * or -1. */
int32_t openb_replay(const struct replay *replay, const struct openb_mix *mix, uint64_t seed,
                     struct replay_result *out, lsched_error *err);

#endif
