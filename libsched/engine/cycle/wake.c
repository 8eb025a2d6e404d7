/*
 * wake.c -- the first half of a cycle: wakes jobs, refreshes what depends on time, and admits new
 * jobs.
 *
 * Only changes are visited. A node that gained room is compared with the task shapes for which
 * jobs are parked. When the use of a queue has fallen, the jobs that wait for a limit of that
 * queue are woken. New jobs get their order key and are admitted. Order keys, quotas, weights and
 * refused admissions depend on time. They are computed again at least every LIMIT_REFRESH_US
 * microseconds of the orchestrator's time.
 */
#include "base/times.h"
#include "model/allowances/period.h"
#include "model/warnings/warning.h"
#include "engine/rights/checkpoints.h"
#include "engine/actions/evict.h"
#include "engine/actions/plan_calls.h"
#include "engine/state/cycle_state.h"
#include "engine/policy_hooks/growth_gain.h"
#include "engine/policy_hooks/hook_queues.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/queues/guarantee_reserve.h"
#include "engine/queues/queue_rules.h"
#include "engine/resizes/resize_serve.h"
#include "engine/queues/share_waiters.h"
#include "engine/waits/nominations.h"
#include "model/nodes/absence.h"
#include "model/nodes/node.h"
#include "model/demand/host_end.h"
#include "model/jobs/refusal.h"
#include "model/life/reorder.h"
#include "model/store/timer.h"
#include "engine/state/withdraw_decision.h"
#include "model/life/gate_review.h"
#include "model/life/host_hold.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"
#include "model/jobs/queue_end.h"
#include "model/news/queue_news.h"
#include "model/resizes/resize_list.h"
#include "model/told/decision_life.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/bundle.h"
#include "model/pressure/memory_pressure.h"
#include "engine/cycle/wake.h"
#include "policy/eviction.h"

/* ---- waking ---- */

/* True if the pipeline of this cycle begins with `allocate`, and no other action tries waiting
 * jobs. An action before `allocate` could lower the use of a queue. A job that found no room, but
 * would have been told of the limit of this queue had it been tried again, could then start one
 * cycle earlier than if all bundles had woken. */
static int allocates_alone(const struct lsched_cycle *cy) {
    static const char *const others[] = {"evict-stale-gangs", "evict-overdue", "evict-idle",
                                         "drain", "speed-up"};
    const struct policy_pipeline *p = &cy->policy.pipeline;
    if (p->n == 0 || strcmp(p->actions[0].word, "allocate") != 0) return 0;
    for (uint32_t i = 1; i < p->n; i++) {
        size_t j = 0, n = sizeof others / sizeof others[0];
        while (j < n && strcmp(p->actions[i].word, others[j]) != 0) j++;
        if (j == n) return 0;
    }
    return 1;
}

/* True if bundles can wake one after the other in the order of shares: an attempt for a job that
 * finds no free room has no other effect than the wait reason, all room is free room, and the key
 * that a queue would have with its bundles awake is known while they are parked. */
static int wakes_in_turn(const struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct algorithm_slot *share =
        algorithm_find(cy->c, LSCHED_ROLE_SHARE, cluster_share_name(cy->c));
    if (!share || !share_keeps_keys(share->table->share) || hook_on(cy, LSCHED_HOOK_FILTER) ||
        meta(k, M_ABSENCES) || growth_gain_counts(&cy->c->policy.policy))
        return 0;
    return meta(k, M_LEAVING) + meta(k, M_NOMINATED) == 0 && allocates_alone(cy);
}

/* True if more bundles are parked for the shape than wake all at once. */
static int is_crowded(const struct lsched_cycle *cy, uint32_t shape) {
    const struct columns *k = cy->k;
    uint32_t n = 0, b = k->c[C_SHAPE_PARKED].u32[shape];
    for (; b != NO_ROW && n <= cy->c->wake_all_max; n++) b = k->c[C_BUNDLE_NEXT].u32[b];
    steps_add(k, n);
    return n > cy->c->wake_all_max;
}

/* Wakes the resizes that wait for a node which gained room, and the shapes that fit it. in_turn: 1
 * if the bundles of a crowded shape wake one after the other. */
