/*
 * explain_refresh.h -- updates the numbers of a waiting record to the present state.
 *
 * The code and the numbers of a record come from the last attempt to place the job. The state can
 * have changed since that attempt, because an event came before the next cycle, or because no event
 * made a cycle try the job again. Therefore the functions of this file compute again which resource
 * kind is short on which node, how many tasks of a gang fit, and how much a limit leaves. The wait
 * code stays, with one exception: LSCHED_WAIT_REFUSED becomes LSCHED_WAIT_ROOM if other tasks took
 * the room. If the numbers show that the wait reason has ended, the text says that the next cycle
 * tries the job again. Cost: O(nodes + devices).
 */
#ifndef LIBSCHED_EXPLAIN_FRESH_H
#define LIBSCHED_EXPLAIN_FRESH_H

#include "model/store/columns.h"

/* Computes the numbers of a record again. The caller has checked that all objects that the record
 * names exist. */
void explain_refresh(const struct columns *k, lsched_waiting *w);
/* True if the record's numbers show that the wait reason has ended. */
int explain_refresh_is_over(const struct columns *k, const lsched_waiting *w);

#endif
