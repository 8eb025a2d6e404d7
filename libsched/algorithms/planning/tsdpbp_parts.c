/*
 * tsdpbp_parts.c -- helpers that tsdpbp_bins.c and tsdpbp_slices.c share (tsdpbp.h): arrays that
 * grow, and the amounts that an item takes from its nodes. This file calls no other file of the
 * action.
 */
#include "algorithms/planning/tsdpbp.h"

#include <string.h>

void *ts_more(const struct ts *t, void *old, uint32_t *cap, uint64_t want, size_t size) {
    uint64_t to = *cap ? *cap : 64;
    while (to < want) to *= 2;
    if (to == *cap) return old;
    if (to > UINT32_MAX / 2) return NULL;
    void *p = t->env.alloc(t->env.engine, (size_t)to * size);
    if (!p) return NULL;
    if (old) memcpy(p, old, *cap * size);
    if (old) t->env.free(t->env.engine, old, *cap * size);
    *cap = (uint32_t)to;
    return p;
}

int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times) {
    int64_t to = free_timeline_end(item->start, item->length);
    for (uint32_t i = item->first_part; i < item->first_part + item->n_parts; i++) {
        int32_t rc = free_timeline_take(&t->timeline, t->parts[i].bin, item->start, to, &item->need,
                                        times * (int64_t)t->parts[i].tasks);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
