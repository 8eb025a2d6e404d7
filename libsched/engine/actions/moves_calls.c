/*
 * moves_calls.c -- moves that an action plans together, so that whole nodes become free where no
 * single node can be emptied alone.
 *
 * The calls offer running tasks that a consolidation may stop (victim_rules.c) and whose request
 * consists of amounts, whole devices and a node only. All other tasks stay. The action says which
 * task moves to which node. The engine checks again whether the task may be stopped when it is
 * stopped, whether it fits when it is placed, and whether a node becomes free when the moves are
 * kept (defrag_calls.c). The transaction is kept as a whole or rolled back. Cost: O(tasks of the
 * node), and the quadratic cost of sorting them by insertion, therefore nodes with more than
 * TASKS_MOST tasks are not offered.
 */
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/actions/evict_calls.h"
#include "engine/policy_hooks/hook_victims.h"
#include "engine/actions/plan_calls.h"
#include "model/jobs/bundle.h"
#include "model/nodes/node.h"
#include "model/jobs/refusal.h"
#include "engine/policy_hooks/hooks.h"

#define MOVES_MOST 65536u
#define TASKS_MOST 1024u /* most tasks of a node that is offered */

int32_t call_moves_left(lsched_cycle *y) {
    if (!y->search) return LSCHED_E_INVAL;
    /* a move takes two decisions: one stops the task, one places it */
    uint64_t n = y->decisions_left / 2;
    if (n > 0) n--;
    if (n > y->moves_max) n = y->moves_max;
    return y->stop ? 0 : (int32_t)(n < MOVES_MOST ? n : MOVES_MOST);
}

/* Returns 1 and fills *u if the task may be moved and is an eviction unit of its own, or 0. */
static int may_move(lsched_cycle *y, uint32_t task, struct victim_unit *u) {
    const struct columns *k = y->k;
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return 0;
    uint32_t shape = task_shape(k, task);
    return plan_says_all(k, k->c[C_JOB_SHAPE].u32[k->c[C_TASK_JOB].u32[task]]) &&
           k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0 && victim_unit_of(y, task, u) &&
           u->group == NO_ROW && u->tasks == 1;
}

static int goes_first(const struct columns *k, const lsched_mover *a, const lsched_mover *b) {
    if (a->job != b->job) return job_before(k, a->job, b->job);
    return k->c[C_TASK_INDEX].u32[a->task] < k->c[C_TASK_INDEX].u32[b->task];
}

/* Inserts the task into the sorted list of n movers. */
static void add(lsched_cycle *y, uint32_t n, const struct victim_unit *u) {
    const struct columns *k = y->k;
    uint32_t shape = task_shape(k, u->task);
    lsched_mover m = {.size = sizeof m,
                      .job = u->job,
                      .task = u->task,
                      .devices = k->c[C_SHAPE_DEVICES].u32[shape],
                      .shape = k->c[C_SHAPE_SERIAL].u64[shape],
                      .cost = u->cost};
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) m.amount[r] = task_amount(k, u->task, r);
    for (; n > 0 && goes_first(k, &m, &y->movers[n - 1]); n--) y->movers[n] = y->movers[n - 1];
    y->movers[n] = m;
}

int32_t call_movers(lsched_cycle *y, uint32_t node, const lsched_mover **list, uint32_t *n,
                    uint32_t *stay) {
    struct columns *k = y->k;
    uint32_t tasks = 0;
    if (!y->search || !row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    *n = *stay = 0;
    if (!defrag_gains(y, node) || hook_on(y, LSCHED_HOOK_FILTER)) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        tasks++;
    act_spend(y, 1 + tasks / 8);
    if (tasks > TASKS_MOST) return 0;
    if (!VEC_ROOM(k->alloc, y->movers, y->cap_movers, tasks)) return LSCHED_E_NOMEM;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        if (may_move(y, t, &u))
            add(y, (*n)++, &u);
        else
            *stay += k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RELEASING;
    }
    *list = y->movers;
    return *n + *stay > 0;
}

int32_t call_mover_able(lsched_cycle *y, uint32_t task, uint32_t node) {
    const struct columns *k = y->k;
    if (!row_is_live(k, T_TASK, task) || !row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    uint32_t shape = task_shape(k, task);
    return node_able(k, node, shape) &&
           !refusal_blocks(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]], shape, node, 1);
}

int32_t call_moves_begin(lsched_cycle *y, uint32_t tasks) {
    if (!y->search) return LSCHED_E_INVAL;
    if (tasks == 0 || tasks > (uint32_t)call_moves_left(y)) return 0;
    int32_t rc = defrag_open(y);
    if (rc != LSCHED_OK) return rc;
    /* judge all jobs again: an earlier move of this cycle counts in their disruption budgets */
    y->search->stamp++;
    y->search->planned = tasks;
    act_spend(y, tasks);
    return 1;
}

int32_t call_move_off(lsched_cycle *y, uint32_t task) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    struct victim_unit u;
    if (!h || !row_is_live(k, T_TASK, task)) return LSCHED_E_INVAL;
    if (h->n_victims >= h->planned || !may_move(y, task, &u) ||
        !defrag_gains(y, k->c[C_TASK_NODE].u32[task]))
        return 0;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = evict_unit(y, &u);
    if (rc == LSCHED_OK) rc = job_requeue(k, u.job);
    return rc == LSCHED_OK ? 1 : rc;
}
