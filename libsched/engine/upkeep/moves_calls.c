/* moves_calls.c -- see moves_calls.h. */
#include "engine/upkeep/defrag_calls.h"
#include "engine/upkeep/moves_calls.h"
#include "base/times.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/rights/checkpoints.h"
#include "engine/rights/victim_candidate.h"
#include "engine/actions/plan_calls.h"
#include "engine/indexes/affinity_rules.h"
#include "model/jobs/bundle.h"
#include "model/absences/job_absence.h"
#include "model/jobs/job_cost.h"
#include "model/nodes/node.h"
#include "model/jobs/refusal.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"

#define MOVES_MOST 65536u
#define TASKS_MOST 1024u /* largest number of tasks on a node that is offered */

int32_t call_moves_left(lsched_cycle *cy) {
    if (!cy->victims) return LSCHED_E_INVAL;
    /* a move takes two decisions: one stops the task, one places it */
    uint64_t n = cy->spend.decisions_left / 2;
    if (n > 0) n--;
    if (n > cy->act->moves_max) n = cy->act->moves_max;
    return cy->spend.stop ? 0 : (int32_t)(n < MOVES_MOST ? n : MOVES_MOST);
}

/* Returns 1 and fills *u if the task is allowed to move and is an eviction unit of its own;
 * otherwise returns 0. */
static int may_move(lsched_cycle *cy, uint32_t task, struct victim_unit *u) {
    const struct columns *k = cy->k;
    if (k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING) return 0;
    uint32_t shape = task_shape(k, task);
    return plan_says_all(k, k->c[C_JOB_SHAPE].u32[k->c[C_TASK_JOB].u32[task]]) &&
           !affinity_rules_asked(k, shape) && k->c[C_SHAPE_MIG_SLICES].u8[shape] == 0 &&
           victim_candidate_of(cy, task, u) && u->group == NO_ROW && u->tasks == 1;
}

static int goes_first(const struct columns *k, const lsched_mover *a, const lsched_mover *b) {
    if (a->job != b->job) return job_before(k, a->job, b->job);
    return k->c[C_TASK_INDEX].u32[a->task] < k->c[C_TASK_INDEX].u32[b->task];
}

/* Inserts the task into the sorted list of n movers. */
static void add(lsched_cycle *cy, uint32_t n, const struct victim_unit *u) {
    const struct columns *k = cy->k;
    uint32_t shape = task_shape(k, u->task);
    lsched_mover m = {.size = sizeof m,
                      .job = u->job,
                      .task = u->task,
                      .devices = k->c[C_SHAPE_DEVICES].u32[shape],
                      .shape = k->c[C_SHAPE_SERIAL].u64[shape],
                      .cost = u->cost};
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) m.amount[r] = task_amount(k, u->task, r);
    for (; n > 0 && goes_first(k, &m, &cy->act->movers[n - 1]); n--)
        cy->act->movers[n] = cy->act->movers[n - 1];
    cy->act->movers[n] = m;
}

int32_t call_movers(lsched_cycle *cy, uint32_t node, const lsched_mover **list, uint32_t *n,
                    uint32_t *stay) {
    struct columns *k = cy->k;
    uint32_t tasks = 0;
    if (!cy->victims || !row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    *n = *stay = 0;
    if (!defrag_gains(cy, node) || hook_on(cy, LSCHED_HOOK_FILTER)) return 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        tasks++;
    act_spend(cy, 1 + tasks / 8);
    if (tasks > TASKS_MOST) return 0;
    if (!VEC_ROOM(k->alloc, cy->act->movers, cy->act->cap_movers, tasks)) return LSCHED_E_NOMEM;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        struct victim_unit u;
        if (may_move(cy, t, &u))
            add(cy, (*n)++, &u);
        else
            *stay += k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RELEASING;
    }
    *list = cy->act->movers;
    return *n + *stay > 0;
}

int32_t call_mover_able(lsched_cycle *cy, uint32_t task, uint32_t node) {
    const struct columns *k = cy->k;
    if (!row_is_live(k, T_TASK, task) || !row_is_live(k, T_NODE, node)) return LSCHED_E_INVAL;
    uint32_t shape = task_shape(k, task), job = k->c[C_TASK_JOB].u32[task];
    /* the task starts on the node when it has left its old place */
    int64_t takes = time_after_at_most(job_cost_release(k, job, cycle_eviction(cy)->release_us),
                                       checkpoints_time(cy, job, LSCHED_FOR_CONSOLIDATE));
    return node_able(k, node, shape) &&
           !job_absence_bars(k, node, time_after_at_most(cy->now, takes), job) &&
           !refusal_blocks(k, k->c[C_JOB_QUEUE].u32[job], shape, node, 1);
}

int32_t call_moves_begin(lsched_cycle *cy, uint32_t tasks) {
    if (!cy->victims) return LSCHED_E_INVAL;
    if (tasks == 0 || tasks > (uint32_t)call_moves_left(cy)) return 0;
    int32_t rc = defrag_open(cy);
    if (rc != LSCHED_OK) return rc;
    /* the verdicts are computed again, because earlier moves of this cycle count in disruption
     * budgets */
    cy->victims->stamp++;
    cy->victims->planned = tasks;
    act_spend(cy, tasks);
    return 1;
}

int32_t call_move_off(lsched_cycle *cy, uint32_t task) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    struct victim_unit u;
    if (!h || !row_is_live(k, T_TASK, task)) return LSCHED_E_INVAL;
    if (h->n_victims >= h->planned || !may_move(cy, task, &u) ||
        !defrag_gains(cy, k->c[C_TASK_NODE].u32[task]))
        return 0;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = evict_and_requeue(cy, &u);
    return rc == LSCHED_OK ? 1 : rc;
}
