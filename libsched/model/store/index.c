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

/* ---- buckets ---- */

/* An index whose buckets are read or written. */
struct buckets {
    struct columns *k;
    struct index_info in;
    uint32_t table, n; /* n: number of buckets */
};

static struct buckets buckets_of(struct columns *k, uint32_t index_table) {
    return (struct buckets){k, info_of(index_table), index_table, table_rows(k, index_table)};
}

static uint32_t entry(const struct buckets *x, uint32_t i) {
    return x->k->c[x->in.bucket].u32[i];
}

static uint32_t after(const struct buckets *x, uint32_t i) {
    return i + 1 < x->n ? i + 1 : 0;
}

static uint32_t row_home(const struct buckets *x, uint32_t row) {
    return index_home(row_hash(x->k, x->table, x->in, row), x->n);
}

static void put(const struct buckets *x, uint32_t row) {
    uint32_t i = row_home(x, row);
    while (entry(x, i)) i = after(x, i);
    set_u32(x->k, x->in.bucket, i, row + 1);
}

/* Fills the bucket `hole`, so that it interrupts no way from a home to an entry: moves later
 * entries back, and leaves the last bucket from which an entry was moved empty. */
static void close_hole(const struct buckets *x, uint32_t hole) {
    for (uint32_t j = after(x, hole); entry(x, j); j = after(x, j)) {
        uint32_t home = row_home(x, entry(x, j) - 1);
        /* skips an entry that would be moved before its home bucket */
        if (index_distance(home, j, x->n) < index_distance(hole, j, x->n)) continue;
        set_u32(x->k, x->in.bucket, hole, entry(x, j));
        hole = j;
    }
    set_u32(x->k, x->in.bucket, hole, 0);
}

uint32_t index_find(const struct columns *k, uint32_t index_table, const struct index_key *key) {
    uint32_t n = table_rows(k, index_table);
    if (n == 0) return NO_ROW;
    struct index_info in = info_of(index_table);
    const uint32_t *b = k->c[in.bucket].u32;
    for (uint32_t i = index_home(key->hash, n); b[i]; i = i + 1 < n ? i + 1 : 0)
        if (row_equals(k, index_table, in, b[i] - 1, key)) return b[i] - 1;
    return NO_ROW;
}

void index_add(struct columns *k, uint32_t index_table, uint32_t row) {
    struct buckets x = buckets_of(k, index_table);
    uint64_t live = meta(k, META_TABLE(index_table, TW_LIVE));
    assert(live < x.n);
    put(&x, row);
    set_meta(k, META_TABLE(index_table, TW_LIVE), live + 1);
}

void index_remove(struct columns *k, uint32_t index_table, uint32_t row) {
    struct buckets x = buckets_of(k, index_table);
    uint32_t i = row_home(&x, row);
    while (entry(&x, i) != row + 1) {
        assert(entry(&x, i));
        i = after(&x, i);
    }
    close_hole(&x, i);
    set_meta(k, META_TABLE(index_table, TW_LIVE), meta(k, META_TABLE(index_table, TW_LIVE)) - 1);
}

/* ---- growth ---- */

/* buckets of the smallest index, and how many a further key adds while an index grows: as a rule,
 * and at most, for an index that begins to grow late */
#define INDEX_LEAST 16u
#define DIVIDED     8u
#define DIVIDE_MOST 16u

/* Returns the number of buckets that an index should have for so many keys. */
static uint64_t buckets_for(uint64_t keys) {
    uint64_t n = INDEX_LEAST;
    while (keys > n / 4 * 3) n *= 2;
    return keys > n / 8 * 5 ? n + DIVIDED * (keys - n / 8 * 5) : n;
}

/* Returns the number of entries between bucket i and the next empty bucket. */
static uint32_t run_from(const struct buckets *x, uint32_t i) {
    uint32_t n = 0;
    for (; entry(x, i); i = after(x, i)) n++;
    return n;
}

/* Moves the keys whose home is now the last bucket out of the run that begins at bucket `from`,
 * their home before. From the first of them on, each entry of the run moves to the first empty
 * bucket on its way, if there is one before its own. A moved entry can come to the end of this run.
 * Then it is looked at once more, and can stay. */
static void move_keys(const struct buckets *x, uint32_t from) {
    uint32_t j = from;
    while (entry(x, j) && row_home(x, entry(x, j) - 1) != x->n - 1) j = after(x, j);
    for (; entry(x, j); j = after(x, j)) {
        uint32_t row = entry(x, j) - 1, to = row_home(x, row);
        while (to != j && entry(x, to)) to = after(x, to);
        if (to == j) continue;
        set_u32(x->k, x->in.bucket, j, 0);
        set_u32(x->k, x->in.bucket, to, row + 1);
    }
}

/* Appends a bucket and divides the keys of another bucket between the two. */
static int32_t divide_bucket(struct columns *k, uint32_t index_table) {
    struct buckets x = buckets_of(k, index_table);
    uint32_t last = x.n, from = last - (UINT32_C(1) << (31 - __builtin_clz(last)));
    /* close_hole() writes each entry of the first run once, move_keys() each of the second one
     * four times at most */
    int32_t rc = undo_room_for(k, 8 + (size_t)run_from(&x, 0) + 4 * (size_t)run_from(&x, from));
    if (rc != LSCHED_OK) return rc;
    if (rows_append(k, index_table, 1) == NO_ROW) return LSCHED_E_NOMEM;
    x.n++;
    /* entries whose way went from the last bucket to the first one now pass an empty bucket */
    if (entry(&x, last - 1)) close_hole(&x, last);
    move_keys(&x, from);
    return LSCHED_OK;
}

int32_t index_reserve(struct columns *k, uint32_t index_table, uint64_t more) {
    uint64_t keys = meta(k, META_TABLE(index_table, TW_LIVE)) + more;
    uint64_t n = table_rows(k, index_table), want = buckets_for(keys);
    if (want <= n) return LSCHED_OK;
    if (want > ((uint64_t)1 << 31)) return LSCHED_E_LIMIT;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK && n == 0 && rows_append(k, index_table, INDEX_LEAST) == NO_ROW)
        rc = LSCHED_E_NOMEM;
    if (n == 0) n = INDEX_LEAST;
    if (rc == LSCHED_OK && keys == more) { /* an index without keys has nothing to divide */
        if (n < want && rows_append(k, index_table, (uint32_t)(want - n)) == NO_ROW)
            rc = LSCHED_E_NOMEM;
        n = want;
    }
    for (uint64_t i = 0; n < want && rc == LSCHED_OK; i++, n++) {
        if (i >= DIVIDE_MOST * more && index_has_room(keys, n)) break;
        rc = divide_bucket(k, index_table);
    }
    return rc;
}
