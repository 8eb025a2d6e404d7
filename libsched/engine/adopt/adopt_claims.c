/* adopt_claims.c -- see adopt_claims.h. */
#include "engine/arrays/array_turn.h"
#include "engine/adopt/adopt_claims.h"

#include "base/vec.h"
#include "engine/adopt/adopt_group.h"
#include "engine/adopt/adopt_own.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/state/transaction.h"
#include "engine/victims/victim_search.h"
#include "engine/waits/pass.h"
#include "model/arrays/array.h"
#include "model/jobs/bundle.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"

/* The jobs that have arrived, as a heap in the order of their queues' rows and, in a queue, of
 * their own order. A queue's first job is the one that can be tried. */
struct arrivals {
    uint32_t *job;
    uint32_t n, cap;
};

/* ---- which jobs have arrived ---- */

/* True if the clone did not have the job when it made the plan. */
static int is_new(const struct columns *k, const struct plan_origin *o, uint32_t job) {
    return job >= o->jobs || o->generations[job] != k->c[C_JOB_GEN].u32[job];
}

/* True if the next cycle would try the job. */
static int is_awake(const struct columns *k, uint32_t job) {
    return k->c[C_JOB_PHASE].u8[job] == JOB_QUEUED &&
           k->c[C_BUNDLE_STATE].u8[k->c[C_JOB_BUNDLE].u32[job]] == BUNDLE_ACTIVE;
}

/* Lets the next element of each array that has come begin, so that it is among the jobs that have
 * come. */
static int32_t begin_elements(lsched_cycle *cy, const struct plan_origin *o) {
    const struct columns *k = cy->k;
    uint32_t rows = table_live(k, T_ARRAY) ? table_rows(k, T_JOB) : 0;
    int32_t rc = LSCHED_OK;
    for (uint32_t j = 0; j < rows && rc == LSCHED_OK; j++) {
        uint32_t job = j;
        if (row_is_live(k, T_JOB, j) && array_is(k, j) && is_new(k, o, j) && is_awake(k, j))
            rc = array_turn(cy, &job);
    }
    return rc;
}

static int32_t find_arrivals(lsched_cycle *cy, struct arrivals *n) {
    const struct columns *k = cy->k;
    const struct plan_origin *o = &cy->adopt->from->origin;
    int32_t rc = begin_elements(cy, o);
    if (rc != LSCHED_OK) return rc;
    steps_add(cy->k, table_rows(k, T_JOB));
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || array_is(k, j) || !is_new(k, o, j) || !is_awake(k, j))
            continue;
        if (!VEC_ROOM(k->alloc, n->job, n->cap, n->n + 1)) return LSCHED_E_NOMEM;
        n->job[n->n++] = j;
    }
    return LSCHED_OK;
}

/* ---- order ---- */

/* True if a cycle tries job a before job b: by the order of shares between queues, and by the order
 * of jobs within one. */
static int ranks_first(const lsched_cycle *cy, uint32_t a, uint32_t b) {
    const struct columns *k = cy->k;
    uint32_t p = k->c[C_JOB_QUEUE].u32[a], q = k->c[C_JOB_QUEUE].u32[b];
    if (p == q) return job_before(k, a, b);
    while (k->c[C_QUEUE_DEPTH].u32[p] > k->c[C_QUEUE_DEPTH].u32[q]) p = k->c[C_QUEUE_PARENT].u32[p];
    while (k->c[C_QUEUE_DEPTH].u32[q] > k->c[C_QUEUE_DEPTH].u32[p]) q = k->c[C_QUEUE_PARENT].u32[q];
    while (p != q && k->c[C_QUEUE_PARENT].u32[p] != k->c[C_QUEUE_PARENT].u32[q]) {
        p = k->c[C_QUEUE_PARENT].u32[p];
        q = k->c[C_QUEUE_PARENT].u32[q];
    }
    return p != q && share_comes_first(&cy->c->share, k, p, q);
}

/* Takes the first of the jobs that rank before `job` out of the list: of each queue, only the first
 * one in the queue's order can be the first of all. Returns NO_ROW if none ranks before it. */
static uint32_t take_first(lsched_cycle *cy, struct arrivals *n, uint32_t job) {
    uint32_t best = NO_ROW;
    steps_add(cy->k, n->n);
    for (uint32_t i = 0; i < n->n; i++) {
        if (!ranks_first(cy, n->job[i], job)) continue;
        if (best == NO_ROW || ranks_first(cy, n->job[i], n->job[best])) best = i;
    }
    if (best == NO_ROW) return NO_ROW;
    uint32_t first = n->job[best];
    n->job[best] = n->job[--n->n];
    return first;
}

/* Removes the jobs of a bundle, of which one job found no room. */
static void drop_bundle(const struct columns *k, struct arrivals *n, uint32_t bundle) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < n->n; i++)
        if (k->c[C_JOB_BUNDLE].u32[n->job[i]] != bundle) n->job[left++] = n->job[i];
    n->n = left;
}

/* ---- the rehearsal ---- */

/* The calls that differ from those of a cycle: one job is offered, once, and is kept or rolled back
 * without a trace. */
