/* victim_shares.c -- see victim_shares.h. */
#include "engine/rights/victim_shares.h"

#include "engine/rights/victim_right.h"
#include "model/shapes/shape.h"
#include "model/store/steps.h"

static void count_share(struct victim_dominant *d, uint32_t queue, int64_t share) {
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

void victim_shares_find(const struct lsched_cycle *cy, int64_t *least_of,
                        struct victim_dominant *dominant) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    for (uint32_t q = 0; q <= h->cap_queues; q++)
        dominant[q] = (struct victim_dominant){INT64_MIN, INT64_MIN, NO_ROW};
    /* share.order has child queues before their parents */
    for (uint32_t i = 0; i < table_live(k, T_QUEUE); i++) {
        uint32_t q = cy->c->share.order[i], parent = k->c[C_QUEUE_PARENT].u32[q];
        int64_t *least = least_of + (size_t)q * KINDS_MAX, gone[KINDS_MAX] = {0};
        if (least[0] == 0) continue;
        int64_t *up = parent == NO_ROW ? NULL : least_of + (size_t)parent * KINDS_MAX;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            gone[r] = -least[r];
            if (up && (up[0] == 0 || least[r] < up[r])) up[r] = least[r];
        }
        if (up) up[0] = 1;
        count_share(&dominant[parent == NO_ROW ? h->cap_queues : parent], q,
                    victim_right_dominant(cy, q, gone, NULL, NULL));
    }
}

/* Finds the largest shares with what the cluster keeps of the smallest tasks of queues, whether or
 * not these tasks may be evicted. */
static int32_t find_whole(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    size_t bytes = (h->cap_queues + 1ul) * KINDS_MAX * sizeof(int64_t);
    int32_t rc = lowest_work_sync(&cy->c->lowest, cy->k);
    if (rc != LSCHED_OK) return rc;
    int64_t *least = alloc_new(k->alloc, bytes);
    if (!least) return LSCHED_E_NOMEM;
    steps_add(k, 2 * (h->cap_queues + 1ul) + table_live(k, T_QUEUE));
    for (uint32_t q = 0; q < h->cap_queues; q++)
        memcpy(least + (size_t)q * KINDS_MAX, lowest_work_least(&cy->c->lowest, k, q),
               KINDS_MAX * sizeof *least);
    victim_shares_find(cy, least, h->others.whole);
    alloc_free(k->alloc, least, bytes);
    h->others.whole_known = 1;
    return LSCHED_OK;
}

int32_t victim_shares_whole_gives(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct victim_others *o = &h->others;
    if (!o->whole) o->whole = alloc_new(cy->k->alloc, (h->cap_queues + 1ul) * sizeof *o->whole);
    if (!o->whole) return LSCHED_E_NOMEM;
    int32_t rc = o->whole_known ? LSCHED_OK : find_whole(cy);
    return rc == LSCHED_OK ? victim_shares_above(cy, o->whole) : rc;
}

int32_t victim_shares_may_give(struct lsched_cycle *cy) {
    if (cy->c->searches_cold) return 1;
    int32_t may = victim_shares_whole_gives(cy);
    cy->c->searches_skipped += (uint64_t)(may == 0);
    return may;
}

void victim_shares_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    alloc_free(cy->k->alloc, h->others.whole,
               h->others.whole ? (h->cap_queues + 1ul) * sizeof *h->others.whole : 0);
}
