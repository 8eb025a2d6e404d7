/*
 * device_losses.h -- takes the tasks off a node, or off one device of it, because they are lost.
 *
 * Each lost task waits again, and the gang rule is applied once to each job, after all lost tasks
 * of the job are released. Cost: O(tasks on the node x jobs that lose tasks).
 */
#ifndef LIBSCHED_DEVICE_LOSSES_H
#define LIBSCHED_DEVICE_LOSSES_H

#include "model/shapes/placement.h"
#include "model/told/decision.h"

/* Releases all tasks on the node that hold a device of the set. DEVICE_SET_ALL: all tasks.
 * Each withdrawn decision is reported through `tell`, which can be NULL. Can return
 * LSCHED_E_NOMEM. */
int32_t node_lose_tasks(struct columns *k, uint32_t node, device_set lost, withdrawn_fn tell,
                        void *user);
/* Counts one device failure for each job that has a task on the device. Can return
 * LSCHED_E_NOMEM. */
int32_t device_losses_count(struct columns *k, uint32_t node, uint32_t index);

#endif
