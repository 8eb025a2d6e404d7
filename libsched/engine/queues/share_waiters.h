/*
 * share_waiters.h -- jobs that wait for a guarantee or for lending, of all queues. They look again
 * only when quotas or the structure of queues change. Cost O(queues + bundles in their lists).
 */
#ifndef LIBSCHED_SHARE_WAITERS_H
#define LIBSCHED_SHARE_WAITERS_H

#include "model/store/columns.h"

/* Quotas or the structure changed: who waits for a guarantee or for lending looks again.
 * LSCHED_E_NOMEM. */
int32_t share_waiters_wake(struct columns *k);
/* True if there is a job that share_waiters_wake() would wake. */
int share_waiters_any(const struct columns *k);

#endif
