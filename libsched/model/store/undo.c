/* undo.c -- see undo.h. */
#include "model/store/undo.h"

#include "model/store/columns.h"
#include "model/store/undo_check.h"

extern inline int32_t undo_room(struct columns *k);

#define UNDO_KEEP_RECORDS ((size_t)1 << 20)
/* Length from which undo_settle() shortens the log, in records that are not settled: at first, so
 * that a cycle of some thousand decisions ends before, and then. */
#define UNDO_SETTLE_FIRST ((size_t)1 << 18)
#define UNDO_SETTLE_NEXT  ((size_t)1 << 12)
/* number of words that undo_settle() knows by hash */
#define UNDO_KNOWN 1024u
/* the words that are known by hash, then a byte for each word of META */
#define UNDO_KNOWN_BYTES (UNDO_KNOWN * sizeof(uint64_t) + META_WORDS)

int32_t undo_grow(struct columns *k, size_t records) {
    size_t need = k->undo_n + records + LIMIT_UNDO_SPARE;
    if (need <= k->undo_cap) return LSCHED_OK;
    size_t cap = k->undo_cap + k->undo_cap / 2;
    if (cap < need) cap = need;
    if (cap < 2 * LIMIT_UNDO_SPARE) cap = 2 * LIMIT_UNDO_SPARE;
    void *p = alloc_resize(k->alloc, k->undo, k->undo_cap * sizeof *k->undo, cap * sizeof *k->undo);
    if (!p) return LSCHED_E_NOMEM;
    k->undo = p;
    k->undo_cap = cap;
    return LSCHED_OK;
}

/* ---- settled records ---- */

/* Forgets which words have a settled record; records before `position` remain settled. */
static void unsettle(struct columns *k, size_t position) {
    if (k->undo_settled > 0) memset(k->undo_known, 0, UNDO_KNOWN_BYTES);
    if (k->undo_settled > 0 && k->undo_jobs_n) memset(k->undo_jobs, 0, k->undo_jobs_n);
    k->undo_settled = position;
}

static void settle_begin(struct columns *k) {
    unsettle(k, 0);
    for (uint32_t i = 0; i < 3; i++) k->undo_base[i] = table_rows(k, T_LEAF + i);
}

/* The columns whose records can be dropped because an earlier record has the same word: those of
 * counters, nodes, queues and bundles, whose words are written again and again. Words of devices
 * and indexes are written a few times at most. */
#define IS_REWRITTEN(table)                                           \
    ((table) < T_DEVICE || ((table) >= T_QUEUE && (table) < T_JOB) || \
     ((table) >= T_BUNDLE && (table) < T_IX_KIND))
#define IS_APPENDED(table) ((table) >= T_LEAF && (table) < T_BUNDLE)

/* Of the words that a job changes on its way through a queue, each has a bit. A job that is
 * admitted and placed in one cycle enters and leaves a bundle, so most of these words are written
 * twice, far apart. */
#define JOB_BIT(column)                                                           \
    ((column) >= C_JOB_BUNDLE && (column) <= C_JOB_LEAVES ? (column)-C_JOB_BUNDLE \
     : (column) == C_JOB_PHASE                            ? 6                     \
                                                          : SETTLES_NEVER)
_Static_assert(C_JOB_LEAVES == C_JOB_BUNDLE + 5, "these columns and the phase have eight bits");

/* What undo_settle() does with the records of a column; a number below SETTLES_NEVER is the bit of
 * a word of a job. A table, because undo_settle() looks at each record of a long log once. */
enum settles { SETTLES_NEVER = 8, SETTLES_META, SETTLES_WORD, SETTLES_ROW };
#define SETTLES(table, column)                        \
    (uint8_t)((table) == T_META     ? SETTLES_META    \
              : IS_REWRITTEN(table) ? SETTLES_WORD    \
              : IS_APPENDED(table)  ? SETTLES_ROW     \
              : (table) == T_JOB    ? JOB_BIT(column) \
                                    : SETTLES_NEVER)
