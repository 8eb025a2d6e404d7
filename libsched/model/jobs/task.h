/*
 * task.h -- placed tasks and their decisions. docs/semantics.md 4 has the table of task states;
 * this file has the transitions.
 *
 * A placed task (proposed, confirmed, running, nominated) is in the list of its leaf and in the
 * list of its node. A task that is done or waits again keeps its row in the leaf's lists until
 * the job ends or the leaf holds nothing and has nothing done. An open decision (proposed,
 * confirmed) is in the list of open decisions, oldest first. An evicted task that still runs on a
 * node has a second row: see releasing.h.
 */
#ifndef LIBSCHED_TASK_H
#define LIBSCHED_TASK_H

#include "model/shapes/placement.h"
#include "model/shapes/leaf.h"
#include "model/queues/queue.h"
#include "model/jobs/job.h"
#include "model/shapes/job_states.h"

struct place_spec {
    uint32_t job, group, node;
    uint8_t alternative; /* shape alternative of the group, in force while the leaf holds tasks */
    struct hold hold;
    uint32_t index; /* index of the task; NO_ROW: the next one that waits */
    uint8_t state;  /* LSCHED_TASK_PROPOSED, _NOMINATED, or _RUNNING for an import */
    uint8_t excess;
    int64_t now;
    uint64_t decision_group; /* 0: no decision is made */
    int64_t at;              /* when it takes effect; 0: now */
};
/* Places a task: takes the resources and makes the rows. Sets *task and *decision (NO_ROW without
 * a decision). Does not requeue the job. */
int32_t task_place(struct columns *k, const struct place_spec *p, uint32_t *task,
                   uint32_t *decision);

/* Chooses a shape alternative for a leaf before its first task is placed. Returns 1, or 0 if the
 * leaf holds placed or releasing tasks. */
int32_t leaf_try(struct columns *k, uint32_t job, uint32_t group, uint8_t alternative);

void task_confirm(struct columns *k, uint32_t task);
void task_start(struct columns *k, uint32_t task, int64_t at);
/* Gives all resources of the task back and closes an open decision. to: LSCHED_TASK_DONE if the
 * task has ended, LSCHED_TASK_NONE if it waits again. */
void task_release(struct columns *k, uint32_t task, uint8_t to);
/* Applies the gang rule after losses: withdraws the proposed tasks of a job that is not
 * satisfied, marks the job as a stale gang or clears the mark, and requeues the job. Withdrawn
 * decisions are reported through `tell` by slot and generation, because their rows are gone
 * afterwards. */
typedef void (*withdrawn_fn)(void *user, uint32_t decision_slot, uint32_t decision_gen);
int32_t job_settle_losses(struct columns *k, uint32_t job, int64_t now, withdrawn_fn tell,
                          void *user);
/* Removes all task rows of the job and gives their resources back. */
int32_t tasks_drop_all(struct columns *k, uint32_t job, withdrawn_fn tell, void *user);
/* Returns the amount of a kind that a placed or nominated task is charged; 0 for gpu if the task
 * holds no device. */
int64_t task_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* Returns the amount of a kind that all placed and nominated tasks of a leaf are charged. */
int64_t leaf_amount(const struct columns *k, uint32_t leaf, uint32_t kind);
uint32_t task_find(const struct columns *k, uint32_t job,
                   uint32_t index); /* row in any state, NO_ROW if there is none */

#endif
