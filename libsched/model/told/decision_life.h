/*
 * decision_life.h -- proposals that the orchestrator must settle by a time.
 *
 * A proposal with a life has the end of its life in DECISION.UNTIL and is in a heap, in which the
 * proposal that ends first is at the top. UNTIL is 0, and the decision is in no heap, if the
 * decision has no life, or if the orchestrator has confirmed it. Each function that
 * changes the heap costs O(log n) for n proposals with a life, and O(1) for a decision without one.
 *
 * A CHECKPOINT decision has in UNTIL the time from which on an EVICT follows, and is in a heap of
 * its own as long as it is open. When the orchestrator confirms it, UNTIL becomes the present time.
 * It does not expire: a call that makes no decisions leaves a CHECKPOINT whose time is over as it
 * is.
 */
#ifndef LIBSCHED_DECISION_LIFE_H
#define LIBSCHED_DECISION_LIFE_H

#include "model/store/columns.h"

/* Gives the proposal, which has no life yet, a life up to the time `until`, which is not 0. */
void decision_life_begin(struct columns *k, uint32_t decision, int64_t until);
/* Takes the life from the decision, because it is confirmed or closed. */
void decision_life_end(struct columns *k, uint32_t decision);
/* Returns the proposal whose life ends first, and sets *until to this time; NO_ROW and
 * LSCHED_NEVER_US if no proposal has a life. */
uint32_t decision_life_first(const struct columns *k, int64_t *until);
/* Returns the CHECKPOINT decision after which an EVICT follows first, and sets *until to the time;
 * NO_ROW and LSCHED_NEVER_US if there is none. */
uint32_t decision_life_first_checkpoint(const struct columns *k, int64_t *until);
/* Makes the CHECKPOINT decision due at the time `now`. */
void decision_life_due(struct columns *k, uint32_t decision, int64_t now);

#endif
