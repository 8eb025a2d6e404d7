/* Arrays that grow: what was written stays, want of memory changes nothing at whichever allocation
 * it comes, and sizes that no size_t counts are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "support/fault_alloc.h"

struct list {
    uint64_t *words;
    uint32_t n, cap;
};

static struct alloc open_alloc(struct fault_alloc *f, uint64_t limit) {
    struct alloc a;
    lsched_allocator hooks = fault_hooks(f);
    assert_int_equal(alloc_init(&a, &hooks, limit), LSCHED_OK);
    return a;
}

/* 1, or 0 for want of memory, with the list as it was. */
static int add(struct alloc *a, struct list *l, uint64_t word) {
    struct list before = *l;
    if (!VEC_ROOM(a, l->words, l->cap, l->n + 1)) {
        assert_memory_equal(&before, l, sizeof before);
        return 0;
    }
    l->words[l->n++] = word;
    return 1;
}

static void close_list(struct alloc *a, struct fault_alloc *f, struct list *l) {
    for (uint32_t i = 0; i < l->n; i++) assert_int_equal(l->words[i], i * 3);
    alloc_free(a, l->words, l->cap * sizeof *l->words);
    assert_int_equal(a->bytes, 0);
    assert_int_equal(f->live_blocks, 0);
    assert_int_equal(f->wrong_sizes, 0);
}

static void growth_keeps_what_was_written(void **unused) {
    (void)unused;
    struct fault_alloc f = {0};
    struct alloc a = open_alloc(&f, 0);
    struct list l = {0};
    for (uint32_t i = 0; i < 100000; i++) assert_true(add(&a, &l, i * 3ull));
    assert_in_range(f.calls, 1, 14); /* it doubles */
    close_list(&a, &f, &l);
}

static void want_of_memory_changes_nothing(void **unused) {
    (void)unused;
    for (uint64_t fail = 1; fail <= 12; fail++) {
        struct fault_alloc f = {.fail_at = fail};
        struct alloc a = open_alloc(&f, 0);
        struct list l = {0};
        uint32_t refused = 0;
        for (uint32_t i = 0; l.n < 5000; i++) refused += !add(&a, &l, l.n * 3ull);
        assert_int_equal(refused, f.failures);
        assert_int_equal(refused, fail <= 9);
        close_list(&a, &f, &l);
    }
}

static void the_limit_of_the_allocator_holds(void **unused) {
    (void)unused;
    struct fault_alloc f = {0};
    struct alloc a = open_alloc(&f, 1024);
    struct list l = {0};
    while (add(&a, &l, l.n * 3ull)) assert_in_range(l.n, 1, 128);
    assert_int_equal(l.n, 128);
    close_list(&a, &f, &l);
}

static void sizes_that_cannot_be_counted_are_refused(void **unused) {
    (void)unused;
    struct wide {
        char bytes[1u << 20];
    } *wide = NULL;
    struct fault_alloc f = {0};
    struct alloc a = open_alloc(&f, 0);
    uint32_t cap = 0;
    const uint64_t beyond[] = {(uint64_t)UINT32_MAX + 1, UINT64_MAX};
    for (int i = 0; i < 2; i++) assert_false(VEC_ROOM(&a, wide, cap, beyond[i]));
    assert_true(!wide && cap == 0 && f.calls == 0);
    char *bytes = NULL;
    for (uint64_t need = 0; need < 2; need++) {
        assert_true(VEC_ROOM(&a, bytes, cap, need * 1000));
        assert_int_equal(cap, need * 1000);
        assert_int_equal(bytes != NULL, need);
    }
    alloc_free(&a, bytes, cap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_keeps_what_was_written),
        cmocka_unit_test(want_of_memory_changes_nothing),
        cmocka_unit_test(the_limit_of_the_allocator_holds),
        cmocka_unit_test(sizes_that_cannot_be_counted_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
