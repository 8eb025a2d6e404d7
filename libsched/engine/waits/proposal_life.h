/*
 * proposal_life.h -- proposals that the orchestrator must settle by a time.
 *
 * A cycle can give its proposals a life (lsched_schedule_opts.proposal_life_us). The first cycle at
 * or after the end of this life withdraws what is still proposed, group by group, before it looks
 * for anything. An expired proposal is no rejection: no node is avoided, and no job is spared. A
 * nomination has no life of its own, because it needs no settlement. It goes with its group.
 */
#ifndef LIBSCHED_PROPOSAL_LIFE_H
#define LIBSCHED_PROPOSAL_LIFE_H

#include "engine/state/cycle_state.h"

/* Withdraws the proposals of earlier cycles whose life has ended. Cost: O(decisions of their
 * groups). Error: LSCHED_E_NOMEM. */
int32_t proposal_life_serve(struct lsched_cycle *cy);
/* Gives the decisions of this cycle their life. Must be called when the cycle has made all of them.
 * Cost: O(log n) for each decision, nothing without a life. Error: LSCHED_E_NOMEM. */
int32_t proposal_life_begin(struct lsched_cycle *cy);

#endif
