/*
 * image_load.c -- makes columns from the bytes of an image. The bytes are not trusted: lengths
 * are compared with the number of remaining bytes, checksums are checked, and the number of rows
 * must agree with the length of the payload. Therefore a small file cannot cause a large
 * allocation. The new registry replaces the old one only after it has passed columns_check().
 *
 * The code passes twice over the sections: the first pass reads the counters, which say how much
 * memory the columns need, and the second pass copies the columns. Only the first pass checks the
 * checksums, because the caller does not change the bytes during the call.
 */
#include "model/image/image_load.h"

#include "model/allowances/allowance.h"
#include "model/warnings/warning.h"
#include "model/check/check.h"
#include "model/image/image_form.h"
#include "model/machine/machine.h"
#include "model/image/state.h"
struct loader {
    struct check c; /* for messages */
    const uint8_t *p, *end;
    uint32_t left;     /* number of sections that are not read yet */
    int is_summed;     /* 1 if the checksums of the sections are already checked */
    struct columns *k; /* registry that is being filled */
    uint8_t seen_column[COLUMNS], seen_table[TABLES], seen_heap[BLOCK_HEAPS],
        seen_counter[IMAGE_COUNTERS];
};

/* ---- reading sections ---- */

static int32_t open_image(struct loader *l, const void *bytes, size_t n) {
    struct image_header h;
    if (n < sizeof h)
        return check_fail(&l->c,
                          "the image has %zu bytes; expected at least the %zu bytes of its header",
                          n, sizeof h);
    memcpy(&h, bytes, sizeof h);
    l->p = (const uint8_t *)bytes + sizeof h;
    l->end = (const uint8_t *)bytes + n;
    l->left = h.sections;
    int magic = memcmp(h.magic, IMAGE_MAGIC, sizeof h.magic) == 0;
    if (!magic || h.format != IMAGE_FORMAT || h.semantics > LSCHED_SEMANTICS) {
        l->c.code = LSCHED_E_VERSION;
        if (!magic) return check_fail(&l->c, "the bytes do not begin with the mark of an image");
        return check_fail(
            &l->c,
            "the image has format %u and semantics %u; this library reads format %u and "
            "semantics up to %u",
            h.format, h.semantics, IMAGE_FORMAT, LSCHED_SEMANTICS);
    }
    if (image_header_checksum(&h) != h.checksum)
        return check_fail(&l->c, "the header's checksum is wrong");
    if (h.bytes != n)
        return check_fail(&l->c,
                          "the header says that the image has %llu bytes, but %zu bytes were given",
                          (unsigned long long)h.bytes, n);
    return LSCHED_OK;
}

/* Reads the next section and sets *payload to its payload, whose length agrees with the section's
 * header. Returns 1, 0 after the last section, or an error. */
static int32_t next_section(struct loader *l, struct image_section *s, const uint8_t **payload) {
    if (l->left == 0)
        return l->p == l->end
                   ? 0
                   : check_fail(&l->c, "%zu bytes follow the last section; expected none",
                                (size_t)(l->end - l->p));
    if ((size_t)(l->end - l->p) < sizeof *s)
        return check_fail(&l->c, "the image ends within the head of a section");
    memcpy(s, l->p, sizeof *s);
    l->p += sizeof *s;
    uint64_t room = (uint64_t)(l->end - l->p);
    if (s->name[IMAGE_NAME_BYTES] != '\0')
        return check_fail(&l->c, "the name of a section has no final NUL byte");
    if (s->stride == 0 || s->stride > 8 || s->rows > room / s->stride)
        return check_fail(&l->c, "section %s of %llu rows is longer than the image", s->name,
                          (unsigned long long)s->rows);
    uint64_t n = s->rows * s->stride, pad = (8 - n % 8) % 8;
    if (room - n < pad) return check_fail(&l->c, "section %s is cut", s->name);
    for (uint64_t i = n; i < n + pad; i++)
        if (l->p[i]) return check_fail(&l->c, "section %s is not padded with zero bytes", s->name);
    if (!l->is_summed && image_section_checksum(s, l->p) != s->checksum)
        return check_fail(&l->c, "section %s has another checksum", s->name);
    *payload = l->p;
    l->p += n + pad;
    l->left--;
    return 1;
}