static int32_t wake_for_node(struct lsched_cycle *cy, uint32_t node, int in_turn) {
    struct columns *k = cy->k;
    struct room_lines *lines = &cy->c->lines;
    uint32_t s = (uint32_t)meta(k, M_PARKED_SHAPES);
    int32_t rc = resize_list_wake_node(k, node);
    if (rc != LSCHED_OK || k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY) return rc;
    if (in_turn) rc = room_line_grew(lines, k, node);
    while (s != NO_ROW && rc == LSCHED_OK) {
        uint32_t next = k->c[C_SHAPE_PARKED_NEXT].u32[s];
        steps_add(k, 1);
        if (node_fits(k, node, s) && node_able(k, node, s) && !room_line_is_awake(lines, s))
            rc = in_turn && is_crowded(cy, s) ? room_line_wake(lines, k, s)
                                              : bundles_wake_shape(k, s);
        s = next;
    }
    return rc == LSCHED_OK ? bundles_wake_any(k) : rc;
}

/* Wakes the jobs that wait for the limit of a queue whose use has fallen. */
static int32_t wake_limited(struct columns *k) {
    uint32_t gave = 0;
    for (uint32_t q = queue_gave_first(k); q != NO_ROW; q = queue_gave_first(k)) {
        int32_t rc = undo_room(k);
        steps_add(k, 1);
        if (rc == LSCHED_OK) rc = bundles_wake_limited(k, q);
        if (rc != LSCHED_OK) return rc;
        gave++;
    }
    /* jobs with several leaf groups, or with several device models, are woken by every event */
    int32_t rc = gave ? bundles_wake_any(k) : LSCHED_OK;
    if (gave && rc == LSCHED_OK) rc = resize_list_wake_queues(k);
    return gave && rc == LSCHED_OK ? bundles_wake_rules(k) : rc;
}

/* True if more of a supply can help the parked bundle: it needs a supply, and found more than too
 * little room on nodes. */
static int can_be_supplied(const struct columns *k, uint32_t b, uint32_t shape) {
    return shape_n_supplies(k, shape) && k->c[C_BUNDLE_CODE].u8[b] != LSCHED_WAIT_ROOM;
}

/* Wakes the jobs that wait for a supply, of which a place has more left now. A gang that found too
 * few places can have lacked a supply in one domain and room in another, which it then named. */
static int32_t wake_supplied(struct columns *k) {
    int32_t rc = meta(k, M_SUPPLY_NEWS) ? undo_room(k) : LSCHED_OK;
    if (!meta(k, M_SUPPLY_NEWS) || rc != LSCHED_OK) return rc;
    set_meta(k, M_SUPPLY_NEWS, 0);
    for (uint32_t s = (uint32_t)meta(k, M_PARKED_SHAPES), next; s != NO_ROW; s = next) {
        next = k->c[C_SHAPE_PARKED_NEXT].u32[s];
        steps_add(k, 1);
        if (!shape_n_supplies(k, s)) continue;
        for (uint32_t b = k->c[C_SHAPE_PARKED].u32[s], after; b != NO_ROW; b = after) {
            after = k->c[C_BUNDLE_NEXT].u32[b];
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            steps_add(k, 1);
            if (can_be_supplied(k, b, s)) bundle_wake(k, b);
        }
    }
    rc = bundles_wake_supply(k);
    return rc == LSCHED_OK ? bundles_wake_rules(k) : rc;
}

/* Begins new periods of allowances. If the time has come at which a bundle can start that waits for
 * an allowance, marks the queues with one. Then wakes the jobs that wait for a limit or an
 * allowance of a marked queue. */
static int32_t wake_allowed(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int64_t next = (int64_t)meta(k, M_ALLOWANCE_NEXT);
    if (!k->allowances) return wake_limited(k);
    int32_t rc = k->allowances->cycle(k);
    if (rc != LSCHED_OK) return rc;
    if (next == 0 || next > cy->now) return wake_limited(k);
    set_meta(k, M_ALLOWANCE_NEXT, 0);
    EACH_LIVE(k, T_ALLOWANCE, a) {
        rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        queue_gave(k, k->c[C_ALLOWANCE_QUEUE].u32[a]);
    }
    return wake_limited(k);
}

/* Wakes the bundles of a list that an action of this cycle can plan. */
static int32_t wake_plannable(struct lsched_cycle *cy, uint32_t first) {
    struct columns *k = cy->k;
    for (uint32_t b = first, next; b != NO_ROW; b = next) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        steps_add(k, 1);
        next = k->c[C_BUNDLE_NEXT].u32[b];
        if (plan_calls_could(cy, bundle_head(k, b))) bundle_wake(k, b);
    }
    return LSCHED_OK;
}

