/*
 * job_demand.h -- converts a group's demand over time from the orchestrator's steps to the steps
 * of its shape.
 *
 * Steps whose times count from the start of a task are stored unchanged. Steps whose times are
 * times of day (demand_period_us) become a daily curve, which changes the amounts that tasks take
 * from nodes (model/shapes/daily_demand.h).
 */
#ifndef LIBSCHED_JOB_DEMAND_H
#define LIBSCHED_JOB_DEMAND_H

#include "model/shapes/shape.h"

/* Reads the demand steps of the group into t. Before the call, t must have the group's request.
 * Sets *steps to an array of g->n_demand elements, which t->demand points to and the caller
 * frees. */
int32_t job_demand_read(const struct columns *k, const lsched_group_desc *g, struct task_spec *t,
                        struct demand_spec **steps, const char *where, lsched_error *err);

#endif
