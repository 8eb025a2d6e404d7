/*
 * size_shape.h -- task shapes that differ from another shape in their amounts alone.
 *
 * A resized task keeps all that decides where it can be: its devices, its selectors and its rules.
 * Therefore the canonical bytes of its shape are those of the old shape with another list of
 * amounts. The amount of gpu stays, because it follows from the devices. Cost: O(bytes of the
 * shape).
 */
#ifndef LIBSCHED_SIZE_SHAPE_H
#define LIBSCHED_SIZE_SHAPE_H

#include "model/shapes/placement.h"
#include "model/shapes/shape.h"

/* Sets *row to the shape that is equal to `shape` except for its amounts, and makes that shape if
 * it is new. An amount of 0 means that the task does not request the kind; amount[LSCHED_GPU] is
 * not read. The caller becomes a holder of the row. Can return LSCHED_E_NOMEM. */
int32_t size_shape_get(struct columns *k, uint32_t shape, const int64_t amount[KINDS_MAX],
                       uint32_t *row);
/* Returns 1 if the amounts of the shape can be changed while a task runs. Otherwise returns 0 and
 * sets *why to words that say what the task has: a demand that follows time, or a place on NUMA
 * nodes. hold: what the task holds. */
int size_shape_can_change(const struct columns *k, uint32_t shape, const struct hold *hold,
                          const char **why);

#endif
