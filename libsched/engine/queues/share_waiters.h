/*
 * share_waiters.h -- finds and wakes the jobs of all queues that wait for a guarantee or for
 * lending. Cost: O(queues + bundles in the lists of queues and in the list of jobs that wait for
 * any event).
 */
#ifndef LIBSCHED_SHARE_WAITERS_H
#define LIBSCHED_SHARE_WAITERS_H

#include "model/store/columns.h"

/* Called at a refresh, and when the guarantee reserve can have become smaller. Wakes the jobs that
 * wait for a guarantee or for lending. Error: LSCHED_E_NOMEM. */
int32_t share_waiters_wake(struct columns *k);
/* True if there is a job that share_waiters_wake() would wake. */
int share_waiters_any(const struct columns *k);

#endif
