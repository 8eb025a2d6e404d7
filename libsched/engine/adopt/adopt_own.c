/* adopt_own.c -- see adopt_own.h. */
#include "engine/adopt/adopt_own.h"

#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/state/decision_kinds.h"
#include "engine/victims/victim_search.h"
#include "model/told/decision.h"
#include "model/store/steps.h"

static int is_seat(const lsched_decision *d) {
    return d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE;
}

int adopt_own_is(const struct lsched_plan *from, const lsched_adopted_group *g) {
    int seats = 0;
    for (size_t i = g->first; i < g->first + g->count; i++) {
        const lsched_decision *d = &from->decisions[i];
        if (!is_seat(d) && (!decision_stops(d->kind) || d->checkpoint || !d->for_job)) return 1;
        seats += is_seat(d);
    }
    return seats == 0; /* no job benefits */
}

/* ---- the actions ---- */

/* Returns the name of the action that stops work for the reason (LSCHED_FOR_*), NULL if none does
 * so without a waiting job, or if its search for moves makes cycles long. */
static const char *action_for(uint32_t reason) {
    switch (reason) {
    case LSCHED_FOR_DRAIN: return "drain";
    case LSCHED_FOR_TIME_LIMIT: return "evict-overdue";
    case LSCHED_FOR_IDLE: return "evict-idle";
    case LSCHED_FOR_STALE_GANG: return "evict-stale-gangs";
    default: return NULL;
    }
}

/* Runs the action as a cycle does. Its transactions are its own. */
static int32_t run_action(lsched_cycle *cy, const char *name) {
    struct algorithm_slot *slot = algorithm_find(cy->c, LSCHED_ROLE_ACT, name);
    if (!slot) return LSCHED_OK;
    int32_t rc = algorithm_ready(cy->c, slot, cy->err);
    if (rc != LSCHED_OK) return rc;
    victim_search_close(cy);
    gang_domains_forget(&cy->act->pins);
    cy->turn.later = 0;
    cy->turn.job = NO_ROW;
    cy->act->allowed.job = NO_ROW;
    cy->act->deal.n_full = 0;
    cy->act->stale_found = 0;
    rc = slot->table->act->run(slot->self, cy->adopt->act, cy);
    cy->turn.later = 0;
    cy->turn.job = NO_ROW;
    if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    evict_settle(cy);
    return LSCHED_OK;
}

static int32_t decide_here(struct adopt_try *t) {
    struct lsched_cycle *cy = t->cy;
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        uint32_t reason = d->reason;
        /* a WARN has the reason of the action that will stop the task, but is not made by it */
        const char *name = decision_stops(d->kind) ? action_for(reason) : NULL;
        if (!name || cy->adopt->ran == reason || !cycle_has_action(cy, name)) continue;
        cy->adopt->ran = reason;
        int32_t rc = run_action(cy, name);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- the decisions ---- */

/* True if decision `made` of this cycle is the one that the plan has. */
static int is_same(const struct adopt_try *t, const lsched_decision *d, uint32_t made) {
    const struct columns *k = t->cy->k;
    uint32_t task = k->c[C_DECISION_TASK].u32[made];
    /* at its end, this cycle makes CHECKPOINT decisions where it asks for them */
    uint32_t kind = d->kind == LSCHED_DECIDE_CHECKPOINT ? LSCHED_DECIDE_EVICT : d->kind;
    return row_is_live(k, T_DECISION, made) && k->c[C_DECISION_KIND].u8[made] == kind &&
           k->c[C_TASK_JOB].u32[task] == adopt_try_row(t, d->job) &&
           k->c[C_TASK_INDEX].u32[task] == d->task_index &&
           k->c[C_TASK_NODE].u32[task] == adopt_try_row(t, d->node) &&
           k->c[C_DECISION_REASON].u8[made] == d->reason;
}

/* Returns the decision of this cycle that equals decision i of the plan, NO_ROW if there is none.
 * Goes on where the last one was found. */
static uint32_t find_made(struct adopt_try *t, size_t i) {
    struct lsched_cycle *cy = t->cy;
    uint32_t n = cy->decisions.n_fresh;
    for (uint32_t seen = 0; seen < n; seen++) {
        uint32_t at = (cy->adopt->own_at + seen) % n;
        steps_add(cy->k, 1);
        if (!is_same(t, &t->from->decisions[i], cy->decisions.fresh[at])) continue;
        cy->adopt->own_at = at + 1;
        return cy->decisions.fresh[at];
    }
    return NO_ROW;
}

int32_t adopt_own_group(struct adopt_try *t) {
    struct lsched_cycle *cy = t->cy;
    const struct columns *k = cy->k;
    uint64_t group = 0;
    int32_t rc = decide_here(t);
    if (rc != LSCHED_OK) return rc;
    for (size_t i = t->group->first; i < t->end; i++) {
        uint32_t made = find_made(t, i);
        lsched_id job = adopt_try_inside(t, t->from->decisions[i].job);
        if (made == NO_ROW || (group && k->c[C_DECISION_GROUP].u64[made] != group)) {
            for (size_t j = t->group->first; j < i; j++) cy->adopt->became[j].row = NO_ROW;
            return cy->spend.stop ? adopt_try_drop(t, i, LSCHED_ADOPTION_BUDGET, 0)
                                  : adopt_try_drop(t, i, LSCHED_ADOPTION_OWN, job);
        }
        group = k->c[C_DECISION_GROUP].u64[made];
        adopt_try_note(t, i, made);
    }
    t->group->group = group;
    return 1;
}
