/* work_kind.c -- see work_kind.h. */
#include "model/shapes/work_kind.h"

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
