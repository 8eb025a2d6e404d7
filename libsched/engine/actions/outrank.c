/* outrank.c -- see outrank.h. */
#include "engine/actions/outrank.h"

#include "engine/state/transaction.h"
#include "engine/rights/part_quota.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "model/demand/job_counts.h"

static int by_shares(const struct lsched_cycle *cy) {
    return !cy->c->share.ops->amounts && cy->c->share.ops->dominant;
}

void outrank_open(const struct lsched_cycle *cy, struct outrank *o) {
    *o = (struct outrank){.floor = INT64_MIN};
    if (!cy->c->share.ops->amounts) return;
    o->any_guarded = part_quota_guarded(cy->k, o->guarded);
}

/* Returns the highest queue that is above `queue` (or is that queue) and not above `other`. NO_ROW
 * if `queue` and `other` are user queues of the same queue, because reclaim evicts nothing between
 * such queues. */
static uint32_t side_of(const struct columns *k, uint32_t queue, uint32_t other) {
    uint32_t side = NO_ROW;
    if (queue_same_real(k, queue, other)) return NO_ROW;
    for (; queue != NO_ROW && !queue_is_below(k, other, queue);
         queue = k->c[C_QUEUE_PARENT].u32[queue])
        side = queue;
    return side;
}

/* ---- resource parts ---- */

/* True if each queue from `queue` up to `side` holds more of the resource part than its quota;
 * without path protection, only `side` counts. */
static int is_above(const struct lsched_cycle *cy, uint32_t d, uint32_t queue, uint32_t side) {
    const struct columns *k = cy->k;
    if (cycle_eviction(cy)->protection != POLICY_PROTECT_PATH) queue = side;
    for (;; queue = k->c[C_QUEUE_PARENT].u32[queue]) {
        struct resource_part_amount a = resource_part_get(k, queue, KINDS_MAX + d);
        if (a.quota == LSCHED_UNLIMITED || a.used <= a.quota) return 0;
        if (queue == side) return 1;
    }
}

static int is_within(const struct columns *k, uint32_t d, uint32_t queue, uint32_t side,
                     int64_t need) {
    for (;; queue = k->c[C_QUEUE_PARENT].u32[queue]) {
        if (!part_quota_has_room(k, d, queue, need)) return 0;
        if (queue == side) return 1;
    }
}

static int part_asks(const struct lsched_cycle *cy, uint32_t d, uint32_t queue, uint32_t bundle) {
    const struct columns *k = cy->k;
    uint32_t other = k->c[C_BUNDLE_QUEUE].u32[bundle], side = side_of(k, queue, other),
             mine = side_of(k, other, queue);
    int64_t need[KINDS_MAX] = {0};
    if (side == NO_ROW || mine == NO_ROW ||
        !part_quota_could(k, k->c[C_JOB_SHAPE].u32[bundle_head(k, bundle)], d))
        return 0;
    job_least_need(k, bundle_head(k, bundle), need);
    return is_above(cy, d, queue, side) &&
           is_within(k, d, other, mine, need[k->c[C_DERIVED_BASE].u32[d]]);
}

static int parts_ask(struct lsched_cycle *cy, const struct outrank *o, uint32_t job, uint32_t n,
                     uint32_t units, outrank_waits_fn waits) {
    const struct columns *k = cy->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    for (uint32_t d = 0; d < resource_part_count(k); d++) {
        if (!o->guarded[d] || !part_quota_could(k, k->c[C_JOB_SHAPE].u32[job], d)) continue;
        int whole_path = cycle_eviction(cy)->protection == POLICY_PROTECT_PATH;
        if (whole_path && !is_above(cy, d, queue, queue)) continue;
        steps_add(k, n);
        act_spend(cy, units);
        if (act_is_cut(cy)) return 0;
        for (uint32_t b = 0; b < n; b++)
            if (waits(cy, b) && part_asks(cy, d, queue, b)) return 1;
    }
    return 0;
}

/* ---- dominant shares ---- */

