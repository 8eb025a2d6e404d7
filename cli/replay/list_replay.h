/*
 * list_replay.h -- a list of jobs in virtual time, through the public API.
 *
 * A job arrives at its timestamp and leaves when it has run for its duration. At one instant: jobs
 * that are done leave and evicted tasks are gone, then jobs arrive, then cycles run until nothing
 * moves any more. Every decision is carried out. A job runs while all of its tasks do, or as many
 * as the policy says it needs; one that is stopped goes on from its last checkpoint, counted from
 * its last start, and what it did since is lost.
 *
 * First come, first served is strict unless setup->overtake: of each queue only the first job that
 * waits is in the cluster, and the next one comes when that one has started. The engine itself lets
 * a job pass that finds no room: less waiting and less idle time, but not the order that figures of
 * the literature rest on.
 */
#ifndef LSCHED_CLI_LIST_REPLAY_H
#define LSCHED_CLI_LIST_REPLAY_H

#include "cli/replay/list_books.h"

struct list_result {
    struct list_measure measure;
    struct job_outcome *outcomes; /* owned; by job */
    uint64_t cycles, decisions;
    uint64_t plans_hash; /* over the hashes of all plans, in order */
    int64_t library_ns;  /* of a core, spent in calls of the library while time passes */
};

/* Returns 0, or a negative code with err filled. */
int32_t list_replay(const struct list_setup *setup, struct list_result *out, lsched_error *err);
/* Due also after an error. */
void list_result_free(struct list_result *result);

#endif
