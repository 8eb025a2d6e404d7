/* drain_calls.c -- see drain_calls.h. */
#include "engine/upkeep/drain_calls.h"
#include "base/binary_heap.h"
#include "base/times.h"
#include "base/vec.h"
#include "engine/waits/pass.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/rights/victim_candidate.h"
#include "engine/victims/victim_search.h"
#include "engine/rights/victim_verdict.h"
#include "engine/policy_hooks/hook_victims.h"
#include "model/shapes/node_rules.h"
#include "model/jobs/job_limits.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/waits/nominations.h"
#include "engine/waits/refusal_wait.h"

static int stops_work(const struct columns *k, uint32_t node) {
    return k->c[C_NODE_TASKS].u32[node] > 0 &&
           (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_DRAINING || rules_stop_there(k, node));
}

/* Asks the orchestrator to run a cycle at the time `at`, unless it was asked to run one earlier
 * than that. */
static void look_at(lsched_cycle *cy, int64_t at) {
    if (at > cy->now && at < cy->pass->evict_next) cy->pass->evict_next = at;
}

/* ---- nominations, and placements that are not settled ---- */

/* True if the task has a nomination or an unsettled placement, and must not start. If its
 * toleration ends later, asks for a cycle at that time. */
static int is_unsettled(lsched_cycle *cy, uint32_t task) {
    const struct columns *k = cy->k;
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    steps_add(k, 1);
    if (state != LSCHED_TASK_NOMINATED && state != LSCHED_TASK_PROPOSED) return 0;
    int64_t at = rules_task_gone_by(k, task);
    look_at(cy, at);
    return at <= cy->now;
}

/* Lists the tasks on the node that have a nomination or an unsettled placement and must leave, in
 * the order of the node's list, and returns their number. */
static uint32_t unsettled_on(lsched_cycle *cy, uint32_t node, uint32_t *list) {
    const struct columns *k = cy->k;
    uint32_t n = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (is_unsettled(cy, t)) list[n++] = t;
    return n;
}

/* Withdraws the nominations and unsettled placements on the node. All tasks are listed before the
 * first withdrawal. A withdrawal can also withdraw other tasks of the list, but adds no task to
 * it. */
static int32_t withdraw_on(lsched_cycle *cy, uint32_t node) {
    struct columns *k = cy->k;
    uint32_t cap = k->c[C_NODE_TASKS].u32[node], *list = alloc_new(k->alloc, cap * sizeof *list);
    int32_t rc = list ? LSCHED_OK : LSCHED_E_NOMEM;
    uint32_t n = list ? unsettled_on(cy, node, list) : 0;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        uint32_t t = list[i];
        if (t < table_rows(k, T_TASK) && row_is_live(k, T_TASK, t) &&
            k->c[C_TASK_NODE].u32[t] == node && is_unsettled(cy, t))
            rc = withdraw_decision(cy, t, LSCHED_BECAUSE_NODE);
    }
    alloc_free(k->alloc, list, cap * sizeof *list);
    return rc;
}

static int32_t withdraw_all(lsched_cycle *cy) {
    const struct view_cache *v = &cy->c->view;
    int32_t rc = LSCHED_OK;
    steps_add(cy->k, v->n_ranked);
    for (uint32_t i = 0; i < v->n_ranked && rc == LSCHED_OK; i++)
        if (stops_work(cy->k, v->by_rank[i])) rc = withdraw_on(cy, v->by_rank[i]);
    return rc;
}

int32_t drain_leave(struct lsched_cycle *cy) {
    if (meta(cy->k, M_STOPPERS) == 0 || !hook_lets_evict(cy) || !cycle_has_action(cy, "drain"))
        return LSCHED_OK;
    int32_t rc = view_update_ranked(&cy->c->view, cy->k, cy->now);
    return rc == LSCHED_OK ? withdraw_all(cy) : rc;
}

int32_t call_drain_begin(lsched_cycle *cy) {
    if (cy->victims) return LSCHED_E_INVAL;
    if (meta(cy->k, M_STOPPERS) == 0 || cy->spend.stop || !hook_lets_evict(cy)) return 0;
    if (!decision_kinds_allow(cy, KINDS_TO_STOP) && !decision_kinds_allow(cy, KINDS_TO_MOVE))
        return 0;
    int32_t rc = victim_search_open_for_none(cy, LSCHED_FOR_DRAIN);
    if (rc != LSCHED_OK) return rc;
    cy->victims->due.node = NO_ROW;
    cy->act->drained_at = 0;
    cy->act->drained = NO_ROW;
    return 1;
}

int32_t call_drain_end(lsched_cycle *cy) {
    if (!cy->victims || cy->victims->reason != LSCHED_FOR_DRAIN) return LSCHED_E_INVAL;
    /* asks for a cycle at the first time at which a job that is protected now can be stopped */
    look_at(cy, cy->victims->until);
    look_at(cy, cy->victims->later);
    look_at(cy, cy->victims->back);
    victim_search_close(cy);
    cy->turn.later = 0;
    return LSCHED_OK;
}

