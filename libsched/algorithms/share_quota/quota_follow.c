/* quota_follow.c -- see quota_follow.h. */
#include "algorithms/share_quota/quota_follow.h"

#include "base/binary_heap.h"

/* What quota_follow() works on: one resource kind. */
struct follow_run {
    struct quota_tree *t;
    struct quota_group *groups; /* of the kind */
    uint32_t kind;
    int64_t usage_weight_milli;
    void (*moved)(void *to, uint32_t queue);
    void *to;
    uint32_t n_dirty;
};

static int group_before(const struct follow_run *f, uint32_t a, uint32_t b) {
    (void)f;
    return a < b;
}

HEAP_DEFINE(dirty, uint32_t, const struct follow_run *, group_before, HEAP_NO_INDEX)

static struct quota_group *follow_group(const struct follow_run *f, uint32_t at) {
    uint32_t above = f->t->above[at];
    return &f->groups[above == LSCHED_NO_ROW ? 0 : f->t->group_of[above]];
}

static void follow_dirty(struct follow_run *f, struct quota_group *g) {
    if (g->is_dirty) return;
    g->is_dirty = 1;
    dirty_add(f, f->t->dirty, &f->n_dirty, (uint32_t)(g - f->groups));
}

/* ---- one changed sibling ---- */

static int follow_competes(const struct follow_run *f, const struct sibling *s) {
    return s->weight > 0 || f->t->weightless_share;
}

/* True if the sibling takes no part in the last division and was not served before it: it gets no
 * more than its first claim. gap: what it wants beyond its first claim. */
static int is_inert(const struct follow_run *f, const struct fill_state *d, const struct sibling *s,
                    int64_t gap) {
    if (gap == 0 || !follow_competes(f, s) || s->priority < d->priority) return 1;
    return s->priority == d->priority && d->weighted && s->weight <= 0;
}

/* True if the portion of the sibling in the last division does not depend on what the sibling
 * wants: it wants more than the portion and the piece that the remainders can add to it. */
static int is_dealt(const struct fill_state *d, const struct sibling *s, int64_t first,
                    int64_t want) {
    quota_u128 part = (quota_u128)(uint64_t)d->dealt * (uint64_t)water_weight(s);
    if (!s->dealt || (quota_u128)(uint64_t)(want - first) * d->shares <= part) return 0;
    int64_t target = first + (int64_t)(part / d->shares), whole = target - target % d->step;
    if (whole < first) whole = first;
    return d->step - whole % d->step <= want - whole;
}

/* Changes the need of a queue and what the queues below it keep, and records what that means for
 * its group. */
static void sibling_changes(struct follow_run *f, uint32_t at, int64_t need, int64_t kept_below,
                            uint8_t uneven) {
    struct sibling *s = &f->t->siblings[at];
    struct quota_group *g = follow_group(f, at);
    struct fill_state *d = &g->fill;
    int64_t want = s->want, first = water_first_claim(s, g->total), kept = s->kept;
    if (s->uneven != uneven) {
        int even = g->uneven == 0;
        g->uneven += uneven ? 1u : UINT32_MAX;
        g->is_general |= f->kind == LSCHED_GPU && even != (g->uneven == 0);
    }
    s->need = need;
    s->kept_below = kept_below;
    s->uneven = uneven;
    s->want = quota_add(need, kept_below);
    s->kept = water_kept(s);
    int64_t now = water_first_claim(s, g->total);
    d->rest += (quota_i128)first + kept - now - s->kept;
    if (follow_competes(f, s)) d->open += (quota_i128)(s->want - now) - (want - first);
    if (d->mode == FILL_OPAQUE) g->is_general = 1;
    if (d->mode == FILL_DEALT) {
        int same = (is_inert(f, d, s, want - first) && is_inert(f, d, s, s->want - now)) ||
                   (is_dealt(d, s, first, want) && is_dealt(d, s, now, s->want));
        g->is_general |= first != now || kept != s->kept || !same;
    }
    if (!s->is_changed) {
        s->is_changed = 1;
        s->next = g->changed;
        g->changed = at + 1;
    }
    follow_dirty(f, g);
}

/* Takes over the demand of a leaf queue, and the needs of the queues above it. Returns 0 if a sum
 * is too large to be changed by a difference. */
