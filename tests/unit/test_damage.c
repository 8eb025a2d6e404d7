/*
 * test_damage.c -- damaged states by rule and by chance: words, pairs of words and bytes of
 * interned contents of sound worlds take values that they must not have, and the verifier says
 * something or finds the state sound, but never fails itself.
 *
 * Which checks speak is counted by tests/checks/check_damage.py. What such damage does not reach,
 * because sums around it would have to follow, is done by hand in test_verify*.c. Of a damaged
 * content the hash and the index are made right again, else nothing would look behind them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "model/store/index.h"
#include "property/chance.h"
#include "support/model_world.h"

static struct model_world made;
static lsched_cluster *loaded;
static struct columns *k; /* of one of these */

static int open_made(void **unused) {
    (void)unused;
    k = &made.k;
    return world_open(&made, NULL) != LSCHED_OK || world_fill(&made, 0) != LSCHED_OK;
}

static int close_made(void **unused) {
    (void)unused;
    world_close(&made);
    return 0;
}

static int open_loaded(void **unused) {
    (void)unused;
    static uint8_t bytes[1 << 20];
    FILE *f = fopen("fuzz/corpus/load_image/everything.img", "rb");
    if (!f) return -1;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (lsched_cluster_load(NULL, bytes, n, &loaded, NULL) != LSCHED_OK) return -1;
    k = &loaded->k;
    return 0;
}

static int close_loaded(void **unused) {
    (void)unused;
    lsched_cluster_destroy(loaded);
    return 0;
}

static uint32_t asked, refused;

static void ask(void) {
    int32_t rc = verify_state(k, NULL);
    assert_true(rc == LSCHED_OK || rc == LSCHED_E_VERIFY);
    asked++;
    refused += rc != LSCHED_OK;
}

static void expect_sound(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (verify_state(k, &err) != LSCHED_OK) fail_msg("%s", err.message);
}

static int is_there(uint32_t table, uint32_t row) {
    return table_is_raw[table] || row_is_live(k, table, row);
}

/* ---- words ---- */

static uint64_t word_at(uint32_t c, uint32_t row) {
    uint64_t v = 0;
    memcpy(&v, k->c[c].u8 + (size_t)row * column_defs[c].stride, column_defs[c].stride);
    return v; /* little endian, as all columns are */
}

static void put_word(uint32_t c, uint32_t row, uint64_t v) {
    memcpy(k->c[c].u8 + (size_t)row * column_defs[c].stride, &v, column_defs[c].stride);
}

enum { VALUES = 8 };

static uint64_t value_of(uint64_t old, int way) {
    switch (way) {
    case 0: return 0;
    case 1: return old + 1;
    case 2: return old - 1;
    case 3: return UINT64_MAX;
    case 4: return (uint64_t)INT64_MAX;
    case 5: return ~old;
    case 6: return NO_ROW - UINT64_C(2);
    default: return old * 2 + 1;
    }
}

/* The words of each column: of the first rows that are live in all ways, of some others in one. */
static void every_word_takes_other_values(void **unused) {
    (void)unused;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t t = column_defs[c].table, nth = 0;
        for (uint32_t row = 0; column_present(k, c) && row < table_rows(k, t); row++) {
            if (!is_there(t, row)) continue;
            uint64_t old = word_at(c, row);
            int all = t == T_META ? old != 0 : nth++ < 2;
            for (int way = 0; way < VALUES; way++) {
                if (!all && (t != T_META || way % 2 == 0) &&
                    (row % 8 || way != (int)(row / 8 % VALUES)))
                    continue;
                put_word(c, row, value_of(old, way));
                if (word_at(c, row) != old) ask();
            }
            put_word(c, row, old);
        }
    }
    expect_sound();
    print_message("%u of %u refused\n", refused, asked);
}

static uint32_t some_row(struct chance *r, uint32_t t) {
    for (int i = 0; i < 20 && table_rows(k, t); i++) {
        uint32_t row = chance_below(r, table_rows(k, t));
        if (is_there(t, row)) return row;
    }
    return NO_ROW;
}

