/*
 * hooks.c -- see hooks.h.
 *
 * A score is rounded to 2^-20 before it is compared, so that the last bit of a double decides
 * nothing. Without a policy, or if its hook is off in this cycle, the placement strategy scores.
 */
#include "engine/state/transaction.h"
#include "engine/state/cycle_state.h"
#include "engine/policy_hooks/hook_strategy.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/device_select_mig.h"
#include "model/devices/device_select.h"
#include "model/jobs/refusal.h"
#include "model/nodes/node.h"
#include "engine/policy_hooks/hooks.h"

/* ---- score and filter for a search ---- */

/* Scores nodes for tasks that ask for MIG instances: the strategy also gets the loss of each
 * node. */
static int32_t score_instances(struct lsched_cycle *y, uint32_t shape, lsched_task_shape *task,
                               const uint32_t *nodes, size_t n, int64_t *scores) {
    enum { AT_ONCE = 128 };
    int64_t loss[AT_ONCE];
    int32_t rc = LSCHED_OK;
    task->mig_loss = loss;
    task->mig_profiles = MIG_PROFILES_EVEN;
    for (size_t i = 0; i < n && rc == LSCHED_OK; i += AT_ONCE) {
        size_t m = n - i < AT_ONCE ? n - i : AT_ONCE;
        for (size_t j = 0; j < m; j++) {
            uint64_t lost = device_select_mig_loss(y->k, nodes[i + j], shape);
            loss[j] = lost > INT32_MAX ? INT32_MAX : (int64_t)lost;
        }
        rc = y->place->score(y->place_self, cycle_view(y), task, nodes + i, m, scores + i);
    }
    task->mig_loss = NULL; /* `loss` ends with this function */
    return rc;
}

/* Scores nodes for tasks whose demand follows the time of day: the charged amount differs from
 * node to node. */
static int32_t score_daily(struct lsched_cycle *y, uint32_t shape, lsched_task_shape *task,
                           const uint32_t *nodes, size_t n, int64_t *scores) {
    const struct columns *k = y->k;
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < n && rc == LSCHED_OK; i++) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (daily_demand_row(k, C_SHAPE_DAY, shape, r) != NO_ROW)
                task->request[r] = daily_demand_charge(k, nodes[i], shape, r);
        rc = k->c[C_SHAPE_MIG_SLICES].u8[shape]
                 ? score_instances(y, shape, task, nodes + i, 1, scores + i)
                 : y->place->score(y->place_self, cycle_view(y), task, nodes + i, 1, scores + i);
    }
    return rc;
}

static int32_t score_by_strategy(void *user, const struct search_key *key, const uint32_t *nodes,
                                 size_t n, int64_t *scores) {
    struct lsched_cycle *y = user;
    if (!y->place || !y->place->score) { /* no strategy: all nodes are equal, so names decide */
        memset(scores, 0, n * sizeof *scores);
        return LSCHED_OK;
    }
    lsched_task_shape task;
    view_task_shape(y->k, key->shape, &task);
    if (shape_is_daily(y->k, key->shape))
        return score_daily(y, key->shape, &task, nodes, n, scores);
    if (y->k->c[C_SHAPE_MIG_SLICES].u8[key->shape])
        return score_instances(y, key->shape, &task, nodes, n, scores);
    return y->place->score(y->place_self, cycle_view(y), &task, nodes, n, scores);
}

static int64_t quantise(double v) {
    double q = v * 1048576.0;
    if (q >= 4.0e18) return (int64_t)4e18;
    if (q <= -4.0e18) return -(int64_t)4e18;
    return (int64_t)(q < 0 ? q - 0.5 : q + 0.5);
}

