/* adopt_victims.c -- see adopt_victims.h. */
#include "engine/adopt/adopt_victims.h"

#include "engine/actions/evict.h"
#include "engine/actions/replace_calls.h"
#include "engine/actions/spare_calls.h"
#include "engine/evictions/evict_calls.h"
#include "engine/rights/victim_candidate.h"
#include "engine/rights/victim_protect.h"
#include "engine/rights/victim_side.h"
#include "engine/victims/victim_nodes.h"
#include "engine/victims/victim_search.h"
#include "engine/victims/victim_set.h"
#include "model/jobs/task_row.h"
#include "model/told/decision.h"

static int stops(const lsched_decision *d) {
    return decision_stops(d->kind);
}

int32_t adopt_victims_open(struct adopt_try *t) {
    lsched_cycle *cy = t->cy;
    if (cy->victims && t->victims && cy->victims->reason == t->reason &&
        cy->victims->both == t->both)
        return 1;
    victim_search_close(cy);
    if (!t->victims) return 1;
    int32_t rc = view_update_ranked(&cy->c->view, cy->k, cy->now);
    if (rc == LSCHED_OK) rc = victim_search_open(cy, t->reason);
    if (rc == LSCHED_OK) rc = victim_nodes_ready(cy);
    if (rc != LSCHED_OK) return rc;
    cy->victims->both = t->both;
    return 1;
}

static lsched_id job_id(const struct adopt_try *t, size_t i) {
    return adopt_try_inside(t, t->from->decisions[i].job);
}

/* True if the policy's bounds allow the eviction of that many more tasks. */
static int within_rate(const lsched_cycle *cy, uint32_t tasks) {
    const struct victim_search *h = cy->victims;
    uint64_t left =
        h->reason == LSCHED_FOR_CONSOLIDATE ? cycle_eviction(cy)->moves_max : evict_left(cy);
    return h->n_victims + tasks <= left;
}

