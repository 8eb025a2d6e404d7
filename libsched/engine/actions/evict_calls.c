/* evict_calls.c -- see evict_calls.h. */
#include "engine/actions/evict_calls.h"

#include "base/times.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/victims/charge_search.h"
#include "engine/victims/evict_wake.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/victims/victim_order.h"
#include "engine/victims/victim_last.h"
#include "engine/victims/victim_parts.h"
#include "engine/victims/victim_side.h"
#include "engine/waits/pass.h"
#include "engine/actions/put_off.h"
#include "engine/queues/queue_rules.h"
#include "engine/waits/refused.h"
#include "model/jobs/bundle.h"
#include "model/jobs/releasing.h"
#include "model/nodes/node.h"
#include "model/shapes/node_rules.h"
#include "model/queues/queue.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"
#include "model/jobs/stops.h"
#include "engine/state/withdraw_decision.h"
#include "engine/waits/nominations.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/victims/evict_tell.h"

/* most node evaluations of the victim search for one job */
#define SEARCH_WORK_MAX UINT64_C(200000)
#define HOUR_US         INT64_C(3600000000)
#define EXCLUDED_MAX    64u /* most nodes that are tried in vain for one job */

int32_t call_look(lsched_cycle *y, uint32_t when) {
    if (when > LSCHED_LOOK_LATER) return LSCHED_E_INVAL;
    if (when == LSCHED_LOOK_LATER && meta(y->k, M_LEAVING) + meta(y->k, M_NOMINATED) == 0 &&
        !y->search)
        return 0;
    y->later = when == LSCHED_LOOK_LATER;
    return 1;
}

/* ---- begin and end of an action ---- */

/* Decides whether the action may begin. An action that combines victims of reclaim and of preempt
 * (`both`) needs a pipeline with both actions. It runs once per pass, as the second stage of the
 * later action. Returns 1, 0 if it is not the action's turn, or LSCHED_E_NOMEM. */
static int32_t take_turn(lsched_cycle *y, uint32_t reason, int both) {
    const uint64_t all = 1u << LSCHED_FOR_RECLAIM | 1u << LSCHED_FOR_PREEMPT;
    struct columns *k = y->k;
    /* a second stage that an earlier cycle began continues */
    if (meta(k, M_PASS_STAGE)) return both;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (!both) {
        set_meta(k, M_PASS_BEGUN, meta(k, M_PASS_BEGUN) | (1u << reason & all));
        return 1;
    }
    if ((meta(k, M_PASS_BEGUN) & all) != all) return 0;
    set_meta(k, M_PASS_BEGUN, 0);
    pass_second_stage(y);
    return 1;
}

int32_t call_evict_begin(lsched_cycle *y, uint32_t reason) {
    int both = reason == LSCHED_ACT_BOTH;
    if (both) reason = LSCHED_FOR_RECLAIM;
    if (reason < LSCHED_FOR_RECLAIM || reason > LSCHED_FOR_CONSOLIDATE || y->search)
        return LSCHED_E_INVAL;
    if (y->stop) return 0;
    int32_t rc = take_turn(y, reason, both);
    if (rc != 1) return rc;
    if (!hook_lets_evict(y) || meta(y->k, M_PARKED_JOBS) + meta(y->k, M_ACTIVE) == 0) return 0;
    /* one work unit per bundle, because each bundle is read */
    act_spend(y, table_live(y->k, T_BUNDLE));
    if (y->stop) return 0;
    int wakes = evict_wake_any(y, reason);
    /* The last round puts no start off, and no work may be evicted in the same cycle because of
     * such a start. The next cycle seeks the victims. */
    if (pass_round(y) == PASS_ROUNDS_MAX) {
        if (wakes) y->evict_next = y->now;
        return 0;
    }
    if (!wakes && meta(y->k, M_ACTIVE) == 0) return 0;
    put_off_close(y);
    rc = view_update(&y->c->view, y->k, y->now);
    if (rc == LSCHED_OK) rc = victim_search_open(y, reason);
    if (rc == LSCHED_OK) y->search->both = both;
    if (rc == LSCHED_OK) rc = evict_wake_all(y);
    if (rc < 0) return rc;
    if (rc == 0 && meta(y->k, M_ACTIVE) == 0) {
        victim_search_close(y);
        return 0;
    }
    y->later = 1;
    struct share_tree *s = &y->c->share;
    rc = share_begin(s, y->k, s->ops, s->self, &y->c->view);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Parks the bundle again, in the list and with the reason from before this action woke it. */
static void park_again(lsched_cycle *y, uint32_t b) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    struct park_reason why = {h->woken_code[b],
                              k->c[C_BUNDLE_RES].u8[b],
                              k->c[C_BUNDLE_GROUP].u32[b],
                              k->c[C_BUNDLE_NEED].i64[b],
                              k->c[C_BUNDLE_HAVE].i64[b],
                              k->c[C_BUNDLE_ABLE].u32[b],
                              k->c[C_BUNDLE_LIMITING].u32[b]};
    /* bundle_park clears OWED, which only reclaim computes again */
    uint8_t owed = k->c[C_BUNDLE_OWED].u8[b];
    bundle_park(k, b, h->woken_list[b], k->c[C_BUNDLE_LIST_OF].u32[b], &why);
    set_u8(k, C_BUNDLE_OWED, b, owed);
    h->woken_code[b] = 0;
}

