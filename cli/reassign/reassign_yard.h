/*
 * reassign_yard.h -- an assignment while its moves are carried out one at a time: what is free on
 * each machine, which processes are on it, and which processes are still due there.
 *
 * A process that moves needs all its amounts on the machine to which it goes. On the machine that
 * it leaves it keeps its transient amounts until the step ends; it had more there before, so that
 * this asks for nothing further. After the step it has no amounts there. This differs from
 * reassign_state.h, where the transient amounts of all moved processes stay, because there all
 * processes move at the same time.
 *
 * Always holds: each rule of the problem, if every process was moved to a machine that
 * reassign_yard_fits() allowed; a process is in one list of `on`, and in one of `due` if it is not
 * where it has to be. Cost: fits() and move() are O(resources), and what reassign_counts.h needs.
 */
#ifndef LSCHED_CLI_REASSIGN_YARD_H
#define LSCHED_CLI_REASSIGN_YARD_H

#include "cli/reassign/reassign_counts.h"

#define REASSIGN_YARD_END UINT32_MAX /* of a list */

/* processes of each machine */
struct reassign_lists {
    uint32_t *head;        /* [n_machines] */
    uint32_t *next, *prev; /* [n_processes] */
};

struct reassign_yard {
    const struct reassign *p;
    const uint32_t *target; /* [n_processes] where each process has to be; not owned */
    uint32_t *at;           /* [n_processes] where it is */
    int64_t *room;          /* [n_machines * n_resources] free amounts */
    struct reassign_counts counts;
    struct reassign_lists on, due; /* by present machine; by target, if it is another one */
    uint32_t n_due;
    uint64_t work; /* work units done */
};

/* `first` must be feasible; it is the present assignment after the call. */
void reassign_yard_begin(struct reassign_yard *y, const struct reassign *p, const uint32_t *first,
                         const uint32_t *target);
void reassign_yard_end(struct reassign_yard *y);
/* True if the process can go to the machine, which is not its present one, and all others stay. */
bool reassign_yard_fits(struct reassign_yard *y, uint32_t process, uint32_t to);
/* True if `process` could go to the machine if `leaver` had gone from there to `aside`. */
bool reassign_yard_fits_after(struct reassign_yard *y, uint32_t process, uint32_t to,
                              uint32_t leaver, uint32_t aside);
void reassign_yard_move(struct reassign_yard *y, uint32_t process, uint32_t to);

#endif
