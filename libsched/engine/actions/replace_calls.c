/* replace_calls.c -- see replace_calls.h. */
#include "engine/actions/replace_calls.h"
#include "engine/state/decision_kinds.h"
#include "engine/actions/act_state.h"
#include "engine/actions/evict.h"
#include "engine/victims/victim_order.h"
#include "engine/rights/victim_side.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/store/steps.h"

/* Links the victims of each job in a list, in the order in which they were stopped. */
static void list_lost(lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    steps_add(cy->k, 2ull * h->n_victims);
    for (uint32_t i = 0; i < h->n_victims; i++) victim_job_at(h, h->victims[i].job)->lost = NO_ROW;
    for (uint32_t i = h->n_victims; i-- > 0;) {
        uint32_t *first = &victim_job_at(h, h->victims[i].job)->lost;
        h->victims[i].next = *first;
        *first = i;
    }
}

static uint32_t leaf_group_of(const struct columns *k, uint32_t task) {
    return k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
}

/* Counts in h->move.had how many tasks of each leaf group the job had before the transaction: the
 * tasks that it still has, and those that it lost. */
static void count_had(lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    memset(h->move.had, 0, sizeof h->move.had);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        h->move.had[k->c[C_LEAF_GROUP].u32[l]] =
            k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    for (uint32_t i = victim_job_at(h, job)->lost; i != NO_ROW; i = h->victims[i].next) {
        steps_add(k, 1);
        h->victims[i].moved = 1;
        h->move.had[leaf_group_of(k, h->victims[i].task)]++;
    }
}

uint32_t replace_most(const lsched_cycle *cy, const struct ask *a) {
    if (cy->victims && cy->victims->move.on) return cy->victims->move.had[a->group];
    return group_members(cy->k, a->row);
}

int replace_allows(const lsched_cycle *cy, const struct ask *a, uint32_t index) {
    const struct columns *k = cy->k;
    if (!cy->victims || !cy->victims->move.on) return 1;
    uint32_t t = a->leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_AGAIN_FIRST].u32[a->leaf];
    if (index == NO_ROW && t != NO_ROW)
        index = k->c[C_TASK_INDEX].u32[t]; /* the task that task_place would choose, too */
    uint32_t row = index == NO_ROW ? NO_ROW : releasing_find(k, a->job, index),
             d = row == NO_ROW ? NO_ROW : k->c[C_TASK_DECISION].u32[row];
    return d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == cy->turn.group_serial;
}

int32_t call_next_victim(lsched_cycle *cy, uint32_t *job) {
    struct victim_search *h = cy->victims;
    if (!h || h->move.on) return LSCHED_E_INVAL;
    if (h->homeless || !decision_kinds_allow(cy, KINDS_TO_MOVE)) return 0;
    if (h->move.next == 0) list_lost(cy);
    /* a held job gets no new place; its victims stay stopped */
    while (h->move.next < h->n_victims && (h->victims[h->move.next].moved ||
                                           job_is_held_back(cy->k, h->victims[h->move.next].job)))
        h->move.next++;
    if (h->move.next == h->n_victims) return 0;
    *job = h->victims[h->move.next++].job;
    count_had(cy, *job);
    h->move.mover = cy->turn.job;
    h->move.on = 1;
    h->move.mark = undo_mark(cy->k);
    h->move.fresh = cy->decisions.n_fresh;
    cy->turn.job = *job;
    gang_domains_forget(&cy->act->pins);
    cy->act->deal.n_full = 0;
    return 1;
}

/* True if the job keeps its nominations. A gang that reaches its minimum only with nominations
 * must not have unsettled placements, because the gang rule withdraws such placements. If the
 * nominations are not enough without them, the gang rule withdraws the nominations, too. */
static int keeps_nominations(const struct columns *k, uint32_t job) {
    if (job_stands(k, job)) return 1;
    uint32_t proposed = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            proposed += k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_PROPOSED;
    return proposed == 0;
}

/* Returns the row of the victim's nominated task if the victim has a new place, otherwise
 * NO_ROW. */
static uint32_t homed(const lsched_cycle *cy, const struct victim_task *v) {
    const struct columns *k = cy->k;
    uint32_t t = task_find(k, v->job, k->c[C_TASK_INDEX].u32[v->task]);
    return k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED ? t : NO_ROW;
}

/* With sign -1, removes the victims with a new place from the counts of evictions by ground,
 * because a moved task needs no ground any more. With sign 1, adds them again. */
static void count_grounds(lsched_cycle *cy, uint32_t first, int sign) {
    struct victim_search *h = cy->victims;
    for (uint32_t i = first; i != NO_ROW; i = h->victims[i].next)
        if (homed(cy, &h->victims[i]) != NO_ROW)
            victim_side_count(cy, cy->k->c[C_JOB_QUEUE].u32[h->victims[i].job],
                              h->victims[i].ground, sign);
}

/* True if the side of the current job is still within its entitlement when the moved tasks are
 * charged again. In that case, the other victims can stay evicted. Otherwise, the whole turn is
 * undone. */
static int replace_calls_rights_hold(lsched_cycle *cy, uint32_t first) {
    struct victim_search *h = cy->victims;
    if (h->reason != LSCHED_FOR_RECLAIM) return 1;
    count_grounds(cy, first, -1);
    if (victim_side_short(cy) == NO_ROW) return 1;
    count_grounds(cy, first, 1);
    evict_roll_back(cy, h->move.mark, h->move.fresh);
    return 0;
}

int32_t call_move_end(lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    if (!h || !h->move.on) return LSCHED_E_INVAL;
    uint32_t job = cy->turn.job, first = victim_job_at(h, job)->lost, stay = 0;
    cy->turn.job = h->move.mover;
    h->move.on = 0;
    if (cy->decisions.n_fresh == h->move.fresh || !replace_calls_rights_hold(cy, first)) return 0;
    victim_order_drop(h);
    for (uint32_t i = first; i != NO_ROW; i = h->victims[i].next) {
        int32_t rc = undo_room(k);
        steps_add(k, 1);
        if (rc != LSCHED_OK) return rc;
        uint32_t t = homed(cy, &h->victims[i]);
        /* the task has no new place */
        stay += t == NO_ROW;
        if (t == NO_ROW) continue;
        set_u8(k, C_DECISION_KIND, k->c[C_TASK_DECISION].u32[h->victims[i].task],
               LSCHED_DECIDE_MIGRATE);
        h->victims[i].ground = SIDE_NONE;
    }
    int32_t rc = job_requeue(k, job);
    return rc == LSCHED_OK ? stay == 0 && keeps_nominations(k, job) : rc;
}
