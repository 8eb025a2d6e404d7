/*
 * meaning.h -- a hash of what a cluster means: names and values, not rows.
 *
 * Two clusters whose objects arrived in another order, in other slots, with resource kinds numbered
 * otherwise, have equal hashes if they mean the same. schema.def says per column what counts:
 * values (V), texts (T), references (R_), which stand for the name of what they point to, or
 * nothing (X): links, counters of slots, and what is a trace of history without effect on what is
 * (why a bundle was parked when it was tried last, an index of a task that waits again).
 *
 * Cost O(state), no memory. Rows are summed, so no order is needed; each row is mixed well before
 * that.
 */
#ifndef LIBSCHED_MEANING_H
#define LIBSCHED_MEANING_H

#include "model/store/columns.h"

uint64_t meaning_hash(const struct columns *k);

#endif
