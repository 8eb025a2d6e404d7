/*
 * resize.h -- a wanted resize of a running task, from the request to its end.
 *
 *   wanted     the orchestrator asked for other amounts; the task runs on with what it has
 *   proposed   a RESIZE decision is open. The charge is the larger amount of old and new for each
 *              kind: room into which the task grows is taken when the decision is made, and room
 *              that it gives back is free only when the orchestrator has confirmed the decision
 *   confirmed  the task has the new amounts, and the wish is fulfilled
 *   rejected   the task has the old amounts, and the wish is dropped
 *
 * A proposal that is withdrawn by the library gives back what it took, and the wish waits again. An
 * eviction withdraws it, and so does memory pressure that makes the task yield: both are urgent,
 * and a task has one open decision at most. A task that is evicted keeps its wish as long as its
 * processes run, so that it can be proposed again if the eviction is undone. A resize never evicts
 * anybody. The order of the wishes is that of their jobs' priority, then of the requests
 * (engine/resizes/resize_serve.h).
 *
 * Source of the rules: in-place resize of pods in Kubernetes. There, the kubelet counts for each
 * kind the larger amount of what a container has and what it is to have, until the change is done;
 * a change that does not fit is deferred, and retried when a pod gives room back, by priority.
 *
 * Invariants: at most one decision of a task is open. SHAPE differs from REAL only while a RESIZE
 * decision is open. Cost: O(queue depth x kinds) for each change of a charge.
 */
#ifndef LIBSCHED_RESIZE_H
#define LIBSCHED_RESIZE_H

#include "model/resizes/size_shape.h"
#include "model/resizes/task_size.h"

/* Sets what a running task is to have: amount[kind] for each kind but gpu. An open RESIZE decision
 * for other amounts is withdrawn first. If the amounts are those that the task has, its wish ends.
 * Returns LSCHED_UNCHANGED if they are wanted already, or LSCHED_OK or LSCHED_E_NOMEM. */
int32_t resize_want(struct columns *k, uint32_t task, const int64_t amount[KINDS_MAX], int64_t now);
/* Sets more[kind] to what the task is to get in addition to what it is charged; 0 if it is to get
 * less. Returns 1 if any is above 0. */
int resize_grows(const struct columns *k, uint32_t row, int64_t more[KINDS_MAX]);
/* Makes a RESIZE decision for the task of the row, which runs, wants other amounts, and has no open
 * decision. Sets *decision to it. Can return LSCHED_E_NOMEM. */
int32_t resize_propose(struct columns *k, uint32_t row, uint64_t group, int64_t now,
                       uint32_t *decision);
/* Ends the open RESIZE decision of the task. Both can return LSCHED_E_NOMEM. resize_confirm(): the
 * task has the new amounts. resize_undo(): it keeps the old ones, and the wish waits for the next
 * cycle; the change feed has the withdrawal. */
int32_t resize_confirm(struct columns *k, uint32_t task);
int32_t resize_undo(struct columns *k, uint32_t task);
/* Ends the wish of a task without an open RESIZE decision. */
void resize_forget(struct columns *k, uint32_t task);
/* True if the task has an open RESIZE decision. */
static inline int resize_is_open(const struct columns *k, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    return d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_RESIZE;
}

/* ---- the life of the task ---- */

/* The task is about to be evicted, paused, swapped out, resumed or warned. Withdraws an open RESIZE
 * decision before, and no list has the wish while that other decision is open. If the task is
 * evicted, the size and the wish then belong to the releasing row. Can return LSCHED_E_NOMEM. */
int32_t resize_task_leaves(struct columns *k, uint32_t task);
/* The processes of the row end: its wish ends, which the change feed has. The row is on its node
 * yet. */
void resize_task_ends(struct columns *k, uint32_t task);
/* The processes of the row are gone, and all their amounts are given back: their size ends. */
void resize_task_gone(struct columns *k, uint32_t task);
/* The task runs again, or a decision about it is over: a wish is tried by the next cycle. */
void resize_look_again(struct columns *k, uint32_t task);
/* A WARN about the task is settled. What waited for that is tried again: a wish, and the return of
 * a paused task. */
void resize_other_settled(struct columns *k, uint32_t task);
/* Withdraws the open WARN of the task. Returns LSCHED_OK. */
int32_t resize_warn_undo(struct columns *k, uint32_t task);

#endif
