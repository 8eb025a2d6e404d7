/* The log against copies: whatever was done since a mark, a rollback brings back every word -
 * rows that came and went, texts, indexes that grew, rows that were too fresh to be logged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/state.h"
#include "model/check/check.h"
#include "model/check/check_tables.h"
#include "model/image/image.h"
#include "model/store/intern.h"
#include "model/store/undo_check.h"
#include "property/chance.h"
#include "support/fault_alloc.h"

enum { MARKS = 4 };

static const uint32_t tables[] = {T_TASK, T_LEAF, T_DECISION, T_USAGE, T_COST, T_QUEUE, T_JOB};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

struct fixture {
    struct fault_alloc fault;
    struct alloc alloc;
    struct columns k, shadow[MARKS]; /* copies at the marks */
    size_t mark[MARKS];
    uint32_t depth;
    struct chance c;
};

static uint32_t live_row(struct fixture *f, uint32_t t) {
    uint32_t rows = table_rows(&f->k, t);
    for (uint32_t i = 0; rows && i < 20; i++) {
        uint32_t row = chance_below(&f->c, rows);
        if (row_is_live(&f->k, t, row)) return row;
    }
    return NO_ROW;
}

/* Any column but the links and generations, which are the rows' own. */
static void write_word(struct fixture *f, uint32_t t, uint32_t row) {
    uint32_t first = table_first[t] + 2u, n = table_first[t + 1] - first,
             c = first + chance_below(&f->c, n);
    uint64_t v = chance_word(&f->c);
    if (!column_present(&f->k, c)) return;
    switch (column_defs[c].stride) {
    case 1: set_u8(&f->k, c, row, (uint8_t)v); break;
    case 2: set_u16(&f->k, c, row, (uint16_t)v); break;
    case 4: set_u32(&f->k, c, row, (uint32_t)v); break;
    default: set_u64(&f->k, c, row, v); break;
    }
}

static void step_rows(struct fixture *f) {
    uint32_t t = tables[chance_below(&f->c, N_TABLES)], row = live_row(f, t);
    if (row == NO_ROW || chance_one_in(&f->c, 4)) {
        row = row_new(&f->k, t);
        assert_int_not_equal(row, NO_ROW);
    }
    if (chance_one_in(&f->c, 6)) {
        row_free(&f->k, t, row);
        return;
    }
    for (uint32_t i = chance_below(&f->c, 6); i > 0; i--) write_word(f, t, row);
}

/* Interned strings of all lengths: texts, free pieces, index growth and removal. */
static void step_strings(struct fixture *f) {
    char text[64];
    int created,
        n = snprintf(text, sizeof text, "%u-%.*s", chance_below(&f->c, 3000),
                     (int)chance_below(&f->c, 40), "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq");
    uint32_t row = live_row(f, T_STRING);
    if (row != NO_ROW && chance_one_in(&f->c, 3))
        intern_drop(&f->k, T_STRING, row);
    else
        assert_int_not_equal(intern_get(&f->k, T_STRING, text, (size_t)n, &created), NO_ROW);
}

static void step(struct fixture *f) {
    assert_int_equal(undo_room(&f->k), LSCHED_OK);
    if (chance_one_in(&f->c, 3))
        step_strings(f);
    else if (chance_one_in(&f->c, 50))
        set_meta(&f->k, M_CYCLE, chance_word(&f->c));
    else
        step_rows(f);
}

static void expect_shadow(struct fixture *f, uint32_t at) {
    assert_int_equal(image_hash(&f->k), image_hash(&f->shadow[at]));
    struct check c = {&f->k, NULL, LSCHED_E_VERIFY};
    assert_int_equal(check_tables(&c), LSCHED_OK); /* above all: what is unused is zero */
}

static void push_mark(struct fixture *f) {
    f->mark[f->depth] = undo_mark(&f->k);
    assert_int_equal(columns_copy(&f->shadow[f->depth], &f->k), LSCHED_OK);
    f->depth++;
}

static void roll_back(struct fixture *f) {
    f->depth = chance_below(&f->c, f->depth);
    undo_rollback(&f->k, f->mark[f->depth]);
    expect_shadow(f, f->depth);
    f->depth++; /* the mark stands, to come back to it again */
}

static void one_scope(struct fixture *f) {
    assert_int_equal(undo_begin(&f->k), LSCHED_OK);
    f->depth = 0;
    push_mark(f);
    for (uint32_t n = 1 + chance_below(&f->c, 12); n > 0; n--) {
        for (uint32_t i = chance_below(&f->c, 120); i > 0; i--) step(f);
        if (chance_one_in(&f->c, 3))
            roll_back(f);
        else if (f->depth < MARKS)
            push_mark(f);
    }
    if (chance_one_in(&f->c, 3)) {
        undo_rollback(&f->k, 0);
        expect_shadow(f, 0);
    }
    uint64_t hash = image_hash(&f->k);
    undo_end(&f->k);
    assert_int_equal(image_hash(&f->k), hash);
    uint32_t column, row;
    assert_int_equal(undo_check_found(&f->k, &column, &row), 0);
}