/* Stops the unit of one task. Returns 1; 0 if no rule allows it now; or a negative error code. */
static int32_t stop_unit(struct adopt_try *t, uint32_t task) {
    lsched_cycle *cy = t->cy;
    struct victim_search *h = cy->victims;
    struct victim_unit u;
    if (h->reason == LSCHED_FOR_RECLAIM) victim_side_look(cy);
    if (!victim_candidate_of(cy, task, &u) || u.nominated || !within_rate(cy, u.tasks)) return 0;
    int moves = h->reason == LSCHED_FOR_CONSOLIDATE;
    enum side_ground ground = moves ? SIDE_FREE : victim_protect_allow(cy, &u, NULL);
    if (ground == SIDE_NONE) return 0;
    u.ground = (uint8_t)ground;
    int32_t rc = moves ? 1 : victim_set_ask(cy, &u);
    if (rc != 1) return rc;
    rc = undo_room(cy->k);
    if (rc == LSCHED_OK) rc = evict_and_requeue(cy, &u);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Stops the task of decision i, unless the transaction has stopped it with a unit before.
 * Returns 1 if it is stopped; 0 if no rule allows that now; or a negative error code. */
static int32_t stop_task(struct adopt_try *t, size_t i) {
    const struct columns *k = t->cy->k;
    const lsched_decision *d = &t->from->decisions[i];
    uint32_t task = task_find(k, adopt_try_row(t, d->job), d->task_index);
    /* the transaction has stopped the task; stop_check() saw it run */
    if (task == NO_ROW || k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return 1;
    return stop_unit(t, task);
}

int32_t adopt_victims_rest(struct adopt_try *t, size_t end) {
    size_t at = t->group->first;
    uint32_t left, before = UINT32_MAX;
    for (;;) {
        left = 0;
        for (size_t i = t->group->first; i < end; i++) {
            if (!stops(&t->from->decisions[i])) continue;
            int32_t rc = stop_task(t, i);
            if (rc < 0) return rc;
            if (rc == 0 && left++ == 0) at = i;
        }
        if (left == 0) return 1;
        if (left == before) return adopt_try_drop(t, at, LSCHED_ADOPTION_PROTECTED, job_id(t, at));
        before = left;
    }
}

/* Checks that each task of the plan still runs on its node. */
static int32_t stop_check(struct adopt_try *t) {
    const struct columns *k = t->cy->k;
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        if (!stops(d)) continue;
        uint32_t task = task_find(k, adopt_try_row(t, d->job), d->task_index);
        if (task == NO_ROW || k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING ||
            k->c[C_TASK_NODE].u32[task] != adopt_try_row(t, d->node))
            return adopt_try_drop(t, i, LSCHED_ADOPTION_TASK_ENDED, job_id(t, i));
    }
    return 1;
}

int32_t adopt_victims_begin(struct adopt_try *t, uint32_t way) {
    lsched_cycle *cy = t->cy;
    if (!t->victims) return 1;
    int32_t rc = stop_check(t);
    if (rc != 1) return rc;
    victim_search_begin_job(cy, t->job);
    if (!evict_calls_permit(cy, t->job))
        return adopt_try_drop(t, t->group->first, LSCHED_ADOPTION_PROTECTED,
                              id_make(cy->k, LSCHED_KIND_JOB, t->job));
    cy->victims->way = way;
    return 1;
}

/* Gives the tasks that the job lost their new places. */
static int32_t move_job(struct adopt_try *t, uint32_t job) {
    int32_t rc = 1;
    for (size_t i = t->group->first; i < t->end && rc == 1; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        if (d->kind == LSCHED_DECIDE_NOMINATE && adopt_try_row(t, d->job) == job)
            rc = adopt_try_place(t, i, job);
    }
    if (rc != 1) return rc;
    rc = call_move_end(t->cy);
    return rc < 0 ? rc : 1;
}

/* Finds the decision that each eviction or move of the plan became, and compares its kind: the
 * rights can forbid a move that they allowed in the clone. */
static int32_t compare_kinds(struct adopt_try *t) {
    const struct columns *k = t->cy->k;
    for (size_t i = t->group->first; i < t->end; i++) {
        const lsched_decision *d = &t->from->decisions[i];
        if (!stops(d)) continue;
        uint32_t task = releasing_find(k, adopt_try_row(t, d->job), d->task_index);
        uint32_t made = task == NO_ROW ? NO_ROW : k->c[C_TASK_DECISION].u32[task];
        /* at its end, this cycle makes CHECKPOINT decisions where it asks for them */
        uint32_t kind = d->kind == LSCHED_DECIDE_CHECKPOINT ? LSCHED_DECIDE_EVICT : d->kind;
        if (made == NO_ROW || k->c[C_DECISION_KIND].u8[made] != kind)
            return adopt_try_drop(t, i, LSCHED_ADOPTION_PROTECTED, job_id(t, i));
        adopt_try_note(t, i, made);
    }
    return 1;
}

int32_t adopt_victims_move(struct adopt_try *t) {
    lsched_cycle *cy = t->cy;
    struct victim_search *h = cy->victims;
    size_t at = t->group->first;
    lsched_id id = id_make(cy->k, LSCHED_KIND_JOB, t->job);
    uint32_t job;
    int32_t rc;
    if (!t->victims) return 1;
    if (h->reason != LSCHED_FOR_CONSOLIDATE) {
        if (victim_side_short(cy) != NO_ROW)
            return adopt_try_drop(t, at, LSCHED_ADOPTION_PROTECTED, id);
        rc = call_spare(cy);
        if (rc != 0) return rc < 0 ? rc : adopt_try_drop(t, at, LSCHED_ADOPTION_NEEDLESS, id);
    }
    if (t->kinds >> LSCHED_DECIDE_MIGRATE & 1) {
        while ((rc = call_next_victim(cy, &job)) == 1) {
            rc = move_job(t, job);
            if (rc != 1) return rc;
        }
        if (rc < 0) return rc;
    }
    return compare_kinds(t);
}
