/*
 * supply_claims.h -- what nominations claim of supplies (supply.h): withdraws the nominations whose
 * supply will not come, and says when a claim should be free.
 *
 * A nomination counts on what is left of a supply and on what releasing tasks give back. An amount
 * can be lowered, others can use more, work can be imported, a stop can be withdrawn, and a
 * releasing task can be stuck. Then a place can have promised more than it will have. The room of a
 * node is handled at the event (nominated_tasks.h), because an event concerns one node. A place can
 * be the whole cluster, so an event would cost a walk over all its nodes; one walk at the begin of
 * the next cycle serves all events.
 *
 * Cost: nothing without nominations or supplies. O(places) if no place has promised too much, else
 * O(nodes + tasks of nodes with nominations).
 */
#ifndef LIBSCHED_SUPPLY_CLAIMS_H
#define LIBSCHED_SUPPLY_CLAIMS_H

#include "engine/state/cycle_state.h"

/* Withdraws nominations, the latest first, until each place has enough for those that remain. Sets
 * *n to the number that it withdrew itself; their gangs can lose more. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t supply_claims_trim(struct lsched_cycle *cy, uint32_t *n);
/* True if a place has promised more than it will have, and a nominated task of the job needs it. */
int supply_claims_lack(const struct columns *k, uint32_t job);
/* Returns the time at which the supplies that one task of the shape lacks on the node should be
 * free: the time at which the last releasing task that holds them should be gone; 0 if it lacks
 * none now. */
int64_t supply_claims_at(const struct columns *k, uint32_t node, uint32_t shape);

#endif
