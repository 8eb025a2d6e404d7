/*
 * timer.h -- times at which something must be looked at again: a binary heap in the rows of
 * TIMER, the earliest in row 0, ties by kind, then ref. Timers are state: saved, cloned and
 * undone like all other columns; only a cycle's `now` fires them. To add or pop costs O(log n).
 * Why not base/binary_heap.h: an element is three columns, and each write of a column goes
 * through the undo log.
 */
#ifndef LIBSCHED_TIMER_H
#define LIBSCHED_TIMER_H

#include "model/store/columns.h"

/* Kinds of timers. TIMER_REFRESH: everything that depends on time is computed again; ref: the queue
 * whose quota changes at that time. */
enum { TIMER_REFRESH = 1 };

int32_t timer_add(struct columns *k, int64_t at, uint32_t kind, uint32_t ref); /* LSCHED_E_NOMEM */
void timer_pop(struct columns *k); /* removes the earliest timer; there must be one */
/* Removes all timers; with one kind, a refresh makes them again. Can return LSCHED_E_NOMEM. */
int32_t timer_clear(struct columns *k);
static inline uint32_t timer_count(const struct columns *k) {
    return table_rows(k, T_TIMER);
}
/* Returns when the earliest timer fires, LSCHED_NEVER_US if there is none. */
static inline int64_t timer_next(const struct columns *k) {
    return timer_count(k) ? k->c[C_TIMER_AT].i64[0] : LSCHED_NEVER_US;
}

#endif
