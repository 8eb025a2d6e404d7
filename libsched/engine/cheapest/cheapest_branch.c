/* cheapest_branch.c -- see cheapest_branch.h. */
#include "engine/cheapest/cheapest_branch.h"

#include "engine/rights/victim_right.h"
#include "engine/rights/victim_side.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"

/* Under a share algorithm with guarantees: as kinds_allow() of victim_protect.c for a unit without
 * amounts. */
static int amounts_give(const struct lsched_cycle *cy, const struct victim_levels *l) {
    const struct victim_search *h = cy->victims;
    if (!victim_side_within(cy, l->at, NULL)) return 0;
    for (uint32_t q = l->from; q != l->end; q = cy->k->c[C_QUEUE_PARENT].u32[q])
        if (!victim_right_kinds_above(cy, q, 1, h->kinds, h->pending + (size_t)q * KINDS_MAX))
            return 0;
    const int64_t *pending = h->pending + (size_t)l->top * KINDS_MAX;
    return victim_right_kinds_above(cy, l->top, 0, h->kinds, pending) != 0 ||
           victim_side_guaranteed(cy, l->at, NULL);
}

/* Under a share algorithm without guarantees: as dominant_allows() of victim_protect.c for the
 * smallest task of the queue. */
static int shares_give(struct lsched_cycle *cy, uint32_t queue, const struct victim_levels *l) {
    const int64_t *least = lowest_work_least(&cy->c->lowest, cy->k, queue);
    int64_t gone[KINDS_MAX] = {0}, after = cy->victims->dominant_after[l->at - 1];
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) gone[r] = -least[r];
    return cy->c->share.ops->dominant && after < INT64_MAX &&
           victim_right_dominant(cy, l->top, gone, NULL, NULL) >= after;
}

uint32_t cheapest_branch_list(struct lsched_cycle *cy, struct cheapest_branch *list) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    const struct running_work *w = &cy->c->running;
    uint32_t rows = table_rows(k, T_QUEUE), n = 0, kept = 0, lowest = UINT32_MAX;
    steps_add(k, rows);
    for (uint32_t q = 0; q < rows; q++) {
        if (!running_work_any(w, q) || queue_same_real(k, q, h->queue)) continue;
        struct victim_levels l = victim_right_levels(cy, q);
        if (l.at == 0) continue;
        int gives = h->has_amounts ? amounts_give(cy, &l) : shares_give(cy, q, &l);
        if (gives && l.at < lowest) lowest = l.at;
        list[n++] = (struct cheapest_branch){.queue = q,
                                             .at = l.at,
                                             .over = victim_right_over(cy, l.top, NULL),
                                             .gives = (uint8_t)gives};
    }
    for (uint32_t i = 0; i < n; i++) {
        list[i].eased = list[i].at > lowest;
        if (list[i].gives || list[i].eased) list[kept++] = list[i];
    }
    return kept;
}
