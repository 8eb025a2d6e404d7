/*
 * undo_check.h -- finds words that were changed without a record in the undo log.
 *
 * A write that does not go through set_*() stays when its call is undone, and nothing notices
 * until the state is wrong. Therefore a checked registry is copied when its outermost scope
 * begins. When the scope ends, each word that differs from the copy must have a record in the
 * log. After a full rollback the log is empty, and all words must be as they were. The first word
 * without a record is stored. columns_check() reports that word, and the verifier returns
 * LSCHED_E_VERIFY.
 *
 * The check is on for clusters for which a test or a fuzzer calls undo_check_on(), and for all
 * clusters in builds with LSCHED_CHECK_UNDO. Cost: O(state) time and memory per call. Without
 * memory for the copy a scope is not checked. Rows that were appended inside the scope are not
 * checked, because they were not state before, and a rollback removes them. Why not page
 * protection or a comparison of hashes: both say that something was written, not what.
 */
#ifndef LIBSCHED_UNDO_CHECK_H
#define LIBSCHED_UNDO_CHECK_H

#include "model/store/columns.h"

/* Checks this registry from its next outermost scope on. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t undo_check_on(struct columns *k);
void undo_check_off(struct columns *k); /* frees the copy; allowed if the check was not on */

/* Called by undo.c when the outermost scope begins, and when it ends while the log still
 * exists. */
void undo_check_begin(struct columns *k);
void undo_check_end(struct columns *k);

/* Returns 1 and the column and row of the word that was changed without a record, or 0 if there
 * is none. */
int undo_check_found(const struct columns *k, uint32_t *column, uint32_t *row);

#endif
