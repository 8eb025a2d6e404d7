/*
 * quota_reference.h -- what share "quota" must answer, computed the slow way from its definition.
 *
 * Nothing is sorted and nothing is kept: queues are found by scanning all, the unsatisfied are what
 * is left after taking away the satisfied one at a time, and remainders are dealt by looking for
 * the largest one each time. Rows of children are greater than their parent's. Numbers are small
 * (products of three amounts fit 128 bits), so there is nothing to round.
 */
#ifndef TESTS_QUOTA_REFERENCE_H
#define TESTS_QUOTA_REFERENCE_H

#include "property/quota_world.h"

__extension__ typedef __int128 reference_wide;

struct reference {
    const struct world *w;
    uint32_t kind;
    int64_t step[WORLD_QUEUES + 1]; /* of the children of a row; the last one: of the roots */
    int64_t quota[WORLD_QUEUES], guarantee[WORLD_QUEUES], basis[WORLD_QUEUES];
    int64_t need[WORLD_QUEUES], kept_below[WORLD_QUEUES], kept[WORLD_QUEUES];
    int64_t claim[WORLD_QUEUES], fair_share[WORLD_QUEUES];
    /* of the division in hand */
    int64_t want[WORLD_QUEUES], before[WORLD_QUEUES];
    reference_wide share[WORLD_QUEUES], rest[WORLD_QUEUES]; /* rest: numerators over the sum */
    uint8_t stays[WORLD_QUEUES];
};

static inline int64_t reference_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int reference_is_child(const struct reference *r, uint32_t q, uint32_t parent) {
    return r->w->live[q] && r->w->parent[q] == parent;
}

static inline int reference_is_leaf(const struct reference *r, uint32_t q) {
    for (uint32_t c = 0; c < r->w->view.n_queues; c++)
        if (reference_is_child(r, c, q)) return 0;
    return 1;
}

static inline int reference_older(const struct world *w, uint32_t a, uint32_t b) {
    return w->created[a] != w->created[b] ? w->created[a] < w->created[b] : w->rank[a] < w->rank[b];
}

/* Add amount * share / sum to the claims of all that stay, in whole steps; then one piece each to
 * the largest remainder until nothing is left. */
static inline void reference_deal(struct reference *r, int64_t amount, int64_t step) {
    reference_wide sum = 0;
    int64_t left = amount;
    for (uint32_t q = 0; q < r->w->view.n_queues; q++)
        if (r->stays[q]) sum += r->share[q];
    for (uint32_t q = 0; q < r->w->view.n_queues; q++) {
        if (!r->stays[q]) continue;
        reference_wide exact = amount * r->share[q] + r->claim[q] * sum; /* over sum */
        int64_t old = r->claim[q];
        r->claim[q] = (int64_t)(exact / sum);
        r->claim[q] -= r->claim[q] % step;
        if (r->claim[q] < old) r->claim[q] = old;
        r->rest[q] = exact - r->claim[q] * sum;
        left -= r->claim[q] - old;
    }
    while (left > 0) {
        uint32_t best = LSCHED_NO_ROW;
        for (uint32_t q = 0; q < r->w->view.n_queues; q++)
            if (r->stays[q] && (best == LSCHED_NO_ROW || r->rest[q] > r->rest[best] ||
                                (r->rest[q] == r->rest[best] && reference_older(r->w, q, best))))
                best = q;
        assert_true(best != LSCHED_NO_ROW); /* one round of pieces is enough */
        int64_t piece = step - r->claim[best] % step;
        piece = reference_min(piece, reference_min(left, r->want[best] - r->claim[best]));
        r->claim[best] += piece;
        left -= piece;
        r->stays[best] = 0;
    }
}

/* ---- guarantees ------------------------------------------------------------------------------ */

static inline void reference_guarantees(struct reference *r, uint32_t parent, int64_t basis,
                                        int unlimited_above) {
    int64_t sum = 0, n_unlimited = 0, step = r->kind == LSCHED_GPU ? 1000 : 1;
    if (basis % step) step = 1;
    for (uint32_t q = 0; q < r->w->view.n_queues; q++) {
        if (!reference_is_child(r, q, parent)) continue;
        r->guarantee[q] = r->basis[q] = r->quota[q];
        if (r->quota[q] == ANY)
            n_unlimited++, r->basis[q] = reference_min(basis, r->w->limit[r->kind][q]);
        else if (sum += r->quota[q], r->quota[q] % step)
            step = 1;
    }
    for (int unlimited = 0; !unlimited_above && unlimited < 2; unlimited++) {
        int64_t amount = unlimited ? basis - reference_min(sum, basis) : basis;
        if (unlimited ? n_unlimited == 0 : sum <= basis) continue;
        for (uint32_t q = 0; q < r->w->view.n_queues; q++) {
            r->stays[q] = reference_is_child(r, q, parent) && (r->quota[q] == ANY) == unlimited;
            if (!r->stays[q]) continue;
            r->claim[q] = 0;
            r->want[q] = ANY;
            r->share[q] = unlimited ? 1 : r->quota[q];
        }
        reference_deal(r, amount, step);
        for (uint32_t q = 0; q < r->w->view.n_queues; q++)
            if (reference_is_child(r, q, parent) && (r->quota[q] == ANY) == unlimited)
                r->guarantee[q] = r->basis[q] = reference_min(r->claim[q], r->w->limit[r->kind][q]);
    }
}

