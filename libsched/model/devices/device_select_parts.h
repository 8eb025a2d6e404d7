/*
 * device_select_parts.h -- which devices a task gets where links do not count: one by one, in the
 * order of their ranks. The file is below device_select.h and device_select_links.h, which both
 * come to this stage.
 */
#ifndef LIBSCHED_DEVICE_SELECT_PARTS_H
#define LIBSCHED_DEVICE_SELECT_PARTS_H

#include "model/devices/device.h"

/* LSCHED_DEVICES_SPREAD: less goes first, given what is free of a device. */
static inline int64_t pick_spread_rank(int64_t free_milli) {
    return free_milli == DEVICE_WHOLE ? 0 : -free_milli;
}
/* Less goes first; of equal ranks the lowest device. */
int64_t pick_part_rank(const struct columns *k, uint32_t device, uint32_t shape,
                       enum device_when when);
/* The stage where links do not count: the tightest devices out of `from`, lowest first; 0 if there
 * are too few. */
uint32_t pick_parts(const struct columns *k, uint32_t node, uint32_t shape, uint32_t need,
                    uint32_t from, enum device_when when);

#endif
