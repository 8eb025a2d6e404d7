/* cycle.c -- see cycle.h. */
#include "base/call_args.h"
#include "engine/cheapest/cheapest_node.h"
#include "engine/adopt/adopt_walk.h"
#include "engine/cycle/act_table.h"
#include "engine/cycle/cycle_counts.h"
#include "engine/cycle/cycle_memory.h"
#include "engine/cycle/cycle_trace.h"
#include "engine/upkeep/drain_calls.h"
#include "engine/upkeep/warn.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/cycle_state.h"

#include <stdio.h>

#include "engine/state/cache_check.h"
#include "engine/cycle/pressure_relief.h"
#include "engine/actions/act_state.h"
#include "engine/actions/domain_calls.h"
#include "engine/policy_hooks/hook_strategy.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/rights/victim_right.h"
#include "engine/victims/victim_search.h"
#include "engine/queues/guarantee_reserve.h"
#include "engine/queues/lending.h"
#include "engine/waits/pass.h"
#include "engine/rights/checkpoints.h"
#include "engine/waits/proposal_life.h"
#include "engine/plan/plan.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/put_off.h"
#include "engine/queues/queue_rules.h"
#include "engine/resizes/resize_serve.h"
#include "engine/verify/verify.h"
#include "model/devices/contention.h"
#include "model/jobs/nominated_tasks.h"
#include "model/jobs/refusal.h"
#include "model/news/queue_news.h"
#include "model/told/change_feed.h"
#include "model/told/firm_start.h"
#include "model/queues/lend_limits.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/state/withdraw_decision.h"
#include "engine/waits/nominations.h"
#include "engine/cycle/wake.h"
#include "engine/actions/place_calls.h"
#include "engine/cycle/cycle.h"
#include "policy/eviction.h"

#define RESTARTS_MAX (POLICY_HOOKS + 1)

static int32_t algorithm_for(struct lsched_cycle *cy, uint32_t role, const char *name,
                             struct algorithm_slot **slot) {
    *slot = algorithm_find(cy->c, role, name);
    if (!*slot) {
        if (cy->err) {
            cy->err->code = LSCHED_E_NOENT;
            snprintf(cy->err->message, sizeof cy->err->message,
                     "the policy names an unknown algorithm '%s'", name);
        }
        return LSCHED_E_NOENT;
    }
    return algorithm_ready(cy->c, *slot, cy->err);
}

static int32_t setup(struct lsched_cycle *cy) {
    const struct policy_desc *d = &cy->c->policy.policy.desc;
    int builtin = !cy->c->policy.policy.ops;
    struct algorithm_slot *slot;
    int32_t rc = algorithm_for(cy, LSCHED_ROLE_PLACE,
                               builtin || !d->placement[0] ? "binpack" : d->placement, &slot);
    if (rc != LSCHED_OK) return rc;
    cycle_place_by(cy, slot);
    rc = algorithm_for(cy, LSCHED_ROLE_ORDER, builtin || !d->order[0] ? "priority" : d->order,
                       &slot);
    if (rc != LSCHED_OK) return rc;
    cy->policy.order = slot->table->order;
    cy->policy.order_self = slot->self;
    hook_nodes_look(cy);
    return LSCHED_OK;
}

/* Returns the reasons (LSCHED_FOR_*, one bit each) for which the actions from number i of the
 * pipeline on evict or move work for waiting jobs. */
static uint32_t evicts_from(struct lsched_cycle *cy, uint32_t i) {
    uint32_t reasons = 0;
    for (; i < cy->policy.pipeline.n; i++) {
        const struct algorithm_slot *slot =
            algorithm_find(cy->c, LSCHED_ROLE_ACT, cy->policy.pipeline.actions[i].word);
        if (slot) reasons |= slot->table->act->evicts;
    }
    for (uint32_t r = LSCHED_FOR_RECLAIM; r <= LSCHED_FOR_CONSOLIDATE; r++)
        if (decision_kinds_for(r) & ~cy->kinds) reasons &= ~(1u << r);
    return reasons;
}

/* True if no action before number i evicts or moves work for waiting jobs. */
static int searches_first(struct lsched_cycle *cy, uint32_t i) {
    for (uint32_t j = 0; j < i; j++) {
        const struct algorithm_slot *slot =
            algorithm_find(cy->c, LSCHED_ROLE_ACT, cy->policy.pipeline.actions[j].word);
        if (slot && slot->table->act->evicts) return 0;
    }
    return 1;
}

