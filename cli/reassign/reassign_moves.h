/*
 * reassign_moves.h -- the order of the moves: steps that lead from the first assignment to another
 * one. Each step moves one process, and after each step the assignment is feasible
 * (reassign_yard.h).
 *
 * A search for the assignment alone does not tell whether it can be reached: two processes that
 * change places on full machines block each other, although the machines have room for both after
 * the moves. One of them then goes to a third machine first. To find the cheapest sequence is
 * NP-hard, as it contains packing. Therefore moves go straight to their end in several orders, and
 * where all that are left block each other, the cheapest detour that lets one of them pass is
 * taken; if there is none, the cheapest one that makes room for one. The best of the orders counts:
 * the least number of moves that cannot be done, then the least price. Moves that cannot be done
 * are dropped, and their processes stay where they are.
 *
 * Always holds: each step is feasible, whatever the budget, and the price of all steps does not
 * overflow, because a process makes at most REASSIGN_DETOURS_MAX detours. The result depends on the
 * problem, both assignments and the budget.
 */
#ifndef LSCHED_CLI_REASSIGN_MOVES_H
#define LSCHED_CLI_REASSIGN_MOVES_H

#include "cli/reassign/reassign.h"

/* of one process; 2 to the power of 60, times two for each detour, plus one, is below 2^63 */
enum { REASSIGN_DETOURS_MAX = 3 };
#define REASSIGN_MOVES_WORK 20000000 /* budget that is enough for most problems */

struct reassign_step {
    uint32_t process, from, to;
};

struct reassign_moves {
    struct reassign_step *steps; /* owned by this struct; n_steps steps */
    size_t n_steps;
    uint32_t *at;     /* [n_processes] owned by this struct; where the steps lead */
    uint32_t dropped; /* processes that are not where they have to be after the steps */
    int64_t price;    /* weighted cost of moves of all steps */
    int64_t straight; /* the same if each process goes straight to its end */
    uint64_t work;    /* work units done */
};

/* Finds the steps from `first`, which must be feasible, to `target`, which must be feasible if it
 * is reached in one moment. */
void reassign_moves_find(const struct reassign *p, const uint32_t *first, const uint32_t *target,
                         uint64_t work, struct reassign_moves *out);
void reassign_moves_free(struct reassign_moves *moves);

#endif
