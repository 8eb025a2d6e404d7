/*
 * explain_fresh.h -- brings the numbers of a waiting record up to date with the present state.
 *
 * A record's code and numbers come from the last attempt to place the job. The numbers may have
 * changed since then: an event came and no cycle has run, or no cycle woke the job. Therefore
 * every reader of a record has the numbers computed again: what is short and where, how many tasks
 * of a gang fit, what a limit leaves. The code stays, except that LSCHED_WAIT_REFUSED becomes
 * LSCHED_WAIT_ROOM where the room is taken. If the state no longer supports the code, the text
 * says that the next cycle tries the job again. Cost: O(nodes + devices).
 */
#ifndef LIBSCHED_EXPLAIN_FRESH_H
#define LIBSCHED_EXPLAIN_FRESH_H

#include "model/store/columns.h"

/* Computes the numbers of a record again. The objects that the record names must exist. */
void explain_fresh_refresh(const struct columns *k, lsched_waiting *w);
/* True if the record's numbers show that the code no longer holds. */
int explain_fresh_is_over(const struct columns *k, const lsched_waiting *w);

#endif
