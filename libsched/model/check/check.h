/*
 * check.h -- checks that a registry of columns is well-formed: rows, free lists, blocks, texts,
 * indexes, links, lists, trees, heaps, interned contents.
 *
 * After columns_check() has succeeded, any function of the model can read and change the state
 * without leaving an array, looping for ever or failing an assertion about structure. The check
 * trusts no word of the state: the words can be arbitrary, as long as each column has the memory
 * that `capacity` says. Each check relies only on what an earlier one has shown, in the order of
 * columns_check(). These checks do not compare amounts with each other; engine/verify/verify.h
 * does.
 *
 * Cost O(state), and scratch memory of a few words per row from the registry's allocator. No
 * recursion: lists and heaps are checked by local conditions (the previous entry of a row's next
 * entry is the row; the parent of a row comes before it), which together exclude cycles.
 */
#ifndef LIBSCHED_CHECK_H
#define LIBSCHED_CHECK_H

#include "model/check/check_finding.h"

int32_t columns_check(struct check *c);

/* The checks, in the order in which they build on each other. */
/* Rows, free lists and generations are valid; unused rows are zero. */
int32_t check_tables(struct check *c);
/* Every reference names a live row or, where that is allowed, none. */
int32_t check_links(struct check *c);
/* Texts, devices and groups are in range and do not overlap, and no row is lost. */
int32_t check_blocks(struct check *c);
/* An index finds each live row by its key, and contains nothing else. */
int32_t check_indexes(struct check *c);
/* Interned contents decode to the values of their rows. */
int32_t check_shapes(struct check *c);
int32_t check_devclasses(struct check *c);
/* Each curve of daily demand is in one list, and the curves of shapes equal the canonical
 * bytes. */
int32_t check_days(struct check *c);
/* Interned rows have as many holders as they count. */
int32_t check_holders(struct check *c);
/* Lists and trees agree with what their members say. */
int32_t check_lists(struct check *c);
/* The heaps of bundles, jobs and timers are ordered. */
int32_t check_heaps(struct check *c);
/* Refusals: heads count their nodes, and queues count their refusals. */
int32_t check_refusals(struct check *c);
/* Releasing and nominated tasks are counted, and each releasing row has its task. */
int32_t check_releasing(struct check *c);

#endif
