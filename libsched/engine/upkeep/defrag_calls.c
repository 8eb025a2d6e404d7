/* defrag_calls.c -- see defrag_calls.h. */
#include "engine/upkeep/defrag_calls.h"
#include "engine/upkeep/moves_vain.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/rights/victim_candidate.h"
#include "engine/victims/victim_search.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/waits/nominations.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/store/steps.h"

int32_t call_defrag_begin(lsched_cycle *cy) {
    if (cy->victims) return LSCHED_E_INVAL;
    /* while starts are put off (put_off.h), it is not known which nodes this cycle will use */
    int later = meta(cy->k, M_PUT_OFF_HEAD) != NO_ROW;
    if (cy->act->moves_max == 0 || cy->spend.stop || later || !hook_lets_evict(cy) ||
        moves_vain_known(cy) || !decision_kinds_allow(cy, KINDS_TO_MOVE))
        return 0;
    int32_t rc = victim_search_open_for_none(cy, LSCHED_FOR_CONSOLIDATE);
    return rc == LSCHED_OK ? 1 : rc;
}

int32_t call_defrag_end(lsched_cycle *cy) {
    if (!cy->victims) return LSCHED_E_INVAL;
    int32_t rc = moves_vain_note(cy);
    victim_search_close(cy);
    cy->turn.later = 0;
    return rc;
}

int defrag_gains(const lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY) return 0;
    /* if all devices of the node are already free, nothing is gained */
    return k->c[C_NODE_N_DEVICES].u8[node] == 0 ||
           k->c[C_NODE_GPU_WHOLE].u8[node] != k->c[C_NODE_N_DEVICES].u8[node];
}

/* Returns 1 and stores the cost of emptying the node in *cost and the number of tasks to move in
 * *tasks. Returns 0 if a task of the node must stay, if the node has no task, or if the node has
 * more tasks than this cycle can still move. */
static int may_empty(lsched_cycle *cy, uint32_t node, int64_t *cost, uint32_t *tasks) {
    const struct columns *k = cy->k;
    *cost = 0;
    *tasks = 0;
    if (!defrag_gains(cy, node) || cy->victims->nodes.excluded[node]) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        steps_add(k, 1);
        act_spend(cy, 1);
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || !victim_candidate_of(cy, t, &u))
            return 0;
        *cost = *cost > INT64_MAX - u.cost ? INT64_MAX : *cost + u.cost;
        ++*tasks;
    }
    return *tasks > 0 && *tasks <= cy->act->moves_max && *tasks < cy->spend.decisions_left / 2;
}

int32_t call_next_sparse(lsched_cycle *cy, uint32_t *node) {
    const struct view_cache *v = &cy->c->view;
    uint32_t best = NO_ROW, tasks;
    int64_t best_cost = 0, cost;
    if (!cy->victims) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    for (uint32_t i = 0; !cy->spend.stop && i < v->n_ranked; i++) {
        uint32_t n = v->by_rank[i];
        steps_add(cy->k, 1);
        act_spend(cy, 1);
        if (!may_empty(cy, n, &cost, &tasks) || (best != NO_ROW && cost >= best_cost)) continue;
        best = n;
        best_cost = cost;
    }
    if (best == NO_ROW || cy->spend.stop) return 0;
    *node = best;
    return 1;
}

int32_t defrag_open(lsched_cycle *cy) {
    struct columns *k = cy->k;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    cy->turn.mark = undo_mark(k);
    cy->turn.fresh_mark = cy->decisions.n_fresh;
    cy->turn.group_serial = meta(k, M_GROUP_SERIAL) + 1;
    cy->victims->n_victims = cy->victims->n_units = cy->victims->move.next = 0;
    cy->victims->planned = 0;
    return LSCHED_OK;
}

int32_t call_empty_node(lsched_cycle *cy, uint32_t node) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    int64_t cost;
    uint32_t tasks;
    if (!h || node >= h->nodes.cap || !row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    if (!may_empty(cy, node, &cost, &tasks)) return 0;
    h->nodes.excluded[node] = 1;
    int32_t rc = defrag_open(cy);
    if (rc != LSCHED_OK) return rc;
    act_spend(cy, tasks);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node], next; t != NO_ROW; t = next) {
        struct victim_unit u;
        next = k->c[C_TASK_NODE_NEXT].u32[t];
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING || !victim_candidate_of(cy, t, &u))
            continue;
        rc = evict_and_requeue(cy, &u);
        if (rc != LSCHED_OK) return rc;
    }
    return 1;
}

/* True if the node has work other than the tasks that this transaction moves to the node. */
static int in_use(const lsched_cycle *cy, uint32_t node) {
    const struct columns *k = cy->k;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        uint32_t d = k->c[C_TASK_DECISION].u32[t];
        if (state == LSCHED_TASK_RELEASING) continue;
        if (d == NO_ROW || k->c[C_DECISION_GROUP].u64[d] != cy->turn.group_serial) return 1;
    }
    return 0;
}

/* True if this transaction moves a task away from the node. */
static int is_left(const lsched_cycle *cy, uint32_t node) {
    const struct victim_search *h = cy->victims;
    for (uint32_t i = 0; i < h->n_victims; i++)
        if (cy->k->c[C_TASK_NODE].u32[h->victims[i].task] == node) return 1;
    return 0;
}

static int is_empty(const struct columns *k, uint32_t node) {
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    while (t != NO_ROW && k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING)
        t = k->c[C_TASK_NODE_NEXT].u32[t];
    return t == NO_ROW;
}

static int frees_a_node(const lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    for (uint32_t i = 0; i < h->n_victims; i++)
        if (is_empty(cy->k, cy->k->c[C_TASK_NODE].u32[h->victims[i].task])) return 1;
    return 0;
}

/* Keeps the moves if each one goes to a node in use and all jobs keep their minimum. For moves
 * that were planned together, the target can also be a node from which one of these moves takes a
 * task, and at least one node must become free. Otherwise the function rolls the transaction back.
 * Returns 1 or 0. */
int32_t call_keep_moves(lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    if (!h) return LSCHED_E_INVAL;
    int good = h->n_victims > 0 && (!h->planned || frees_a_node(cy)) && act_fits_bound(cy) &&
               nominations_end_in_time(cy);
    for (uint32_t i = 0; good && i < h->n_victims; i++) {
        uint32_t row = h->victims[i].task;
        uint32_t t = task_find(k, h->victims[i].job, k->c[C_TASK_INDEX].u32[row]);
        good = k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED &&
               job_satisfied(k, h->victims[i].job) &&
               (in_use(cy, k->c[C_TASK_NODE].u32[t]) ||
                (h->planned && is_left(cy, k->c[C_TASK_NODE].u32[t])));
    }
    if (!good) {
        evict_roll_back(cy, cy->turn.mark, cy->turn.fresh_mark);
        return 0;
    }
    uint32_t moved = h->n_victims;
    int32_t rc = evict_commit(cy);
    if (rc != LSCHED_OK) return rc;
    cy->act->moves_max -= moved;
    evict_keep_group(cy);
    return 1;
}
