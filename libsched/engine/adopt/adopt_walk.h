/*
 * adopt_walk.h -- the walk over the plan of a clone, which takes the place of the actions in a
 * cycle.
 *
 * A plan of a clone was right for the state that the clone had. Since then, the original has had
 * events. The walk goes through the decision groups of the plan in their order and tries each one
 * as a transaction with the calls that actions use, so each rule that holds for an action holds
 * for an adoption, in the present state. A group is kept whole or rolled back.
 *
 * One rule is about the plan as a whole: the room of a group must not belong to a job of higher
 * claim that the clone did not know (adopt_claims.h).
 *
 * What always holds: the walk makes no decision that the plan does not have, but those of the
 * actions for running work that the plan has decisions of (adopt_own.h). The cycle around it makes
 * those that every cycle makes before its actions. Cost: for each decision the checks of one
 * placement or eviction, O(withdrawals of the plan), both once more if jobs have arrived, and
 * O(rows of JOB) to find these. For d decisions that the cycle makes before, O(d log d), and
 * O(log d) for each placement of the plan, because a nominated task can have been placed so.
 */
#ifndef LIBSCHED_ADOPT_WALK_H
#define LIBSCHED_ADOPT_WALK_H

#include <libsched/algorithm.h>

#include "engine/plan/plan.h"
#include "engine/state/cycle_state.h"

/* A decision row that is known by its generation, because a later group can withdraw it. */
struct adopted_decision {
    uint32_t row, gen; /* row: NO_ROW if there is none */
};

struct adoption {
    /* What the cycle calls. Pointers, so that a program that adopts no plan links no adoption.
     * run: goes through the plan; act: the calls of actions. Error: what a call of an action
     * returned.
     * tell: copies the results to the plan of the cycle. Error: LSCHED_E_NOMEM.
     * hooks_off: returns the hooks (LSCHED_HOOK_*) that failed while the clone made its plan, if
     * the policy in force is the policy of the clone; otherwise 0. The adoption goes on from the
     * clone's cycle, so they have failed in it, too. */
    int32_t (*run)(lsched_cycle *cy, const lsched_act *act);
    int32_t (*tell)(const lsched_cycle *cy, struct lsched_plan *p);
    uint32_t (*hooks_off)(const struct adoption *a, const struct lsched_cluster *c);
    const struct lsched_plan *from;
    uint32_t flags; /* LSCHED_ADOPT_* of the options */
    struct alloc *alloc;
    lsched_adopted_group *groups; /* with ids of columns */
    uint32_t n_groups;
    /* the rows of the decisions that the cycle had made before the walk, the lowest first */
    uint32_t *before;
    uint32_t n_before, cap_before;
    struct adopted_decision *became; /* by decision of `from` */
    uint8_t *claimed;                /* by group: 1 if jobs that arrived keep it from its room */
    lsched_id *claimer;              /* by group: the job that was given the room instead */
    /* adopt_claims.c: the job that the rehearsal offers next, NO_ROW if none; whether it found
     * room */
    uint32_t offered;
    int found;
    /* adopt_own.c: calls of actions; LSCHED_FOR_* whose action ran last, 0 if another group was
     * kept since; where in the cycle's decisions the next one of the plan is looked for */
    const lsched_act *act;
    uint32_t ran, own_at;
};

/* Lists the groups of the plan. Returns LSCHED_OK or LSCHED_E_NOMEM; the caller closes *a in both
 * cases. */
int32_t adopt_walk_open(struct adoption *a, struct alloc *alloc, const struct lsched_plan *from,
                        uint32_t flags);
void adopt_walk_close(struct adoption *a);

#endif
