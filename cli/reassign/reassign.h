/*
 * reassign.h -- a machine-reassignment problem, as the ROADEF/EURO challenge 2012 defines it:
 * processes that run on machines, what the machines have, and what an assignment costs.
 *
 * An assignment gives each process a machine. It is feasible if
 *  - the processes of a machine need at most its capacity of each resource. A process that leaves
 *    its first machine still needs the transient resources there, while it moves;
 *  - the processes of a service run on different machines, and in at least `spread` locations;
 *  - each neighbourhood with a process of a service has a process of each service that the first
 *    one depends on.
 * Its cost is the weighted sum of loads above the safety capacity, of free amounts out of balance,
 * and of moves.
 *
 * Always holds after reassign_finish(): an index of a process, machine, service or resource is in
 * its range, no service depends on itself, and no assignment costs more than REASSIGN_COST_MAX, so
 * that no sum of costs overflows.
 *
 * The matrix of move costs between machines is most of a large problem. Therefore each of its cells
 * has 1, 2 or 4 bytes, as many as the greatest cost needs. A file can give a place any number;
 * tables of places use numbers without gaps, so that a great number costs no memory.
 */
#ifndef LSCHED_CLI_REASSIGN_H
#define LSCHED_CLI_REASSIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REASSIGN_RESOURCES_MAX = 64,
    REASSIGN_MACHINES_MAX = 20000,
    REASSIGN_SERVICES_MAX = 200000,
    REASSIGN_PROCESSES_MAX = 200000,
    REASSIGN_BALANCES_MAX = 64,
    REASSIGN_LINKS_MAX = 2000000 /* dependencies of all services */
};
#define REASSIGN_AMOUNT_MAX ((int64_t)UINT32_MAX)
#define REASSIGN_COST_MAX   ((int64_t)1 << 60)

/* free amounts of `first`, times `target`, should be at most the free amounts of `second` */
struct reassign_balance {
    uint32_t first, second;
    int64_t target, weight;
};

struct reassign {
    uint32_t n_resources, n_machines, n_services, n_processes, n_balances;
    uint32_t n_locations, n_neighbourhoods; /* different numbers in the file */
    /* owned by this struct, as all other arrays are; index of resource r of machine m:
     * m * n_resources + r; of process p: p * n_resources + r */
    bool *transient;                    /* [n_resources] */
    int64_t *load_weight;               /* [n_resources] */
    int64_t *capacity, *safety;         /* [n_machines * n_resources] */
    uint32_t *location, *neighbourhood; /* [n_machines] the numbers in the file */
    /* [n_machines] the same places, counted from 0 without gaps */
    uint32_t *location_index, *neighbourhood_index;
    void *travel;                      /* [n_machines * n_machines] see reassign_travel() */
    uint32_t travel_bytes;             /* of a cell: 1, 2 or 4 */
    uint32_t travel_most;              /* the greatest cell */
    uint32_t *spread;                  /* [n_services] */
    uint32_t *needs_at, *needs;        /* services that a service depends on */
    uint32_t *serves_at, *serves;      /* services that depend on a service */
    uint32_t *service;                 /* [n_processes] */
    uint32_t *need;                    /* [n_processes * n_resources] */
    uint32_t *move_cost;               /* [n_processes] */
    uint32_t *members_at, *members;    /* processes of a service, in ascending order */
    struct reassign_balance *balances; /* [n_balances] */
    int64_t process_weight, service_weight, machine_weight;
};

/* Returns the cost of moving a process from a machine to another. */
static inline int64_t reassign_travel(const struct reassign *p, uint32_t from, uint32_t to) {
    size_t i = (size_t)from * p->n_machines + to;
    if (p->travel_bytes == 1) return ((const uint8_t *)p->travel)[i];
    if (p->travel_bytes == 2) return ((const uint16_t *)p->travel)[i];
    return ((const uint32_t *)p->travel)[i];
}

/* Makes the lists `serves` and `members` and the numbers of places when everything else is there.
 * Returns false if an assignment could cost more than REASSIGN_COST_MAX. */
bool reassign_finish(struct reassign *p);
void reassign_free(struct reassign *p);

#endif
