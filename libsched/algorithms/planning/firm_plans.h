/*
 * firm_plans.h -- firm starts that a cycle of the action backfill keeps (parameter backfill_firm).
 *
 * A plan that each cycle makes anew can give a job a later start although work ended early: a job
 * before it takes other room than it had (Graham's anomaly of list scheduling). So a cycle begins
 * with the firm starts of the cycles before, in the order of their times: each of these jobs gets
 * its start on its node again, and counts as usage, before any job starts or gets another start. A
 * job whose room is gone loses its firm start with a reason that the change feed tells. It gets the
 * earliest start at once, before the firm starts after it are put back, so that it keeps its rank.
 * Then the plan is compressed: each job gets the earliest start that delays none of the others.
 *
 * A reservation becomes firm if its job is on one node, and has its room there also if all work
 * stays whose end nothing assures (firm_sure_is). What always holds: a firm start moves earlier or
 * stays, unless the job loses it. A firm start moves only to a start that would become firm.
 *
 * If estimates are not trusted, a job starts only where all firm starts stay sure
 * (firm_plans_spare): work that may outlast its estimate does not start before one.
 *
 * Cost: for each firm start, two times that of a reservation. If one is lost, that of a reservation
 * more for each firm start after it. If estimates are not trusted, each reservation, each start and
 * each move asks whether the firm starts of its nodes stay sure (firm_sure.h). The questions are
 * charged to the budget of the cycle. If it ends, no further firm start moves earlier in this
 * cycle, and all keep their times. If it ends before all firm starts after a lost one are put back,
 * those keep their times, and the jobs that lost theirs get no start in this cycle: such a start
 * could take the room of one that was not put back.
 *
 * Why the losers are planned in a second step: while all jobs are where they were, the reason for
 * which one does not fit is what happened, and not what another loser took.
 */
#ifndef LIBSCHED_FIRM_PLANS_H
#define LIBSCHED_FIRM_PLANS_H

#include "algorithms/planning/tsdpbp.h"

/* A job with a firm start. item: index in ts.items; LSCHED_NO_ROW: none. because: LSCHED_BECAUSE_*
 * for which the job loses it, and then `item` is that of its new start; else 0. stays: 1 if a limit
 * keeps the job out now, so that its start does not move earlier. is_done: 1 if its start has come,
 * so that it is not set aside. */
struct firm_kept {
    uint32_t job, item, because, stays, is_done;
};

struct firm_plans {
    uint32_t allowed; /* 1 if starts can be firm in this cycle */
    struct firm_kept *list;
    uint32_t n, cap;
    uint32_t first_lost; /* index of the first job that loses its firm start; n: none */
};

/* Puts all firm starts back, and sets their jobs aside. Those that do not fit lose their firm
 * starts: the caller takes them, and tells the engine. Returns LSCHED_OK or a negative code. */
int32_t firm_plans_put_back(struct firm_plans *f, struct ts *t);
/* Takes the room of all firm starts from the first one on that is lost. Their jobs stay aside. */
int32_t firm_plans_take_back(struct firm_plans *f, struct ts *t);
/* Puts the firm start i back, whose job is the current one, and sets the job aside. Returns 1; 0 if
 * its room is taken, and then sets its reason; or a negative code. */
int32_t firm_plans_put_again(struct firm_plans *f, struct ts *t, uint32_t i);
/* Takes the new places of all jobs that lost their firm starts. The jobs stay in line. For a cycle
 * that the budget stopped before all other firm starts were put back. */
int32_t firm_plans_leave_losers(struct firm_plans *f, struct ts *t);
/* Gives each kept job the earliest start that delays no other job. Starts it if that is now. */
int32_t firm_plans_compress(struct firm_plans *f, struct ts *t);
/* Lets the item, which is taken and would start now, start only if all firm starts stay sure. If
 * they do not, the item gets the earliest start at which it fits without an end. Returns 1; 0 if
 * there is none, and the item is taken back; or a negative code. */
int32_t firm_plans_spare(struct ts *t, struct ts_item *item, const lsched_plan_ask *ask);
/* Decides whether the start of a planned item becomes firm. Returns 0 or a negative code. */
int32_t firm_plans_judge(const struct firm_plans *f, struct ts *t, struct ts_item *item);

#endif
