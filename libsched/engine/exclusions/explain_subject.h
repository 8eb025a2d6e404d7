/*
 * explain_subject.h -- small read-only functions about jobs, tasks, nodes and queues, used by
 * several files of an explanation. The file includes no other file of the folder.
 */
#ifndef LIBSCHED_EXPLAIN_SUBJECT_H
#define LIBSCHED_EXPLAIN_SUBJECT_H

#include "engine/state/cluster.h"
#include "model/devices/resource_part.h"

/* Returns the shape of the tasks that a waiting record is about. A task shape says what one task of
 * a group asks for. */
uint32_t waiting_shape(const struct columns *k, const lsched_waiting *w);
/* Returns the resource kind that a text names first for a task: GPU if the task asks for GPUs, else
 * the first kind that the task asks for. */
uint32_t shape_scarcest(const struct columns *k, uint32_t shape);
/* True if the node takes new work and could hold a task of the shape if the node were empty. */
int node_is_usable(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns when the last of the job's running tasks started, INT64_MIN if none runs. */
int64_t job_youngest(const struct columns *k, uint32_t job);
/* Returns the limit and the use of a queue for a resource kind or a resource part. For a resource
 * kind, the other members of the result are 0. */
struct resource_part_amount queue_limit(const struct columns *k, uint32_t queue, uint32_t kind);
/* True if the domain exists and is on the given level of the topology `tree`. */
int domain_is_at(const struct columns *k, uint32_t domain, uint32_t tree, uint32_t level);
/* Returns the row of the object with the id, NO_ROW if the object no longer exists. */
uint32_t live_row(const struct columns *k, lsched_id id, uint32_t kind, uint32_t table);
/* True if the name of row `a` comes before the name of row `b`; `column` holds the names. Every row
 * comes before NO_ROW. */
int name_before(const struct columns *k, uint32_t column, uint32_t a, uint32_t b);
/* True if the wait code says that the job waits for room on nodes. */
static inline int waits_for_room(uint32_t code) {
    return code == LSCHED_WAIT_ROOM || code == LSCHED_WAIT_GANG || code == LSCHED_WAIT_TOPOLOGY;
}
/* What ends a task, or makes it leave its node. */
enum task_end_why { TASK_END_ESTIMATE, TASK_END_LIMIT, TASK_END_ALLOWANCE, TASK_END_RELEASE };
/* Returns the first of the times at which the task should be gone from its node, not before now:
 *   - for a releasing task, its release time
 *   - for a running task, the end by the estimate of its job, by the time limit, or by an allowance
 *     that is spent then and stops its work
 *   - for a placed task that does not run yet, the end by the estimate or by the time limit if it
 *     starts now.
 * If there is none, but the estimate or the time limit of a running task is over, it returns that
 * past time; else LSCHED_NEVER_US. */
int64_t task_ends_first_at(const struct columns *k, uint32_t task, enum task_end_why *why);

#endif
