/*
 * timer.h -- timers: the times at which a cycle must do work such as a refresh. They are a binary
 * heap in the rows of TIMER, with the earliest timer in row 0; ties are decided by kind, then by
 * ref. Timers are part of the state: they are saved, cloned and undone like all other columns. A
 * timer fires only when the `now` of a cycle reaches its time. Adding and popping a timer cost
 * O(log n). Why not base/binary_heap.h: an element is in three columns, and each write of a
 * column must go through the undo log.
 */
#ifndef LIBSCHED_TIMER_H
#define LIBSCHED_TIMER_H

#include "model/store/columns.h"

/* Kinds of timers. TIMER_REFRESH: the cycle makes a refresh, which computes again all values that
 * depend on time. Its `ref` is the queue whose quota changes at that time. */
enum { TIMER_REFRESH = 1 };

int32_t timer_add(struct columns *k, int64_t at, uint32_t kind, uint32_t ref); /* LSCHED_E_NOMEM */
/* removes the earliest timer; there must be at least one timer */
void timer_pop(struct columns *k);
/* Removes all timers. A refresh calls it before it makes the timers again. Can return
 * LSCHED_E_NOMEM. */
int32_t timer_clear(struct columns *k);
static inline uint32_t timer_count(const struct columns *k) {
    return table_rows(k, T_TIMER);
}
/* Returns the time of the earliest timer, LSCHED_NEVER_US if there is no timer. */
static inline int64_t timer_next(const struct columns *k) {
    return timer_count(k) ? k->c[C_TIMER_AT].i64[0] : LSCHED_NEVER_US;
}

#endif
