/*
 * plan_calls.h -- the calls of lsched_act for actions that plan over time. The calls tell which
 * tasks hold which amounts until when, set jobs aside while a plan is made, and park jobs until
 * their planned start. The call `place` checks the placements of such an action like those of all
 * other actions.
 */
#ifndef LIBSCHED_PLAN_CALLS_H
#define LIBSCHED_PLAN_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_plan_begin(lsched_cycle *cy);
int32_t call_holders(lsched_cycle *cy, uint32_t node, const lsched_holder **list, uint32_t *n,
                     int64_t *places);
int32_t call_nodes_changed(lsched_cycle *cy, uint64_t seen[LSCHED_SEEN_WORDS],
                           const uint32_t **nodes, uint32_t *n);
int32_t call_plan_ask(lsched_cycle *cy, uint32_t job, lsched_plan_ask *ask);
int32_t call_plan_able(lsched_cycle *cy, uint32_t job, const uint8_t **able);
int32_t call_plan_defer(lsched_cycle *cy, uint32_t job, uint32_t charged);
int32_t call_plan_take(lsched_cycle *cy, uint32_t job);
int32_t call_plan_wait(lsched_cycle *cy, uint32_t job, int64_t at_us, uint32_t node,
                       uint32_t after);
int32_t call_placed(lsched_cycle *cy, const uint32_t **nodes, uint32_t *n);
int32_t call_mig_device(lsched_cycle *cy, uint32_t job, uint32_t node, uint32_t device,
                        uint32_t *slices, uint32_t *starts, uint32_t *used);
int32_t call_spend(lsched_cycle *cy, uint64_t units);
/* True if a plan can describe everything that a job of this shape asks for: amounts, whole devices
 * or one MIG instance, and nothing else. */
int plan_says_all(const struct columns *k, uint32_t jobshape);
/* True if an action of this cycle plans over time: one of the library's actions that do, or the
 * current action, if it has called plan_begin. */
int plan_calls_any(const lsched_cycle *cy);
/* True if an action of this cycle plans over time, and can describe everything that the job asks
 * for. If such a job has no place, it waits in the list of planned bundles. */
int plan_calls_could(const lsched_cycle *cy, uint32_t job);
void plan_calls_close(lsched_cycle *cy);

#endif
