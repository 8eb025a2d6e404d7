/*
 * task_holder.h -- a task as a plan over time sees it (lsched_holder): what it holds on its node,
 * until when, and what ends it then.
 *
 * The ends are those of task_ends.h. Cost: O(resource kinds).
 */
#ifndef LIBSCHED_TASK_HOLDER_H
#define LIBSCHED_TASK_HOLDER_H

#include <libsched/algorithm_act.h>

#include "engine/state/cycle_state.h"

/* What ends a run of the job after its length, LSCHED_END_*. */
uint64_t task_holder_end_of(const struct columns *k, uint32_t job);
void task_holder_get(const struct lsched_cycle *cy, uint32_t task, lsched_holder *h);

#endif