/* ---- the order of jobs ---- */

/* True if the task runs on a node that it must leave now, and the verdict on its job permits this.
 * If the task must leave later, asks for a cycle at that time. The verdict does the same if the job
 * can be stopped later. */
static int is_due(lsched_cycle *cy, uint32_t task) {
    const struct columns *k = cy->k;
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return 0;
    int64_t at = rules_task_gone_by(k, task);
    look_at(cy, at);
    if (at > cy->now) return 0;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    return victim_verdict(cy, job)->verdict != VERDICT_NONE;
}

/* True if job a leaves the node before job b. The order matters if the other nodes do not have
 * room for both jobs. */
static int goes_before(const struct columns *k, uint32_t a, uint32_t b) {
    int32_t p = k->c[C_JOB_PRIORITY].i32[a], q = k->c[C_JOB_PRIORITY].i32[b];
    if (p != q) return p > q;
    int64_t x = k->c[C_JOB_SUBMIT].i64[a], z = k->c[C_JOB_SUBMIT].i64[b];
    if (x != z) return x < z;
    return text_compare(k, k->c[C_JOB_NAME].u32[a], k->c[C_JOB_NAME].u32[b]) < 0;
}

#define DUE_PLACED(k, job, at) steps_add(k, 1)
HEAP_DEFINE(due, uint32_t, const struct columns *, goes_before, DUE_PLACED)

/* Lists the jobs that must leave the node and that the action has not handled yet. The tasks of
 * the node are read only once: no task is placed on such a node, and one job's departure does not
 * change whether another job must leave. Returns LSCHED_OK or LSCHED_E_NOMEM. */
static int32_t list_due(lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    uint32_t most = k->c[C_NODE_TASKS].u32[node];
    h->due.n = 0;
    h->due.node = node;
    if (!VEC_ROOM(k->alloc, h->due.job, h->due.cap, most)) return LSCHED_E_NOMEM;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        steps_add(k, 1);
        if (!is_due(cy, t) || victim_job_at(h, job)->drained) continue;
        victim_job_at(h, job)->drained = 1;
        h->due.job[h->due.n++] = job;
    }
    due_make(k, h->due.job, h->due.n);
    return LSCHED_OK;
}

/* Takes the first job from the list of jobs that must leave the node. Returns 1, 0 if no job is
 * left, or LSCHED_E_NOMEM. */
static int32_t take_due(lsched_cycle *cy, uint32_t node, uint32_t *job) {
    struct victim_search *h = cy->victims;
    int32_t rc = h->due.node == node ? LSCHED_OK : list_due(cy, node);
    if (rc != LSCHED_OK || h->due.n == 0) return rc;
    *job = due_take(cy->k, h->due.job, &h->due.n);
    return 1;
}

int32_t call_next_drained(lsched_cycle *cy, uint32_t *job) {
    const struct view_cache *v = &cy->c->view;
    if (!cy->victims || cy->victims->reason != LSCHED_FOR_DRAIN) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    cy->act->drained = NO_ROW;
    for (; !cy->spend.stop && cy->act->drained_at < v->n_ranked; cy->act->drained_at++) {
        act_spend(cy, 1);
        uint32_t node = v->by_rank[cy->act->drained_at], first;
        int32_t rc = stops_work(cy->k, node) && !cy->spend.stop ? take_due(cy, node, &first) : 0;
        if (rc < 0) return rc;
        if (rc == 0) continue;
        *job = cy->act->drained = first;
        cy->turn.mark = undo_mark(cy->k);
        cy->turn.fresh_mark = cy->decisions.n_fresh;
        cy->turn.group_serial = meta(cy->k, M_GROUP_SERIAL) + 1;
        return 1;
    }
    return 0;
}

/* ---- one job ---- */

/* Returns the next task of the job that must leave, NO_ROW if there is none. The search begins
 * with `task` of the leaf group *leaf (NO_ROW: with the first task of this leaf group) and goes on
 * in the leaf groups after it. */
static uint32_t next_due(lsched_cycle *cy, uint32_t *leaf, uint32_t task) {
    const struct columns *k = cy->k;
    for (; *leaf != NO_ROW; *leaf = k->c[C_LEAF_NEXT].u32[*leaf]) {
        uint32_t t = task == NO_ROW ? k->c[C_LEAF_TASK_FIRST].u32[*leaf] : task;
        for (; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (is_due(cy, t)) return t;
        }
        task = NO_ROW;
    }
    return NO_ROW;
}

/* Stops the tasks of the job that must leave; if `whole` is 1, also the tasks that cannot run
 * without them. The function stops at most `most` tasks, because of the bound on decisions, and
 * leaves the other tasks to later cycles. An eviction unit with more tasks than any cycle can stop
 * stays on the node. */
