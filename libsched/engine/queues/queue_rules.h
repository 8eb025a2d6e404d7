/*
 * queue_rules.h -- the rules of a job's queues for a placement: limits on amounts and on jobs, the
 * guarantee for non-preemptible work, lending.
 *
 * Every call that places or nominates checks these rules on the state of the transaction, so an
 * action cannot bypass them. The first rule that fails decides and becomes the wait reason. Cost:
 * O(depth x kinds) per check; the guarantee is computed for non-preemptible jobs only.
 */
#ifndef LIBSCHED_QUEUE_RULES_H
#define LIBSCHED_QUEUE_RULES_H

#include "engine/state/cycle_state.h"

/* Returns 1 if the job's queue and all queues above can take n more tasks of a leaf group, each
 * charged `gpu` milli-GPUs; or 0 with y->why filled:
 *   LSCHED_WAIT_LIMIT    limiting queue, kind, need of the tasks, have: what the limit leaves
 *   LSCHED_WAIT_JOBS     limiting queue, need: jobs that would hold resources with this one, have:
 *                        how many jobs can
 *   LSCHED_WAIT_QUOTA    limiting queue, kind, need: what the minimum would hold more, have: what
 *                        the guarantee leaves for it
 *   LSCHED_WAIT_LENDING  the queue that withholds most, kind, need of the tasks, have: the rest */
int queue_rules_allow_charge(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n);
/* Does the same check before the devices are known: each task is charged the least possible
 * amount. */
int queue_rules_allow(lsched_cycle *y, uint32_t job, uint32_t group, int64_t n);
/* Called first in each cycle: sets the decay of use (half-life, window) and its weight from the
 * policy in force. Error: LSCHED_E_NOMEM. */
int32_t queue_rules_begin(lsched_cycle *y);

#endif
