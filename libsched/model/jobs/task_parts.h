/*
 * task_parts.h -- functions that task.c and releasing.c share: lists of a leaf and of a node, and
 * open decisions. No other file includes this header.
 */
#ifndef LIBSCHED_TASK_PARTS_H
#define LIBSCHED_TASK_PARTS_H

#include "model/jobs/task.h"

struct decision_spec {
    uint8_t kind, reason;
    uint64_t group, for_job; /* for_job: an id, 0 if none */
    int64_t now, at, cost;
};
/* Opens a proposed decision for a task row and appends it to the open decisions. Returns its row;
 * NO_ROW if out of memory. */
uint32_t decision_open(struct columns *k, uint32_t task, const struct decision_spec *s);
/* Closes the task's decision, if it has one. */
void decision_close(struct columns *k, uint32_t task);

/* Adds the amounts that the task holds to the use of its leaf, its queue and all queues above
 * (sign 1), or subtracts them (sign -1). To be called between nonpreemptible_use_begin() and
 * nonpreemptible_use_end(), while the task has its node. The caller charges derived resource
 * kinds. */
void task_charge(struct columns *k, uint32_t task, int sign);

/* Removes the usage samples of a task that does not run any more. */
void task_usage_drop(struct columns *k, uint32_t task);

/* column: C_LEAF_TASK_FIRST, _AGAIN_FIRST or _LEAVING_FIRST */
void task_leaf_link(struct columns *k, uint32_t task, uint32_t column);
void task_leaf_unlink(struct columns *k, uint32_t task, uint32_t column);
void task_node_link(struct columns *k, uint32_t task, uint32_t node);
void task_node_unlink(struct columns *k, uint32_t task);

/* Returns 1 if tasks of the job are found through the index T_IX_TASK. */
int task_is_indexed(const struct columns *k, uint32_t job);

#endif
