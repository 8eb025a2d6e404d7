/*
 * openb_replay.h -- one arrival order of the FGD protocol (Weng et al., USENIX ATC'23), through
 * the public API.
 *
 * Arrivals: the task list once, then tasks drawn from it with replacement until the GPUs asked
 * for reach 130 % of those of the cluster; then all in random order (Fisher-Yates from the end).
 * The seed is the state of a SplitMix64 generator; draws come first, then the shuffle, then, if
 * wanted, the shuffle of the nodes: the same seed gives the same arrivals in any order of nodes.
 *
 * Each arrival is a job of one task: submitted, one cycle, and either placed (confirmed, started,
 * never ended) or dropped (removed from the cluster at once). One arrival a second of virtual
 * time. Measured is the share of all GPUs that is not allocated when the GPUs asked for so far,
 * dropped tasks included, first reach 100 % and 130 % of the cluster's; at both points the
 * verifier runs and the library's own free amounts must agree with the replay's books.
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
    /* Called after every arrival; may be NULL. */
    void (*step)(void *user, uint64_t arrived, uint64_t arrivals);
    void *user;
    const struct plan_watch *watch; /* may be NULL */
    size_t arrivals_max;            /* 0: all */
};

struct replay_result {
    uint64_t arrivals, placed, dropped;
    int64_t dropped_gpu_milli; /* asked for by them */
    /* At the end: nodes that hold something, and GPUs of which a part is free. */
    uint64_t nodes_used, gpus_in_pieces;
    int64_t free_gpu_milli, free_on_used_milli; /* in all; on nodes that hold something */
    double unallocated_percent[MARKS];
    int64_t library_ns;  /* of a core, spent in calls of the library that an arrival makes */
    uint64_t plans_hash; /* over the hashes of all plans, in order */
};

/* The task list as the mix of tasks to expect: one entry per (cpu, GPUs, share, models), counted.
 * To be freed. */
struct openb_mix {
    lsched_mix_entry *entries;
    struct openb_request *requests; /* what the entries point to */
    size_t n;
};
void openb_mix_make(const struct openb_tasks *tasks, struct openb_mix *out);
void openb_mix_free(struct openb_mix *mix);

/* The task of each arrival, as an index into the list; owned by the caller. *n: how many arrive. */
uint32_t *openb_arrivals(const struct replay *replay, uint64_t seed, size_t *n);
/* Returns 0, or a negative code with err filled; err->index is the node at fault, or -1. */
int32_t openb_replay(const struct replay *replay, const struct openb_mix *mix, uint64_t seed,
                     struct replay_result *out, lsched_error *err);

#endif
