/*
 * guarantee_reserve.h -- the guarantee reserve: idle room for a job within its queue's guarantee
 * that waits only because its victims are still in their minimum run time.
 *
 * If other jobs kept starting work above their guarantees, each piece of that work would again be
 * in its minimum run time, and the job would wait for ever although every rule was kept. While
 * there is a reserve, work that brings a queue above its guarantee therefore starts only if the
 * reserved amount stays idle beside it. The running work then leaves its minimum run time, and no
 * guaranteed job waits longer than a minimum run time. A reserve never exceeds what the job lacks,
 * and work within guarantees is never delayed. Cost: one load while there is no reserve; else
 * O(bundles) per cycle.
 */
#ifndef LIBSCHED_GUARANTEE_RESERVE_H
#define LIBSCHED_GUARANTEE_RESERVE_H

#include "engine/state/cycle_state.h"

/* Must be called at the beginning of a cycle: computes the reserve from the result of the last
 * cycle, and wakes jobs that a larger reserve delayed. Error: LSCHED_E_NOMEM. */
int32_t guarantee_reserve_begin(lsched_cycle *y);
/* True if n more tasks of a leaf group can start beside the reserve; else 0 with y->why filled
 * (LSCHED_WAIT_LENDING: the job's own queue). */
int guarantee_reserve_allows(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n);

#endif
