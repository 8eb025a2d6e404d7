/*
 * domain_calls.h -- what an action may ask about topology trees (lsched_act.domains, .divide) and
 * what the engine asks when it places.
 *
 * The candidates of one level are the domains that hold what the group still needs, best first:
 * where evictions are sought, the domain that needs the fewest; then the least room left over; then
 * the name. A group that already has tasks stays where these are: always in the domain of its
 * required level, and in the domains of a preferred level as long as they have room. The tasks of a
 * leaf are then dealt out to the deepest domains (assign_domains.h): slices that lost tasks are
 * completed first, each in its domain; the other tasks go to as few domains as possible, or evenly.
 *
 * Room is counted by topology_room.h, so a question costs O(domains of a level) additions, and no
 * node is looked at. While victims are sought, a domain counts the room of all its nodes as if they
 * were empty: the search for victims finds how much of that room can be had.
 */
#ifndef LIBSCHED_DOMAIN_CALLS_H
#define LIBSCHED_DOMAIN_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_domains(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t topology,
                     uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip, uint32_t *rows,
                     uint32_t cap);
int32_t call_divide(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain, uint32_t tasks,
                    const lsched_part **parts, uint32_t *n);
int32_t call_full(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain);
/* The best node of a domain by the index: NO_ROW if none has room. LSCHED_E_NOMEM. */
int32_t domains_best_node(lsched_cycle *y, struct search_index *x, uint32_t domain, uint32_t *node);
/* Tasks that one step of growth of a leaf takes: 1, or a slice. LSCHED_E_NOMEM. */
int32_t domains_step(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t *tasks);
void domains_close(lsched_cycle *y);

#endif
