/*
 * gate_circle.h -- finds jobs that would wait for each other.
 *
 * A job can only name jobs that exist. Therefore a new job closes no circle, and only an update of
 * a job for which others wait can. The search goes from the jobs that the update names along the
 * dependencies that still wait, and visits each gate once. Cost: O(gates + dependencies that are
 * reached), and eight bytes for each row of GATE; O(n) if no job waits for this one, or if none of
 * the n jobs waits for others, as when a chain is built in any of its two directions. Why not a
 * rank of each job that is kept with each change: updates of dependencies are rare, and the search
 * needs no state.
 */
#ifndef LIBSCHED_GATE_CIRCLE_H
#define LIBSCHED_GATE_CIRCLE_H

#include "model/dependencies/gate.h"

#define GATE_CIRCLE_NAMES 8u /* jobs of a circle that an error names */

struct gate_circle {
    uint32_t n;                      /* number of jobs of the circle */
    uint32_t job[GATE_CIRCLE_NAMES]; /* the first of them: each waits for the next one */
};

/* Returns 1 and fills *circle if the job would wait for itself with dependencies on the jobs on[n],
 * of which NO_ROW is none; returns 0 if not. Can return LSCHED_E_NOMEM. */
int32_t gate_circle_find(const struct columns *k, uint32_t job, const uint32_t *on, uint32_t n,
                         struct gate_circle *circle);

#endif
