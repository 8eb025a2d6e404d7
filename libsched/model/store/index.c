/* index.c -- see index.h. */
#include "model/store/index.h"

#include "base/hash.h"

struct index_info {
    /* bucket: column of the buckets; text: column of the text that is the key of a row */
    uint16_t bucket, text;
};

static struct index_info info_of(uint32_t index_table) {
    switch (index_table) {
    case T_IX_KIND: return (struct index_info){C_IX_KIND_B, C_KIND_NAME};
    case T_IX_STRING: return (struct index_info){C_IX_STRING_B, C_STRING_BLOB};
    case T_IX_LABELS: return (struct index_info){C_IX_LABELS_B, C_LABELS_BLOB};
    case T_IX_CLASS: return (struct index_info){C_IX_CLASS_B, C_CLASS_BLOB};
    case T_IX_MACHINE: return (struct index_info){C_IX_MACHINE_B, C_MACHINE_BLOB};
    case T_IX_TAINTS: return (struct index_info){C_IX_TAINTS_B, C_TAINTS_BLOB};
    case T_IX_DEVCLASS: return (struct index_info){C_IX_DEVCLASS_B, C_DEVCLASS_BLOB};
    case T_IX_SELECTOR: return (struct index_info){C_IX_SELECTOR_B, C_SELECTOR_BLOB};
    case T_IX_TOPOLOGY: return (struct index_info){C_IX_TOPOLOGY_B, C_TOPOLOGY_NAME};
    case T_IX_DOMAIN: return (struct index_info){C_IX_DOMAIN_B, C_DOMAIN_NAME};
    case T_IX_NODE: return (struct index_info){C_IX_NODE_B, C_NODE_NAME};
    case T_IX_SHAPE: return (struct index_info){C_IX_SHAPE_B, C_SHAPE_BLOB};
    case T_IX_JOBSHAPE: return (struct index_info){C_IX_JOBSHAPE_B, C_JOBSHAPE_BLOB};
    case T_IX_QUEUE: return (struct index_info){C_IX_QUEUE_B, C_QUEUE_NAME};
    case T_IX_JOB: return (struct index_info){C_IX_JOB_B, C_JOB_NAME};
    case T_IX_DERIVED: return (struct index_info){C_IX_DERIVED_B, C_DERIVED_NAME};
    case T_IX_TASK: return (struct index_info){C_IX_TASK_B, 0};
    case T_IX_REFUSAL: return (struct index_info){C_IX_REFUSAL_B, 0};
    default: return (struct index_info){C_IX_BUNDLE_B, 0};
    }
}

/* Returns 1 if the keys of the index consist of words without a text. */
static int has_no_text(uint32_t index_table) {
    return index_table == T_IX_BUNDLE || index_table == T_IX_TASK || index_table == T_IX_REFUSAL;
}

static uint32_t words_hash(uint32_t seed, const uint32_t words[4]) {
    uint64_t h = seed;
    for (int i = 0; i < 4; i++) h = hash_mix(h, words[i]);
    return (uint32_t)h;
}

struct index_key index_key_text(const void *bytes, size_t n) {
    return (struct index_key){bytes, (uint32_t)n, text_hash_of(bytes, n), {0, 0, 0, 0}};
}

struct index_key index_key_domain(uint32_t topology, uint32_t level, uint32_t parent,
                                  const void *bytes, size_t n) {
    struct index_key key = {
        bytes, (uint32_t)n, text_hash_of(bytes, n), {topology, level, parent + 1, 0}};
    key.hash = words_hash(key.hash, key.words);
    return key;
}

struct index_key index_key_task(uint32_t job, uint32_t index) {
    struct index_key key = {NULL, 0, 0, {job, index, 0, 0}};
    key.hash = words_hash(0, key.words);
    return key;
}

struct index_key index_key_releasing(uint32_t job, uint32_t index) {
    struct index_key key = {NULL, 0, 0, {job, index, 1, 0}};
    key.hash = words_hash(0, key.words);
    return key;
}

struct index_key index_key_bundle(uint32_t queue, uint32_t shape, uint32_t kind, uint32_t job) {
    struct index_key key = {NULL, 0, 0, {queue, shape, kind, job}};
    key.hash = words_hash(0, key.words);
    return key;
}

struct index_key index_key_refusal(uint32_t of, uint32_t queue, uint32_t shape, uint32_t node) {
    struct index_key key = {NULL, 0, 0, {queue, shape, node, of}};
    key.hash = words_hash(0, key.words);
    return key;
}