#define SETTLES_4(t, c)  SETTLES(t, c), SETTLES(t, c), SETTLES(t, c), SETTLES(t, c)
#define SETTLES_16(t, c) SETTLES_4(t, c), SETTLES_4(t, c), SETTLES_4(t, c), SETTLES_4(t, c)
static const uint8_t settles[COLUMNS + 2] = {
#define TABLE(t)
#define RAW(t)
#define COL(t, n, type, meaning) SETTLES(T_##t, C_##t##_##n),
#define KCOL(t, n, meaning)      SETTLES_16(T_##t, C_##t##_##n),
#include "model/store/schema.def"
#undef TABLE
#undef RAW
#undef COL
#undef KCOL
    [UNDO_CHANGES] = SETTLES_WORD,
    [UNDO_TALLY] = SETTLES_WORD,
};
_Static_assert(KINDS_MAX == 16, "SETTLES_16 names each column of a family");

/* Makes the memory of known words. Returns 0 if there is none; without the memory for jobs, the
 * records of jobs stay. */
static int know_words(struct columns *k) {
    uint32_t jobs = table_memory_rows(k, T_JOB);
    if (!k->undo_known) k->undo_known = alloc_zero(k->alloc, UNDO_KNOWN_BYTES);
    if (k->undo_settled > 0 || jobs <= k->undo_jobs_n) return k->undo_known != NULL;
    alloc_free(k->alloc, k->undo_jobs, k->undo_jobs_n);
    k->undo_jobs = alloc_zero(k->alloc, jobs);
    k->undo_jobs_n = k->undo_jobs ? jobs : 0;
    return k->undo_known != NULL;
}

int undo_settle(struct columns *k) {
    size_t least = k->undo_settled ? UNDO_SETTLE_NEXT : UNDO_SETTLE_FIRST;
    if (k->undo_n - k->undo_settled < least || k->undo_depth != 1 || !know_words(k)) return 0;
    struct undo_record *to = k->undo + k->undo_settled;
    const struct undo_record *end = k->undo + k->undo_n;
    uint64_t *known = k->undo_known;
    uint8_t *known_meta = (uint8_t *)(known + UNDO_KNOWN), *jobs = k->undo_jobs;
    uint32_t jobs_n = k->undo_jobs_n;
    for (const struct undo_record *r = to; r < end; r++) {
        uint32_t c = r->column, row = r->row, what = settles[c];
        if (what < SETTLES_NEVER) {
            if (row < jobs_n) {
                if (jobs[row] >> what & 1) continue;
                jobs[row] |= (uint8_t)(1u << what);
            }
        } else if (what == SETTLES_META) {
            if (known_meta[row]) continue;
            known_meta[row] = 1;
        } else if (what == SETTLES_WORD) {
            uint64_t word = ((uint64_t)row << 32 | c) + 1;
            uint64_t *seen = &known[(word * UINT64_C(0x9E3779B97F4A7C15)) >> 54];
            if (*seen == word) continue;
            *seen = word;
        } else if (what == SETTLES_ROW && row >= k->undo_base[column_defs[c].table - T_LEAF]) {
            continue;
        }
        *to++ = *r;
    }
    k->undo_n = k->undo_settled = (size_t)(to - k->undo);
    return 1;
}

_Static_assert(UNDO_KNOWN == 1 << (64 - 54), "the hash of a word has as many bits as there are");

/* ---- scopes ---- */

int32_t undo_begin(struct columns *k) {
    if (k->undo_depth == 0) k->undo_n = 0;
    int32_t rc = undo_grow(k, 0);
    if (rc != LSCHED_OK) return rc;
    if (k->undo_depth == 0 && k->shadow) undo_check_begin(k);
    if (k->undo_depth == 0) settle_begin(k);
    k->undo_depth++;
    (void)undo_mark(k);
    return LSCHED_OK;
}

/* Fills the rows that a rollback removes with zeros, because an appended row must be zero. */
static void rows_back(struct columns *k, uint32_t table, uint64_t old) {
    uint64_t now = meta(k, META_TABLE(table, TW_ROWS));
    for (uint64_t t = old; table == T_TASK && t < now; t++) touch_task(k, (uint32_t)t);
    for (uint32_t c = table_first[table]; now > old && c < table_first[table + 1]; c++)
        if (k->c[c].u8)
            memset(k->c[c].u8 + old * column_defs[c].stride, 0,
                   (now - old) * column_defs[c].stride);
}

