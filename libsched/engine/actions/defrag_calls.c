/*
 * defrag_calls.c -- consolidation without a waiting job: the orchestrator set moves_max, and the
 * cycle empties whole nodes for future jobs.
 *
 * The gain is a node without work, with all its devices free. The cost is the cost of stopping the
 * node's tasks (victim_rules.c), and each decision reports it. The node with the lowest cost is
 * emptied first. A node is emptied only if all its tasks may move, if all of them fit on nodes
 * that already have work, and if enough moves are left. Therefore no move starts work on an idle
 * node. To find one node costs O(nodes + tasks). The moves that an action plans together
 * (moves_calls.c) are kept by the same rule, with one difference: a node that loses a task counts
 * as a node in use, provided that at least one node becomes free.
 */
#include "engine/state/transaction.h"
#include "engine/actions/evict_calls.h"
#include "engine/policy_hooks/hook_victims.h"
#include "model/nodes/node.h"
#include "model/store/steps.h"

int32_t call_defrag_begin(lsched_cycle *y) {
    if (y->search) return LSCHED_E_INVAL;
    /* While starts are put off (put_off.h), the nodes that this cycle will use are not known. */
    int later = meta(y->k, M_PUT_OFF_HEAD) != NO_ROW;
    if (y->moves_max == 0 || y->stop || later || !hook_lets_evict(y)) return 0;
    int32_t rc = view_update(&y->c->view, y->k, y->now);
    if (rc == LSCHED_OK) rc = victim_search_open(y, LSCHED_FOR_CONSOLIDATE);
    if (rc != LSCHED_OK) return rc;
    y->search->stamp = 1;
    y->search->until = LSCHED_NEVER_US;
    y->job = NO_ROW;
    y->later = 1;
    return 1;
}

int32_t call_defrag_end(lsched_cycle *y) {
    if (!y->search) return LSCHED_E_INVAL;
    victim_search_close(y);
    y->later = 0;
    return LSCHED_OK;
}

int defrag_gains(const lsched_cycle *y, uint32_t node) {
    const struct columns *k = y->k;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY) return 0;
    /* If all devices of the node are free, they are already free together. */
    return k->c[C_NODE_N_DEVICES].u8[node] == 0 ||
           k->c[C_NODE_GPU_WHOLE].u8[node] != k->c[C_NODE_N_DEVICES].u8[node];
}

/* Returns 1 and stores the cost of emptying the node in *cost and the number of tasks to move in
 * *tasks. Returns 0 if a task has to stay, if the node has no task, or if more tasks run there
 * than may move. */
static int may_empty(lsched_cycle *y, uint32_t node, int64_t *cost, uint32_t *tasks) {
    const struct columns *k = y->k;
    *cost = 0;
    *tasks = 0;
    if (!defrag_gains(y, node) || y->search->excluded[node]) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        steps_add(k, 1);
        act_spend(y, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || !victim_unit_of(y, t, &u)) return 0;
        *cost = *cost > INT64_MAX - u.cost ? INT64_MAX : *cost + u.cost;
        ++*tasks;
    }
    return *tasks > 0 && *tasks <= y->moves_max && *tasks < y->decisions_left / 2;
}

int32_t call_next_sparse(lsched_cycle *y, uint32_t *node) {
    const struct view_cache *v = &y->c->view;
    uint32_t best = NO_ROW, tasks;
    int64_t best_cost = 0, cost;
    if (!y->search) return LSCHED_E_INVAL;
    act_spend(y, 1);
    for (uint32_t i = 0; !y->stop && i < v->n_ranked; i++) {
        uint32_t n = v->by_rank[i];
        steps_add(y->k, 1);
        act_spend(y, 1);
        if (!may_empty(y, n, &cost, &tasks) || (best != NO_ROW && cost >= best_cost)) continue;
        best = n;
        best_cost = cost;
    }
    if (best == NO_ROW || y->stop) return 0;
    *node = best;
    return 1;
}

