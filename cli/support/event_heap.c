/*
 * event_heap.c -- see event_heap.h.
 */
#include "cli/support/event_heap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

static bool before(const struct heap_record *a, const struct heap_record *b) {
    if (a->key != b->key) return a->key < b->key;
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->item != b->item) return a->item < b->item;
    return a->detail < b->detail;
}

void event_heap_push(struct event_heap *heap, struct heap_record record) {
    heap->records = must_grow(heap->records, heap->n, &heap->capacity, sizeof heap->records[0]);
    size_t at = heap->n++;
    while (at > 0 && before(&record, &heap->records[(at - 1) / 2])) {
        heap->records[at] = heap->records[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->records[at] = record;
}

struct heap_record event_heap_pop(struct event_heap *heap) {
    struct heap_record top = heap->records[0], last = heap->records[--heap->n];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n && before(&heap->records[child + 1], &heap->records[child]))
            child++;
        if (!before(&heap->records[child], &last)) break;
        heap->records[at] = heap->records[child];
    }
    heap->records[at] = last;
    return top;
}

void event_heap_free(struct event_heap *heap) {
    free(heap->records);
    memset(heap, 0, sizeof *heap);
}
