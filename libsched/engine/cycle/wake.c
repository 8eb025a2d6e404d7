/*
 * wake.c -- the first half of a cycle: wakes jobs, refreshes what depends on time, and admits new
 * jobs.
 *
 * Only changes are visited. A node that gained room is compared with the task shapes for which jobs
 * are parked. A queue that gave back use wakes the jobs that wait for its limit. New jobs get their
 * order key and are admitted. Every LIMIT_REFRESH_US of the orchestrator's time, everything that
 * depends on time (keys, quotas, weights, refused admissions) is computed again.
 */
#include "base/times.h"
#include "engine/state/cycle_state.h"
#include "engine/policy_hooks/hook_queues.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/queues/guarantee_reserve.h"
#include "engine/queues/queue_rules.h"
#include "engine/queues/share_waiters.h"
#include "model/nodes/node.h"
#include "model/jobs/refusal.h"
#include "model/jobs/reorder.h"
#include "model/store/timer.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "model/jobs/queue_end.h"
#include "engine/policy_hooks/hooks.h"
#include "engine/cycle/wake.h"

/* ---- waking ---- */

static int32_t wake_for_node(struct columns *k, uint32_t node) {
    uint32_t s = (uint32_t)meta(k, M_PARKED_SHAPES);
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY) return LSCHED_OK;
    while (s != NO_ROW) {
        uint32_t next = k->c[C_SHAPE_PARKED_NEXT].u32[s];
        steps_add(k, 1);
        if (node_fits(k, node, s) && node_able(k, node, s)) {
            int32_t rc = bundles_wake_shape(k, s);
            if (rc != LSCHED_OK) return rc;
        }
        s = next;
    }
    return bundles_wake_any(k);
}

/* Wakes the jobs that wait for limits of queues that gave back use. */
static int32_t wake_limited(struct columns *k) {
    uint32_t gave = 0;
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!k->c[C_QUEUE_GAVE].u8[q] || !row_is_live(k, T_QUEUE, q)) continue;
        int32_t rc = undo_room(k);
        if (rc == LSCHED_OK) rc = bundles_wake_limited(k, q);
        if (rc != LSCHED_OK) return rc;
        gave++;
    }
    /* Jobs with several leaves, or several device models, wake for any event. */
    int32_t rc = gave ? bundles_wake_any(k) : LSCHED_OK;
    return gave && rc == LSCHED_OK ? bundles_wake_rules(k) : rc;
}

int32_t wake_bundles(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int32_t woken = guarantee_reserve_begin(y);
    if (woken == LSCHED_OK) woken = bundles_wake_budget(k, y->budget, y->bound);
    /* jobs put off by a pass that was dropped */
    if (woken == LSCHED_OK) woken = bundles_wake_put_off(k);
    if (woken == LSCHED_OK) woken = bundles_wake_until(k, y->now);
    if (woken == LSCHED_OK) woken = refusals_end(k, y->now);
    if (woken == LSCHED_OK && bundles_planned(k) <= y->now) woken = bundles_wake_plan(k);
    if (woken != LSCHED_OK) return woken;
    /* A job that an affinity rule names can start or end on any node. */
    if (meta(k, M_RULES_NEWS) || meta(k, M_GREW_HEAD) != NO_ROW) woken = bundles_wake_rules(k);
    if (woken != LSCHED_OK) return woken;
    for (uint32_t n = (uint32_t)meta(k, M_GREW_HEAD); n != NO_ROW;
         n = (uint32_t)meta(k, M_GREW_HEAD)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_meta(k, M_GREW_HEAD, k->c[C_NODE_GREW_NEXT].u32[n]);
        set_u8(k, C_NODE_GREW, n, 0);
        rc = wake_for_node(k, n);
        if (rc != LSCHED_OK) return rc;
    }
    woken = wake_limited(k);
    if (woken != LSCHED_OK) return woken;
    if (meta(k, M_NEVER_SEEN) == meta(k, M_STRUCTURE)) return LSCHED_OK;
    set_meta(k, M_NEVER_SEEN, meta(k, M_STRUCTURE));
    woken = bundles_wake_plan(k); /* a node of a plan over time can be gone */
    return woken == LSCHED_OK ? bundles_wake_never(k) : woken;
}

/* ---- order keys ---- */

/* Computes the order keys of a batch of jobs: by the policy's priority hook (higher first), else by
 * the order algorithm, else by submitted priority. */
