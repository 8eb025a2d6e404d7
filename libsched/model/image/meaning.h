/*
 * meaning.h -- a hash of what a cluster means: names and values, not rows.
 *
 * Two clusters that mean the same have equal hashes, even if their objects arrived in another
 * order, are in other slots, or if resource kinds are numbered differently. schema.def says for
 * each column what counts: values (V), texts (T), references (R_), which stand for the name of
 * the object, or nothing (X). X is for links, counters of slots, and traces of history without
 * effect on the present state (why a bundle was parked when it was last tried, an index of a task
 * that waits again).
 *
 * Cost O(state), no memory. The hashes of rows are summed, so no order is needed; each row is
 * mixed well before that.
 */
#ifndef LIBSCHED_MEANING_H
#define LIBSCHED_MEANING_H

#include "model/store/columns.h"

uint64_t meaning_hash(const struct columns *k);

#endif
