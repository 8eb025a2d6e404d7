/* adopt_withdrawn.c -- see adopt_withdrawn.h. */
#include "engine/adopt/adopt_withdrawn.h"

#include "base/bisect.h"
#include "engine/actions/evict.h"
#include "engine/rights/victim_candidate.h"
#include "engine/rights/victim_protect.h"
#include "engine/rights/victim_side.h"
#include "engine/state/transaction.h"
#include "engine/victims/victim_search.h"
#include "model/queues/user_queue.h"
#include "model/store/steps.h"

/* Returns the first withdrawal of the plan that came with the group of this number or with a later
 * one. The plan has the withdrawals in the order of these numbers (verify_withdrawn). */
static size_t withdrawals_from(const struct lsched_plan *p, uint64_t group) {
    size_t first = 0, end = p->n_withdrawn;
    BISECT_FIRST(first, end, middle, p->withdrawn_in[middle].group >= group);
    return first;
}

/* Counts that the withdrawals of the group are read. Returns 0 if the cycle stops before. */
static int spend_reads(struct adopt_try *t) {
    size_t n = t->withdrawn_end - t->withdrawn_first;
    steps_add(t->cy->k, n);
    act_spend(t->cy, n);
    return !t->cy->spend.stop;
}

/* Returns the task whose nomination withdrawal i of the plan ended, NO_ROW if it ended none, or if
 * the nomination is not here any more. */
static uint32_t task_of(const struct adopt_try *t, size_t i) {
    const struct columns *k = t->cy->k;
    lsched_id id = adopt_try_inside(t, t->from->withdrawn[i]);
    uint32_t row = (uint32_t)id, gen = (uint32_t)(id >> 32) & LIMIT_GENERATION_MAX;
    if (row >= table_rows(k, T_DECISION) || !row_is_live(k, T_DECISION, row) ||
        k->c[C_DECISION_GEN].u32[row] != gen)
        return NO_ROW;
    uint32_t task = k->c[C_DECISION_TASK].u32[row];
    return k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED ? task : NO_ROW;
}

int adopt_withdrawn_find(struct adopt_try *t) {
    const struct columns *k = t->cy->k;
    uint32_t n = 0, own = t->both || t->reason == LSCHED_FOR_PREEMPT,
             others = t->both || t->reason == LSCHED_FOR_RECLAIM;
    if (t->victims && !own && !others) return 0;
    t->withdrawn_first = withdrawals_from(t->from, t->group->from_group);
    t->withdrawn_end = withdrawals_from(t->from, t->group->from_group + 1);
    if (!spend_reads(t)) return 0;
    for (size_t i = t->withdrawn_first; i < t->withdrawn_end; i++) {
        uint32_t task = task_of(t, i);
        if (task == NO_ROW) continue;
        int same = queue_same_real(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]],
                                   k->c[C_JOB_QUEUE].u32[t->job]);
        own |= (uint32_t)same;
        others |= (uint32_t)!same;
        n++;
    }
    if (n == 0) return 0;
    t->withdraws = 1;
    t->victims += n;
    t->both = own && others;
    t->reason = others ? LSCHED_FOR_RECLAIM : LSCHED_FOR_PREEMPT;
    return 1;
}

static int32_t take_nomination(struct adopt_try *t, uint32_t task) {
    lsched_cycle *cy = t->cy;
    struct victim_unit u;
    if (cy->victims->reason == LSCHED_FOR_RECLAIM) victim_side_look(cy);
    if (!victim_candidate_of(cy, task, &u) || !u.nominated) return 1;
    enum side_ground ground = victim_protect_allow(cy, &u, NULL);
    if (ground == SIDE_NONE) return 1;
    u.ground = (uint8_t)ground;
    int32_t rc = undo_room(cy->k);
    if (rc == LSCHED_OK) rc = evict_and_requeue(cy, &u);
    return rc == LSCHED_OK ? 1 : rc;
}

int32_t adopt_withdrawn_take(struct adopt_try *t) {
    int32_t rc = 1;
    if (!t->withdraws || !spend_reads(t)) return 1;
    for (size_t i = t->withdrawn_first; i < t->withdrawn_end && rc == 1; i++) {
        uint32_t task = task_of(t, i);
        if (task != NO_ROW) rc = take_nomination(t, task);
    }
    return rc;
}
