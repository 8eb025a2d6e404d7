/*
 * queue_rules.h -- what the queues of a job say to a placement: limits on amounts, on jobs, the
 * guarantee of non-preemptible work, lending.
 *
 * Asked by every call that places or nominates, on the state of the transaction, so an action
 * cannot get round it. First no decides and is what the job is told. Cost O(depth x kinds) per
 * question; the guarantee is asked for non-preemptible jobs only.
 */
#ifndef LIBSCHED_QUEUE_RULES_H
#define LIBSCHED_QUEUE_RULES_H

#include "engine/state/cycle_state.h"

/* May the job's queue and all above take n more tasks of a leaf group, each charged so much of gpu:
 * 1; or 0 with y->why filled:
 *   LSCHED_WAIT_LIMIT    limiting queue, kind, need of the tasks, have: what the limit leaves
 *   LSCHED_WAIT_JOBS     limiting queue, need: jobs that would hold something with this one, have:
 *                        how many may
 *   LSCHED_WAIT_QUOTA    limiting queue, kind, need: what the minimum would hold more, have: what
 *                        the guarantee leaves for it
 *   LSCHED_WAIT_LENDING  the queue that keeps most, kind, need of the tasks, have: what is left */
int queue_rules_allow_charge(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n);
/* The same where it is not known yet on which devices: each is charged the least that it may be. */
int queue_rules_allow(lsched_cycle *y, uint32_t job, uint32_t group, int64_t n);
/* Called first in each cycle: sets the decay of use (half-life, window) and its weight from the
 * policy in force. LSCHED_E_NOMEM. */
int32_t queue_rules_begin(lsched_cycle *y);

#endif