/* Wakes the bundles that wait for room because the cycles before had no action that plans over
 * time. */
static int32_t wake_for_plans(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = LSCHED_OK;
    if (!plan_calls_any(cy)) return LSCHED_OK;
    for (uint32_t s = (uint32_t)meta(k, M_PARKED_SHAPES), next; s != NO_ROW && rc == LSCHED_OK;
         s = next) {
        next = k->c[C_SHAPE_PARKED_NEXT].u32[s];
        rc = wake_plannable(cy, k->c[C_SHAPE_PARKED].u32[s]);
    }
    return rc == LSCHED_OK ? wake_plannable(cy, (uint32_t)meta(k, M_ANY_HEAD)) : rc;
}

/* Wakes the bundles that wait for a node to be added or to grow, if the structure has changed. */
static int32_t wake_for_structure(struct columns *k) {
    if (meta(k, M_NEVER_SEEN) == meta(k, M_STRUCTURE)) return LSCHED_OK;
    set_meta(k, M_NEVER_SEEN, meta(k, M_STRUCTURE));
    int32_t rc = bundles_wake_plan(k); /* a node on which a planned start relies can be gone */
    return rc == LSCHED_OK ? bundles_wake_never(k) : rc;
}

/* Ends the absences that are over, then brings their line to the time of the cycle. What wakes jobs
 * later asks which nodes are to leave, because no plan helps a job that these nodes bar. */
static int32_t wake_for_absences(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = absence_line_end(&cy->c->absences, k, cy->now);
    if (rc != LSCHED_OK || !meta(k, M_ABSENCES)) return rc;
    return absence_line_sync(&cy->c->absences, k, cy->now);
}

/* Wakes what waits for a time that has come. */
static int32_t wake_for_time(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = host_holds_end(k, cy->now);
    if (rc == LSCHED_OK) rc = gate_review(k, cy->now, withdraw_decision_note, cy);
    if (rc == LSCHED_OK) rc = bundles_wake_until(k, cy->now);
    if (rc == LSCHED_OK) rc = refusals_end(k, cy->now);
    if (rc == LSCHED_OK) rc = wake_for_absences(cy);
    if (rc == LSCHED_OK && bundles_planned(k) <= cy->now) rc = bundles_wake_plan(k);
    return rc;
}

int32_t wake_bundles(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int in_turn = wakes_in_turn(cy);
    room_line_rest(&cy->c->lines, &cy->c->share);
    int32_t woken = guarantee_reserve_begin(cy);
    if (woken == LSCHED_OK)
        woken = bundles_wake_budget(k, cy->spend.budget, cy->spend.decisions_max);
    /* wakes the jobs that were put off by a pass which was dropped */
    if (woken == LSCHED_OK) woken = bundles_wake_put_off(k);
    if (woken == LSCHED_OK) woken = wake_for_time(cy);
    if (woken != LSCHED_OK) return woken;
    /* the cycle before can have had another pipeline */
    if (cy->c->policy.policy.desc.hooks & LSCHED_HOOK_PIPELINE) woken = wake_for_plans(cy);
    if (woken != LSCHED_OK) return woken;
    /* a job that an affinity rule names can have started or ended on any node */
    if (meta(k, M_RULES_NEWS) || meta(k, M_GREW_HEAD) != NO_ROW) woken = bundles_wake_rules(k);
    /* work that had a place for itself can have left a node that takes no work, as long as others
     * of the place do */
    if (woken == LSCHED_OK && meta(k, M_GREW_HEAD) != NO_ROW) woken = bundles_wake_plan(k);
    if (woken != LSCHED_OK) return woken;
    for (uint32_t n = (uint32_t)meta(k, M_GREW_HEAD); n != NO_ROW;
         n = (uint32_t)meta(k, M_GREW_HEAD)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_meta(k, M_GREW_HEAD, k->c[C_NODE_GREW_NEXT].u32[n]);
        set_u8(k, C_NODE_GREW, n, 0);
        rc = wake_for_node(cy, n, in_turn);
        if (rc != LSCHED_OK) return rc;
    }
    woken = wake_allowed(cy);
    if (woken == LSCHED_OK) woken = wake_supplied(k);
    return woken == LSCHED_OK ? wake_for_structure(k) : woken;
}

void wake_all_max(struct lsched_cluster *c, uint32_t bundles) {
    c->wake_all_max = bundles;
}

/* ---- order keys ---- */

