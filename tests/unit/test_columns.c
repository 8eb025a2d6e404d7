/* The registry: rows are handed out and reused in order, grow without losing a word, retire when
 * their generation is used up; families of resource kinds come late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/state.h"
#include "model/store/columns.h"
#include "model/store/generation.h"
#include "model/image/image.h"
#include "model/image/image_form.h"
#include "support/fault_alloc.h"

struct fixture {
    struct fault_alloc fault;
    struct alloc alloc;
    struct columns k;
};

static void open_columns(struct fixture *f) {
    memset(f, 0, sizeof *f);
    lsched_allocator hooks = fault_hooks(&f->fault);
    assert_int_equal(alloc_init(&f->alloc, &hooks, 0), LSCHED_OK);
    assert_int_equal(state_open(&f->k, &f->alloc), LSCHED_OK);
}

static void close_columns(struct fixture *f) {
    state_close(&f->k);
    assert_int_equal(f->alloc.bytes, 0);
    assert_int_equal(f->fault.live_blocks, 0);
    assert_int_equal(f->fault.wrong_sizes, 0);
}

static void names_and_places_of_columns_agree(void **unused) {
    (void)unused;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        const struct column_def *d = &column_defs[c];
        const char *table = table_names[d->table];
        assert_true(c >= table_first[d->table] && c < table_first[d->table + 1]);
        assert_true(strncmp(column_def_name(d), table, strlen(table)) == 0 &&
                    column_def_name(d)[strlen(table)] == '.');
        assert_true(strlen(column_def_name(d)) <= IMAGE_NAME_BYTES);
        if (!table_is_raw[d->table] && c == table_first[d->table])
            assert_string_equal(strchr(column_def_name(d), '.'), ".LINK");
        for (uint32_t other = 0; other < c; other++)
            assert_false(strcmp(column_def_name(&column_defs[other]), column_def_name(d)) == 0 &&
                         column_defs[other].kind == d->kind);
    }
}

static void free_rows_are_reused_first_in_first_out(void **unused) {
    (void)unused;
    struct fixture f;
    open_columns(&f);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(row_new(&f.k, T_QUEUE), i);
    set_u64(&f.k, C_QUEUE_TAG, 3, 99);
    row_free(&f.k, T_QUEUE, 3);
    row_free(&f.k, T_QUEUE, 1);
    row_free(&f.k, T_QUEUE, 4);
    assert_false(row_is_live(&f.k, T_QUEUE, 3));
    assert_int_equal(table_live(&f.k, T_QUEUE), 2);
    assert_int_equal(row_new(&f.k, T_QUEUE), 3);
    assert_int_equal(f.k.c[C_QUEUE_TAG].u64[3], 0);
    assert_int_equal(f.k.c[C_QUEUE_GEN].u32[3], 2);
    assert_int_equal(row_new(&f.k, T_QUEUE), 1);
    assert_int_equal(row_new(&f.k, T_QUEUE), 4);
    assert_int_equal(row_new(&f.k, T_QUEUE), 5);
    assert_int_equal(table_rows(&f.k, T_QUEUE), 6);
    close_columns(&f);
}

static void a_used_up_generation_retires_the_row(void **unused) {
    (void)unused;
    struct fixture f;
    open_columns(&f);
    assert_int_equal(row_new(&f.k, T_JOB), 0);
    set_u32(&f.k, C_JOB_GEN, 0, generation_last(&f.k) - 1);
    row_free(&f.k, T_JOB, 0);
    assert_int_equal(row_new(&f.k, T_JOB), 0);
    assert_int_equal(f.k.c[C_JOB_GEN].u32[0], generation_last(&f.k));
    row_free(&f.k, T_JOB, 0);
    assert_int_equal(row_new(&f.k, T_JOB), 1);
    assert_int_equal(table_live(&f.k, T_JOB), 1);
    close_columns(&f);
}

static void growth_keeps_every_word_and_its_slack_is_small(void **unused) {
    (void)unused;
    struct fixture f;
    open_columns(&f);
    for (uint32_t i = 0; i < 30000; i++) {
        assert_int_equal(row_new(&f.k, T_USAGE), i);
        set_i64(&f.k, C_USAGE_AMOUNT, i, (int64_t)i * 3);
        set_u32(&f.k, C_USAGE_TASK, i, i ^ 5);
    }
    for (uint32_t i = 0; i < 30000; i++) {
        assert_int_equal(f.k.c[C_USAGE_AMOUNT].i64[i], (int64_t)i * 3);
        assert_int_equal(f.k.c[C_USAGE_TASK].u32[i], i ^ 5);
    }
    assert_true(f.k.capacity[T_USAGE] <= 30000 + 30000 / 4);
    for (uint32_t i = 30000; i < f.k.capacity[T_USAGE]; i++)
        assert_int_equal(f.k.c[C_USAGE_AMOUNT].i64[i], 0);
    assert_int_equal(table_reserve(&f.k, T_USAGE, (uint64_t)UINT32_MAX + 5), LSCHED_E_LIMIT);
    close_columns(&f);
}

static void growth_without_memory_changes_nothing(void **unused) {
    (void)unused;
    struct fixture f;
    open_columns(&f);
    for (uint32_t i = 0; i < 8; i++) set_u64(&f.k, C_JOB_TAG, row_new(&f.k, T_JOB), i + 1);
    uint64_t before = image_hash(&f.k);
    for (f.fault.fail_at = 1;; f.fault.fail_at++) {
        f.fault.calls = 0;
        uint32_t row = row_new(&f.k, T_JOB);
        if (row != NO_ROW) {
            assert_int_equal(row, 8);
            break;
        }
        assert_int_equal(image_hash(&f.k), before);
        for (uint32_t i = 0; i < 8; i++) assert_int_equal(f.k.c[C_JOB_TAG].u64[i], i + 1);
    }
    assert_true(f.fault.fail_at > 4); /* what grew before a failure is kept, so few turns suffice */
    close_columns(&f);
}

