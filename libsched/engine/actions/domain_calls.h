/*
 * domain_calls.h -- the queries about topology trees: the calls of lsched_act that an action uses
 * (domains, divide, full), and the functions that the engine uses when it places a task.
 *
 * The candidates of one level are the domains that can hold all tasks that the group still needs,
 * best first. While victims are sought, the domain in which the fewest tasks need victims comes
 * first. Next comes the domain with the least room left over, then the order of names. A group
 * that already has tasks stays in the domains that have them: always in the domain of its required
 * level, and in the domains of a preferred level as long as these have room. The tasks of a leaf
 * group are then distributed over the deepest domains (assign_domains.h). Task blocks that lost
 * tasks are completed first, each in its own domain. The other tasks go to as few domains as
 * possible, or evenly to several.
 *
 * topology_room.h counts the room. Therefore a query costs O(domains of a level) additions and
 * reads no node. While victims are sought, a domain counts the room of all its nodes as if they
 * were empty; the victim search finds how much of that room can be freed.
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
/* Stores the best node of the domain by the order of the search index in *node, NO_ROW if no node
 * has room. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t domains_best_node(lsched_cycle *y, struct search_index *x, uint32_t domain, uint32_t *node);
/* Stores in *tasks how many tasks a leaf group gains when it grows by one step: 1, or the size of
 * a task block. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t domains_step(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t *tasks);
void domains_close(lsched_cycle *y);

#endif
