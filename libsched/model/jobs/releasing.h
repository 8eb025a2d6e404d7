/*
 * releasing.h -- evicts a task, takes the eviction back, and ends what still runs on the node.
 *
 * A running task that is evicted waits again at once: its row moves to the waiting list of its
 * leaf, and its queue is not charged any more. A second row, the *releasing* row, stands for what
 * still runs on the node. The releasing row has state RELEASING and is in the node's list and in
 * the leaf's LEAVING list. The index of tasks finds it only by its own key, and of the job's
 * counters only LEAF.LEAVING counts it. So the gang, the queue and the order of jobs see the
 * state after the eviction, and the node sees the present state. The releasing row ends when the
 * orchestrator reports that the task is gone, or becomes the running task again when the eviction
 * is rejected. While the releasing row exists, the job is not placed again (phase LEAVING), but
 * its tasks can be nominated. A nominated task that has a releasing row moves to the new place.
 *
 * Invariants: FREE of the node does not include the room of a releasing row; COMING adds that
 * room unless the row is STUCK (overdue by more than a grace time); M_LEAVING counts the
 * releasing rows. Why not one row with one more state: a task that moves would have to be on two
 * nodes at once.
 */
#ifndef LIBSCHED_RELEASING_H
#define LIBSCHED_RELEASING_H

#include "model/jobs/task.h"

struct evict_spec {
    int64_t now, release_at, cost;
    uint64_t group; /* 0: no decision is made, because the task was told to stop before (import) */
    uint64_t for_job;
    uint8_t reason;
};
/* Evicts a running task. Sets *leaving to the releasing row and *decision to the decision, or to
 * NO_ROW if there is none. Does not requeue the job. */
int32_t task_evict(struct columns *k, uint32_t task, const struct evict_spec *s,
                   uint32_t *releasing, uint32_t *decision);
/* Undoes an eviction: the task runs on. The task must be waiting, not nominated. Can return
 * LSCHED_E_NOMEM. */
int32_t releasing_restore(struct columns *k, uint32_t releasing);
/* Ends a releasing row: the task is gone, and its room is free again. Can return
 * LSCHED_E_NOMEM. */
int32_t releasing_end(struct columns *k, uint32_t releasing);
/* Marks a releasing row as overdue: nothing is planned on its room any more. */
void releasing_stuck(struct columns *k, uint32_t releasing);
/* Returns the releasing row of a task index, NO_ROW if there is none. */
uint32_t releasing_find(const struct columns *k, uint32_t job, uint32_t index);
/* number of the job's releasing rows */
uint32_t job_releasing(const struct columns *k, uint32_t job);

/* Places a nominated task on its room: the task becomes proposed, holds the devices of `hold`,
 * and gets a decision of its own. */
int32_t task_seat(struct columns *k, uint32_t task, const struct hold *hold, int64_t now,
                  uint32_t *decision);
/* Marks a waiting task as done, because the task ended well before its eviction took effect. */
void task_end_waiting(struct columns *k, uint32_t task);

/* Notes that a releasing or nominated task is due at the time `at`. Only the earliest such time is
 * kept (M_FUTURE_NEXT). The task is overdue if it is still releasing or nominated when the policy's
 * grace period after that time is over. */
static inline void future_note(struct columns *k, int64_t at) {
    int64_t first = (int64_t)meta(k, M_FUTURE_NEXT);
    if (first == 0 || at < first) set_meta(k, M_FUTURE_NEXT, (uint64_t)(at > 0 ? at : 1));
}

/* node_trim_nominations() withdraws nominations on the node, the latest first, until the node will
 * have room for all that remain; it settles the jobs' gangs. */
int node_nominations_short(const struct columns *k,
                           uint32_t node); /* 1 if the room of some nomination will not come free */
int32_t node_trim_nominations(struct columns *k, uint32_t node, int64_t now, withdrawn_fn tell,
                              void *user);
/* Withdraws the nominations that required anti-affinity forbids because of a running task. The
 * nominations did not expect the task, because it was imported or its eviction was undone. */
int32_t task_trim_nominations(struct columns *k, uint32_t task, int64_t now, withdrawn_fn tell,
                              void *user);
/* Undoes a decision that the orchestrator rejects or that the library withdraws, and settles its
 * gang. If the decision group has evictions or nominations, all decisions of the group that are
 * not settled are undone with it. */
int32_t decision_reject(struct columns *k, uint32_t decision, int64_t now, withdrawn_fn tell,
                        void *user);

#endif
