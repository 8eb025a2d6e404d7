/*
 * nonpreemptible_use.h -- what jobs ask of their queues, and what of it is theirs for sure: DEMAND,
 * CORE and JOBS_HELD of a queue and all above it.
 *
 * DEMAND     over jobs that count: request x (wanted - done) of each leaf, the request being that
 *            of the alternative in force (leaf_shape), and what its tasks that hold are charged
 *            beyond it, or below it (task_charge: gpu depends on the device). A job counts once it
 *            is admitted, and before that while it holds something (imports may come first). So
 *            DEMAND >= USED always, and what a job that was refused would like is not in it.
 *            DEMAND_LO and DEMAND_HI are that sum, 128 bits; DEMAND is the sum or 2^62, whichever
 *            is less. No kind has more than 2^62 in all, so shares come out the same, and no
 *            tenant's jobs can make a sum pass its type and keep others from submitting.
 * CORE       what the minimums of non-preemptible jobs hold. Of a leaf: of the tasks that hold,
 *            the first (min_count - done); where these are not all, their part of what the leaf is
 *            charged, by number and rounded down. Of an inner group that needs fewer children than
 *            it has: those of so many children as it needs; satisfied ones first, then those with
 *            most tasks held or done, then in the order given. So CORE <= USED, and a gang that
 *            stands has just its minimum in it.
 * JOBS_HELD  jobs that hold something.
 *
 * Whoever changes PLACED, DONE or CHARGE of a leaf does so between use_begin() and use_end() of its
 * job; the three follow by the difference. A nominated task counts as one that holds: it is
 * charged.
 * Cost: queue depth where something changes; core is O(groups), and asked only of jobs that are
 * non-preemptible.
 */
#ifndef LIBSCHED_NONPREEMPTIBLE_USE_H
#define LIBSCHED_NONPREEMPTIBLE_USE_H

#include "model/shapes/leaf.h"

struct use_note {
    uint32_t leaf, done;
    uint8_t holds, counts, firm;
    int64_t core[KINDS_MAX];
};
void use_begin(const struct columns *k, uint32_t job, uint32_t leaf, struct use_note *note);
void use_end(struct columns *k, uint32_t job, const struct use_note *note);

/* Another alternative for a leaf that holds nothing and gives nothing back: what it asks for
 * follows. */
void leaf_choose(struct columns *k, uint32_t leaf, uint8_t alternative);
/* The first again where nothing is held or given back any more. */
void leaf_review(struct columns *k, uint32_t leaf);

/* Tasks of each leaf group that are core, as if n more of `group` were placed. */
void core_tasks(const struct columns *k, uint32_t job, uint32_t group, uint32_t n,
                uint32_t core[LSCHED_GROUPS_PER_JOB_MAX]);
/* The same as amounts by kind, if each of the n is charged so much of gpu. */
void core_amounts(const struct columns *k, uint32_t job, uint32_t group, uint32_t n, int64_t gpu,
                  int64_t amounts[KINDS_MAX]);
static inline int job_is_firm(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE;
}

/* More of a kind, or less, is asked of the queue and of those above it. */
void demand_add(struct columns *k, uint32_t queue, uint32_t kind, int64_t d);
/* The job comes: LSCHED_E_RANGE if its tasks together, of alternatives the largest, ask for more
 * than 2^62 of a kind. */
int32_t demand_ask(const struct columns *k, uint32_t job);
/* It is about to be admitted. */
void demand_admit(struct columns *k, uint32_t job);
/* It goes, holding nothing. */
void demand_end(struct columns *k, uint32_t job);

#endif
