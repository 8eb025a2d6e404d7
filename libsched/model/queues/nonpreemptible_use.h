/*
 * nonpreemptible_use.h -- non-preemptible use (CORE) and number of holding jobs (JOBS_HELD) of each
 * queue and of all queues above it. demand.h has the demand.
 *
 * CORE is the sum of the amounts that the minimums of non-preemptible jobs hold. For a leaf group,
 * the first (minimum - done tasks) of the placed tasks count. If the leaf has more placed tasks,
 * their gpu amount is computed from the charge of the whole leaf, in proportion to the number of
 * tasks and rounded down; so are all amounts of a leaf with resized tasks. If an inner group needs
 * only some of its children, only that number of children count: satisfied children first, then
 * those with the most placed and done tasks, then by index. Therefore CORE is never more than
 * USED, and for a gang that has its minimum, CORE is exactly that minimum.
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

#include "model/demand/demand.h"
#include "model/shapes/leaf.h"

struct nonpreemptible_use_note {
    uint32_t leaf;
    uint8_t holds, firm;
    int64_t core[KINDS_MAX];
    struct demand_note demand;
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
/* Does the same for the present tasks, of which those of `group` are charged more[kind] in
 * addition; gpu stays. */
void nonpreemptible_use_amounts_with(const struct columns *k, uint32_t job, uint32_t group,
                                     const int64_t more[KINDS_MAX], int64_t amounts[KINDS_MAX]);
static inline int job_is_firm(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE;
}

#endif