/* Computes the order keys of a batch of jobs: with the policy's hook `priority` (the larger result
 * comes first) if there is one, otherwise with the order algorithm if there is one, otherwise from
 * the submitted priority. */
static int32_t keys_of(struct lsched_cycle *cy, const uint32_t *jobs, uint32_t n, int64_t *keys) {
    const struct columns *k = cy->k;
    if (hook_on(cy, LSCHED_HOOK_PRIORITY)) {
        struct hook_call h;
        uint32_t queues[256];
        double out[256];
        hook_begin(cy, &h);
        for (uint32_t i = 0; i < n; i++) queues[i] = k->c[C_JOB_QUEUE].u32[jobs[i]];
        int32_t rc = h.ops->priority(h.self, &h.view, jobs, queues, n, out, &h.err);
        if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_PRIORITY, rc, &h.err);
        for (uint32_t i = 0; i < n; i++) keys[i] = -hook_round(out[i]);
        return LSCHED_OK;
    }
    if (cy->policy.order && cy->policy.order->keys)
        return cy->policy.order->keys(cy->policy.order_self, cycle_view(cy), jobs, n, keys);
    for (uint32_t i = 0; i < n; i++) keys[i] = -(int64_t)k->c[C_JOB_PRIORITY].i32[jobs[i]];
    return LSCHED_OK;
}

/* Stores the new order keys of a batch of jobs. bulk: 1 if the caller calls reorder_repair() after
 * the last batch. */
static int32_t reorder_batch(struct lsched_cycle *cy, const uint32_t *jobs, uint32_t n, int bulk) {
    int64_t keys[256] = {0};
    int32_t rc = keys_of(cy, jobs, n, keys);
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        rc = undo_room(cy->k);
        if (rc != LSCHED_OK) break;
        if (bulk)
            reorder_set(cy->k, jobs[i], keys[i]);
        else
            bundle_reorder(cy->k, jobs[i], keys[i]);
    }
    return rc;
}

/* Computes the order keys of all jobs again, also of running jobs, because these can wait again.
 * Called only if order keys change with time, if the policy has changed, or if whole jobs were
 * imported, because imported jobs got no order key at an admission. */
static int32_t reorder_all(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    uint32_t jobs[256], n = 0;
    int32_t rc = view_update(&cy->c->view, k, cy->now);
    steps_add(k, table_rows(k, T_JOB));
    for (uint32_t j = 0; j < table_rows(k, T_JOB) && rc == LSCHED_OK; j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_PHASE].u8[j] == JOB_NEW ||
            k->c[C_JOB_PHASE].u8[j] == JOB_REFUSED)
            continue;
        jobs[n++] = j;
        if (n < 256) continue;
        rc = reorder_batch(cy, jobs, n, 1);
        n = 0;
    }
    if (rc == LSCHED_OK && n) rc = reorder_batch(cy, jobs, n, 1);
    return rc == LSCHED_OK ? reorder_repair(k) : rc;
}

/* ---- refresh ---- */

static int order_uses_now(const struct lsched_cycle *cy) {
    if (cy->policy.hooks_off & LSCHED_HOOK_PRIORITY) return 1;
    if (hook_on(cy, LSCHED_HOOK_PRIORITY))
        return hook_answer_changes(&cy->c->policy.policy.desc, POLICY_HOOK_PRIORITY);
    return cy->policy.order && cy->policy.order->uses_now;
}

static int32_t retry_refused(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    for (uint32_t j = (uint32_t)meta(k, M_REFUSED_HEAD); j != NO_ROW;
         j = (uint32_t)meta(k, M_REFUSED_HEAD)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        job_ask_again(k, j);
    }
    return LSCHED_OK;
}

/* True if a hook failed in the previous cycle. The fallback was for that cycle only, therefore the
 * hook is called again now. Otherwise the effect of one failure would last, and cycles that call
 * no hook would hide it. */
static int has_failed(const struct lsched_cycle *cy) {
    return cy->c->policy.policy.ops && cy->c->policy.failures > 0;
}

/* True if the keys and answers can come from another policy, or from a hook that failed. */
static int policy_changed(const struct lsched_cycle *cy) {
    return has_failed(cy) || meta(cy->k, M_ORDER_POLICY) != cy->c->policy.policy.desc.hash;
}

