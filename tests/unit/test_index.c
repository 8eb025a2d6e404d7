/* Lookups by content against a plain table: what was added is found, what was removed is not,
 * however the probes collide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/image.h"
#include "model/image/state.h"
#include "model/check/check.h"
#include "model/store/index.h"
#include "property/chance.h"
#include "support/fault_alloc.h"

enum { NAMES = 2000 };

struct fixture {
    struct alloc alloc;
    struct columns k;
    uint32_t row[NAMES]; /* of name i, NO_ROW if it is not there */
};

static void open_columns(struct fixture *f, const lsched_allocator *hooks) {
    assert_int_equal(alloc_init(&f->alloc, hooks, 0), LSCHED_OK);
    assert_int_equal(state_open(&f->k, &f->alloc), LSCHED_OK);
    memset(f->row, 0xFF, sizeof f->row);
}

static size_t name_of(uint32_t i, char out[32]) {
    return (size_t)snprintf(out, 32, "%s-%u", i % 3 ? "name" : "another-name-that-is-long", i);
}

static void put(struct fixture *f, uint32_t i) {
    char name[32];
    size_t n = name_of(i, name);
    assert_int_equal(index_reserve(&f->k, T_IX_QUEUE, 1), LSCHED_OK);
    f->row[i] = row_new(&f->k, T_QUEUE);
    uint32_t text = text_new(&f->k, name, n);
    assert_true(f->row[i] != NO_ROW && text != NO_ROW);
    set_u32(&f->k, C_QUEUE_NAME, f->row[i], text);
    index_add(&f->k, T_IX_QUEUE, f->row[i]);
}

static void take(struct fixture *f, uint32_t i) {
    index_remove(&f->k, T_IX_QUEUE, f->row[i]);
    text_free(&f->k, f->k.c[C_QUEUE_NAME].u32[f->row[i]]);
    row_free(&f->k, T_QUEUE, f->row[i]);
    f->row[i] = NO_ROW;
}

static void expect_all(const struct fixture *f) {
    char name[32];
    for (uint32_t i = 0; i < NAMES; i++)
        assert_int_equal(name_find(&f->k, T_IX_QUEUE, name, name_of(i, name)), f->row[i]);
}

static void names_are_found_until_they_go(void **unused) {
    (void)unused;
    static struct fixture f;
    uint64_t seed = chance_seed(5);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    open_columns(&f, NULL);
    expect_all(&f); /* of an index without buckets */
    for (uint32_t round = 0; round < 30; round++) {
        uint32_t likely = round % 2 ? 30 : 90; /* it fills and drains in turn */
        for (uint32_t i = 0; i < NAMES; i++) {
            int there = f.row[i] != NO_ROW, wanted = chance_below(&c, 100) < likely;
            if (wanted && !there) put(&f, i);
            if (!wanted && there) take(&f, i);
        }
        expect_all(&f);
        assert_true((uint64_t)table_live(&f.k, T_IX_QUEUE) * 4 <=
                    (uint64_t)table_rows(&f.k, T_IX_QUEUE) * 3);
    }
    for (uint32_t i = 0; i < NAMES; i++)
        if (f.row[i] != NO_ROW) take(&f, i);
    expect_all(&f);
    for (uint32_t i = 0; i < table_rows(&f.k, T_IX_QUEUE); i++)
        assert_int_equal(f.k.c[C_IX_QUEUE_B].u32[i], 0);
    state_close(&f.k);
}

static void keys_of_words_are_told_apart(void **unused) {
    (void)unused;
    static struct fixture f;
    open_columns(&f, NULL);
    uint32_t first = NO_ROW;
    for (uint32_t i = 0; i < 256;
         i++) { /* two values for each of the four words, and more for the last */
        assert_int_equal(index_reserve(&f.k, T_IX_BUNDLE, 1), LSCHED_OK);
        uint32_t b = row_new(&f.k, T_BUNDLE);
        if (i == 0) first = b;
        set_u32(&f.k, C_BUNDLE_QUEUE, b, i & 1);
        set_u32(&f.k, C_BUNDLE_SHAPE, b, i >> 1 & 1);
        set_u8(&f.k, C_BUNDLE_KIND, b, i >> 2 & 1);
        set_u32(&f.k, C_BUNDLE_JOB, b, i >> 3);
        index_add(&f.k, T_IX_BUNDLE, b);
    }
    for (uint32_t i = 0; i < 256; i++) {
        struct index_key key = index_key_bundle(i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3);
        assert_int_equal(index_find(&f.k, T_IX_BUNDLE, &key), first + i);
    }
    struct index_key none = index_key_bundle(2, 0, 0, 0);
    assert_int_equal(index_find(&f.k, T_IX_BUNDLE, &none), NO_ROW);
    state_close(&f.k);
}