static int woken_here(const lsched_cycle *y, uint32_t b) {
    const struct columns *k = y->k;
    return b < y->search->cap_woken && y->search->woken_code[b] && row_is_live(k, T_BUNDLE, b) &&
           k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_ACTIVE && k->c[C_BUNDLE_TRIED].u64[b] > 0;
}

int32_t call_evict_end(lsched_cycle *y) {
    struct columns *k = y->k;
    if (!y->search) return LSCHED_E_INVAL;
    steps_add(k, y->search->cap_woken);
    for (uint32_t b = 0; b < y->search->cap_woken; b++) {
        if (!woken_here(y, b)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        park_again(y, b);
        if (y->stop)
            set_u8(k, C_BUNDLE_EVICT_CODE, b,
                   LSCHED_EVICT_BUDGET); /* the cycle ended during the bundle's turn or before it */
    }
    victim_search_close(y);
    y->later = 0;
    struct share_tree *s = &y->c->share;
    return share_begin(s, k, s->ops, s->self, &y->c->view);
}

int32_t evict_park(lsched_cycle *y, uint32_t b) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    if (!h || !woken_here(y, b)) return 0;
    if (h->until < y->evict_next) y->evict_next = h->until;
    uint8_t before = k->c[C_BUNDLE_EVICT_CODE].u8[b];
    if (!pass_has_tried(k, b) || before == LSCHED_EVICT_BUDGET) before = LSCHED_EVICT_NOT_TRIED;
    park_again(y, b);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    evict_tell(y, b, before);
    return 1;
}

/* ---- jobs that no earlier action has tried ---- */

int evict_is_untried(const lsched_cycle *y, uint32_t b) {
    return y->search && !woken_here(y, b);
}

int32_t call_untried(lsched_cycle *y, uint32_t job) {
    if (!act_job_valid(y, job) || !y->search) return LSCHED_E_INVAL;
    return evict_is_untried(y, y->k->c[C_JOB_BUNDLE].u32[job]);
}

/* Keeps the reason why no free room was found for an untried job, before the victim search begins.
 * If the search finds no victims either, the job waits for that reason. */
static void note_found(lsched_cycle *y, uint32_t job) {
    struct victim_search *h = y->search;
    h->found_of = NO_ROW;
    if (!evict_is_untried(y, y->k->c[C_JOB_BUNDLE].u32[job])) return;
    h->found_of = job;
    h->found = act_reason(y);
}

int evict_found(lsched_cycle *y, uint32_t job) {
    struct victim_search *h = y->search;
    if (!h || h->found_of != job) return 0;
    h->found_of = NO_ROW;
    y->why = h->found;
    return 1;
}

void evict_tell_untried(lsched_cycle *y, uint32_t b) {
    if (y->search->until < y->evict_next) y->evict_next = y->search->until;
    evict_tell(y, b, LSCHED_EVICT_NOT_TRIED);
}

/* ---- whether a job may evict ---- */

static int refuse(lsched_cycle *y, uint32_t code, int64_t until) {
    y->search->why_code = code;
    if (until < y->search->until) y->search->until = until;
    return 0;
}

static int64_t delay_of(const lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c != NO_ROW && k->c[C_COST_DELAY].i64[c]) return k->c[C_COST_DELAY].i64[c];
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        if (k->c[C_QUEUE_PREEMPT_DELAY].i64[q]) return k->c[C_QUEUE_PREEMPT_DELAY].i64[q];
    return cycle_eviction(y)->preemption_delay_us;
}

static int waited_long_enough(lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    int64_t delay = delay_of(y, job), since = k->c[C_JOB_SUBMIT].i64[job];
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (delay <= 0) return 1;
    if (c != NO_ROW && k->c[C_COST_EVICTED_AT].i64[c] > since)
        since = k->c[C_COST_EVICTED_AT].i64[c];
    return y->now - since >= delay ? 1 : refuse(y, LSCHED_EVICT_DELAY, time_after(since, delay));
}

