/*
 * job_demand.h -- converts a group's demand over time from the orchestrator's steps to the steps of
 * its shape.
 *
 * Steps that count from the start of a task are stored unchanged. Steps by the time of day
 * (demand_period_us) determine what nodes are charged (model/shapes/daily_demand.h).
 */
#ifndef LIBSCHED_JOB_DEMAND_H
#define LIBSCHED_JOB_DEMAND_H

#include "model/shapes/shape.h"

/* Reads the steps into t, after its request was read. The caller frees *steps, an array of
 * g->n_demand. */
int32_t job_demand_read(const struct columns *k, const lsched_group_desc *g, struct task_spec *t,
                        struct demand_spec **steps, const char *where, lsched_error *err);

#endif
