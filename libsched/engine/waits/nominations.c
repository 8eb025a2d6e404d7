/*
 * nominations.c -- what happens to nominations at the beginning of a cycle.
 *
 * First, nominated tasks take the room that came free, task by task; each nomination becomes a
 * place decision of this plan. A gang that is below its minimum without its nominated tasks takes
 * no room before enough of them fit for the minimum. Then come the overdue tasks. A releasing task
 * that should have been gone for longer than the grace time is stuck: nothing is planned on its
 * room any more, and nominations that counted on its room are withdrawn. A nomination whose time
 * passed a grace time ago is withdrawn, too. There is no search: only nodes that gained room are
 * read, and all task rows only when something is overdue.
 */
#include "engine/waits/nominations.h"
#include "engine/state/transaction.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/waits/refused.h"
#include "model/shapes/daily_demand.h"
#include "model/jobs/releasing.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_mig.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"
#include "engine/state/withdraw_decision.h"

/* ---- releasing and nominated tasks that are overdue ---- */

static int64_t due_at(const struct columns *k, uint32_t t) {
    uint8_t state = k->c[C_TASK_STATE].u8[t];
    if (state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t])
        return k->c[C_TASK_RELEASE_AT].i64[t];
    if (state == LSCHED_TASK_NOMINATED)
        return k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[t]];
    return LSCHED_NEVER_US;
}

static int32_t overdue(struct lsched_cycle *y, uint32_t t) {
    struct columns *k = y->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED) return withdraw_decision(y, t);
    releasing_stuck(k, t);
    rc = node_trim_nominations(k, k->c[C_TASK_NODE].u32[t], y->now, withdraw_decision_note, y);
    return rc == LSCHED_OK && y->out_of_memory ? LSCHED_E_NOMEM : rc;
}

static int32_t look_for_overdue(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int64_t grace = cycle_eviction(y)->grace_us, next = 0, first = (int64_t)meta(k, M_FUTURE_NEXT);
    if (first == 0 || y->now - grace < first) return LSCHED_OK;
    steps_add(k, table_rows(k, T_TASK));
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t)) continue;
        int64_t at = due_at(k, t);
        if (at == LSCHED_NEVER_US) continue;
        if (at <= y->now - grace) {
            int32_t rc = overdue(y, t);
            if (rc != LSCHED_OK) return rc;
        } else if (next == 0 || at < next) {
            next = at > 0 ? at : 1;
        }
    }
    set_meta(k, M_FUTURE_NEXT, (uint64_t)next);
    return LSCHED_OK;
}

/* ---- room that came free ---- */

/* Returns 1 if the room of a nomination is free now, with its own devices or others of the node in
 * *hold. The nomination itself is not counted during the check. */
static int has_come_free(struct columns *k, uint32_t task, struct hold *hold) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], shape = task_shape(k, task);
    struct hold claimed = task_hold(k, task);
    *hold = claimed;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY ||
        refusal_stops_nomination(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]], shape, node))
        return 0;
    size_t mark = undo_mark(k);
    node_coming(k, node, shape, &claimed, 1, -1);
    set_u16(k, C_TASK_NICS, task, 0); /* the tasks themselves say which network cards are in use */
    int fits = node_fits(k, node, shape);
    if (fits && !device_select_allows(k, node, shape, DEVICE_NOW, &claimed))
        fits = device_select_cheapest(k, node, shape, DEVICE_NOW, NULL, hold) &&
               hold_milli(k, node, shape, hold) <= hold_milli(k, node, shape, &claimed);
    if (fits && k->c[C_SHAPE_MIG_SLICES].u8[shape]) device_select_mig_renew(k, node, shape, hold);
    undo_rollback(k, mark);
    return fits;
}

/* Returns 1 if no task breaks the required anti-affinity of this task. Tasks that it must be apart
 * from, or that must be apart from it, can still be releasing in the domain, or can have started
 * there since the nomination. */
static int32_t is_clear(struct lsched_cycle *y, uint32_t task) {
    struct columns *k = y->k;
    struct affinity_rules rules;
    uint32_t shape = task_shape(k, task);
    if (!affinity_rules_asked(k, shape)) return 1;
    int32_t rc =
        affinity_rules_open(&rules, &y->c->affinity, k, k->c[C_TASK_JOB].u32[task], shape, 0);
    return rc == LSCHED_OK ? affinity_rules_is_clear(&rules, k, task) : rc;
}