static uint64_t evictions_left(lsched_cycle *y) {
    uint64_t most = cycle_eviction(y)->per_hour;
    if (most == 0) return UINT64_MAX;
    int64_t hour = y->now / HOUR_US;
    uint64_t spent = (int64_t)meta(y->k, M_EVICTED_SINCE) == hour ? meta(y->k, M_EVICTED_HOUR) : 0;
    return most > spent ? most - spent : 0;
}

/* Tests the job's own side in reclaim: its queue must stay within its entitlement. If not, the
 * why_* fields name the queue, the resource kind and the numbers. */
static int within_share(lsched_cycle *y) {
    struct victim_search *h = y->search;
    const struct columns *k = y->k;
    if (h->reason != LSCHED_FOR_RECLAIM || h->both || h->share_ok[0] || victim_parts_entitled(y))
        return 1;
    h->why_queue = h->queue;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(h->kinds >> r & 1)) continue;
        int64_t right = victim_rules_right(y, h->queue, r, 0),
                used = k->c[C_QUEUE_USED + r].i64[h->queue];
        if (right == LSCHED_UNLIMITED || used + h->need[r] <= right) continue;
        h->why_kind = r;
        h->why_need = h->need[r];
        h->why_have = right > used ? right - used : 0;
        break;
    }
    return refuse(y, LSCHED_EVICT_SHARE, LSCHED_NEVER_US);
}

int32_t call_may_evict(lsched_cycle *y, uint32_t job) {
    if (!act_job_valid(y, job) || !y->search) return LSCHED_E_INVAL;
    struct victim_search *h = y->search;
    int32_t rc = victim_search_begin_job(y, job);
    if (rc != LSCHED_OK) return rc;
    note_found(y, job);
    h->work_left = SEARCH_WORK_MAX;
    if ((y->k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NEVER_PREEMPTS) || hook_jobs_stops(y, job))
        return refuse(y, LSCHED_EVICT_NEVER, LSCHED_NEVER_US);
    /* a job with alternatives: find_victims checks the entitlement for each alternative */
    int chooses = jobshape_chooses(y->k, h->jobshape);
    if (!waited_long_enough(y, job) || (!chooses && !within_share(y))) return 0;
    if (refused_room_comes(y->k, job))
        return refuse(y, LSCHED_EVICT_REFUSED, refused_look_nominations(y->k, job).until);
    if (h->reason != LSCHED_FOR_CONSOLIDATE && evictions_left(y) == 0)
        return refuse(y, LSCHED_EVICT_RATE, (y->now / HOUR_US + 1) * HOUR_US);
    if (h->told_stamp != h->stamp) { /* jobs of the same context share the result */
        h->told_stamp = h->stamp;
        act_spend(y, 1);
        h->possible = (int8_t)victim_bounds_possible(y);
        if (y->stop) return 0;
        /* The proof found too few possible victims, but some jobs are only too young now and may
         * be evicted from h->until on. */
        if (h->possible == 0 && h->until != LSCHED_NEVER_US) h->why_code = LSCHED_EVICT_MIN_RUNTIME;
        h->told_code = h->why_code;
        h->told_until = h->until;
    }
    h->why_code = h->told_code;
    if (h->told_until < h->until) h->until = h->told_until;
    return h->possible;
}

/* ---- victims ---- */

/* True if victims may be sought for the leaf group: the arguments are valid, and may_evict was
 * called for a job before. */
static int may_ask(const lsched_cycle *y, uint32_t job, uint32_t group) {
    return act_job_valid(y, job) && act_is_leaf(y, job, group) && y->search &&
           y->search->job != NO_ROW;
}

