/*
 * cycle.h -- one call of lsched_schedule, from the check of the time to the plan.
 *
 * A cycle has these steps, in this order: choose the pipeline, begin the rules of queues, react to
 * reports of memory pressure, serve nominations, withdraw decisions on nodes that drain, wake
 * bundles, compute again everything that depends on time, admit new jobs, run the actions, make
 * the plan. All steps are in one undo scope: an error undoes the whole cycle. If a hook of the
 * policy fails, the cycle is undone and begins again without that hook.
 */
#ifndef LIBSCHED_CYCLE_H
#define LIBSCHED_CYCLE_H

#include "engine/state/cycle_state.h"

int32_t cycle_run(struct lsched_cluster *c, const lsched_schedule_opts *opts, lsched_plan **plan,
                  lsched_error *err);
/* Runs a cycle that goes through the plan of a clone instead of running actions. adopt: NULL for a
 * cycle of its own. */
struct adoption;
int32_t cycle_adopt(struct lsched_cluster *c, const lsched_schedule_opts *opts,
                    struct adoption *adopt, lsched_plan **plan, lsched_error *err);

#endif
