/* outrank.c -- see outrank.h. */
#include "engine/actions/outrank.h"

#include "engine/state/transaction.h"
#include "engine/victims/victim_search.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

static int by_shares(const struct lsched_cycle *y) {
    return !y->c->share.ops->amounts && y->c->share.ops->dominant;
}

void outrank_open(const struct lsched_cycle *y, struct outrank *o) {
    const struct columns *k = y->k;
    *o = (struct outrank){.floor = INT64_MIN};
    if (!y->c->share.ops->amounts) return;
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++) {
        if (!row_is_live(k, T_QAMOUNT, a) || k->c[C_QAMOUNT_QUOTA].i64[a] == 0) continue;
        o->guarded[k->c[C_QAMOUNT_DERIVED].u32[a]] = 1;
        o->any_guarded = 1;
    }
}

/* Returns the highest queue that is above `queue` (or is that queue) and not above `other`. NO_ROW
 * if both are user queues of one queue, between which reclaim takes nothing. */
static uint32_t side_of(const struct columns *k, uint32_t queue, uint32_t other) {
    uint32_t side = NO_ROW;
    if (victim_rules_real_queue(k, queue) == victim_rules_real_queue(k, other)) return NO_ROW;
    for (; queue != NO_ROW && !queue_is_below(k, other, queue);
         queue = k->c[C_QUEUE_PARENT].u32[queue])
        side = queue;
    return side;
}

/* ---- resource parts ---- */

static int could_count(const struct columns *k, uint32_t job, uint32_t d) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t shape = group_shape(k, jobshape, g);
        if (shape != NO_ROW && resource_part_could(k, d, shape, NO_ROW)) return 1;
    }
    return 0;
}

/* True if each queue from `queue` up to `side` holds more of the resource part than its quota;
 * without path protection, only `side` counts. */
static int is_above(const struct lsched_cycle *y, uint32_t d, uint32_t queue, uint32_t side) {
    const struct columns *k = y->k;
    if (cycle_eviction(y)->protection != POLICY_PROTECT_PATH) queue = side;
    for (;; queue = k->c[C_QUEUE_PARENT].u32[queue]) {
        struct resource_part_amount a = resource_part_get(k, queue, KINDS_MAX + d);
        if (a.quota == LSCHED_UNLIMITED || a.used <= a.quota) return 0;
        if (queue == side) return 1;
    }
}

static int is_within(const struct columns *k, uint32_t d, uint32_t queue, uint32_t side,
                     int64_t need) {
    for (;; queue = k->c[C_QUEUE_PARENT].u32[queue]) {
        struct resource_part_amount a = resource_part_get(k, queue, KINDS_MAX + d);
        if (a.quota != LSCHED_UNLIMITED && (a.quota == 0 || need > a.quota - a.used)) return 0;
        if (queue == side) return 1;
    }
}

static int part_asks(const struct lsched_cycle *y, uint32_t d, uint32_t queue, uint32_t bundle) {
    const struct columns *k = y->k;
    uint32_t other = k->c[C_BUNDLE_QUEUE].u32[bundle], side = side_of(k, queue, other),
             mine = side_of(k, other, queue);
    int64_t need[KINDS_MAX] = {0};
    if (side == NO_ROW || mine == NO_ROW || !could_count(k, bundle_head(k, bundle), d)) return 0;
    job_next_need(k, bundle_head(k, bundle), need);
    return is_above(y, d, queue, side) &&
           is_within(k, d, other, mine, need[k->c[C_DERIVED_BASE].u32[d]]);
}

static int parts_ask(struct lsched_cycle *y, const struct outrank *o, uint32_t job, uint32_t n,
                     uint32_t units, outrank_waits_fn waits) {
    const struct columns *k = y->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t d = 0; d < resource_part_count(k); d++) {
        if (!o->guarded[d] || !could_count(k, job, d)) continue;
        int whole_path = cycle_eviction(y)->protection == POLICY_PROTECT_PATH;
        if (whole_path && !is_above(y, d, queue, queue)) continue;
        steps_add(k, n);
        act_spend(y, units);
        if (act_is_cut(y)) return 0;
        for (uint32_t b = 0; b < n; b++)
            if (waits(y, b) && part_asks(y, d, queue, b)) return 1;
    }
    return 0;
}

