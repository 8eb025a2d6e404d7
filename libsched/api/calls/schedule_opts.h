/*
 * schedule_opts.h -- reads the options of a cycle, for lsched_schedule() and for the calls that
 * predict a cycle.
 */
#ifndef LIBSCHED_SCHEDULE_OPTS_H
#define LIBSCHED_SCHEDULE_OPTS_H

#include "engine/state/cluster.h"

/* Copies the caller's options to *o and checks them against the cluster, which must not be busy. */
int32_t schedule_opts_read(const lsched_cluster *c, const lsched_schedule_opts *opts,
                           lsched_schedule_opts *o, lsched_error *err);

#endif