/* ---- counters ---- */

static int32_t take_words(struct loader *l, const struct image_section *s, const uint8_t *payload,
                          uint32_t word, uint32_t n, uint8_t *seen) {
    if (s->type != COL_U64 || s->stride != 8 || *seen)
        return check_fail(&l->c, "section %s must occur once and have %u words", s->name, n);
    *seen = 1;
    /* words that the section does not have keep the values of an empty registry */
    if (s->rows < n) n = (uint32_t)s->rows;
    if (n) memcpy(&l->k->c[C_META_WORD].u64[word], payload, n * sizeof(uint64_t));
    return LSCHED_OK;
}

static int32_t take_counters(struct loader *l, const struct image_section *s,
                             const uint8_t *payload) {
    char name[IMAGE_NAME_BYTES + 1];
    for (uint32_t i = 0; i < IMAGE_COUNTERS; i++)
        if (strcmp(s->name, image_counters[i].name) == 0)
            return take_words(l, s, payload, image_counters[i].word, image_counters[i].n,
                              &l->seen_counter[i]);
    for (uint32_t h = 0; h < BLOCK_HEAPS; h++)
        if (strcmp(s->name, image_heap_names[h]) == 0)
            return take_words(l, s, payload, META_BLOCK(h, 0), BLOCK_CLASSES, &l->seen_heap[h]);
    for (uint32_t t = 0; strncmp(s->name, "TABLE.", 6) == 0 && t < TABLES; t++) {
        image_table_name(t, name);
        if (t != T_META && strcmp(s->name, name) == 0)
            return take_words(l, s, payload, META_TABLE(t, 0), TABLE_WORDS, &l->seen_table[t]);
    }
    return LSCHED_OK;
}

/* ---- memory ---- */

static int32_t image_load_reserve(struct loader *l, uint64_t image_bytes) {
    struct columns *k = l->k;
    uint64_t kinds = meta(k, M_N_KINDS), bytes = 0, most = 4 * image_bytes + ((uint64_t)1 << 20);
    if (kinds > KINDS_MAX)
        return check_fail(&l->c, "the image has %llu resource kinds, which is not allowed",
                          (unsigned long long)kinds);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (column_defs[c].kind >= 0 && (uint64_t)column_defs[c].kind >= kinds) continue;
        uint64_t rows = meta(k, META_TABLE(column_defs[c].table, TW_ROWS));
        if (rows <= most) bytes += rows * column_defs[c].stride;
        if (rows > most || bytes > most)
            return check_fail(&l->c, "the image lacks table %s, which should have %llu rows",
                              table_names[column_defs[c].table], (unsigned long long)rows);
    }
    int32_t rc = LSCHED_OK;
    for (uint32_t r = 0; r < kinds && rc == LSCHED_OK; r++) rc = columns_add_kind(k, r);
    for (uint32_t t = 0; t < TABLES && rc == LSCHED_OK; t++)
        if (t != T_META) rc = table_reserve_unset(k, t, meta(k, META_TABLE(t, TW_ROWS)));
    if (rc != LSCHED_OK) {
        l->c.code = rc;
        check_fail(&l->c, "out of memory for the columns of the image");
    }
    return rc;
}

/* ---- columns ---- */

static uint32_t column_of(const struct image_section *s) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t kind = column_defs[c].kind < 0 ? IMAGE_NO_KIND : (uint32_t)column_defs[c].kind;
        if (kind == s->kind && strcmp(column_def_name(&column_defs[c]), s->name) == 0) return c;
    }
    return COLUMNS;
}

/* True if the section has unsigned numbers that are narrower than those of the column: the column
 * has become wider since the image was saved. */
static int is_narrower(const struct image_section *s, const struct column_def *d) {
    return d->type <= COL_U64 && s->type < d->type && s->stride == 1u << s->type;
}

static void take_wider(uint8_t *to, uint32_t stride, const struct image_section *s,
                       const uint8_t *payload) {
    memset(to, 0, (size_t)(s->rows * stride));
    for (uint64_t i = 0; i < s->rows; i++)
        memcpy(to + i * stride, payload + i * s->stride, s->stride);
}

