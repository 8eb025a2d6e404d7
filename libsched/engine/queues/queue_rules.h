/*
 * queue_rules.h -- checks the rules that the queues of a job set for a placement: limits on
 * amounts, the limit on the number of jobs, the guarantee for non-preemptible jobs, lending, and
 * the guarantee reserve. Checks, too, what the whole cluster has of supplies (supply.h).
 *
 * Every call that places or nominates a task checks these rules, including the tasks that the
 * transaction has placed before. Therefore no action can bypass the rules. The first rule that
 * forbids the placement becomes the wait reason. Cost: O(depth x kinds) per check. The guarantee
 * rule is checked for non-preemptible jobs only.
 */
#ifndef LIBSCHED_QUEUE_RULES_H
#define LIBSCHED_QUEUE_RULES_H

#include "engine/state/cycle_state.h"

/* Returns 1 if the rules of the job's queue and of all queues above allow n more tasks of the leaf
 * group, each charged `gpu` milli-GPUs. Otherwise returns 0 and fills cy->turn.why:
 *   LSCHED_WAIT_LIMIT    limiting: the queue; kind; need: amount of the tasks; have: amount that
 *                        the limit leaves
 *   LSCHED_WAIT_JOBS     limiting: the queue; need: number of jobs that would hold resources if
 *                        this job started; have: largest number of such jobs
 *   LSCHED_WAIT_QUOTA    limiting: the queue; kind; need: amount by which the non-preemptible use
 *                        would grow; have: amount that the guarantee leaves for this use
 *   LSCHED_WAIT_LENDING  limiting: the queue that withholds most (guarantee reserve: the job's own
 *                        queue); kind; need: amount of the tasks; have: amount left for them
 *   LSCHED_WAIT_ALLOWANCE  limiting: the queue; need, have: micro-units of its allowance; at: the
 *                        time from which the tasks fit if nothing else changes
 *   LSCHED_WAIT_SUPPLY   the whole cluster has too little of a supply. need: amount of the tasks;
 *                        have: amount left; shape: NO_ROW */
int queue_rules_allow_charge(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n);
/* Does the check for one task in a search for victims, by the rules that depend on the charge. What
 * others do not lend, and supplies, are not asked, because victims can set them free. */
int queue_rules_allow_evicting(lsched_cycle *cy, const struct ask *a, int64_t gpu);
/* Does the same check before the devices of the tasks are known. Each task counts with the
 * smallest GPU charge that is possible for its shape. */
int queue_rules_allow(lsched_cycle *cy, const struct ask *a, int64_t n);
/* Does the checks for a running task of the job that is to get more[kind] of each kind but gpu: its
 * leaf group is `group`, and it is on `node` with the given hold. shape: the shape that the task
 * then has; old: the shape that it is charged now. */
struct queue_more {
    uint32_t job, group, node, shape, old;
    const struct hold *hold;
    int64_t more[KINDS_MAX];
};
int queue_rules_allow_more(lsched_cycle *cy, const struct queue_more *m);
/* Called at the beginning of each cycle. Sets the half-life, the window and the weight of decayed
 * use from the policy in force. Error: LSCHED_E_NOMEM. */
int32_t queue_rules_begin(lsched_cycle *cy);

#endif