/* ---- fair shares ----------------------------------------------------------------------------- */

static inline int64_t reference_fill_priority(struct reference *r, uint32_t parent,
                                              int32_t priority, int64_t rest) {
    uint32_t n = r->w->view.n_queues, slot = parent == ROOT ? WORLD_QUEUES : parent;
    reference_wide sum = 0;
    for (uint32_t q = 0; q < n; q++) {
        r->share[q] = r->w->weight[r->kind][q];
        r->stays[q] = reference_is_child(r, q, parent) && r->w->priority[q] == priority &&
                      r->share[q] > 0 && r->want[q] > r->claim[q];
        if (r->stays[q]) sum += r->share[q];
    }
    for (uint32_t q = 0; q < n; q++) {
        if (!r->stays[q] || (r->want[q] - r->claim[q]) * sum > rest * r->share[q]) continue;
        rest -= r->want[q] - r->claim[q];
        r->claim[q] = r->want[q];
        r->stays[q] = 0;
        sum -= r->share[q];
        q = UINT32_MAX; /* look at all again: what is left has changed */
    }
    if (sum == 0) return rest;
    reference_deal(r, rest, r->step[slot]);
    return 0;
}

static inline void reference_fair_shares(struct reference *r, uint32_t parent, int64_t total) {
    int64_t rest = total;
    for (uint32_t q = 0; q < r->w->view.n_queues; q++) {
        if (!reference_is_child(r, q, parent)) continue;
        r->want[q] = r->need[q] + r->kept_below[q];
        r->claim[q] =
            reference_min(reference_min(r->quota[q], r->want[q]), r->quota[q] == ANY ? total : ANY);
        rest -= r->claim[q] + r->kept[q];
    }
    for (int32_t priority = 3; priority >= -3 && rest > 0; priority--)
        rest = reference_fill_priority(r, parent, priority, rest);
    for (uint32_t q = 0; q < r->w->view.n_queues; q++)
        if (reference_is_child(r, q, parent)) r->fair_share[q] = r->claim[q] - r->kept_below[q];
}

/* Priorities from -3 to 3 only; use is not looked at. */
static inline void reference_compute(struct reference *r, const struct world *w, uint32_t kind) {
    uint32_t n = w->view.n_queues;
    int uneven[WORLD_QUEUES + 1] = {0};
    int quotas = 0, quotas_of_kind = 0;
    int64_t claims[WORLD_QUEUES];
    memset(r, 0, sizeof *r);
    r->w = w;
    r->kind = kind;
    for (uint32_t q = 0; q < n; q++) {
        for (uint32_t other = 1; other < w->view.n_kinds; other++)
            if (w->live[q] && w->quota[other][q] > 0) quotas = 1;
        if (w->live[q] && w->quota[kind][q] > 0) quotas_of_kind = 1;
    }
    for (uint32_t q = 0; q < n; q++) {
        r->quota[q] = quotas && !quotas_of_kind ? ANY : w->quota[kind][q];
        if (r->quota[q] != ANY) r->quota[q] = reference_min(r->quota[q], w->limit[kind][q]);
    }
    reference_guarantees(r, ROOT, w->view.total_capacity[kind], 1);
    for (uint32_t q = 0; q < n; q++)
        if (w->live[q]) reference_guarantees(r, q, r->basis[q], r->guarantee[q] == ANY);
    for (uint32_t q = n; q-- > 0;) {
        if (!w->live[q]) continue;
        uint32_t above = w->parent[q] == ROOT ? WORLD_QUEUES : w->parent[q];
        if (reference_is_leaf(r, q)) {
            r->need[q] = w->demand[kind][q];
            uneven[q] = w->demand[kind][q] % 1000 != 0;
        }
        r->need[q] = reference_min(r->need[q], w->limit[kind][q]);
        int64_t unused = r->guarantee[q] - r->need[q] - r->kept_below[q];
        if (r->guarantee[q] != ANY && w->lend[kind][q] != ANY && unused > w->lend[kind][q])
            r->kept[q] = unused - w->lend[kind][q];
        if (uneven[q]) uneven[above] = 1;
        if (above == WORLD_QUEUES) continue;
        r->need[above] += r->need[q];
        r->kept_below[above] += r->kept_below[q] + r->kept[q];
    }
    for (uint32_t slot = 0; slot <= WORLD_QUEUES; slot++)
        r->step[slot] = kind == LSCHED_GPU && !uneven[slot] ? 1000 : 1;
    reference_fair_shares(r, ROOT, w->view.total_capacity[kind]);
    for (uint32_t q = 0; q < n; q++) {
        if (!w->live[q]) continue;
        memcpy(claims, r->claim, sizeof claims);
        reference_fair_shares(r, q, claims[q]);
    }
}

#endif