static int32_t take_column(struct loader *l, const struct image_section *s,
                           const uint8_t *payload) {
    struct columns *k = l->k;
    uint32_t c = s->type == IMAGE_BYTES ? COLUMNS : column_of(s);
    /* this version does not know the section, so the section is skipped */
    if (c == COLUMNS || c == C_META_WORD) return LSCHED_OK;
    const struct column_def *d = &column_defs[c];
    int narrower = is_narrower(s, d), same = s->type == d->type && s->stride == d->stride;
    if (l->seen_column[c] || (!same && !narrower) || !column_present(k, c) ||
        s->rows != meta(k, META_TABLE(d->table, TW_ROWS)))
        return check_fail(
            &l->c,
            "section %s has a wrong size (%llu rows of type %u and %u bytes), or occurs "
            "twice",
            s->name, (unsigned long long)s->rows, s->type, s->stride);
    l->seen_column[c] = 1;
    if (narrower)
        take_wider(k->c[c].u8, d->stride, s, payload);
    else if (s->rows)
        memcpy(k->c[c].u8, payload, (size_t)(s->rows * s->stride));
    return LSCHED_OK;
}

static int32_t each_section(struct loader *l, const void *bytes, size_t n,
                            int32_t (*take)(struct loader *, const struct image_section *,
                                            const uint8_t *)) {
    struct image_section s = {0};
    const uint8_t *payload = NULL;
    int32_t rc = open_image(l, bytes, n);
    while (rc == LSCHED_OK && (rc = next_section(l, &s, &payload)) == 1) rc = take(l, &s, payload);
    return rc;
}

/* Exchanges the columns of k and of fresh. The undo log and the caches stay with k. Its layout
 * number is changed, so that their users notice that every column has moved. */
static void take_place(struct columns *k, struct columns *fresh) {
    struct columns old = *k;
    memcpy(k->c, fresh->c, sizeof k->c);
    memcpy(k->capacity, fresh->capacity, sizeof k->capacity);
    memcpy(k->allocated, fresh->allocated, sizeof k->allocated);
    k->kinds = fresh->kinds;
    k->allowances = table_live(k, T_ALLOWANCE) ? &allowance_ops : NULL;
    k->warnings = meta(k, M_WARN_LEAD) ? &warning_ops : NULL;
    k->layout++;
    touch_log_skip(&k->touch);
    touch_log_skip(&k->task_touch);
    touch_log_skip(&k->queue_touch);
    touch_log_skip(&k->bundle_touch);
    touch_log_skip(&k->job_touch);
    k->structure++;
    k->domain_set++;
    k->node_set++;
    k->queue_terms++;
    machine_cache_clear(k);
    memcpy(fresh->c, old.c, sizeof fresh->c);
    memcpy(fresh->capacity, old.capacity, sizeof fresh->capacity);
    memcpy(fresh->allocated, old.allocated, sizeof fresh->allocated);
}

/* Returns the byte that says what older images mean, which lack the column. */
static int default_byte(uint32_t column) {
    return column == C_NODE_RESERVATION ? 0xff : 0; /* NO_ROW is 0xffffffff */
}

/* True if older images lack the column, and its default says what they mean: they name no run of a
 * task, only one rule that refused a job, and no reservation. */
static int has_default(uint32_t column) {
    return column == C_TASK_RUN || column == C_BUNDLE_SHARES || column == C_NODE_RESERVATION ||
           column == C_QUEUE_RESERVATIONS || column == C_JOB_RANK;
}

/* Writes what older images mean, which lack the column. In them, evictions compare the submitted
 * priorities. */
static void set_default(const struct columns *k, uint32_t c) {
    size_t bytes = (size_t)table_rows(k, column_defs[c].table) * column_defs[c].stride;
    if (c == C_JOB_RANK)
        memcpy(k->c[c].i32, k->c[C_JOB_PRIORITY].i32, bytes);
    else
        memset(k->c[c].u8, default_byte(c), bytes);
}

/* True if an image can lack the table: older ones have no reservation, and META is in counters. */
static int may_lack_table(uint32_t table) {
    return table == T_META || table == T_RESERVATION;
}

/* True if the image must have the counter, but lacks it. Older images lack RANKED, which is 0 then:
 * they know no hook that gives ranks. */
static int lacks_counter(const struct loader *l, uint32_t i) {
    return !l->seen_counter[i] && image_counters[i].word != M_RANKED;
}

