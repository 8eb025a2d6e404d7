/* victim_last.c -- see victim_last.h. */
#include "engine/victims/victim_last.h"

#include "base/vec.h"
#include "engine/victims/victim_side.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

void victim_last_close(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    struct alloc *a = y->k->alloc;
    alloc_free(a, h->last, h->cap_last * sizeof *h->last);
    alloc_free(a, h->last_of, h->last_of ? h->cap_queues * 2ul * sizeof *h->last_of : 0);
}

/* Keeps the first n eviction units: later ones were undone. */
static void cut(struct victim_search *h, uint32_t n) {
    if (h->n_last <= n) return;
    h->n_last = n;
    h->last_known = 0;
}

static int32_t make_room(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    struct alloc *a = y->k->alloc;
    if (!h->last_of) h->last_of = alloc_zero(a, h->cap_queues * 2ul * sizeof *h->last_of);
    if (!h->last_of) return LSCHED_E_NOMEM;
    return VEC_ROOM(a, h->last, h->cap_last, h->n_last + 1) ? LSCHED_OK : LSCHED_E_NOMEM;
}

/* Records unit i as the candidate of each queue above it, if the candidate so far is smaller or
 * belongs to the same job. */
static void offer(const struct lsched_cycle *y, uint32_t i) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t *stamp = h->last_of + h->cap_queues;
    const struct victim_last *me = &h->last[i];
    for (uint32_t q = me->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        const struct victim_last *was = stamp[q] == h->last_stamp ? &h->last[h->last_of[q]] : NULL;
        steps_add(k, 1);
        if (was && was->job != me->job && was->size >= me->size) continue;
        stamp[q] = h->last_stamp;
        h->last_of[q] = i;
    }
}

int victim_last_of(const struct lsched_cycle *y, const struct victim_unit *u,
                   struct victim_last *out) {
    const struct columns *k = y->k;
    if (u->nominated || (u->ground != SIDE_SHARE && u->ground != SIDE_GUARANTEE)) return 0;
    *out = (struct victim_last){.job = u->job, .queue = u->queue, .ground = u->ground};
    victim_unit_amounts(k, u, out->amount);
    int64_t surplus[KINDS_MAX] = {0};
    if (u->group != NO_ROW) victim_rules_surplus(k, u->job, u->group, surplus);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        out->amount[r] -= surplus[r];
        out->size += victim_side_part(y, r, out->amount[r]);
    }
    return 1;
}

int32_t victim_last_note(struct lsched_cycle *y, const struct victim_unit *u) {
    struct victim_search *h = y->search;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts) return LSCHED_OK;
    cut(h, h->n_units - 1);
    while (h->n_last < h->n_units) {
        int32_t rc = make_room(y);
        if (rc != LSCHED_OK) return rc;
        h->last[h->n_last++] = (struct victim_last){.job = NO_ROW, .queue = NO_ROW};
    }
    if (victim_last_of(y, u, &h->last[h->n_units - 1]) && h->last_known) offer(y, h->n_units - 1);
    return LSCHED_OK;
}

void victim_last_forget(struct victim_search *h, uint32_t unit) {
    if (unit == 0 || unit > h->n_last) return;
    h->last[unit - 1].job = h->last[unit - 1].queue = NO_ROW;
    h->last_known = 0;
}

const struct victim_last *victim_last_below(struct lsched_cycle *y, uint32_t queue) {
    struct victim_search *h = y->search;
    cut(h, h->n_units);
    if (h->n_last == 0 || queue >= h->cap_queues) return NULL;
    if (!h->last_known) {
        h->last_stamp++;
        for (uint32_t i = 0; i < h->n_last; i++) offer(y, i);
        h->last_known = 1;
    }
    return h->last_of[h->cap_queues + queue] == h->last_stamp ? &h->last[h->last_of[queue]] : NULL;
}