int32_t call_find_victims(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                          uint32_t *node) {
    if (!may_ask(y, job, group)) return LSCHED_E_INVAL;
    if (domain != NO_ROW && !row_is_live(y->k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    act_spend(y, 1);
    if (y->stop) return 0;
    if (jobshape_chooses(y->k, y->search->jobshape)) {
        victim_search_need_again(y);
        if (!within_share(y)) return 0;
    }
    if (y->search->reason == LSCHED_FOR_RECLAIM) victim_side_look(y);
    int32_t rc = victim_nodes_best(y, job, group, domain, node);
    if (rc == 1) y->search->chose = 1;
    if (rc == 0 && y->search->work_left == 0) {
        y->search->why_code = LSCHED_EVICT_BUDGET;
        y->cut++;
    } else if (rc == 0 && y->search->until != LSCHED_NEVER_US &&
               y->search->why_code == LSCHED_EVICT_NO_FIT) {
        y->search->why_code = LSCHED_EVICT_MIN_RUNTIME;
    }
    return rc;
}

static int32_t victim_add(lsched_cycle *y, const struct victim_unit *u, uint32_t releasing) {
    struct victim_search *h = y->search;
    if (!VEC_ROOM(y->k->alloc, h->victims, h->cap_victims, h->n_victims + 1)) return LSCHED_E_NOMEM;
    h->victims[h->n_victims++] =
        (struct victim_task){u->job, releasing, h->n_units, 0, u->ground, NO_ROW};
    victim_side_count(y, u->queue, u->ground, 1);
    return LSCHED_OK;
}

int32_t evict_task(lsched_cycle *y, uint32_t task, int64_t cost, uint32_t reason, uint64_t for_job,
                   uint32_t *releasing) {
    uint32_t decision;
    struct evict_spec s = {.now = y->now,
                           .release_at = time_after_at_most(y->now, cycle_eviction(y)->release_us),
                           .cost = cost,
                           .group = y->group_serial,
                           .for_job = for_job,
                           .reason = (uint8_t)reason};
    uint32_t open = y->k->c[C_TASK_DECISION].u32[task];
    if (open != NO_ROW) withdraw_decision_note(y, open, y->k->c[C_DECISION_GEN].u32[open]);
    int32_t rc = task_evict(y->k, task, &s, releasing, &decision);
    if (rc != LSCHED_OK) return rc;
    future_note(y->k, s.release_at);
    return y->out_of_memory ? LSCHED_E_NOMEM : cycle_fresh_add(y, decision);
}

/* Notes for which job the victim's job was stopped, so that the two jobs do not evict each other
 * in turn (stops.h). A job that only moves is not stopped and gets no mark. */
static int32_t mark_victim(lsched_cycle *y, uint32_t job, uint32_t for_job) {
    struct victim_search *h = y->search;
    if (for_job == NO_ROW || (h->reason != LSCHED_FOR_RECLAIM && h->reason != LSCHED_FOR_PREEMPT))
        return LSCHED_OK;
    h->jobs[job].stamp = 0; /* the verdict on the job must be computed again */
    return h->reason == LSCHED_FOR_PREEMPT || victim_rules_is_own(y, y->k->c[C_JOB_QUEUE].u32[job])
               ? stops_pass_on(y->k, job, for_job)
               : stops_mark(y->k, job, for_job);
}

/* Evicts all running tasks of the unit. The cost of a group is divided equally over the decisions
 * of its tasks. */
int32_t evict_unit(lsched_cycle *y, const struct victim_unit *u) {
    struct columns *k = y->k;
    uint64_t for_job = y->search->job == NO_ROW ? 0 : id_make(k, LSCHED_KIND_JOB, y->search->job);
    uint32_t releasing, shape = k->c[C_JOB_SHAPE].u32[u->job];
    uint32_t reason = victim_rules_is_own(y, u->queue) ? LSCHED_FOR_PREEMPT : y->search->reason;
    y->search->n_units++;
    int32_t rc = victim_last_note(y, u);
    if (rc != LSCHED_OK) return rc;
    if (u->nominated) {
        rc = withdraw_decision(y, u->task);
        return rc == LSCHED_OK ? mark_victim(y, u->job, y->search->job) : rc;
    }
    if (u->group == NO_ROW) {
        rc = evict_task(y, u->task, u->cost, reason, for_job, &releasing);
        return rc == LSCHED_OK ? victim_add(y, u, releasing) : rc;
    }
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        while (g > u->group) g = k->c[C_GROUP_PARENT].u32[group_row(k, shape, g)];
        if (g != u->group) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l], next; t != NO_ROW && rc == LSCHED_OK;
             t = next) {
            next = k->c[C_TASK_NEXT].u32[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            rc = evict_task(y, t, u->cost / (u->tasks ? u->tasks : 1), reason, for_job, &releasing);
            if (rc == LSCHED_OK) rc = victim_add(y, u, releasing);
        }
    }
    return rc;
}

static uint8_t state_of(const lsched_cycle *y, uint32_t task) {
    return row_is_live(y->k, T_TASK, task) ? y->k->c[C_TASK_STATE].u8[task] : LSCHED_TASK_NONE;
}

static const struct victim_unit *unit_in_order(const struct victim_set *set, uint32_t order) {
    for (uint32_t i = 0; i < set->n; i++)
        if (set->unit[i].chosen == order) return &set->unit[i];
    return NULL;
}

/* Evicts victims on the node. The engine itself computes the set of victims for this node again;
 * no argument of the action says which tasks are evicted. */
