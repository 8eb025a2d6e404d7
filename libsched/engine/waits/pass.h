/*
 * pass.h -- one pass over the actions of the pipeline, which can take several cycles.
 *
 * If the work budget, the bound on decisions or an interrupt ends a cycle, the cycle suspends the
 * pass. The next cycle continues the pass at the same action, with the jobs that this action has
 * not looked at yet. The column LOOKED of a bundle says which action looked at the bundle last.
 * The position of the pass is part of the state, so a clone of the cluster, or a cluster loaded
 * from an image, continues the pass at the same position. While a pass is open, no parked job is
 * woken, no job is admitted and no refresh is made; all three follow when the pass has ended.
 * Therefore each action looks at each job once per round, and no action can keep the next action
 * from running. Every cycle, also in the middle of a pass, computes limits and entitlements again
 * and resolves memory pressure. A cycle in the middle of a pass serves nominations only if the
 * orchestrator has changed the state or time has advanced.
 *
 * One run of the pass through the pipeline is a round. If starts of jobs were put off in a round
 * (put_off.h), another round follows.
 *
 * Only whole transactions are kept. A transaction that needs more work units than its cycle has is
 * rolled back. If a cycle completes no transaction, the next cycle gets the cycle's work units in
 * addition to its own budget; these are the saved units. If n work units were too few for a
 * transaction, the pass continues only when budget and saved units together are at least 2 n.
 * Every transaction therefore completes at some time. All cycles together spend at most twice the
 * sum of their budgets. A single cycle spends at most its budget, or the work units that its first
 * transaction needs if these are more. Why not save a position inside a search: as soon as time
 * advances or an event is reported, the data that the search has read are out of date, and the
 * search would have to begin again. Saved units cannot become out of date.
 *
 * A plan over time is no longer valid in the next cycle, which therefore looks at the planned jobs
 * again before it comes to jobs that no cycle has looked at (plan_calls.c). An action that puts off
 * starts or seeks victims reads all bundles before its first transaction of a cycle. If a cycle has
 * spent more than half of its work units on such looks when it is stopped, it counts as one that
 * has completed no transaction, also if it has started jobs. So each cycle that runs after the
 * saving looks at more jobs than the one before, and all jobs are looked at however small the
 * budget is. And of what such cycles spend, at least half is for jobs that no cycle has looked at:
 * with a budget b, a pass that takes n units in one cycle takes about 6 n / b cycles at most: half
 * of the units repeats looks, half of the rest can be for a transaction that is rolled back, and
 * its end is reached with less than twice what was not enough.
 *
 * A cycle that is interrupted inside its first transaction leaves no saved units, because the
 * number of work units that the transaction would have needed is unknown. After PASS_CUTS_MAX such
 * cycles in a row, the job of this transaction is parked until the next refresh, because it would
 * otherwise block all other jobs for ever. An interrupt that comes before the cycle has tried a job
 * is not counted, because no job caused it.
 */
#ifndef LIBSCHED_PASS_H
#define LIBSCHED_PASS_H

#include "engine/state/cycle_state.h"

/* Scratch of the current cycle about the pass that it begins or continues. */
struct pass_state {
    uint32_t action; /* position of the current action in the pipeline */
    /* 1 if this cycle runs no action, to leave its work units to the next cycle */
    int saves;
    /* number of transactions that ended in this cycle, whether they were kept or undone */
    uint64_t ended;
    /* work units that the current action has spent in this cycle on looks at jobs which the next
     * cycle repeats if this cycle is stopped */
    uint64_t repeats;
    /* number of active bundles when the pass began; 0 if an earlier cycle began the pass */
    uint64_t stood;
    /* earliest time at which jobs that found no victims search for victims again */
    int64_t evict_next;
};

/* Number of interrupted cycles in a row after which the current job is parked. */
#define PASS_CUTS_MAX 3u
/* Largest number of rounds that can follow the first round of a pass (put_off.h). */
#define PASS_ROUNDS_MAX 3u

/* True if a pass is open, and the policy and the pipeline of this cycle are those with which the
 * pass began. This cycle then continues the pass. */
int pass_goes_on(const struct lsched_cycle *cy);
/* Begins a pass over the jobs that are admitted and not parked now. Error: LSCHED_E_NOMEM. */
int32_t pass_begin(struct lsched_cycle *cy);
/* Restores the guarantee reserve that was computed when the pass began. */
void pass_resume(struct lsched_cycle *cy);
/* Returns the index, in the pipeline, of the action that the pass has reached. */
uint32_t pass_action(const struct lsched_cycle *cy);
/* True if the work units of this cycle and the saved units are enough to continue the pass. If they
 * are not enough, the function stops the cycle and marks its plan as partial; the next cycle then
 * gets the work units. */
int pass_affords(struct lsched_cycle *cy);
/* Begins or continues the action with the index `action` in the pipeline. Returns 1 if the action
 * begins, 0 if it continues, or LSCHED_E_NOMEM. */
int32_t pass_enter(struct lsched_cycle *cy, uint32_t action);
/* Called when the first action of the pipeline begins that evicts or moves work for waiting jobs.
 * If the jobs search again for victims, their searches know all that this pass has done so far, so
 * that the next pass need not search again because of it. */
void pass_first_search(struct lsched_cycle *cy);
/* Begins the second stage of the current action: the action goes through all jobs again. Before
 * the call, the caller has called undo_room(). */
void pass_second_stage(struct lsched_cycle *cy);
/* Suspends the pass, because the cycle was stopped inside the current action. Error:
 * LSCHED_E_NOMEM. */
int32_t pass_suspend(struct lsched_cycle *cy);
/* If jobs were put off, wakes their bundles, begins another round with them, and returns 1.
 * Returns 0 if no job was put off. Error: LSCHED_E_NOMEM or an error of the share algorithm. */
int32_t pass_another_round(struct lsched_cycle *cy);
/* Returns the number of rounds that the pass has completed. */
static inline uint64_t pass_round(const struct lsched_cycle *cy) {
    return meta(cy->k, M_PASS_ROUND);
}
int32_t pass_end(struct lsched_cycle *cy);
/* Ends the open pass at once, because this cycle cannot place tasks. The next cycle then begins
 * another pass. */
static inline void pass_drop(struct lsched_cycle *cy) {
    set_meta(cy->k, M_PASS_AT, 0);
}
/* True if the orchestrator has changed the state, or time has advanced, since the pass began. */
int pass_is_stale(const struct lsched_cycle *cy);
/* Returns the value that the column LOOKED of a bundle gets when the current stage of the current
 * action has finished with the bundle. */
uint64_t pass_mark(const struct lsched_cycle *cy);
/* True if the bundle was tried in the current round of the pass. */
int pass_has_tried(const struct columns *k, uint32_t bundle);
/* True if interrupts have ended so many cycles in a row at the current job that the job must be
 * parked until the next refresh. */
int pass_gives_up(const struct lsched_cycle *cy);

#endif
