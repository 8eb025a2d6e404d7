/*
 * Every column is a part of the image: each byte of each column changes the hash, and a clone and a
 * saved image carry it. Tables in which the world has no row get one for the hash, so a column that
 * is added later is asked about too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "model/image/image_save.h"
#include "model/image/image.h"
#include "support/model_world.h"

static int32_t sum_up(void *user, const void *bytes, size_t n) {
    uint64_t *sum = user;
    *sum = hash_mix(*sum, hash_bytes(bytes, n, 0));
    return 0;
}

static uint64_t saved_sum(const struct columns *k) {
    uint64_t sum = 0;
    assert_int_equal(image_save(k, sum_up, &sum), LSCHED_OK);
    return sum;
}

static int is_of_a_kind_that_exists(const struct columns *k, uint32_t column) {
    return column_defs[column].kind < 0 || (uint64_t)column_defs[column].kind < meta(k, M_N_KINDS);
}

/* Words that say how long the columns are, which a hash could not read past. */
static int says_how_long(uint32_t word) {
    return (word < TABLES * TABLE_WORDS && word % TABLE_WORDS == TW_ROWS) || word == M_N_KINDS;
}

static void flip_row(struct columns *k, uint32_t c, uint32_t row) {
    uint32_t stride = column_defs[c].stride;
    uint64_t before = image_hash(k);
    for (uint32_t b = 0; b < stride; b++) {
        uint8_t *byte = &k->c[c].u8[(size_t)row * stride + b];
        for (int bit = 0; bit < 8; bit += 7) {
            *byte ^= (uint8_t)(1u << bit);
            if (image_hash(k) == before)
                fail_msg("%s, byte %u of row %u is not in the hash",
                         column_def_name(&column_defs[c]), b, row);
            *byte ^= (uint8_t)(1u << bit);
        }
    }
    assert_int_equal(image_hash(k), before);
}

static void test_each_byte_changes_the_hash(void **state) {
    (void)state;
    struct model_world w;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&w, 0), LSCHED_OK);
    struct columns *k = &w.k;
    for (uint32_t t = 0; t < TABLES; t++) {
        uint32_t rows = table_rows(k, t);
        if (rows == 0) {
            assert_int_equal(table_reserve(k, t, 1), LSCHED_OK);
            k->c[C_META_WORD].u64[META_TABLE(t, TW_ROWS)] = 1;
        }
        for (uint32_t c = table_first[t]; c < table_first[t + 1]; c++) {
            if (!is_of_a_kind_that_exists(k, c)) continue;
            if (t == T_META) {
                for (uint32_t word = 0; word < META_WORDS; word++)
                    if (!says_how_long(word)) flip_row(k, c, word);
                continue;
            }
            flip_row(k, c, 0);
            if (rows > 1) flip_row(k, c, rows - 1);
        }
        if (rows == 0) k->c[C_META_WORD].u64[META_TABLE(t, TW_ROWS)] = 0;
    }
    world_close(&w);
}

static void test_clones_and_saved_images_carry_each_column(void **state) {
    (void)state;
    struct model_world w, copy;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&w, 0), LSCHED_OK);
    assert_int_equal(world_open(&copy, NULL), LSCHED_OK);
    struct columns *k = &w.k;
    uint64_t saved = saved_sum(k);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t rows = table_rows(k, column_defs[c].table), stride = column_defs[c].stride;
        if (c == C_META_WORD || rows == 0 || !is_of_a_kind_that_exists(k, c)) continue;
        uint8_t *byte = &k->c[c].u8[(size_t)rows * stride - 1];
        *byte ^= 1;
        if (saved_sum(k) == saved) fail_msg("%s is not saved", column_def_name(&column_defs[c]));
        assert_int_equal(columns_copy(&copy.k, k), LSCHED_OK);
        if (memcmp(copy.k.c[c].u8, k->c[c].u8, (size_t)rows * stride) != 0)
            fail_msg("%s is not cloned", column_def_name(&column_defs[c]));
        *byte ^= 1;
    }
    assert_int_equal(saved_sum(k), saved);
    world_close(&copy);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_byte_changes_the_hash),
        cmocka_unit_test(test_clones_and_saved_images_carry_each_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