static int wake_is_due(const struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    int64_t last = (int64_t)meta(k, M_REFRESHED);
    return policy_changed(cy) || last == 0 || cy->now + 1 - last >= LIMIT_REFRESH_US ||
           meta(k, M_REFRESH_STRUCTURE) != meta(k, M_STRUCTURE) || cy->policy.hooks_off ||
           timer_next(k) <= cy->now || meta(k, M_UNKEYED);
}

int32_t wake_refresh_rights(struct lsched_cycle *cy) {
    if (!wake_is_due(cy)) return meta(cy->k, M_PASS_IDLE) ? hook_jobs_refresh(cy, 0) : LSCHED_OK;
    int changed = policy_changed(cy);
    int32_t rc = undo_room(cy->k);
    if (rc == LSCHED_OK) rc = hook_queues_refresh(cy);
    if (rc == LSCHED_OK) rc = hook_jobs_refresh(cy, changed);
    if (rc == LSCHED_OK && (order_uses_now(cy) || changed || meta(cy->k, M_UNKEYED)))
        rc = reorder_all(cy);
    return rc;
}

/* Wakes the bundles that wait for a planned start if the refresh has changed time limits or the
 * order of jobs. changed: 1 if the policy has changed, so that the planned starts are void, an
 * action can plan jobs that waited for room, and growth can gain something. */
static int32_t wake_after_refresh(struct lsched_cycle *cy, int changed) {
    struct columns *k = cy->k;
    int32_t rc = changed || bundles_planned(k) <= cy->now ? bundles_wake_plan(k) : LSCHED_OK;
    if (rc == LSCHED_OK && changed) rc = growth_gain_wake(k);
    return rc == LSCHED_OK && changed ? wake_for_plans(cy) : rc;
}

int32_t wake_refresh(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    if (!wake_is_due(cy)) return LSCHED_OK;
    int32_t rc = timer_clear(k);
    if (rc == LSCHED_OK) rc = user_queues_sweep(k);
    if (rc == LSCHED_OK) rc = refusals_sweep(k, cy->now);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_meta(k, M_REFRESHED, (uint64_t)cy->now + 1);
    evict_news(k); /* quotas, weights and decayed use can have changed */
    set_meta(k, M_REFRESH_STRUCTURE, meta(k, M_STRUCTURE));
    int changed = policy_changed(cy);
    rc = hook_queues_refresh(cy);
    if (rc == LSCHED_OK) rc = wake_limited(k); /* limits can be higher now */
    if (rc == LSCHED_OK) rc = hook_jobs_refresh(cy, changed);
    if (rc == LSCHED_OK && (order_uses_now(cy) || changed || meta(k, M_UNKEYED))) {
        rc = reorder_all(cy);
        set_meta(k, M_UNKEYED, 0);
    }
    set_meta(k, M_ORDER_POLICY, cy->c->policy.policy.desc.hash);
    if (rc == LSCHED_OK) rc = bundles_wake_refresh(k, changed || hook_on(cy, LSCHED_HOOK_FILTER));
    if (rc == LSCHED_OK) rc = wake_after_refresh(cy, changed);
    if (rc == LSCHED_OK) rc = share_waiters_wake(k);
    if (rc == LSCHED_OK) rc = resize_list_wake_queues(k);
    return rc == LSCHED_OK ? retry_refused(cy) : rc;
}

/* ---- admission ---- */

/* Refuses a job. failed: 1 if the job is refused because the hook `admit` failed, 0 if the hook
 * refused it. */
static int32_t wake_refuse(struct lsched_cycle *cy, uint32_t job, const char *reason, int failed) {
    uint32_t row = string_get(cy->k, reason, strlen(reason));
    if (row == NO_ROW || undo_room(cy->k) != LSCHED_OK) return LSCHED_E_NOMEM;
    job_refuse(cy->k, job, row, failed);
    return LSCHED_OK;
}

