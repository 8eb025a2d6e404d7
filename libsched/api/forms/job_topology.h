/*
 * job_topology.h -- checks the topology rules of a group of tasks: required and preferred level,
 * topology spread, task blocks, and the distribution of tasks to domains.
 */
#ifndef LIBSCHED_JOB_TOPOLOGY_H
#define LIBSCHED_JOB_TOPOLOGY_H

#include "model/shapes/shape.h"

/* Reads the rules into s, whose counts and children are already set. `w` names the group in
 * messages. */
int32_t job_topology_read(const struct columns *k, const lsched_group_desc *g, struct group_spec *s,
                          const char *w, lsched_error *err);

#endif
