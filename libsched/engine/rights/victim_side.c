/* victim_side.c -- see victim_side.h. */
#include "engine/rights/victim_side.h"

#include "base/wide.h"
#include "engine/rights/part_quota.h"
#include "engine/rights/victim_right.h"
#include "engine/rights/victim_unit.h"
#include "model/queues/queue.h"
#include "model/demand/job_counts.h"

/* ---- what each queue of the path would hold above its entitlement ---- */

static int64_t beyond(const struct lsched_cycle *cy, uint32_t q, uint32_t r, int guarantee_only) {
    int64_t right = victim_right(cy, q, r, guarantee_only);
    if (right == LSCHED_UNLIMITED) return INT64_MIN;
    return cy->k->c[C_QUEUE_USED + r].i64[q] + cy->victims->left[r] - right;
}

/* Returns 1 if the side allows more evictions than at the call before. */
static int look_at_level(struct lsched_cycle *cy, uint32_t i) {
    struct victim_search *h = cy->victims;
    int more = 0, within[2] = {1, 1};
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1)) continue;
        for (int g = 0; g < 2; g++) {
            int64_t over = beyond(cy, h->path[i], r, g), *was = &h->over[i][g][r];
            more |= *was > 0 && over < *was;
            within[g] &= over <= 0;
            *was = over;
        }
    }
    h->guarantee[i] = (uint8_t)within[1];
    h->share_ok[i] = (uint8_t)(within[0] && (i == 0 || h->share_ok[i - 1]));
    return more;
}

/* Returns 1 if the side allows more evictions than at the call before. */
static int look(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    int more = 0;
    for (uint32_t i = 0; i < h->n_path; i++) {
        if (h->has_amounts) {
            more |= look_at_level(cy, i);
            continue;
        }
        int64_t was = h->dominant_after[i];
        h->share_ok[i] = 1;
        h->guarantee[i] = 0;
        h->dominant_after[i] = victim_right_dominant(cy, h->path[i], h->left, NULL, NULL);
        more |= h->dominant_after[i] < was;
    }
    more |= part_quota_look(cy);
    h->eased += (uint32_t)more;
    return more;
}

void victim_side_look(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    memset(h->left, 0, sizeof h->left);
    job_least_need(cy->k, h->job, h->left);
    if (look(cy)) h->nodes.built = 0;
}

/* ---- with the chosen victims evicted ---- */

/* Returns how much of the kind the queue of the path would hold above its right, with the task on
 * the node that is evaluated. */
static int64_t over_here(const struct victim_search *h, uint32_t i, int guarantee_only,
                         uint32_t r) {
    int64_t over = h->over[i][guarantee_only][r];
    return r == LSCHED_GPU && over != INT64_MIN ? over + h->dearer : over;
}

static int level_within(const struct lsched_cycle *cy, uint32_t i, int guarantee_only,
                        const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) {
        int64_t over = h->kinds >> r & 1 ? over_here(h, i, guarantee_only, r) : 0;
        if (over > 0 && over > victim_right_given(cy, h->path[i], r, set)) return 0;
    }
    return 1;
}

int victim_side_within(const struct lsched_cycle *cy, uint32_t at, const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    if (at == 0 || (h->share_ok[at - 1] && !h->dearer) || victim_on_credit(cy->victims)) return 1;
    for (uint32_t i = 0; i < at; i++)
        if (!level_within(cy, i, 0, set)) return 0;
    return 1;
}

int victim_side_guaranteed(const struct lsched_cycle *cy, uint32_t at,
                           const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    return at > 0 && ((h->guarantee[at - 1] && !h->dearer) ||
                      (h->way & VICTIM_GUARANTEE_ON_CREDIT) || level_within(cy, at - 1, 1, set));
}

int victim_side_own_guarantee(const struct lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    return h->guarantee[0] && (!h->dearer || level_within(cy, 0, 1, NULL));
}

int64_t victim_side_dominant(const struct lsched_cycle *cy, uint32_t at,
                             const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    int64_t left[KINDS_MAX];
    int other = h->dearer != 0;
    for (uint32_t i = 0; set && i < set->n; i++)
        other |= set->unit[i].chosen && queue_is_below(cy->k, set->unit[i].queue, h->path[at - 1]);
    if (!other) return h->dominant_after[at - 1];
    memcpy(left, h->left, sizeof left);
    left[LSCHED_GPU] += h->dearer;
    return victim_right_dominant(cy, h->path[at - 1], left, set, NULL);
}