static int32_t stop_due(lsched_cycle *cy, uint32_t job, uint32_t whole, uint64_t most) {
    struct columns *k = cy->k;
    int32_t n = 0;
    for (uint32_t leaf = k->c[C_JOB_LEAVES].u32[job], t = next_due(cy, &leaf, NO_ROW);
         t != NO_ROW;) {
        struct victim_unit u;
        uint32_t next = k->c[C_TASK_NEXT].u32[t];
        int known = victim_candidate_of(cy, t, &u);
        if (!whole) {
            if (u.group != NO_ROW) u.cost /= u.tasks ? u.tasks : 1;
            u.group = NO_ROW;
            u.tasks = 1;
            known = 1; /* is_due() has checked that the verdict permits this */
        }
        if (known && cy->decisions.n_fresh - cy->turn.fresh_mark + u.tasks > most) {
            cy->act->drain_rest =
                n > 0 || u.tasks <= (whole ? cy->spend.decisions_max : cy->spend.decisions_max / 2);
            break;
        }
        int32_t rc = known ? undo_room(k) : LSCHED_OK;
        if (rc == LSCHED_OK && known) rc = evict_unit(cy, &u);
        if (rc != LSCHED_OK) return rc;
        n += known;
        /* the unit can have contained other tasks that must leave, therefore the search begins
         * again */
        if (known && u.group != NO_ROW) {
            leaf = k->c[C_JOB_LEAVES].u32[job];
            next = NO_ROW;
        } else if (next == NO_ROW) {
            leaf = k->c[C_LEAF_NEXT].u32[leaf];
        }
        t = next_due(cy, &leaf, next);
    }
    return n;
}

int32_t call_drain_job(lsched_cycle *cy, uint32_t job, uint32_t whole) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    if (!h || h->reason != LSCHED_FOR_DRAIN || whole > 1) return LSCHED_E_INVAL;
    if (job == NO_ROW || job != cy->act->drained) return LSCHED_E_STATE;
    evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
    h->n_victims = h->n_units = h->move.next = 0;
    h->homeless = job_is_held_back(k, job) || hook_jobs_stops(cy, job);
    uint64_t tasks = job_count(k, job).running;
    act_spend(cy, tasks);
    cy->act->drain_rest = 0;
    if (2 * tasks > cy->spend.decisions_left && 2 * tasks <= cy->spend.decisions_max)
        act_is_full(cy); /* the next cycle can make all decisions for the job */
    if (cy->spend.stop) return 0;
    int32_t rc = undo_room(k);
    /* A task that moves takes two decisions: one stops the task, one places it. */
    if (rc == LSCHED_OK)
        rc = stop_due(cy, job, whole,
                      whole ? cy->spend.decisions_left : cy->spend.decisions_left / 2);
    if (rc == 0 && cy->act->drain_rest) act_is_full(cy);
    if (rc <= 0) return rc;
    int32_t again = job_requeue(k, job);
    return again == LSCHED_OK ? rc : again;
}

/* Looks at the victims without a new place, each of which can have room on nodes that refused it.
 * Returns the time at which the first of these nodes can be tried again. Returns LSCHED_NEVER_US
 * if one of these victims has no room on any node. */
static int64_t waits_until(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    int64_t until = LSCHED_NEVER_US;
    for (uint32_t i = 0; i < h->n_victims && !h->homeless; i++) {
        uint32_t releasing = h->victims[i].task, d = k->c[C_TASK_DECISION].u32[releasing];
        steps_add(k, 1);
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE) continue;
        int64_t from = refusal_wait_move_until(cy, releasing);
        if (from == LSCHED_NEVER_US) return from;
        if (from < until) until = from;
    }
    return until;
}

/* True if a task that the transaction stops has no new place, but the orchestrator asks for no
 * evictions. */
static int stops_unasked(lsched_cycle *cy) {
    const struct columns *k = cy->k;
    const struct victim_search *h = cy->victims;
    if (decision_kinds_allow(cy, KINDS_TO_STOP)) return 0;
    steps_add(k, h->n_victims);
    for (uint32_t i = 0; i < h->n_victims; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[h->victims[i].task];
        if (k->c[C_DECISION_KIND].u8[d] != LSCHED_DECIDE_MIGRATE) return 1;
    }
    return 0;
}

int32_t call_keep_drained(lsched_cycle *cy) {
    if (!cy->victims || cy->act->drained == NO_ROW) return LSCHED_E_INVAL;
    int64_t until = waits_until(cy);
    look_at(cy, until);
    cy->act->drain_waits |= until != LSCHED_NEVER_US;
    /* if the budget of work units ended the search, a larger budget could have found places for
     * more tasks */
    if (act_is_cut(cy) || until != LSCHED_NEVER_US || stops_unasked(cy) ||
        !nominations_end_in_time(cy)) {
        evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
        cy->act->drained = NO_ROW;
        return 0;
    }
    cy->pass->ended++;
    int32_t rc = evict_commit(cy);
    if (rc != LSCHED_OK) return rc;
    evict_keep_group(cy);
    cy->act->drained = NO_ROW;
    if (cy->act->drain_rest) act_is_full(cy);
    return 1;
}