static uint32_t some_column(struct chance *r, uint32_t t) {
    uint32_t c = table_first[t] + chance_below(r, (uint32_t)table_first[t + 1] - table_first[t]);
    return column_present(k, c) ? c : COLUMNS;
}

/* What stands in another row of the column, or near it. */
static uint64_t some_value(struct chance *r, uint32_t c, uint64_t old) {
    uint32_t row = some_row(r, column_defs[c].table);
    if (row != NO_ROW && chance_below(r, 2)) return word_at(c, row);
    return value_of(old, (int)chance_below(r, VALUES));
}

/* Rows that swap a word, and two or three words of a row that take others' values. */
static void pairs_of_words_take_other_values(void **unused) {
    (void)unused;
    struct chance r = {chance_seed(1)};
    for (uint32_t n = chance_rounds(3000); n > 0; n--) {
        uint32_t t = chance_below(&r, TABLES), a = some_row(&r, t), b = some_row(&r, t), c[3];
        uint64_t old[3][2], fresh[3];
        uint32_t words = 1 + chance_below(&r, 3), swaps = chance_below(&r, 3) == 0;
        if (a == NO_ROW || b == NO_ROW) continue;
        for (uint32_t i = 0; i < words; i++) c[i] = some_column(&r, t);
        for (uint32_t i = 0; i < words; i++) {
            if (c[i] == COLUMNS) continue;
            old[i][0] = word_at(c[i], a);
            old[i][1] = word_at(c[i], b);
            fresh[i] = swaps ? old[i][1] : some_value(&r, c[i], old[i][0]);
        }
        /* a word can be a number of rows, which the choice of values reads */
        for (uint32_t i = 0; i < words; i++) {
            if (c[i] == COLUMNS) continue;
            put_word(c[i], a, fresh[i]);
            if (swaps) put_word(c[i], b, old[i][0]);
        }
        ask();
        for (uint32_t i = words; i-- > 0;) {
            if (c[i] == COLUMNS) continue;
            put_word(c[i], a, old[i][0]);
            if (swaps) put_word(c[i], b, old[i][1]);
        }
    }
    expect_sound();
    print_message("%u of %u refused\n", refused, asked);
}

/* ---- interned contents ---- */

struct content {
    uint16_t table, text;
    int index; /* -1: it is in none */
};
static const struct content contents[] = {
    {T_STRING, C_STRING_BLOB, T_IX_STRING},
    {T_LABELS, C_LABELS_BLOB, T_IX_LABELS},
    {T_CLASS, C_CLASS_BLOB, T_IX_CLASS},
    {T_MACHINE, C_MACHINE_BLOB, T_IX_MACHINE},
    {T_TAINTS, C_TAINTS_BLOB, T_IX_TAINTS},
    {T_DEVCLASS, C_DEVCLASS_BLOB, T_IX_DEVCLASS},
    {T_SELECTOR, C_SELECTOR_BLOB, T_IX_SELECTOR},
    {T_SELECTOR, C_SELECTOR_PARTS, -1},
    {T_SHAPE, C_SHAPE_BLOB, T_IX_SHAPE},
    {T_SHAPE, C_SHAPE_MODELS, -1},
    {T_JOBSHAPE, C_JOBSHAPE_BLOB, T_IX_JOBSHAPE},
    {T_TOPOLOGY, C_TOPOLOGY_LEVELS, -1},
    {T_KIND, C_KIND_NAME, T_IX_KIND},
    {T_NODE, C_NODE_NAME, T_IX_NODE},
    {T_QUEUE, C_QUEUE_NAME, T_IX_QUEUE},
    {T_DERIVED, C_DERIVED_NAME, T_IX_DERIVED},
    {T_DOMAIN, C_DOMAIN_NAME, T_IX_DOMAIN},
};

