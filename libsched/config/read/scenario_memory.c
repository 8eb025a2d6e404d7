/* scenario_memory.c -- see scenario_memory.h. */
#include "config/read/scenario_memory.h"

#include <stdalign.h>
#include <string.h>

enum { MEMORY_BLOCK_BYTES = 16384, LIST_FIRST = 1 };

struct scn_memory_block {
    struct scn_memory_block *older;
    size_t bytes; /* size of the block, including this header */
};

static size_t scn_memory_round(size_t n) {
    size_t unit = alignof(max_align_t);
    return (n + unit - 1) / unit * unit;
}

void scn_memory_init(struct scn_memory *m, struct alloc *alloc) {
    *m = (struct scn_memory){alloc, NULL, 0};
}

void scn_memory_drop(struct scn_memory *m) {
    while (m->blocks) {
        struct scn_memory_block *older = m->blocks->older;
        alloc_free(m->alloc, m->blocks, m->blocks->bytes);
        m->blocks = older;
    }
    m->used = 0;
}

void *scn_memory_take(struct scn_memory *m, size_t n, size_t size) {
    size_t head = scn_memory_round(sizeof(struct scn_memory_block));
    if (size && n > SIZE_MAX / 4 / size) return NULL;
    size_t bytes = scn_memory_round(n * size > 0 ? n * size : 1);
    if (!m->blocks || bytes > m->blocks->bytes - m->used) {
        size_t want =
            head + (bytes > MEMORY_BLOCK_BYTES - head ? bytes : MEMORY_BLOCK_BYTES - head);
        struct scn_memory_block *block = alloc_new(m->alloc, want);
        if (!block) return NULL;
        *block = (struct scn_memory_block){m->blocks, want};
        m->blocks = block;
        m->used = head;
    }
    void *p = (char *)m->blocks + m->used;
    m->used += bytes;
    return memset(p, 0, bytes);
}

char *scn_memory_text(struct scn_memory *m, const char *text, size_t len) {
    char *copy = scn_memory_take(m, len + 1, 1);
    if (copy && len) memcpy(copy, text, len);
    return copy;
}

void *scn_list_add(struct scn_memory *m, struct scn_list *list, size_t size) {
    if (list->n == list->cap) {
        if (list->cap > UINT32_MAX / 2) return NULL;
        uint32_t cap = list->cap ? list->cap * 2 : LIST_FIRST;
        void *items = scn_memory_take(m, cap, size);
        if (!items) return NULL;
        if (list->n) memcpy(items, list->items, (size_t)list->n * size);
        list->items = items;
        list->cap = cap;
    }
    return (char *)list->items + (size_t)list->n++ * size;
}