static int32_t cycle_run_action(struct lsched_cycle *cy, uint32_t i) {
    const char *name = cy->policy.pipeline.actions[i].word;
    /* an algorithm of the role `advise` runs later, after the plan is made */
    if (algorithm_find(cy->c, LSCHED_ROLE_ADVISE, name)) return LSCHED_OK;
    struct algorithm_slot *slot;
    int32_t rc = algorithm_for(cy, LSCHED_ROLE_ACT, name, &slot);
    cy->turn.later = 0;
    cy->act->plans_time = 0;
    cy->act->stale_found = 0;
    cy->act->evicts_after = evicts_from(cy, i + 1);
    put_off_close(cy);
    if (rc == LSCHED_OK) rc = pass_enter(cy, i);
    if (rc < 0) return rc;
    if (rc == 1 && slot->table->act->evicts && searches_first(cy, i)) pass_first_search(cy);
    struct cycle_stage stage = cycle_trace_begin(cy, LSCHED_TRACE_ACTION, i);
    rc = cycle_trace_end(cy, &stage, slot->table->act->run(slot->self, &cycle_act, cy));
    if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    /* true if the action did not end a victim search or a deferral that it began */
    if (cy->victims || cy->act->n_deferred) return LSCHED_E_INVAL;
    return LSCHED_OK;
}

static int32_t run_actions(struct lsched_cycle *cy) {
    int32_t rc = LSCHED_OK;
    /* if the filter hook has failed, no action runs, because no action could place a task */
    int closed = (cy->policy.hooks_off & LSCHED_HOOK_FILTER) != 0;
    cy->pass->action = pass_action(cy);
    int again = !closed && pass_affords(cy);
    while (again && rc == LSCHED_OK) {
        for (uint32_t i = pass_action(cy);
             i < cy->policy.pipeline.n && rc == LSCHED_OK && !cy->spend.stop; i++)
            rc = cycle_run_action(cy, i);
        again = rc == LSCHED_OK && !cy->spend.stop ? pass_another_round(cy) : 0;
        if (again < 0) rc = again;
        if (again > 0) rc = put_off_round(cy);
    }
    /* bundles that woke and were not tried stay awake for the next cycle */
    if (rc == LSCHED_OK) rc = room_line_flush(&cy->c->lines, &cy->c->share, cy->k);
    if (rc != LSCHED_OK) return rc;
    hook_jobs_acted(cy);
    if (closed) pass_drop(cy);
    if (closed) return LSCHED_OK;
    return cy->spend.stop ? pass_suspend(cy) : pass_end(cy);
}

/* Returns the resource kinds of which a queue has a guarantee, one bit each. The kinds are kept
 * until the quotas in force change. */
static uint32_t guaranteed_kinds(struct lsched_cluster *c) {
    struct guaranteed_kinds *g = &c->guaranteed;
    if (g->known && g->structure == c->k.structure && g->terms == c->k.queue_terms) return g->kinds;
    *g = (struct guaranteed_kinds){victim_right_guaranteed_kinds(&c->k), 1, c->k.structure,
                                   c->k.queue_terms};
    return g->kinds;
}

/* True if no action of this cycle can read the order of queues or their guarantees: no bundle is
 * active, and the only action is `allocate`, which activates none. */
static int needs_no_shares(const struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    return !cy->adopt && meta(k, M_ACTIVE) == 0 && !room_line_any(&cy->c->lines) &&
           !meta(k, M_RULES_NEWS) && !lend_limits_any(k) && meta(k, M_RESIZE_AWAKE) == NO_ROW &&
           cy->policy.pipeline.n == 1 &&
           strcmp(cy->policy.pipeline.actions[0].word, "allocate") == 0;
}

/* Prepares what transactions read while nodes are to leave. A pass that begins has brought the line
 * up to date when it woke jobs (wake.c); a pass that goes on does it here. It also ends the
 * absences that are over: in the order of their ends, this costs O(log nodes) for each of them, but
 * a later pass would have to make the line again. That pass tries the jobs that can use the nodes.
 */
