/* The heap of events gives them back in their order, whatever the order of arrival. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/support/event_heap.h"
#include "cli/support/prng.h"

enum { ROUNDS = 200, RECORDS_MAX = 300 };

static int in_order(const void *a, const void *b) {
    const struct heap_record *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->item != y->item) return x->item < y->item ? -1 : 1;
    return (x->detail > y->detail) - (x->detail < y->detail);
}

/* Pushes all, pops some in between, and compares what is left with a sorted array. */
static void comes_back_in_order(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct prng prng = {seed};
        struct event_heap heap = {0};
        struct heap_record sorted[RECORDS_MAX];
        size_t n = (size_t)prng_below(&prng, RECORDS_MAX) + 1, popped = 0;
        for (size_t i = 0; i < n; i++) {
            sorted[i] = (struct heap_record){.key = (int64_t)prng_below(&prng, 20) - 10,
                                             .kind = (uint32_t)prng_below(&prng, 2),
                                             .item = (uint32_t)prng_below(&prng, 4),
                                             .detail = (uint32_t)prng_below(&prng, 3)};
            event_heap_push(&heap, sorted[i]);
            if (prng_below(&prng, 3) > 0) continue;
            struct heap_record least = event_heap_pop(&heap);
            qsort(sorted + popped, i + 1 - popped, sizeof sorted[0], in_order);
            if (in_order(&least, &sorted[popped]) != 0) printf("seed %d\n", (int)seed);
            assert_int_equal(in_order(&least, &sorted[popped]), 0);
            popped++;
        }
        qsort(sorted + popped, n - popped, sizeof sorted[0], in_order);
        for (; popped < n; popped++) {
            struct heap_record least = event_heap_pop(&heap);
            if (in_order(&least, &sorted[popped]) != 0) printf("seed %d\n", (int)seed);
            assert_int_equal(in_order(&least, &sorted[popped]), 0);
        }
        assert_int_equal(heap.n, 0);
        event_heap_free(&heap);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
