/*
 * task_parts.h -- the pieces that task.c and releasing.c share: lists of a leaf and of a node, and
 * open decisions. Nobody else includes it.
 */
#ifndef LIBSCHED_TASK_PARTS_H
#define LIBSCHED_TASK_PARTS_H

#include "model/jobs/task.h"

struct decision_spec {
    uint8_t kind, reason;
    uint64_t group, for_job; /* for_job: an id, 0 none */
    int64_t now, at, cost;
};
/* A proposed decision on a task row, at the end of the open ones; NO_ROW if out of memory. */
uint32_t decision_open(struct columns *k, uint32_t task, const struct decision_spec *s);
/* That of the task, if it has one. */
void decision_close(struct columns *k, uint32_t task);

/* Charge what the task holds (sign 1), or give it back (-1): its leaf, its queue and all above.
 * Between use_begin() and use_end(), while it has its node. Derived kinds are the caller's. */
void task_charge(struct columns *k, uint32_t task, int sign);

/* Samples of a task that runs no more. */
void task_usage_drop(struct columns *k, uint32_t task);

/* column: C_LEAF_TASK_FIRST, _AGAIN_FIRST or _LEAVING_FIRST */
void task_leaf_link(struct columns *k, uint32_t task, uint32_t column);
void task_leaf_unlink(struct columns *k, uint32_t task, uint32_t column);
void task_node_link(struct columns *k, uint32_t task, uint32_t node);
void task_node_unlink(struct columns *k, uint32_t task);

/* Are tasks of the job found by T_IX_TASK. */
int task_is_indexed(const struct columns *k, uint32_t job);

#endif
