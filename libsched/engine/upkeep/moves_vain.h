/*
 * moves_vain.h -- remembers that no moves were found that free a node.
 *
 * The search for such moves reads all nodes and tasks, and plans moves with the packer. Its result
 * stays the same as long as nothing changes. Therefore the state keeps one word (M_MOVES_VAIN): a
 * hash of the policy, of the options and of the latest refresh for which the search found nothing,
 * and a time (M_MOVES_UNTIL) at which work that had to stay can move. Any call of the orchestrator
 * that changes the state clears the word, and so does a cycle that makes or withdraws a decision.
 * A search that was cut off is never remembered.
 *
 * The costs of moves grow with the run time of work, and the packer could find another plan for
 * other costs. Therefore the result holds until the next refresh at the latest, which comes after
 * at most LIMIT_REFRESH_US. A policy whose hooks read the job or the time remembers nothing. Cost:
 * O(jobs with tasks) after a search that found nothing; otherwise O(1).
 *
 * Every change of the state ends the memory, not only certain changes: any node can be the target
 * of a move, and any job can be moved, so any change could make a plan of moves possible.
 */
#ifndef LIBSCHED_MOVES_VAIN_H
#define LIBSCHED_MOVES_VAIN_H

#include "engine/state/cycle_state.h"

/* True if it is remembered that a search for moves finds nothing in the present state. */
int moves_vain_known(const lsched_cycle *cy);
/* Called when a search for moves has ended that kept no moves. Remembers this, unless the search
 * was cut off. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t moves_vain_note(lsched_cycle *cy);

#endif
