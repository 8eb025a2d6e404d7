/*
 * check.h -- checks that a registry of columns is well-formed: rows, free lists, blocks, texts,
 * indexes, links, lists, trees, heaps, interned contents.
 *
 * After columns_check() has succeeded, every function of the model can read and change the state
 * without an access outside of an array, an endless loop or a failed assertion about structure.
 * The check trusts no word of the state: any word can have any value, as long as each column has
 * memory for `capacity` rows. Each check relies only on the properties that earlier checks have
 * shown; columns_check() has their order. The checks do not compare amounts with each other;
 * engine/verify/verify.h does.
 *
 * Cost: O(state) time, and scratch memory of a few words for each row from the registry's
 * allocator. The checks use no recursion. Lists and heaps are checked by conditions on two rows:
 * row.next.prev must be the row itself, and the parent of a row must come before the row.
 * Together these conditions exclude cycles.
 */
#ifndef LIBSCHED_CHECK_H
#define LIBSCHED_CHECK_H

#include "model/check/check_finding.h"

int32_t columns_check(struct check *c);

#endif
