/*
 * device_select_mig.h -- chooses the devices of a node that give a task its MIG instances, and
 * the slices at which the instances begin.
 *
 * The task gets one instance on each device. The choice takes a device that loses the least worth
 * (mig.h: slices that tasks of the mix could still fill); among equals one that needs no
 * repartition, then one where the fewest idle instances are destroyed, then the one with the lowest
 * number. With LSCHED_DEVICES_SPREAD, the emptiest device in use comes before all of these. Loss
 * comes before repartitions, because a repartition takes seconds, and a badly used device stays so
 * for as long as the task runs. Cost: O(devices x starts) per instance.
 */
#ifndef LIBSCHED_DEVICE_SELECT_MIG_H
#define LIBSCHED_DEVICE_SELECT_MIG_H

#include "model/devices/device_mig.h"

/* Returns `need` devices out of `from`; each device of `from` can give an instance. */
uint32_t device_select_mig_devices(const struct columns *k, uint32_t node, uint32_t shape,
                                   uint32_t need, uint32_t from, enum device_when when);
/* Sets hold->starts (the first memory slice on each device of hold->mask) and hold->recut (those
 * devices whose instance the orchestrator has still to make). Returns 0 if a device of the mask
 * cannot give an instance. */
int device_select_mig_starts(const struct columns *k, uint32_t node, uint32_t shape,
                             enum device_when when, struct hold *hold);
/* Keeps the starts and computes again which devices must be repartitioned now, because the layout
 * can have changed since the nomination. */
void device_select_mig_renew(const struct columns *k, uint32_t node, uint32_t shape,
                             struct hold *hold);
/* Returns 1 if the instances of the hold can begin at its starts. */
int device_select_mig_allows(const struct columns *k, uint32_t node, uint32_t shape,
                             enum device_when when, const struct hold *hold);
/* Returns the worth that the node loses by one more task of the shape; UINT64_MAX if the node
 * cannot take the task. */
uint64_t device_select_mig_loss(const struct columns *k, uint32_t node, uint32_t shape);

#endif
