/*
 * nonpreemptible_use.h -- demand and non-preemptible use of queues: DEMAND, CORE and JOBS_HELD of
 * a queue and of all queues above it.
 *
 * DEMAND is a sum over the jobs that count: request x (wanted - done) of each leaf, with the
 * request of the alternative in force (leaf_shape), corrected by what the placed tasks are
 * charged more or less than that (task_charge: gpu depends on the device). A job counts once it
 * is admitted, and before that while it holds something (imports can come first). So DEMAND >=
 * USED always, and the request of a refused job is not in it. DEMAND_LO and DEMAND_HI are that
 * sum, 128 bits; DEMAND is the sum or 2^62, whichever is less. No kind has more than 2^62 in all,
 * so fair shares come out the same, and no tenant's jobs can make a sum overflow and keep others
 * from submitting.
 *
 * CORE is what the minimums of non-preemptible jobs hold. For a leaf it counts the first
 * (min_count - done) of the placed tasks. If these are not all placed tasks, it counts their
 * portion of what the leaf is charged, by number and rounded down. For an inner group that needs
 * fewer children than it has, it is the sum over as many children as the group needs: satisfied
 * children first, then those with most tasks held or done, then in the order given. So CORE <=
 * USED, and for a gang that has its minimum, CORE is exactly that minimum.
 *
 * JOBS_HELD is the number of jobs that hold something.
 *
 * Code that changes PLACED, DONE or CHARGE of a leaf does so between nonpreemptible_use_begin() and
 * nonpreemptible_use_end() of the leaf's job; the three values are then updated by the difference.
 * A nominated task counts as placed, because it is charged. Cost: the queue depth for each change;
 * CORE costs O(groups) and is computed only for non-preemptible jobs.
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

/* Chooses another alternative for a leaf that has no placed and no releasing tasks, and updates
 * the demand. */
void leaf_choose(struct columns *k, uint32_t leaf, uint8_t alternative);
/* Chooses the first alternative again if the leaf has no placed and no releasing tasks any
 * more. */
void leaf_review(struct columns *k, uint32_t leaf);

/* Sets core[] to the tasks of each leaf group that count as non-preemptible use, as if n more
 * tasks of `group` were placed. */
void nonpreemptible_use_tasks(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                              uint32_t core[LSCHED_GROUPS_PER_JOB_MAX]);
/* Sets amounts[] to the non-preemptible use by kind, under the same assumption; each of the n
 * tasks is charged `gpu`. */
void nonpreemptible_use_amounts(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                                int64_t gpu, int64_t amounts[KINDS_MAX]);
static inline int job_is_firm(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE;
}

/* Adds d to the demand of the queue and of the queues above it for a kind. */
void demand_add(struct columns *k, uint32_t queue, uint32_t kind, int64_t d);
/* Checks a job that is submitted: LSCHED_E_RANGE if its tasks, each with its largest alternative,
 * together ask for more than 2^62 of a kind. */
int32_t demand_ask(const struct columns *k, uint32_t job);
/* Adds the demand of a job that is about to be admitted. */
void demand_admit(struct columns *k, uint32_t job);
/* Takes away the demand of a job that is about to be removed and holds nothing. */
void demand_end(struct columns *k, uint32_t job);

#endif