static int32_t offer_job(lsched_cycle *cy, uint32_t *job) {
    uint32_t j = cy->adopt->offered;
    if (j == NO_ROW || cy->spend.stop) return 0;
    cy->adopt->offered = NO_ROW;
    act_spend(cy, 1);
    act_take_up(cy, j);
    *job = j;
    return 1;
}

static int32_t keep(lsched_cycle *cy, uint32_t job) {
    int32_t rc = adopt_group_keep(cy, job);
    cy->adopt->found = rc == 1;
    if (rc == 0) evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    cy->turn.job = NO_ROW;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t pass_over(lsched_cycle *cy, uint32_t job) {
    (void)job;
    evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    cy->turn.job = NO_ROW;
    return LSCHED_OK;
}

/* Lets a job look for free room, as the action allocate does. Returns 1 if it found room, 0 or a
 * negative error code. */
static int32_t try_arrival(lsched_cycle *cy, const lsched_act *act, uint32_t job) {
    struct algorithm_slot *slot = algorithm_find(cy->c, LSCHED_ROLE_ACT, "allocate");
    lsched_act calls = *act;
    calls.next_job = offer_job;
    calls.commit = keep;
    calls.park = pass_over;
    if (!slot || retry_until(cy->k, job, cy->now)) return 0;
    int32_t rc = algorithm_ready(cy->c, slot, cy->err);
    if (rc != LSCHED_OK) return rc;
    victim_search_close(cy);
    gang_domains_forget(&cy->act->pins);
    cy->act->allowed.job = NO_ROW;
    cy->act->deal.n_full = 0;
    cy->turn.later = 0;
    cy->adopt->offered = job;
    cy->adopt->found = 0;
    rc = slot->table->act->run(slot->self, &calls, cy);
    return rc < 0 ? rc : (int32_t)cy->adopt->found;
}

/* Returns the job that the places of a group are for, NO_ROW if it is gone. */
static uint32_t job_of_group(const lsched_cycle *cy, const lsched_adopted_group *g) {
    const struct lsched_plan *p = cy->adopt->from;
    for (size_t i = g->first; i < g->first + g->count; i++) {
        const lsched_decision *d = &p->decisions[i];
        uint32_t row = (uint32_t)(d->job ^ p->id_salt);
        if (d->kind != LSCHED_DECIDE_PLACE && d->kind != LSCHED_DECIDE_NOMINATE) continue;
        return row_is_live(cy->k, T_JOB, row) ? row : NO_ROW;
    }
    return NO_ROW;
}

static int32_t rehearse(lsched_cycle *cy, const lsched_act *act, struct arrivals *n) {
    struct adoption *a = cy->adopt;
    lsched_id latest = 0;
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < a->n_groups && rc >= 0 && !cy->spend.stop; i++) {
        uint32_t job = job_of_group(cy, &a->groups[i]), first;
        while (rc >= 0 && job != NO_ROW && (first = take_first(cy, n, job)) != NO_ROW) {
            uint32_t bundle = cy->k->c[C_JOB_BUNDLE].u32[first];
            rc = try_arrival(cy, act, first);
            if (rc == 1) latest = id_make(cy->k, LSCHED_KIND_JOB, first);
            if (rc == 0) drop_bundle(cy->k, n, bundle);
        }
        if (rc >= 0) rc = adopt_group(cy, i, 0);
        a->claimed[i] = rc == 0 && latest != 0 && !adopt_own_is(a->from, &a->groups[i]);
        a->claimer[i] = latest;
    }
    return rc < 0 ? rc : LSCHED_OK;
}

/* What a rehearsal changes besides columns. */
struct before {
    size_t mark;
    uint32_t fresh;
    uint64_t decisions_left, ended;
    struct cycle_counts counts;
};

static int32_t undo_rehearsal(lsched_cycle *cy, const struct before *b) {
    struct share_tree *s = &cy->c->share;
    victim_search_close(cy);
    evict_roll_back(cy, b->mark, b->fresh);
    cy->spend.decisions_left = b->decisions_left;
    cy->pass->ended = b->ended;
    cy->counts = b->counts;
    cy->policy.idle_at = 0;
    cy->turn.job = NO_ROW;
    cy->turn.later = 0;
    cy->turn.group_serial = meta(cy->k, M_GROUP_SERIAL);
    cy->act->allowed.job = NO_ROW;
    share_forget(s); /* its keys follow the transactions that were rolled back */
    return share_begin(s, cy->k, s->ops, s->self, &cy->c->view);
}

int32_t adopt_claims(lsched_cycle *cy, const lsched_act *act) {
    struct arrivals n = {0};
    int32_t rc = find_arrivals(cy, &n);
    if (rc == LSCHED_OK && n.n) {
        struct before b = {undo_mark(cy->k), cy->decisions.n_fresh, cy->spend.decisions_left,
                           cy->pass->ended, cy->counts};
        cy->turn.mark = b.mark;
        cy->turn.fresh_mark = b.fresh;
        rc = rehearse(cy, act, &n);
        if (rc == LSCHED_OK) rc = undo_rehearsal(cy, &b);
    }
    alloc_free(cy->k->alloc, n.job, n.cap * sizeof *n.job);
    return rc;
}