int victim_side_helps(const struct lsched_cycle *cy, const struct victim_unit *u) {
    const struct victim_search *h = cy->victims;
    if (h->reason != LSCHED_FOR_RECLAIM) return 0;
    for (uint32_t i = victim_right_ancestor(cy, u->queue); i < h->n_path; i++)
        if (!h->has_amounts || !h->share_ok[i] || !h->guarantee[i] || h->dearer || h->quota.pending)
            return 1;
    return 0;
}

int64_t victim_side_part(const struct lsched_cycle *cy, uint32_t kind, int64_t amount) {
    int64_t need = cy->victims->need[kind];
    if (!(cy->victims->kinds >> kind & 1) || need <= 0 || amount <= 0) return 0;
    return (int64_t)wide_mul_div((uint64_t)amount, 1000, (uint64_t)need, INT64_MAX / 1024);
}

int64_t victim_side_beyond(const struct lsched_cycle *cy, const struct victim_set *set) {
    const struct victim_search *h = cy->victims;
    int of = (h->way & VICTIM_GUARANTEE_ON_CREDIT) != 0;
    int64_t sum = 0;
    for (uint32_t i = 0; h->has_amounts && i < h->n_path; i++)
        for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) {
            int64_t over = over_here(h, i, of, r);
            if (over > 0)
                sum += victim_side_part(cy, r, over - victim_right_given(cy, h->path[i], r, set));
        }
    return sum;
}

int64_t victim_side_unit_part(const struct lsched_cycle *cy, const struct victim_unit *u) {
    int64_t amount[KINDS_MAX], sum = 0;
    victim_unit_amounts(cy->k, u, amount);
    for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) sum += victim_side_part(cy, r, amount[r]);
    return sum;
}

/* ---- grounds ---- */

static int ground_stands(const struct lsched_cycle *cy, uint32_t at, uint32_t ground,
                         const struct victim_set *set) {
    if (ground <= SIDE_FREE) return 1;
    if (ground >= SIDE_PART) return part_quota_within(cy, ground - SIDE_PART, at, set);
    if (!victim_side_within(cy, at, set)) return 0;
    return ground != SIDE_GUARANTEE || victim_side_guaranteed(cy, at, set);
}

int victim_side_stands(const struct lsched_cycle *cy, const struct victim_set *set) {
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].chosen && !ground_stands(cy, victim_right_ancestor(cy, set->unit[i].queue),
                                                  set->unit[i].ground, set))
            return 0;
    return 1;
}

void victim_side_count(struct lsched_cycle *cy, uint32_t queue, uint32_t ground, int sign) {
    if (ground <= SIDE_FREE || ground >= SIDE_GROUNDS) return;
    cy->victims->stood = 1;
    cy->victims->standing[victim_right_ancestor(cy, queue)][ground] += (uint32_t)sign;
}

/* Returns the lowest queue of the path below level `at` that is above the bound that the ground
 * requires; NO_ROW if the ground holds. */
static uint32_t short_for(const struct lsched_cycle *cy, uint32_t at, uint32_t ground) {
    const struct victim_search *h = cy->victims;
    if (ground_stands(cy, at, ground, NULL)) return NO_ROW;
    for (uint32_t i = 0; i + 1 < at; i++)
        if (ground >= SIDE_PART ? !part_quota_within(cy, ground - SIDE_PART, i + 1, NULL)
                                : !level_within(cy, i, 0, NULL))
            return h->path[i];
    return h->path[at - 1];
}

uint32_t victim_side_grown(const struct lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    for (uint32_t i = 0; h->has_amounts && i < h->n_path; i++)
        for (uint32_t r = 1; r < meta(cy->k, M_N_KINDS); r++) {
            int64_t used = cy->k->c[C_QUEUE_USED + r].i64[h->path[i]];
            if ((h->kinds_before >> r & 1) && used > h->before[i][r] &&
                used > victim_right(cy, h->path[i], r, 0))
                return h->path[i];
        }
    return NO_ROW;
}

uint32_t victim_side_short(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    uint32_t way = h->way, queue = NO_ROW;
    if (h->reason != LSCHED_FOR_RECLAIM) return NO_ROW;
    memset(h->left, 0, sizeof h->left);
    look(cy);
    h->way &= VICTIM_LARGEST; /* test now, also in a search on credit */
    for (uint32_t at = 1; at <= h->n_path && queue == NO_ROW; at++)
        for (uint32_t ground = SIDE_SHARE; ground < SIDE_GROUNDS && queue == NO_ROW; ground++)
            if (h->standing[at][ground]) queue = short_for(cy, at, ground);
    h->way = way;
    return queue;
}