/* ---- dominant shares ---- */

/* Returns the least dominant share that a side of the bundle would have with the bundle's job: the
 * minimum over all levels of its path. */
static int64_t least_share(const struct lsched_cycle *y, uint32_t bundle) {
    const struct columns *k = y->k;
    int64_t need[KINDS_MAX] = {0}, least = INT64_MAX;
    job_next_need(k, bundle_head(k, bundle), need);
    for (uint32_t q = k->c[C_BUNDLE_QUEUE].u32[bundle]; q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t share = victim_rules_dominant(y, q, need, NULL, NULL);
        if (share < least) least = share;
    }
    return least;
}

/* True if the bundle is parked. A bundle that is still in line has not had its turn and comes
 * after the starting job in the order of shares; only a bundle that had its turn counts. */
static int has_parked(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_STATE].u8[bundle] == BUNDLE_PARKED;
}

void outrank_note(const struct lsched_cycle *y, struct outrank *o, uint32_t bundle) {
    if (!by_shares(y) || o->floor == INT64_MIN || !has_parked(y->k, bundle)) return;
    int64_t least = least_share(y, bundle);
    if (least < o->floor) o->floor = least;
}

void outrank_stopped(struct outrank *o) {
    o->floor = INT64_MIN;
}

/* Stores the smallest amounts that a task of the job holds, as negative changes. */
static void least_task(const struct columns *k, uint32_t job, int64_t *change) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], any = 0;
    memset(change, 0, KINDS_MAX * sizeof *change);
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        if (group_shape(k, jobshape, g) == NO_ROW) continue;
        uint32_t shape = leaf_shape(k, job, g);
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t held = k->c[C_SHAPE_REQ + r].i64[shape];
            if (!any || -held > change[r]) change[r] = -held;
        }
        any = 1;
    }
}

static int share_asks(const struct lsched_cycle *y, uint32_t queue, const int64_t *change,
                      uint32_t bundle) {
    const struct columns *k = y->k;
    uint32_t other = k->c[C_BUNDLE_QUEUE].u32[bundle], side = side_of(k, queue, other),
             mine = side_of(k, other, queue);
    int64_t need[KINDS_MAX] = {0};
    if (side == NO_ROW || mine == NO_ROW) return 0;
    job_next_need(k, bundle_head(k, bundle), need);
    int64_t after = victim_rules_dominant(y, mine, need, NULL, NULL);
    return after < INT64_MAX && victim_rules_dominant(y, side, change, NULL, NULL) >= after;
}

static int shares_ask(struct lsched_cycle *y, struct outrank *o, uint32_t job, uint32_t n,
                      uint32_t units, outrank_waits_fn waits) {
    const struct columns *k = y->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    int64_t change[KINDS_MAX], most = INT64_MIN, floor = INT64_MAX;
    least_task(k, job, change);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t share = victim_rules_dominant(y, q, change, NULL, NULL);
        if (share > most) most = share;
    }
    if (o->floor != INT64_MIN && most < o->floor) return 0;
    steps_add(k, n);
    act_spend(y, units);
    if (act_is_cut(y)) return 0;
    for (uint32_t b = 0; b < n; b++) {
        if (!waits(y, b) || !has_parked(k, b)) continue;
        if (share_asks(y, queue, change, b)) return 1;
        int64_t least = least_share(y, b);
        if (least < floor) floor = least;
    }
    o->floor = floor;
    return 0;
}

int outrank_asks(struct lsched_cycle *y, struct outrank *o, uint32_t job, uint32_t n,
                 uint32_t units, outrank_waits_fn waits) {
    if (by_shares(y)) return shares_ask(y, o, job, n, units, waits);
    return o->any_guarded && parts_ask(y, o, job, n, units, waits);
}
