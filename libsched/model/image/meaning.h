/*
 * meaning.h -- the meaning hash of a cluster: a hash of names and values that does not depend on
 * rows.
 *
 * Two clusters with the same objects and values have equal hashes, even if the objects were added
 * in another order, are in other rows, or if resource kinds have other numbers. schema.def says
 * for each column how it counts: values (V), texts (T), references (R_), for which the name of
 * the object counts, or not at all (X). Columns with X are links, counters of rows, and traces of
 * history that have no effect on the present state (for example why a bundle was parked when it
 * was last tried, or the index of a task that waits again).
 *
 * Cost: O(state) time and no memory. The hashes of all rows are added, so that their order does
 * not matter. Before the addition, the hash of each row is mixed well.
 */
#ifndef LIBSCHED_MEANING_H
#define LIBSCHED_MEANING_H

#include "model/store/columns.h"

uint64_t meaning_hash(const struct columns *k);

#endif
