/*
 * replace_calls.c -- the calls of lsched_act that find new places for tasks that the transaction
 * stopped.
 *
 * Each job has one turn for all tasks that it lost, on all nodes and in all leaf groups. A gang
 * that was stopped as a whole also comes back as a whole: with a turn for each leaf group, no turn
 * could bring the gang to its minimum. During its turn a job may hold as many tasks of each leaf
 * group as before the transaction (replace_most), and only tasks that it lost get places
 * (place_calls.c). Therefore a move never lets a job grow. The tasks that get a place in the turn
 * are moved; the others are evicted.
 *
 * In a reclaim, one victim can be the reason why another victim is allowed: the room that the
 * first one gives back brings the job's side within its entitlement. When such a victim moves, its
 * queues are charged for it again. Therefore the entitlement of the current job's side is checked
 * again at the end of each turn. If the check fails, no task of that victim's job moves.
 *
 * Cost: O(victims) for the first turn, then O(tasks that the job lost) for each turn.
 */
#include "engine/state/transaction.h"
#include "engine/actions/evict_calls.h"
#include "engine/victims/victim_order.h"
#include "engine/victims/victim_side.h"
#include "model/jobs/releasing.h"
#include "model/store/steps.h"

/* Links the victims of each job in a list, in the order in which they were stopped. */
static void list_lost(lsched_cycle *y) {
    struct victim_search *h = y->search;
    steps_add(y->k, 2ull * h->n_victims);
    for (uint32_t i = 0; i < h->n_victims; i++) h->jobs[h->victims[i].job].lost = NO_ROW;
    for (uint32_t i = h->n_victims; i-- > 0;) {
        uint32_t *first = &h->jobs[h->victims[i].job].lost;
        h->victims[i].next = *first;
        *first = i;
    }
}

static uint32_t leaf_group_of(const struct columns *k, uint32_t task) {
    return k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
}

/* Counts in h->had how many tasks of each leaf group the job had before the transaction: those
 * that it still has, and those that it lost. */
static void count_had(lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    struct victim_search *h = y->search;
    memset(h->had, 0, sizeof h->had);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        h->had[k->c[C_LEAF_GROUP].u32[l]] = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    for (uint32_t i = h->jobs[job].lost; i != NO_ROW; i = h->victims[i].next) {
        steps_add(k, 1);
        h->victims[i].moved = 1;
        h->had[leaf_group_of(k, h->victims[i].task)]++;
    }
}

uint32_t replace_most(const lsched_cycle *y, uint32_t job, uint32_t group) {
    if (y->search && y->search->moving) return y->search->had[group];
    return y->k->c[C_GROUP_MAX].u32[group_row(y->k, y->k->c[C_JOB_SHAPE].u32[job], group)];
}

int replace_allows(const lsched_cycle *y, uint32_t job, uint32_t group, uint32_t index) {
    const struct columns *k = y->k;
    uint32_t leaf = job_leaf(k, job, group),
             t = leaf == NO_ROW ? NO_ROW : k->c[C_LEAF_AGAIN_FIRST].u32[leaf];
    if (index == NO_ROW && t != NO_ROW)
        index = k->c[C_TASK_INDEX].u32[t]; /* the same choice as in task_place */
    uint32_t row = index == NO_ROW ? NO_ROW : releasing_find(k, job, index),
             d = row == NO_ROW ? NO_ROW : k->c[C_TASK_DECISION].u32[row];
    return d != NO_ROW && k->c[C_DECISION_GROUP].u64[d] == y->group_serial;
}

int32_t call_next_victim(lsched_cycle *y, uint32_t *job) {
    struct victim_search *h = y->search;
    if (!h || h->moving) return LSCHED_E_INVAL;
    if (h->homeless) return 0;
    if (h->next_move == 0) list_lost(y);
    while (h->next_move < h->n_victims && h->victims[h->next_move].moved) h->next_move++;
    if (h->next_move == h->n_victims) return 0;
    *job = h->victims[h->next_move++].job;
    count_had(y, *job);
    h->mover = y->job;
    h->moving = 1;
    h->move_mark = undo_mark(y->k);
    h->move_fresh = y->n_fresh;
    y->job = *job;
    gang_domains_forget(&y->pins);
    y->deal.n_full = 0;
    return 1;
}

/* True if the job keeps its nominations. A gang that reaches its minimum only with nominations
 * must not have unsettled placements: the gang rule withdraws these, and the nominations too if
 * they are not enough without them. */
static int keeps_nominations(const struct columns *k, uint32_t job) {
    if (job_stands(k, job)) return 1;
    uint32_t proposed = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            proposed += k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_PROPOSED;
    return proposed == 0;
}

/* Returns the victim's task that has a new place, NO_ROW if it has none. */
static uint32_t homed(const lsched_cycle *y, const struct victim_task *v) {
    const struct columns *k = y->k;
    uint32_t t = task_find(k, v->job, k->c[C_TASK_INDEX].u32[v->task]);
    return k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED ? t : NO_ROW;
}

/* Removes the victims with a new place from the counts of evictions by ground (sign -1), because a
 * moved task needs no ground any more. Sign 1 adds them again. */
static void count_grounds(lsched_cycle *y, uint32_t first, int sign) {
    struct victim_search *h = y->search;
    for (uint32_t i = first; i != NO_ROW; i = h->victims[i].next)
        if (homed(y, &h->victims[i]) != NO_ROW)
            victim_side_count(y, y->k->c[C_JOB_QUEUE].u32[h->victims[i].job], h->victims[i].ground,
                              sign);
}

/* True if the job's side is still within its entitlement with the moved tasks charged again, so
 * that the other victims may stay evicted. If not, the whole turn is undone. */
static int replace_calls_rights_hold(lsched_cycle *y, uint32_t first) {
    struct victim_search *h = y->search;
    if (h->reason != LSCHED_FOR_RECLAIM) return 1;
    count_grounds(y, first, -1);
    if (victim_side_short(y) == NO_ROW) return 1;
    count_grounds(y, first, 1);
    undo_rollback(y->k, h->move_mark);
    y->n_fresh = h->move_fresh;
    evict_rolled_back(y);
    return 0;
}

int32_t call_move_end(lsched_cycle *y) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    if (!h || !h->moving) return LSCHED_E_INVAL;
    uint32_t job = y->job, first = h->jobs[job].lost, stay = 0;
    y->job = h->mover;
    h->moving = 0;
    if (y->n_fresh == h->move_fresh || !replace_calls_rights_hold(y, first)) return 0;
    victim_order_drop(h);
    for (uint32_t i = first; i != NO_ROW; i = h->victims[i].next) {
        int32_t rc = undo_room(k);
        steps_add(k, 1);
        if (rc != LSCHED_OK) return rc;
        uint32_t t = homed(y, &h->victims[i]);
        /* the task has no new place */
        stay += t == NO_ROW;
        if (t == NO_ROW) continue;
        set_u8(k, C_DECISION_KIND, k->c[C_TASK_DECISION].u32[h->victims[i].task], LSCHED_MIGRATE);
        h->victims[i].ground = SIDE_NONE;
    }
    int32_t rc = job_requeue(k, job);
    return rc == LSCHED_OK ? stay == 0 && keeps_nominations(k, job) : rc;
}
