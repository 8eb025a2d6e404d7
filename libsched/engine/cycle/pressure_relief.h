/*
 * pressure_relief.h -- the reaction of a cycle to memory pressure: which tasks yield, and which
 * tasks resume.
 *
 * This step comes before the actions, with any pipeline, because a device that runs out of memory
 * stops its tasks without any decision of the library. The task that yields is one whose memory can
 * grow beyond its request (its limit is above its request), or, if there is no such task, any task
 * on the device: the task with the lowest priority, then the longest idle time, then the latest
 * start. The policy says how it yields: it pauses (LSCHED_PAUSE; then preferably the task that
 * asked for the memory), is evicted, or is swapped out (LSCHED_SUSPEND). The last active task of a
 * device never yields. A non-preemptible task is paused instead of evicted or swapped out, and so
 * is every task while the policy's victim hook fails. Cost: O(tasks on the node) per report, and
 * per node that gained room while a task is paused or swapped out; otherwise nothing.
 */
#ifndef LIBSCHED_PRESSURE_RELIEF_H
#define LIBSCHED_PRESSURE_RELIEF_H

#include "engine/state/cycle_state.h"

int32_t pressure_relief(struct lsched_cycle *y);

#endif
