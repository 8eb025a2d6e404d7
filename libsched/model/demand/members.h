/*
 * members.h -- jobs whose tasks do not all exist yet.
 *
 * A leaf group says how many of its tasks exist (GROUP.MEMBERS). If a job cannot reach its minimum
 * with these tasks, or has its minimum and a place for each of them, it is not tried: it waits with
 * the code MEMBERS, holds no room, counts in no demand (demand.h), and no other work stops for it.
 * Only an update of the job by the orchestrator changes the number, and such an update gives the
 * job another shape and therefore another bundle; the end of a task of the job wakes the job, too.
 * Therefore a parked bundle needs no list of events.
 *
 * Why the number is part of the shape: jobs of one bundle are tried once for all, and two jobs of
 * which different numbers of tasks exist have different answers.
 */
#ifndef LIBSCHED_MEMBERS_H
#define LIBSCHED_MEMBERS_H

#include "model/shapes/shape.h"

/* What a job waits for: the first leaf group that holds it back, the number of tasks that the group
 * needs, and the number that exist. */
struct members_lack {
    uint32_t group;
    uint32_t need, have;
};

/* As members_lack_of(), for a job of which a number of tasks is given as existing. */
int members_lack_given(const struct columns *k, uint32_t job, struct members_lack *lack);
/* Returns 1 and sets *lack if no task of the job can be placed before more of its tasks exist.
 * Cost: O(1) if all tasks of the job exist, else O(groups + leaf groups with tasks). The function
 * is inline because each decision asks it. */
static inline int members_lack_of(const struct columns *k, uint32_t job,
                                  struct members_lack *lack) {
    return jobshape_is_partial(k, k->c[C_JOB_SHAPE].u32[job]) && members_lack_given(k, job, lack);
}
/* True if the job has its minimum, or could have it if each task that exists had a place. */
int members_suffice(const struct columns *k, uint32_t job);

#endif