int32_t defrag_open(lsched_cycle *y) {
    struct columns *k = y->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    y->mark = undo_mark(k);
    y->fresh_mark = y->n_fresh;
    y->group_serial = meta(k, M_GROUP_SERIAL) + 1;
    y->search->n_victims = y->search->n_units = y->search->next_move = 0;
    y->search->planned = 0;
    return LSCHED_OK;
}

int32_t call_empty_node(lsched_cycle *y, uint32_t node) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    int64_t cost;
    uint32_t tasks;
    if (!h || node >= h->cap_nodes || !row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    if (!may_empty(y, node, &cost, &tasks)) return 0;
    h->excluded[node] = 1;
    int32_t rc = defrag_open(y);
    if (rc != LSCHED_OK) return rc;
    act_spend(y, tasks);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node], next; t != NO_ROW; t = next) {
        struct victim_unit u;
        next = k->c[C_TASK_NODE_NEXT].u32[t];
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || !victim_unit_of(y, t, &u)) continue;
        rc = evict_unit(y, &u);
        if (rc == LSCHED_OK) rc = job_requeue(k, u.job);
        if (rc != LSCHED_OK) return rc;
    }
    return 1;
}

/* True if the node has work other than the tasks that this transaction moves there. */
static int in_use(const lsched_cycle *y, uint32_t node) {
    const struct columns *k = y->k;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        if (state == LSCHED_TASK_RELEASING) continue;
        if (d == NO_ROW || k->c[C_DECISION_GROUP].u64[d] != y->group_serial) return 1;
    }
    return 0;
}

/* True if a task of the node is stopped in this transaction. */
static int is_left(const lsched_cycle *y, uint32_t node) {
    const struct victim_search *h = y->search;
    for (uint32_t i = 0; i < h->n_victims; i++)
        if (y->k->c[C_TASK_NODE].u32[h->victims[i].task] == node) return 1;
    return 0;
}

static int is_empty(const struct columns *k, uint32_t node) {
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    while (t != NO_ROW && k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING)
        t = k->c[C_TASK_NODE_NEXT].u32[t];
    return t == NO_ROW;
}

static int frees_a_node(const lsched_cycle *y) {
    const struct victim_search *h = y->search;
    for (uint32_t i = 0; i < h->n_victims; i++)
        if (is_empty(y->k, y->k->c[C_TASK_NODE].u32[h->victims[i].task])) return 1;
    return 0;
}

/* Keeps the moves if each one goes to a node in use and all jobs keep their minimum. For planned
 * moves, the target can also be a node that another move leaves, and at least one node must become
 * free. Otherwise the function rolls the transaction back. Returns 1 or 0. */
int32_t call_keep_moves(lsched_cycle *y) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    if (!h) return LSCHED_E_INVAL;
    int good = h->n_victims > 0 && (!h->planned || frees_a_node(y)) && act_fits_bound(y);
    for (uint32_t i = 0; good && i < h->n_victims; i++) {
        uint32_t row = h->victims[i].task;
        uint32_t t = task_find(k, h->victims[i].job, k->c[C_TASK_INDEX].u32[row]);
        good = k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED &&
               job_satisfied(k, h->victims[i].job) &&
               (in_use(y, k->c[C_TASK_NODE].u32[t]) ||
                (h->planned && is_left(y, k->c[C_TASK_NODE].u32[t])));
    }
    if (!good) {
        undo_rollback(k, y->mark);
        y->n_fresh = y->fresh_mark;
        evict_rolled_back(y);
        return 0;
    }
    uint32_t moved = h->n_victims;
    int32_t rc = evict_commit(y);
    if (rc != LSCHED_OK) return rc;
    y->moves_max -= moved;
    y->decisions_left -= y->n_fresh - y->fresh_mark;
    set_meta(k, M_GROUP_SERIAL, y->group_serial);
    return 1;
}