static int32_t keys_of(struct lsched_cycle *y, const uint32_t *jobs, uint32_t n, int64_t *keys) {
    const struct columns *k = y->k;
    if (hook_on(y, LSCHED_HOOK_PRIORITY)) {
        struct policy_view view;
        lsched_error err = LSCHED_ERROR_INIT;
        uint32_t queues[256];
        double out[256];
        hooks_view(y, &view);
        for (uint32_t i = 0; i < n; i++) queues[i] = k->c[C_JOB_QUEUE].u32[jobs[i]];
        const struct policy *p = &y->c->policy.policy;
        int32_t rc = p->ops->priority(p->self, &view, jobs, queues, n, out, &err);
        if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_PRIORITY, rc, &err);
        for (uint32_t i = 0; i < n; i++) {
            double q = out[i] * 1048576.0;
            keys[i] = q >= 4e18    ? -(int64_t)4e18
                      : q <= -4e18 ? (int64_t)4e18
                                   : -(int64_t)(q < 0 ? q - 0.5 : q + 0.5);
        }
        return LSCHED_OK;
    }
    if (y->order && y->order->keys)
        return y->order->keys(y->order_self, cycle_view(y), jobs, n, keys);
    for (uint32_t i = 0; i < n; i++) keys[i] = -(int64_t)k->c[C_JOB_PRIORITY].i32[jobs[i]];
    return LSCHED_OK;
}

/* bulk: the caller calls reorder_repair() afterwards. */
static int32_t reorder_batch(struct lsched_cycle *y, const uint32_t *jobs, uint32_t n, int bulk) {
    int64_t keys[256] = {0};
    int32_t rc = keys_of(y, jobs, n, keys);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        rc = undo_room(y->k);
        if (rc != LSCHED_OK) break;
        if (bulk)
            reorder_set(y->k, jobs[i], keys[i]);
        else
            job_set_order(y->k, jobs[i], keys[i]);
    }
    return rc;
}

/* Computes the order keys of all jobs again, also of running jobs, because these can wait again.
 * This is done only if keys change with time, if the policy changed, or if whole jobs were
 * imported, which no admission has given a key. */
static int32_t reorder_all(struct lsched_cycle *y) {
    struct columns *k = y->k;
    uint32_t jobs[256], n = 0;
    int32_t rc = view_update(&y->c->view, k, y->now);
    steps_add(k, table_rows(k, T_JOB));
    for (uint32_t j = 0; j < table_rows(k, T_JOB) && rc == LSCHED_OK; j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_PHASE].u8[j] == JOB_NEW ||
            k->c[C_JOB_PHASE].u8[j] == JOB_REFUSED)
            continue;
        jobs[n++] = j;
        if (n < 256) continue;
        rc = reorder_batch(y, jobs, n, 1);
        n = 0;
    }
    if (rc == LSCHED_OK && n) rc = reorder_batch(y, jobs, n, 1);
    return rc == LSCHED_OK ? reorder_repair(k) : rc;
}

/* ---- refresh ---- */

static int order_uses_now(const struct lsched_cycle *y) {
    const struct policy_desc *d = &y->c->policy.policy.desc;
    if (y->hooks_off & LSCHED_HOOK_PRIORITY) return 1;
    if (!hook_on(y, LSCHED_HOOK_PRIORITY)) return y->order && y->order->uses_now;
    uint64_t each = 0;
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        uint32_t scope = policy_field_infos[f].scope;
        if (scope == POLICY_SCOPE_NOW || scope == POLICY_SCOPE_STATE)
            each |= d->fields_read[0][f / 64] >> (f % 64) & 1;
    }
    return d->uses_now[0] || each;
}

static int32_t retry_refused(struct lsched_cycle *y) {
    struct columns *k = y->k;
    for (uint32_t j = (uint32_t)meta(k, M_REFUSED_HEAD); j != NO_ROW;
         j = (uint32_t)meta(k, M_REFUSED_HEAD)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        job_ask_again(k, j);
    }
    return LSCHED_OK;
}

/* True if a hook failed in the previous cycle: its fallback was for that cycle only, and the hook
 * is called again. Otherwise one failure would last, and cycles that call no hook would hide it. */
static int has_failed(const struct lsched_cycle *y) {
    return y->c->policy.policy.ops && y->c->policy.failures > 0;
}

static int wake_is_due(const struct lsched_cycle *y) {
    const struct columns *k = y->k;
    int64_t last = (int64_t)meta(k, M_REFRESHED);
    return has_failed(y) || last == 0 || y->now + 1 - last >= LIMIT_REFRESH_US ||
           meta(k, M_REFRESH_STRUCTURE) != meta(k, M_STRUCTURE) ||
           meta(k, M_ORDER_POLICY) != y->c->policy.policy.desc.hash || y->hooks_off ||
           timer_next(k) <= y->now || meta(k, M_UNKEYED);
}

