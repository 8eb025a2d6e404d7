/*
 * event_heap.h -- a binary min-heap of small records, for simulations in virtual time.
 *
 * Strict total order: (key, kind, item, detail). Records are never looked for and taken out; a
 * record that no longer holds is recognised by its owner when it comes up.
 */
#ifndef LSCHED_CLI_EVENT_HEAP_H
#define LSCHED_CLI_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_record {
    int64_t key; /* smallest first */
    uint32_t kind, item, detail;
};

struct event_heap {
    struct heap_record *records; /* owned; records[0] is the smallest */
    size_t n, capacity;
};

void event_heap_push(struct event_heap *heap, struct heap_record record);
struct heap_record event_heap_pop(struct event_heap *heap); /* of a heap that is not empty */
void event_heap_free(struct event_heap *heap);

#endif
