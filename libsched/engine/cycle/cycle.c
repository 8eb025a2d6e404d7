/* cycle.c -- see cycle.h. */
#include "engine/state/cycle_state.h"

#include <stdio.h>

#include "engine/state/cache_check.h"
#include "engine/cycle/pressure_relief.h"
#include "engine/actions/domain_calls.h"
#include "engine/policy_hooks/hook_strategy.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/victims/victim_search.h"
#include "engine/queues/lending.h"
#include "engine/waits/pass.h"
#include "engine/plan/plan.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/put_off.h"
#include "engine/queues/queue_rules.h"
#include "engine/verify/verify.h"
#include "model/jobs/refusal.h"
#include "engine/policy_hooks/hooks.h"
#include "engine/state/withdraw_decision.h"
#include "engine/waits/nominations.h"
#include "engine/cycle/wake.h"
#include "engine/actions/place_calls.h"
#include "engine/actions/evict_calls.h"
#include "engine/cycle/cycle.h"

#define RESTARTS_MAX (POLICY_HOOKS + 1)

static int32_t algorithm_for(struct lsched_cycle *y, uint32_t role, const char *name,
                             struct algorithm_slot **slot) {
    *slot = algorithm_find(y->c, role, name);
    if (!*slot) {
        if (y->err) {
            y->err->code = LSCHED_E_NOENT;
            snprintf(y->err->message, sizeof y->err->message,
                     "the policy names an unknown algorithm '%s'", name);
        }
        return LSCHED_E_NOENT;
    }
    return algorithm_ready(y->c, *slot, y->err);
}

static int32_t setup(struct lsched_cycle *y) {
    const struct policy_desc *d = &y->c->policy.policy.desc;
    int builtin = !y->c->policy.policy.ops;
    struct algorithm_slot *slot;
    int32_t rc = algorithm_for(y, LSCHED_ROLE_PLACE,
                               builtin || !d->placement[0] ? "binpack" : d->placement, &slot);
    if (rc != LSCHED_OK) return rc;
    y->place = slot->table->place;
    y->place_self = slot->self;
    y->place_slot = slot;
    rc =
        algorithm_for(y, LSCHED_ROLE_ORDER, builtin || !d->order[0] ? "priority" : d->order, &slot);
    if (rc != LSCHED_OK) return rc;
    y->order = slot->table->order;
    y->order_self = slot->self;
    hooks_look(y);
    return LSCHED_OK;
}

/* Returns the reasons for which actions from number i on evict or move work for waiting jobs, one
 * bit per reason. */
static uint32_t evicts_from(struct lsched_cycle *y, uint32_t i) {
    uint32_t reasons = 0;
    for (; i < y->pipeline.n; i++) {
        const struct algorithm_slot *slot =
            algorithm_find(y->c, LSCHED_ROLE_ACT, y->pipeline.actions[i].word);
        if (slot) reasons |= slot->table->act->evicts;
    }
    return reasons;
}

static int32_t cycle_run_action(struct lsched_cycle *y, uint32_t i) {
    const char *name = y->pipeline.actions[i].word;
    /* advice is made after the plan */
    if (algorithm_find(y->c, LSCHED_ROLE_ADVISE, name)) return LSCHED_OK;
    struct algorithm_slot *slot;
    int32_t rc = algorithm_for(y, LSCHED_ROLE_ACT, name, &slot);
    y->later = 0;
    y->plans_time = 0;
    y->stale_found = 0;
    y->evicts_after = evicts_from(y, i + 1);
    put_off_close(y);
    if (rc == LSCHED_OK) rc = pass_enter(y, i);
    if (rc == LSCHED_OK) rc = slot->table->act->run(slot->self, &cycle_act, y);
    if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    /* the action did not end a search or a deferral that it began */
    if (y->search || y->n_deferred) return LSCHED_E_INVAL;
    return LSCHED_OK;
}

