/*
 * drain_calls.c -- the calls of lsched_act that empty nodes: nodes that drain, and nodes with a
 * taint that stops the tasks that do not tolerate it.
 *
 * The orchestrator asked for the drain. Therefore guarantees and minimum run times do not keep work
 * there, and neither does the property of being interactive or non-preemptible. Three things keep a
 * task there: the job's disruption budget, a recent refusal of the orchestrator to stop it, and the
 * time for which the task tolerates a taint. All tasks of one job that must leave go in one
 * transaction. The first try stops these tasks alone and gives each one a new place. If that is not
 * possible, the second try also stops the tasks that cannot run without them, and evicts every task
 * that finds no new place. If each task that finds no new place has room, but only on nodes that
 * refused the job, the job stays until the first of these nodes can be tried again. A refusal ends
 * by itself, so it is no reason to stop a job.
 *
 * Nominations on such a node, and placements there that the orchestrator has not settled, are
 * withdrawn at the beginning of the cycle, before any action. A gang that loses one of them can
 * lose others, and at that time no action of this cycle has evicted or moved work because of them.
 *
 * Cost: one test while no node stops work; otherwise O(nodes), and O(n log n) for the n tasks of
 * the nodes that stop work.
 */
#include "base/binary_heap.h"
#include "base/times.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/actions/evict_calls.h"
#include "engine/policy_hooks/hook_victims.h"
#include "model/jobs/releasing.h"
#include "model/shapes/node_rules.h"
#include "model/jobs/job_limits.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"
#include "engine/policy_hooks/hook_jobs.h"
#include "engine/waits/refused.h"

static int stops_work(const struct columns *k, uint32_t node) {
    return k->c[C_NODE_TASKS].u32[node] > 0 &&
           (k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_DRAINING || rules_stop_there(k, node));
}

/* Asks the orchestrator to run a cycle at this time, unless one is asked for earlier. */
static void look_at(lsched_cycle *y, int64_t at) {
    if (at > y->now && at < y->evict_next) y->evict_next = at;
}

/* ---- nominations, and placements that are not settled ---- */

static int is_unsettled(lsched_cycle *y, uint32_t task) {
    const struct columns *k = y->k;
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    steps_add(k, 1);
    return (state == LSCHED_TASK_NOMINATED || state == LSCHED_TASK_PROPOSED) &&
           rules_task_gone_by(k, task) <= y->now;
}

/* Lists the tasks on the node that have a nomination or an unsettled placement and must leave, in
 * the order of the node's list, and returns their number. */
static uint32_t unsettled_on(lsched_cycle *y, uint32_t node, uint32_t *list) {
    const struct columns *k = y->k;
    uint32_t n = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (is_unsettled(y, t)) list[n++] = t;
    return n;
}

/* Withdraws the nominations and unsettled placements on the node. The list is read before the
 * first withdrawal: a withdrawal can also withdraw other tasks of the list, but adds none. */
static int32_t withdraw_on(lsched_cycle *y, uint32_t node) {
    struct columns *k = y->k;
    uint32_t cap = k->c[C_NODE_TASKS].u32[node], *list = alloc_new(k->alloc, cap * sizeof *list);
    int32_t rc = list ? LSCHED_OK : LSCHED_E_NOMEM;
    uint32_t n = list ? unsettled_on(y, node, list) : 0;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK; i++) {
        uint32_t t = list[i];
        if (t < table_rows(k, T_TASK) && row_is_live(k, T_TASK, t) &&
            k->c[C_TASK_NODE].u32[t] == node && is_unsettled(y, t))
            rc = withdraw_decision(y, t);
    }
    alloc_free(k->alloc, list, cap * sizeof *list);
    return rc;
}

static int32_t withdraw_all(lsched_cycle *y) {
    const struct view_cache *v = &y->c->view;
    int32_t rc = LSCHED_OK;
    steps_add(y->k, v->n_ranked);
    for (uint32_t i = 0; i < v->n_ranked && rc == LSCHED_OK; i++)
        if (stops_work(y->k, v->by_rank[i])) rc = withdraw_on(y, v->by_rank[i]);
    return rc;
}

int32_t drain_leave(struct lsched_cycle *y) {
    if (meta(y->k, M_STOPPERS) == 0 || !hook_lets_evict(y) || !cycle_has_action(y, "drain"))
        return LSCHED_OK;
    int32_t rc = view_update(&y->c->view, y->k, y->now);
    return rc == LSCHED_OK ? withdraw_all(y) : rc;
}

int32_t call_drain_begin(lsched_cycle *y) {
    if (y->search) return LSCHED_E_INVAL;
    if (meta(y->k, M_STOPPERS) == 0 || y->stop || !hook_lets_evict(y)) return 0;
    int32_t rc = view_update(&y->c->view, y->k, y->now);
    if (rc == LSCHED_OK) rc = victim_search_open(y, LSCHED_FOR_DRAIN);
    if (rc != LSCHED_OK) return rc;
    y->search->stamp = 1;
    y->search->until = LSCHED_NEVER_US;
    y->search->due_node = NO_ROW;
    y->job = NO_ROW;
    y->later = 1;
    y->drained_at = 0;
    y->drained = NO_ROW;
    return 1;
}

