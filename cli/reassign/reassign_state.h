/*
 * reassign_state.h -- an assignment with the sums from which the cost of a change follows, and the
 * changes: a shift moves one process to another machine, and a swap lets two processes change
 * places.
 *
 * Always holds: the assignment is feasible, and `cost` is its cost. `room` is the free amount of a
 * machine, and `gap` is what can still arrive: the free amount minus the transient amounts of
 * processes that have left.
 *
 * Cost: a shift or a swap is evaluated from the rows of its two machines, in O(resources +
 * balances). A change that costs more than `most` is refused before the rules about services are
 * asked, because these read many places of memory.
 */
#ifndef LSCHED_CLI_REASSIGN_STATE_H
#define LSCHED_CLI_REASSIGN_STATE_H

#include "cli/reassign/reassign_counts.h"

struct reassign_state {
    const struct reassign *p;
    const uint32_t *first; /* [n_processes] first machine of each process; not owned */
    uint32_t *at;          /* [n_processes] present machine of each process */
    /* [n_machines * 3 * n_resources] for each machine `room`, then `gap`, then `bend`, which is the
     * free amount below which there is a load cost: capacity - safety capacity */
    int64_t *rows;
    int64_t *machine_cost; /* [n_machines] load and balance cost */
    int64_t *travel;       /* [n_processes] weighted cost of moves of the process */
    uint32_t *moved;       /* [n_services] processes that are not on their first machine */
    uint32_t *moved_like;  /* [greatest service + 1] services that have so many moved processes */
    uint32_t moved_most;
    int64_t cost;
    struct reassign_counts counts;
    uint64_t work; /* work units done */
};

/* `first` must be a feasible assignment; it is the present one after the call. */
void reassign_state_begin(struct reassign_state *s, const struct reassign *p,
                          const uint32_t *first);
void reassign_state_end(struct reassign_state *s);
/* Shifts the process to another machine, if that is feasible and adds at most `most` to the
 * cost. */
bool reassign_state_shift(struct reassign_state *s, uint32_t process, uint32_t to, int64_t most);
/* Swaps two processes on different machines, if that is feasible and adds at most `most` to the
 * cost. */
bool reassign_state_swap(struct reassign_state *s, uint32_t one, uint32_t two, int64_t most);
/* Returns what the shift adds to the cost; INT64_MAX if it is not feasible. */
int64_t reassign_state_price(struct reassign_state *s, uint32_t process, uint32_t to);

#endif