static int32_t run_actions(struct lsched_cycle *y) {
    int32_t rc = LSCHED_OK;
    /* the filter hook has failed: no action can place a task */
    int closed = (y->hooks_off & LSCHED_HOOK_FILTER) != 0;
    y->action = pass_action(y);
    int again = !closed && pass_affords(y);
    while (again && rc == LSCHED_OK) {
        for (uint32_t i = pass_action(y); i < y->pipeline.n && rc == LSCHED_OK && !y->stop; i++)
            rc = cycle_run_action(y, i);
        again = rc == LSCHED_OK && !y->stop ? pass_another_round(y) : 0;
        if (again < 0) rc = again;
        if (again > 0) rc = put_off_round(y);
    }
    if (rc != LSCHED_OK) return rc;
    hook_jobs_acted(y);
    if (closed) pass_drop(y);
    if (closed) return LSCHED_OK;
    return y->stop ? pass_suspend(y) : pass_end(y);
}

/* Prepares the pass: with the jobs that are awake now, or with those of its start if it
 * continues. */
static int32_t prepare(struct lsched_cycle *y, int goes_on) {
    struct algorithm_slot *share;
    int32_t rc = goes_on ? wake_refresh_rights(y) : wake_bundles(y);
    if (goes_on) {
        pass_resume(y);
    } else {
        if (rc == LSCHED_OK) rc = wake_refresh(y);
        if (rc == LSCHED_OK) rc = wake_admit(y);
        if (rc == LSCHED_OK) rc = pass_begin(y);
    }
    if (rc == LSCHED_OK) rc = cycle_prepare_place(y);
    if (rc != LSCHED_OK) return rc;
    rc = algorithm_for(y, LSCHED_ROLE_SHARE, cluster_share_name(y->c), &share);
    if (rc == LSCHED_OK)
        rc = share_begin(&y->c->share, y->k, share->table->share, share->self, &y->c->view);
    if (rc == LSCHED_OK) rc = lending_begin(y);
    y->evicts_after = evicts_from(y, 0);
    y->guaranteed = y->evicts_after ? victim_search_guaranteed_kinds(y->k) : 0;
    return rc == LSCHED_OK && !goes_on ? put_off_pass(y) : rc;
}

/* Finishes an open pass first. With the rest of the budget, it then runs a pass over the changes
 * since the open pass began. */
static int32_t run_passes(struct lsched_cycle *y) {
    int goes_on = pass_goes_on(y);
    for (;;) {
        int32_t rc = prepare(y, goes_on);
        if (rc == LSCHED_OK) rc = run_actions(y);
        if (rc != LSCHED_OK || !goes_on || y->stop || !pass_is_stale(y)) return rc;
        goes_on = 0;
        y->evict_next = LSCHED_NEVER_US;
        rc = undo_room(y->k);
        if (rc != LSCHED_OK) return rc;
        set_meta(y->k, M_CYCLE,
                 /* the jobs of the next pass count as not tried in this cycle number */
                 meta(y->k, M_CYCLE) + 1);
    }
}

static int32_t attempt(struct lsched_cycle *y) {
    y->stop = y->full = y->saves = 0;
    y->n_fresh = 0;
    y->owes = 0;
    y->n_withdrawn = 0;
    y->group_serial = meta(y->k, M_GROUP_SERIAL);
    y->n_idle = y->idle_at = y->n_deferred = 0;
    y->overdue = NO_ROW;
    y->evictions = y->moves = y->proven = y->cut = 0;
    y->later = 0;
    y->ended = y->stood = 0;
    y->budget = y->given;
    gang_domains_forget(&y->pins);
    y->evict_next = LSCHED_NEVER_US;
    victim_search_close(y);
    put_off_close(y);
    set_meta(y->k, M_CYCLE, meta(y->k, M_CYCLE) + 1);
    y->number = meta(y->k, M_CYCLE);
    set_meta(y->k, M_SCHEDULED, (uint64_t)y->now);
    if ((int64_t)meta(y->k, M_NOW) < y->now) set_meta(y->k, M_NOW, (uint64_t)y->now);
    y->choice.made = 0;
    int32_t rc = setup(y);
    if (rc == LSCHED_OK) rc = hook_pipeline(y);
    if (rc == LSCHED_OK) rc = queue_rules_begin(y);
    if (rc == LSCHED_OK) rc = pressure_relief(y);
    if (rc == LSCHED_OK && !pass_goes_on(y)) rc = refusals_end(y->k, y->now);
    if (rc == LSCHED_OK && (!pass_goes_on(y) || pass_is_stale(y))) rc = nominations_serve(y);
    if (rc == LSCHED_OK) rc = drain_leave(y);
    return rc == LSCHED_OK ? run_passes(y) : rc;
}