int32_t call_drain_end(lsched_cycle *y) {
    if (!y->search || y->search->reason != LSCHED_FOR_DRAIN) return LSCHED_E_INVAL;
    /* asks for a cycle when a job that is protected now may be disturbed */
    look_at(y, y->search->until);
    victim_search_close(y);
    y->later = 0;
    return LSCHED_OK;
}

/* ---- the order of jobs ---- */

/* Returns the end of the window in which the job's disruption budget is used up; LSCHED_NEVER_US
 * if the job has no window. */
static int64_t budget_until(const lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    uint32_t c = k->c[C_JOB_COST].u32[job];
    int64_t window = c == NO_ROW ? 0 : k->c[C_COST_WINDOW].i64[c];
    return window ? time_after(k->c[C_COST_WINDOW_START].i64[c], window) : LSCHED_NEVER_US;
}

/* True if the task runs on a node that it must leave, and its job may be disturbed. */
static int is_due(lsched_cycle *y, uint32_t task) {
    const struct columns *k = y->k;
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return 0;
    int64_t at = rules_task_gone_by(k, task);
    look_at(y, at);
    if (at > y->now) return 0;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    if (victim_rules_judge(y, job)->verdict != VERDICT_NONE) return 1;
    look_at(y, budget_until(y, job));
    return 0;
}

/* True if job a leaves the node before job b. The order matters where the other nodes have no room
 * for both. */
static int goes_before(const struct columns *k, uint32_t a, uint32_t b) {
    int32_t p = k->c[C_JOB_PRIORITY].i32[a], q = k->c[C_JOB_PRIORITY].i32[b];
    if (p != q) return p > q;
    int64_t x = k->c[C_JOB_SUBMIT].i64[a], z = k->c[C_JOB_SUBMIT].i64[b];
    if (x != z) return x < z;
    return text_compare(k, k->c[C_JOB_NAME].u32[a], k->c[C_JOB_NAME].u32[b]) < 0;
}

#define DUE_PLACED(k, job, at) steps_add(k, 1)
HEAP_DEFINE(due, uint32_t, const struct columns *, goes_before, DUE_PLACED)

/* Lists the jobs that must leave the node and have not had their turn. The node's list is read
 * once, because no task joins it, and the departure of one job does not change whether another
 * must leave. Returns LSCHED_OK or LSCHED_E_NOMEM. */
static int32_t list_due(lsched_cycle *y, uint32_t node) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    uint32_t most = k->c[C_NODE_TASKS].u32[node];
    h->n_due = 0;
    h->due_node = node;
    if (!VEC_ROOM(k->alloc, h->due, h->cap_due, most)) return LSCHED_E_NOMEM;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        steps_add(k, 1);
        if (!is_due(y, t) || h->jobs[job].drained) continue;
        h->jobs[job].drained = 1;
        h->due[h->n_due++] = job;
    }
    due_make(k, h->due, h->n_due);
    return LSCHED_OK;
}

/* Takes the first job from the list of jobs that must leave the node. Returns 1, 0 if no job is
 * left, or LSCHED_E_NOMEM. */
static int32_t take_due(lsched_cycle *y, uint32_t node, uint32_t *job) {
    struct victim_search *h = y->search;
    int32_t rc = h->due_node == node ? LSCHED_OK : list_due(y, node);
    if (rc != LSCHED_OK || h->n_due == 0) return rc;
    *job = due_take(y->k, h->due, &h->n_due);
    return 1;
}

int32_t call_next_drained(lsched_cycle *y, uint32_t *job) {
    const struct view_cache *v = &y->c->view;
    if (!y->search || y->search->reason != LSCHED_FOR_DRAIN) return LSCHED_E_INVAL;
    act_spend(y, 1);
    y->drained = NO_ROW;
    for (; !y->stop && y->drained_at < v->n_ranked; y->drained_at++) {
        act_spend(y, 1);
        uint32_t node = v->by_rank[y->drained_at], first;
        int32_t rc = stops_work(y->k, node) && !y->stop ? take_due(y, node, &first) : 0;
        if (rc < 0) return rc;
        if (rc == 0) continue;
        *job = y->drained = first;
        y->mark = undo_mark(y->k);
        y->fresh_mark = y->n_fresh;
        y->group_serial = meta(y->k, M_GROUP_SERIAL) + 1;
        return 1;
    }
    return 0;
}

/* ---- one job ---- */

/* Returns the next task that must leave, beginning with this task of the leaf group (NO_ROW: its
 * first), then in the leaf groups after it; NO_ROW if there is none. */
static uint32_t next_due(lsched_cycle *y, uint32_t *leaf, uint32_t task) {
    const struct columns *k = y->k;
    for (; *leaf != NO_ROW; *leaf = k->c[C_LEAF_NEXT].u32[*leaf]) {
        uint32_t t = task == NO_ROW ? k->c[C_LEAF_TASK_FIRST].u32[*leaf] : task;
        for (; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (is_due(y, t)) return t;
        }
        task = NO_ROW;
    }
    return NO_ROW;
}

