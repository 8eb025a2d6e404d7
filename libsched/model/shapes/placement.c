/* placement.c -- see placement.h. */
#include "model/shapes/placement.h"

#include "model/shapes/leaf.h"

int task_has_starts(const struct columns *k, uint32_t task) {
    return k->c[C_SHAPE_MIG_SLICES].u8[task_shape(k, task)] != 0;
}
