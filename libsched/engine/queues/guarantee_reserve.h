/*
 * guarantee_reserve.h -- room that guarantees are owed: a job that keeps within its queue's
 * guarantee waits only because what it could stop has not run for its minimum run time yet.
 *
 * If others went on starting work above their guarantees, each piece of it would be young again,
 * and the job would wait for ever though every rule was kept. So as long as somebody is owed, work
 * that brings a queue above its guarantee starts only if what is owed stays idle beside it. Then
 * what runs grows old, and no guaranteed job waits longer than a minimum run time. Nobody is owed
 * more than it lacks, and work within guarantees is never held up. Costs one load while nobody is
 * owed; else O(bundles) per cycle.
 */
#ifndef LIBSCHED_GUARANTEE_RESERVE_H
#define LIBSCHED_GUARANTEE_RESERVE_H

#include "engine/state/cycle_state.h"

/* At the beginning of a cycle: what is owed, by what the last one found; wakes who was held up for
 * more. LSCHED_E_NOMEM. */
int32_t owed_begin(lsched_cycle *y);
/* n tasks more of a leaf group; 0 with y->why filled (LSCHED_WAIT_LENDING: the job's own queue). */
int owed_allows(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n);

#endif
