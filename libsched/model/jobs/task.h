/*
 * task.h -- placed tasks and their decisions. docs/semantics.md 4 is the table of states; this file
 * is its transitions.
 *
 * A task that is placed (proposed, confirmed, running, nominated) stands in the list of its leaf
 * and of its node; one that is done or waits again keeps its row in the leaf's lists until the job
 * ends or nothing of the leaf is left. An open decision (proposed, confirmed) stands in the list of
 * open ones, oldest first. What an eviction leaves on a node is another row: releasing.h.
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
    uint8_t alternative; /* of the group, in force while the leaf holds tasks */
    struct hold hold;
    uint32_t index; /* NO_ROW: the next that waits */
    uint8_t state;  /* LSCHED_TASK_PROPOSED, _NOMINATED, or _RUNNING for an import */
    uint8_t excess;
    int64_t now;
    uint64_t decision_group; /* 0: no decision */
    int64_t at;              /* when it takes effect; 0: now */
};
/* Take the resources, make the rows, requeue nothing. *task and *decision (NO_ROW without) are
 * set. */
int32_t task_place(struct columns *k, const struct place_spec *p, uint32_t *task,
                   uint32_t *decision);

/* Another alternative for a leaf, before its first task is placed: 1; 0 if it holds tasks, or some
 * leave. */
int32_t leaf_try(struct columns *k, uint32_t job, uint32_t group, uint8_t alternative);

void task_confirm(struct columns *k, uint32_t task);
void task_start(struct columns *k, uint32_t task, int64_t at);
/* Give everything back. DONE keeps it ended, NONE lets it wait again. Closes an open decision. */
void task_release(struct columns *k, uint32_t task, uint8_t to);
/* The gang rule after losses: withdraw proposed siblings of an unsatisfied job into withdrawn (rows
 * of ended DECISIONs are gone, so ids are reported through the callback), mark or clear a stale
 * gang, requeue. */
typedef void (*withdrawn_fn)(void *user, uint32_t decision_slot, uint32_t decision_gen);
int32_t job_settle_losses(struct columns *k, uint32_t job, int64_t now, withdrawn_fn tell,
                          void *user);
/* All rows of the job's tasks go; resources are given back. */
int32_t tasks_drop_all(struct columns *k, uint32_t job, withdrawn_fn tell, void *user);
/* What a task that has a place, or a claim on one, is charged of a kind; 0 of gpu without. */
int64_t task_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* What all tasks of a leaf that have a place or a claim are charged of a kind. */
int64_t leaf_amount(const struct columns *k, uint32_t leaf, uint32_t kind);
uint32_t task_find(const struct columns *k, uint32_t job,
                   uint32_t index); /* row in any state, NO_ROW */

#endif