static int leaf_changes(struct follow_run *f, uint32_t at, int64_t demand) {
    struct quota_tree *t = f->t;
    const struct sibling *s = &t->siblings[at];
    int64_t need = quota_smaller(demand, s->limit), kept_below = 0;
    uint8_t uneven = demand % QUOTA_WHOLE_GPU != 0;
    for (;;) {
        s = &t->siblings[at];
        if (s->need == need && s->kept_below == kept_below && s->uneven == uneven) return 1;
        int64_t was = s->need;
        int64_t kept_was = quota_add(s->kept_below, s->kept);
        sibling_changes(f, at, need, kept_below, uneven);
        uint32_t above = t->above[at];
        if (above == LSCHED_NO_ROW) return 1;
        struct sibling *parent = &t->siblings[above];
        int64_t kept = quota_add(s->kept_below, s->kept);
        if (parent->below >= QUOTA_AMOUNT_MOST || parent->kept_below >= QUOTA_AMOUNT_MOST) return 0;
        parent->below = quota_add(parent->below - was, s->need);
        kept_below = quota_add(parent->kept_below - kept_was, kept);
        if (parent->below >= QUOTA_AMOUNT_MOST || kept_below >= QUOTA_AMOUNT_MOST) return 0;
        need = quota_smaller(parent->below, parent->limit);
        uneven = f->groups[t->group_of[above]].uneven != 0;
        at = above;
    }
}

/* ---- groups, from the roots down ---- */

/* Takes over the claim of a queue: as its fair share, and as the total of its children. */
static void claim_moved(struct follow_run *f, uint32_t at) {
    struct quota_tree *t = f->t;
    const struct sibling *s = &t->siblings[at];
    uint32_t q = t->order[at];
    int64_t *share = &t->fair_share[(size_t)f->kind * t->n_rows + q];
    if (*share != s->claim - s->kept_below) {
        *share = s->claim - s->kept_below;
        f->moved(f->to, q);
    }
    if (t->count[q] == 0) return;
    struct quota_group *below = &f->groups[t->group_of[at]];
    if (below->total == s->claim) return;
    below->fill.rest += s->claim - below->total;
    below->is_general |=
        below->fill.endless || below->fill.mode == FILL_DEALT || below->fill.mode == FILL_OPAQUE;
    below->total = s->claim;
    follow_dirty(f, below);
}

static void follow_look(struct follow_run *f, struct quota_group *g) {
    const struct fill_state *d = &g->fill;
    struct sibling *all = f->t->siblings;
    int general = g->is_general || (d->mode == FILL_NONE && d->rest > 0) ||
                  (d->mode == FILL_AMPLE && d->rest < d->open);
    uint32_t changed = g->changed;
    g->changed = 0;
    g->is_dirty = g->is_general = 0;
    if (general) quota_tree_fill(f->t, g, f->kind, f->usage_weight_milli);
    while (changed) {
        uint32_t at = changed - 1;
        struct sibling *s = &all[at];
        changed = s->next;
        s->is_changed = 0;
        if (general) continue;
        if (d->mode != FILL_DEALT)
            s->claim = d->mode == FILL_AMPLE && follow_competes(f, s)
                           ? s->want
                           : water_first_claim(s, g->total);
        claim_moved(f, at);
    }
    for (uint32_t i = 0; general && i < g->n; i++) claim_moved(f, g->first + i);
}

/* ---- all kinds ---- */

static int follow_kind(struct follow_run *f, const lsched_view *view, const uint32_t *queues,
                       size_t n) {
    struct quota_tree *t = f->t;
    for (size_t i = 0; i < n; i++) {
        if (t->count[queues[i]]) continue;
        if (!leaf_changes(f, t->at_of[queues[i]], view->queue_demand[f->kind][queues[i]])) return 0;
    }
    while (f->n_dirty) follow_look(f, &f->groups[dirty_take(f, t->dirty, &f->n_dirty)]);
    return 1;
}

int32_t quota_follow(struct quota_tree *t, const lsched_view *view, const uint32_t *queues,
                     size_t n, void (*moved)(void *to, uint32_t queue), void *to) {
    struct follow_run f = {
        .t = t, .usage_weight_milli = view->usage_weight_milli, .moved = moved, .to = to};
    if (t->n_rows == 0 || t->n_rows != view->n_queues || t->n_kinds != view->n_kinds) return 0;
    for (size_t i = 0; i < n; i++)
        if (queues[i] >= t->n_rows || !view->queue_live[queues[i]]) return 0;
    for (uint32_t kind = 1; kind < t->n_kinds; kind++) {
        quota_tree_kind(t, kind);
        f.groups = t->groups + (size_t)kind * t->n_groups;
        f.kind = kind;
        if (!follow_kind(&f, view, queues, n)) {
            t->n_rows = 0;
            return 0;
        }
    }
    return 1;
}
