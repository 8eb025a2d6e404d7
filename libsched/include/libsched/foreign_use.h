/*
 * foreign_use.h -- what others use on nodes: daemons, other schedulers, work without a job and
 * without a queue.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors.
 *
 * Source of the rules: pods of daemon sets and of other schedulers on nodes of Kubernetes.
 */
#ifndef LIBSCHED_FOREIGN_USE_H
#define LIBSCHED_FOREIGN_USE_H

#include <libsched/devices.h>
#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All that others use on one node. It replaces what was said of the node before. */
typedef struct lsched_foreign_use {
    uint32_t size;
    uint32_t n_amounts;
    lsched_id node; /* id, or 0 and `node_name` */
    lsched_text node_name;
    /* kinds that are not named are 0; must not name gpu; at most 2^61 of a kind */
    const lsched_amount *amounts;
    uint32_t device_mask; /* devices that others use, as a whole: bit i is device i of the node */
    uint32_t reserved_zero;
    uint64_t device_words[LSCHED_DEVICE_WORDS]; /* instead of device_mask: devices.h */
} lsched_foreign_use;
/* Sets what others use. The free amounts of the node follow; they can become negative, and the node
 * then takes no new task. A device that others use takes no task and does not count in the capacity
 * of its node, as if it were cordoned; tasks that are on it stay. No queue is charged. Returns the
 * number of elements that were applied. LSCHED_E_RANGE: an amount is too great, or the node has no
 * such device. Not thread-safe: one call at a time for each cluster. Cost: that of an update of a
 * node. */
LSCHED_API int32_t lsched_foreign_set(lsched_cluster *cluster, const lsched_foreign_use *uses,
                                      size_t n, size_t elem_size, const lsched_batch_opts *opts,
                                      int32_t *status, lsched_error *err);
/* Returns the amount of a kind that others use on a node, in base units; for gpu, 1000
 * for each device. Errors: those of every call; LSCHED_E_KEY: unknown kind; LSCHED_E_UNSUPPORTED: a
 * resource part. */
LSCHED_API int64_t lsched_foreign_amount(const lsched_cluster *cluster, lsched_id node,
                                         uint32_t kind, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
