/* water_fill.c -- see water_fill.h. */
#include "algorithms/share_quota/water_fill.h"

#include "base/sort.h"

#define PART_BITS 40
#define PPM       1000000
/* usage weight k = 1000; with so large a weight, practically only decayed use counts */
#define USAGE_WEIGHT_MOST 1000000
#define SHARE_SUM_MOST    ((quota_u128)1 << 62)
#define USED_PPM_MOST     ((int64_t)1 << 30)
#define WATER_FILL_MILLI  1000
#define PASSES_MOST       8

static int64_t gap(const struct sibling *s) {
    return s->want - s->claim;
}

int64_t water_kept(const struct sibling *s) {
    if (s->guarantee == LSCHED_UNLIMITED || s->lend == LSCHED_UNLIMITED) return 0;
    int64_t kept = s->guarantee - quota_add(s->need, s->kept_below);
    kept = kept > s->lend ? kept - s->lend : 0;
    return kept;
}

int64_t water_first_claim(const struct sibling *s, int64_t total) {
    int64_t quota = s->quota == LSCHED_UNLIMITED ? total : s->quota;
    return quota < s->want ? quota : s->want;
}

/* Does steps 1 and 2 of water_fill.h. Returns the amount that is left for step 3, which can be
 * negative. */
static quota_i128 claim_quotas(struct sibling *siblings, uint32_t n, int64_t total,
                               struct fill_state *state) {
    quota_i128 rest = total;
    for (uint32_t i = 0; i < n; i++) {
        struct sibling *s = &siblings[i];
        s->want = quota_add(s->need, s->kept_below);
        s->claim = water_first_claim(s, total);
        s->kept = water_kept(s);
        s->dealt = 0;
        state->endless |= s->quota == LSCHED_UNLIMITED;
        rest -= s->claim;
        rest -= s->kept;
    }
    return rest;
}

/* Queues of weight 0 never compete with queues that have a weight, so they divide their amount
 * equally. */
int64_t water_weight(const struct sibling *s) {
    return s->weight > 0 ? s->weight : 1;
}

/* Lists the rows of the siblings that compete for the rest, and sets their shares to their weights.
 * A sibling competes if it still wants more and has a weight; with `weightless`, a sibling of
 * weight 0 also competes. If the weights add up to more than 2^62, all weights are shifted right by
 * the same number of bits. */
static uint32_t find_competing(struct sibling *siblings, uint32_t n, int weightless, uint32_t *rows,
                               struct fill_state *state) {
    uint32_t n_rows = 0;
    quota_u128 sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if ((siblings[i].weight <= 0 && !weightless) || gap(&siblings[i]) <= 0) continue;
        rows[n_rows++] = i;
        sum += (uint64_t)water_weight(&siblings[i]);
        state->open += gap(&siblings[i]);
    }
    uint32_t drop = 0;
    while (sum >> drop > SHARE_SUM_MOST) drop++;
    state->mode = drop ? FILL_OPAQUE : state->rest >= state->open ? FILL_AMPLE : FILL_DEALT;
    for (uint32_t i = 0; i < n_rows; i++) {
        struct sibling *s = &siblings[rows[i]];
        s->share = (uint64_t)water_weight(s) >> drop;
        if (s->share == 0) s->share = 1;
    }
    return n_rows;
}

/* True if both queues are of one rank, which means that they divide the same amount: they have
 * equal priority, and both have a weight or both have none. */
static int is_equal_rank(const struct sibling *x, const struct sibling *y) {
    return x->priority == y->priority && (x->weight > 0) == (y->weight > 0);
}

/* Orders the rows: higher priority first, then queues with a weight before queues without one, then
 * by (want - claim) / share, the smallest quotient first. */
static int fills_before(const struct sibling *siblings, uint32_t a, uint32_t b) {
    const struct sibling *x = &siblings[a], *y = &siblings[b];
    if (x->priority != y->priority) return x->priority > y->priority;
    if (!is_equal_rank(x, y)) return x->weight > 0;
    quota_u128 left = (quota_u128)(uint64_t)gap(x) * y->share;
    quota_u128 right = (quota_u128)(uint64_t)gap(y) * x->share;
    return left != right ? left < right : a < b;
}

SORT_IN_PLACE(sort_to_fill, uint32_t, const struct sibling *, fills_before)

/* Orders the rows by rank: higher priority first, then queues with a weight. */
static int ranks_before(const struct sibling *siblings, uint32_t a, uint32_t b) {
    const struct sibling *x = &siblings[a], *y = &siblings[b];
    if (x->priority != y->priority) return x->priority > y->priority;
    return is_equal_rank(x, y) ? a < b : x->weight > 0;
}

SORT_IN_PLACE(sort_by_rank, uint32_t, const struct sibling *, ranks_before)

static quota_u128 share_sum(const struct sibling *siblings, const uint32_t *rows, uint32_t n) {
    quota_u128 sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += siblings[rows[i]].share;
    return sum;
}

/* True if the amount that the queue still wants is no more than its portion of the rest. */
static int is_satisfied(const struct sibling *s, int64_t rest, quota_u128 sum) {
    return (quota_u128)(uint64_t)gap(s) * sum <= (quota_u128)(uint64_t)rest * s->share;
}

static int64_t satisfy(struct sibling *s) {
    int64_t given = gap(s);
    s->claim = s->want;
    return given;
}

