/*
 * check_holders.c -- checks that each interned row has exactly as many holders as its count of
 * holders says, and a serial number that no other row has.
 *
 * If the count is too high, the row is never freed. If it is too low, the row is freed while an
 * object still refers to it. If two rows have the same serial number, caches whose keys are
 * serial numbers return wrong contents.
 */
#include "model/check/check_holders.h"

#include "base/hash.h"
#include "model/shapes/shape.h"

static const uint32_t interned[] = {T_STRING,  T_LABELS, T_CLASS,    T_SHAPE,   T_JOBSHAPE,
                                    T_MACHINE, T_TAINTS, T_DEVCLASS, T_SELECTOR};

struct holders {
    struct check *c;
    uint32_t *count; /* count[row]: number of holders found, for the table that is being checked */
};

static void hold_column(struct holders *h, uint32_t column) {
    const struct columns *k = h->c->k;
    uint32_t table = column_defs[column].table;
    EACH_LIVE(k, table, row)
        if (k->c[column].u32[row] != NO_ROW) h->count[k->c[column].u32[row]]++;
}

static void hold_strings(struct holders *h) {
    const struct columns *k = h->c->k;
    EACH_LIVE(k, T_NODE, node) {
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
            h->count[k->c[C_DEVICE_MODEL].u32[first + i]]++;
    }
    for (uint32_t s = 0; s < table_rows(k, T_SHAPE); s++) {
        uint32_t n = row_is_live(k, T_SHAPE, s) ? k->c[C_SHAPE_N_MODELS].u32[s] : 0;
        const uint32_t *models = n ? text_bytes(k, k->c[C_SHAPE_MODELS].u32[s]) : NULL;
        for (uint32_t i = 0; i < n; i++) h->count[models[i]]++;
    }
    hold_column(h, C_JOB_REASON);
    hold_column(h, C_DERIVED_MODEL);
    hold_column(h, C_DERIVED_PROFILE);
    hold_column(h, C_SHAPE_PROFILE);
    hold_column(h, C_REFUSAL_REASON);
    hold_column(h, C_REFUSAL_WORDS);
    hold_column(h, C_WATCH_HOST_REASON);
    hold_column(h, C_AFTER_NAME);
}

static void hold_devices(struct holders *h) {
    const struct columns *k = h->c->k;
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        uint32_t n = row_is_live(k, T_NODE, node) ? k->c[C_NODE_N_DEVICES].u8[node] : 0;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        for (uint32_t i = 0; i < n; i++) h->count[k->c[C_DEVICE_CLASS].u16[first + i]]++;
    }
}

static void hold_taints(struct holders *h) {
    const struct columns *k = h->c->k;
    hold_column(h, C_CLASS_TAINTS);
    EACH_LIVE(k, T_NODE, node) {
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
            if (k->c[C_DEVICE_TAINTS].u32[first + i])
                h->count[k->c[C_DEVICE_TAINTS].u32[first + i] - 1]++;
    }
}

static void hold_shapes(struct holders *h) {
    const struct columns *k = h->c->k;
    EACH_LIVE(k, T_JOBSHAPE, s) {
        uint32_t first = k->c[C_JOBSHAPE_GROUP_FIRST].u32[s];
        for (uint32_t g = first; g < first + k->c[C_JOBSHAPE_N_GROUPS].u32[s]; g++)
            for (uint32_t a = 0; a < k->c[C_GROUP_N_ALTERNATIVES].u32[g]; a++)
                h->count[group_alternative(k, g, a)]++;
    }
    hold_column(h, C_MIX_SHAPE);
    hold_column(h, C_REFUSAL_SHAPE);
    hold_column(h, C_RESIZE_SHAPE);
    hold_column(h, C_RESIZE_REAL);
    hold_column(h, C_RESIZE_WANT);
}

static void hold_table(struct holders *h, uint32_t table) {
    switch (table) {
    case T_STRING: hold_strings(h); break;
    case T_LABELS:
        hold_column(h, C_NODE_LABELS);
        hold_column(h, C_JOB_LABELS);
        hold_column(h, C_POOL_LABELS);
        break;
    case T_MACHINE: hold_column(h, C_CLASS_MACHINE); break;
    case T_TAINTS: hold_taints(h); break;
    case T_DEVCLASS: hold_devices(h); break;
    case T_SELECTOR: hold_column(h, C_SHAPE_SELECTOR); break;
    case T_CLASS: hold_column(h, C_NODE_CLASS); break;
    case T_SHAPE: hold_shapes(h); break;
    default:
        hold_column(h, C_JOB_SHAPE);
        hold_column(h, C_BUNDLE_SHAPE);
        break;
    }
}

static int32_t check_counts(struct check *c, uint32_t table) {
    const struct columns *k = c->k;
    uint32_t rows = table_rows(k, table);
    struct holders h = {c, alloc_zero(k->alloc, ((size_t)rows + 1) * sizeof *h.count)};
    if (!h.count) return check_nomem(c);
    hold_table(&h, table);
    int32_t rc = LSCHED_OK;
    for (uint32_t row = 0; row < rows && rc == LSCHED_OK; row++) {
        uint32_t refs = k->c[table_first[table] + INTERN_REFS].u32[row];
        if (row_is_live(k, table, row) && (refs != h.count[row] || refs == 0))
            rc = check_fail(c, "%s counts %u holders and has %u", NAME(table, row), refs,
                            h.count[row]);
    }
    alloc_free(k->alloc, h.count, ((size_t)rows + 1) * sizeof *h.count);
    return rc;
}

/* A set of serial numbers, as a hash table with open addressing that is at most half full. 0
 * marks a free place. */
struct serials {
    uint64_t *slot;
    uint64_t mask;
};

static int serial_is_new(struct serials *s, uint64_t serial) {
    uint64_t i = hash_mix(0, serial) & s->mask;
    for (; s->slot[i]; i = (i + 1) & s->mask)
        if (s->slot[i] == serial) return 0;
    s->slot[i] = serial;
    return 1;
}

static int32_t check_table_serials(struct check *c, struct serials *s, uint32_t table) {
    const struct columns *k = c->k;
    EACH_LIVE(k, table, row) {
        uint64_t serial = intern_serial(k, table, row);
        if (serial == 0 || serial > meta(k, M_SERIAL) || !serial_is_new(s, serial))
            return check_fail(c, "%s has the serial %llu of another row", NAME(table, row),
                              (unsigned long long)serial);
    }
    return LSCHED_OK;
}

static int32_t check_holders_serials(struct check *c) {
    const struct columns *k = c->k;
    uint64_t n = 0, size = 16;
    for (size_t i = 0; i < sizeof interned / sizeof interned[0]; i++)
        n += table_live(k, interned[i]);
    while (size < 2 * n) size *= 2;
    struct serials s = {alloc_zero(k->alloc, size * sizeof *s.slot), size - 1};
    if (!s.slot) return check_nomem(c);
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < sizeof interned / sizeof interned[0] && rc == LSCHED_OK; i++)
        rc = check_table_serials(c, &s, interned[i]);
    alloc_free(k->alloc, s.slot, size * sizeof *s.slot);
    return rc;
}

int32_t check_holders(struct check *c) {
    int32_t rc = check_holders_serials(c);
    for (size_t i = 0; i < sizeof interned / sizeof interned[0] && rc == LSCHED_OK; i++)
        rc = check_counts(c, interned[i]);
    return rc;
}