static int32_t admit_batch(struct lsched_cycle *cy, const uint32_t *jobs, uint32_t n) {
    struct columns *k = cy->k;
    struct policy_admission out[64];
    uint32_t queues[64];
    struct demand_batch demand = {.n = 0};
    char overlong[POLICY_REASON_BYTES];
    int32_t rc = hook_jobs_arrive(cy, jobs, n);
    if (rc == LSCHED_OK) rc = reorder_batch(cy, jobs, n, 0);
    if (rc != LSCHED_OK) return rc;
    int ask = hook_on(cy, LSCHED_HOOK_ADMIT);
    if (cy->policy.hooks_off & (LSCHED_HOOK_ADMIT | LSCHED_HOOK_FILTER)) {
        for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++)
            rc = wake_refuse(cy, jobs[i], cy->policy.message, 1);
        return rc;
    }
    if (ask) {
        struct hook_call h;
        hook_begin(cy, &h);
        memset(out, 0, sizeof out);
        for (uint32_t i = 0; i < n; i++) queues[i] = k->c[C_JOB_QUEUE].u32[jobs[i]];
        rc = h.ops->admit(h.self, &h.view, jobs, queues, n, out, &h.err);
        if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_ADMIT, rc, &h.err);
    }
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK)
            rc = ask && !out[i].admitted ? wake_refuse(cy, jobs[i], out[i].reason, 0)
                 : hook_jobs_overlong(cy, jobs[i], overlong, sizeof overlong)
                     ? wake_refuse(cy, jobs[i], overlong, 0)
                     : job_admit(k, jobs[i], &demand);
    }
    return rc == LSCHED_OK ? demand_settle(k, &demand) : rc;
}

int32_t wake_admit(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = view_update(&cy->c->view, k, cy->now);
    while (rc == LSCHED_OK && meta(k, M_WAIT_HEAD) != NO_ROW) {
        uint32_t jobs[64], n = 0;
        for (uint32_t j = (uint32_t)meta(k, M_WAIT_HEAD); j != NO_ROW && n < 64;
             j = k->c[C_JOB_HEAP_L].u32[j])
            jobs[n++] = j;
        rc = admit_batch(cy, jobs, n);
        if (rc == LSCHED_OK) evict_settle(cy);
    }
    return rc;
}

/* ---- the time of the next cycle ---- */

/* True if work waits that a refresh can help. */
static int waits_for_refresh(const struct columns *k) {
    return meta(k, M_PENDING_JOBS) != 0 || resize_serve_waits(k);
}

/* True if a bundle that is parked for room waits, and more of a supply can help it. */
static int shape_can_be_supplied(const struct columns *k) {
    for (uint32_t s = (uint32_t)meta(k, M_PARKED_SHAPES); s != NO_ROW;
         s = k->c[C_SHAPE_PARKED_NEXT].u32[s])
        for (uint32_t b = k->c[C_SHAPE_PARKED].u32[s]; b != NO_ROW && shape_n_supplies(k, s);
             b = k->c[C_BUNDLE_NEXT].u32[b])
            if (can_be_supplied(k, b, s)) return 1;
    return 0;
}

/* True if a place has more left of a supply, and something waits that this can help. any: 1 if
 * bundles wait that every event wakes. */
static int more_is_left(const struct columns *k, int any) {
    return meta(k, M_SUPPLY_NEWS) &&
           (any || meta(k, M_SUPPLY_HEAD) != NO_ROW || meta(k, M_RULES_HEAD) != NO_ROW ||
            meta(k, M_NOMINATED) || shape_can_be_supplied(k));
}

/* True if the policy is not that of the last cycle, and work waits or runs: another policy can also
 * stop work that the last one let run. */
static int policy_came(const struct lsched_cluster *c) {
    return meta(&c->k, M_ORDER_POLICY) != c->policy.policy.desc.hash &&
           (waits_for_refresh(&c->k) || table_live(&c->k, T_TASK) > 0);
}

/* True if bundles wait that every event wakes, as in wake_limited(). */
static int some_wait_for_any(const struct columns *k) {
    return meta(k, M_ANY_HEAD) != NO_ROW || meta(k, M_PLAN_HEAD) != NO_ROW;
}

/* True if bundles wait that wake when the queue uses less. any: some_wait_for_any(). */
static int gave_helps(const struct columns *k, uint32_t queue, int any) {
    return any || meta(k, M_RULES_HEAD) != NO_ROW || k->c[C_QUEUE_PARKED].u32[queue] != NO_ROW;
}

/* True if an event has already happened for which jobs, nominated tasks, wished resizes or tasks
 * without memory can be waiting: a node gained room, the use of a queue has fallen, the structure
 * of the cluster changed, or the policy changed. */
