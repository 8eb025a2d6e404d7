/*
 * explain_subject.h -- small read-only functions about the job, its tasks and nodes that several
 * files of an explanation use. This file calls none of the functions in explain_parts.h.
 */
#ifndef LIBSCHED_EXPLAIN_SUBJECT_H
#define LIBSCHED_EXPLAIN_SUBJECT_H

#include "engine/state/cluster.h"

/* Returns the shape of the tasks that a waiting record is about. */
uint32_t waiting_shape(const struct columns *k, const lsched_waiting *w);
/* Returns the resource kind to name first for a task: gpu if it asks for any, else the first kind
 * that it asks for. */
uint32_t shape_scarcest(const struct columns *k, uint32_t shape);
/* True if the node takes new work and could hold a task of the shape. */
int node_is_usable(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns the topology level that the group, or the closest group around it, requires; NO_ROW if
 * none. *tree is set to the topology. */
uint32_t required_level(const struct columns *k, uint32_t jobshape, uint32_t group, uint32_t *tree);
/* Returns the task's end by the job's estimated duration, LSCHED_NEVER_US without an estimate. */
int64_t job_ends(const struct columns *k, uint32_t job, uint32_t task);

#endif
