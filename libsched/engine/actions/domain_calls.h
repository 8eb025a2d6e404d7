/*
 * domain_calls.h -- the queries about topology trees: the calls of lsched_act that an action uses
 * (domains, divide, full), and the functions that the engine uses when it places a task.
 *
 * The candidates of one level are the domains that can hold all tasks that the group still needs,
 * best first. While victims are sought, domains in which fewer tasks need victims come first.
 * Among equal domains, those with less room left over come first, then those whose names sort
 * first. A group that already has tasks stays in the domains that have them: always in the domain
 * of its required level, and in the domains of a preferred level as long as these have room. The
 * call `divide` distributes the tasks of a leaf group over the deepest domains (assign_domains.h).
 * Task blocks that lost tasks are completed first, each in the domain that it already has. The
 * other tasks go to as few domains as possible, or evenly to several.
 *
 * topology_room.h counts the room. Therefore a query costs O(domains of a level) additions and
 * reads no node. While victims are sought, a domain counts the room of all its nodes as if they
 * were empty; the victim search finds how much of that room can be freed.
 */
#ifndef LIBSCHED_DOMAIN_CALLS_H
#define LIBSCHED_DOMAIN_CALLS_H

#include "engine/state/cycle_state.h"

int32_t call_domains(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t topology,
                     uint32_t level, uint32_t within, uint32_t tasks, uint32_t skip, uint32_t *rows,
                     uint32_t cap);
int32_t call_divide(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain, uint32_t tasks,
                    const lsched_part **parts, uint32_t *n);
int32_t call_full(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain);
/* Stores in *node the node of the domain that comes first in the order of the search index, NO_ROW
 * if no node of the domain has room. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t domains_best_node(lsched_cycle *cy, struct search_index *x, uint32_t domain,
                          uint32_t *node);
/* Stores in *tasks the number of tasks by which the leaf group can grow at once: 1, or the size of
 * a task block if the next task must begin a new block. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t domains_step(lsched_cycle *cy, const struct ask *a, uint32_t *tasks);
void domains_close(lsched_cycle *cy);

#endif
