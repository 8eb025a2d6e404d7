/*
 * job_demand.h -- a group's demand over time, from the host's steps to those of its shape. Steps
 * count from the start of a task, and are kept; or they are times of the day (demand_period_us),
 * and then they are what its nodes are charged (model/shapes/daily_demand.h).
 */
#ifndef LIBSCHED_JOB_DEMAND_H
#define LIBSCHED_JOB_DEMAND_H

#include "model/shapes/shape.h"

/* Into t, after its request; *steps is the caller's to free, of g->n_demand. */
int32_t job_demand_read(const struct columns *k, const lsched_group_desc *g, struct task_spec *t,
                        struct demand_spec **steps, const char *where, lsched_error *err);

#endif