static int something_came(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    int moved = meta(k, M_NEVER_SEEN) != meta(k, M_STRUCTURE),
        plans = meta(k, M_PLAN_HEAD) != NO_ROW;
    int any = some_wait_for_any(k);
    if ((meta(k, M_GREW_HEAD) != NO_ROW &&
         meta(k, M_PARKED_JOBS) + meta(k, M_NOMINATED) + table_live(k, T_COLLISION)) ||
        meta(k, M_CLAIM_LOST) || (meta(k, M_RULES_NEWS) && meta(k, M_RULES_HEAD) != NO_ROW))
        return 1;
    if (more_is_left(k, any)) return 1;
    for (uint32_t q = queue_gave_first(k); q != NO_ROW; q = k->c[C_QUEUE_GAVE_NEXT].u32[q])
        if (gave_helps(k, q, any)) return 1;
    return policy_came(c) || (moved && (meta(k, M_NEVER_HEAD) != NO_ROW || plans)) ||
           (meta(k, M_REFRESH_STRUCTURE) != meta(k, M_STRUCTURE) && share_waiters_any(k)) ||
           (guarantee_reserve_fell(k) && (share_waiters_any(k) || resize_serve_waits(k)));
}

/* True if the algorithm is the action of that name and evicts or moves work for waiting jobs. */
static int is_evicting_action(const lsched_algorithm *t, const char *name) {
    return t->role == LSCHED_ROLE_ACT && t->act->evicts && strcmp(t->name, name) == 0;
}

/* True if an action of the policy's pipeline evicts or moves work. A hook can name any action. */
static int policy_evicts(const struct lsched_cluster *c) {
    const struct policy *p = &c->policy.policy;
    if (p->ops && (p->desc.hooks & LSCHED_HOOK_PIPELINE)) return 1;
    for (uint32_t i = 0; p->ops && i < p->desc.n_pipeline; i++)
        for (uint32_t a = 0; a < c->n_algorithms; a++)
            if (is_evicting_action(c->algorithms[a].table, p->desc.pipeline[i])) return 1;
    return 0;
}

/* True if waiting jobs that found no victims are to search again: since the begin of the last pass
 * work started, ended or was placed, what may be stopped has changed, or less room is kept for jobs
 * that may evict later. The last pass itself can be the cause. A pass that decides nothing changes
 * nothing but that room, so that after it no other search is due. */
static int victims_came(const struct lsched_cluster *c) {
    return meta(&c->k, M_PARKED_JOBS) > 0 && policy_evicts(c) &&
           (cycle_evict_state(&c->k) != meta(&c->k, M_EVICT_SEEN) || guarantee_reserve_fell(&c->k));
}

/* True if the structure of the cluster changed, so that work on a node or device can have to leave.
 */
static int work_can_have_to_leave(const struct lsched_cluster *c) {
    return meta(&c->k, M_NEVER_SEEN) != meta(&c->k, M_STRUCTURE) && table_live(&c->k, T_TASK) > 0 &&
           pipeline_has(c, "drain");
}

/* True if work is left for which the next cycle is due at once. In two cases, work that is left
 * does not count, because the cycle would be useless. If the bound on open decisions is reached,
 * the orchestrator must settle decisions first. If the pipeline places nothing, active jobs wait
 * for another pipeline. */
static int work_is_left(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    return meta(k, M_OPEN_COUNT) < c->open_max &&
           (meta(k, M_PASS_AT) || meta(k, M_PUT_OFF_HEAD) != NO_ROW || victims_came(c) ||
            work_can_have_to_leave(c) || (meta(k, M_ACTIVE) && !meta(k, M_PASS_VAIN)));
}

static int64_t sooner_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns the first time at which a releasing task or a nomination is overdue. */
static int64_t overdue_at(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    if (!meta(k, M_FUTURE_NEXT) || !(meta(k, M_LEAVING) + meta(k, M_NOMINATED)))
        return LSCHED_NEVER_US;
    return time_after((int64_t)meta(k, M_FUTURE_NEXT),
                      policy_eviction_of(&c->policy.policy).grace_us);
}

/* Returns the first time at which a job can start that waits for an allowance, or at which a period
 * begins that lets waiting jobs be tried again, else LSCHED_NEVER_US. Costs O(allowances). */
static int64_t allowed_next(const struct columns *k) {
    int64_t next = (int64_t)meta(k, M_ALLOWANCE_NEXT);
    int any = some_wait_for_any(k);
    if (!k->allowances) return LSCHED_NEVER_US;
    if (next == 0) next = LSCHED_NEVER_US;
    EACH_LIVE(k, T_ALLOWANCE, a)
        if (gave_helps(k, k->c[C_ALLOWANCE_QUEUE].u32[a], any))
            next = sooner_of(next, period_end(k, a));
    return next;
}