static void row_words(const struct columns *k, uint32_t index_table, uint32_t row,
                      uint32_t words[4]) {
    if (index_table == T_IX_DOMAIN) {
        words[0] = k->c[C_DOMAIN_TOPOLOGY].u32[row];
        words[1] = k->c[C_DOMAIN_LEVEL].u32[row];
        words[2] = k->c[C_DOMAIN_PARENT].u32[row] + 1;
        words[3] = 0;
    } else if (index_table == T_IX_TASK) {
        words[0] = k->c[C_TASK_JOB].u32[row];
        words[1] = k->c[C_TASK_INDEX].u32[row];
        /* A row is a releasing row or a task row from its begin to its end, so its key is
         * constant. */
        words[2] = k->c[C_TASK_STATE].u8[row] == LSCHED_TASK_RELEASING;
        words[3] = 0;
    } else if (index_table == T_IX_REFUSAL) {
        words[0] = k->c[C_REFUSAL_QUEUE].u32[row];
        words[1] = k->c[C_REFUSAL_SHAPE].u32[row];
        words[2] = k->c[C_REFUSAL_NODE].u32[row];
        words[3] = k->c[C_REFUSAL_OF].u8[row];
    } else {
        words[0] = k->c[C_BUNDLE_QUEUE].u32[row];
        words[1] = k->c[C_BUNDLE_SHAPE].u32[row];
        words[2] = k->c[C_BUNDLE_KIND].u8[row];
        words[3] = k->c[C_BUNDLE_JOB].u32[row];
    }
}

static uint32_t row_hash(const struct columns *k, uint32_t index_table, struct index_info in,
                         uint32_t row) {
    uint32_t h = has_no_text(index_table) ? 0 : text_hash(k, k->c[in.text].u32[row]);
    if (index_table != T_IX_DOMAIN && !has_no_text(index_table)) return h;
    uint32_t words[4];
    row_words(k, index_table, row, words);
    return words_hash(h, words);
}

static int row_equals(const struct columns *k, uint32_t index_table, struct index_info in,
                      uint32_t row, const struct index_key *key) {
    if (index_table == T_IX_DOMAIN || has_no_text(index_table)) {
        uint32_t words[4];
        row_words(k, index_table, row, words);
        if (memcmp(words, key->words, sizeof words) != 0) return 0;
        if (has_no_text(index_table)) return 1;
    }
    uint32_t t = k->c[in.text].u32[row];
    return text_len(k, t) == key->n && memcmp(text_bytes(k, t), key->bytes, key->n) == 0;
}

uint32_t index_find(const struct columns *k, uint32_t index_table, const struct index_key *key) {
    uint32_t cap = k->capacity[index_table];
    if (cap == 0) return NO_ROW;
    struct index_info in = info_of(index_table);
    const uint32_t *b = k->c[in.bucket].u32;
    for (uint32_t i = key->hash & (cap - 1); b[i]; i = (i + 1) & (cap - 1))
        if (row_equals(k, index_table, in, b[i] - 1, key)) return b[i] - 1;
    return NO_ROW;
}

void index_add(struct columns *k, uint32_t index_table, uint32_t row) {
    struct index_info in = info_of(index_table);
    uint32_t cap = k->capacity[index_table];
    uint64_t live = meta(k, META_TABLE(index_table, TW_LIVE));
    assert(cap && live < cap);
    uint32_t i = row_hash(k, index_table, in, row) & (cap - 1);
    while (k->c[in.bucket].u32[i]) i = (i + 1) & (cap - 1);
    set_u32(k, in.bucket, i, row + 1);
    set_meta(k, META_TABLE(index_table, TW_LIVE), live + 1);
}

void index_remove(struct columns *k, uint32_t index_table, uint32_t row) {
    struct index_info in = info_of(index_table);
    uint32_t mask = k->capacity[index_table] - 1;
    const uint32_t *b = k->c[in.bucket].u32;
    uint32_t i = row_hash(k, index_table, in, row) & mask;
    while (b[i] != row + 1) {
        assert(b[i]);
        i = (i + 1) & mask;
    }
    for (uint32_t j = (i + 1) & mask; b[j]; j = (j + 1) & mask) {
        uint32_t home = row_hash(k, index_table, in, b[j] - 1) & mask;
        /* skips an entry that would be moved before its home bucket */
        if (((j - home) & mask) < ((j - i) & mask)) continue;
        set_u32(k, in.bucket, i, b[j]);
        i = j;
    }
    set_u32(k, in.bucket, i, 0);
    set_meta(k, META_TABLE(index_table, TW_LIVE), meta(k, META_TABLE(index_table, TW_LIVE)) - 1);
}

int32_t index_reserve(struct columns *k, uint32_t index_table, uint64_t more) {
    uint64_t live = meta(k, META_TABLE(index_table, TW_LIVE)), cap = k->capacity[index_table];
    uint64_t want = cap ? cap : 16;
    while ((live + more) * 4 > want * 3) want *= 2;
    if (want == cap) return LSCHED_OK;
    if (want > ((uint64_t)1 << 31)) return LSCHED_E_LIMIT;
    struct index_info in = info_of(index_table);
    uint32_t *fresh = alloc_zero(k->alloc, (size_t)want * sizeof *fresh);
    if (!fresh) return LSCHED_E_NOMEM;
    const uint32_t *old = k->c[in.bucket].u32;
    for (uint64_t i = 0; i < cap; i++) {
        if (!old[i]) continue;
        uint64_t j = row_hash(k, index_table, in, old[i] - 1) & (want - 1);
        while (fresh[j]) j = (j + 1) & (want - 1);
        fresh[j] = old[i];
    }
    int32_t rc = undo_swap_buckets(k, index_table, fresh, (uint32_t)want);
    if (rc != LSCHED_OK) {
        alloc_free(k->alloc, fresh, (size_t)want * sizeof *fresh);
        return rc;
    }
    set_meta(k, META_TABLE(index_table, TW_ROWS), want);
    return LSCHED_OK;
}
