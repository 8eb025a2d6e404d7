/* Interned contents: one row per content, gone with its last holder, with a serial that never
 * comes back; kinds; the reader of canonical bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/state.h"
#include "model/image/image.h"
#include "model/shapes/resource_kind.h"

struct fixture {
    struct alloc alloc;
    struct columns k;
};

static void open_columns(struct fixture *f) {
    assert_int_equal(alloc_init(&f->alloc, NULL, 0), LSCHED_OK);
    assert_int_equal(state_open(&f->k, &f->alloc), LSCHED_OK);
}

static void close_columns(struct fixture *f) {
    state_close(&f->k);
    assert_int_equal(f->alloc.bytes, 0);
}

static void equal_contents_share_a_row_until_the_last_holder(void **unused) {
    (void)unused;
    struct fixture f;
    int created;
    open_columns(&f);
    uint32_t a = intern_get(&f.k, T_LABELS, "abc", 3, &created);
    assert_true(created);
    uint32_t b = intern_get(&f.k, T_LABELS, "abd", 3, &created);
    assert_true(created && b != a);
    assert_int_equal(intern_get(&f.k, T_LABELS, "abc", 3, &created), a);
    assert_false(created);
    assert_int_equal(string_get(&f.k, "abc", 3) == NO_ROW, 0); /* another table, another row */
    intern_hold(&f.k, T_LABELS, a);
    assert_int_equal(intern_drop(&f.k, T_LABELS, a), 0);
    assert_int_equal(intern_drop(&f.k, T_LABELS, a), 0);
    assert_true(intern_is_last(&f.k, T_LABELS, a));
    assert_int_equal(intern_find(&f.k, T_LABELS, "abc", 3), a);
    assert_int_equal(intern_drop(&f.k, T_LABELS, a), 1);
    assert_int_equal(intern_find(&f.k, T_LABELS, "abc", 3), NO_ROW);
    assert_int_equal(intern_find(&f.k, T_LABELS, "abd", 3), b);
    close_columns(&f);
}

static void a_serial_never_comes_back(void **unused) {
    (void)unused;
    struct fixture f;
    int created;
    open_columns(&f);
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t row = intern_get(&f.k, T_SHAPE, "x", 1, &created);
        assert_int_equal(row, 0); /* the same slot each time */
        assert_true(intern_serial(&f.k, T_SHAPE, row) > last);
        last = intern_serial(&f.k, T_SHAPE, row);
        intern_drop(&f.k, T_SHAPE, row);
    }
    assert_true(intern_serial(&f.k, T_CLASS, intern_get(&f.k, T_CLASS, "x", 1, &created)) > last);
    close_columns(&f);
}

static void undo_brings_holders_and_contents_back(void **unused) {
    (void)unused;
    struct fixture f;
    int created;
    open_columns(&f);
    uint32_t a = string_get(&f.k, "held", 4);
    uint64_t before = image_hash(&f.k);
    assert_int_equal(undo_begin(&f.k), LSCHED_OK);
    intern_hold(&f.k, T_STRING, a);
    string_get(&f.k, "new", 3);
    intern_drop(&f.k, T_STRING, a);
    assert_int_equal(intern_drop(&f.k, T_STRING, a), 1);
    intern_get(&f.k, T_STRING, "other", 5, &created);
    undo_rollback(&f.k, 0);
    undo_end(&f.k);
    assert_int_equal(image_hash(&f.k), before);
    assert_int_equal(intern_find(&f.k, T_STRING, "held", 4), a);
    assert_int_equal(intern_find(&f.k, T_STRING, "new", 3), NO_ROW);
    close_columns(&f);
}

static void kinds_have_numbers_and_c_strings(void **unused) {
    (void)unused;
    struct fixture f;
    open_columns(&f);
    static const char *const names[] = {"any", "cpu", "licences", "a-name-of-16-byt", "x"};
    for (int i = 0; i < 5; i++) assert_int_equal(kind_add(&f.k, names[i], strlen(names[i])), i);
    assert_int_equal(kind_add(&f.k, "cpu", 3), 1);
    assert_int_equal(kind_count(&f.k), 5);
    for (uint32_t i = 0; i < 5;
         i++) { /* also those of 8 and 16 bytes, with another text behind them */
        assert_string_equal(text_bytes(&f.k, f.k.c[C_KIND_NAME].u32[i]), names[i]);
        assert_int_equal(name_find(&f.k, T_IX_KIND, names[i], strlen(names[i])), i);
    }
    for (int i = 5; i < KINDS_MAX; i++) {
        char name[3] = {'k', (char)('a' + i), 0};
        assert_int_equal(kind_add(&f.k, name, 2), i);
    }
    assert_int_equal(kind_add(&f.k, "one-more", 8), LSCHED_E_LIMIT);
    close_columns(&f);
}

static void bytes_are_read_as_written_and_no_further(void **unused) {
    (void)unused;
    struct fixture f;
    struct bytes b;
    open_columns(&f);
    bytes_init(&b, &f.alloc);
    bytes_u32(&b, 0x01020304);
    bytes_i64(&b, -5);
    bytes_text(&b, (lsched_text){"text", 4});
    assert_int_equal(b.n, 4 + 8 + 4 + 4);
    assert_int_equal(b.p[0], 4); /* little-endian */
    for (size_t n = 0; n <= b.n; n++) {
        uint8_t *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy + 1, b.p, n);
        struct reader r = {copy + 1, copy + 1 + n, 0};
        uint32_t u = reader_u32(&r);
        int64_t i = reader_i64(&r);
        lsched_text t = reader_text(&r);
        assert_int_equal(r.bad, n < b.n);
        if (n == b.n)
            assert_true(u == 0x01020304 && i == -5 && t.len == 4 && memcmp(t.ptr, "text", 4) == 0 &&
                        r.p == r.end);
        free(copy);
    }
    static const char zeros[1024];
    for (uint32_t i = 0; i < LIMIT_SHAPE_BYTES / sizeof zeros + 1; i++)
        bytes_put(&b, zeros, sizeof zeros);
    assert_true(b.failed && b.too_long);
    bytes_close(&b);
    close_columns(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_contents_share_a_row_until_the_last_holder),
        cmocka_unit_test(a_serial_never_comes_back),
        cmocka_unit_test(undo_brings_holders_and_contents_back),
        cmocka_unit_test(kinds_have_numbers_and_c_strings),
        cmocka_unit_test(bytes_are_read_as_written_and_no_further),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
