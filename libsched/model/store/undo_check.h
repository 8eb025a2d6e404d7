/*
 * undo_check.h -- finds words that were changed past the undo log.
 *
 * A write that does not go through set_*() stays when its call is undone, and nothing notices until
 * the state is wrong. So a watched registry is copied when its outermost scope begins. When the
 * scope ends, each word that differs from the copy must have a record in the log; after a full
 * rollback the log is empty, and all words must be as they were. The first word without a record is
 * kept and columns_check() tells it, as LSCHED_E_VERIFY of the verifier.
 *
 * Watched are clusters of which a test or a fuzzer asks it (undo_check_on), and all in builds with
 * LSCHED_CHECK_UNDO. Cost: O(state) time and memory per call. Without memory for the copy a scope
 * is not watched. Rows that were appended inside the scope are not looked at: they are not state
 * before, and a rollback takes them away.
 * Why not a page protection or a comparison of hashes: both say that something was written, not
 * what.
 */
#ifndef LIBSCHED_UNDO_CHECK_H
#define LIBSCHED_UNDO_CHECK_H

#include "model/store/columns.h"

/* Watch this registry from its next outermost scope on. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t undo_check_on(struct columns *k);
void undo_check_off(struct columns *k); /* frees; allowed if it was not on */

/* Of undo.c: the outermost scope begins; it ends, and the log is still there. */
void undo_check_begin(struct columns *k);
void undo_check_end(struct columns *k);

/* The word that was changed past the log: 1, with its column and row, or 0. */
int undo_check_found(const struct columns *k, uint32_t *column, uint32_t *row);

#endif
