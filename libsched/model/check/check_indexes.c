/*
 * check_indexes.c -- checks that every live row is found by its key, that no two rows have the
 * same key, and that an index contains no other rows.
 *
 * A lookup begins at the home bucket of the key's hash and stops at the first empty bucket.
 * Therefore a row is found if there is no empty bucket from its home to its place, and if no row
 * on this way has the same key. The rows are hashed in their order, and the buckets are then read
 * in their order. The hashes need 4 bytes of scratch space for each row.
 *
 * Why not look up each row: a lookup reads a bucket, a row and a text at three distant places for
 * each key that it passes, so that a large cluster waits for memory. Why not rebuild the index and
 * compare: the positions in the buckets depend on the history, and they are part of the image
 * hash.
 */
#include "model/check/check_indexes.h"

#include "model/store/index.h"

struct indexed {
    uint16_t index, table, text;
};

static const struct indexed indexes[] = {
    {T_IX_KIND, T_KIND, C_KIND_NAME},
    {T_IX_STRING, T_STRING, C_STRING_BLOB},
    {T_IX_LABELS, T_LABELS, C_LABELS_BLOB},
    {T_IX_CLASS, T_CLASS, C_CLASS_BLOB},
    {T_IX_MACHINE, T_MACHINE, C_MACHINE_BLOB},
    {T_IX_TAINTS, T_TAINTS, C_TAINTS_BLOB},
    {T_IX_DEVCLASS, T_DEVCLASS, C_DEVCLASS_BLOB},
    {T_IX_SELECTOR, T_SELECTOR, C_SELECTOR_BLOB},
    {T_IX_TOPOLOGY, T_TOPOLOGY, C_TOPOLOGY_NAME},
    {T_IX_DOMAIN, T_DOMAIN, C_DOMAIN_NAME},
    {T_IX_NODE, T_NODE, C_NODE_NAME},
    {T_IX_SHAPE, T_SHAPE, C_SHAPE_BLOB},
    {T_IX_JOBSHAPE, T_JOBSHAPE, C_JOBSHAPE_BLOB},
    {T_IX_QUEUE, T_QUEUE, C_QUEUE_NAME},
    {T_IX_JOB, T_JOB, C_JOB_NAME},
    {T_IX_BUNDLE, T_BUNDLE, COLUMNS},
    {T_IX_DERIVED, T_DERIVED, C_DERIVED_NAME},
    {T_IX_TASK, T_TASK, COLUMNS},
    {T_IX_REFUSAL, T_REFUSAL, COLUMNS},
};

static int is_indexed(const struct columns *k, const struct indexed *x, uint32_t row) {
    if (!row_is_live(k, x->table, row)) return 0;
    if (x->table != T_TASK) return 1;
    return k->c[C_JOBSHAPE_INDEXES].u32[k->c[C_JOB_SHAPE].u32[k->c[C_TASK_JOB].u32[row]]] >
           LIMIT_LISTED_TASKS;
}

static struct index_key check_indexes_key_of(const struct columns *k, const struct indexed *x,
                                             uint32_t row) {
    if (x->table == T_TASK) {
        int leaves = k->c[C_TASK_STATE].u8[row] == LSCHED_TASK_RELEASING;
        uint32_t job = k->c[C_TASK_JOB].u32[row], index = k->c[C_TASK_INDEX].u32[row];
        return leaves ? index_key_releasing(job, index) : index_key_task(job, index);
    }
    if (x->table == T_BUNDLE)
        return index_key_bundle(k->c[C_BUNDLE_QUEUE].u32[row], k->c[C_BUNDLE_SHAPE].u32[row],
                                k->c[C_BUNDLE_KIND].u8[row], k->c[C_BUNDLE_JOB].u32[row]);
    if (x->table == T_REFUSAL)
        return index_key_refusal(k->c[C_REFUSAL_OF].u8[row], k->c[C_REFUSAL_QUEUE].u32[row],
                                 k->c[C_REFUSAL_SHAPE].u32[row], k->c[C_REFUSAL_NODE].u32[row]);
    uint32_t text = k->c[x->text].u32[row];
    if (x->table == T_DOMAIN)
        return index_key_domain(k->c[C_DOMAIN_TOPOLOGY].u32[row], k->c[C_DOMAIN_LEVEL].u32[row],
                                k->c[C_DOMAIN_PARENT].u32[row], text_bytes(k, text),
                                text_len(k, text));
    return index_key_text(text_bytes(k, text), text_len(k, text));
}

/* ---- hashes ---- */

/* set in the hash of each row that must be in the index; no index has 2^32 buckets */
#define HASHED 0x80000000u

struct hashes {
    const struct indexed *x;
    const uint32_t *bucket;
    uint32_t *of; /* by row: hash of the key, with the bit HASHED; 0: the row is in no index */
    uint32_t rows, buckets;
};

