/* tsdpbp.c -- see tsdpbp.h. */
#include "algorithms/planning/tsdpbp.h"

int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times) {
    int64_t to = free_timeline_end(item->start, item->length);
    for (uint32_t i = item->first_part; i < item->first_part + item->n_parts; i++) {
        int32_t rc = free_timeline_take(&t->timeline, t->parts[i].bin, item->start, to, &item->need,
                                        times * (int64_t)t->parts[i].tasks);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}
