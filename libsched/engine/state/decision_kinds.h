/*
 * decision_kinds.h -- which kinds of decisions the orchestrator asks for in a cycle.
 *
 * lsched_schedule_opts.decision_kinds is a set of bits 1 << LSCHED_DECIDE_*. A plan has decisions
 * of these kinds only. The check is made where a search begins, not where a decision is made:
 * therefore no work is spent on what the orchestrator does not carry out. The set is a counter of
 * the state (M_KINDS), so that a change of the set lets the next cycle search again for parked
 * jobs, and so that the verifier can compare a plan with it. A second counter (M_KINDS_LACK) has
 * the kinds that an action would have needed, for the reasons of waiting jobs. Cost: O(1).
 */
#ifndef LIBSCHED_DECISION_KINDS_H
#define LIBSCHED_DECISION_KINDS_H

#include "engine/state/cycle_state.h"

/* what is needed to stop work for no particular job, to stop work for a waiting job, which is then
 * nominated, and to move work */
#define KINDS_TO_STOP  (1u << LSCHED_DECIDE_EVICT)
#define KINDS_TO_EVICT (1u << LSCHED_DECIDE_EVICT | 1u << LSCHED_DECIDE_NOMINATE)
#define KINDS_TO_MOVE  (1u << LSCHED_DECIDE_MIGRATE | 1u << LSCHED_DECIDE_NOMINATE)

/* Compares the set of this cycle with that of the latest cycle, and records it. Returns LSCHED_OK
 * or LSCHED_E_NOMEM. */
int32_t decision_kinds_begin(struct lsched_cycle *cy);
/* True if the orchestrator asks for all of these kinds. Otherwise, the kinds that it does not ask
 * for are noted for decision_kinds_end. */
int decision_kinds_allow(struct lsched_cycle *cy, uint32_t kinds);
/* Returns the kinds that the orchestrator asked for in the latest cycle. */
static inline uint64_t decision_kinds_asked(const struct columns *k) {
    return meta(k, M_KINDS) ? meta(k, M_KINDS) : LSCHED_DECISION_KINDS_DEFAULT;
}
/* Returns the kinds that an action needs to make room for a waiting job for this reason
 * (LSCHED_FOR_RECLAIM, _PREEMPT or _CONSOLIDATE). */
uint32_t decision_kinds_for(uint32_t reason);
/* Records which kinds the cycle lacked. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t decision_kinds_end(struct lsched_cycle *cy);

#endif
