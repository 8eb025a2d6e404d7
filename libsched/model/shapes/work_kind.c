/* work_kind.c -- see work_kind.h. */
#include "model/shapes/work_kind.h"

#include "base/wide.h"
#include "model/shapes/device_part.h"
#include "model/shapes/shape.h"
#include "model/shapes/shape_part.h"

uint32_t work_kind_named(const struct columns *k, uint32_t shape,
                         const struct padded_names *names) {
    struct reader part;
    if (!shape_part(k, shape, SHAPE_PART_WORK, &part)) return 0;
    return padded_find(names, reader_text(&part));
}

uint8_t work_kind_of(const struct columns *k, uint32_t shape) {
    const struct contention_table *t = work_kinds(k);
    if (!t) return 0;
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    uint32_t kind = work_kind_named(k, shape, &kinds);
    return (uint8_t)(kind ? kind : t->others);
}

/* Returns the greatest slow-down of a task of the shape, in thousandths. Whole devices and MIG
 * instances have no neighbours. */
static uint32_t worst_of(const struct columns *k, uint32_t shape) {
    const struct contention_table *t = work_kinds(k);
    uint32_t work = k->c[C_SHAPE_WORK].u8[shape], worst = CONTENTION_MILLI_NONE;
    if (!work || !k->c[C_SHAPE_DEVICES].u32[shape] || k->c[C_SHAPE_MIG_SLICES].u8[shape] ||
        k->c[C_SHAPE_DEVICE_MILLI].u32[shape] >= DEVICE_WHOLE)
        return worst;
    for (uint32_t b = 0; b < t->n; b++)
        if (!(t->barred[work - 1] >> b & 1) && t->milli[work - 1][b] > worst)
            worst = t->milli[work - 1][b];
    return worst;
}

int64_t work_kind_longest(const struct columns *k, uint32_t jobshape, int64_t us) {
    const struct contention_table *t = work_kinds(k);
    uint32_t worst = CONTENTION_MILLI_NONE;
    if (!t || !t->alone) return us;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t row = group_row(k, jobshape, g);
        for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[row]; a++) {
            uint32_t milli = worst_of(k, group_alternative(k, row, a));
            if (milli > worst) worst = milli;
        }
    }
    return (int64_t)wide_mul_div((uint64_t)us, worst, CONTENTION_MILLI_NONE, LSCHED_NEVER_US - 1);
}