/* Is called before a record restores a word of META. If the word is the number of rows of a table
 * whose new rows are not logged, the function removes these rows. */
static void before_meta(struct columns *k, const struct undo_record *r) {
    static const uint16_t tables[] = {T_TASK, T_LEAF, T_DECISION};
    for (int i = 0; i < 3; i++)
        if (r->row == META_TABLE(tables[i], TW_ROWS)) rows_back(k, tables[i], r->old);
}

/* Restores a word of the change feed or of the counters, which are not in columns. */
static void before_told(struct columns *k, const struct undo_record *r) {
    if (r->column == UNDO_CHANGES)
        k->changes_pending = r->old;
    else
        k->tally_words[r->row] = r->old;
}

/* Tells the logs of changed rows that the word goes back to its old value. */
static void before_logs(struct columns *k, const struct undo_record *r) {
    uint32_t table = column_defs[r->column].table;
    if (table == T_NODE) touch_node(k, r->row);
    if (table == T_TASK) touch_task(k, r->row);
    if (table == T_QUEUE) touch_queue(k, r->column, r->row);
    if (table == T_BUNDLE) touch_bundle(k, r->row);
    if (column_is_of_job_line(r->column)) touch_job(k, r->row);
    if (r->column == C_WATCH_LIMIT_NOW) touch_job(k, k->c[C_WATCH_JOB].u32[r->row]);
    if (r->column == C_ARRAY_NEXT) touch_job(k, k->c[C_ARRAY_JOB].u32[r->row]);
    if (table == T_COST) touch_job(k, k->c[C_COST_JOB].u32[r->row]);
    /* the place of a parked bundle can depend on the order key of its first job */
    if (r->column == C_JOB_ORDER && k->c[C_JOB_BUNDLE].u32[r->row] != NO_ROW)
        touch_bundle(k, k->c[C_JOB_BUNDLE].u32[r->row]);
}

void undo_rollback(struct columns *k, size_t mark) {
    if (mark < k->undo_settled) unsettle(k, mark);
    while (k->undo_n > mark) {
        struct undo_record r = k->undo[--k->undo_n];
        if (r.column >= UNDO_CHANGES) {
            before_told(k, &r);
            continue;
        }
        if (r.column == C_META_WORD) before_meta(k, &r);
        if (r.column == C_META_WORD && r.row == M_STRUCTURE) k->structure++;
        if (r.column == C_META_WORD && r.row == M_NODE_SET) k->node_set++;
        if (r.column == C_META_WORD && r.row == META_TABLE(T_DOMAIN, TW_LIVE)) k->domain_set++;
        before_logs(k, &r);
        switch (column_defs[r.column].stride) {
        case 1: k->c[r.column].u8[r.row] = (uint8_t)r.old; break;
        case 2: k->c[r.column].u16[r.row] = (uint16_t)r.old; break;
        case 4: k->c[r.column].u32[r.row] = (uint32_t)r.old; break;
        default: k->c[r.column].u64[r.row] = r.old; break;
        }
    }
}

void undo_close(struct columns *k) {
    alloc_free(k->alloc, k->undo, k->undo_cap * sizeof *k->undo);
    alloc_free(k->alloc, k->undo_known, UNDO_KNOWN_BYTES);
    alloc_free(k->alloc, k->undo_jobs, k->undo_jobs_n);
}

void undo_end(struct columns *k) {
    assert(k->undo_depth > 0);
    if (--k->undo_depth > 0) return;
    k->changes_kept += k->changes_pending;
    k->changes_pending = 0;
    if (k->shadow) undo_check_end(k);
    memset(k->fresh, 0xff, sizeof k->fresh);
    k->undo_n = 0;
    if (k->undo_cap <= UNDO_KEEP_RECORDS) return;
    alloc_free(k->alloc, k->undo, k->undo_cap * sizeof *k->undo);
    k->undo = NULL;
    k->undo_cap = 0;
}
