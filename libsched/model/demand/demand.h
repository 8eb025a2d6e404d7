/*
 * demand.h -- demand (DEMAND) of each queue and of all queues above it: what its tasks hold, and
 * what those of its waiting tasks ask for that can start.
 *
 * DEMAND is a sum over leaf groups of jobs: request x number of tasks that count, where the request
 * is that of the alternative in force (leaf_shape). The tasks that count are the placed tasks, and
 * the waiting tasks of a job that
 *   - is admitted, and not held by a rule, by the orchestrator or by its gate,
 *   - has its minimum, or can reach it with the tasks that exist (GROUP.MEMBERS);
 * tasks that do not exist yet never count. What cannot start must not pull resources from others:
 * fair shares follow from the demand. A placed task counts with its charge (task_charge) instead of
 * its request, because the gpu charge depends on the device, and because a task can be resized
 * where it runs (model/resizes). Therefore DEMAND is never less than USED.
 *
 * DEMAND_LO and DEMAND_HI are the two words of the 128-bit sum; DEMAND is the smaller of the sum
 * and 2^62. The capacity of no kind exceeds 2^62, therefore fair shares do not depend on this cap.
 * With 128 bits, the jobs of one queue cannot make the sum overflow and so prevent other queues
 * from submitting.
 *
 * Code is allowed to change what decides which tasks count only between demand_begin() and
 * demand_end() for the job. demand_end() adds the difference. Cost: O(queue depth) if only DONE of
 * one leaf changes and all tasks of the job exist, as for most jobs; else O(groups x leaf groups
 * with tasks).
 */
#ifndef LIBSCHED_DEMAND_H
#define LIBSCHED_DEMAND_H

#include "model/store/columns.h"

struct demand_note {
    uint32_t leaf, done;
    uint8_t plain; /* 1 if all tasks of the job count that are not done; n[] is not used then */
    uint32_t n[LSCHED_GROUPS_PER_JOB_MAX]; /* by leaf group: number of tasks that count */
};
/* leaf: the LEAF row of which PLACED and DONE can change; NO_ROW: anything can change. */
void demand_begin(const struct columns *k, uint32_t job, uint32_t leaf, struct demand_note *note);
void demand_end(struct columns *k, uint32_t job, const struct demand_note *note);

/* Reads the demand of the job's queue. If demand_fell() says afterwards that it is lower, and can
 * bound the share of the queue now, other queues can have larger shares, and their jobs can search
 * for victims: the caller then calls evict_news(). */
void demand_see(const struct columns *k, uint32_t job, int64_t seen[KINDS_MAX]);
int demand_fell(const struct columns *k, uint32_t job, const int64_t seen[KINDS_MAX]);

/* Adds d to the demand of the queue, and of all queues above it, for the kind. */
void demand_add(struct columns *k, uint32_t queue, uint32_t kind, int64_t d);
/* Adds the difference when the tasks of a leaf have the shape `to` instead of the shape `from`. */
void demand_of_shape(struct columns *k, uint32_t leaf, uint32_t from, uint32_t to);
/* Checks a job that is being submitted: returns LSCHED_E_RANGE if its tasks together request more
 * than 2^62 of a kind, where each task counts with its largest alternative. */
int32_t demand_ask(const struct columns *k, uint32_t job);
/* Demand of jobs that were admitted one after the other and has not been added yet. Jobs of one
 * queue and one job shape are counted in one entry. */
#define DEMAND_BATCH 16u
struct demand_batch {
    uint32_t n;
    struct demand_entry {
        uint32_t queue, jobshape, jobs;
    } entry[DEMAND_BATCH];
};
/* Adds the demand of a job that is about to be admitted. With a batch, the demand can be added
 * later, by demand_settle(), which the caller must call before the demand of a queue is read. */
int32_t demand_admit(struct columns *k, uint32_t job, struct demand_batch *batch);
/* Adds the demand in the batch, and empties the batch. Can return LSCHED_E_NOMEM. */
int32_t demand_settle(struct columns *k, struct demand_batch *batch);
/* Subtracts the demand of a job that is about to be removed. Before the call, no task of the job
 * is placed. */
void demand_drop(struct columns *k, uint32_t job);

#endif
