/*
 * event_heap.h -- a binary min-heap of small records for simulations in virtual time.
 *
 * The records have a strict total order: (key, kind, item, detail). A record cannot be found and
 * removed. When a record that no longer holds reaches the top, the owner of the heap must
 * recognize and ignore it.
 */
#ifndef LSCHED_CLI_EVENT_HEAP_H
#define LSCHED_CLI_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_record {
    int64_t key; /* the smallest key is at the top */
    uint32_t kind, item, detail;
};

struct event_heap {
    struct heap_record *records; /* owned; records[0] is the smallest */
    size_t n, capacity;
};

void event_heap_push(struct event_heap *heap, struct heap_record record);
struct heap_record event_heap_pop(struct event_heap *heap); /* the heap must not be empty */
void event_heap_free(struct event_heap *heap);

#endif
