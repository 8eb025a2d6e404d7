/*
 * assign_slices.h -- where the next tasks of a leaf with slices go, and which of them goes where.
 *
 * In this order: slices that have lost tasks, each where it is; slices of a narrower level that are
 * missing from one of a wider level that has begun, inside that one's domain; then whole new slices
 * of the widest level, dealt out by assign_domains.h. A slice is named by the indexes of its tasks
 * (gang_domains.h), so what is dealt out is a list of parts and beside it a list of indexes.
 */
#ifndef LIBSCHED_ASSIGN_SLICES_H
#define LIBSCHED_ASSIGN_SLICES_H

#include "engine/topology/assign_domains.h"
#include "engine/topology/gang_domains.h"

/* Parts as they are dealt out, deepest domains by number. */
struct dealt {
    struct tree_part *part;
    uint32_t n, cap;
};

struct slice_deal {
    struct columns *k;
    struct division *d;        /* d->cap is written to `caps` */
    uint32_t job, group, root; /* root: number, NO_ROW */
    int64_t *room;             /* by number: before slices; taken from */
    int64_t *caps;
    int64_t *limit; /* by number, at limit_level; NULL; taken from */
    uint32_t limit_level;
    struct tree_part *parts; /* scratch: n_domains */
    struct dealt *out;
    struct pin_slices *slices;
};

/* 1 with out->part and slices->order filled, 0 if there is no room for all, LSCHED_E_NOMEM. */
int32_t deal_slices(struct slice_deal *s, uint32_t tasks);
void dealt_close(struct dealt *d, struct columns *k);
/* Tasks that the leaf should grow by at once: 1 while a slice lacks some, else what is missing of
 * the narrowest slice that has begun, or a whole one. LSCHED_E_NOMEM. */
int32_t slices_step(struct columns *k, const struct pin_slices *s, uint32_t job, uint32_t group,
                    uint32_t *tasks);

#endif
