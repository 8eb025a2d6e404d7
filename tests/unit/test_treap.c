/* test_treap.c -- trees over rows against a plain list: the order, the sums, and one shape for the same rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/treap.h"
#include "property/chance.h"

enum { ROWS = 64, CHANGES = 400, WORLDS = 20 };

/* Rows in the order of their keys, then of their numbers. */
struct keyed {
    struct treap_link link[ROWS];
    uint32_t root;
    uint32_t key[ROWS];
    uint64_t sum[ROWS]; /* of the keys of the row and the rows below it */
    uint8_t is_in[ROWS];
};

static void keyed_renew(void *of, uint32_t row) {
    struct keyed *w = of;
    uint32_t left = w->link[row].left, right = w->link[row].right;
    w->sum[row] = w->key[row] + (left == TREAP_NONE ? 0 : w->sum[left]) +
                  (right == TREAP_NONE ? 0 : w->sum[right]);
}

static struct treap keyed_tree(struct keyed *w) {
    return (struct treap){w->link, &w->root, keyed_renew, w};
}

static int keyed_before(const struct keyed *w, uint32_t a, uint32_t b) {
    return w->key[a] != w->key[b] ? w->key[a] < w->key[b] : a < b;
}

static void keyed_put(struct keyed *w, uint32_t row) {
    struct treap t = keyed_tree(w);
    uint32_t above = TREAP_NONE, at = w->root;
    int left = 0;
    while (at != TREAP_NONE) {
        above = at;
        left = keyed_before(w, row, at);
        at = left ? w->link[at].left : w->link[at].right;
    }
    treap_put(&t, row, above, left);
    w->is_in[row] = 1;
}

static void keyed_take_out(struct keyed *w, uint32_t row) {
    struct treap t = keyed_tree(w);
    treap_take_out(&t, row);
    w->is_in[row] = 0;
}

static void compare_keyed(const struct keyed *w) {
    uint64_t sum = 0;
    uint32_t n = 0, last = TREAP_NONE;
    for (uint32_t i = 0; i < ROWS; i++) {
        n += w->is_in[i];
        sum += w->is_in[i] ? w->key[i] : 0;
    }
    for (uint32_t at = treap_first(w->link, w->root); at != TREAP_NONE;
         at = treap_next(w->link, at)) {
        assert_true(w->is_in[at]);
        assert_true(last == TREAP_NONE || keyed_before(w, last, at));
        last = at;
        n--;
    }
    assert_int_equal(n, 0);
    assert_int_equal(w->root == TREAP_NONE ? 0 : w->sum[w->root], sum);
}

static void trees_have_the_order_and_the_sums_of_a_list(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        struct chance at = {.state = seed ^ 0x7ea9};
        struct keyed w = {.root = TREAP_NONE}, again = {.root = TREAP_NONE};
        for (uint32_t i = 0; i < CHANGES; i++) {
            uint32_t row = chance_below(&at, ROWS);
            if (w.is_in[row]) {
                keyed_take_out(&w, row);
            } else {
                w.key[row] = chance_below(&at, 20);
                keyed_put(&w, row);
            }
            compare_keyed(&w);
        }
        memcpy(again.key, w.key, sizeof w.key);
        for (uint32_t row = ROWS; row-- > 0;)
            if (w.is_in[row]) keyed_put(&again, row);
        assert_int_equal(again.root, w.root);
        for (uint32_t row = 0; row < ROWS; row++)
            if (w.is_in[row])
                assert_memory_equal(&again.link[row], &w.link[row], sizeof w.link[row]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_the_order_and_the_sums_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
