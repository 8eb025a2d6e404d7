/*
 * list_replay.h -- replays a list of jobs in virtual time through the public API.
 *
 * A job arrives at its submit time and ends when it has run for its duration. At each instant,
 * first the jobs that are done end and evicted tasks release their units, then jobs arrive, then
 * cycles run until nothing changes. Every decision is carried out. A job runs while all of its
 * tasks run, or as many as the policy says it needs. A job that is stopped continues from its last
 * checkpoint, counted from its last start; its work since then is lost.
 *
 * First come, first served is strict unless setup->overtake is set: of each queue only the first
 * waiting job is in the cluster, and the next one is submitted when that job has started. Without
 * this the engine lets later jobs pass a job that finds no room. That gives less waiting and less
 * idle time, but published figures of the literature use the strict order.
 */
#ifndef LSCHED_CLI_LIST_REPLAY_H
#define LSCHED_CLI_LIST_REPLAY_H

#include "cli/replay/list_books.h"

struct list_result {
    struct list_measure measure;
    struct job_outcome *outcomes; /* owned; by job */
    uint64_t cycles, decisions;
    uint64_t plans_hash; /* hash over the hashes of all plans, in their order */
    /* CPU time that calls of the library took while the clock ran, in nanoseconds */
    int64_t library_ns;
};

/* Replays the list. Returns 0, or a negative code with err filled. */
int32_t list_replay(const struct list_setup *setup, struct list_result *out, lsched_error *err);
/* Frees the result; also needed after an error. */
void list_result_free(struct list_result *result);

#endif
