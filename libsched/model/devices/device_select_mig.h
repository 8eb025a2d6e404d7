/*
 * device_select_mig.h -- which devices of a node give a task its MIG instances, and where these
 * begin.
 *
 * One instance on each device. A device that loses the least worth (mig.h: slices that tasks of the
 * mix could still fill) first; of equals one that need not be cut, then one where the fewest idle
 * instances go, then the lowest. LSCHED_DEVICES_SPREAD: the emptiest device in use before all of
 * that.
 * Loss goes before cuts, as a cut takes seconds and a broken device stays broken for as long as the
 * task runs. Cost: O(devices x starts) per instance.
 */
#ifndef LIBSCHED_DEVICE_SELECT_MIG_H
#define LIBSCHED_DEVICE_SELECT_MIG_H

#include "model/devices/device_mig.h"

/* `need` devices of `from`, all of which can give an instance. */
uint32_t pick_mig_devices(const struct columns *k, uint32_t node, uint32_t shape, uint32_t need,
                          uint32_t from, enum device_when when);
/* Starts and recuts for the devices of the hold; 0 if one of them gives none. */
int pick_mig_starts(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                    struct hold *hold);
/* The same starts, and what must be cut for them now: a claim is as old as its layout. */
void pick_mig_renew(const struct columns *k, uint32_t node, uint32_t shape, struct hold *hold);
/* May the instances of the hold begin where it says. */
int pick_mig_allows(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                    const struct hold *hold);
/* Worth that the node loses by one more task of the shape; UINT64_MAX: it cannot take one. */
uint64_t pick_mig_loss(const struct columns *k, uint32_t node, uint32_t shape);

#endif
