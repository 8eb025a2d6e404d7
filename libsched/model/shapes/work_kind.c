/* work_kind.c -- see work_kind.h. */
#include "model/shapes/work_kind.h"

#include "model/shapes/shape_part.h"

uint32_t work_kind_find(const char (*names)[CONTENTION_NAME_BYTES], uint32_t n, lsched_text name) {
    if (name.len >= CONTENTION_NAME_BYTES) return 0;
    for (uint32_t i = 0; i < n; i++)
        if (memcmp(names[i], name.ptr, (size_t)name.len) == 0 && !names[i][name.len]) return i + 1;
    return 0;
}

uint32_t work_kind_named(const struct columns *k, uint32_t shape,
                         const char (*names)[CONTENTION_NAME_BYTES], uint32_t n) {
    struct reader part;
    if (!shape_part(k, shape, SHAPE_PART_WORK, &part)) return 0;
    return work_kind_find(names, n, reader_text(&part));
}

uint8_t work_kind_of(const struct columns *k, uint32_t shape) {
    const struct contention_table *t = work_kinds(k);
    if (!t) return 0;
    uint32_t kind = work_kind_named(k, shape, t->name, t->n);
    return (uint8_t)(kind ? kind : t->others);
}