int32_t call_evict_on(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node) {
    if (!may_ask(y, job, group) || !row_is_live(y->k, T_NODE, node)) return LSCHED_E_INVAL;
    struct victim_search *h = y->search;
    uint32_t shape = leaf_shape(y->k, job, group), tasks = 0;
    if (h->reason == LSCHED_FOR_RECLAIM) victim_side_look(y);
    int32_t rc = victim_search_evaluate(y, node, shape);
    if (rc != LSCHED_OK) return rc;
    if (h->set.key.impossible || y->stop) return 0;
    uint64_t left =
        h->reason == LSCHED_FOR_CONSOLIDATE ? cycle_eviction(y)->moves_max : evictions_left(y);
    if (h->n_victims + h->set.key.tasks > left) {
        if (h->reason != LSCHED_FOR_CONSOLIDATE)
            refuse(y, LSCHED_EVICT_RATE, (y->now / HOUR_US + 1) * HOUR_US);
        return 0;
    }
    if (y->n_fresh - y->fresh_mark + h->set.key.tasks >= y->decisions_left) {
        act_is_full(y);
        return 0;
    }
    act_spend(y, h->set.key.tasks);
    if (y->stop) return 0;
    for (uint32_t order = 1; order <= h->set.n && rc == LSCHED_OK; order++) {
        const struct victim_unit *u = unit_in_order(&h->set, order);
        if (!u) continue;
        /* the nomination may have been withdrawn together with another one of its gang */
        if (u->nominated && state_of(y, u->task) != LSCHED_TASK_NOMINATED) continue;
        rc = evict_unit(y, u);
        if (rc == LSCHED_OK) rc = job_requeue(y->k, u->job);
        tasks++;
    }
    /* the job's side changed: charge_allow reads it next */
    if (h->reason == LSCHED_FOR_RECLAIM) victim_side_look(y);
    return rc == LSCHED_OK ? (int32_t)tasks : rc;
}

/* ---- room below a limit ---- */

/* True if the policy's evictions per hour and the bound on decisions allow one more eviction. */
static int may_stop_more(lsched_cycle *y) {
    if (y->n_fresh - y->fresh_mark + 1 >= y->decisions_left) act_is_full(y);
    return !y->stop && y->search->n_victims < evictions_left(y);
}

int32_t call_relieve(lsched_cycle *y, uint32_t job, uint32_t group) {
    if (!may_ask(y, job, group)) return LSCHED_E_INVAL;
    struct victim_search *h = y->search;
    int32_t units = 0;
    if (h->reason == LSCHED_FOR_CONSOLIDATE) return 0;
    while (!queue_rules_allow_charge(y, job, group, charge_wanted(y, job, group), 1)) {
        struct victim_unit u;
        if (y->why.code != LSCHED_WAIT_LIMIT || y->why.kind >= KINDS_MAX) return 0;
        if (!may_stop_more(y)) return 0;
        if (h->reason == LSCHED_FOR_RECLAIM) victim_side_look(y);
        int32_t rc = victim_order_cheapest(y, y->why.limiting, &u);
        if (rc != 1) return rc;
        rc = evict_unit(y, &u);
        if (rc == LSCHED_OK) rc = job_requeue(y->k, u.job);
        if (rc != LSCHED_OK) return rc;
        units++;
    }
    return units;
}

/* Pins each job that has a victim without a new place: with by_unit, the search no longer chooses
 * its work. Returns how many jobs were not pinned before. */
static uint32_t pin_homeless(lsched_cycle *y) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t before = h->n_pinned;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        struct victim_job *j = &h->jobs[h->victims[i].job];
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        steps_add(k, 1);
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_MIGRATE || j->pinned == h->pin_stamp) continue;
        j->pinned = h->pin_stamp;
        h->n_pinned++;
    }
    return h->n_pinned - before;
}

/* Pins the jobs with a victim that found no new place and, unless by_unit is set, excludes the
 * nodes on which this transaction made room. Returns 1 if the search can go on, 0 if not. */
int32_t call_exclude(lsched_cycle *y) {
    struct victim_search *h = y->search;
    if (!h) return LSCHED_E_INVAL;
    if (h->n_excluded >= EXCLUDED_MAX || h->n_pinned >= EXCLUDED_MAX) return 0;
    uint32_t pinned = pin_homeless(y);
    if (h->by_unit) return pinned > 0;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t node = y->k->c[C_TASK_NODE].u32[h->victims[i].task];
        h->n_excluded += !h->excluded[node];
        h->excluded[node] = 1;
    }
    return h->n_victims > 0;
}

/* ---- victims that are not needed ---- */

/* True if the victims' queue stays within all limits with the victim running again. Only the
 * queues above both the victim and the job are checked: there, the job may have taken the room
 * below the limit. In all other queues of the victim, use is as it was before the eviction. */
