/*
 * share_waiters.h -- the jobs of all queues that wait for a guarantee or for lending. They are
 * tried again only when quotas or the structure of queues change. Cost: O(queues + bundles in their
 * lists).
 */
#ifndef LIBSCHED_SHARE_WAITERS_H
#define LIBSCHED_SHARE_WAITERS_H

#include "model/store/columns.h"

/* Called when quotas or the structure changed: wakes the jobs that wait for a guarantee or for
 * lending. Error: LSCHED_E_NOMEM. */
int32_t share_waiters_wake(struct columns *k);
/* True if there is a job that share_waiters_wake() would wake. */
int share_waiters_any(const struct columns *k);

#endif
