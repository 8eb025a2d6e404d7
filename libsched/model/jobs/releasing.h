/*
 * releasing.h -- what an eviction does to rows.
 *
 * A running task that is evicted waits again at once: its row goes to the waiting list of its leaf,
 * its queue is not charged any more. What still runs on the node is a second row, the *leaving*
 * one: state RELEASING, in the node's list and in the leaf's LEAVING list, found by no index,
 * counted by nothing of the job but LEAF.LEAVING. So the gang, the queue and the order see what
 * will be, and the node sees what is. The leaving row ends when the host reports it gone, or turns
 * back into the task when the eviction is refused. While it is there the job is not placed anew
 * (phase LEAVING), but its tasks may be nominated: that is a move.
 *
 * Invariants: FREE of the node still counts the leaving row, COMING adds it back unless it is STUCK
 * (overdue by more than a grace); M_LEAVING counts them. Why not a state of the one row: then a
 * task that moves would stand on two nodes at once.
 */
#ifndef LIBSCHED_RELEASING_H
#define LIBSCHED_RELEASING_H

#include "model/jobs/task.h"

struct evict_spec {
    int64_t now, release_at, cost;
    uint64_t group; /* 0: no decision: it was asked to stop before (import) */
    uint64_t for_job;
    uint8_t reason;
};
/* The task runs. *leaving and *decision (NO_ROW without) are set. Requeues nothing. */
int32_t task_evict(struct columns *k, uint32_t task, const struct evict_spec *s, uint32_t *leaving,
                   uint32_t *decision);
/* The eviction does not happen: the task runs on. It must wait, not be nominated.
 * LSCHED_E_NOMEM. */
int32_t leaving_restore(struct columns *k, uint32_t leaving);
/* It is gone: the node has its room back. LSCHED_E_NOMEM. */
int32_t leaving_end(struct columns *k, uint32_t leaving);
/* Overdue: nothing is planned on it any more. */
void leaving_stuck(struct columns *k, uint32_t leaving);
/* The leaving row of a task index, NO_ROW. */
uint32_t leaving_find(const struct columns *k, uint32_t job, uint32_t index);
uint32_t job_leaving(const struct columns *k, uint32_t job); /* how many */

/* A nominated task takes its room: it becomes proposed, on the devices of mask, with a decision of
 * its own. */
int32_t task_seat(struct columns *k, uint32_t task, const struct hold *hold, int64_t now,
                  uint32_t *decision);
/* A task that waits ended well, before its stop: its row is done. */
void task_end_waiting(struct columns *k, uint32_t task);

/* Something becomes overdue at `at`, unless it is gone by then. */
static inline void future_note(struct columns *k, int64_t at) {
    int64_t first = (int64_t)meta(k, M_FUTURE_NEXT);
    if (first == 0 || at < first) set_meta(k, M_FUTURE_NEXT, (uint64_t)(at > 0 ? at : 1));
}

/* Withdraw claims on the node until no more is claimed than will be there, latest task first;
 * settles the jobs. */
int node_claims_short(const struct columns *k,
                      uint32_t node); /* is there one that will not be met */
int32_t node_trim_claims(struct columns *k, uint32_t node, int64_t now, withdrawn_fn tell,
                         void *user);
/* A task runs where others claimed room and did not reckon with it: imported, or its stop was taken
 * back. Claims that may not be beside it are withdrawn. */
int32_t task_trim_claims(struct columns *k, uint32_t task, int64_t now, withdrawn_fn tell,
                         void *user);
/* The host refuses a decision, or the library withdraws it: what it did is undone, its gang
 * settled, and if its group has evictions or claims, all of that group that is not settled goes
 * with it. */
int32_t decision_reject(struct columns *k, uint32_t decision, int64_t now, withdrawn_fn tell,
                        void *user);

#endif
