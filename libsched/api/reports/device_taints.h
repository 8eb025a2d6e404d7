/*
 * device_taints.h -- replaces the taints of a device, and checks that a node has a device.
 *
 * Running tasks keep the device, except those that a taint stops (action "drain"). Nominations of
 * tasks that the new taints forbid are withdrawn. A taint that the device already has keeps its
 * time. Cost: O(devices and tasks of the node).
 */
#ifndef LIBSCHED_DEVICE_TAINTS_H
#define LIBSCHED_DEVICE_TAINTS_H

#include <libsched/libsched.h>

#include "model/store/columns.h"

/* Returns LSCHED_E_RANGE with a message if the node has no device with this index. */
int32_t device_index_check(const struct columns *k, uint32_t node, uint32_t index,
                           lsched_error *err);
/* Applies LSCHED_DEVICE_SET_TAINTS of an update. Returns LSCHED_UNCHANGED, and changes nothing, if
 * the device has these taints already. */
int32_t device_taints_update(struct columns *k, uint32_t node, const lsched_device_update *u,
                             lsched_error *err);

#endif
