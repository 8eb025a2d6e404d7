/*
 * spare_calls.h -- the call of lsched_act that lets victims run again which the job does not need.
 *
 * A victim search evicts units until the job fits, and units that are evicted late can make
 * earlier ones needless. The call tries the evicted units from the last one to the first one,
 * because the first units are the cheapest to stop. A unit runs again if its nodes still have the
 * room, its job has its minimum, no limit of its queues is exceeded, and the job's side stays
 * within its entitlement. Cost: O(victims), and the checks of one placement for each victim.
 */
#ifndef LIBSCHED_SPARE_CALLS_H
#define LIBSCHED_SPARE_CALLS_H

#include "engine/state/cycle_state.h"

/* Cancels the eviction of each eviction unit that the job does not need. Returns the number of
 * these units, or LSCHED_E_NOMEM. */
int32_t call_spare(lsched_cycle *cy);

#endif
