/* queue_rules.c -- see queue_rules.h. */
#include "engine/queues/queue_rules.h"

#include <assert.h>

#include "engine/queues/guarantee_reserve.h"
#include "engine/queues/lending.h"
#include "engine/queues/queue_guarantee.h"
#include "model/allowances/allowance.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/usage_decay.h"
#include "model/devices/device.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/shapes/daily_demand.h"
#include "model/store/steps.h"
#include "model/supplies/supply.h"

/* Changes the reason of a job that no limit somebody has set refuses, only the bound on the use of
 * a queue, if all nodes together could not hold the tasks: then more use of the queue would not
 * help the job. A task with daily demand asks nodes for its peak, and its queue for its request. */
static void blame_nodes(const struct columns *k, const struct ask *a, int64_t gpu, int64_t n,
                        struct diagnosis *w) {
    int64_t all = (int64_t)meta(k, M_TOTAL_CAP + w->kind);
    int64_t each = w->kind == LSCHED_GPU ? gpu : daily_demand_peak(k, a->shape, w->kind);
    if (k->c[C_QUEUE_LIMIT_NOW + w->kind].i64[w->limiting] <= QUEUE_USED_MOST || each <= all / n)
        return;
    w->code = each > all ? LSCHED_WAIT_NEVER_FITS : LSCHED_WAIT_GANG;
    w->shape = a->shape;
    w->limiting = NO_ROW;
    if (each > all) w->need = each;
    w->have = -1;
}

static int within_limits(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    struct diagnosis w = {.code = LSCHED_WAIT_LIMIT, .group = a->group, .shape = NO_ROW};
    if (queue_has_room(cy->k, a->queue, a->shape, gpu, n, &w.limiting, &w.kind, &w.have)) return 1;
    int64_t each = w.kind == LSCHED_GPU ? gpu : cy->k->c[C_SHAPE_REQ + w.kind].i64[a->shape];
    w.need = each > LSCHED_AMOUNT_MAX / n ? LSCHED_AMOUNT_MAX : each * n;
    blame_nodes(cy->k, a, gpu, n, &w);
    cy->turn.why = w;
    return 0;
}

static int job_holds(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        if (k->c[C_LEAF_PLACED].u32[l]) return 1;
    return 0;
}

static int within_jobs(lsched_cycle *cy, const struct ask *a) {
    const struct columns *k = cy->k;
    uint32_t full = queue_full_of_holders(k, a->queue);
    if (full == NO_ROW || job_holds(k, a->job)) return 1;
    cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_JOBS,
                                      .limiting = full,
                                      .need = (int64_t)k->c[C_QUEUE_JOBS_HELD].u32[full] + 1,
                                      .have = k->c[C_QUEUE_JOBS_MAX].u32[full],
                                      .shape = NO_ROW};
    return 0;
}

/* Checks that the queues of a non-preemptible job have enough guarantee for it. Only the amount
 * that the tasks add to the job's minimum is checked. User queues are not checked, because they
 * have no quota of their own. */
static int within_guarantee(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    const struct columns *k = cy->k;
    int64_t now[KINDS_MAX], then[KINDS_MAX];
    if (!job_is_firm(k, a->job) || !queue_has_guarantees(cy)) return 1;
    nonpreemptible_use_amounts(k, a->job, 0, 0, 0, now);
    nonpreemptible_use_amounts(k, a->job, a->group, (uint32_t)n, gpu, then);
    for (uint32_t q = a->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        if (queue_is_of_user(k, q)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t more = then[r] - now[r];
            if (more <= 0) continue;
            int64_t right = queue_guarantee(cy, q, r), have = right - k->c[C_QUEUE_CORE + r].i64[q];
            if (right == LSCHED_UNLIMITED || more <= have) continue;
            cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_QUOTA,
                                              .kind = r,
                                              .group = a->group,
                                              .limiting = q,
                                              .need = more,
                                              .have = have,
                                              .shape = NO_ROW};
            return 0;
        }
    }
    return 1;
}

/* Checks what the whole cluster has left of supplies, for n tasks of a shape that needs some. */
static int within_supplies(lsched_cycle *cy, const struct ask *a, int64_t n) {
    struct supply_lack lack;
    if (supply_cluster_has(cy->k, a->shape, n, cy->turn.later ? SUPPLY_LATER : SUPPLY_NOW, &lack))
        return 1;
    cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_SUPPLY,
                                      .group = a->group,
                                      .limiting = NO_ROW,
                                      .need = lack.need,
                                      .have = lack.have,
                                      .shape = NO_ROW};
    return 0;
}

/* Checks the allowances of the job's queues. */
static int within_allowances(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    struct allowance_lack lack;
    struct allowance_ask ask = {.job = a->job, .shape = a->shape, .gpu = gpu, .n = n};
    if (cy->decisions.n_fresh > cy->turn.fresh_mark) {
        ask.fresh = cy->decisions.fresh + cy->turn.fresh_mark;
        ask.n_fresh = cy->decisions.n_fresh - cy->turn.fresh_mark;
    }
    if (cy->k->allowances->allow(cy->k, &ask, &lack)) return 1;
    if (cy->turn.allowed_at == 0 || lack.at < cy->turn.allowed_at) cy->turn.allowed_at = lack.at;
    cy->turn.why = (struct diagnosis){.code = LSCHED_WAIT_ALLOWANCE,
                                      .group = a->group,
                                      .limiting = lack.queue,
                                      .need = lack.need,
                                      .have = lack.have,
                                      .at = lack.at,
                                      .shape = NO_ROW};
    return 0;
}

