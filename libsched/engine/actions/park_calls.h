/*
 * park_calls.h -- the call of lsched_act that parks the current job, for which an action has found
 * no places.
 */
#ifndef LIBSCHED_PARK_CALLS_H
#define LIBSCHED_PARK_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_park(lsched_cycle *cy, uint32_t job);

#endif
