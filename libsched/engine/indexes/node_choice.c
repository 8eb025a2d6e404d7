/* node_choice.c -- see node_choice.h. */
#include "engine/indexes/node_choice.h"

#include "engine/indexes/spread_limit.h"
#include "model/shapes/domain.h"
#include "model/jobs/retry.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "model/store/steps.h"

struct choice_of {
    const struct search_index *x;
    const struct affinity_rules *affinity;
    uint32_t domain, holder; /* holder: the job's queue if it holds a reservation, else NO_ROW */
};

/* True if the node is reserved for the queue now. */
static int is_kept_for(const struct columns *k, uint32_t node, uint32_t queue) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct absence window;
    return reservation_admits(k, node, queue) && absence_next(k, node, now, &window) &&
           window.leaves <= now;
}

/* True if the node in row a is better than the node in row b. Both nodes have room for the
 * task. */
static int choice_goes_before(const struct choice_of *c, const struct columns *k, uint32_t a,
                              uint32_t b) {
    if (c->holder != NO_ROW) {
        int p = is_kept_for(k, a, c->holder), q = is_kept_for(k, b, c->holder);
        if (p != q) return p;
    }
    if (!c->affinity->likes) return search_before(c->x, a, b);
    int32_t p = affinity_rules_tier(c->affinity, k, a), q = affinity_rules_tier(c->affinity, k, b);
    if (c->x->tier) {
        p += c->x->tier[a];
        q += c->x->tier[b];
    }
    return p != q ? p > q : search_before(c->x, a, b);
}

static uint32_t best_allowed(const struct spread_limit *s, const struct columns *k,
                             const struct choice_of *c, uint32_t avoid) {
    uint32_t best = NO_ROW, rows = table_rows(k, T_NODE);
    steps_add(k, rows);
    for (uint32_t node = 0; node < rows; node++) {
        if (c->x->score[node] == SEARCH_LEAST || node == avoid) continue;
        if (best != NO_ROW && !choice_goes_before(c, k, node, best)) continue;
        if (c->domain != NO_ROW && !domain_contains(k, c->domain, node)) continue;
        if (!spread_limit_takes(s, k, node) || !affinity_rules_allow(c->affinity, k, node) ||
            !node_choice_supplied(k, c->x->key.shape, node, (int)c->x->key.later))
            continue;
        best = node;
    }
    return best;
}

int node_choice_takes(const struct columns *k, const struct affinity_rules *affinity,
                      const struct ask *a, uint32_t node, int later) {
    if (reservation_is_held(k, a->queue) && !is_kept_for(k, node, a->queue)) return 0;
    return node != retry_avoids(k, a->job) && !affinity->likes &&
           affinity_rules_allow(affinity, k, node) && spread_limit_allows(k, a, node) &&
           node_choice_supplied(k, a->shape, node, later);
}

int32_t node_choice_best(const struct columns *k, const struct search_index *x,
                         const struct affinity_rules *affinity, const struct ask *a,
                         uint32_t domain, uint32_t *node) {
    if (*node == NO_ROW || node_choice_takes(k, affinity, a, *node, (int)x->key.later))
        return LSCHED_OK;
    uint32_t avoid = retry_avoids(k, a->job);
    uint32_t holder = reservation_is_held(k, a->queue) ? a->queue : NO_ROW;
    struct choice_of c = {x, affinity, domain, holder};
    struct spread_limit s;
    int32_t rc = spread_limit_open(&s, k, a);
    if (rc != LSCHED_OK) return rc;
    *node = best_allowed(&s, k, &c, avoid);
    if (*node == NO_ROW && avoid != NO_ROW) *node = best_allowed(&s, k, &c, NO_ROW);
    spread_limit_close(&s, k);
    return LSCHED_OK;
}

int node_choice_is_affinity_only(const struct columns *k, const struct search_index *x,
                                 const struct affinity_rules *affinity, uint32_t domain) {
    for (uint32_t node = 0; affinity->n && node < table_rows(k, T_NODE); node++)
        if (x->score[node] != SEARCH_LEAST && !affinity_rules_allow(affinity, k, node) &&
            (domain == NO_ROW || domain_contains(k, domain, node)))
            return 1;
    return 0;
}
