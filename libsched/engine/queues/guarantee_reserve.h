/*
 * guarantee_reserve.h -- the guarantee reserve: idle room that is kept free for a waiting job. The
 * job is within its queue's guarantee, and waits only because its victims are still in their
 * minimum run time.
 *
 * Without a reserve, queues that borrow could start new tasks in all room that comes free. Each
 * new task would again be in its minimum run time, and the waiting job would wait for ever
 * although no rule is broken. Therefore, while there is a reserve, a task that brings a queue
 * above its guarantee starts only if the reserved amount stays idle. The running tasks then reach
 * the end of their minimum run time, and no job within its queue's guarantee waits longer than one
 * minimum run time. The reserve for a job never exceeds the amount that the job lacks. Tasks
 * within the guarantee of their queue are never delayed. Cost: one memory read while there is no
 * reserve, else O(bundles) per cycle.
 */
#ifndef LIBSCHED_GUARANTEE_RESERVE_H
#define LIBSCHED_GUARANTEE_RESERVE_H

#include "engine/state/cycle_state.h"

struct guarantee_reserve {
    int owes; /* 1 if there is a reserve: at least one job waits for reserved room */
    /* row of the job for which mine[] was computed; NO_ROW if there is none */
    uint32_t job;
    int64_t owed[KINDS_MAX]; /* reserved amount for each resource kind */
    int64_t mine[KINDS_MAX]; /* portion of owed[] that is reserved for the job in row `job` */
};

/* Must be called at the beginning of a cycle. Computes the reserve from the bundles that the last
 * cycle marked. If no more jobs need a reserve than in the last cycle, also wakes the jobs that
 * wait for lending or a guarantee, because the reserve can have become smaller. Error:
 * LSCHED_E_NOMEM. */
int32_t guarantee_reserve_begin(lsched_cycle *cy);
/* True if the reserve is smaller now than at the beginning of the last pass: jobs that waited for
 * guaranteed room have started, or their victims cannot help them any more. The next cycle wakes
 * the jobs that wait for lending or a guarantee. Cost: one memory read while there is no reserve,
 * else O(bundles). */
int guarantee_reserve_fell(const struct columns *k);
/* Returns 1 if the reserve allows n more tasks of the leaf group, each charged `gpu` milli-GPUs.
 * Otherwise returns 0 and fills cy->turn.why: LSCHED_WAIT_LENDING; limiting: the job's own
 * queue. */
int guarantee_reserve_allows(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n);
/* Does the same check for more[kind] of the queue's running work, for which nothing is kept. */
int guarantee_reserve_allows_more(lsched_cycle *cy, uint32_t queue, const int64_t more[KINDS_MAX]);

#endif