static int limits_hold(const lsched_cycle *y, uint32_t queue) {
    const struct columns *k = y->k;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        if (!queue_is_below(k, k->c[C_JOB_QUEUE].u32[y->job], q)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (k->c[C_QUEUE_USED + r].i64[q] > k->c[C_QUEUE_LIMIT_NOW + r].i64[q]) return 0;
        for (uint32_t a = k->c[C_QUEUE_AMOUNTS].u32[q]; a != NO_ROW;
             a = k->c[C_QAMOUNT_NEXT].u32[a])
            if (k->c[C_QAMOUNT_USED].i64[a] > k->c[C_QAMOUNT_LIMIT_NOW].i64[a]) return 0;
        if (k->c[C_QUEUE_JOBS_MAX].u32[q] &&
            k->c[C_QUEUE_JOBS_HELD].u32[q] > k->c[C_QUEUE_JOBS_MAX].u32[q])
            return 0;
    }
    return 1;
}

/* True if the job's side is still within its entitlement with this victim running again. Victims
 * in other branches may have been allowed only because this victim was gone. */
static int rights_hold(lsched_cycle *y, uint32_t queue) {
    return victim_rules_ancestor(y, queue) >= y->search->n_path || victim_side_short(y) == NO_ROW;
}

/* Lets the victims [first, end), which form one eviction unit, run again. Returns 1, or 0 if the
 * unit cannot run again: no room, its gang incomplete, a limit, or the entitlement of the job's
 * side. */
static int32_t restore_unit(lsched_cycle *y, uint32_t first, uint32_t end) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t job = h->victims[first].job;
    int fits = 1;
    size_t mark = undo_mark(k);
    for (uint32_t i = first; i < end && fits; i++) {
        int32_t rc = undo_room(k);
        uint32_t releasing = h->victims[i].task, node = k->c[C_TASK_NODE].u32[releasing];
        uint32_t index = k->c[C_TASK_INDEX].u32[releasing];
        if (rc == LSCHED_OK) rc = releasing_restore(k, releasing);
        if (rc != LSCHED_OK) return rc;
        fits = !node_nominations_short(k, node) &&
               rules_nominated_beside(k, task_find(k, job, index)) == NO_ROW;
    }
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    if (!fits || !job_satisfied(k, job) || !limits_hold(y, queue) || !rights_hold(y, queue)) {
        undo_rollback(k, mark);
        return 0;
    }
    int32_t rc = job_requeue(k, job);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Drops the victims that run again, and their decisions, from the plan. */
static void forget_restored(lsched_cycle *y) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t n = 0, d = y->fresh_mark;
    for (uint32_t i = 0; i < h->n_victims; i++)
        if (h->victims[i].moved != UINT32_MAX) h->victims[n++] = h->victims[i];
    h->n_victims = n;
    for (uint32_t i = y->fresh_mark; i < y->n_fresh; i++)
        if (row_is_live(k, T_DECISION, y->fresh[i])) y->fresh[d++] = y->fresh[i];
    y->n_fresh = d;
}

int32_t call_spare(lsched_cycle *y) {
    struct victim_search *h = y->search;
    if (!h) return LSCHED_E_INVAL;
    int32_t spared = 0;
    for (uint32_t end = h->n_victims, first; h->n_units > 1 && end > 0; end = first) {
        for (first = end - 1; first > 0 && h->victims[first - 1].unit == h->victims[end - 1].unit;)
            first--;
        int32_t rc = restore_unit(y, first, end);
        if (rc < 0) return rc;
        spared += rc;
        if (rc) victim_last_forget(h, h->victims[first].unit);
        for (uint32_t i = first; rc && i < end; i++) {
            struct victim_task *v = &h->victims[i];
            v->moved = UINT32_MAX;
            victim_side_count(y, y->k->c[C_JOB_QUEUE].u32[v->job], v->ground, -1);
        }
    }
    if (spared) victim_order_drop(h);
    if (spared) forget_restored(y);
    return spared;
}

/* Ends the credit of a reclaim, which placed the job although its queues were above their
 * entitlement. As long as a queue on the job's path is above its entitlement, the cheapest unit
 * below this queue is evicted, wherever it runs. Returns 1 when no queue is above it, 0 if that
 * cannot be reached. */
int32_t call_pay_rights(lsched_cycle *y) {
    struct victim_search *h = y->search;
    if (!h) return LSCHED_E_INVAL;
    for (;;) {
        struct victim_unit u;
        uint32_t queue = victim_side_short(y), way = h->way;
        if (queue == NO_ROW) return 1;
        if (!may_stop_more(y)) return 0;
        h->way = 0;
        int32_t rc = victim_order_cheapest(y, queue, &u);
        h->way = way;
        if (rc != 1) return rc;
        rc = evict_unit(y, &u);
        if (rc == LSCHED_OK) rc = job_requeue(y->k, u.job);
        if (rc != LSCHED_OK) return rc;
    }
}

