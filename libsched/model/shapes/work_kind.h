/*
 * work_kind.h -- the kind of work that the tasks of a shape are, and the table of slow-downs that
 * is in force (base/contention_table.h).
 *
 * A task names its kind of work, and the canonical bytes of its shape have the name. The table that
 * is in force says which names are kinds. It comes from the policy, and M_CONTENTION has the row of
 * a text with a copy of it. SHAPE.WORK is 1 plus the number of the kind, 0 if there is no table or
 * the shape has no kind. It is computed when the shape is made, and again when the table changes
 * (contention.h). Therefore a comparison of two tasks needs no names. O(kinds) for each shape.
 *
 * Why the name is part of the shape and not of the job: what fits a node is kept by shape, in the
 * search indexes, in the lists of parked bundles and in the bounds of victim searches. All of them
 * know about kinds of work because two tasks of different kinds are of different shapes.
 */
#ifndef LIBSCHED_WORK_KIND_H
#define LIBSCHED_WORK_KIND_H

#include "base/contention_table.h"
#include "base/padded_names.h"
#include "model/store/intern.h"

/* Returns the table in force, NULL if there is none. The pointer is valid until a text is made. */
static inline const struct contention_table *work_kinds(const struct columns *k) {
    uint64_t text = meta(k, M_CONTENTION);
    return text ? text_bytes(k, (uint32_t)(text - 1)) : NULL;
}
/* Returns 1 + the index of the kind of work that the shape names among these names; 0 if it names
 * none of them. */
uint32_t work_kind_named(const struct columns *k, uint32_t shape, const struct padded_names *names);
/* Returns what SHAPE.WORK must be by the table in force. */
uint8_t work_kind_of(const struct columns *k, uint32_t shape);
/* Returns for how long a job of the shape can run that alone on its devices runs for `us`: if the
 * table says that estimates are meant so, `us` times the greatest slow-down of a task of the job
 * that has a share of a device, beside any kind that the table lets be there. Else returns `us`.
 * O(groups x alternatives x kinds). */
int64_t work_kind_longest(const struct columns *k, uint32_t jobshape, int64_t us);
/* Returns the kinds of work, one bit each, beside which a task of the shape may not be; 0 for most
 * shapes, and for all of them if there is no table. */
static inline uint32_t work_kind_barred(const struct columns *k, uint32_t shape) {
    uint8_t work = k->c[C_SHAPE_WORK].u8[shape];
    return work ? work_kinds(k)->barred[work - 1] : 0;
}
/* True if a task of one shape and a task of the other may not share a device. */
static inline int work_kinds_bar(const struct columns *k, uint32_t shape, uint32_t other) {
    uint8_t work = k->c[C_SHAPE_WORK].u8[other];
    return work && (work_kind_barred(k, shape) >> (work - 1u) & 1);
}

#endif
