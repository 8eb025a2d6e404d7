/*
 * victim_limits.h -- what the limits of a job's queues, and the lend limits of other queues, leave
 * for a task where victims make room.
 *
 * Evictions make room on a node, but the task must also stay within the limits on resource parts,
 * and within what the queues allow in GPUs, where the charge depends on the device. Of the devices
 * that the task could have without the victims, it may take only those that these limits leave. The
 * victims give back what they hold below a limit. They must also hold what lend limits keep from
 * the task, and what supplies lack for it, unless other victims than those of the node can.
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
/* victim_limits_next_charge() and victim_limits_charge() are for a reclaim whose task is charged
 * other amounts on other devices: its queues are within their rights with one charge, and above
 * them with another. So the sets of a node are sought for each charge that the node has, the least
 * first, and only on devices that charge no more. Nearly all nodes have one charge. */

/* Returns the least number of milli-GPUs above `above` that a device of the node charges the task
 * when it is empty. Returns 0 if there is none, or if the search need not know. */
uint32_t victim_limits_next_charge(const struct lsched_cycle *cy, uint32_t node, uint32_t shape,
                                   uint32_t above);
/* From now on, the rights of the job's side count the task with `milli` of each device, and it may
 * take only devices that charge no more; 0: as before any node is known. */
void victim_limits_charge(struct lsched_cycle *cy, uint32_t shape, uint32_t milli);
/* True if the room *m of the node, where the chosen units of the set are gone, holds the task on
 * devices that the limits leave. */
int victim_limits_hold(const struct lsched_cycle *cy, uint32_t node, const struct victim_set *set,
                       const struct room_without *m);

#endif
