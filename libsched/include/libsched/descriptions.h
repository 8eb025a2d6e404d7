/*
 * descriptions.h -- descriptions of the nodes, queues and jobs of a cluster, as the orchestrator can
 * submit them again.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_DESCRIPTIONS_H
#define LIBSCHED_DESCRIPTIONS_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lsched_description lsched_description;

/* Describes a node, a queue or a job: all fields as submitted or as set since, with numbers of
 * resource kinds of this cluster, and with names instead of ids. A cluster with the same kinds,
 * parts, pools and topologies in which the description is submitted gets an equal object. Left out
 * is what the library found out itself: tasks, failures, the time since which a taint stops tasks.
 * The allowance of a queue is no part of its description: allowances.h reads it and sets it.
 * A job of a user's sub-queue names the queue to which it was submitted, and the user; a sub-queue
 * itself is LSCHED_E_STATE, because the library makes it. The caller frees *out with
 * lsched_description_destroy(), also after the cluster. */
LSCHED_API int32_t lsched_describe(const lsched_cluster *cluster, lsched_id object,
                                   lsched_description **out, lsched_error *err);
/* The description itself; NULL if the object is of another kind. Lists and texts are owned by the
 * lsched_description. The struct is as long as the library that runs says in its `size`, so submit it
 * in place, with elem_size 0: a program with older headers would copy only a part of it. */
LSCHED_API const struct lsched_node_desc *lsched_description_node(
    const lsched_description *description);
LSCHED_API const struct lsched_queue_desc *lsched_description_queue(
    const lsched_description *description);
LSCHED_API const struct lsched_job_desc *lsched_description_job(
    const lsched_description *description);
LSCHED_API void lsched_description_destroy(lsched_description *description); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