/* Starts a second search (by_unit) for a consolidation that has no candidate node left: all nodes
 * become candidates again, but work of pinned jobs is not chosen. */
static int32_t look_by_unit(lsched_cycle *y) {
    struct victim_search *h = y->search;
    if (h->by_unit || h->n_pinned == 0 || y->stop || h->work_left == 0) return 0;
    memset(h->excluded, 0, h->cap_nodes);
    h->n_excluded = 0;
    h->by_unit = 1;
    h->built = 0;
    return 1;
}

/* Chooses another way (bits VICTIM_*) of seeking victims for the job. The ways on credit are for
 * jobs whose side is above its entitlement, or for which a unit was refused only because their
 * side is above its guarantee. */
int32_t call_another_way(lsched_cycle *y) {
    struct victim_search *h = y->search;
    if (!h || h->job == NO_ROW) return LSCHED_E_INVAL;
    if (h->reason == LSCHED_FOR_CONSOLIDATE) return look_by_unit(y);
    if (h->reason != LSCHED_FOR_RECLAIM || y->stop || h->work_left == 0 ||
        h->why_code == LSCHED_EVICT_RATE)
        return 0;
    victim_side_look(y);
    uint32_t gang = h->below_minimum && y->k->c[C_JOBSHAPE_TASKS_MIN].u32[h->jobshape] > 1;
    uint32_t credit = victim_side_beyond(y, NULL) > 0;
    uint32_t ways = (gang ? VICTIM_LARGEST : 0) | (credit ? VICTIM_ON_CREDIT : 0) |
                    (h->lacks_guarantee && h->may_guarantee ? VICTIM_GUARANTEE_ON_CREDIT : 0),
             way = h->way + 1;
    /* VICTIM_LARGEST changes only the order of units. If there was no choice, the result would be
     * the same as before. */
    if (!h->chose && way == (h->way | VICTIM_LARGEST)) way++;
    while (way & ~ways && way < VICTIM_WAYS) way++;
    if (way >= VICTIM_WAYS) return 0;
    h->way = way;
    h->chose = 0;
    h->built = 0;
    return 1;
}

/* ---- keep or undo a transaction ---- */

static int32_t count_disruption(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    int32_t rc = undo_room(k);
    uint32_t c = rc == LSCHED_OK ? job_cost(k, job) : NO_ROW;
    if (c == NO_ROW) return LSCHED_E_NOMEM;
    int64_t window = k->c[C_COST_WINDOW].i64[c];
    int anew = window && y->now - k->c[C_COST_WINDOW_START].i64[c] >= window;
    if (anew || k->c[C_COST_DISRUPTIONS].u32[c] == 0) {
        set_i64(k, C_COST_WINDOW_START, c, y->now);
        set_u32(k, C_COST_DISRUPTIONS, c, 0);
    }
    add_u32(k, C_COST_DISRUPTIONS, c, 1);
    int whole = job_count(k, job).placed == 0;
    set_i64(k, whole ? C_COST_EVICTED_AT : C_COST_SHRUNK_AT, c, y->now);
    return LSCHED_OK;
}

/* True if the transaction stops only work of the job's own queue, and no queue has a quota of a
 * resource part. */
static int stops_own_work(const lsched_cycle *y) {
    const struct columns *k = y->k;
    const struct victim_search *h = y->search;
    int stops = 0;
    if (h->reason != LSCHED_FOR_PREEMPT && !h->both) return 0;
    for (uint32_t d = 0; d < LIMIT_RESOURCE_PARTS; d++)
        if (h->parts_guarded[d]) return 0;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        const struct victim_task *v = &h->victims[i];
        uint32_t queue = victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[v->job]);
        if (queue != victim_rules_real_queue(k, h->queue)) return 0;
        stops |= k->c[C_DECISION_KIND].u8[k->c[C_TASK_DECISION].u32[v->task]] != LSCHED_MIGRATE;
    }
    return stops;
}

int evict_grows(lsched_cycle *y) {
    struct victim_search *h = y->search;
    uint32_t queue = h && stops_own_work(y) ? victim_side_grown(y) : NO_ROW;
    if (queue == NO_ROW) return 0;
    h->why_queue = queue;
    for (uint32_t r = (uint32_t)meta(y->k, M_N_KINDS); r-- > 1;) {
        int64_t right = victim_rules_right(y, queue, r, 0), used = 0;
        for (uint32_t i = 0; i < h->n_path; i++)
            if (h->path[i] == queue) used = h->before[i][r];
        if (!(h->kinds_before >> r & 1) || y->k->c[C_QUEUE_USED + r].i64[queue] <= right) continue;
        h->why_kind = r;
        h->why_need = h->need[r];
        h->why_have = right > used ? right - used : 0;
    }
    refuse(y, LSCHED_EVICT_SHARE, LSCHED_NEVER_US);
    return 1;
}