static void a_rollback_brings_back_every_word(void **unused) {
    (void)unused;
    static struct fixture f;
    uint64_t seed = chance_seed(31337);
    print_message("seed %llu\n", (unsigned long long)seed);
    memset(&f, 0, sizeof f);
    f.c.state = seed;
    lsched_allocator hooks = fault_hooks(&f.fault);
    assert_int_equal(alloc_init(&f.alloc, &hooks, 0), LSCHED_OK);
    assert_int_equal(state_open(&f.k, &f.alloc), LSCHED_OK);
    for (int i = 0; i < MARKS; i++) assert_int_equal(state_open(&f.shadow[i], &f.alloc), LSCHED_OK);
    assert_int_equal(undo_check_on(&f.k), LSCHED_OK);
    for (uint32_t round = chance_rounds(120); round > 0; round--) one_scope(&f);
    for (int i = 0; i < MARKS; i++) state_close(&f.shadow[i]);
    state_close(&f.k);
    assert_int_equal(f.fault.live_blocks, 0);
    assert_int_equal(f.fault.wrong_sizes, 0);
}

/* An index that grows several times in one scope: its buckets are as they were. */
static void buckets_that_grew_come_back(void **unused) {
    (void)unused;
    struct fault_alloc fault = {0};
    lsched_allocator hooks = fault_hooks(&fault);
    struct alloc a;
    struct columns k;
    char name[16];
    int created;
    alloc_init(&a, &hooks, 0);
    assert_int_equal(state_open(&k, &a), LSCHED_OK);
    for (int i = 0; i < 10; i++)
        intern_get(&k, T_STRING, name, (size_t)snprintf(name, sizeof name, "s%d", i), &created);
    uint64_t before = image_hash(&k), buckets = table_rows(&k, T_IX_STRING);
    for (int keep = 0; keep < 2; keep++) {
        assert_int_equal(undo_begin(&k), LSCHED_OK);
        for (int i = 0; i < 5000; i++) {
            assert_int_equal(undo_room(&k), LSCHED_OK);
            int n = snprintf(name, sizeof name, "t%d", i);
            assert_int_not_equal(intern_get(&k, T_STRING, name, (size_t)n, &created), NO_ROW);
        }
        assert_true(table_rows(&k, T_IX_STRING) > 16 * buckets);
        if (!keep) undo_rollback(&k, 0);
        undo_end(&k);
        if (!keep) assert_int_equal(image_hash(&k), before);
        if (!keep) assert_int_equal(table_rows(&k, T_IX_STRING), buckets);
        assert_int_equal(intern_find(&k, T_STRING, "s7", 2) != NO_ROW, 1);
        assert_int_equal(intern_find(&k, T_STRING, "t4999", 5) != NO_ROW, keep);
    }
    state_close(&k);
    assert_int_equal(fault.live_blocks, 0);
    assert_int_equal(fault.wrong_sizes, 0);
}

static void an_unchanged_word_is_not_logged(void **unused) {
    (void)unused;
    struct alloc a;
    struct columns k;
    alloc_init(&a, NULL, 0);
    assert_int_equal(state_open(&k, &a), LSCHED_OK);
    uint32_t row = row_new(&k, T_QUEUE);
    set_i32(&k, C_QUEUE_PRIORITY, row, -5);
    assert_int_equal(undo_begin(&k), LSCHED_OK);
    size_t mark = undo_mark(&k);
    set_i32(&k, C_QUEUE_PRIORITY, row, -5);
    assert_int_equal(undo_mark(&k), mark);
    set_i32(&k, C_QUEUE_PRIORITY, row, 6);
    assert_int_equal(undo_mark(&k), mark + 1);
    undo_rollback(&k, mark);
    assert_int_equal(k.c[C_QUEUE_PRIORITY].i32[row], -5); /* the sign as well */
    undo_end(&k);
    state_close(&k);
}

/* A write without a record is found in whichever column it is, whether the scope is kept or rolled
 * back, and however many words of the same row have records. */
static void a_write_past_the_log_is_found(void **unused) {
    (void)unused;
    struct alloc a;
    uint32_t n_found = 0;
    alloc_init(&a, NULL, 0);
    for (uint32_t c = table_first[T_NODE]; c < table_first[T_JOB + 1]; c++) {
        uint32_t t = column_defs[c].table;
        if (t != T_QUEUE && t != T_NODE && t != T_JOB) continue;
        for (int keep = 0; keep < 2; keep++) {
            struct columns k;
            assert_int_equal(state_open(&k, &a), LSCHED_OK);
            row_new(&k, t);
            uint32_t row = row_new(&k, t), column = COLUMNS, found = NO_ROW;
            if (!column_present(&k, c)) {
                state_close(&k);
                continue;
            }
            assert_int_equal(undo_check_on(&k), LSCHED_OK);
            assert_int_equal(undo_begin(&k), LSCHED_OK);
            row_new(&k, T_DECISION); /* appended: its words need no copy */
            k.c[c].u8[(size_t)row * column_defs[c].stride] ^= 1;
            if (!keep) undo_rollback(&k, 0);
            undo_end(&k);
            assert_int_equal(undo_check_found(&k, &column, &found), 1);
            n_found++;
            assert_int_equal(column, c);
            assert_int_equal(found, row);
            lsched_error err = LSCHED_ERROR_INIT;
            struct check check = {&k, &err, LSCHED_E_VERIFY};
            assert_int_equal(columns_check(&check), LSCHED_E_VERIFY);
            assert_non_null(strstr(err.message, column_def_name(&column_defs[c])));
            state_close(&k);
        }
    }
    assert_true(n_found > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rollback_brings_back_every_word),
        cmocka_unit_test(buckets_that_grew_come_back),
        cmocka_unit_test(an_unchanged_word_is_not_logged),
        cmocka_unit_test(a_write_past_the_log_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