/* Divides the rest among queues none of which it satisfies. */
static void fill_deal(struct sibling *siblings, uint32_t *rows, uint32_t n, int64_t rest,
                      quota_u128 sum, struct fill_state *state) {
    state->dealt = rest;
    state->shares = sum;
    state->priority = siblings[rows[0]].priority;
    state->weighted = siblings[rows[0]].weight > 0;
    for (uint32_t i = 0; i < n; i++) siblings[rows[i]].dealt = 1;
    sibling_deal(siblings, rows, n, rest, sum, state->step);
}

/* Gives out the rest to the queues of one rank. Returns the amount that is left for the next rank.
 * Each pass satisfies the queues that want no more than their portion at its begin. The portions of
 * the others only grow by that, so these are the queues that the order of want per share would
 * satisfy, too. That order is used if a few passes do not come to the end. */
static int64_t fill_plain(struct sibling *siblings, uint32_t *rows, uint32_t n, int64_t rest,
                          struct fill_state *state) {
    quota_u128 sum = share_sum(siblings, rows, n);
    for (int pass = 0; pass < PASSES_MOST && n > 0; pass++) {
        int64_t before = rest;
        quota_u128 whole = sum;
        uint32_t stay = 0;
        for (uint32_t i = 0; i < n; i++) {
            struct sibling *s = &siblings[rows[i]];
            if (is_satisfied(s, before, whole)) {
                rest -= satisfy(s);
                sum -= s->share;
            } else {
                rows[stay++] = rows[i];
            }
        }
        if (stay == n) {
            fill_deal(siblings, rows, n, rest, sum, state);
            return 0;
        }
        n = stay;
    }
    sort_to_fill(siblings, rows, n);
    for (uint32_t i = 0; i < n; i++) {
        struct sibling *s = &siblings[rows[i]];
        if (!is_satisfied(s, rest, sum)) {
            fill_deal(siblings, rows + i, n - i, rest, sum, state);
            return 0;
        }
        rest -= satisfy(s);
        sum -= s->share;
    }
    return rest;
}

/* Computes the shares of these rows from weights and decayed use. If all these shares are 0, they
 * are computed from the weights alone. Returns the sum of the shares. */
static quota_u128 bend(struct sibling *siblings, const uint32_t *rows, uint32_t n, int64_t k) {
    quota_u128 weights = 0;
    for (uint32_t i = 0; i < n; i++) weights += (uint64_t)water_weight(&siblings[rows[i]]);
    for (int bent = 1; bent >= 0; bent--) {
        for (uint32_t i = 0; i < n; i++) {
            struct sibling *s = &siblings[rows[i]];
            quota_i128 part =
                (quota_i128)(((quota_u128)(uint64_t)water_weight(s) << PART_BITS) / weights);
            int64_t ppm = s->used_ppm < USED_PPM_MOST ? s->used_ppm : USED_PPM_MOST;
            quota_i128 used = ((quota_i128)ppm << PART_BITS) / PPM;
            if (part == 0) part = 1;
            quota_i128 share = bent ? part + k * (part - used) / WATER_FILL_MILLI : part;
            s->share = share > 0 ? (uint64_t)share : 0;
        }
        quota_u128 sum = share_sum(siblings, rows, n);
        if (sum) return sum;
    }
    return 0; /* not reached: shares from weights alone are at least 1 */
}

static int64_t fill_bent(struct sibling *siblings, uint32_t *rows, uint32_t n, int64_t rest,
                         const struct fill_rules *rules, int64_t k) {
    while (n > 0 && rest > 0) {
        quota_u128 sum = bend(siblings, rows, n, k);
        int64_t before = rest;
        uint32_t stay = 0;
        for (uint32_t i = 0; i < n; i++) {
            struct sibling *s = &siblings[rows[i]];
            if (is_satisfied(s, before, sum))
                rest -= satisfy(s);
            else
                rows[stay++] = rows[i];
        }
        if (stay == n) {
            sibling_deal(siblings, rows, n, rest, sum, rules->step);
            return 0;
        }
        n = stay;
    }
    return rest;
}

static int water_fill_is_used(const struct sibling *siblings, const uint32_t *rows, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (siblings[rows[i]].used_ppm > 0) return 1;
    return 0;
}

void water_fill(struct sibling *siblings, uint32_t n, const struct fill_rules *rules,
                uint32_t *rows, struct fill_state *state) {
    *state = (struct fill_state){.step = rules->step, .mode = FILL_NONE};
    state->rest = claim_quotas(siblings, n, rules->total, state);
    if (state->rest <= 0) return;
    /* 64 bits are enough, because the rest is not above the total */
    int64_t rest = (int64_t)state->rest;
    int64_t k = rules->usage_weight_milli;
    if (k > USAGE_WEIGHT_MOST) k = USAGE_WEIGHT_MOST;
    uint32_t n_rows = find_competing(siblings, n, rules->weightless_share, rows, state);
    if (!sort_by_rank_is_done(siblings, rows, n_rows)) sort_by_rank(siblings, rows, n_rows);
    uint32_t end;
    for (uint32_t i = 0; i < n_rows && rest > 0; i = end) {
        for (end = i + 1; end < n_rows; end++)
            if (!is_equal_rank(&siblings[rows[end]], &siblings[rows[i]])) break;
        if (k > 0 && water_fill_is_used(siblings, rows + i, end - i)) {
            state->mode = FILL_OPAQUE;
            rest = fill_bent(siblings, rows + i, end - i, rest, rules, k);
        } else {
            rest = fill_plain(siblings, rows + i, end - i, rest, state);
        }
    }
    /* the last amount went out without a division */
    if (state->mode == FILL_DEALT && !state->shares) state->mode = FILL_OPAQUE;
}
