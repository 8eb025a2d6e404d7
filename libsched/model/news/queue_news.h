/*
 * queue_news.h -- records for the next cycle what has changed about queues: a queue gave
 * something back, a queue has other entitlements, a victim search can find more victims than
 * before.
 *
 * Modules on which queue.h depends write these records, too, so the functions are not in queue.h.
 */
#ifndef LIBSCHED_QUEUE_NEWS_H
#define LIBSCHED_QUEUE_NEWS_H

#include "model/store/columns.h"

/* Records that a queue uses less than before, or that a limit of the queue can have grown.
 * bundles_wake_limited() wakes the bundles that wait for room below the limit. */
static inline void queue_gave(struct columns *k, uint32_t queue) {
    set_u8(k, C_QUEUE_GAVE, queue, 1);
}
/* Records a change that can make an eviction possible that was not possible before. */
static inline void evict_news(struct columns *k) {
    set_meta(k, M_EVICT_SERIAL, meta(k, M_EVICT_SERIAL) + 1);
}
/* Records that something of the queue ended, or that the queue has other quotas: marks of its
 * branch (stops.h) become invalid, and jobs that a mark kept from victims can find some now.
 * Cost: O(depth of the queue). */
void queue_news(struct columns *k, uint32_t queue);

#endif