static uint32_t check_indexes_hash_of(const struct columns *k, const struct indexed *x,
                                      uint32_t row) {
    /* check_blocks() has compared the stored hash of each text with its bytes */
    if (x->text != COLUMNS && x->table != T_DOMAIN) return text_hash(k, k->c[x->text].u32[row]);
    return check_indexes_key_of(k, x, row).hash;
}

/* Hashes all rows of the table, and checks that the index has as many entries as there are rows
 * that must be in it, and that each entry is one of these rows. walk_buckets() checks that no row
 * is in the index twice. Together this shows that each of these rows is in the index. */
static int32_t hash_rows(struct check *c, struct hashes *h) {
    const struct columns *k = c->k;
    const struct indexed *x = h->x;
    uint32_t n = 0, known = 0, rows = 0, buckets = table_rows(k, x->index);
    for (uint32_t row = 0; row < h->rows; row++) {
        if (!is_indexed(k, x, row)) continue;
        h->of[row] = HASHED | check_indexes_hash_of(k, x, row);
        rows++;
    }
    for (uint32_t i = 0; i < buckets; i++) {
        uint32_t b = h->bucket[i];
        if (b == 0) continue;
        if (b > h->rows || (h->of[b - 1] == 0 && !row_is_live(k, x->table, b - 1)))
            return check_fail(c, "index %s contains row %u of %s, which is not live",
                              table_names[x->index], b - 1, table_names[x->table]);
        known += h->of[b - 1] != 0;
        n++;
    }
    if (n != table_live(k, x->index) || n != rows || n != known)
        return check_fail(c, "index %s contains %u keys, counts %u, and there are %u rows of %s",
                          table_names[x->index], n, table_live(k, x->index), rows,
                          table_names[x->table]);
    return LSCHED_OK;
}

static int has_same_key(const struct columns *k, const struct indexed *x, uint32_t a, uint32_t b) {
    struct index_key p = check_indexes_key_of(k, x, a), q = check_indexes_key_of(k, x, b);
    return memcmp(p.words, q.words, sizeof p.words) == 0 && p.n == q.n &&
           (p.n == 0 || memcmp(p.bytes, q.bytes, p.n) == 0);
}

/* Checks the row in bucket i. run: the first of the used buckets that end with bucket i. */
static int32_t check_bucket(struct check *c, const struct hashes *h, uint32_t run, uint32_t i) {
    const struct indexed *x = h->x;
    uint32_t row = h->bucket[i] - 1, hash = h->of[row];
    uint32_t home = index_home(hash, h->buckets);
    if (index_distance(home, i, h->buckets) > index_distance(run, i, h->buckets))
        return check_fail(c, "%s is not found by its key", NAME(x->table, row));
    for (uint32_t j = home; j != i; j = j + 1 < h->buckets ? j + 1 : 0)
        if (h->of[h->bucket[j] - 1] == hash && has_same_key(c->k, x, h->bucket[j] - 1, row))
            return check_fail(c, "%s is not the only one by its key", NAME(x->table, row));
    return LSCHED_OK;
}

/* Checks all entries, beginning after an empty bucket. At least a quarter of the buckets is
 * empty (check_tables.c). */
static int32_t walk_buckets(struct check *c, const struct hashes *h) {
    enum { AHEAD = 16 }; /* distance at which the hashes of later buckets are fetched */
    uint32_t empty = 0;
    int32_t rc = LSCHED_OK;
    while (h->bucket[empty]) empty++;
    for (uint32_t n = 1, i = empty, run = empty; n < h->buckets && rc == LSCHED_OK; n++) {
        int was_empty = h->bucket[i] == 0;
        i = i + 1 < h->buckets ? i + 1 : 0;
        if (was_empty) run = i;
        uint32_t ahead = i + AHEAD < h->buckets ? h->bucket[i + AHEAD] : 0;
        if (ahead) __builtin_prefetch(&h->of[ahead - 1]);
        if (h->bucket[i]) rc = check_bucket(c, h, run, i);
    }
    return rc;
}

static int32_t check_one_index(struct check *c, const struct indexed *x) {
    const struct columns *k = c->k;
    uint32_t rows = table_rows(k, x->table), buckets = table_rows(k, x->index);
    size_t bytes = ((size_t)rows + 1) * sizeof(uint32_t);
    struct hashes h = {x, k->c[table_first[x->index]].u32, alloc_zero(k->alloc, bytes), rows,
                       buckets};
    if (!h.of) return check_nomem(c);
    int32_t rc = hash_rows(c, &h);
    if (rc == LSCHED_OK && buckets) rc = walk_buckets(c, &h);
    alloc_free(k->alloc, h.of, bytes);
    return rc;
}

int32_t check_indexes(struct check *c) {
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0] && rc == LSCHED_OK; i++)
        rc = check_one_index(c, &indexes[i]);
    return rc;
}
