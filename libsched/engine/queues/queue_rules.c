/* queue_rules.c -- see queue_rules.h. */
#include "engine/queues/queue_rules.h"

#include "engine/queues/guarantee_reserve.h"

#include "engine/queues/lending.h"
#include "engine/queues/queue_guarantee.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/queues/usage_decay.h"
#include "model/devices/device.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"

static int within_limits(lsched_cycle *y, uint32_t queue, uint32_t shape, uint32_t group,
                         int64_t gpu, int64_t n) {
    struct diagnosis w = {.code = LSCHED_WAIT_LIMIT, .group = group, .shape = NO_ROW};
    if (queue_has_room(y->k, queue, shape, gpu, n, &w.limiting, &w.kind, &w.have)) return 1;
    int64_t each = w.kind == LSCHED_GPU ? gpu : y->k->c[C_SHAPE_REQ + w.kind].i64[shape];
    w.need = each > LSCHED_AMOUNT_MAX / n ? LSCHED_AMOUNT_MAX : each * n;
    y->why = w;
    return 0;
}

static int job_holds(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        if (k->c[C_LEAF_PLACED].u32[l]) return 1;
    return 0;
}

static int within_jobs(lsched_cycle *y, uint32_t job, uint32_t queue) {
    const struct columns *k = y->k;
    uint32_t full = queue_full_of_holders(k, queue);
    if (full == NO_ROW || job_holds(k, job)) return 1;
    y->why = (struct diagnosis){.code = LSCHED_WAIT_JOBS,
                                .limiting = full,
                                .need = (int64_t)k->c[C_QUEUE_JOBS_HELD].u32[full] + 1,
                                .have = k->c[C_QUEUE_JOBS_MAX].u32[full],
                                .shape = NO_ROW};
    return 0;
}

/* Checks the guarantee for non-preemptible jobs. Only what the tasks add to the job's minimum is
 * checked, and not against the queues of users, which have no quota of their own. */
static int within_guarantee(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu, int64_t n) {
    const struct columns *k = y->k;
    int64_t now[KINDS_MAX], then[KINDS_MAX];
    if (!job_is_firm(k, job) || !queue_has_guarantees(y)) return 1;
    nonpreemptible_use_amounts(k, job, 0, 0, 0, now);
    nonpreemptible_use_amounts(k, job, group, (uint32_t)n, gpu, then);
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        if (queue_is_of_user(k, q)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t more = then[r] - now[r];
            if (more <= 0) continue;
            int64_t right = queue_guarantee(y, q, r), have = right - k->c[C_QUEUE_CORE + r].i64[q];
            if (right == LSCHED_UNLIMITED || more <= have) continue;
            y->why = (struct diagnosis){.code = LSCHED_WAIT_QUOTA,
                                        .kind = r,
                                        .group = group,
                                        .limiting = q,
                                        .need = more,
                                        .have = have,
                                        .shape = NO_ROW};
            return 0;
        }
    }
    return 1;
}

int queue_rules_allow_charge(lsched_cycle *y, uint32_t job, uint32_t group, int64_t gpu,
                             int64_t n) {
    const struct columns *k = y->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], shape = leaf_shape(k, job, group);
    return within_limits(y, queue, shape, group, gpu, n) && within_jobs(y, job, queue) &&
           within_guarantee(y, job, group, gpu, n) && lending_allows(y, job, group, gpu, n) &&
           guarantee_reserve_allows(y, job, group, gpu, n);
}

int queue_rules_allow(lsched_cycle *y, uint32_t job, uint32_t group, int64_t n) {
    int64_t gpu = shape_least_milli(y->k, leaf_shape(y->k, job, group));
    return queue_rules_allow_charge(y, job, group, gpu, n);
}

int32_t queue_rules_begin(lsched_cycle *y) {
    const struct policy_desc *d = &y->c->policy.policy.desc;
    int own = y->c->policy.policy.ops != NULL;
    y->c->view.view.usage_weight_milli = cluster_usage_weight(y->c);
    return usage_decay_configure(y->k, own ? d->usage_half_life_us : 0,
                                 own ? d->usage_window_us : 0);
}
