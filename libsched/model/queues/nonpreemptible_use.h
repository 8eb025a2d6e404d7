/*
 * nonpreemptible_use.h -- demand (DEMAND), non-preemptible use (CORE) and number of holding jobs
 * (JOBS_HELD) of each queue and of all queues above it.
 *
 * DEMAND is a sum over leaf groups of jobs: request x (number of tasks - done tasks), where the
 * request is that of the alternative in force (leaf_shape). A placed task counts with its charge
 * (task_charge) instead of its request, because the gpu charge depends on the device. A job counts
 * after it is admitted; before, it counts only while any of its tasks is placed (imports can
 * precede admission). Therefore DEMAND is never less than USED, and does not include the request of
 * a refused job. DEMAND_LO and DEMAND_HI are the two words of the 128-bit sum; DEMAND is the
 * smaller of the sum and 2^62. The capacity of no kind exceeds 2^62, therefore fair shares do not
 * depend on this cap. With 128 bits, the jobs of one queue cannot make the sum overflow and so
 * prevent other queues from submitting.
 *
 * CORE is the sum of the amounts that the minimums of non-preemptible jobs hold. For a leaf
 * group, the first (minimum - done tasks) of the placed tasks count. If the leaf has more placed
 * tasks, their gpu amount is computed from the charge of the whole leaf, in proportion to the
 * number of tasks and rounded down. If an inner group needs only some of its children, only that
 * number of children count: satisfied children first, then those with the most placed and done
 * tasks, then by index. Therefore CORE is never more than USED, and for a gang that has its
 * minimum, CORE is exactly that minimum.
 *
 * JOBS_HELD is the number of jobs with placed or nominated tasks.
 *
 * Code is allowed to change PLACED, DONE or CHARGE of a leaf only between
 * nonpreemptible_use_begin() and nonpreemptible_use_end() for the leaf's job.
 * nonpreemptible_use_end() updates DEMAND, CORE and JOBS_HELD by the difference. A nominated task
 * counts as placed, because it is charged. Cost: O(queue depth) for each change. CORE costs
 * O(groups of the job) in addition and is computed only for non-preemptible jobs.
 */
#ifndef LIBSCHED_NONPREEMPTIBLE_USE_H
#define LIBSCHED_NONPREEMPTIBLE_USE_H

#include "model/shapes/leaf.h"

struct nonpreemptible_use_note {
    uint32_t leaf, done;
    uint8_t holds, counts, firm;
    int64_t core[KINDS_MAX];
};
void nonpreemptible_use_begin(const struct columns *k, uint32_t job, uint32_t leaf,
                              struct nonpreemptible_use_note *note);
void nonpreemptible_use_end(struct columns *k, uint32_t job,
                            const struct nonpreemptible_use_note *note);

/* Sets the alternative in force of a leaf, and updates the demand. Before the call, the leaf must
 * have no placed and no releasing tasks. */
void leaf_choose(struct columns *k, uint32_t leaf, uint8_t alternative);
/* Sets the alternative in force back to the first one if the leaf has no placed and no releasing
 * tasks any more. */
void leaf_review(struct columns *k, uint32_t leaf);

/* Sets core[g], for each leaf group g, to the number of tasks that would count as non-preemptible
 * use if n more tasks of `group` were placed. */
void nonpreemptible_use_tasks(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                              uint32_t core[LSCHED_GROUPS_PER_JOB_MAX]);
/* Sets amounts[kind] to the non-preemptible use that the job would have if n more tasks of
 * `group` were placed, each of them charged with `gpu` milli-GPUs. */
void nonpreemptible_use_amounts(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                                int64_t gpu, int64_t amounts[KINDS_MAX]);
static inline int job_is_firm(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE;
}

/* Adds d to the demand of the queue, and of all queues above it, for the kind. */
void demand_add(struct columns *k, uint32_t queue, uint32_t kind, int64_t d);
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
/* Subtracts the demand of a job with task rows (sign -1) before its numbers of tasks change, and
 * adds it afterwards (sign 1). */
void demand_of_counts(struct columns *k, uint32_t job, int sign);
/* Subtracts the demand of a job that is about to be removed. Before the call, no task of the job
 * is placed. */
void demand_end(struct columns *k, uint32_t job);

#endif
