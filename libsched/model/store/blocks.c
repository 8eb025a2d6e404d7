/* blocks.c -- see blocks.h. */
#include "model/store/blocks.h"

#include "base/hash.h"

static const uint16_t heap_table[BLOCK_HEAPS] = {T_TEXT, T_DEVICE, T_GROUP, T_SHARED,
                                                 T_NUMA, T_ANSWER, T_CELL,  T_CROWD};

static uint32_t blocks_class_of(uint32_t n) {
    assert(n > 0);
    if (n <= 32) return n - 1;
    /* the exponent of the smallest power of two that is at least n */
    uint32_t bits = 32u - (uint32_t)__builtin_clz(n - 1);
    return 32 + bits - 6;
}

static uint32_t class_rows(uint32_t class) {
    return class < 32 ? class + 1 : 1u << (class - 32 + 6);
}

/* The first row of a free block has the link to the next free block, in a column that has at
 * least 4 bytes. */
static uint32_t link_get(const struct columns *k, uint32_t heap, uint32_t row) {
    switch (heap) {
    case BLOCKS_TEXT: return (uint32_t)k->c[C_TEXT_WORD].u64[row];
    case BLOCKS_DEVICE: return k->c[C_DEVICE_NODE].u32[row];
    case BLOCKS_SHARED: return (uint32_t)k->c[C_SHARED_SM_FREE].i32[row];
    case BLOCKS_NUMA: return (uint32_t)k->c[C_NUMA_CPU_FREE].i64[row];
    case BLOCKS_ANSWER: return (uint32_t)k->c[C_ANSWER_WORD].u64[row];
    case BLOCKS_CELL: return (uint32_t)k->c[C_CELL_NOW].i64[row];
    case BLOCKS_CROWD: return k->c[C_CROWD_COUNT].u32[row];
    default: return k->c[C_GROUP_PARENT].u32[row];
    }
}

static void link_set(struct columns *k, uint32_t heap, uint32_t row, uint32_t v) {
    switch (heap) {
    case BLOCKS_TEXT: set_u64(k, C_TEXT_WORD, row, v); break;
    case BLOCKS_DEVICE: set_u32(k, C_DEVICE_NODE, row, v); break;
    case BLOCKS_SHARED: set_i32(k, C_SHARED_SM_FREE, row, (int32_t)v); break;
    case BLOCKS_NUMA: set_i64(k, C_NUMA_CPU_FREE, row, v); break;
    case BLOCKS_ANSWER: set_u64(k, C_ANSWER_WORD, row, v); break;
    case BLOCKS_CELL: set_i64(k, C_CELL_NOW, row, v); break;
    case BLOCKS_CROWD: set_u32(k, C_CROWD_COUNT, row, v); break;
    default: set_u32(k, C_GROUP_PARENT, row, v); break;
    }
}

uint32_t block_new(struct columns *k, uint32_t heap, uint32_t n) {
    uint32_t class = blocks_class_of(n), word = META_BLOCK(heap, class);
    uint32_t row = (uint32_t)meta(k, word);
    if (row == NO_ROW) return rows_append(k, heap_table[heap], class_rows(class));
    set_meta(k, word, link_get(k, heap, row));
    link_set(k, heap, row, 0);
    return row;
}

static void rows_clear(struct columns *k, uint32_t table, uint32_t row) {
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++) {
        switch (column_defs[c].stride) {
        case 1: set_u8(k, c, row, 0); break;
        case 2: set_u16(k, c, row, 0); break;
        case 4: set_u32(k, c, row, 0); break;
        default: set_u64(k, c, row, 0); break;
        }
    }
}

void block_free(struct columns *k, uint32_t heap, uint32_t first, uint32_t n) {
    uint32_t class = blocks_class_of(n), word = META_BLOCK(heap, class);
    for (uint32_t i = 0; i < n; i++) rows_clear(k, heap_table[heap], first + i);
    link_set(k, heap, first, (uint32_t)meta(k, word));
    set_meta(k, word, first);
}

static uint32_t text_words(size_t n) {
    return (uint32_t)(1 + (n + 7) / 8);
}

uint32_t text_hash_of(const void *bytes, size_t n) {
    return (uint32_t)hash_bytes(bytes, n, 0);
}

uint32_t text_new(struct columns *k, const void *bytes, size_t n) {
    if (undo_room(k) != LSCHED_OK) return NO_ROW;
    uint32_t row = block_new(k, BLOCKS_TEXT, text_words(n));
    if (row == NO_ROW) return NO_ROW;
    set_u64(k, C_TEXT_WORD, row, (uint64_t)text_hash_of(bytes, n) << 32 | (uint32_t)n);
    const uint8_t *p = bytes;
    for (uint32_t i = 1; n > 0; i++) {
        if (i % 1024 == 0 && undo_room(k) != LSCHED_OK) return NO_ROW;
        uint64_t w = 0;
        size_t m = n < 8 ? n : 8;
        memcpy(&w, p, m);
        set_u64(k, C_TEXT_WORD, row + i, w);
        p += m;
        n -= m;
    }
    return row;
}

void text_free(struct columns *k, uint32_t text) {
    block_free(k, BLOCKS_TEXT, text, text_words(text_len(k, text)));
}

int text_compare(const struct columns *k, uint32_t a, uint32_t b) {
    uint32_t na = text_len(k, a), nb = text_len(k, b);
    int c = memcmp(text_bytes(k, a), text_bytes(k, b), na < nb ? na : nb);
    if (c != 0) return c;
    return na < nb ? -1 : na > nb;
}