static void domains_of_one_name_are_told_apart_by_place(void **unused) {
    (void)unused;
    static struct fixture f;
    open_columns(&f, NULL);
    for (uint32_t i = 0; i < 27; i++) {
        assert_int_equal(index_reserve(&f.k, T_IX_DOMAIN, 1), LSCHED_OK);
        uint32_t d = row_new(&f.k, T_DOMAIN), text = text_new(&f.k, "r1", 2);
        set_u32(&f.k, C_DOMAIN_NAME, d, text);
        set_u32(&f.k, C_DOMAIN_TOPOLOGY, d, i % 3);
        set_u32(&f.k, C_DOMAIN_LEVEL, d, i / 3 % 3);
        set_u32(&f.k, C_DOMAIN_PARENT, d, i / 9 == 0 ? NO_ROW : i / 9);
        index_add(&f.k, T_IX_DOMAIN, d);
    }
    for (uint32_t i = 0; i < 27; i++) {
        struct index_key key =
            index_key_domain(i % 3, i / 3 % 3, i / 9 == 0 ? NO_ROW : i / 9, "r1", 2);
        assert_int_equal(index_find(&f.k, T_IX_DOMAIN, &key), i);
        key = index_key_domain(i % 3, i / 3 % 3, i / 9 == 0 ? NO_ROW : i / 9, "r2", 2);
        assert_int_equal(index_find(&f.k, T_IX_DOMAIN, &key), NO_ROW);
    }
    state_close(&f.k);
}

static void put_name(struct fixture *f, const char *name, size_t n) {
    assert_int_equal(index_reserve(&f->k, T_IX_QUEUE, 1), LSCHED_OK);
    uint32_t row = row_new(&f->k, T_QUEUE), text = text_new(&f->k, name, n);
    assert_true(row != NO_ROW && text != NO_ROW);
    set_u32(&f->k, C_QUEUE_NAME, row, text);
    index_add(&f->k, T_IX_QUEUE, row);
}

/* Keys whose homes stand together, some at the end of the buckets: their runs are long, meet, and
 * go on at the first bucket. Each key is found after each division of a bucket. */
static void keys_of_few_homes_are_found_while_the_index_grows(void **unused) {
    (void)unused;
    enum { KEYS = 400 };
    static struct fixture f;
    static char names[KEYS][16];
    for (uint32_t round = 0; round < 4; round++) {
        open_columns(&f, NULL);
        for (uint32_t i = 0, tried = 0; i < KEYS; tried++) {
            int n = snprintf(names[i], sizeof names[i], "k%u", tried);
            uint32_t low = text_hash_of(names[i], (size_t)n) & 511;
            if (low > 1 + round && low < 255 - round && i % 4) continue;
            if (low > 258 && low < 509 && i % 3) continue;
            i++;
        }
        for (uint32_t i = 0; i < KEYS; i++) {
            put_name(&f, names[i], strlen(names[i]));
            assert_true(index_has_room(table_live(&f.k, T_IX_QUEUE), table_rows(&f.k, T_IX_QUEUE)));
            for (uint32_t j = 0; j <= i; j++)
                assert_int_equal(name_find(&f.k, T_IX_QUEUE, names[j], strlen(names[j])), j);
        }
        for (uint32_t i = 0; i < KEYS; i++) {
            take(&f, (f.row[0] = i, 0));
            for (uint32_t j = 0; j < KEYS; j++)
                assert_int_equal(name_find(&f.k, T_IX_QUEUE, names[j], strlen(names[j])),
                                 j <= i ? NO_ROW : j);
        }
        state_close(&f.k);
    }
}

/* Returns the most undo records that room for one more key has cost, until there are `keys`. */
static size_t most_records(uint32_t keys) {
    static struct fixture f;
    size_t most = 0;
    open_columns(&f, NULL);
    for (uint32_t i = 0; i < keys; i++) {
        char name[32];
        assert_int_equal(undo_begin(&f.k), LSCHED_OK);
        size_t before = f.k.undo_n;
        assert_int_equal(index_reserve(&f.k, T_IX_QUEUE, 1), LSCHED_OK);
        if (f.k.undo_n - before > most) most = f.k.undo_n - before;
        put_name(&f, name, name_of(i, name));
        undo_end(&f.k);
    }
    state_close(&f.k);
    return most;
}

