/*
 * queue_news.h -- notes for the next cycle about queues: what gave something back, whose rights
 * changed, and that a search for victims may find others than before.
 *
 * Rooms below the queues write the notes too, so the notes stand apart from queue.h.
 */
#ifndef LIBSCHED_QUEUE_NEWS_H
#define LIBSCHED_QUEUE_NEWS_H

#include "model/store/columns.h"

/* Note that a queue gave something back; bundles_wake_limited wakes who waits for that. */
static inline void queue_gave(struct columns *k, uint32_t queue) {
    set_u8(k, C_QUEUE_GAVE, queue, 1);
}
/* Something changed that may make an eviction possible that was not. */
static inline void evict_news(struct columns *k) {
    set_meta(k, M_EVICT_SERIAL, meta(k, M_EVICT_SERIAL) + 1);
}
/* The host ended something of the queue or gave the queue other rights: marks of its branch
 * (stops.h) are void, and jobs that a mark kept from victims may find some now. O(depth). */
void queue_news(struct columns *k, uint32_t queue);

#endif