static int32_t seat(struct lsched_cycle *y, uint32_t task) {
    uint32_t decision;
    struct hold hold;
    if (!has_come_free(y->k, task, &hold)) return 0;
    int32_t rc = is_clear(y, task);
    if (rc <= 0) return rc;
    rc = task_seat(y->k, task, &hold, y->now, &decision);
    if (rc == LSCHED_OK) rc = cycle_fresh_add(y, decision);
    return rc == LSCHED_OK ? 1 : rc;
}

static int32_t seat_job(struct lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK || job_releasing(k, job)) return rc;
    size_t mark = undo_mark(k);
    uint32_t fresh = y->n_fresh;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED) continue;
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            rc = seat(y, t);
            if (rc < 0) return rc;
        }
    }
    if (job_stands(k, job)) return LSCHED_OK;
    undo_rollback(k, mark); /* the gang waits for more of its nominated room */
    y->n_fresh = fresh;
    return LSCHED_OK;
}

/* Places the nominated tasks of a node, job by job. Placing moves no row in the node's list, so the
 * walk can continue. */
static int32_t seat_node(struct lsched_cycle *y, uint32_t node) {
    struct columns *k = y->k;
    if (k->c[C_NODE_FUTURE].u32[node] == 0) return LSCHED_OK;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        steps_add(k, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED) continue;
        int32_t rc = seat_job(y, k->c[C_TASK_JOB].u32[t]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* True if the free amounts of the node are large enough for the nominated task. Devices are not
 * checked. */
static int may_be_free(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (shape_is_daily(k, task_shape(k, task))) return 1;
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++)
        if (task_amount(k, task, r) > k->c[C_NODE_FREE + r].i64[node]) return 0;
    return 1;
}

/* True if the free amounts of the nodes are large enough for every nomination of the job. Devices
 * and daily demand are not checked, so a nomination can still wait for releasing tasks. The
 * function changes nothing, so the node scores that searches keep stay valid. */
int nominations_wait_for_nobody(const struct columns *k, uint32_t job) {
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED && !may_be_free(k, t)) return 0;
        }
    return 1;
}

/* An action that evicts makes nominations only. Their room can be free already: `allocate` has not
 * run yet, or the victims ran on other nodes and only gave back use that a limit counts. Such a
 * node will not gain room, so it is marked as grown, and the next cycle looks at it. */
int32_t nominations_look_again(struct lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            struct hold hold;
            steps_add(k, 1);
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED && has_come_free(k, t, &hold))
                node_grew(k, k->c[C_TASK_NODE].u32[t]);
        }
    }
    return LSCHED_OK;
}

/* ---- evictions that are no longer needed ---- */

/* True if a decision of the group still gives a place to the job for which the task is evicted. */
static int has_taker(const struct columns *k, uint32_t decision) {
    uint64_t group = k->c[C_DECISION_GROUP].u64[decision],
             for_job = k->c[C_DECISION_FOR_JOB].u64[decision];
    for (int side = 0; side < 2; side++) {
        uint32_t link = side ? C_DECISION_PREV : C_DECISION_NEXT;
        for (uint32_t d = k->c[link].u32[decision];
             d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == group; d = k->c[link].u32[d]) {
            uint32_t t = k->c[C_DECISION_TASK].u32[d];
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RELEASING &&
                id_make(k, LSCHED_KIND_JOB, k->c[C_TASK_JOB].u32[t]) == for_job)
                return 1;
        }
    }
    return 0;
}

/* The latest answer of has_taker: decisions of one group are adjacent in the list. */
struct taker_known {
    uint64_t group, for_job;
    int known, has;
};

/* True if no job needs the eviction any more and the orchestrator has not settled it. */
static int is_needless(const struct columns *k, uint32_t d, struct taker_known *t) {
    uint32_t kind = k->c[C_DECISION_KIND].u8[d];
    uint64_t group = k->c[C_DECISION_GROUP].u64[d], for_job = k->c[C_DECISION_FOR_JOB].u64[d];
    if ((kind != LSCHED_EVICT && kind != LSCHED_MIGRATE) || for_job == 0 ||
        k->c[C_DECISION_STATE].u8[d] != LSCHED_DECISION_PROPOSED)
        return 0;
    if (!t->known || t->group != group || t->for_job != for_job)
        *t = (struct taker_known){group, for_job, 1, has_taker(k, d)};
    return !t->has;
}

/* True if the queues of all tasks whose eviction was withdrawn since `notes` are within their
 * limits when these tasks run on. */
static int within_limits_again(const struct lsched_cycle *y, uint32_t notes) {
    uint32_t last = NO_ROW;
    for (uint32_t i = notes; i < y->n_withdrawn; i++) {
        uint32_t queue = y->withdrawn[i].queue;
        if (queue != last && queue_above_limits(y->k, queue)) return 0;
        last = queue;
    }
    return 1;
}

