/*
 * device_select_parts.h -- chooses devices one by one in the order of their ranks, for tasks to
 * which links do not matter. device_select.h and device_select_links.h both use this stage.
 */
#ifndef LIBSCHED_DEVICE_SELECT_PARTS_H
#define LIBSCHED_DEVICE_SELECT_PARTS_H

#include "model/devices/device.h"

/* Returns the rank of a device under LSCHED_DEVICES_SPREAD, given its free share. A lower rank
 * comes first. */
static inline int64_t device_select_spread_rank(int64_t free_milli) {
    return free_milli == DEVICE_WHOLE ? 0 : -free_milli;
}
/* Returns the rank of a device. A lower rank comes first; among equal ranks the lowest device. */
int64_t device_select_parts_rank(const struct columns *k, uint32_t device, uint32_t shape,
                                 enum device_when when);
/* Returns the `need` devices of `from` with the lowest ranks; 0 if there are too few. */
uint32_t device_select_parts(const struct columns *k, uint32_t node, uint32_t shape, uint32_t need,
                             uint32_t from, enum device_when when);

#endif
