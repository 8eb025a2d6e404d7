/*
 * task_ends.h -- the expected ends of the tasks on a node, and which job ends there at a time.
 *
 * The ends are estimates: a task is expected to run, from its start, for the job's estimated
 * duration or its time limit, whichever is shorter. A task that still runs after its expected end
 * is assumed to stay for another tenth of its run time, at least a minute, so that a plan never
 * counts on the room of overdue tasks. A task without an estimate or a limit is assumed never to
 * end.
 *
 * Cost: O(tasks of the node) for the first question about a node. While its tasks stay as they
 * are, the next question sorts them by their ends, O(n log n), and each further one is O(log n):
 * many jobs that wait for a pool which is one node ask about that node, one after the other. Why
 * not sort at once: where each job has a node of its own, no second question follows.
 */
#ifndef LIBSCHED_TASK_ENDS_H
#define LIBSCHED_TASK_ENDS_H

#include "engine/state/cycle_state.h"

struct task_end {
    int64_t at;
    uint32_t job;
};

/* Memory of one cycle; zeroed at the beginning. changes: the number of changes of nodes so far plus
 * one, when the first question about the node was asked. */
struct task_ends {
    uint64_t changes;
    struct task_end *list; /* in order, if is_listed is 1 */
    uint32_t node, n, cap, is_listed;
};

void task_ends_close(struct task_ends *e, struct alloc *alloc);
/* Returns the expected end of the task on its node. Sets *moves to 1 if it counts from now. */
int64_t task_ends_until(const struct lsched_cycle *cy, uint32_t task, uint64_t *moves);
/* Sets *job to the first one, in the order of jobs, of which a task on the node is expected to end
 * at time `at`. *job stays if there is none. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t task_ends_first(struct task_ends *e, const struct lsched_cycle *cy, uint32_t node,
                        int64_t at, uint32_t *job);

#endif