/* Returns the smallest dominant share that a queue on the bundle's path would have with the
 * bundle's first job. Whatever the common ancestor with another job is, the bundle's side has at
 * least this share. */
static int64_t least_share(const struct lsched_cycle *cy, uint32_t bundle) {
    const struct columns *k = cy->k;
    int64_t need[KINDS_MAX] = {0}, least = INT64_MAX;
    job_least_need(k, bundle_head(k, bundle), need);
    for (uint32_t q = k->c[C_BUNDLE_QUEUE].u32[bundle]; q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t share = victim_right_dominant(cy, q, need, NULL, NULL);
        if (share < least) least = share;
    }
    return least;
}

/* True if the bundle is parked. Only a parked bundle has had its turn and counts. A bundle that is
 * still in line comes after the starting job in the order of shares. */
static int has_parked(const struct columns *k, uint32_t bundle) {
    return k->c[C_BUNDLE_STATE].u8[bundle] == BUNDLE_PARKED;
}

void outrank_note(const struct lsched_cycle *cy, struct outrank *o, uint32_t bundle) {
    if (!by_shares(cy) || o->floor == INT64_MIN || !has_parked(cy->k, bundle)) return;
    int64_t least = least_share(cy, bundle);
    if (least < o->floor) o->floor = least;
}

void outrank_stopped(struct outrank *o) {
    o->floor = INT64_MIN;
}

/* Stores in change[] the smallest amount of each resource kind that a task of the job requests, as
 * a negative number. */
static void least_task(const struct columns *k, uint32_t job, int64_t *change) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], any = 0;
    memset(change, 0, KINDS_MAX * sizeof *change);
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        if (group_shape(k, jobshape, g) == NO_ROW) continue;
        uint32_t shape = leaf_shape(k, job, g), leaf = job_leaf(k, job, g);
        int sized = leaf != NO_ROW && k->c[C_LEAF_SIZED].u32[leaf];
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t held = sized ? 0 : k->c[C_SHAPE_REQ + r].i64[shape];
            if (!any || -held > change[r]) change[r] = -held;
        }
        any = 1;
    }
}

static int share_asks(const struct lsched_cycle *cy, uint32_t queue, const int64_t *change,
                      uint32_t bundle) {
    const struct columns *k = cy->k;
    uint32_t other = k->c[C_BUNDLE_QUEUE].u32[bundle], side = side_of(k, queue, other),
             mine = side_of(k, other, queue);
    int64_t need[KINDS_MAX] = {0};
    if (side == NO_ROW || mine == NO_ROW) return 0;
    job_least_need(k, bundle_head(k, bundle), need);
    int64_t after = victim_right_dominant(cy, mine, need, NULL, NULL);
    return after < INT64_MAX && victim_right_dominant(cy, side, change, NULL, NULL) >= after;
}

static int shares_ask(struct lsched_cycle *cy, struct outrank *o, uint32_t job, uint32_t n,
                      uint32_t units, outrank_waits_fn waits) {
    const struct columns *k = cy->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    int64_t change[KINDS_MAX], most = INT64_MIN, floor = INT64_MAX;
    least_task(k, job, change);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t share = victim_right_dominant(cy, q, change, NULL, NULL);
        if (share > most) most = share;
    }
    if (o->floor != INT64_MIN && most < o->floor) return 0;
    steps_add(k, n);
    act_spend(cy, units);
    if (act_is_cut(cy)) return 0;
    for (uint32_t b = 0; b < n; b++) {
        if (!waits(cy, b) || !has_parked(k, b)) continue;
        if (share_asks(cy, queue, change, b)) return 1;
        int64_t least = least_share(cy, b);
        if (least < floor) floor = least;
    }
    o->floor = floor;
    return 0;
}

int outrank_asks(struct lsched_cycle *cy, struct outrank *o, uint32_t job, uint32_t n,
                 uint32_t units, outrank_waits_fn waits) {
    if (by_shares(cy)) return shares_ask(cy, o, job, n, units, waits);
    return o->any_guarded && parts_ask(cy, o, job, n, units, waits);
}
