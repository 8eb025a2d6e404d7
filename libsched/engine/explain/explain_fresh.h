/*
 * explain_fresh.h -- the numbers of a reason, of the state as it is.
 *
 * A record says with its code what the last try met; what it counted then may be other now: an
 * event came, and no cycle has run since, or one in which nothing woke the job. So whoever reads a
 * record has its numbers computed anew: what is short and where, how many members fit, what a limit
 * leaves. A code is never changed here: the text says that the next cycle tries the job again where
 * the state no longer bears it out.
 * Cost: O(nodes + devices).
 */
#ifndef LIBSCHED_EXPLAIN_FRESH_H
#define LIBSCHED_EXPLAIN_FRESH_H

#include "model/store/columns.h"

/* Of a record whose objects exist. */
void waiting_refresh(const struct columns *k, lsched_waiting *w);
/* True if what the code says is no longer so, as far as one look can tell. */
int waiting_is_over(const struct columns *k, const lsched_waiting *w);

#endif