static void index_anew(const struct content *x) {
    if (x->index < 0) return;
    uint32_t ix = (uint32_t)x->index;
    memset(k->c[table_first[ix]].u8, 0, (size_t)k->capacity[ix] * sizeof(uint32_t));
    set_meta(k, META_TABLE(ix, TW_LIVE), 0);
    for (uint32_t row = 0; row < table_rows(k, x->table); row++)
        if (row_is_live(k, x->table, row)) index_add(k, ix, row);
}

/* Ask about a text whose bytes were changed, with a hash and an index that fit. */
static void ask_content(const struct content *x, uint32_t text) {
    uint32_t len = text_len(k, text);
    k->c[C_TEXT_WORD].u64[text] = (uint64_t)text_hash_of(text_bytes(k, text), len) << 32 | len;
    index_anew(x);
    ask();
}

static const uint32_t wrong[] = {0, 1, 2, 5, 70, 4096, 0x7FFFFFFF, 0xFFFFFFFF};

static void damage_content(const struct content *x, uint32_t text, struct chance *r) {
    static uint64_t old[4096];
    uint32_t len = text_len(k, text), words = (len + 7) / 8 + 1;
    uint8_t *p = (uint8_t *)&k->c[C_TEXT_WORD].u64[text + 1];
    if (words > 4096 || len == 0) return;
    memcpy(old, &k->c[C_TEXT_WORD].u64[text], words * 8);
    uint32_t step = len > 400 ? 16 : 1;
    for (uint32_t i = 0; i < len; i += step) { /* one byte */
        uint8_t was = p[i];
        p[i] = (uint8_t)(chance_below(r, 3) ? was ^ 1u << chance_below(r, 8) : was + 1u);
        ask_content(x, text);
        p[i] = was;
    }
    for (uint32_t i = 0; i + 4 <= len; i += 1 + chance_below(r, len > 400 ? 8 : 3)) { /* a number */
        uint32_t was, v = wrong[chance_below(r, sizeof wrong / sizeof *wrong)];
        memcpy(&was, p + i, 4);
        memcpy(p + i, &v, 4);
        ask_content(x, text);
        memcpy(p + i, &was, 4);
    }
    uint32_t spare = (len - 1) % 8; /* a shorter text in as many words */
    for (uint32_t cut = 1; cut <= spare; cut++) {
        memset(p + len - cut, 0, cut);
        k->c[C_TEXT_WORD].u64[text] = len - cut;
        ask_content(x, text);
        memcpy(&k->c[C_TEXT_WORD].u64[text], old, words * 8);
    }
    for (uint32_t more = 1; more <= (8 - len % 8) % 8; more++) { /* and a longer one */
        k->c[C_TEXT_WORD].u64[text] = len + more;
        ask_content(x, text);
        memcpy(&k->c[C_TEXT_WORD].u64[text], old, words * 8);
    }
    memcpy(&k->c[C_TEXT_WORD].u64[text], old, words * 8);
    index_anew(x);
}

static void contents_take_other_bytes(void **unused) {
    (void)unused;
    struct chance r = {chance_seed(1)};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        for (uint32_t row = 0; row < table_rows(k, contents[i].table); row++) {
            if (!row_is_live(k, contents[i].table, row)) continue;
            uint32_t text = k->c[contents[i].text].u32[row];
            if (k == &made.k && row > 5 && row % 4) continue; /* they are much alike */
            if (text && text != NO_ROW) damage_content(&contents[i], text, &r);
        }
    expect_sound();
    print_message("%u of %u refused\n", refused, asked);
}

int main(void) {
#define MADE(f)   cmocka_unit_test_setup_teardown(f, open_made, close_made)
#define LOADED(f) cmocka_unit_test_setup_teardown(f, open_loaded, close_loaded)
    const struct CMUnitTest tests[] = {
        MADE(every_word_takes_other_values),    LOADED(every_word_takes_other_values),
        MADE(pairs_of_words_take_other_values), LOADED(pairs_of_words_take_other_values),
        MADE(contents_take_other_bytes),        LOADED(contents_take_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