/* Withdraws the eviction and its group: returns 1. Returns 0 and changes nothing if another job has
 * started within the limits that the victims left. */
static int32_t withdraw_eviction(struct lsched_cycle *y, uint32_t d) {
    struct columns *k = y->k;
    size_t mark = undo_mark(k);
    uint32_t notes = y->n_withdrawn;
    withdraw_decision_note(y, d, k->c[C_DECISION_GEN].u32[d]);
    int32_t rc = decision_reject(k, d, y->now, withdraw_decision_note, y);
    if (rc != LSCHED_OK) return rc;
    if (within_limits_again(y, notes)) return 1;
    undo_rollback(k, mark);
    y->n_withdrawn = notes;
    return 0;
}

/* Walks once through the list of open decisions; after a withdrawal the walk continues from the
 * latest decision that stays. *n: number of withdrawn evictions. */
static int32_t withdraw_once(struct lsched_cycle *y, uint32_t *n) {
    struct columns *k = y->k;
    struct taker_known taker = {0, 0, 0, 0};
    uint32_t kept = NO_ROW, gen = 0, d = (uint32_t)meta(k, M_OPEN_HEAD);
    uint64_t needed = 0; /* latest group whose evictions must stay */
    *n = 0;
    while (d != NO_ROW) {
        steps_add(k, 1);
        uint64_t group = k->c[C_DECISION_GROUP].u64[d];
        int needless = group != needed && is_needless(k, d, &taker);
        int32_t rc = needless ? withdraw_eviction(y, d) : 0;
        if (rc < 0) return rc;
        if (rc == 0) {
            if (needless) needed = group;
            kept = d;
            gen = k->c[C_DECISION_GEN].u32[d];
            d = k->c[C_DECISION_NEXT].u32[d];
            continue;
        }
        ++*n;
        taker.known = 0;
        int stays = kept != NO_ROW && row_is_live(k, T_DECISION, kept) &&
                    k->c[C_DECISION_GEN].u32[kept] == gen;
        d = stays ? k->c[C_DECISION_NEXT].u32[kept] : (uint32_t)meta(k, M_OPEN_HEAD);
    }
    return LSCHED_OK;
}

/* Withdraws evictions that the orchestrator has not settled and whose nomination is lost or found
 * room without them: the victims run on. A withdrawal can withdraw other decisions, whose evictions
 * are then needless, too; the loop runs until no eviction is needless. */
static int32_t withdraw_needless(struct lsched_cycle *y) {
    uint32_t n = 1;
    while (n > 0) {
        int32_t rc = withdraw_once(y, &n);
        if (rc != LSCHED_OK) return rc;
    }
    set_meta(y->k, M_CLAIM_LOST, 0);
    return y->out_of_memory ? LSCHED_E_NOMEM : LSCHED_OK;
}

/* Places nominated tasks on nodes that gained room, in name order. With anti-affinity between jobs
 * it then goes through all nodes: a task that left one node can have kept a nomination on another
 * node waiting. */
static int32_t seat_nominations(struct lsched_cycle *y) {
    struct columns *k = y->k;
    const struct view_cache *v = &y->c->view;
    int32_t rc = view_update(&y->c->view, k, y->now);
    for (uint32_t all = 0; all < (meta(k, M_APART) ? 2u : 1u); all++)
        for (uint32_t i = 0; i < v->n_ranked && rc == LSCHED_OK && meta(k, M_NOMINATED); i++)
            if (all || k->c[C_NODE_GREW].u8[v->by_rank[i]]) rc = seat_node(y, v->by_rank[i]);
    return rc;
}

int32_t nominations_serve(struct lsched_cycle *y) {
    struct columns *k = y->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (meta(k, M_NOMINATED) + meta(k, M_LEAVING) == 0) {
        set_meta(k, M_CLAIM_LOST, 0);
        set_meta(k, M_FUTURE_NEXT, 0);
        return LSCHED_OK;
    }
    rc = refused_nominations(y);
    /* Placing comes before expiry: the orchestrator may run cycles seldom, and the room came free
     * in time. */
    if (rc == LSCHED_OK && meta(k, M_GREW_HEAD) != NO_ROW && meta(k, M_NOMINATED))
        rc = seat_nominations(y);
    if (rc == LSCHED_OK) rc = look_for_overdue(y);
    if (rc == LSCHED_OK && meta(k, M_CLAIM_LOST)) rc = withdraw_needless(y);
    return rc;
}
