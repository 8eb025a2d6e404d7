/* victim_protect.c -- see victim_protect.h. */
#include "engine/rights/victim_protect.h"

#include "engine/rights/part_quota.h"
#include "engine/rights/victim_last.h"
#include "engine/rights/victim_right.h"
#include "engine/rights/victim_side.h"
#include "engine/rights/victim_unit.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

/* A guarantee is a promise to a queue, while priorities and costs compare work with work.
 * Therefore the order of eviction compares the result of this test before priorities and costs. */
int victim_protect_cross(const struct lsched_cycle *cy, const struct victim_unit *u,
                         const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts) return 0;
    if (!h->guaranteed && !h->quota.pending) return 0;
    /* with this setting, the number of victims matters more than guarantees */
    if (cycle_eviction(cy)->victims == POLICY_VICTIMS_FEWEST) return 0;
    if (victim_right_is_own(cy, u->queue)) return 0;
    int64_t amount[KINDS_MAX];
    struct victim_levels levels = victim_right_levels(cy, u->queue);
    if (levels.at == 0) return 0;
    if (part_quota_decide(cy, u)) return part_quota_cross(cy, u, set, &levels);
    victim_unit_amounts(k, u, amount);
    for (uint32_t q = levels.from; q != levels.end; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if ((h->kinds >> r & 1) && amount[r] > 0 &&
                k->c[C_QUEUE_USED + r].i64[q] - victim_right_given(cy, q, r, set) -
                        h->pending[(size_t)q * KINDS_MAX + r] - (u->chosen ? 0 : amount[r]) <
                    victim_right(cy, q, r, 1))
                return 1;
    return 0;
}

/* Returns those of the kinds of which the queue holds more than its entitlement (with
 * guarantee_only, its guarantee). less: amounts of the unit's job that are evicted before the
 * tested unit, or NULL. last: a unit that is already evicted but is treated as if it were evicted
 * later, or NULL. */
static uint32_t kinds_over(const struct lsched_cycle *cy, uint32_t q, int guarantee_only,
                           uint32_t kinds, const struct victim_set *set, const int64_t *less,
                           const struct victim_last *last) {
    const struct victim_search *h = cy->victims;
    int64_t gone[KINDS_MAX] = {0};
    if (last && !queue_is_below(cy->k, last->queue, q)) last = NULL;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++)
        if (kinds >> r & 1)
            gone[r] = victim_right_given(cy, q, r, set) + h->pending[(size_t)q * KINDS_MAX + r] +
                      (less ? less[r] : 0) - (last ? last->amount[r] : 0);
    return victim_right_kinds_above(cy, q, guarantee_only, kinds, gone);
}

/* True if the queue holds more than its right of some kind that the job asks for. */
static int exceeds(const struct lsched_cycle *cy, uint32_t q, int guarantee_only,
                   const struct victim_set *set, const int64_t *less,
                   const struct victim_last *last) {
    return kinds_over(cy, q, guarantee_only, cy->victims->kinds, set, less, last) != 0;
}

/* True if the unit holds nothing of the kinds that count for the job, and a queue on its side holds
 * no more than its guarantee of a kind that the unit does hold. Such a unit is in the way without
 * its amounts: it is in a place that the job needs for itself, or it is one of the most tasks of a
 * node. The excess of its queues in other kinds does not make it work beyond a guarantee. */
static int others_protect(const struct lsched_cycle *cy, const struct victim_unit *u,
                          const struct victim_set *set, const struct victim_levels *levels,
                          const int64_t *less) {
    int64_t amount[KINDS_MAX];
    uint32_t kinds = 0;
    victim_unit_amounts(cy->k, u, amount);
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) kinds |= (uint32_t)(amount[r] > 0) << r;
    if (kinds & cy->victims->kinds) return 0;
    kinds &= cy->victims->guaranteed;
    for (uint32_t q = levels->from; q != levels->end; q = cy->k->c[C_QUEUE_PARENT].u32[q])
        if (kinds_over(cy, q, 1, kinds, set, less, NULL) != kinds) return 1;
    return 0;
}

/* Returns the ground on which the amounts that the unit's side holds allow the eviction of the
 * unit. Returns SIDE_NONE if they do not allow it, and stores in *at the queue that protects the
 * unit. */
static enum side_ground ground_of(const struct lsched_cycle *cy, const struct victim_set *set,
                                  const struct victim_levels *levels, const int64_t *less,
                                  const struct victim_last *last, uint32_t *at) {
    for (uint32_t q = levels->from; q != levels->end; q = cy->k->c[C_QUEUE_PARENT].u32[q]) {
        *at = q;
        if (!exceeds(cy, q, 1, set, less, last)) return SIDE_NONE;
    }
    if (exceeds(cy, levels->top, 0, set, less, last)) return SIDE_SHARE;
    if (victim_side_guaranteed(cy, levels->at, set)) return SIDE_GUARANTEE;
    cy->victims->lacks_guarantee = 1;
    return SIDE_NONE;
}

/* The eviction unit that is tested, and the levels of queues that it is tested against. */
struct asked {
    const struct victim_unit *unit;
    const struct victim_set *set;
    const struct victim_levels *levels;
};

