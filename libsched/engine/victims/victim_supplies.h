/*
 * victim_supplies.h -- supplies (supply.h) in the search for victims: what a task lacks of them,
 * and what victims give back.
 *
 * A place of a supply that has too little for one task of the shape is *short*. A task on a node
 * below a short place starts only after work below this place has given back enough. So a set of
 * victims of a node counts only if its units hold that much; and if a node has room, units anywhere
 * below the place can give it back (call_relieve). What a place has is that of later, when
 * releasing tasks are gone and nominated ones have started. Supplies are no kinds, so entitlements
 * do not count them: they say only whose work stops.
 *
 * Cost: one read for a shape that needs no supply; else O(places), once for each change of the
 * state, and nothing more while no place is short.
 */
#ifndef LIBSCHED_VICTIM_SUPPLIES_H
#define LIBSCHED_VICTIM_SUPPLIES_H

#include "engine/rights/victim_state.h"

/* Returns a hash of what the short places have; 0 if no place is short for a task of the shape. */
uint64_t victim_supplies_short(const struct columns *k, uint32_t shape);
/* True if no place above the node is short when the chosen units of the set are gone. */
int victim_supplies_hold(const struct columns *k, uint32_t node, uint32_t shape,
                         const struct victim_set *set);
/* Returns the short place above the node of the lowest level, NO_ROW if there is none. With node
 * NO_ROW: the place of the whole cluster, if it is short. */
uint32_t victim_supplies_lowest(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns what the eviction unit gives back below the place. */
int64_t victim_supplies_given(const struct columns *k, const struct victim_unit *u, uint32_t place);

#endif
