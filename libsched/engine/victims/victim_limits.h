/*
 * victim_limits.h -- what the limits of a job's queues leave for a task where victims make room.
 *
 * Evictions make room on a node, but the task must also stay within the limits on resource parts,
 * and within what the queues allow in GPUs, where the charge depends on the device. Of the devices
 * that the task could have without the victims, it may take only those that these limits leave. The
 * victims give back what they hold below a limit.
 *
 * What the chosen units give back is an upper bound, because two of them can have a task in common;
 * the placement has the last word. Why the cost of a node depends on it: else the search chooses a
 * node where the placement is refused, such as a free one, and never looks at the next. Cost:
 * nothing if no limit is short; otherwise, for each test of a set, O(short parts x depth x units).
 */
#ifndef LIBSCHED_VICTIM_LIMITS_H
#define LIBSCHED_VICTIM_LIMITS_H

#include "engine/rights/victim_state.h"
#include "model/jobs/room_without.h"

/* Reads which limits are short for a task of the shape, in the present state. */
void victim_limits_look(struct lsched_cycle *cy, uint32_t shape);
/* True if the room *m of the node, where the chosen units of the set are gone, holds the task on
 * devices that the limits leave. */
int victim_limits_hold(const struct lsched_cycle *cy, uint32_t node, const struct victim_set *set,
                       const struct room_without *m);

#endif