/* True if the eviction of the unit `last`, which really happens earlier, would also be allowed
 * after the evictions of the tested unit and of the chosen units of the set. */
static int may_be_last(const struct lsched_cycle *cy, const struct victim_last *last,
                       const struct asked *a) {
    const struct columns *k = cy->k;
    int64_t amount[KINDS_MAX];
    uint32_t queue = a->unit->queue;
    victim_unit_amounts(k, a->unit, amount);
    uint32_t top = a->levels->top;
    for (uint32_t q = a->levels->from == top ? top : last->queue; q != a->levels->end;
         q = k->c[C_QUEUE_PARENT].u32[q])
        if (!exceeds(cy, q, 1, a->set, queue_is_below(k, queue, q) ? amount : NULL, last)) return 0;
    return last->ground != SIDE_SHARE || exceeds(cy, top, 0, a->set, amount, last);
}

/* True if the set has a chosen eviction unit of the job other than `but`. An earlier unit of that
 * job cannot be treated as the last one, because units of one job keep their order. */
static int goes_on(const struct victim_set *set, uint32_t job, const struct victim_unit *but) {
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && set->unit[i].job == job && &set->unit[i] != but) return 1;
    return 0;
}

/* Finds the largest chosen eviction unit of the set below the queue that can be treated as evicted
 * last. Returns 1 and fills *last, or 0 if there is no such unit. */
static int last_of_set(const struct lsched_cycle *cy, const struct asked *a, uint32_t queue,
                       struct victim_last *last) {
    const struct columns *k = cy->k;
    *last = (struct victim_last){.job = NO_ROW};
    for (uint32_t i = 0; a->set && i < a->set->n; i++) {
        const struct victim_unit *u = &a->set->unit[i];
        struct victim_last other;
        steps_add(k, 1);
        if (!u->chosen || u->job == a->unit->job || !queue_is_below(k, u->queue, queue) ||
            goes_on(a->set, u->job, u) || !victim_last_of(cy, u, &other))
            continue;
        if (last->job == NO_ROW || other.size > last->size) *last = other;
    }
    return last->job != NO_ROW;
}

/* Returns the ground on which the unit is allowed to be evicted, SIDE_NONE if it is not allowed.
 * Compares what the victim's side and the job's side hold of whole resource kinds. */
static enum side_ground kinds_allow(struct lsched_cycle *cy, const struct victim_unit *u,
                                    const struct victim_set *set,
                                    const struct victim_levels *levels) {
    const struct columns *k = cy->k;
    const struct asked a = {u, set, levels};
    int64_t surplus[KINDS_MAX], *less = u->group != NO_ROW ? surplus : NULL;
    uint32_t at = levels->top, ignored;
    struct victim_last here;
    if (!victim_side_within(cy, levels->at, set)) return SIDE_NONE;
    if (less) victim_unit_surplus(k, u, surplus);
    if (others_protect(cy, u, set, levels, less)) return SIDE_NONE;
    enum side_ground ground = ground_of(cy, set, levels, less, NULL, &at);
    if (ground) return ground;
    const struct victim_last *last = victim_last_below(cy, at);
    if (last && last->job != u->job && !goes_on(set, last->job, NULL)) {
        ground = ground_of(cy, set, levels, less, last, &ignored);
        if (ground && may_be_last(cy, last, &a)) return ground;
    }
    if (!last_of_set(cy, &a, at, &here)) return SIDE_NONE;
    ground = ground_of(cy, set, levels, less, &here, &ignored);
    return ground && may_be_last(cy, &here, &a) ? ground : SIDE_NONE;
}

/* Returns the ground under a share algorithm without guarantees: SIDE_FREE if the dominant share
 * of the victim's side without the unit is at least the dominant share of the job's side with the
 * job, otherwise SIDE_NONE. */
static enum side_ground dominant_allows(const struct lsched_cycle *cy, const struct victim_unit *u,
                                        const struct victim_set *set, uint32_t top, uint32_t at) {
    if (!cy->c->share.ops->dominant) return SIDE_NONE;
    int64_t after = victim_side_dominant(cy, at, set);
    int may = after < INT64_MAX && victim_right_dominant(cy, top, NULL, set, u) >= after;
    return may ? SIDE_FREE : SIDE_NONE;
}

enum side_ground victim_protect_allow(struct lsched_cycle *cy, const struct victim_unit *u,
                                      const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    if (h->reason != LSCHED_FOR_RECLAIM || victim_right_is_own(cy, u->queue)) return SIDE_FREE;
    struct victim_levels levels = victim_right_levels(cy, u->queue);
    if (levels.at == 0) return SIDE_NONE;
    if (!h->has_amounts) return dominant_allows(cy, u, set, levels.top, levels.at);
    if (!part_quota_decide(cy, u)) return kinds_allow(cy, u, set, &levels);
    enum side_ground ground = part_quota_allow(cy, u, set, &levels);
    return ground && part_quota_protect(cy, u, set, &levels) ? SIDE_NONE : ground;
}