static void room_for_a_key_costs_the_same_in_a_large_index(void **unused) {
    (void)unused;
    size_t small = most_records(2000), large = most_records(128000);
    print_message("records: %zu, %zu\n", small, large);
    assert_true(large > 0 && large < 4 * small && large < 800);
}

/* An index of an older image has all its keys in as few buckets as hold them. */
static void an_index_that_grows_late_keeps_its_bounds(void **unused) {
    (void)unused;
    static struct fixture f;
    char name[32];
    open_columns(&f, NULL);
    assert_int_not_equal(rows_append(&f.k, T_IX_QUEUE, 1024), NO_ROW);
    for (uint32_t i = 0; i < 768; i++) {
        f.row[i] = row_new(&f.k, T_QUEUE);
        set_u32(&f.k, C_QUEUE_NAME, f.row[i], text_new(&f.k, name, name_of(i, name)));
        index_add(&f.k, T_IX_QUEUE, f.row[i]);
    }
    for (uint32_t i = 768, was = 1024; i < NAMES; i++) {
        put(&f, i);
        assert_true(index_has_room(table_live(&f.k, T_IX_QUEUE), table_rows(&f.k, T_IX_QUEUE)));
        assert_true(table_rows(&f.k, T_IX_QUEUE) - was <= 16);
        was = table_rows(&f.k, T_IX_QUEUE);
    }
    expect_all(&f);
    assert_int_equal(table_rows(&f.k, T_IX_QUEUE), 4096);
    state_close(&f.k);
}

/* Room for many keys at once makes as many buckets as room for one key after another. */
static void an_empty_index_grows_at_once(void **unused) {
    (void)unused;
    static struct fixture one, all;
    for (uint32_t n = 1; n < NAMES; n = n * 2 + n % 7) {
        open_columns(&one, NULL);
        open_columns(&all, NULL);
        assert_int_equal(index_reserve(&all.k, T_IX_QUEUE, n), LSCHED_OK);
        for (uint32_t i = 0; i < n; i++) put(&one, i);
        assert_int_equal(table_rows(&all.k, T_IX_QUEUE), table_rows(&one.k, T_IX_QUEUE));
        for (uint32_t i = 0; i < n; i++) put(&all, i);
        assert_int_equal(table_rows(&all.k, T_IX_QUEUE), table_rows(&one.k, T_IX_QUEUE));
        expect_all(&all);
        /* an index whose keys have all gone keeps its buckets, and grows at once, too */
        for (uint32_t i = 0; i < n; i++) take(&all, i);
        assert_int_equal(index_reserve(&all.k, T_IX_QUEUE, NAMES), LSCHED_OK);
        for (uint32_t i = 0; i < NAMES; i++) put(&all, i);
        expect_all(&all);
        state_close(&one.k);
        state_close(&all.k);
    }
}

static void an_index_that_cannot_grow_is_as_it_was(void **unused) {
    (void)unused;
    static struct fixture f;
    struct fault_alloc fault = {0};
    lsched_allocator hooks = fault_hooks(&fault);
    open_columns(&f, &hooks);
    for (uint32_t i = 0; i < 12; i++) put(&f, i);
    uint64_t before = image_hash(&f.k);
    assert_int_equal(undo_begin(&f.k), LSCHED_OK);
    int failed = 0;
    for (uint64_t n = 1; n < 10; n++) {
        fault.calls = 0;
        fault.fail_at = n;
        int32_t rc = index_reserve(&f.k, T_IX_QUEUE, 1900);
        fault.fail_at = 0;
        expect_all(&f);
        failed += rc == LSCHED_E_NOMEM;
        undo_rollback(&f.k, 0);
        expect_all(&f);
        assert_true(image_hash(&f.k) == before);
    }
    assert_true(failed > 0);
    assert_int_equal(index_reserve(&f.k, T_IX_QUEUE, UINT32_MAX), LSCHED_E_LIMIT);
    assert_int_equal(index_reserve(&f.k, T_IX_QUEUE, 100), LSCHED_OK);
    expect_all(&f);
    undo_end(&f.k);
    state_close(&f.k);
    assert_int_equal(fault.live_blocks, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_until_they_go),
        cmocka_unit_test(keys_of_words_are_told_apart),
        cmocka_unit_test(domains_of_one_name_are_told_apart_by_place),
        cmocka_unit_test(keys_of_few_homes_are_found_while_the_index_grows),
        cmocka_unit_test(room_for_a_key_costs_the_same_in_a_large_index),
        cmocka_unit_test(an_index_that_grows_late_keeps_its_bounds),
        cmocka_unit_test(an_empty_index_grows_at_once),
        cmocka_unit_test(an_index_that_cannot_grow_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
