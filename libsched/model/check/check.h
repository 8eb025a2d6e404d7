/*
 * check.h -- is a registry well-formed: rows, free lists, pieces, texts, indexes, links, lists,
 * trees, heaps, interned contents.
 *
 * What columns_check() has passed can be read and changed by any function of the model without
 * leaving an array, looping for ever or failing an assertion about structure. It believes nothing,
 * so it may be given any words at all as long as each column has the memory that `capacity` says:
 * each check relies only on what an earlier one has shown, in the order of columns_check(). Whether
 * amounts agree with each other is not its question; engine/verify/verify.h asks that.
 *
 * Cost O(state), and scratch of a few words per row from the registry's allocator. No recursion:
 * lists and heaps are judged by local conditions (my next's previous is me; my parent comes before
 * me), which together exclude cycles.
 */
#ifndef LIBSCHED_CHECK_H
#define LIBSCHED_CHECK_H

#include "model/check/check_finding.h"

int32_t columns_check(struct check *c);

/* The parts, in the order in which they build on each other. */
/* Rows, free lists and generations; what is unused is zero. */
int32_t check_tables(struct check *c);
/* Every reference names a live row or, where that is allowed, none. */
int32_t check_links(struct check *c);
/* Texts, devices and groups: in range, apart from each other, nothing lost. */
int32_t check_blocks(struct check *c);
/* Each live row is found by its key, and nothing else. */
int32_t check_indexes(struct check *c);
/* Interned contents decode to the rows that stand for them. */
int32_t check_shapes(struct check *c);
int32_t check_devclasses(struct check *c);
/* Curves of the day: each row in one list, those of shapes as the bytes say. */
int32_t check_days(struct check *c);
/* Interned rows have as many holders as they count. */
int32_t check_holders(struct check *c);
/* Lists and trees are what their members say. */
int32_t check_lists(struct check *c);
/* Bundles and their jobs, timers. */
int32_t check_heaps(struct check *c);
/* Refusals: heads and their nodes, queues and how many they have. */
int32_t check_refusals(struct check *c);
/* Evicted tasks that have not stopped, and tasks with a claim. */
int32_t check_leaving(struct check *c);

#endif
