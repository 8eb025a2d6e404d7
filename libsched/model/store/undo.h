/*
 * undo.h -- the log of overwritten words, and scopes that keep or undo their changes.
 *
 * undo_begin() opens a scope, undo_end() keeps its changes, and undo_rollback() restores every
 * word that was changed since a mark. A rollback applies the records in reverse order. It
 * allocates no memory, therefore it cannot fail. The memory of the log is kept between calls, up
 * to a bound, because every call needs a log. The functions that write records are inline
 * functions in columns.h.
 *
 * A long scope writes the same counters again and again, and for each transaction the log gets
 * another record of them. When a transaction can no longer be rolled back alone, undo_settle()
 * drops the records that a rollback of the whole scope does not need: all but the first record of
 * a word, and the records of rows that were appended in the scope. This keeps the log of 40,000
 * placements three times shorter. Why not a table of all logged words: most words are written once.
 */
#ifndef LIBSCHED_UNDO_H
#define LIBSCHED_UNDO_H

#include <stddef.h>
#include <stdint.h>

#include "model/store/schema.h"

struct columns;

struct undo_record {
    uint32_t column;
    uint32_t row;
    uint64_t old;
};

/* Enlarges the log, so that at least `records` and LIMIT_UNDO_SPARE more records fit. Can return
 * LSCHED_E_NOMEM. */
int32_t undo_grow(struct columns *k, size_t records);
/* Opens a scope. Scopes can be nested; only the end of the outermost scope drops the log. */
int32_t undo_begin(struct columns *k);
void undo_rollback(struct columns *k, size_t mark);
/* Is called when nothing will roll back to a position between the beginning of the outermost scope
 * and the present position. If the log is long, drops needless records before the present position
 * and returns 1: the caller must lower positions that it keeps. Returns 0 if nothing was dropped.
 * The function drops a record of a counter, node, queue or bundle if it knows that an earlier
 * record has the same word; it knows the words that it saw last. Of the words that a job changes on
 * its way through a queue, it knows all. */
int undo_settle(struct columns *k);
void undo_end(struct columns *k);   /* closes the scope and keeps its changes */
void undo_close(struct columns *k); /* frees the memory of the log */

#endif
