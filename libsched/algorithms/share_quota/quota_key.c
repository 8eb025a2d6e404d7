/* quota_key.c -- see quota_key.h. */
#include "algorithms/share_quota/quota_key.h"

#define SHARE_BITS 40 /* number of fractional bits of a share */
#define SHARE_MOST (((int64_t)1 << 59) - 1)
/* added to the share of a queue that holds or wants a kind of which 0 is allocatable */
#define SHARE_LAST   ((int64_t)1 << 59)
#define SHARE_WIDTH  60 /* number of bits of a share, including the offset SHARE_LAST */
#define LOW_WIDTH    31 /* number of low bits of the share that are in the second word */
#define BEFORE_WIDTH 32 /* number of bits, in the second word, of the share without the next job */
#define BEFORE_BITS  24 /* number of fractional bits of the share without the next job */

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static enum quota_class quota_key_class_of(const struct quota_tree *t, const lsched_view *view,
                                           uint32_t queue, const int64_t *want) {
    enum quota_class class = QUOTA_WITHIN_GUARANTEE;
    for (uint32_t kind = 1; kind < t->n_kinds; kind++) {
        if (want[kind] <= 0) continue;
        size_t at = (size_t)kind * t->n_rows + queue;
        int64_t used = larger(view->queue_used[kind][queue], 0);
        if (want[kind] <= t->guarantee[at] - used) continue;
        if (want[kind] > t->fair_share[at] - used) return QUOTA_BEYOND;
        class = QUOTA_WITHIN_FAIR_SHARE;
    }
    return class;
}

/* Returns held / of, rounded down, with SHARE_BITS fractional bits, at most SHARE_MOST. `of` must
 * be above 0. */
static int64_t quotient(int64_t held, int64_t of) {
    quota_u128 share = ((quota_u128)(uint64_t)held << SHARE_BITS) / (uint64_t)of;
    return share < (quota_u128)SHARE_MOST ? (int64_t)share : SHARE_MOST;
}

/* Returns the dominant share of the queue, including the amounts `want` of its next job. If `want`
 * is NULL, the next job does not count. */
static int64_t dominant(const struct quota_tree *t, const lsched_view *view, uint32_t queue,
                        const int64_t *want) {
    int64_t share = 0;
    for (uint32_t kind = 1; kind < t->n_kinds; kind++) {
        size_t at = (size_t)kind * t->n_rows + queue;
        int64_t held = larger(view->queue_used[kind][queue], 0);
        if (want) held = quota_add(held, larger(want[kind], 0));
        int64_t capacity = view->total_capacity[kind];
        int64_t may = larger(t->guarantee[at], t->fair_share[at]);
        int64_t part;
        if (held == 0) continue;
        if (view->queue_limit[kind][queue] < may) may = view->queue_limit[kind][queue];
        if (may == LSCHED_UNLIMITED) may = capacity;
        if (may > 0)
            part = quotient(held, may);
        else
            part = SHARE_LAST + (capacity > 0 ? quotient(held, capacity) : SHARE_MOST);
        share = larger(share, part);
    }
    return share;
}

void quota_key(const struct quota_tree *t, const lsched_view *view, uint32_t queue,
               const int64_t *want, int64_t head_order, lsched_share_key *key) {
    int64_t class = quota_key_class_of(t, view, queue, want);
    int64_t share = dominant(t, view, queue, want);
    if (view->queue_flags[queue] & (LSCHED_QUEUE_IS_USER | LSCHED_QUEUE_IS_GROUP)) {
        key->word[0] = head_order;
        key->word[1] = class << SHARE_WIDTH | share;
        return;
    }
    int64_t before = dominant(t, view, queue, NULL) >> (SHARE_BITS - BEFORE_BITS);
    if (before >> BEFORE_WIDTH) before = ((int64_t)1 << BEFORE_WIDTH) - 1;
    int64_t rank = (int64_t)INT32_MAX - view->queue_priority[queue];
    int64_t low = share & (((int64_t)1 << LOW_WIDTH) - 1);
    key->word[0] = (class << 32 | rank) << (SHARE_WIDTH - LOW_WIDTH) | share >> LOW_WIDTH;
    key->word[1] = low << BEFORE_WIDTH | before;
}
