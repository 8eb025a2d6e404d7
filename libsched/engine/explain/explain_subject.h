/*
 * explain_subject.h -- small questions that several parts of an explanation ask about the job, its
 * tasks and nodes: reads only. The file is below all parts of explain_parts.h and calls none of
 * them.
 */
#ifndef LIBSCHED_EXPLAIN_SUBJECT_H
#define LIBSCHED_EXPLAIN_SUBJECT_H

#include "engine/state/cluster.h"

/* The shape of the tasks that a record is about. */
uint32_t waiting_shape(const struct columns *k, const lsched_waiting *w);
/* What a person would name of a task: devices, else the first kind that it asks for. */
uint32_t shape_scarcest(const struct columns *k, uint32_t shape);
/* True if the node takes new work and could hold a task of the shape. */
int node_is_usable(const struct columns *k, uint32_t node, uint32_t shape);
/* The tree and level that the group must keep to, NO_ROW if none. */
uint32_t required_level(const struct columns *k, uint32_t jobshape, uint32_t group, uint32_t *tree);
/* By its estimate; LSCHED_NEVER_US without one. */
int64_t job_ends(const struct columns *k, uint32_t job, uint32_t task);

#endif