/* Returns the first time at which a cycle finds an allowance spent, or stops its work. A cycle that
 * is due now is useless if the orchestrator asks for no evictions or must settle decisions first.
 */
static int64_t spends_next(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    int64_t at = k->allowances ? k->allowances->spends(k) : LSCHED_NEVER_US,
            last = (int64_t)meta(k, M_SCHEDULED);
    if (at > last) return at;
    int lacks = (meta(k, M_KINDS_LACK) >> LSCHED_DECIDE_EVICT & 1) != 0;
    return lacks || meta(k, M_OPEN_COUNT) >= c->open_max ? LSCHED_NEVER_US : last;
}

/* Returns the first time at which a task must be looked at that is to be told its end. */
static int64_t warns_next(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    int64_t at = k->warnings ? warning_next(k) : LSCHED_NEVER_US,
            last = (int64_t)meta(k, M_SCHEDULED);
    if (at > last) return at;
    return meta(k, M_OPEN_COUNT) >= c->open_max ? LSCHED_NEVER_US : last;
}

/* True if a refresh can give waiting jobs other answers of hooks. If `priority` and
 * `preempt_priority` read nothing that changes, they give the same answers again, so a policy with
 * no other hook needs cycles only when a policy without hooks does: a cycle every 30 s would try
 * nothing. */
static int hooks_change(const struct lsched_cluster *c) {
    const struct policy_desc *d = &c->policy.policy.desc;
    const uint32_t fixed = LSCHED_HOOK_PRIORITY | LSCHED_HOOK_PREEMPT_PRIORITY;
    if (!c->policy.policy.ops || !d->hooks) return 0;
    return (d->hooks & ~fixed) || c->policy.failures > 0 ||
           hook_answer_changes(d, POLICY_HOOK_PRIORITY) ||
           hook_answer_changes(d, POLICY_HOOK_PREEMPT_PRIORITY);
}

static int64_t next_wake(const struct lsched_cluster *c) {
    const struct columns *k = &c->k;
    int pending = meta(k, M_PENDING_JOBS) != 0, waits = waits_for_refresh(k);
    int served = (resize_serve_is_due(k) || memory_pressure_is_due(k)) &&
                 meta(k, M_OPEN_COUNT) < c->open_max;
    int64_t gate = gate_next(k);
    if (served || something_came(c) || meta(k, M_WAIT_HEAD) != NO_ROW || work_is_left(c) ||
        gate <= (int64_t)meta(k, M_SCHEDULED))
        return (int64_t)meta(k, M_SCHEDULED);
    int64_t wake = waits ? timer_next(k) : LSCHED_NEVER_US;
    if (pending) wake = sooner_of(wake, sooner_of(refusals_next(k), absences_next(k)));
    int64_t until;
    (void)decision_life_first(k, &until); /* only the time matters */
    wake = sooner_of(wake, sooner_of(overdue_at(c), until));
    wake = sooner_of(wake, nominations_barred_at(k));
    wake = sooner_of(wake, sooner_of(host_end_first(k), checkpoints_wake(k)));
    wake = sooner_of(wake, gate);
    wake = sooner_of(wake, sooner_of(bundles_until(k), bundles_planned(k)));
    /* the first time at which a waiting job is allowed to evict, or at which work loses its
     * protection */
    int64_t evict = (int64_t)meta(k, M_EVICT_NEXT);
    if (evict && evict >= (int64_t)meta(k, M_SCHEDULED)) wake = sooner_of(wake, evict);
    if (pending) wake = sooner_of(wake, allowed_next(k));
    wake = sooner_of(wake, sooner_of(spends_next(c), warns_next(c)));
    int64_t asked = (int64_t)meta(k, M_WAKE_ASKED);
    if (asked && asked >= (int64_t)meta(k, M_SCHEDULED)) wake = sooner_of(wake, asked);
    int64_t refresh = (int64_t)meta(k, M_REFRESHED) - 1 + LIMIT_REFRESH_US;
    if ((waits && hooks_change(c)) || meta(k, M_POLICY_HEAD) != NO_ROW)
        wake = sooner_of(wake, refresh);
    return sooner_of(wake, hook_jobs_wake(c, refresh));
}

/* Returns the time at which the next cycle is due. If lsched_schedule would refuse this time,
 * returns LSCHED_NEVER_US. */
int64_t wake_next(const struct lsched_cluster *c) {
    int64_t wake = next_wake(c);
    return wake > LIMIT_TIME_US ? LSCHED_NEVER_US : wake;
}