static int32_t prepare_absences(struct lsched_cycle *cy) {
    int32_t rc = absence_line_end(&cy->c->absences, cy->k, cy->now);
    if (rc == LSCHED_OK) rc = absence_line_sync(&cy->c->absences, cy->k, cy->now);
    return rc == LSCHED_OK ? job_marks_reserve(&cy->c->marks, cy->k) : rc;
}

/* Prepares the pass. A new pass tries the jobs that are awake now. A pass that continues (goes_on
 * 1) tries the jobs that were awake when it began. */
static int32_t prepare(struct lsched_cycle *cy, int goes_on) {
    struct algorithm_slot *share;
    int32_t rc = goes_on ? wake_refresh_rights(cy) : wake_bundles(cy);
    if (goes_on) {
        pass_resume(cy);
    } else {
        if (rc == LSCHED_OK) rc = wake_refresh(cy);
        if (rc == LSCHED_OK) rc = wake_admit(cy);
        if (rc == LSCHED_OK) rc = pass_begin(cy);
        if (rc == LSCHED_OK) cycle_memory_reserve(cy);
    }
    if (rc == LSCHED_OK && meta(cy->k, M_ABSENCES)) rc = prepare_absences(cy);
    if (rc == LSCHED_OK) rc = cycle_prepare_place(cy);
    if (rc == LSCHED_OK)
        rc = algorithm_for(cy, LSCHED_ROLE_SHARE, cluster_share_name(cy->c), &share);
    if (rc == LSCHED_OK && needs_no_shares(cy)) return rc;
    if (rc == LSCHED_OK)
        rc = share_begin(&cy->c->share, cy->k, share->table->share, share->self, &cy->c->view);
    if (rc == LSCHED_OK) rc = room_line_open(&cy->c->lines, &cy->c->share, cy->k);
    if (rc == LSCHED_OK) rc = lending_begin(cy);
    cy->act->evicts = cy->act->evicts_after = evicts_from(cy, 0);
    cy->act->guaranteed = cy->act->evicts ? guaranteed_kinds(cy->c) : 0;
    return rc == LSCHED_OK && !goes_on ? put_off_pass(cy) : rc;
}

/* Goes through the plan of a clone instead of the actions. Bundles that woke stay awake: the next
 * cycle tries them in a pass of its own. */
static int32_t run_adoption(struct lsched_cycle *cy) {
    struct cycle_stage stage = cycle_trace_begin(cy, LSCHED_TRACE_PREPARE, 0);
    int32_t rc = prepare(cy, 0);
    if (rc == LSCHED_OK) rc = resize_serve(cy);
    if (rc == LSCHED_OK) rc = room_line_flush(&cy->c->lines, &cy->c->share, cy->k);
    rc = cycle_trace_end(cy, &stage, rc);
    if (rc != LSCHED_OK) return rc;
    put_off_close(cy);
    stage = cycle_trace_begin(cy, LSCHED_TRACE_ADOPT, 0);
    rc = cycle_trace_end(cy, &stage, cy->adopt->run(cy, &cycle_act));
    if (rc == LSCHED_OK) rc = undo_room(cy->k);
    if (rc != LSCHED_OK) return rc;
    hook_jobs_acted(cy);
    pass_drop(cy);
    return LSCHED_OK;
}

/* First finishes the pass that an earlier cycle left open, if there is one. If the state has
 * changed since that pass began, then runs another pass with the work units that are left. */
static int32_t run_passes(struct lsched_cycle *cy) {
    int goes_on = pass_goes_on(cy);
    int64_t served = cy->pass->evict_next; /* what is no part of a pass has asked for this time */
    if (cy->adopt) return run_adoption(cy);
    for (;;) {
        struct cycle_stage stage = cycle_trace_begin(cy, LSCHED_TRACE_PREPARE, 0);
        int32_t rc = prepare(cy, goes_on);
        rc = cycle_trace_end(cy, &stage, rc == LSCHED_OK ? resize_serve(cy) : rc);
        if (rc == LSCHED_OK) rc = run_actions(cy);
        if (rc != LSCHED_OK || !goes_on || cy->spend.stop || !pass_is_stale(cy)) return rc;
        goes_on = 0;
        cy->pass->evict_next = served;
        rc = undo_room(cy->k);
        if (rc != LSCHED_OK) return rc;
        set_meta(cy->k, M_CYCLE,
                 /* with the new cycle number, all jobs count as not tried in the next pass */
                 meta(cy->k, M_CYCLE) + 1);
    }
}

