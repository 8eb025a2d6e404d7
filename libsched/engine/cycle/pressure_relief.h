/*
 * pressure_relief.h -- what a cycle does where device memory ran out: who gives way, and who comes
 * back.
 *
 * First thing in a cycle, whatever its pipeline: a device that ran out of memory stops work by
 * itself. Who gives way is a task that may grow beyond what it asked for (its limit is above its
 * request), or if none may, any that shares the device: of the lowest priority, then idle longest,
 * then started last. The policy says how: it waits (LSCHED_PAUSE; then rather the task that asked
 * for the memory), is evicted, or is swapped out (LSCHED_SUSPEND). The last one of a device is left
 * alone. Work that is not preemptible is asked to wait instead of being evicted or swapped out, and
 * so is everybody while the policy's hook about victims fails.
 * Cost: O(tasks on the node) per report, and per node that gained room with somebody out; nothing
 * else.
 */
#ifndef LIBSCHED_PRESSURE_RELIEF_H
#define LIBSCHED_PRESSURE_RELIEF_H

#include "engine/state/cycle_state.h"

int32_t cycle_collisions(struct lsched_cycle *y);

#endif
