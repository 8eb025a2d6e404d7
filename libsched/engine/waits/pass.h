/*
 * pass.h -- one pass over the actions of the pipeline, which can take several cycles.
 *
 * If the work budget, the bound on decisions or an interrupt ends a cycle, the cycle suspends the
 * pass. The next cycle continues at the same action, with the jobs that this action has not looked
 * at yet (column LOOKED of a bundle). The position of the pass is part of the state, so a clone or
 * a loaded image continues in the same way. Jobs that wake or are admitted, and the refresh, wait
 * until the pass has ended: the pass looks at each job once, and no action starves the next one.
 * Limits and entitlements are still renewed in every cycle. Every cycle also resolves memory
 * pressure, and serves nominations if the orchestrator has changed anything or time has advanced.
 *
 * As long as jobs were put off in favour of other jobs (put_off.h), the pass goes through the
 * pipeline again, in rounds.
 *
 * Only whole transactions are kept. A transaction that needs more work units than a cycle has is
 * rolled back. If a cycle completes no transaction, it leaves all its work units to the next cycle
 * (credit). The pass continues when the available units are at least twice the number that was not
 * enough. Every transaction therefore completes at some time, and all cycles together spend at most
 * twice the sum of their budgets; one cycle spends at most its budget, or what its first
 * transaction needs. Why not a saved position inside a search: the data that a search has read are
 * out of date as soon as time advances or an event is reported, so that the search would have to
 * begin again; a credit cannot become out of date.
 *
 * A transaction that an interrupt ends leaves no credit, because its progress is unknown. After
 * PASS_CUTS_MAX such cycles in a row, the job waits for the next pass; otherwise it would block all
 * other jobs for ever. An interrupt before the cycle has tried a job does not count: the watchdog
 * was late, or a hook of the policy took the time.
 */
#ifndef LIBSCHED_PASS_H
#define LIBSCHED_PASS_H

#include "engine/state/cycle_state.h"

#define PASS_CUTS_MAX 3u
/* Largest number of rounds of a pass after its first round (put_off.h). */
#define PASS_ROUNDS_MAX 3u

/* True if a pass is open and this cycle, with its policy and pipeline, can continue it. */
int pass_goes_on(const struct lsched_cycle *y);
/* Begins a pass with the jobs that are awake and admitted now. */
int32_t pass_begin(struct lsched_cycle *y);
/* Restores the data that the pass had at its start. */
void pass_resume(struct lsched_cycle *y);
/* Returns the index, in the pipeline, of the action that the pass has reached. */
uint32_t pass_action(const struct lsched_cycle *y);
/* True if the work units of this cycle, with the credit, can be enough. Otherwise the units are
 * kept for the next cycle, and this cycle is partial. */
int pass_affords(struct lsched_cycle *y);
/* Begins or continues the action with this index in the pipeline. */
int32_t pass_enter(struct lsched_cycle *y, uint32_t action);
/* Makes the action go through the jobs a second time, in another way. The caller has called
 * undo_room(). */
void pass_second_stage(struct lsched_cycle *y);
/* Suspends the pass, because the cycle was stopped in the current action. */
int32_t pass_suspend(struct lsched_cycle *y);
/* Returns 1 if jobs were put off: the pass goes through the pipeline again with them. Returns 0 if
 * there are none. */
int32_t pass_another_round(struct lsched_cycle *y);
/* Returns how many rounds of the pass are complete. */
static inline uint64_t pass_round(const struct lsched_cycle *y) {
    return meta(y->k, M_PASS_ROUND);
}
int32_t pass_end(struct lsched_cycle *y);
/* Ends the pass without result, because this cycle places nothing: the next cycle begins another
 * pass. */
static inline void pass_drop(struct lsched_cycle *y) {
    set_meta(y->k, M_PASS_AT, 0);
}
/* True if the orchestrator has changed something, or time has advanced, since the pass began. */
int pass_is_stale(const struct lsched_cycle *y);
/* Returns the mark of bundles that the current stage of the current action has finished looking
 * at. */
uint64_t pass_mark(const struct lsched_cycle *y);
/* True if the bundle was tried in this pass. */
int pass_has_tried(const struct columns *k, uint32_t bundle);
/* True if the current job was interrupted so often that it must wait for the next pass. */
int pass_gives_up(const struct lsched_cycle *y);

#endif