/* Puts the policy's table of slow-downs into force. If it is a new one, nominations end whose tasks
 * would be beside others that the table bars. */
static int32_t follow_contention(struct lsched_cycle *cy) {
    const struct policy *p = &cy->c->policy.policy;
    struct columns *k = cy->k;
    const struct contention_table *was = work_kinds(k), *to = p->ops ? &p->desc.contention : NULL;
    if (!was && (!to || to->n == 0)) return LSCHED_OK;
    uint64_t before = k->structure;
    int32_t rc = contention_follow(k, to);
    if (before == k->structure) return rc;
    EACH_LIVE(k, T_NODE, n) {
        if (rc == LSCHED_OK && k->c[C_NODE_CROWD_FIRST].u32[n] != NO_ROW)
            rc = node_trim_nominations(k, n, cy->now, withdraw_decision_note, cy);
    }
    return rc;
}

/* Chooses the pipeline, and does what does not depend on it: proposals that expire, tasks that
 * have written their checkpoint, reports of memory pressure, spent allowances, warnings, refusals
 * that end, nominations and drains. */
static int32_t serve(struct lsched_cycle *cy) {
    int32_t rc = decision_kinds_begin(cy);
    if (rc == LSCHED_OK) rc = setup(cy);
    if (rc == LSCHED_OK) rc = hook_pipeline(cy);
    if (rc == LSCHED_OK) rc = queue_rules_begin(cy);
    if (rc == LSCHED_OK) rc = follow_contention(cy);
    if (rc == LSCHED_OK) rc = proposal_life_serve(cy);
    if (rc == LSCHED_OK) rc = checkpoints_serve(cy);
    if (rc == LSCHED_OK) rc = pressure_relief(cy);
    if (rc == LSCHED_OK && cy->c->end_spent) rc = cy->c->end_spent(cy);
    if (rc == LSCHED_OK) rc = warn_serve(cy);
    if (rc == LSCHED_OK && !pass_goes_on(cy)) rc = refusals_end(cy->k, cy->now);
    if (rc == LSCHED_OK && (!pass_goes_on(cy) || pass_is_stale(cy))) rc = nominations_serve(cy);
    if (rc == LSCHED_OK) rc = drain_leave(cy);
    return rc;
}

static int32_t attempt(struct lsched_cycle *cy) {
    room_line_rest(&cy->c->lines, &cy->c->share);
    cy->spend.stop = cy->spend.full = cy->pass->saves = 0;
    cy->decisions.n_fresh = 0;
    cy->reserve->owes = 0;
    cy->decisions.n_withdrawn = 0;
    cy->turn.group_serial = meta(cy->k, M_GROUP_SERIAL);
    cy->policy.n_idle = cy->policy.idle_at = cy->act->n_deferred = cy->act->first_deferred = 0;
    cy->act->drain_waits = cy->act->gives_firm = 0;
    cy->act->overdue = NO_ROW;
    cy->counts.evictions = cy->counts.moves = cy->counts.proven = cy->counts.cut = 0;
    cy->turn.later = 0;
    cy->pass->ended = cy->pass->stood = 0;
    cy->spend.budget = cy->spend.given;
    gang_domains_forget(&cy->act->pins);
    cy->pass->evict_next = LSCHED_NEVER_US;
    victim_search_close(cy);
    put_off_close(cy);
    set_meta(cy->k, M_CYCLE, meta(cy->k, M_CYCLE) + 1);
    cy->number = meta(cy->k, M_CYCLE);
    set_meta(cy->k, M_SCHEDULED, (uint64_t)cy->now);
    if ((int64_t)meta(cy->k, M_NOW) < cy->now) set_meta(cy->k, M_NOW, (uint64_t)cy->now);
    cy->policy.choice.made = 0;
    if (cy->adopt) pass_drop(cy); /* what an earlier cycle left open is begun again */
    struct cycle_stage stage = cycle_trace_begin(cy, LSCHED_TRACE_SERVE, 0);
    int32_t rc = cycle_trace_end(cy, &stage, serve(cy));
    return rc == LSCHED_OK ? run_passes(cy) : rc;
}

/* Runs the cycle. If a hook of the policy fails, the cycle is undone and run again without that
 * hook. */
