/* Pieces and texts: they never overlap, come back to their class, and a load that comes and goes
 * reaches a steady size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/state.h"
#include "model/store/blocks.h"
#include "property/chance.h"
#include "support/fault_alloc.h"

struct fixture {
    struct alloc alloc;
    struct columns k;
};

static void open_columns(struct fixture *f, const lsched_allocator *hooks) {
    assert_int_equal(alloc_init(&f->alloc, hooks, 0), LSCHED_OK);
    assert_int_equal(state_open(&f->k, &f->alloc), LSCHED_OK);
}

static void close_columns(struct fixture *f) {
    state_close(&f->k);
    assert_int_equal(f->alloc.bytes, 0);
}

static void texts_of_every_length_are_kept(void **unused) {
    (void)unused;
    struct fixture f;
    enum { N = 700 };
    static uint32_t text[N];
    static char bytes[N + 1];
    open_columns(&f, NULL);
    for (uint32_t i = 0; i < N; i++) bytes[i] = (char)(i * 7 + 1);
    for (uint32_t i = 0; i < N; i++) text[i] = text_new(&f.k, bytes, i);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(text_len(&f.k, text[i]), i);
        assert_memory_equal(text_bytes(&f.k, text[i]), bytes, i);
        assert_int_equal(text_hash(&f.k, text[i]), text_hash_of(bytes, i));
    }
    for (uint32_t i = 0; i < N; i += 2) text_free(&f.k, text[i]);
    uint32_t rows = table_rows(&f.k, T_TEXT);
    for (uint32_t i = 0; i < N; i += 2) text[i] = text_new(&f.k, bytes + 1, i);
    assert_int_equal(table_rows(&f.k, T_TEXT), rows); /* each in the place of one that was */
    for (uint32_t i = 0; i < N; i++)
        assert_memory_equal(text_bytes(&f.k, text[i]), bytes + (i % 2 == 0), i);
    close_columns(&f);
}

static void texts_compare_by_bytes_then_length(void **unused) {
    (void)unused;
    static const char *const rising[] = {"",  "a",     "a\x01", "aa",      "ab",
                                         "b", "b\x7f", "b\x80", "\xc3\xa9"};
    enum { N = sizeof rising / sizeof rising[0] };
    uint32_t text[N];
    struct fixture f;
    open_columns(&f, NULL);
    for (uint32_t i = 0; i < N; i++) text[i] = text_new(&f.k, rising[i], strlen(rising[i]));
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            int c = text_compare(&f.k, text[i], text[j]);
            assert_true(i < j ? c < 0 : i > j ? c > 0 : c == 0);
        }
    close_columns(&f);
}

struct piece {
    uint32_t first, n;
};

/* A piece's rows all hold its number: an overlap would show. */
static void stamp(struct columns *k, const struct piece *p, uint32_t number) {
    for (uint32_t i = 0; i < p->n; i++) {
        assert_int_equal(k->c[C_DEVICE_MODEL].u32[p->first + i], 0); /* given out as zero */
        set_u32(k, C_DEVICE_MODEL, p->first + i, number);
        set_i64(k, C_DEVICE_MEM, p->first + i, -1);
    }
}

static void pieces_do_not_overlap_and_do_not_leak(void **unused) {
    (void)unused;
    enum { PIECES = 300 };
    static struct piece piece[PIECES];
    struct fixture f;
    uint64_t seed = chance_seed(99);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    open_columns(&f, NULL);
    memset(piece, 0, sizeof piece);
    uint32_t settled = 0, rounds = chance_rounds(60000);
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t i = chance_below(&c, PIECES);
        struct piece *p = &piece[i];
        for (uint32_t row = 0; row < p->n; row++)
            assert_int_equal(f.k.c[C_DEVICE_MODEL].u32[p->first + row], i + 1);
        if (p->n) block_free(&f.k, BLOCKS_DEVICE, p->first, p->n);
        p->n = i % 20 == 0 ? 33 + i : 1 + i % 16; /* a place keeps its size: the load is constant */
        p->first = block_new(&f.k, BLOCKS_DEVICE, p->n);
        assert_int_not_equal(p->first, NO_ROW);
        stamp(&f.k, p, i + 1);
        if (round == rounds / 2) settled = table_rows(&f.k, T_DEVICE);
    }
    assert_int_equal(table_rows(&f.k, T_DEVICE), settled);
    close_columns(&f);
}

static void a_text_without_memory_is_none(void **unused) {
    (void)unused;
    struct fault_alloc fault = {0};
    lsched_allocator hooks = fault_hooks(&fault);
    struct fixture f;
    char big[5000];
    memset(big, 'x', sizeof big);
    open_columns(&f, &hooks);
    assert_int_equal(undo_begin(&f.k), LSCHED_OK);
    fault.fail_at = fault.calls + 1;
    assert_int_equal(text_new(&f.k, big, sizeof big), NO_ROW);
    undo_rollback(&f.k, 0);
    assert_int_equal(table_rows(&f.k, T_TEXT), 0);
    assert_int_not_equal(text_new(&f.k, big, sizeof big), NO_ROW);
    undo_end(&f.k);
    close_columns(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_every_length_are_kept),
        cmocka_unit_test(texts_compare_by_bytes_then_length),
        cmocka_unit_test(pieces_do_not_overlap_and_do_not_leak),
        cmocka_unit_test(a_text_without_memory_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
