/*
 * queue_news.h -- records changes of queues for the next cycle: a queue uses less than before, a
 * queue has another entitlement, or a victim search can find more victims than before.
 *
 * The functions are not in queue.h, because modules that queue.h includes call them, too.
 */
#ifndef LIBSCHED_QUEUE_NEWS_H
#define LIBSCHED_QUEUE_NEWS_H

#include "model/store/columns.h"

/* Records that a queue uses less than before, or that a limit of the queue can have grown. The
 * next cycle then wakes the bundles that wait for room below the queue's limit
 * (bundles_wake_limited). The queues with this mark are in a list, in which each stands once, so
 * that a cycle reads the marked queues alone. Cost: O(1). */
void queue_gave(struct columns *k, uint32_t queue);
/* Removes the mark of queue_gave(), because the mark is read or the queue is about to be removed.
 * A queue without the mark stays as it is. */
void queue_gave_end(struct columns *k, uint32_t queue);
/* Returns the first queue with the mark of queue_gave(), NO_ROW if there is none. The column
 * GAVE_NEXT has the next one. */
static inline uint32_t queue_gave_first(const struct columns *k) {
    return (uint32_t)meta(k, M_GAVE_HEAD);
}
/* Records a change that can make an eviction possible that was not possible before. */
static inline void evict_news(struct columns *k) {
    set_meta(k, M_EVICT_SERIAL, meta(k, M_EVICT_SERIAL) + 1);
}
/* Records that work may have to be stopped, or can be stopped, from the time `at` on, which the
 * last pass did not know. The next cycle is due then at the latest; it computes all such times
 * anew. */
static inline void evict_news_at(struct columns *k, int64_t at) {
    int64_t last = (int64_t)meta(k, M_SCHEDULED), asked = (int64_t)meta(k, M_WAKE_ASKED);
    if (at < last) at = last;
    if (at < 1) at = 1;
    if (asked == 0 || at < asked) set_meta(k, M_WAKE_ASKED, (uint64_t)at);
}
/* Records that a job or task of the queue ended, or that the queue has other quotas. Marks of the
 * queue's branch (stops.h) become invalid. Therefore a victim search can find victims that a mark
 * excluded before. Cost: O(depth of the queue). */
void queue_news(struct columns *k, uint32_t queue);

#endif
