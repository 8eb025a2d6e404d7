/*
 * plan_line.h -- the calls of lsched_act for an action that plans over time and that lets a whole
 * bundle wait, but for those of its jobs that run shortly enough (algorithm_act.h).
 */
#ifndef LIBSCHED_PLAN_LINE_H
#define LIBSCHED_PLAN_LINE_H

#include "engine/state/cycle_state.h"

int32_t call_plan_rest(lsched_cycle *cy, uint32_t job, int64_t at_us, int64_t longest_us);
int32_t call_plan_offer(lsched_cycle *cy, uint32_t job, int64_t longest_us);
int32_t call_plan_shortest(lsched_cycle *cy, uint32_t job, int64_t longest_us, uint32_t other,
                           uint32_t *shortest);
int32_t call_plan_pick(lsched_cycle *cy, uint32_t job);
int32_t call_plan_is_lone(lsched_cycle *cy);

#endif