static int32_t score_by_policy(void *user, const struct search_key *key, const uint32_t *nodes,
                               size_t n, int64_t *scores) {
    struct lsched_cycle *y = user;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    double out[256];
    (void)key;
    hooks_view(y, &view);
    const struct policy *p = &y->c->policy.policy;
    for (size_t i = 0; i < n; i += 256) {
        size_t m = n - i < 256 ? n - i : 256;
        int32_t rc = p->ops->score(p->self, &view, y->job, nodes + i, m, out, &err);
        if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_SCORE, rc, &err);
        for (size_t j = 0; j < m; j++) scores[i + j] = quantise(out[j]);
    }
    return LSCHED_OK;
}

/* Scores nodes for room that comes free later. A node that has the room now comes first; then the
 * node with the least room left over, devices before cores. A task without devices therefore avoids
 * nodes with devices. */
static int32_t score_by_tightness(void *user, const struct search_key *key, const uint32_t *nodes,
                                  size_t n, int64_t *scores) {
    const struct columns *k = ((struct lsched_cycle *)user)->k;
    for (size_t i = 0; i < n; i++) {
        int64_t gpu = k->c[C_NODE_FREE + LSCHED_GPU].i64[nodes[i]] +
                      k->c[C_NODE_COMING + LSCHED_GPU].i64[nodes[i]];
        int64_t cpu = k->c[C_NODE_FREE + LSCHED_CPU].i64[nodes[i]] +
                      k->c[C_NODE_COMING + LSCHED_CPU].i64[nodes[i]];
        int64_t rest = cpu < 0 ? 0 : cpu < (INT64_C(1) << 32) - 1 ? cpu : (INT64_C(1) << 32) - 1;
        scores[i] = -(gpu << 32) - rest;
        /* the task need not wait */
        if (node_fits(k, nodes[i], key->shape)) scores[i] += INT64_C(1) << 56;
    }
    return LSCHED_OK;
}

static int32_t keep_by_policy(void *user, const struct search_key *key, const uint32_t *nodes,
                              size_t n, uint8_t *keep) {
    struct lsched_cycle *y = user;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)key;
    hooks_view(y, &view);
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->filter(p->self, &view, y->job, nodes, n, keep, &err);
    return rc == LSCHED_OK ? rc : hook_fail(y, LSCHED_HOOK_FILTER, rc, &err);
}

static uint64_t policy_spent(void *user) {
    const struct lsched_cycle *y = user;
    const struct policy *p = &y->c->policy.policy;
    return p->ops->instructions_spent(p->self);
}

static int32_t policy_charge(void *user, uint64_t instructions) {
    struct lsched_cycle *y = user;
    lsched_error err = LSCHED_ERROR_INIT;
    int by_score = hook_on(y, LSCHED_HOOK_SCORE);
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->charge(p->self, by_score ? POLICY_HOOK_SCORE : POLICY_HOOK_FILTER,
                                instructions, &err);
    return rc == LSCHED_OK
               ? rc
               : hook_fail(y, by_score ? LSCHED_HOOK_SCORE : LSCHED_HOOK_FILTER, rc, &err);
}

/* Filters nodes if a queue of the path has used up its limit of a resource part: a node is dropped
 * if it could give too few devices outside of that part. The policy's filter comes first. */
static int32_t keep_within_models(void *user, const struct search_key *key, const uint32_t *nodes,
                                  size_t n, uint8_t *keep) {
    struct lsched_cycle *y = user;
    int32_t rc = LSCHED_OK;
    if (hook_on(y, LSCHED_HOOK_FILTER))
        rc = keep_by_policy(user, key, nodes, n, keep);
    else
        memset(keep, 1, n);
    for (size_t i = 0; rc == LSCHED_OK && i < n; i++)
        if (keep[i] && !act_fits_within(y, nodes[i], key->shape)) keep[i] = 0;
    return rc;
}

static int sees_shape_only(uint32_t f) {
    /* Totals over all groups differ between jobs that share a task shape. */
    return f == POLICY_F_JOB_CPU || f == POLICY_F_JOB_MEMORY || f == POLICY_F_JOB_GPU ||
           f == POLICY_F_JOB_GPU_MEMORY;
}

