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

/* Reads the memory slices of a node's MIG devices. is_new: 1 if these devices have no numbers yet.
 * Returns 1, or 0 if the MIG devices of the node are not those that were, or a negative error
 * code. */
int32_t ts_slices_fill(struct ts *t, uint32_t node, const lsched_holder *list, uint32_t n,
                       int is_new);
/* Makes the slices of an item unavailable `times` times; -1 makes them available again. */
int32_t ts_slices_take(struct ts *t, const struct ts_item *item, int64_t times);
/* Returns 1 if no slice of the node is used by two instances at the same time. */
int ts_slices_sound(const struct ts *t, uint32_t node);
/* Finds the earliest start of a MIG job. Returns 1 and sets the item's start, device, slices and
 * part. Returns 0 if no start is known, or a negative error code. */
int32_t ts_slices_find(struct ts *t, struct ts_item *item);

#endif
