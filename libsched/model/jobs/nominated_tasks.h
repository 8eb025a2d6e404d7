/*
 * nominated_tasks.h -- places nominated tasks when their room is free, and withdraws nominations
 * for room that will not come free.
 *
 * A nominated task is charged like a placed task, and NODE.COMING of its node is reduced by its
 * amounts. Cost: O(kinds + devices) for a node whose amounts show that it has room for all
 * nominations, O(tasks of the node) otherwise.
 */
#ifndef LIBSCHED_NOMINATED_TASKS_H
#define LIBSCHED_NOMINATED_TASKS_H

#include "model/jobs/losses.h"
#include "model/told/decision.h"
#include "model/shapes/placement.h"

/* Places a nominated task in its room: the task becomes proposed, holds the devices of `hold`,
 * and gets a new decision. */
int32_t task_seat(struct columns *k, uint32_t task, const struct hold *hold, int64_t now,
                  uint32_t *decision);
/* node_trim_nominations() withdraws nominations on the node, the latest first, until the node
 * will have room for all remaining nominations. It applies the gang rule to their jobs. */
/* 1 if the room of at least one nomination will not come free */
int node_nominations_short(const struct columns *k, uint32_t node);
int32_t node_trim_nominations(struct columns *k, uint32_t node, int64_t now, withdrawn_fn tell,
                              void *user);
/* Returns a nominated task that required anti-affinity, or a rule of the groups of its job, forbids
 * because of a running task; NO_ROW if there is none. */
uint32_t task_nominated_beside(const struct columns *k, uint32_t task);
/* Withdraws the nominations that are forbidden because of a running task. The search that made the
 * nominations did not know the task, because the task was imported or its eviction was undone
 * later. */
int32_t task_trim_nominations(struct columns *k, uint32_t task, int64_t now, withdrawn_fn tell,
                              void *user);

/* Returns the latest time at which the room of one of the job's nominations should be free. If a
 * gang waits for its nominations, a further task of the gang must wait until that time, too. */
int64_t nominated_tasks_last_at(const struct columns *k, uint32_t job);

#endif
