/* victim_shares.c -- see victim_shares.h. */
#include "engine/victims/victim_shares.h"

#include "engine/victims/victim_right.h"
#include "model/shapes/shape.h"
#include "model/store/steps.h"

void victim_shares_count(struct victim_dominant *d, uint32_t queue, int64_t share) {
    if (d->queue == NO_ROW || share > d->most) {
        if (d->queue != NO_ROW) d->next = d->most;
        d->queue = queue;
        d->most = share;
    } else if (share > d->next) {
        d->next = share;
    }
}

int victim_shares_above(const struct lsched_cycle *cy, const struct victim_dominant *dominant) {
    const struct victim_search *h = cy->victims;
    if (!cy->c->share.ops->dominant) return 0;
    /* another alternative of a task can need less */
    if (jobshape_chooses(cy->k, h->jobshape)) return 1;
    for (uint32_t i = 0; i < h->n_path; i++) {
        uint32_t parent = i + 1 < h->n_path ? h->path[i + 1] : h->cap_queues;
        const struct victim_dominant *d = &dominant[parent];
        int64_t most = d->queue == h->path[i] ? d->next : d->most;
        if (h->dominant_after[i] < INT64_MAX && most >= h->dominant_after[i]) return 1;
    }
    return 0;
}

/* Finds, for each queue, the two largest dominant shares of its child queues, with all that these
 * hold. */
static void find_whole(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    struct victim_others *o = &h->others;
    steps_add(k, h->cap_queues + 1ul + table_live(k, T_QUEUE));
    for (uint32_t q = 0; q <= h->cap_queues; q++)
        o->whole[q] = (struct victim_dominant){INT64_MIN, INT64_MIN, NO_ROW};
    for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
        uint32_t q = cy->c->share.order[i], parent = k->c[C_QUEUE_PARENT].u32[q];
        victim_shares_count(&o->whole[parent == NO_ROW ? h->cap_queues : parent], q,
                            victim_right_dominant(cy, q, NULL, NULL, NULL));
    }
    o->whole_known = 1;
}

int32_t victim_shares_may_give(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct victim_others *o = &h->others;
    if (cy->c->searches_cold) return 1;
    if (!o->whole) o->whole = alloc_new(cy->k->alloc, (h->cap_queues + 1ul) * sizeof *o->whole);
    if (!o->whole) return LSCHED_E_NOMEM;
    if (!o->whole_known) find_whole(cy);
    int may = victim_shares_above(cy, o->whole);
    cy->c->searches_skipped += (uint64_t)!may;
    return may;
}

void victim_shares_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    alloc_free(cy->k->alloc, h->others.whole,
               h->others.whole ? (h->cap_queues + 1ul) * sizeof *h->others.whole : 0);
}
