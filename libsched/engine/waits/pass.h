/*
 * pass.h -- one pass over the actions of the pipeline, which may take several cycles.
 *
 * A cycle whose work budget, bound on decisions or interrupt ends it suspends the pass, and the
 * next one goes on where it stopped: at that action, with the jobs that this action has not looked
 * at yet (column LOOKED of a bundle). Where it stands is state, so a clone or a loaded image goes
 * on alike. What would add to the pass (who wakes, who is admitted, the refresh) waits until it has
 * ended: each job is looked at in it once, and no action starves the next. Limits and rights are
 * renewed all the same. Claims are served, if the host has changed anything or time went on, and
 * collisions solved in every cycle.
 *
 * A pass goes through the pipeline again, in rounds, as long as jobs were put off for the sake of
 * others (put_off.h).
 *
 * The transaction is the unit. One that needs more units than a cycle has is rolled back; a cycle
 * that ends no transaction leaves all its units to the next (credit), and the pass goes on when
 * there are twice as many as did not suffice. So every transaction ends, and all cycles together
 * look at no more than twice the sum of their budgets; one cycle looks at no more than its budget,
 * or what its first transaction needs.
 * Why not a cursor inside a search: what a search has read is stale as soon as the clock moves or
 * anything is reported, and it would begin again all the same; credit needs nothing that can grow
 * stale.
 *
 * A transaction that an interrupt ends leaves no credit, as nobody knows how far it was. After
 * PASS_CUTS_MAX such cycles in a row the job waits for the next pass, or it would hold up all
 * others for ever. An interrupt that comes before the cycle tries a job does not count: the
 * watchdog barked late, or a hook of the policy took the time.
 */
#ifndef LIBSCHED_PASS_H
#define LIBSCHED_PASS_H

#include "engine/state/cycle_state.h"

#define PASS_CUTS_MAX 3u
/* Rounds after the first (put_off.h). */
#define PASS_ROUNDS_MAX 3u

/* True if a pass is open that this cycle, with its policy and pipeline, may go on with. */
int pass_goes_on(const struct lsched_cycle *y);
/* Who is awake and admitted now is in it. */
int32_t pass_begin(struct lsched_cycle *y);
/* What was known when it began. */
void pass_resume(struct lsched_cycle *y);
/* The action at which the pass stands. */
uint32_t pass_action(const struct lsched_cycle *y);
/* True if the units of this cycle, with the credit, may do; else they are kept for the next, and
 * the cycle is partial. */
int pass_affords(struct lsched_cycle *y);
/* The action of this number begins, or goes on. */
int32_t pass_enter(struct lsched_cycle *y, uint32_t action);
/* The action goes through the jobs once more, in another way. undo_room() was called. */
void pass_second_stage(struct lsched_cycle *y);
/* The cycle was stopped in the action in hand. */
int32_t pass_suspend(struct lsched_cycle *y);
/* 1: jobs were put off, and the pass goes through the pipeline once more with them; 0: there are
 * none. */
int32_t pass_another_round(struct lsched_cycle *y);
/* How often it went through the pipeline before. */
static inline uint64_t pass_round(const struct lsched_cycle *y) {
    return meta(y->k, M_PASS_ROUND);
}
int32_t pass_end(struct lsched_cycle *y);
/* Nothing is placed in this cycle: the next one begins another pass. */
static inline void pass_drop(struct lsched_cycle *y) {
    set_meta(y->k, M_PASS_AT, 0);
}
/* True if the host changed something, or time went on, since the pass began. */
int pass_is_stale(const struct lsched_cycle *y);
/* Marks of bundles that the stage of the action in hand has finished looking at. */
uint64_t pass_mark(const struct lsched_cycle *y);
/* True if the bundle was tried in this pass. */
int pass_has_tried(const struct columns *k, uint32_t bundle);
/* True if the job in hand was interrupted so often that it steps aside. */
int pass_gives_up(const struct lsched_cycle *y);

#endif
