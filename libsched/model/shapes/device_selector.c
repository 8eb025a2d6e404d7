/* device_selector.c -- see device_selector.h. Storing an answer costs O(1), amortised. */
#include "model/shapes/device_selector.h"

int32_t device_selector_get(struct columns *k, lsched_text text, uint32_t *row) {
    int created;
    *row = intern_get(k, T_SELECTOR, text.ptr, (size_t)text.len, &created);
    if (*row == NO_ROW) return LSCHED_E_NOMEM;
    if (!created) return LSCHED_OK;
    uint32_t none = text_new(k, "", 0);
    if (none == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SELECTOR_PARTS, *row, none);
    set_u32(k, C_SELECTOR_ANSWERS, *row, NO_ROW);
    return LSCHED_OK;
}

void device_selector_drop(struct columns *k, uint32_t row) {
    if (intern_is_last(k, T_SELECTOR, row)) {
        uint32_t n = k->c[C_SELECTOR_WORDS].u32[row];
        if (n) block_free(k, BLOCKS_ANSWER, k->c[C_SELECTOR_ANSWERS].u32[row], n);
        text_free(k, k->c[C_SELECTOR_PARTS].u32[row]);
    }
    intern_drop(k, T_SELECTOR, row);
}

int32_t device_selector_put_parts(struct columns *k, uint32_t row,
                                  const struct selector_span *parts, uint32_t n) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t text = text_new(k, parts, n * sizeof *parts);
    if (text == NO_ROW) return LSCHED_E_NOMEM;
    text_free(k, k->c[C_SELECTOR_PARTS].u32[row]);
    set_u32(k, C_SELECTOR_PARTS, row, text);
    return LSCHED_OK;
}

enum { WORDS_LEAST = 4, PER_WORD = 8 };

static int32_t answers_grow(struct columns *k, uint32_t row, uint32_t words) {
    uint32_t n = k->c[C_SELECTOR_WORDS].u32[row], old = k->c[C_SELECTOR_ANSWERS].u32[row],
             size = n ? n : WORDS_LEAST;
    while (size < words) size *= 2;
    uint32_t fresh = block_new(k, BLOCKS_ANSWER, size);
    if (fresh == NO_ROW) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u64(k, C_ANSWER_WORD, fresh + i, k->c[C_ANSWER_WORD].u64[old + i]);
    }
    /* makes room in the undo log for the words that block_free() writes */
    for (uint32_t i = 0; i < n; i++) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u64(k, C_ANSWER_WORD, old + i, 0);
    }
    if (n) block_free(k, BLOCKS_ANSWER, old, n);
    set_u32(k, C_SELECTOR_ANSWERS, row, fresh);
    set_u32(k, C_SELECTOR_WORDS, row, size);
    return LSCHED_OK;
}

int32_t device_selector_put_answer(struct columns *k, uint32_t row, uint32_t devclass,
                                   uint8_t answer) {
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && devclass / PER_WORD >= k->c[C_SELECTOR_WORDS].u32[row])
        rc = answers_grow(k, row, devclass / PER_WORD + 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t word = k->c[C_SELECTOR_ANSWERS].u32[row] + devclass / PER_WORD,
             shift = devclass % PER_WORD * 8;
    uint64_t old = k->c[C_ANSWER_WORD].u64[word];
    set_u64(k, C_ANSWER_WORD, word, (old & ~((uint64_t)0xFF << shift)) | (uint64_t)answer << shift);
    return LSCHED_OK;
}

uint32_t device_selector_n_parts(const struct columns *k, uint32_t row) {
    return text_len(k, k->c[C_SELECTOR_PARTS].u32[row]) / (uint32_t)sizeof(struct selector_span);
}

lsched_text device_selector_part_text(const struct columns *k, uint32_t row, uint32_t i) {
    if (i >= device_selector_n_parts(k, row)) return (lsched_text){"", 0};
    const struct selector_span *parts = text_bytes(k, k->c[C_SELECTOR_PARTS].u32[row]);
    lsched_text text = text_of(k, intern_text(k, T_SELECTOR, row));
    return (lsched_text){text.ptr + parts[i].at, parts[i].len};
}