int32_t wake_refresh_rights(struct lsched_cycle *y) {
    if (!wake_is_due(y)) return meta(y->k, M_PASS_IDLE) ? hook_jobs_refresh(y, 0) : LSCHED_OK;
    int changed = has_failed(y) || meta(y->k, M_ORDER_POLICY) != y->c->policy.policy.desc.hash;
    int32_t rc = undo_room(y->k);
    if (rc == LSCHED_OK) rc = hook_queues_refresh(y);
    if (rc == LSCHED_OK) rc = hook_jobs_refresh(y, changed);
    if (rc == LSCHED_OK && (order_uses_now(y) || changed || meta(y->k, M_UNKEYED)))
        rc = reorder_all(y);
    return rc;
}

int32_t wake_refresh(struct lsched_cycle *y) {
    struct columns *k = y->k;
    if (!wake_is_due(y)) return LSCHED_OK;
    int32_t rc = timer_clear(k);
    if (rc == LSCHED_OK) rc = user_queues_sweep(k);
    if (rc == LSCHED_OK) rc = refusals_sweep(k, y->now);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_REFRESHED, (uint64_t)y->now + 1);
    evict_news(k); /* quotas, weights and decayed use can have changed */
    set_meta(k, M_REFRESH_STRUCTURE, meta(k, M_STRUCTURE));
    int changed = has_failed(y) || meta(k, M_ORDER_POLICY) != y->c->policy.policy.desc.hash;
    rc = hook_queues_refresh(y);
    if (rc == LSCHED_OK) rc = wake_limited(k); /* limits can be higher now */
    if (rc == LSCHED_OK) rc = hook_jobs_refresh(y, changed);
    if (rc == LSCHED_OK && (order_uses_now(y) || changed || meta(k, M_UNKEYED))) {
        rc = reorder_all(y);
        set_meta(k, M_UNKEYED, 0);
    }
    set_meta(k, M_ORDER_POLICY, y->c->policy.policy.desc.hash);
    if (rc == LSCHED_OK) rc = bundles_wake_refresh(k, changed || hook_on(y, LSCHED_HOOK_FILTER));
    /* under another policy the planned starts are void */
    if (rc == LSCHED_OK && changed) rc = bundles_wake_plan(k);
    if (rc == LSCHED_OK) rc = share_waiters_wake(k);
    return rc == LSCHED_OK ? retry_refused(y) : rc;
}

/* ---- admission ---- */

/* Refuses a job. failed: the admit hook failed, and a failed hook refuses; 0: the policy itself
 * refused. */
static int32_t wake_refuse(struct lsched_cycle *y, uint32_t job, const char *reason, int failed) {
    uint32_t row = string_get(y->k, reason, strlen(reason));
    if (row == NO_ROW || undo_room(y->k) != LSCHED_OK) return LSCHED_E_NOMEM;
    job_refuse(y->k, job, row, failed);
    return LSCHED_OK;
}

static int32_t admit_batch(struct lsched_cycle *y, const uint32_t *jobs, uint32_t n) {
    struct columns *k = y->k;
    struct policy_admission out[64];
    uint32_t queues[64];
    char overlong[POLICY_REASON_BYTES];
    int32_t rc = hook_jobs_arrive(y, jobs, n);
    if (rc == LSCHED_OK) rc = reorder_batch(y, jobs, n, 0);
    if (rc != LSCHED_OK) return rc;
    int ask = hook_on(y, LSCHED_HOOK_ADMIT);
    if (y->hooks_off & (LSCHED_HOOK_ADMIT | LSCHED_HOOK_FILTER)) {
        for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
            rc = wake_refuse(y, jobs[i], y->policy_message, 1);
        return rc;
    }
    if (ask) {
        struct policy_view view;
        lsched_error err = LSCHED_ERROR_INIT;
        hooks_view(y, &view);
        memset(out, 0, sizeof out);
        for (uint32_t i = 0; i < n; i++) queues[i] = k->c[C_JOB_QUEUE].u32[jobs[i]];
        const struct policy *p = &y->c->policy.policy;
        rc = p->ops->admit(p->self, &view, jobs, queues, n, out, &err);
        if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_ADMIT, rc, &err);
    }
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK)
            rc = ask && !out[i].admitted ? wake_refuse(y, jobs[i], out[i].reason, 0)
                 : hook_jobs_overlong(y, jobs[i], overlong, sizeof overlong)
                     ? wake_refuse(y, jobs[i], overlong, 0)
                     : job_admit(k, jobs[i]);
    }
    return rc;
}

