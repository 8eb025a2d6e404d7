/* victim_side.c -- see victim_side.h. */
#include "engine/victims/victim_side.h"

#include "base/wide.h"
#include "engine/victims/victim_parts.h"
#include "model/queues/queue.h"

/* ---- what each queue of the path would hold above its entitlement ---- */

static int64_t beyond(const struct lsched_cycle *y, uint32_t q, uint32_t r, int guarantee_only) {
    int64_t right = victim_rules_right(y, q, r, guarantee_only);
    if (right == LSCHED_UNLIMITED) return INT64_MIN;
    return y->k->c[C_QUEUE_USED + r].i64[q] + y->search->left[r] - right;
}

/* Returns 1 if more may be taken than at the call before. */
static int look_at_level(struct lsched_cycle *y, uint32_t i) {
    struct victim_search *h = y->search;
    int more = 0, within[2] = {1, 1};
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1)) continue;
        for (int g = 0; g < 2; g++) {
            int64_t over = beyond(y, h->path[i], r, g), *was = &h->over[i][g][r];
            more |= *was > 0 && over < *was;
            within[g] &= over <= 0;
            *was = over;
        }
    }
    h->guarantee[i] = (uint8_t)within[1];
    h->share_ok[i] = (uint8_t)(within[0] && (i == 0 || h->share_ok[i - 1]));
    return more;
}

/* Returns 1 if more may be taken than at the call before. */
static int look(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    int more = 0;
    for (uint32_t i = 0; i < h->n_path; i++) {
        if (h->has_amounts) {
            more |= look_at_level(y, i);
            continue;
        }
        int64_t was = h->dominant_after[i];
        h->share_ok[i] = 1;
        h->guarantee[i] = 0;
        h->dominant_after[i] = victim_rules_dominant(y, h->path[i], h->left, NULL, NULL);
        more |= h->dominant_after[i] < was;
    }
    more |= victim_parts_look(y);
    h->eased += (uint32_t)more;
    return more;
}

void victim_side_look(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    memset(h->left, 0, sizeof h->left);
    job_next_need(y->k, h->job, h->left);
    if (look(y)) h->built = 0;
}

/* ---- with the chosen victims evicted ---- */

static int64_t given_back(const struct lsched_cycle *y, uint32_t q, uint32_t r,
                          const struct victim_set *set) {
    int64_t sum = 0;
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && queue_is_below(y->k, set->unit[i].queue, q))
            sum += victim_unit_amount(y->k, &set->unit[i], r);
    return sum;
}

static int level_within(const struct lsched_cycle *y, uint32_t i, int guarantee_only,
                        const struct victim_set *set) {
    const struct victim_search *h = y->search;
    for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1) || h->over[i][guarantee_only][r] <= 0) continue;
        if (h->over[i][guarantee_only][r] > given_back(y, h->path[i], r, set)) return 0;
    }
    return 1;
}

int victim_side_lends(const struct lsched_cycle *y) {
    return (y->search->way & (VICTIM_ON_CREDIT | VICTIM_GUARANTEE_ON_CREDIT)) != 0;
}

int victim_side_within(const struct lsched_cycle *y, uint32_t at, const struct victim_set *set) {
    const struct victim_search *h = y->search;
    if (at == 0 || h->share_ok[at - 1] || victim_side_lends(y)) return 1;
    for (uint32_t i = 0; i < at; i++)
        if (!level_within(y, i, 0, set)) return 0;
    return 1;
}

int victim_side_guaranteed(const struct lsched_cycle *y, uint32_t at,
                           const struct victim_set *set) {
    const struct victim_search *h = y->search;
    return at > 0 && (h->guarantee[at - 1] || (h->way & VICTIM_GUARANTEE_ON_CREDIT) ||
                      level_within(y, at - 1, 1, set));
}

int64_t victim_side_dominant(const struct lsched_cycle *y, uint32_t at,
                             const struct victim_set *set) {
    const struct victim_search *h = y->search;
    for (uint32_t i = 0; set && i < set->n; i++)
        if (set->unit[i].chosen && queue_is_below(y->k, set->unit[i].queue, h->path[at - 1]))
            return victim_rules_dominant(y, h->path[at - 1], h->left, set, NULL);
    return h->dominant_after[at - 1];
}

