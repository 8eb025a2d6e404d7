/*
 * device_select_mig.h -- chooses the devices of a node that give a task its MIG instances, and
 * the memory slices at which the instances begin.
 *
 * The task gets one instance on each chosen device. A device that loses the least worth is chosen
 * (mig.h defines worth). Ties are decided by: no repartition needed, then the fewest destroyed
 * idle instances, then the lowest index of the device. With LSCHED_DEVICE_ORDER_SPREAD, these rules
 * decide only between devices that are equally full, and the emptiest device in use comes first.
 * The loss of worth comes before repartitions, because a repartition takes seconds, but the
 * slices that a bad choice makes useless are lost as long as the task runs. Cost: O(devices x
 * possible starts of an instance) for each instance.
 */
#ifndef LIBSCHED_DEVICE_SELECT_MIG_H
#define LIBSCHED_DEVICE_SELECT_MIG_H

#include "model/devices/device_mig.h"

/* Returns the `need` best devices of the set `from`. The caller has checked that
 * each device of `from` can give an instance. */
device_set device_select_mig_devices(const struct columns *k, uint32_t node, uint32_t shape,
                                     uint32_t need, device_set from, enum device_when when);
/* Sets hold->starts (the first memory slice on each device of hold->mask) and hold->recut (those
 * devices whose instance the orchestrator has still to make). Returns 0 if a device of the mask
 * cannot give an instance. */
int device_select_mig_starts(const struct columns *k, uint32_t node, uint32_t shape,
                             enum device_when when, struct hold *hold);
/* Renews the hold of a nominated task: keeps hold->starts and computes hold->recut again, because
 * the layouts of the devices can have changed since the nomination. */
void device_select_mig_renew(const struct columns *k, uint32_t node, uint32_t shape,
                             struct hold *hold);
/* Returns 1 if each device of the hold can give an instance that begins at the slice in
 * hold->starts. */
int device_select_mig_allows(const struct columns *k, uint32_t node, uint32_t shape,
                             enum device_when when, const struct hold *hold);
/* Returns the worth (mig.h) that the devices of the node lose by one more task of the shape;
 * UINT64_MAX if the node cannot take the task. */
uint64_t device_select_mig_loss(const struct columns *k, uint32_t node, uint32_t shape);

#endif