static void a_late_kind_gets_columns_of_zero_everywhere(void **unused) {
    (void)unused;
    struct fixture f;
    open_columns(&f);
    for (uint32_t r = 0; r < 2; r++) assert_int_equal(columns_add_kind(&f.k, r), LSCHED_OK);
    for (uint32_t i = 0; i < 100; i++) {
        row_new(&f.k, T_NODE);
        row_new(&f.k, T_QUEUE);
    }
    assert_false(column_present(&f.k, C_NODE_CAP + 2));
    uint64_t before = image_hash(&f.k);
    for (f.fault.fail_at = 1;; f.fault.fail_at++) {
        f.fault.calls = 0;
        int32_t rc = columns_add_kind(&f.k, 2);
        if (rc == LSCHED_OK) break;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_false(column_present(&f.k, C_NODE_CAP + 2));
    }
    f.fault.fail_at = 0;
    assert_true(column_present(&f.k, C_NODE_CAP + 2) && column_present(&f.k, C_QUEUE_LEND + 2));
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(f.k.c[C_NODE_FREE + 2].i64[i], 0);
        assert_int_equal(f.k.c[C_QUEUE_LIMIT + 2].i64[i], 0);
    }
    assert_int_equal(image_hash(&f.k), before); /* a family that no kind uses is no state */
    for (uint32_t i = 0; i < 10000; i++) assert_int_not_equal(row_new(&f.k, T_NODE), NO_ROW);
    assert_int_equal(f.k.c[C_NODE_FREE + 2].i64[10000], 0);
    close_columns(&f);
}

/* ---- memory that is not zero ---- */

static void *dirty_alloc(void *user, size_t bytes) {
    (void)user;
    void *p = malloc(bytes);
    if (p) memset(p, 0xA5, bytes);
    return p;
}

static void *dirty_realloc(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    void *p = dirty_alloc(user, new_bytes);
    if (!p) return NULL;
    memcpy(p, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(old);
    return p;
}

static void dirty_free(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

/* One append makes only a bounded number of rows ready, and a row is zero when it is made, whatever
 * the new memory had. */
static void an_append_clears_few_rows_and_its_own(void **unused) {
    (void)unused;
    lsched_allocator hooks = {sizeof hooks, 0, NULL, dirty_alloc, dirty_realloc, dirty_free};
    struct alloc alloc;
    struct columns k;
    assert_int_equal(alloc_init(&alloc, &hooks, 0), LSCHED_OK);
    assert_int_equal(state_open(&k, &alloc), LSCHED_OK);
    assert_int_equal(columns_add_kind(&k, 0), LSCHED_OK);
    for (uint32_t i = 0; i < 40000; i++) {
        uint32_t before = k.capacity[T_NODE];
        assert_int_equal(row_new(&k, T_NODE), i);
        assert_true(k.capacity[T_NODE] - before <= 2048);
        for (uint32_t c = table_first[T_NODE]; c < table_first[T_NODE + 1]; c++) {
            uint64_t v = 0;
            if (!column_present(&k, c) || c == C_NODE_LINK || c == C_NODE_GEN) continue;
            memcpy(&v, k.c[c].u8 + (size_t)i * column_defs[c].stride, column_defs[c].stride);
            assert_int_equal(v, 0);
        }
    }
    assert_true(k.allocated[C_NODE_LINK] > k.capacity[T_NODE]);
    state_close(&k);
    assert_int_equal(alloc.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_places_of_columns_agree),
        cmocka_unit_test(free_rows_are_reused_first_in_first_out),
        cmocka_unit_test(a_used_up_generation_retires_the_row),
        cmocka_unit_test(growth_keeps_every_word_and_its_slack_is_small),
        cmocka_unit_test(growth_without_memory_changes_nothing),
        cmocka_unit_test(a_late_kind_gets_columns_of_zero_everywhere),
        cmocka_unit_test(an_append_clears_few_rows_and_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
