/* work_kind.c -- see work_kind.h. */
#include "model/shapes/work_kind.h"

#include "model/shapes/shape_part.h"

int work_kind_name(const struct columns *k, uint32_t shape, lsched_text *name) {
    struct reader part;
    if (!shape_part(k, shape, SHAPE_PART_WORK, &part)) return 0;
    *name = reader_text(&part);
    return 1;
}

uint8_t work_kind_of(const struct columns *k, uint32_t shape) {
    const struct contention_table *t = work_kinds(k);
    lsched_text name;
    if (!t) return 0;
    if (work_kind_name(k, shape, &name) && name.len < CONTENTION_NAME_BYTES)
        for (uint32_t i = 0; i < t->n; i++)
            if (memcmp(t->name[i], name.ptr, (size_t)name.len) == 0 && !t->name[i][name.len])
                return (uint8_t)(i + 1);
    return (uint8_t)t->others;
}
