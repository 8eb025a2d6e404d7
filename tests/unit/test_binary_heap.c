/* The binary heap against a plain list: adding, taking, removing and changing any element, with an
 * index that says where each element stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/binary_heap.h"
#include "property/chance.h"

enum { ITEMS = 120, OUTSIDE = 0xFFFF };

struct world {
    int32_t key[ITEMS];
    uint32_t place[ITEMS];
    uint16_t heap[ITEMS];
    uint32_t n;
};

static int comes_before(const struct world *w, uint16_t a, uint16_t b) {
    return w->key[a] != w->key[b] ? w->key[a] < w->key[b] : a < b;
}

static void placed(struct world *w, uint16_t one, uint32_t at) {
    w->place[one] = at;
}

HEAP_DEFINE(items, uint16_t, struct world *, comes_before, placed)

#define KEY_BEFORE(of, a, b) ((a) < (b))
HEAP_DEFINE(keys, int32_t, const void *, KEY_BEFORE, HEAP_NO_INDEX)

static void check(const struct world *w) {
    uint32_t inside = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        if (w->place[i] == OUTSIDE) continue;
        inside++;
        assert_in_range(w->place[i], 0, w->n - 1);
        assert_int_equal(w->heap[w->place[i]], i);
        assert_false(comes_before(w, (uint16_t)i, w->heap[0]));
    }
    assert_int_equal(inside, w->n);
    for (uint32_t i = 1; i < w->n; i++)
        assert_false(comes_before(w, w->heap[i], w->heap[(i - 1) / 2]));
}

static void change(struct world *w, struct chance *c) {
    uint16_t item = (uint16_t)chance_below(c, ITEMS);
    uint32_t at = w->place[item];
    int32_t key = (int32_t)chance_below(c, 40);
    if (at == OUTSIDE) {
        w->key[item] = key;
        items_add(w, w->heap, &w->n, item);
    } else if (chance_one_in(c, 3)) {
        w->place[item] = OUTSIDE;
        items_drop(w, w->heap, &w->n, at);
    } else if (chance_one_in(c, 4)) {
        uint16_t first = items_take(w, w->heap, &w->n);
        w->place[first] = OUTSIDE;
    } else {
        w->key[item] = key;
        items_settle(w, w->heap, w->n, at);
    }
}

static void any_change_keeps_heap_and_index(void **unused) {
    (void)unused;
    struct chance c = {chance_seed(3)};
    struct world w = {.n = 0};
    for (uint32_t i = 0; i < ITEMS; i++) w.place[i] = OUTSIDE;
    for (uint32_t step = 0; step < 20000; step++) {
        if (step % 1000 == 999) items_make(&w, w.heap, w.n);
        change(&w, &c);
        check(&w);
    }
}

static void elements_come_out_in_order(void **unused) {
    (void)unused;
    struct chance c = {chance_seed(5)};
    int32_t heap[300];
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t n = round, left;
        int64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) sum += heap[i] = (int32_t)chance_below(&c, 50);
        keys_make(NULL, heap, n);
        int32_t last = -1;
        for (left = n; left > 0;) {
            int32_t key = keys_take(NULL, heap, &left);
            assert_true(key >= last);
            sum -= last = key;
        }
        assert_int_equal(sum, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_change_keeps_heap_and_index),
        cmocka_unit_test(elements_come_out_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