static int32_t attempts(struct lsched_cycle *cy) {
    struct policy *p = &cy->c->policy.policy;
    size_t mark = undo_mark(cy->k);
    for (int i = 0; i < RESTARTS_MAX; i++) {
        cy->policy.hook_failed = 0;
        cy->trace.attempt += i > 0;
        policy_log_clear(&cy->policy.log);
        cy->spend.spent = 0;
        cy->counts.jobs_tried = 0;
        cy->counts.steps_aside = 0;
        cy->counts.looked_at = 0;
        memset(cy->counts.actions, 0, sizeof cy->counts.actions);
        uint64_t left = cy->spend.decisions_left;
        if (p->ops) p->ops->cycle_begin(p->self);
        cy->c->search.cycle++;
        int32_t rc = undo_room(cy->k);
        if (rc == LSCHED_OK) rc = attempt(cy);
        if (p->ops) cy->c->policy.instructions = p->ops->instructions_spent(p->self);
        if (rc == LSCHED_OK || !cy->policy.hook_failed) return rc;
        undo_rollback(cy->k, mark);
        cy->c->news.undone++;
        cy->spend.decisions_left = left;
        cy->policy.hooks_off |= cy->policy.hook_failed;
        cy->flags |= LSCHED_PLAN_POLICY_FAILED;
        /* the search indexes have scores of the failed hook */
        search_drop_all(&cy->c->search, cy->k);
    }
    return LSCHED_E_POLICY;
}

