/* guarantee.c -- see guarantee.h. */
#include "algorithms/share_quota/guarantee.h"

static void guarantee_start(struct sibling *s, int64_t want, uint64_t share) {
    s->claim = 0;
    s->want = want;
    s->share = share;
}

/* Divides the basis in proportion to the quotas. Called if the quotas add up to more than the
 * basis. */
static void guarantee_scale(struct sibling *siblings, uint32_t n, int64_t basis, quota_u128 sum,
                            int64_t step, uint32_t *rows) {
    uint32_t n_rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct sibling *s = &siblings[i];
        if (s->quota == LSCHED_UNLIMITED) continue;
        guarantee_start(s, s->quota, (uint64_t)s->quota);
        rows[n_rows++] = i;
    }
    sibling_deal(siblings, rows, n_rows, basis, sum, step);
    for (uint32_t i = 0; i < n_rows; i++) siblings[rows[i]].guarantee = siblings[rows[i]].claim;
}

/* Divides the amount `left`, which the other quotas leave, equally among the queues with an
 * unlimited quota. */
static void share_out(struct sibling *siblings, uint32_t n, int64_t left, uint32_t n_unlimited,
                      int64_t step, uint32_t *rows) {
    uint32_t n_rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (siblings[i].quota != LSCHED_UNLIMITED) continue;
        guarantee_start(&siblings[i], INT64_MAX, 1);
        rows[n_rows++] = i;
    }
    sibling_deal(siblings, rows, n_rows, left, n_unlimited, step);
    for (uint32_t i = 0; i < n_rows; i++) {
        struct sibling *s = &siblings[rows[i]];
        s->guarantee = quota_smaller(s->claim, s->limit);
    }
}

void guarantee_divide(struct sibling *siblings, uint32_t n, int64_t basis, int unlimited_above,
                      int64_t step, uint32_t *rows) {
    quota_u128 sum = 0;
    uint32_t n_unlimited = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct sibling *s = &siblings[i];
        s->guarantee = s->quota;
        s->basis = s->quota == LSCHED_UNLIMITED ? quota_smaller(basis, s->limit) : s->quota;
        if (s->quota == LSCHED_UNLIMITED)
            n_unlimited++;
        else
            sum += (uint64_t)s->quota;
    }
    if (unlimited_above) return;
    int exceeded = sum > (quota_u128)(uint64_t)basis;
    int64_t left = exceeded ? 0 : basis - (int64_t)sum;
    if (exceeded) guarantee_scale(siblings, n, basis, sum, step, rows);
    if (n_unlimited) share_out(siblings, n, left, n_unlimited, step, rows);
    for (uint32_t i = 0; i < n; i++) siblings[i].basis = siblings[i].guarantee;
}