int victim_side_helps(const struct lsched_cycle *y, const struct victim_unit *u) {
    const struct victim_search *h = y->search;
    if (h->reason != LSCHED_FOR_RECLAIM) return 0;
    for (uint32_t i = victim_rules_ancestor(y, u->queue); i < h->n_path; i++)
        if (!h->has_amounts || !h->share_ok[i] || !h->guarantee[i] || h->parts_pending) return 1;
    return 0;
}

int64_t victim_side_part(const struct lsched_cycle *y, uint32_t kind, int64_t amount) {
    int64_t need = y->search->need[kind];
    if (!(y->search->kinds >> kind & 1) || need <= 0 || amount <= 0) return 0;
    return (int64_t)wide_mul_div((uint64_t)amount, 1000, (uint64_t)need, INT64_MAX / 1024);
}

int64_t victim_side_beyond(const struct lsched_cycle *y, const struct victim_set *set) {
    const struct victim_search *h = y->search;
    int of = (h->way & VICTIM_GUARANTEE_ON_CREDIT) != 0;
    int64_t sum = 0;
    for (uint32_t i = 0; h->has_amounts && i < h->n_path; i++)
        for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++)
            if (h->over[i][of][r] > 0)
                sum +=
                    victim_side_part(y, r, h->over[i][of][r] - given_back(y, h->path[i], r, set));
    return sum;
}

/* ---- grounds ---- */

static int ground_stands(const struct lsched_cycle *y, uint32_t at, uint32_t ground,
                         const struct victim_set *set) {
    if (ground <= SIDE_FREE) return 1;
    if (ground >= SIDE_PART) return victim_parts_within(y, ground - SIDE_PART, at, set);
    if (!victim_side_within(y, at, set)) return 0;
    return ground != SIDE_GUARANTEE || victim_side_guaranteed(y, at, set);
}

int victim_side_stands(const struct lsched_cycle *y, const struct victim_set *set) {
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].chosen && !ground_stands(y, victim_rules_ancestor(y, set->unit[i].queue),
                                                  set->unit[i].ground, set))
            return 0;
    return 1;
}

void victim_side_count(struct lsched_cycle *y, uint32_t queue, uint32_t ground, int sign) {
    if (ground <= SIDE_FREE || ground >= SIDE_GROUNDS) return;
    y->search->standing[victim_rules_ancestor(y, queue)][ground] += (uint32_t)sign;
}

/* Returns the lowest queue of the path below level `at` that is above what the ground requires;
 * NO_ROW if the ground holds. */
static uint32_t short_for(const struct lsched_cycle *y, uint32_t at, uint32_t ground) {
    const struct victim_search *h = y->search;
    if (ground_stands(y, at, ground, NULL)) return NO_ROW;
    for (uint32_t i = 0; i + 1 < at; i++)
        if (ground >= SIDE_PART ? !victim_parts_within(y, ground - SIDE_PART, i + 1, NULL)
                                : !level_within(y, i, 0, NULL))
            return h->path[i];
    return h->path[at - 1];
}

uint32_t victim_side_grown(const struct lsched_cycle *y) {
    const struct victim_search *h = y->search;
    for (uint32_t i = 0; h->has_amounts && i < h->n_path; i++)
        for (uint32_t r = 1; r < meta(y->k, M_N_KINDS); r++) {
            int64_t used = y->k->c[C_QUEUE_USED + r].i64[h->path[i]];
            if ((h->kinds_before >> r & 1) && used > h->before[i][r] &&
                used > victim_rules_right(y, h->path[i], r, 0))
                return h->path[i];
        }
    return NO_ROW;
}

uint32_t victim_side_short(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    uint32_t way = h->way, queue = NO_ROW;
    if (h->reason != LSCHED_FOR_RECLAIM) return NO_ROW;
    memset(h->left, 0, sizeof h->left);
    look(y);
    h->way &= VICTIM_LARGEST; /* what was taken on credit must be paid back now */
    for (uint32_t at = 1; at <= h->n_path && queue == NO_ROW; at++)
        for (uint32_t ground = SIDE_SHARE; ground < SIDE_GROUNDS && queue == NO_ROW; ground++)
            if (h->standing[at][ground]) queue = short_for(y, at, ground);
    h->way = way;
    return queue;
}