static void count_failure(struct lsched_cycle *cy) {
    struct policy_slot *s = &cy->c->policy;
    if (!s->policy.ops) return;
    if (!cy->policy.hooks_off) {
        s->failures = 0;
        return;
    }
    memcpy(s->last_error, cy->policy.message, sizeof s->last_error);
    uint32_t max = s->opts.failures_max ? s->opts.failures_max : 3;
    if (++s->failures >= max) cy->flags |= LSCHED_PLAN_POLICY_EJECTED;
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

static int32_t run_advice(struct lsched_cycle *cy, struct lsched_plan *plan) {
    for (uint32_t i = 0; i < cy->policy.pipeline.n; i++) {
        struct algorithm_slot *slot =
            algorithm_find(cy->c, LSCHED_ROLE_ADVISE, cy->policy.pipeline.actions[i].word);
        if (!slot) continue;
        int32_t rc = algorithm_ready(cy->c, slot, cy->err);
        struct emit_to to = {plan, cy->k, slot->table->name};
        if (rc == LSCHED_OK) rc = view_update(&cy->c->view, cy->k, cy->now);
        if (rc == LSCHED_OK)
            rc = slot->table->advise->run(slot->self, cycle_view(cy), emit_advice, &to);
        if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    }
    return LSCHED_OK;
}

/* Brings the decisions of the cycle, of which none follows any more, into the state that the plan
 * shows. */
static int32_t finish_decisions(struct lsched_cycle *cy) {
    int32_t rc = withdraw_decision_drop(cy);
    if (rc == LSCHED_OK) rc = nominations_end_cycle(cy);
    if (rc == LSCHED_OK) rc = checkpoints_begin(cy);
    if (rc == LSCHED_OK) rc = proposal_life_begin(cy);
    if (rc == LSCHED_OK) rc = undo_room(cy->k);
    if (rc == LSCHED_OK) rc = decision_kinds_end(cy);
    if (rc == LSCHED_OK && cy->act->gives_firm) rc = firm_starts_end_cycle(cy->k);
    /* moves that were sought in vain before these decisions can be possible now */
    if (rc != LSCHED_OK || cy->decisions.n_fresh + cy->decisions.n_withdrawn == 0) return rc;
    set_meta(cy->k, M_MOVES_VAIN, 0);
    if (cy->act->drain_waits) evict_news_at(cy->k, cy->now);
    return LSCHED_OK;
}

static int32_t finish(struct lsched_cycle *cy, uint32_t flags, struct lsched_plan **plan) {
    uint32_t failures = cy->c->policy.failures;
    count_failure(cy);
    int32_t rc = finish_decisions(cy);
    if (rc == LSCHED_OK && evicts_from(cy, 0) >> LSCHED_FOR_RECLAIM & 1) cheapest_node_keep(cy);
    if (rc == LSCHED_OK) rc = plan_build(cy, (flags & LSCHED_SCHEDULE_ALL_WAITING) != 0, plan);
    if (rc == LSCHED_OK && cy->adopt) rc = cy->adopt->tell(cy, *plan);
    if (rc == LSCHED_OK) rc = run_advice(cy, *plan);
    if (rc == LSCHED_OK && cy->c->check_caches) rc = cy->c->check_caches->all(cy->c, cy->err);
#if !defined(LSCHED_NO_VERIFY)
    if (rc == LSCHED_OK && ((flags & LSCHED_SCHEDULE_VERIFY) || cy->c->verify_every_plan)) {
        rc = verify_state(cy->k, cy->err);
        if (rc == LSCHED_OK) rc = plan_verify(cy->c, *plan, cy->err);
        if (rc == LSCHED_OK) (*plan)->info.flags |= LSCHED_PLAN_VERIFIED;
    }
#endif
    if (rc == LSCHED_OK) return rc;
    plan_free(*plan);
    *plan = NULL;
    cy->c->policy.failures = failures;
    return rc;
}

static int32_t traced_finish(struct lsched_cycle *cy, uint32_t flags, struct lsched_plan **plan) {
    struct cycle_stage stage = cycle_trace_begin(cy, LSCHED_TRACE_PLAN, 0);
    int32_t rc = finish(cy, flags, plan);
    (void)cycle_trace_end(cy, &stage, rc); /* returns rc */
    return rc;
}

/* Treats the given hooks, and those that failed in the clone whose plan is adopted, as failed from
 * the start of the run. They failed in an earlier run of the same cycle and could succeed in this
 * run, so that the decisions would differ. */
static void begin_without(struct lsched_cycle *cy, uint32_t hooks) {
    const struct policy *p = &cy->c->policy.policy;
    uint32_t in_clone = cy->adopt ? cy->adopt->hooks_off(cy->adopt, cy->c) : 0;
    cy->policy.hooks_off = p->ops ? (hooks | in_clone) & p->desc.hooks : 0;
    if (!cy->policy.hooks_off) return;
    cy->flags |= LSCHED_PLAN_POLICY_FAILED;
    cy->policy.error = LSCHED_E_POLICY;
    if (in_clone)
        memcpy(cy->policy.message, cy->adopt->from->policy_error, sizeof cy->policy.message);
    else
        snprintf(cy->policy.message, sizeof cy->policy.message,
                 "%s: the orchestrator said that hooks had failed", cy->c->policy.given_name);
    search_drop_all(&cy->c->search, cy->k);
}

/* The scratch memory of one cycle: the structs of several directories in one block. */
struct cycle_scratch {
    struct lsched_cycle cy;
    struct guarantee_reserve reserve;
    struct pass_state pass;
    struct act_state act;
};

static struct lsched_cycle *scratch_open(struct lsched_cluster *c, const lsched_schedule_opts *opts,
                                         lsched_error *err) {
    struct cycle_scratch *s = alloc_new(&c->alloc, sizeof *s);
    if (!s) return NULL;
    memset(s, 0, offsetof(struct cycle_scratch, act) + ACT_STATE_ZERO_BYTES);
    struct lsched_cycle *cy = &s->cy;
    struct columns *k = &c->k;
    uint64_t open = meta(k, M_OPEN_COUNT), room = c->open_max > open ? c->open_max - open : 0;
    cy->reserve = &s->reserve;
    cy->pass = &s->pass;
    cy->act = &s->act;
    cy->c = c;
    cy->k = k;
    cy->err = err;
    cy->now = opts->now_us;
    cy->spend.given = opts->work_budget ? opts->work_budget : UINT64_MAX;
    cy->spend.decisions_max =
        opts->decisions_max && opts->decisions_max < room ? opts->decisions_max : room;
    cy->spend.decisions_left = cy->spend.decisions_max;
    cy->turn.job = cy->turn.ask.job = NO_ROW;
    cy->counts.scored_before = c->search.scored;
    cy->counts.steps_before = *k->steps;
    cy->counts.hits_before = c->search.hits;
    cy->counts.fills_before = c->search.fills;
    cy->counts.skipped_before = c->searches_skipped;
    cy->policy.eviction = policy_eviction_of(&c->policy.policy);
    if (opts->release_us) cy->policy.eviction.release_us = opts->release_us;
    cy->act->moves_max = opts->moves_max;
    if (opts->proposal_life_us != LSCHED_NEVER_US) cy->proposal_life = opts->proposal_life_us;
    cy->kinds = opts->decision_kinds ? opts->decision_kinds : LSCHED_DECISION_KINDS_DEFAULT;
    cy->warn_before = opts->warn_before_us;
    return cy;
}

static void scratch_close(struct lsched_cycle *cy) {
    struct alloc *a = &cy->c->alloc;
    victim_search_close(cy);
    put_off_close(cy);
    domains_close(cy);
    plan_calls_close(cy);
    alloc_free(a, cy->decisions.fresh, cy->decisions.cap_fresh * sizeof *cy->decisions.fresh);
    alloc_free(a, cy->decisions.withdrawn,
               cy->decisions.cap_withdrawn * sizeof *cy->decisions.withdrawn);
    alloc_free(a, cy->policy.idle, cy->policy.cap_idle * sizeof *cy->policy.idle);
    alloc_free(a, cy->act->stale, cy->act->cap_stale * sizeof *cy->act->stale);
    alloc_free(a, (struct cycle_scratch *)(void *)cy, sizeof(struct cycle_scratch));
}

/* restarts: how often the cycle has begun again, because memory ran out. */
static int32_t run_once(struct lsched_cluster *c, const lsched_schedule_opts *opts,
                        struct adoption *adopt, uint32_t *restarts, lsched_plan **plan,
                        lsched_error *err) {
    struct columns *k = &c->k;
    struct lsched_cycle *cy = scratch_open(c, opts, err);
    if (!cy) return LSCHED_E_NOMEM;
    cy->adopt = adopt;
    cy->trace = (struct cycle_trace){opts->trace, opts->trace_user, *restarts};
    begin_without(cy, opts->hooks_off);
    int32_t rc = undo_begin(k);
    change_feed_begin(k, adopt ? LSCHED_CALL_ADOPT : LSCHED_CALL_SCHEDULE);
    /* without this log, the plan finds the bundles that were tried by a scan of all bundles */
    (void)touch_log_reserve(k->alloc, &k->bundle_touch, 2 * table_rows(k, T_BUNDLE));
    cy->bundles_from = touch_log_seen(&k->bundle_touch);
    if (rc == LSCHED_OK) {
        size_t mark = undo_mark(k); /* not 0 if a speculation has changed the state before */
        rc = attempts(cy);
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc == LSCHED_OK) set_meta(k, M_CYCLED, (uint64_t)cy->now);
        if (rc == LSCHED_OK) rc = traced_finish(cy, opts->flags, plan);
        if (rc != LSCHED_OK) {
            undo_rollback(k, mark);
            c->news.undone++;
        }
        undo_end(k);
    }
    if (rc == LSCHED_OK) {
        c->interrupted = 0;
        cycle_counts_keep(cy);
        (*plan)->info.policy_instructions = c->policy.instructions;
        if ((cy->flags & LSCHED_PLAN_POLICY_EJECTED) && !c->speculates) policy_eject(c);
        (*plan)->info.next_wake_us = wake_next(c);
    }
    *restarts = cy->trace.attempt + 1;
    scratch_close(cy);
    return rc;
}

