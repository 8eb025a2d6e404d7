/*
 * device_health.h -- the state of single devices of a node: cordoned, failed, back again, with
 * another MIG layout, with taints.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs, batches
 * and errors.
 *
 * Source of the rules: what operators do with GPUs after Xid errors (NVIDIA's guide to Xid errors),
 * and the device conditions and device taints of Kubernetes' dynamic resource allocation.
 */
#ifndef LIBSCHED_DEVICE_HEALTH_H
#define LIBSCHED_DEVICE_HEALTH_H

#include <libsched/constraints.h>
#include <libsched/devices.h>

#ifdef __cplusplus
extern "C" {
#endif

/* State of a device. A device that is not OK takes no task, and does not count in the capacity of
 * its node and of the cluster.
 *   CORDONED  its tasks and open decisions stay
 *   FAILED    its tasks are lost and wait again, as when the node is lost; the other devices of the
 *             node work on. Open decisions about these tasks are withdrawn */
enum lsched_device_health {
    LSCHED_HEALTH_OK = 0,
    LSCHED_HEALTH_CORDONED = 1,
    LSCHED_HEALTH_FAILED = 2
};
enum lsched_device_set {
    LSCHED_DEVICE_SET_HEALTH = 1,
    LSCHED_DEVICE_SET_MIG = 2,
    LSCHED_DEVICE_SET_TAINTS = 4
};

/* A change of one device of a node. */
typedef struct lsched_device_update {
    uint32_t size;
    uint32_t set;   /* LSCHED_DEVICE_SET_* */
    lsched_id node; /* id, or 0 and `node_name` */
    lsched_text node_name;
    uint32_t device; /* index of the device in its node */
    uint32_t health; /* LSCHED_HEALTH_*; FAILED counts a failure if the device was not FAILED */
    /* all MIG instances that the device has now, after the operator changed its layout */
    const lsched_mig_instance *mig_instances;
    uint32_t n_mig_instances;
    uint32_t reserved_zero;
    /* The complete new list of taints of the device. The tolerations of a task are about taints of
     * nodes and of devices alike.
     *   NO_START  a task that does not tolerate the taint does not get the device
     *   AVOID     it gets the device only if it finds no others on the node; a node on which it must
     *             take such a device counts as a node with a taint of this effect
     *   STOP      it does not get the device, and the action "drain" stops it if it holds the device */
    const lsched_taint *taints;
    uint32_t n_taints;
    uint32_t reserved2_zero;
} lsched_device_update;
/* Changes devices. Returns the number of updates that were applied. An update that changes nothing
 * is no error; with LSCHED_BATCH_IDEMPOTENT its status is LSCHED_UNCHANGED. LSCHED_E_RANGE: the node
 * has no such device. LSCHED_E_BUSY: a task holds a MIG instance that would disappear.
 * LSCHED_E_STATE: the device is not in mode MIG. New taints withdraw the nominations that they
 * forbid, and leave tasks and placements as they are. Not thread-safe: one call at a time for each
 * cluster. */
LSCHED_API int32_t lsched_devices_update(lsched_cluster *cluster,
                                         const lsched_device_update *updates, size_t n,
                                         size_t elem_size, const lsched_batch_opts *opts,
                                         int32_t *status, lsched_error *err);

/* The present state of one device. */
typedef struct lsched_device_info {
    uint32_t size;
    uint32_t health;   /* LSCHED_HEALTH_* */
    uint32_t failures; /* number of failures since the node was added */
    uint32_t n_tasks;  /* tasks that hold a part of the device, releasing ones included */
    uint32_t share_mode;
    uint32_t free_milli; /* free milli-GPUs for new tasks; 0 if the device is not OK */
    int64_t memory_bytes;
    int64_t memory_free_bytes; /* memory that no task holds */
    lsched_text model;         /* valid until the next call that changes the cluster */
    uint32_t foreign;          /* 1: others use the device (foreign_use.h) */
    uint32_t reserved_zero;
    uint32_t n_taints; /* number of the device's taints */
    uint32_t reserved2_zero;
} lsched_device_info;
/* Writes the state of device `index` of a node to *out. LSCHED_E_RANGE: no such device. Cost:
 * O(tasks on the node). */
LSCHED_API int32_t lsched_device_get(const lsched_cluster *cluster, lsched_id node, uint32_t index,
                                     lsched_device_info *out, lsched_error *err);
/* One taint of a device. */
typedef struct lsched_device_taint_info {
    uint32_t size;
    uint32_t effect;        /* LSCHED_TAINT_* */
    lsched_text key, value; /* valid until the next call that changes the cluster */
    int64_t since_us;       /* STOP: the time at which the device got the taint; else 0 */
} lsched_device_taint_info;
/* Writes the next taint of a device of a node to *out, ordered by key, value and effect, and returns
 * 1; 0 after the last one. Before the first call, set *cursor to 0. LSCHED_E_RANGE: the node has no
 * such device. Cost: O(taints of the device). */
LSCHED_API int32_t lsched_device_taints_next(const lsched_cluster *cluster, lsched_id node,
                                             uint32_t device, uint64_t *cursor,
                                             lsched_device_taint_info *out, lsched_error *err);
/* Returns the number of device failures of a node (the sum over its devices), or the number of
 * device failures in which a job lost tasks. object: id of a node or job. Errors: those of every
 * call; another object is LSCHED_E_KIND. */
LSCHED_API int64_t lsched_device_failures(const lsched_cluster *cluster, lsched_id object,
                                          lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
