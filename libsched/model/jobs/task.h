/*
 * task.h -- placed tasks and their decisions. docs/semantics.md 4 has the table of task states;
 * this file has the transitions.
 *
 * A placed task (proposed, confirmed, running, nominated) is in the list of its leaf and in the
 * list of its node. A task that is done or waits again keeps its row in the leaf's lists. The row
 * is removed when the job ends, or when no task of the leaf is placed, done or releasing any
 * more. An open decision (proposed, confirmed) is in the list of open decisions, oldest first. An
 * evicted task that still runs on a node has a second row: see releasing.h.
 */
#ifndef LIBSCHED_TASK_H
#define LIBSCHED_TASK_H

#include "model/shapes/placement.h"
#include "model/shapes/leaf.h"
#include "model/shapes/job_states.h"

struct place_spec {
    uint32_t job, group, node;
    /* shape alternative of the group; it stays in force as long as the leaf has placed tasks */
    uint8_t alternative;
    struct hold hold;
    uint32_t index; /* index of the task in the job; NO_ROW: any waiting task */
    uint8_t state;  /* LSCHED_TASK_PROPOSED, _NOMINATED, or _RUNNING for an import */
    uint8_t excess;
    int64_t now;
    int64_t since;           /* of a running task that has run before: its first start; 0: now */
    uint64_t decision_group; /* 0: no decision is made */
    int64_t at;              /* time at which the decision takes effect; 0: now */
};
/* Places a task: takes the resources and makes the rows. Sets *task to the task's row, and
 * *decision to the decision's row, or to NO_ROW if no decision is made. Does not requeue the
 * job. */
int32_t task_place(struct columns *k, const struct place_spec *p, uint32_t *task,
                   uint32_t *decision);

/* Chooses a shape alternative for a leaf before its first task is placed. Returns 1, or 0 if the
 * leaf has placed or releasing tasks: their alternative cannot change. */
int32_t leaf_try(struct columns *k, uint32_t job, uint32_t group, uint8_t alternative);

/* Notes that the orchestrator carries out the task's open decision, which is no RESIZE
 * (resize_confirm). */
void task_confirm(struct columns *k, uint32_t task);
void task_start(struct columns *k, uint32_t task, int64_t at);
/* Gives all resources of the task back, closes the task's open decision, and sets its state to
 * `to`: LSCHED_TASK_DONE if the task has ended, LSCHED_TASK_NONE if it waits again. */
void task_release(struct columns *k, uint32_t task, uint8_t to);
/* Marks an evicted task, which waits again, as done, because the task ended successfully before
 * its eviction took effect. */
void task_end_waiting(struct columns *k, uint32_t task);

#endif