/* True if every victim of a consolidation has a new place and no victim's gang is below its
 * minimum. A consolidation must not stop work. */
static int all_moved(const lsched_cycle *y) {
    const struct columns *k = y->k;
    const struct victim_search *h = y->search;
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_MIGRATE || !job_satisfied(k, h->victims[i].job))
            return 0;
    }
    return 1;
}

int32_t evict_commit(lsched_cycle *y) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t last = NO_ROW;
    if (!h) return LSCHED_OK;
    uint64_t evicted = 0;
    if (h->reason == LSCHED_FOR_CONSOLIDATE && !all_moved(y)) return LSCHED_E_STATE;
    if (y->job != NO_ROW && (h->n_victims == 0 || nominations_wait_for_nobody(k, y->job))) {
        int32_t rc = nominations_look_again(y, y->job);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t job = h->victims[i].job;
        if (job == last) continue;
        last = job;
        int32_t rc = count_disruption(y, job);
        if (rc == LSCHED_OK) rc = job_settle_losses(k, job, y->now, withdraw_decision_note, y);
        if (rc == LSCHED_OK) rc = share_update(&y->c->share, k, k->c[C_JOB_QUEUE].u32[job]);
        if (rc == LSCHED_OK && y->out_of_memory) rc = LSCHED_E_NOMEM;
        if (rc != LSCHED_OK) return rc;
    }
    /* the rule that a gang runs as a whole may have turned a move into an eviction */
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        int moves = k->c[C_DECISION_KIND].u8[d] == LSCHED_MIGRATE;
        y->moves += (uint64_t)moves;
        evicted += (uint64_t)!moves;
        int32_t rc = moves ? LSCHED_OK : mark_victim(y, h->victims[i].job, h->job);
        if (rc != LSCHED_OK) return rc;
    }
    y->evictions += evicted;
    h->n_victims = h->n_units = h->next_move = 0;
    h->others.known = 0;
    /* evictions that the orchestrator asked for do not count in the policy's rate per hour */
    if (h->reason == LSCHED_FOR_DRAIN) return LSCHED_OK;
    int64_t hour = y->now / HOUR_US;
    uint64_t before = (int64_t)meta(k, M_EVICTED_SINCE) == hour ? meta(k, M_EVICTED_HOUR) : 0;
    set_meta(k, M_EVICTED_SINCE, (uint64_t)hour);
    set_meta(k, M_EVICTED_HOUR, before + evicted);
    return LSCHED_OK;
}

void evict_rolled_back(lsched_cycle *y) {
    struct victim_search *h = y->search;
    size_t at = y->k->undo_n;
    gang_domains_forget(&y->pins);
    while (y->n_withdrawn > 0 && y->withdrawn[y->n_withdrawn - 1].at >= at) {
        y->n_withdrawn--;
        if (h) h->built = 0;
    }
    if (!h) return;
    victim_order_drop(h);
    uint32_t n = h->n_victims; /* the victims that the rollback undid are the last ones */
    while (n > 0 && !(row_is_live(y->k, T_TASK, h->victims[n - 1].task) &&
                      y->k->c[C_TASK_STATE].u8[h->victims[n - 1].task] == LSCHED_TASK_RELEASING))
        n--;
    /* costs can be lower now than the costs stored in the heap */
    if (n < h->n_victims) h->built = 0;
    for (uint32_t i = n; i < h->n_victims; i++)
        victim_side_count(y, y->k->c[C_JOB_QUEUE].u32[h->victims[i].job], h->victims[i].ground, -1);
    h->n_victims = n;
    h->n_units = n ? h->victims[n - 1].unit : 0;
    if (h->next_move > n) h->next_move = n;
}

int evict_blocks_growth(const lsched_cycle *y, uint32_t job, int64_t *until) {
    const struct columns *k = y->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c == NO_ROW || k->c[C_COST_SHRUNK_AT].i64[c] == 0 || !job_satisfied(k, job)) return 0;
    int64_t least = 0;
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW && least == 0;
         q = k->c[C_QUEUE_PARENT].u32[q])
        least = k->c[C_QUEUE_RECLAIM_MIN].i64[q] > k->c[C_QUEUE_PREEMPT_MIN].i64[q]
                    ? k->c[C_QUEUE_RECLAIM_MIN].i64[q]
                    : k->c[C_QUEUE_PREEMPT_MIN].i64[q];
    *until = time_after(k->c[C_COST_SHRUNK_AT].i64[c], least);
    return y->now < *until;
}
