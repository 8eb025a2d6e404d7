/* victim_last.c -- see victim_last.h. */
#include "engine/rights/victim_last.h"

#include "base/vec.h"
#include "engine/rights/victim_side.h"
#include "engine/rights/victim_unit.h"
#include "model/store/steps.h"

void victim_last_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct alloc *a = cy->k->alloc;
    alloc_free(a, h->lasts.unit, h->lasts.cap * sizeof *h->lasts.unit);
    alloc_free(a, h->lasts.of, h->lasts.of ? h->cap_queues * 2ul * sizeof *h->lasts.of : 0);
}

/* Keeps the records of the first n eviction units, because the evictions of later units were
 * undone. */
static void cut(struct victim_search *h, uint32_t n) {
    if (h->lasts.n <= n) return;
    h->lasts.n = n;
    h->lasts.known = 0;
}

static int32_t make_room(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    struct alloc *a = cy->k->alloc;
    if (!h->lasts.of) h->lasts.of = alloc_zero(a, h->cap_queues * 2ul * sizeof *h->lasts.of);
    if (!h->lasts.of) return LSCHED_E_NOMEM;
    return VEC_ROOM(a, h->lasts.unit, h->lasts.cap, h->lasts.n + 1) ? LSCHED_OK : LSCHED_E_NOMEM;
}

/* Records unit i as the largest unit below its queue and below each queue above, if the unit
 * recorded there before is smaller or belongs to the same job. */
static void offer(const struct lsched_cycle *cy, uint32_t i) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t *stamp = h->lasts.of + h->cap_queues;
    const struct victim_last *me = &h->lasts.unit[i];
    for (uint32_t q = me->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        const struct victim_last *was =
            stamp[q] == h->lasts.stamp ? &h->lasts.unit[h->lasts.of[q]] : NULL;
        steps_add(k, 1);
        if (was && was->job != me->job && was->size >= me->size) continue;
        stamp[q] = h->lasts.stamp;
        h->lasts.of[q] = i;
    }
}

int victim_last_of(const struct lsched_cycle *cy, const struct victim_unit *u,
                   struct victim_last *out) {
    const struct columns *k = cy->k;
    if (u->nominated || (u->ground != SIDE_SHARE && u->ground != SIDE_GUARANTEE)) return 0;
    *out = (struct victim_last){.job = u->job, .queue = u->queue, .ground = u->ground};
    victim_unit_amounts(k, u, out->amount);
    int64_t surplus[KINDS_MAX] = {0};
    if (u->group != NO_ROW) victim_unit_surplus(k, u, surplus);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        out->amount[r] -= surplus[r];
        out->size += victim_side_part(cy, r, out->amount[r]);
    }
    return 1;
}

int32_t victim_last_note(struct lsched_cycle *cy, const struct victim_unit *u) {
    struct victim_search *h = cy->victims;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts) return LSCHED_OK;
    cut(h, h->n_units - 1);
    while (h->lasts.n < h->n_units) {
        int32_t rc = make_room(cy);
        if (rc != LSCHED_OK) return rc;
        h->lasts.unit[h->lasts.n++] = (struct victim_last){.job = NO_ROW, .queue = NO_ROW};
    }
    if (victim_last_of(cy, u, &h->lasts.unit[h->n_units - 1]) && h->lasts.known)
        offer(cy, h->n_units - 1);
    return LSCHED_OK;
}

void victim_last_forget(struct victim_search *h, uint32_t unit) {
    if (unit == 0 || unit > h->lasts.n) return;
    h->lasts.unit[unit - 1].job = h->lasts.unit[unit - 1].queue = NO_ROW;
    h->lasts.known = 0;
}

const struct victim_last *victim_last_below(struct lsched_cycle *cy, uint32_t queue) {
    struct victim_search *h = cy->victims;
    cut(h, h->n_units);
    if (h->lasts.n == 0 || queue >= h->cap_queues) return NULL;
    if (!h->lasts.known) {
        h->lasts.stamp++;
        for (uint32_t i = 0; i < h->lasts.n; i++) offer(cy, i);
        h->lasts.known = 1;
    }
    return h->lasts.of[h->cap_queues + queue] == h->lasts.stamp ? &h->lasts.unit[h->lasts.of[queue]]
                                                                : NULL;
}
