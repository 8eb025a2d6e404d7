/*
 * event_heap.h -- a binary min-heap of events for simulations in virtual time.
 *
 * The records are ordered by key, kind, item and detail, therefore the order in which records are
 * popped never depends on the order in which they were pushed. Only the smallest record can be
 * removed. If an event becomes invalid, its record stays in the heap; the owner of the heap must
 * recognize and ignore the record when it is popped.
 */
#ifndef LSCHED_CLI_EVENT_HEAP_H
#define LSCHED_CLI_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_record {
    int64_t key; /* time of the event; the record with the smallest key is popped first */
    uint32_t kind, item, detail;
};

struct event_heap {
    struct heap_record *records; /* owned by this struct; records[0] is the smallest record */
    size_t n, capacity;
};

void event_heap_push(struct event_heap *heap, struct heap_record record);
/* removes and returns the smallest record; before the call, the heap must have a record */
struct heap_record event_heap_pop(struct event_heap *heap);
void event_heap_free(struct event_heap *heap);

#endif
