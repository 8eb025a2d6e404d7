/*
 * verify_device.h -- computes what tasks take of shared devices and checks the sums that the
 * devices store. docs/shares.md has the rules: share of the GPU, memory, SMs, limits, isolation.
 */
#ifndef LIBSCHED_VERIFY_DEVICE_H
#define LIBSCHED_VERIFY_DEVICE_H

#include "base/wide.h"
#include "model/check/check_finding.h"

/* The amounts that one task of a shape takes of one device. */
struct device_charge {
    wide_i128 milli, /* thousandths of the device */
        sm_count,    /* number of SMs of the device */
        memory,      /* bytes of device memory */
        limit;       /* bytes of device memory that the task must not exceed */
    int may;         /* 1 if the shape is allowed on the device; the model is not checked here */
};
struct device_charge verify_device_charge(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns the amount of a resource kind that a placed or nominated task is charged, in base
 * units. */
wide_i128 verify_device_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* verify_device_shared_node checks that a node has rows in SHARED (the table of devices that tasks
 * share) if and only if its devices need such rows.
 *
 * verify_device_shared checks the row of the node's device i. The row must equal the sums over the
 * device's tasks: `held` for tasks that hold room, `releasing` for evicted tasks that still hold
 * room, and `claimed` for nominated tasks. `marked` is 1 if a task that is marked as excess is on
 * the device. */
int32_t verify_device_shared_node(struct check *c, uint32_t node);
int32_t verify_device_shared(struct check *c, uint32_t node, uint32_t i,
                             const struct device_charge *held,
                             const struct device_charge *releasing,
                             const struct device_charge *claimed, int marked);

#endif
