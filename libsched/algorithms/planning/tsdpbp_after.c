/* tsdpbp_after.c -- see tsdpbp_after.h. */
#include "algorithms/planning/tsdpbp_after.h"

#include "base/bisect.h"
#include "base/sort.h"

#define END_BEFORE(of, a, b) ((a).at < (b).at)
SORT_STABLE(sort_ends, struct ts_item_end, const void *, END_BEFORE)

int32_t ts_after_room(struct ts *t, uint32_t n) {
    uint32_t had = t->scratch.cap_ended;
    if (!ENV_ROOM(&t->env, t->scratch.ended, t->scratch.cap_ended, n)) return LSCHED_E_NOMEM;
    for (uint32_t b = had; b < t->scratch.cap_ended; b++) t->scratch.ended[b] = LSCHED_NO_ROW;
    return LSCHED_OK;
}

int32_t ts_after_begin(struct ts *t) {
    uint32_t n = 0;
    /* the sort needs scratch memory of the size of the list */
    if (!ENV_ROOM(&t->env, t->scratch.item_ends, t->scratch.cap_item_ends, 2ull * t->n_items))
        return LSCHED_E_NOMEM;
    if (ts_after_room(t, t->timeline.n_bins) != LSCHED_OK) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < t->n_items; i++)
        if (t->items[i].n_parts > 0)
            t->scratch.item_ends[n++] =
                (struct ts_item_end){free_timeline_end(t->items[i].start, t->items[i].length), i};
    if (n > 1) sort_ends(NULL, t->scratch.item_ends, t->scratch.item_ends + n, n);
    t->scratch.n_item_ends = n;
    return LSCHED_OK;
}

/* Writes to `ended`, for the bins of each other item that ends when this item starts, the first
 * such item; LSCHED_NO_ROW clears the entries again. */
static void mark_ended(struct ts *t, const struct ts_item *item, int is_clearing) {
    uint32_t low = 0, high = t->scratch.n_item_ends;
    BISECT_FIRST(low, high, middle, t->scratch.item_ends[middle].at >= item->start);
    for (; low < t->scratch.n_item_ends && t->scratch.item_ends[low].at == item->start; low++) {
        const struct ts_item *o = &t->items[t->scratch.item_ends[low].item];
        for (uint32_t p = o->first_part; p < o->first_part + o->n_parts && o != item; p++) {
            uint32_t *ended = &t->scratch.ended[t->parts[p].bin];
            if (is_clearing)
                *ended = LSCHED_NO_ROW;
            else if (*ended == LSCHED_NO_ROW)
                *ended = o->job;
        }
    }
}

uint32_t ts_after(struct ts *t, const struct ts_item *item, uint32_t *node) {
    uint32_t job = LSCHED_NO_ROW;
    *node = t->parts[item->first_part].bin;
    mark_ended(t, item, 0);
    for (uint32_t p = item->first_part; p < item->first_part + item->n_parts; p++) {
        uint32_t bin = t->parts[p].bin;
        /* The list begins with the last end of the bin, and the first one is told. If the item has
         * one bin, plan_wait knows the job that ends there. */
        for (uint32_t i = item->n_parts > 1 ? t->nodes[bin].last_end : LSCHED_NO_ROW;
             i != LSCHED_NO_ROW; i = t->ends[i].before)
            if (t->ends[i].at == item->start) job = t->ends[i].job;
        if (job == LSCHED_NO_ROW) job = t->scratch.ended[bin];
        if (job == LSCHED_NO_ROW) continue;
        *node = bin;
        break;
    }
    mark_ended(t, item, 1);
    return job;
}
