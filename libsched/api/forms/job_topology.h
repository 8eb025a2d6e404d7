/*
 * job_topology.h -- checks the topology rules of a task group: required and preferred level,
 * topology spread, task blocks, and the mode by which tasks are assigned to domains.
 */
#ifndef LIBSCHED_JOB_TOPOLOGY_H
#define LIBSCHED_JOB_TOPOLOGY_H

#include "model/shapes/shape.h"

/* Reads the rules into *s. Before the call, min, max and n_children of *s must be set. w: name of
 * the group for messages. */
int32_t job_topology_read(const struct columns *k, const lsched_group_desc *g, struct group_spec *s,
                          const char *w, lsched_error *err);

#endif