/* Runs the cycle. If a hook of the policy fails, the cycle is undone and run again without that
 * hook. */
static int32_t attempts(struct lsched_cycle *y) {
    struct policy *p = &y->c->policy.policy;
    size_t mark = undo_mark(y->k);
    for (int i = 0; i < RESTARTS_MAX; i++) {
        y->hook_failed = 0;
        policy_log_clear(&y->log);
        y->spent = 0;
        y->jobs_tried = 0;
        y->steps_aside = 0;
        y->looked_at = 0;
        uint64_t left = y->decisions_left;
        if (p->ops) p->ops->cycle_begin(p->self);
        y->c->search.cycle++;
        int32_t rc = undo_room(y->k);
        if (rc == LSCHED_OK) rc = attempt(y);
        if (p->ops) y->c->policy.instructions = p->ops->instructions_spent(p->self);
        if (rc == LSCHED_OK || !y->hook_failed) return rc;
        undo_rollback(y->k, mark);
        y->decisions_left = left;
        y->hooks_off |= y->hook_failed;
        y->flags |= LSCHED_PLAN_POLICY_FAILED;
        search_drop_all(&y->c->search, y->k); /* scores of the failed hook */
    }
    return LSCHED_E_POLICY;
}

static void count_failure(struct lsched_cycle *y) {
    struct policy_slot *s = &y->c->policy;
    if (!s->policy.ops) return;
    if (!y->hooks_off) {
        s->failures = 0;
        return;
    }
    memcpy(s->last_error, y->policy_message, sizeof s->last_error);
    uint32_t max = s->opts.failures_max ? s->opts.failures_max : 3;
    if (++s->failures >= max) y->flags |= LSCHED_PLAN_POLICY_EJECTED;
}

static void policy_eject(struct lsched_cluster *c) {
    struct policy_slot *s = &c->policy;
    algorithms_reset(c); /* algorithms can have pointers to the policy's parameters */
    s->policy.ops->destroy(s->policy.self);
    memset(&s->policy, 0, sizeof s->policy);
    s->ejected = 1;
    search_drop_all(&c->search, &c->k);
}

struct emit_to {
    struct lsched_plan *plan;
    const struct columns *k;
    const char *algorithm;
};

static int32_t emit_advice(void *to, const lsched_advice *advice) {
    struct emit_to *e = to;
    return plan_add_advice(e->plan, e->k, e->algorithm, advice);
}

static int32_t run_advice(struct lsched_cycle *y, struct lsched_plan *plan) {
    for (uint32_t i = 0; i < y->pipeline.n; i++) {
        struct algorithm_slot *slot =
            algorithm_find(y->c, LSCHED_ROLE_ADVISE, y->pipeline.actions[i].word);
        if (!slot) continue;
        int32_t rc = algorithm_ready(y->c, slot, y->err);
        struct emit_to to = {plan, y->k, slot->table->name};
        if (rc == LSCHED_OK) rc = view_update(&y->c->view, y->k, y->now);
        if (rc == LSCHED_OK)
            rc = slot->table->advise->run(slot->self, cycle_view(y), emit_advice, &to);
        if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    }
    return LSCHED_OK;
}

static int32_t finish(struct lsched_cycle *y, uint32_t flags, struct lsched_plan **plan) {
    uint32_t failures = y->c->policy.failures;
    count_failure(y);
    int32_t rc = withdraw_decision_drop(y);
    if (rc == LSCHED_OK) rc = plan_build(y, (flags & LSCHED_SCHEDULE_ALL_WAITING) != 0, plan);
    if (rc == LSCHED_OK) rc = run_advice(y, *plan);
    if (rc == LSCHED_OK && y->c->check_caches) rc = cache_check(y->c, y->err);
    if (rc == LSCHED_OK && ((flags & LSCHED_SCHEDULE_VERIFY) || y->c->verify_every_plan)) {
        rc = verify_state(y->k, y->err);
        if (rc == LSCHED_OK) rc = plan_verify(y->c, *plan, y->err);
        if (rc == LSCHED_OK) (*plan)->info.flags |= LSCHED_PLAN_VERIFIED;
    }
    if (rc == LSCHED_OK) return rc;
    plan_free(*plan);
    *plan = NULL;
    y->c->policy.failures = failures;
    return rc;
}