/* Checks the rules about guarantees: those of the job's queues, and what others lend. */
static int within_shares(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    if (within_guarantee(cy, a, gpu, n) && lending_allows(cy, a, gpu, n) &&
        guarantee_reserve_allows(cy, a, gpu, n))
        return 1;
    cy->turn.shares = 1;
    return 0;
}

int queue_rules_allow_charge(lsched_cycle *cy, const struct ask *a, int64_t gpu, int64_t n) {
    assert(ask_is_fresh(a, cy->k));
    return within_limits(cy, a, gpu, n) && within_jobs(cy, a) && within_shares(cy, a, gpu, n) &&
           (!shape_n_supplies(cy->k, a->shape) || within_supplies(cy, a, n)) &&
           (!cy->k->allowances || within_allowances(cy, a, gpu, n));
}

int queue_rules_allow_evicting(lsched_cycle *cy, const struct ask *a, int64_t gpu) {
    return within_limits(cy, a, gpu, 1) && within_guarantee(cy, a, gpu, 1) &&
           guarantee_reserve_allows(cy, a, gpu, 1) &&
           (!cy->k->allowances || within_allowances(cy, a, gpu, 1));
}

int queue_rules_allow(lsched_cycle *cy, const struct ask *a, int64_t n) {
    return queue_rules_allow_charge(cy, a, shape_least_milli(cy->k, a->shape), n);
}

/* ---- running tasks that get more ---- */

static int refuse_more(lsched_cycle *cy, uint32_t code, uint32_t kind, uint32_t q, int64_t need,
                       int64_t have) {
    cy->turn.why = (struct diagnosis){
        .code = code, .kind = kind, .limiting = q, .need = need, .have = have, .shape = NO_ROW};
    return 0;
}

/* Writes how much more of each resource part the task would hold. */
static void parts_more(const struct columns *k, const struct queue_more *m,
                       int64_t more[LSCHED_RESOURCE_PARTS_MAX]) {
    for (uint32_t d = 0; d < resource_part_count(k); d++)
        more[d] = resource_part_held(k, d, m->shape, m->node, m->hold) -
                  resource_part_held(k, d, m->old, m->node, m->hold);
}

/* Checks the limits of one queue: on kinds, and on resource parts, of which the task would hold
 * `parts` more. */
static int queue_leaves(lsched_cycle *cy, const struct queue_more *m, const int64_t *parts,
                        uint32_t q) {
    const struct columns *k = cy->k;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t limit = k->c[C_QUEUE_LIMIT_NOW + r].i64[q], used = k->c[C_QUEUE_USED + r].i64[q];
        if (limit > QUEUE_USED_MOST) limit = QUEUE_USED_MOST;
        if (m->more[r] <= 0 || m->more[r] <= limit - used) continue;
        return refuse_more(cy, LSCHED_WAIT_LIMIT, r, q, m->more[r],
                           limit > used ? limit - used : 0);
    }
    for (uint32_t d = 0; d < resource_part_count(k); d++) {
        if (parts[d] <= 0) continue;
        struct resource_part_amount a = resource_part_get(k, q, KINDS_MAX + d);
        if (a.limit_now == LSCHED_UNLIMITED || parts[d] <= a.limit_now - a.used) continue;
        return refuse_more(cy, LSCHED_WAIT_LIMIT, KINDS_MAX + d, q, parts[d],
                           a.limit_now > a.used ? a.limit_now - a.used : 0);
    }
    return 1;
}

/* Checks the guarantees of the queues of a non-preemptible job, as within_guarantee() does. */
static int within_guarantee_more(lsched_cycle *cy, const struct queue_more *m, uint32_t queue) {
    const struct columns *k = cy->k;
    int64_t now[KINDS_MAX], then[KINDS_MAX];
    if (!job_is_firm(k, m->job) || !queue_has_guarantees(cy)) return 1;
    nonpreemptible_use_amounts(k, m->job, 0, 0, 0, now);
    nonpreemptible_use_amounts_with(k, m->job, m->group, m->more, then);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS) && !queue_is_of_user(k, q); r++) {
            int64_t right = queue_guarantee(cy, q, r), have = right - k->c[C_QUEUE_CORE + r].i64[q];
            if (then[r] <= now[r] || right == LSCHED_UNLIMITED || then[r] - now[r] <= have)
                continue;
            return refuse_more(cy, LSCHED_WAIT_QUOTA, r, q, then[r] - now[r], have > 0 ? have : 0);
        }
    return 1;
}

int queue_rules_allow_more(lsched_cycle *cy, const struct queue_more *m) {
    uint32_t queue = cy->k->c[C_JOB_QUEUE].u32[m->job];
    int64_t parts[LSCHED_RESOURCE_PARTS_MAX];
    parts_more(cy->k, m, parts);
    for (uint32_t q = queue; q != NO_ROW; q = cy->k->c[C_QUEUE_PARENT].u32[q])
        if (!queue_leaves(cy, m, parts, q)) return 0;
    return within_guarantee_more(cy, m, queue) && lending_allows_more(cy, queue, m->more) &&
           guarantee_reserve_allows_more(cy, queue, m->more);
}

int32_t queue_rules_begin(lsched_cycle *cy) {
    const struct policy_desc *d = &cy->c->policy.policy.desc;
    int own = cy->c->policy.policy.ops != NULL;
    cy->c->view.view.usage_weight_milli = cluster_usage_weight(cy->c);
    return usage_decay_configure(cy->k, own ? d->usage_half_life_us : 0,
                                 own ? d->usage_window_us : 0);
}
