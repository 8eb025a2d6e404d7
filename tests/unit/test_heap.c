/* Leftist heaps in columns against a plain list: inserts and removals of any row, several heaps
 * side by side, undo. The heap of jobs stands for all; its columns are driven directly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/state.h"
#include "model/store/heap.h"
#include "property/chance.h"

enum { ROWS = 300, HEAPS = 3, OUTSIDE = HEAPS };

/* A strict order: key, then row, which stands in for the name. */
static int before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_JOB_ORDER].i64[a], y = k->c[C_JOB_ORDER].i64[b];
    return x != y ? x < y : a < b;
}

static const struct heap_kind kind = {C_JOB_HEAP_L, C_JOB_HEAP_R, C_JOB_HEAP_P, C_JOB_HEAP_D,
                                      before};

struct shadow {
    uint32_t root[HEAPS];
    uint8_t in[ROWS]; /* which heap, OUTSIDE */
};

static uint32_t distance(const struct columns *k, uint32_t row) {
    return row == NO_ROW ? 0 : k->c[C_JOB_HEAP_D].u8[row];
}

/* Every member is linked both ways, ordered, leftist, and the least is the root. */
static void check(const struct columns *k, const struct shadow *s) {
    for (uint32_t h = 0; h < HEAPS; h++) {
        uint32_t least = NO_ROW;
        for (uint32_t row = 0; row < ROWS; row++)
            if (s->in[row] == h && (least == NO_ROW || before(k, row, least))) least = row;
        assert_int_equal(s->root[h], least);
        if (least != NO_ROW) assert_int_equal(k->c[C_JOB_HEAP_P].u32[least], NO_ROW);
    }
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t l = k->c[C_JOB_HEAP_L].u32[row], r = k->c[C_JOB_HEAP_R].u32[row],
                 p = k->c[C_JOB_HEAP_P].u32[row];
        if (s->in[row] == OUTSIDE) {
            assert_int_equal(k->c[C_JOB_HEAP_D].u8[row], 0);
            continue;
        }
        assert_int_equal(distance(k, row), distance(k, r) + 1);
        assert_true(distance(k, l) >= distance(k, r));
        if (l != NO_ROW) assert_int_equal(k->c[C_JOB_HEAP_P].u32[l], row);
        if (r != NO_ROW) assert_int_equal(k->c[C_JOB_HEAP_P].u32[r], row);
        if (p == NO_ROW) continue;
        assert_true(before(k, p, row));
        assert_int_equal(s->in[p], s->in[row]);
    }
}

/* Some row of the heap, which can be its tail; often none. */
static uint32_t any_of(const struct shadow *s, struct chance *c, uint32_t h) {
    uint32_t row = chance_below(c, ROWS);
    return s->in[row] == h ? row : NO_ROW;
}

static void step(struct columns *k, struct shadow *s, struct chance *c) {
    uint32_t row = chance_below(c, ROWS), h = s->in[row];
    if (h == OUTSIDE) {
        h = chance_below(c, HEAPS);
        set_i64(k, C_JOB_ORDER, row, chance_between(c, 0, 40));
        if (!heap_append(k, &kind, any_of(s, c, h), row))
            s->root[h] = heap_insert(k, &kind, s->root[h], row);
        s->in[row] = (uint8_t)h;
    } else {
        if (chance_one_in(c, 2)) row = s->root[h];
        s->root[h] = heap_remove(k, &kind, s->root[h], row);
        s->in[row] = OUTSIDE;
    }
}

/* Opens columns with jobs in the rows from 0 on. */
static void open_jobs(struct columns *k, struct alloc *a, uint32_t rows) {
    alloc_init(a, NULL, 0);
    assert_int_equal(state_open(k, a), LSCHED_OK);
    assert_int_not_equal(rows_append(k, T_JOB, rows), NO_ROW);
}

static void heaps_agree_with_a_list(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(20260501);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    struct alloc a;
    struct columns k;
    struct shadow s, at_mark;
    open_jobs(&k, &a, ROWS);
    memset(&s, 0xFF, sizeof s);
    memset(s.in, OUTSIDE, sizeof s.in);
    for (uint32_t round = chance_rounds(400); round > 0; round--) {
        assert_int_equal(undo_begin(&k), LSCHED_OK);
        at_mark = s;
        for (uint32_t n = chance_below(&c, 30); n > 0; n--) {
            assert_int_equal(undo_room(&k), LSCHED_OK);
            step(&k, &s, &c);
        }
        check(&k, &s);
        if (chance_one_in(&c, 3)) {
            undo_rollback(&k, 0);
            s = at_mark;
            check(&k, &s);
        }
        undo_end(&k);
    }
    state_close(&k);
    assert_int_equal(a.bytes, 0);
}

/* Rising and falling keys make the longest spines: nothing recurses and all come out in order. */
static void long_spines_come_out_in_order(void **unused) {
    (void)unused;
    enum { MANY = 20000 };
    struct alloc a;
    struct columns k;
    open_jobs(&k, &a, MANY);
    for (int falling = 0; falling < 2; falling++) {
        uint32_t root = NO_ROW;
        for (uint32_t row = 0; row < MANY; row++) {
            set_i64(&k, C_JOB_ORDER, row, falling ? -(int64_t)row : row);
            root = heap_insert(&k, &kind, root, row);
        }
        for (uint32_t i = 0; i < MANY; i++) {
            assert_int_equal(root, falling ? MANY - 1 - i : i);
            root = heap_remove(&k, &kind, root, root);
        }
        assert_int_equal(root, NO_ROW);
    }
    state_close(&k);
}

/* Rows that arrive in order form a chain: each comes after the last one, and costs no merge. */
static void rows_in_order_are_appended(void **unused) {
    (void)unused;
    enum { MANY = 20000 };
    struct alloc a;
    struct columns k;
    open_jobs(&k, &a, MANY);
    for (uint32_t row = 0; row < MANY; row++) set_i64(&k, C_JOB_ORDER, row, row / 3);
    assert_false(heap_append(&k, &kind, NO_ROW, 0));
    uint32_t root = heap_insert(&k, &kind, NO_ROW, 0);
    for (uint32_t row = 1; row < MANY - 1; row++) assert_true(heap_append(&k, &kind, row - 1, row));
    assert_false(heap_append(&k, &kind, MANY - 3, MANY - 1)); /* has a child */
    set_i64(&k, C_JOB_ORDER, MANY - 1, -1);
    assert_false(heap_append(&k, &kind, MANY - 2, MANY - 1)); /* comes before the tail */
    root = heap_insert(&k, &kind, root, MANY - 1);
    assert_int_equal(root, MANY - 1);
    root = heap_remove(&k, &kind, root, root);
    /* a row in the middle and the tail leave the chain whole */
    root = heap_remove(&k, &kind, root, 100);
    root = heap_remove(&k, &kind, root, MANY - 2);
    for (uint32_t i = 0; i < MANY - 2; i++) {
        if (i == 100) continue;
        assert_int_equal(root, i);
        assert_int_equal(k.c[C_JOB_HEAP_R].u32[root], NO_ROW);
        root = heap_remove(&k, &kind, root, root);
    }
    assert_int_equal(root, NO_ROW);
    state_close(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heaps_agree_with_a_list),
        cmocka_unit_test(long_spines_come_out_in_order),
        cmocka_unit_test(rows_in_order_are_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