/* Treats hooks as failed from the start: they failed in an earlier run of this cycle, and would
 * perhaps not fail in this one. */
static void begin_without(struct lsched_cycle *y, uint32_t hooks) {
    const struct policy *p = &y->c->policy.policy;
    y->hooks_off = p->ops ? hooks & p->desc.hooks : 0;
    if (!y->hooks_off) return;
    y->flags |= LSCHED_PLAN_POLICY_FAILED;
    y->policy_error = LSCHED_E_POLICY;
    snprintf(y->policy_message, sizeof y->policy_message, "%s: the host took hooks to have failed",
             y->c->policy.given_name);
    search_drop_all(&y->c->search, y->k);
}

static int32_t run_once(struct lsched_cluster *c, const lsched_schedule_opts *opts,
                        lsched_plan **plan, lsched_error *err) {
    struct columns *k = &c->k;
    struct lsched_cycle *y = alloc_zero(&c->alloc, sizeof *y);
    if (!y) return LSCHED_E_NOMEM;
    uint64_t open = meta(k, M_OPEN_COUNT), room = c->open_max > open ? c->open_max - open : 0;
    y->c = c;
    y->k = k;
    y->err = err;
    y->now = opts->now_us;
    y->given = opts->work_budget ? opts->work_budget : UINT64_MAX;
    y->decisions_left =
        opts->decisions_max && opts->decisions_max < room ? opts->decisions_max : room;
    y->bound = y->decisions_left;
    y->job = NO_ROW;
    y->scored_before = c->search.scored;
    y->steps_before = *k->steps;
    y->eviction = c->policy.policy.ops ? c->policy.policy.desc.eviction : policy_eviction_default();
    if (opts->release_us) y->eviction.release_us = opts->release_us;
    y->moves_max = opts->moves_max;
    begin_without(y, opts->hooks_off);
    int32_t rc = undo_begin(k);
    if (rc == LSCHED_OK) {
        rc = attempts(y);
        if (rc == LSCHED_OK) rc = finish(y, opts->flags, plan);
        if (rc != LSCHED_OK) undo_rollback(k, 0);
        undo_end(k);
    }
    if (rc == LSCHED_OK) {
        c->interrupted = 0;
        (*plan)->info.policy_instructions = c->policy.instructions;
        if (y->flags & LSCHED_PLAN_POLICY_EJECTED) policy_eject(c);
        (*plan)->info.next_wake_us = wake_next(c);
    }
    victim_search_close(y);
    put_off_close(y);
    domains_close(y);
    alloc_free(&c->alloc, y->fresh, y->cap_fresh * sizeof *y->fresh);
    alloc_free(&c->alloc, y->idle, y->cap_idle * sizeof *y->idle);
    alloc_free(&c->alloc, y->stale, y->cap_stale * sizeof *y->stale);
    alloc_free(&c->alloc, y->roots, y->cap_roots * sizeof *y->roots);
    plan_calls_close(y);
    alloc_free(&c->alloc, y->withdrawn, y->cap_withdrawn * sizeof *y->withdrawn);
    alloc_free(&c->alloc, y, sizeof *y);
    return rc;
}

/* Runs one cycle. If memory runs out, caches are dropped and the cycle begins again with smaller
 * caches, in the end with none. The decisions stay the same, and the call fails only if the state
 * itself needs more memory. When memory is available again, caches grow again. */
int32_t cycle_run(struct lsched_cluster *c, const lsched_schedule_opts *opts, lsched_plan **plan,
                  lsched_error *err) {
    struct alloc *a = &c->alloc;
    int32_t rc = run_once(c, opts, plan, err);
    int short_of = rc == LSCHED_E_NOMEM;
    while (rc == LSCHED_E_NOMEM && a->tight < ALLOC_TIGHT_MOST) {
        a->tight++;
        cluster_drop_caches(c);
        rc = run_once(c, opts, plan, err);
    }
    if (rc == LSCHED_OK && err && short_of) lsched_error_init(err, err->size);
    if (rc == LSCHED_OK && !short_of && a->tight > 0 && a->bytes < a->limit_bytes / 2) a->tight--;
    return rc;
}
