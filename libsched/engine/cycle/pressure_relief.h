/*
 * pressure_relief.h -- the reaction of a cycle to memory pressure: chooses the tasks that yield
 * memory, and the tasks that resume.
 *
 * This step comes before the actions, with any pipeline. The reason: a device that runs out of
 * memory stops its tasks without any decision of the library. The tasks of the device yield in an
 * order with these criteria: preemptible tasks first, then tasks whose memory can grow because
 * their limit is above their request, then the lowest priority, then the longest idle time, then
 * the latest start. The last active task of a device never yields. The policy says how a task
 * yields: it is paused (LSCHED_DECIDE_PAUSE), evicted, or swapped out (LSCHED_DECIDE_SUSPEND). If
 * the policy says pause, the task that asked for the memory is preferred. A non-preemptible task is
 * always paused. As long as the policy's hook `victim` fails, every task that yields is paused.
 * Cost: O(tasks on the node) for each report, and for each node that gained room while a task is
 * paused or swapped out; otherwise nothing.
 */
#ifndef LIBSCHED_PRESSURE_RELIEF_H
#define LIBSCHED_PRESSURE_RELIEF_H

#include "engine/state/cycle_state.h"

int32_t pressure_relief(struct lsched_cycle *cy);

#endif
