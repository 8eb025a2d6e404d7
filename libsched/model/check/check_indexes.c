/*
 * check_indexes.c -- checks that every live row is found by its key, that no two rows have the
 * same key, and that an index contains no other rows.
 *
 * The buckets are counted and looked up. Why not rebuild the index and compare: the positions in
 * the buckets depend on the history, and they are part of the image hash.
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
    return k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[k->c[C_TASK_JOB].u32[row]]] >
           LIMIT_LISTED_TASKS;
}

/* Checks that the index has as many entries as there are rows that must be in it, and that each
 * entry is a live row. A later step checks that each of these rows is found by its key. Together
 * this shows that no row is in the index twice. */
static int32_t check_buckets(struct check *c, const struct indexed *x) {
    const struct columns *k = c->k;
    uint32_t n = 0, rows = 0, column = table_first[x->index];
    for (uint32_t row = 0; row < table_rows(k, x->table); row++)
        rows += (uint32_t)is_indexed(k, x, row);
    for (uint32_t i = 0; i < table_rows(k, x->index); i++) {
        uint32_t b = k->c[column].u32[i];
        if (b && !row_is_live(k, x->table, b - 1))
            return check_fail(c, "index %s contains row %u of %s, which is not live",
                              table_names[x->index], b - 1, table_names[x->table]);
        n += b != 0;
    }
    if (n != table_live(k, x->index) || n != rows)
        return check_fail(c, "index %s contains %u keys, counts %u, and there are %u rows of %s",
                          table_names[x->index], n, table_live(k, x->index), rows,
                          table_names[x->table]);
    return LSCHED_OK;
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

int32_t check_indexes(struct check *c) {
    const struct columns *k = c->k;
    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
        const struct indexed *x = &indexes[i];
        int32_t rc = check_buckets(c, x);
        if (rc != LSCHED_OK) return rc;
        for (uint32_t row = 0; row < table_rows(k, x->table); row++) {
            if (!is_indexed(k, x, row)) continue;
            struct index_key key = check_indexes_key_of(k, x, row);
            uint32_t found = index_find(k, x->index, &key);
            if (found == row) continue;
            return check_fail(c, "%s is %s by its key", NAME(x->table, row),
                              found == NO_ROW ? "not found" : "not the only one");
        }
    }
    return LSCHED_OK;
}