/* Runs one cycle. If memory runs out, caches are dropped and the cycle begins again with smaller
 * caches, in the end with none. The decisions stay the same, and the call fails only if the state
 * itself needs more memory. When memory is available again, caches grow again. */
int32_t cycle_adopt(struct lsched_cluster *c, const lsched_schedule_opts *opts,
                    struct adoption *adopt, lsched_plan **plan, lsched_error *err) {
    struct alloc *a = &c->alloc;
    uint32_t restarts = 0;
    int32_t rc = run_once(c, opts, adopt, &restarts, plan, err);
    int short_of = rc == LSCHED_E_NOMEM;
    while (rc == LSCHED_E_NOMEM && a->tight < ALLOC_TIGHT_MOST) {
        a->tight++;
        cluster_drop_caches(c);
        rc = run_once(c, opts, adopt, &restarts, plan, err);
    }
    if (rc == LSCHED_OK && err && short_of) err_clear(err, err->size);
    if (rc == LSCHED_OK && !short_of && a->tight > 0 && a->bytes < a->limit_bytes / 2) a->tight--;
    return rc;
}

int32_t cycle_run(struct lsched_cluster *c, const lsched_schedule_opts *opts, lsched_plan **plan,
                  lsched_error *err) {
    return cycle_adopt(c, opts, NULL, plan, err);
}
