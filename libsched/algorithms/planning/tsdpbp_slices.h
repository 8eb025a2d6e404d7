/*
 * tsdpbp_slices.h -- plans the memory slices of MIG devices over time.
 *
 * A MIG device is a bin with one column for each of its (at most eight) memory slices: 1 while the
 * slice is free. A MIG instance occupies consecutive slices on one device, from a legal first
 * slice, for its whole time. Therefore the MIG layout at each time is legal, although no layout is
 * stored. It also follows that work planned for later still finds its slices. If an instance can
 * start equally early at several places, the order of preference is: the node on which the job was
 * planned before; the device with the fewest free slices; on one device the highest slices, so that
 * low slices stay free for large instances (mig.h).
 *
 * Besides the slices, the node must have the other amounts that the task needs. Cost: O(devices x
 * starts x steps^2) per job.
 */
#ifndef LIBSCHED_TSDPBP_SLICES_H
#define LIBSCHED_TSDPBP_SLICES_H

#include "algorithms/planning/tsdpbp.h"

/* ts_slices_fill reads the memory slices of a node's MIG devices; is_new is 1 if the node's bin is
 * new, and 0 to read the node again. ts_slices_take makes the slices of an item unavailable `times`
 * times; -1 makes them available again. ts_slices_sound returns 1 if no slice is used by two
 * instances at the same time. */
int32_t ts_slices_fill(struct ts *t, uint32_t node, uint32_t bin, const lsched_holder *list,
                       uint32_t n, int is_new);
int32_t ts_slices_take(struct ts *t, const struct ts_item *item, int64_t times);
int ts_slices_sound(const struct ts *t, uint32_t bin);
/* Finds the earliest start of a MIG job. Returns 1 and sets the item's start, device, slices and
 * part. Returns 0 if no start is known, or a negative error code. */
int32_t ts_slices_find(struct ts *t, struct ts_item *item);

#endif
