/*
 * reassign_counts.h -- how many processes of a service are on a machine, in a location and in a
 * neighbourhood, and whether the rules about services allow a process to go to a machine.
 *
 * A service of up to SCANNED_MAX processes has no counts: its processes are looked at, one by one.
 * A larger one has an array of counts for each kind of place that a rule asks for. At most one
 * service in SCANNED_MAX processes is large, so that the arrays stay small; a table of all services
 * and machines would take 200 MB for 50,000 services on 1,000 machines.
 *
 * Cost: reassign_counts_allow() looks at SCANNED_MAX processes at most, for each dependency of the
 * service. reassign_counts_move() is O(1).
 */
#ifndef LSCHED_CLI_REASSIGN_COUNTS_H
#define LSCHED_CLI_REASSIGN_COUNTS_H

#include "cli/reassign/reassign.h"

enum reassign_place { PLACE_MACHINE, PLACE_LOCATION, PLACE_NEIGHBOURHOOD, REASSIGN_PLACES };

struct reassign_counts {
    const struct reassign *p;
    const uint32_t *at;                /* [n_processes] present machines; not owned */
    uint32_t *row_of[REASSIGN_PLACES]; /* [n_services] its array in `rows`; SCANNED if none */
    uint32_t *rows[REASSIGN_PLACES];   /* arrays of places, one after the other */
    const uint32_t *place_of[REASSIGN_PLACES]; /* [n_machines] NULL for PLACE_MACHINE */
    uint32_t *locations;                       /* [n_services] in which it has a process */
};

void reassign_counts_begin(struct reassign_counts *c, const struct reassign *p, const uint32_t *at);
void reassign_counts_end(struct reassign_counts *c);
/* True if the process can go to the machine, which is not its present one, and all others stay. */
bool reassign_counts_allow(const struct reassign_counts *c, uint32_t process, uint32_t to);
/* Notes that the process goes to a machine. The caller changes at[process] after the call. */
void reassign_counts_move(struct reassign_counts *c, uint32_t process, uint32_t to);

#endif
