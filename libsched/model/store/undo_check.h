/*
 * undo_check.h -- finds words that were changed without a record in the undo log.
 *
 * A write that does not go through set_*() is not restored when its call is undone, and the state
 * becomes wrong without a message. Therefore the registry is copied when its outermost scope
 * begins. When the scope ends, each word that differs from the copy must have a record in the
 * log. After a full rollback the log is empty, and every word must be equal to the copy. The
 * check stores the first word that has changed without a record. columns_check() reports that
 * word, and the verifier returns LSCHED_E_VERIFY.
 *
 * The check is on for clusters for which a test or a fuzzer calls undo_check_on(), and for all
 * clusters in builds with LSCHED_CHECK_UNDO. Cost: time and memory of the size of the whole state
 * for each call. If there is no memory for the copy, the scope is not checked. Rows that were
 * appended inside the scope are not checked, because a rollback removes them. Why not page
 * protection or a comparison of hashes: these show that a word was written, but not which word.
 */
#ifndef LIBSCHED_UNDO_CHECK_H
#define LIBSCHED_UNDO_CHECK_H

#include "model/store/columns.h"

/* Switches the check of this registry on, from its next outermost scope on. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t undo_check_on(struct columns *k);
/* switches the check off and frees the copy; can be called if the check is not on */
void undo_check_off(struct columns *k);

/* undo.c calls undo_check_begin() when the outermost scope begins, and undo_check_end() when this
 * scope ends, before the log is dropped. */
void undo_check_begin(struct columns *k);
void undo_check_end(struct columns *k);

/* Returns 1 and sets *column and *row if a word was changed without a record; returns 0 if no
 * such word was found. */
int undo_check_found(const struct columns *k, uint32_t *column, uint32_t *row);

#endif