static int depth_of_field(uint32_t f) {
    const struct policy_field_info *info = &policy_field_infos[f];
    if (info->object == POLICY_QUEUE)
        return info->scope == POLICY_SCOPE_STATE || info->scope == POLICY_SCOPE_NOW ? 2 : 1;
    if (info->object != POLICY_JOB || sees_shape_only(f)) return 0;
    return f == POLICY_F_JOB_TASKS_PLACED ? 3 : f == POLICY_F_JOB_QUEUE ? 1 : 2;
}

/* Returns how much of a job a hook about nodes reads: 0 only the shape, 1 also the queue, 2 the job
 * itself or the time, 3 data that change with each placed task of the job. */
static int depth_of_look(const struct lsched_cycle *y, enum policy_hook hook) {
    const struct policy_desc *d = &y->c->policy.policy.desc;
    if (!hook_on(y, UINT32_C(1) << hook)) return 0;
    int depth = d->uses_now[hook] ? 2 : 0;
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        if (!(d->fields_read[hook][f / 64] >> (f % 64) & 1)) continue;
        int of_field = depth_of_field(f);
        if (of_field > depth) depth = of_field;
    }
    return depth;
}

int hooks_per_job(const struct lsched_cycle *y) {
    return y->look >= 2 || y->look_placement >= 2;
}

void hooks_look(struct lsched_cycle *y) {
    int filter = depth_of_look(y, POLICY_HOOK_FILTER), score = depth_of_look(y, POLICY_HOOK_SCORE);
    y->look = filter > score ? filter : score;
    y->look_placement = depth_of_look(y, POLICY_HOOK_PLACEMENT);
}

int32_t hooks_search(struct lsched_cycle *y, uint32_t group, struct search_key *key,
                     struct search_scorer *scorer) {
    const struct columns *k = y->k;
    int32_t rc = hook_placement(y);
    if (rc != LSCHED_OK) return rc;
    uint32_t shape = leaf_shape(k, y->job, group);
    *key = (struct search_key){k->c[C_SHAPE_SERIAL].u64[shape],
                               shape,
                               NO_ROW,
                               NO_ROW,
                               0,
                               y->later,
                               0,
                               y->charge_max,
                               0,
                               0};
    if (y->look >= 1 || refusal_known(k, k->c[C_JOB_QUEUE].u32[y->job], shape, (int)y->later))
        key->queue = k->c[C_JOB_QUEUE].u32[y->job];
    if (y->look >= 2) key->job = y->job;
    if (y->look == 3) key->placed = job_count(k, y->job).placed;
    *scorer = (struct search_scorer){
        .user = y, .score = score_by_strategy, .interrupted = hooks_interrupted};
    if (y->later)
        scorer->score = score_by_tightness; /* strategies know only what is free now */
    else if (hook_on(y, LSCHED_HOOK_SCORE))
        scorer->score = score_by_policy;
    else if (hook_on(y, LSCHED_HOOK_PLACEMENT))
        key->strategy = (uint32_t)(y->place_slot - y->c->algorithms) + 1;
    if (scorer->score == score_by_policy) key->hooks |= LSCHED_HOOK_SCORE;
    if (hook_on(y, LSCHED_HOOK_FILTER)) {
        scorer->keep = keep_by_policy;
        key->hooks |= LSCHED_HOOK_FILTER;
    }
    if (scorer->keep || scorer->score == score_by_policy) {
        scorer->spent = policy_spent;
        scorer->charge = policy_charge;
    }
    /* for a nomination, `place` checks this */
    if (resource_part_count(k) == 0 || y->later) return LSCHED_OK;
    resource_part_find_short(k, k->c[C_JOB_QUEUE].u32[y->job], shape, &y->model_short);
    if (y->model_short.n == 0) return LSCHED_OK;
    key->shortage = resource_part_short_hash(&y->model_short);
    scorer->keep = keep_within_models;
    y->why.model_short = 1;
    return LSCHED_OK;
}
