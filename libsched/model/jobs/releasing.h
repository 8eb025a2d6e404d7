/*
 * releasing.h -- evicts a task, undoes the eviction, and ends the releasing row when the task is
 * gone.
 *
 * A running task that is evicted waits again at once: its row moves to the waiting list of its
 * leaf, and its queue is not charged any more. A second row, the *releasing* row, represents the
 * processes that still run on the node. The releasing row has state RELEASING and is in the
 * node's list and in the leaf's LEAVING list. In the index of tasks, the releasing row has a key
 * of its own. Among the job's counters, only LEAF.LEAVING counts the releasing row. Therefore
 * gang, queue and order of jobs are computed as if the task were gone already, and the amounts of
 * the node include the task. The releasing row ends when the orchestrator reports that the task
 * is gone, or becomes the running task again when the eviction is rejected. While the releasing
 * row exists, the job is not placed again (phase RELEASING), but its tasks can be nominated. A
 * nominated task that also has a releasing row is a task that moves.
 *
 * Invariants: FREE of the node does not include the room of a releasing row; COMING includes that
 * room unless the row is STUCK (overdue by more than a grace time); M_LEAVING is the number of
 * releasing rows. Why not one row with one more state: a task that moves would have to be on two
 * nodes at once.
 */
#ifndef LIBSCHED_RELEASING_H
#define LIBSCHED_RELEASING_H

#include "model/jobs/task.h"

struct evict_spec {
    int64_t now, release_at, cost;
    uint64_t group; /* 0: no decision is made, because the imported task was told to stop before */
    uint64_t for_job;
    uint8_t reason;
};
/* Evicts a running task. Sets *releasing to the releasing row, and *decision to the decision, or
 * to NO_ROW if no decision is made. Does not requeue the job. */
int32_t task_evict(struct columns *k, uint32_t task, const struct evict_spec *s,
                   uint32_t *releasing, uint32_t *decision);
/* Undoes an eviction: the task runs on. Before the call, the evicted task must be waiting, not
 * nominated. Can return LSCHED_E_NOMEM. */
int32_t releasing_restore(struct columns *k, uint32_t releasing);
/* Removes a releasing row because the task is gone, and makes its room free again. Can return
 * LSCHED_E_NOMEM. */
int32_t releasing_end(struct columns *k, uint32_t releasing);
/* Marks a releasing row as overdue: no task is nominated for its room any more. */
void releasing_stuck(struct columns *k, uint32_t releasing);
/* Notes that a releasing or nominated task is due at the time `at`. Only the earliest of all
 * noted times is kept (M_FUTURE_NEXT). A task is overdue if it is still releasing or nominated
 * when the policy's grace period after its due time is over. */
static inline void future_note(struct columns *k, int64_t at) {
    int64_t first = (int64_t)meta(k, M_FUTURE_NEXT);
    if (first == 0 || at < first) set_meta(k, M_FUTURE_NEXT, (uint64_t)(at > 0 ? at : 1));
}

#endif