/* Checks that the image has every section that this version of the library stores. A missing
 * column is an error: if it were filled with 0, a limit, weight or priority of 0 would be valid
 * but wrong. The default of a column that a later version adds is set here; its memory
 * has no value before. */
static int32_t check_complete(struct loader *l) {
    const struct columns *k = l->k;
    char name[IMAGE_NAME_BYTES + 1];
    const char *lacks = NULL;
    for (uint32_t i = 0; i < IMAGE_COUNTERS && !lacks; i++)
        if (lacks_counter(l, i)) lacks = image_counters[i].name;
    for (uint32_t h = 0; h < BLOCK_HEAPS && !lacks; h++)
        if (!l->seen_heap[h]) lacks = image_heap_names[h];
    for (uint32_t t = 0; t < TABLES && !lacks; t++)
        if (!l->seen_table[t] && !may_lack_table(t)) image_table_name(t, name), lacks = name;
    for (uint32_t c = 0; c < COLUMNS && !lacks; c++) {
        const struct column_def *d = &column_defs[c];
        int kept = d->kind < 0 || (uint64_t)d->kind < meta(k, M_N_KINDS);
        if (c == C_META_WORD || !kept || !table_rows(k, d->table) || l->seen_column[c]) continue;
        if (has_default(c))
            set_default(k, c);
        else
            lacks = column_def_name(d);
    }
    if (!lacks) return LSCHED_OK;
    l->c.code = LSCHED_E_VERSION;
    return check_fail(&l->c, "the image lacks %s, for which this version has no default", lacks);
}

/* Checks the serial numbers, which the cluster continues after the load. A number that is greater
 * than any cluster can reach is invalid. */
static int32_t image_load_check_serials(struct loader *l) {
    static const uint16_t words[] = {M_NOW,       M_SCHEDULED,    M_SERIAL,   M_GROUP_SERIAL,
                                     M_STRUCTURE, M_NODE_SET,     M_CYCLE,    M_EVICT_SERIAL,
                                     M_CYCLED,    M_EVICTED_HOUR, M_REFRESHED};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (meta(l->k, words[i]) > (uint64_t)LIMIT_TIME_US + 1)
            return check_fail(&l->c, "counter %u of the image is %llu, which is out of range",
                              words[i], (unsigned long long)meta(l->k, words[i]));
    return LSCHED_OK;
}

int32_t image_load(struct columns *k, const void *bytes, size_t n, lsched_error *err) {
    assert(k->undo_depth == 0);
    struct columns fresh;
    int32_t rc = state_open(&fresh, k->alloc);
    if (rc != LSCHED_OK) return rc;
    struct loader l;
    memset(&l, 0, sizeof l);
    l.c = (struct check){&fresh, err, LSCHED_E_CORRUPT};
    l.k = &fresh;
    rc = each_section(&l, bytes, n, take_counters);
    l.is_summed = 1;
    if (rc == LSCHED_OK) rc = image_load_reserve(&l, n);
    if (rc == LSCHED_OK) rc = each_section(&l, bytes, n, take_column);
    if (rc == LSCHED_OK) rc = check_complete(&l);
    if (rc == LSCHED_OK) rc = image_load_check_serials(&l);
    if (rc == LSCHED_OK) rc = columns_check(&l.c);
    if (rc == LSCHED_OK) take_place(k, &fresh);
    state_close(&fresh);
    return rc;
}

int32_t image_extra_find(const void *bytes, size_t n, const char *name, const void **out,
                         size_t *out_n) {
    struct loader l;
    struct image_section s = {0};
    const uint8_t *payload = NULL;
    memset(&l, 0, sizeof l);
    l.c.code = LSCHED_E_CORRUPT;
    l.is_summed = 1; /* the sum of the section that is found is checked below */
    int32_t rc = open_image(&l, bytes, n);
    if (rc != LSCHED_OK) return rc;
    while ((rc = next_section(&l, &s, &payload)) == 1) {
        if (s.type != IMAGE_BYTES || s.stride != 1 || strcmp(s.name, name) != 0) continue;
        if (image_section_checksum(&s, payload) != s.checksum) return LSCHED_E_CORRUPT;
        *out = payload;
        *out_n = (size_t)s.rows;
        return 1;
    }
    return rc;
}