/* Stops the tasks of the job that must leave: alone, or with the tasks that cannot run without
 * them. The function stops as many tasks as the bound on decisions allows and leaves the others to
 * later cycles. An eviction unit that is too large for every cycle with this bound stays on the
 * node. */
static int32_t stop_due(lsched_cycle *y, uint32_t job, uint32_t whole, uint64_t most) {
    struct columns *k = y->k;
    int32_t n = 0;
    for (uint32_t leaf = k->c[C_JOB_LEAVES].u32[job], t = next_due(y, &leaf, NO_ROW);
         t != NO_ROW;) {
        struct victim_unit u;
        uint32_t next = k->c[C_TASK_NEXT].u32[t];
        int known = victim_unit_of(y, t, &u);
        if (!whole) {
            if (u.group != NO_ROW) u.cost /= u.tasks ? u.tasks : 1;
            u.group = NO_ROW;
            u.tasks = 1;
            known = 1; /* is_due() has checked that the task may be disturbed */
        }
        if (known && y->n_fresh - y->fresh_mark + u.tasks > most) {
            y->drain_rest = n > 0 || u.tasks <= (whole ? y->bound : y->bound / 2);
            break;
        }
        int32_t rc = known ? undo_room(k) : LSCHED_OK;
        if (rc == LSCHED_OK && known) rc = evict_unit(y, &u);
        if (rc != LSCHED_OK) return rc;
        n += known;
        /* the unit may have contained other tasks of the list: begin again */
        if (known && u.group != NO_ROW) {
            leaf = k->c[C_JOB_LEAVES].u32[job];
            next = NO_ROW;
        } else if (next == NO_ROW) {
            leaf = k->c[C_LEAF_NEXT].u32[leaf];
        }
        t = next_due(y, &leaf, next);
    }
    return n;
}

int32_t call_drain_job(lsched_cycle *y, uint32_t job, uint32_t whole) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    if (!h || h->reason != LSCHED_FOR_DRAIN || whole > 1) return LSCHED_E_INVAL;
    if (job == NO_ROW || job != y->drained) return LSCHED_E_STATE;
    undo_rollback(k, y->mark);
    y->n_fresh = y->fresh_mark;
    evict_rolled_back(y);
    h->n_victims = h->n_units = h->next_move = 0;
    h->homeless = job_held(k, job) || hook_jobs_stops(y, job);
    uint64_t tasks = job_count(k, job).running;
    act_spend(y, tasks);
    y->drain_rest = 0;
    if (2 * tasks > y->decisions_left && 2 * tasks <= y->bound)
        act_is_full(y); /* the next cycle can make all decisions for the job */
    if (y->stop) return 0;
    int32_t rc = undo_room(k);
    /* A task that moves takes two decisions: one stops the task, one places it. */
    if (rc == LSCHED_OK)
        rc = stop_due(y, job, whole, whole ? y->decisions_left : y->decisions_left / 2);
    if (rc == 0 && y->drain_rest) act_is_full(y);
    if (rc <= 0) return rc;
    int32_t again = job_requeue(k, job);
    return again == LSCHED_OK ? rc : again;
}

/* Returns when the first node with room that refused one of the tasks without a new place can be
 * tried again. LSCHED_NEVER_US if one of these tasks has no room on any node. */
static int64_t waits_until(lsched_cycle *y) {
    const struct columns *k = y->k;
    const struct victim_search *h = y->search;
    int64_t until = LSCHED_NEVER_US;
    for (uint32_t i = 0; i < h->n_victims && !h->homeless; i++) {
        uint32_t releasing = h->victims[i].task, d = k->c[C_TASK_DECISION].u32[releasing];
        steps_add(k, 1);
        if (k->c[C_DECISION_KIND].u8[d] == LSCHED_MIGRATE) continue;
        int64_t from = refused_move_until(y, releasing);
        if (from == LSCHED_NEVER_US) return from;
        if (from < until) until = from;
    }
    return until;
}

int32_t call_keep_drained(lsched_cycle *y) {
    struct columns *k = y->k;
    if (!y->search || y->drained == NO_ROW) return LSCHED_E_INVAL;
    int64_t until = waits_until(y);
    look_at(y, until);
    /* If the work budget cut the search off, a larger budget might have found places for more
     * tasks. */
    if (act_is_cut(y) || until != LSCHED_NEVER_US) {
        undo_rollback(k, y->mark);
        y->n_fresh = y->fresh_mark;
        evict_rolled_back(y);
        y->drained = NO_ROW;
        return 0;
    }
    y->ended++;
    int32_t rc = evict_commit(y);
    if (rc != LSCHED_OK) return rc;
    y->decisions_left -= y->n_fresh - y->fresh_mark;
    set_meta(k, M_GROUP_SERIAL, y->group_serial);
    y->drained = NO_ROW;
    if (y->drain_rest) act_is_full(y);
    return 1;
}