int32_t wake_admit(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int32_t rc = view_update(&y->c->view, k, y->now);
    while (rc == LSCHED_OK && meta(k, M_WAIT_HEAD) != NO_ROW) {
        uint32_t jobs[64], n = 0;
        for (uint32_t j = (uint32_t)meta(k, M_WAIT_HEAD); j != NO_ROW && n < 64;
             j = k->c[C_JOB_HEAP_L].u32[j])
            jobs[n++] = j;
        rc = admit_batch(y, jobs, n);
    }
    return rc;
}

static int64_t next_wake(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    /* jobs or nominated tasks can be waiting for this room */
    int room = (meta(k, M_GREW_HEAD) != NO_ROW && meta(k, M_PARKED_JOBS) + meta(k, M_NOMINATED)) ||
               meta(k, M_CLAIM_LOST) || (meta(k, M_RULES_NEWS) && meta(k, M_RULES_HEAD) != NO_ROW);
    /* as in wake_bundles */
    int any = meta(k, M_ANY_HEAD) != NO_ROW || meta(k, M_PLAN_HEAD) != NO_ROW;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE) && !room; q++)
        room = k->c[C_QUEUE_GAVE].u8[q] && (any || k->c[C_QUEUE_PARKED].u32[q] != NO_ROW);
    if (meta(k, M_PENDING_JOBS) && meta(k, M_ORDER_POLICY) != c->policy.policy.desc.hash) room = 1;
    if ((meta(k, M_NEVER_HEAD) != NO_ROW || meta(k, M_PLAN_HEAD) != NO_ROW) &&
        meta(k, M_NEVER_SEEN) != meta(k, M_STRUCTURE))
        room = 1;
    if (meta(k, M_REFRESH_STRUCTURE) != meta(k, M_STRUCTURE) && share_waiters_any(k)) room = 1;
    /* Work that is left means a cycle at once, with two exceptions, so that an orchestrator that
     * follows this time does not run useless cycles. If no more decisions can be open, the
     * orchestrator must first settle some. If the pipeline places nothing, active jobs wait for
     * another pipeline. */
    int left = meta(k, M_PASS_AT) || meta(k, M_PUT_OFF_HEAD) != NO_ROW ||
               (meta(k, M_ACTIVE) && !meta(k, M_PASS_VAIN));
    if (meta(k, M_OPEN_COUNT) >= c->open_max) left = 0;
    if (room || meta(k, M_WAIT_HEAD) != NO_ROW || left) return (int64_t)meta(k, M_SCHEDULED);
    int64_t wake = meta(k, M_PENDING_JOBS) ? timer_next(k) : LSCHED_NEVER_US;
    if (meta(k, M_PENDING_JOBS) && refusals_next(k) < wake) wake = refusals_next(k);
    if (meta(k, M_FUTURE_NEXT) && meta(k, M_LEAVING) + meta(k, M_NOMINATED)) {
        /* time at which a releasing task or a nomination is overdue */
        int64_t grace = c->policy.policy.ops ? c->policy.policy.desc.eviction.grace_us
                                             : policy_eviction_default().grace_us;
        int64_t overdue = time_after((int64_t)meta(k, M_FUTURE_NEXT), grace);
        if (overdue < wake) wake = overdue;
    }
    if (bundles_until(k) < wake) wake = bundles_until(k);
    if (bundles_planned(k) < wake) wake = bundles_planned(k);
    /* time at which a waiting job may evict, or a victim loses its protection */
    int64_t evict = (int64_t)meta(k, M_EVICT_NEXT);
    if (evict && evict >= (int64_t)meta(k, M_SCHEDULED) && evict < wake) wake = evict;
    int64_t refresh = (int64_t)meta(k, M_REFRESHED) - 1 + LIMIT_REFRESH_US;
    int asks = c->policy.policy.ops && c->policy.policy.desc.hooks && meta(k, M_PENDING_JOBS);
    if ((asks || meta(k, M_POLICY_HEAD) != NO_ROW) && refresh < wake) wake = refresh;
    int64_t ends = hook_jobs_wake(c, refresh);
    return ends < wake ? ends : wake;
}

/* Returns when the next cycle is due. A time that lsched_schedule would refuse counts as never. */
int64_t wake_next(const struct lsched_cluster *c) {
    int64_t wake = next_wake(c);
    return wake > LIMIT_TIME_US ? LSCHED_NEVER_US : wake;
}
