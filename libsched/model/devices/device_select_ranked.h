/*
 * device_select_ranked.h -- chooses devices one by one in the order of their ranks, for tasks to
 * which links do not matter. device_select.c and device_select_links.c use these functions.
 */
#ifndef LIBSCHED_DEVICE_SELECT_RANKED_H
#define LIBSCHED_DEVICE_SELECT_RANKED_H

#include "model/devices/device.h"

/* Returns the rank of a device under LSCHED_DEVICE_ORDER_SPREAD, given its free milli-GPUs. The
 * device with the lowest rank is chosen first. */
static inline int64_t device_select_spread_rank(int64_t free_milli) {
    return free_milli == DEVICE_WHOLE ? 0 : -free_milli;
}
/* Returns how much a task of the shape would rather have another device, whatever is free: the harm
 * that contention_harm() counts, or DEVICE_HARM_ALONE, which is more, if the task must have the
 * device alone although it asks for a share. */
#define DEVICE_HARM_ALONE ((uint32_t)INT32_MAX + 1)
uint32_t device_harm(const struct columns *k, uint32_t device, uint32_t shape,
                     enum device_when when);
/* Returns the rank of a device for a task of the shape. The device with the lowest rank is chosen
 * first; among equal ranks, the device with the lowest index. */
int64_t device_rank(const struct columns *k, uint32_t device, uint32_t shape,
                    enum device_when when);
/* Returns the `need` devices of the set `from` with the lowest ranks; 0 if `from`
 * has fewer devices. */
device_set device_select_ranked(const struct columns *k, uint32_t node, uint32_t shape,
                                uint32_t need, device_set from, enum device_when when);

#endif
