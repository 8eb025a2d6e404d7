/* The adapter gives every cluster an arena of its own, and a destroyed arena can be made again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#ifdef LSCHED_WITH_JEMALLOC
#include <libsched/jemalloc.h>

static unsigned arena_of(void *memory) {
    unsigned arena = 0;
    size_t size = sizeof arena;
    assert_int_equal(mallctl("arenas.lookup", &arena, &size, &memory, sizeof memory), 0);
    return arena;
}

static void blocks_come_from_the_arena_and_stay_there(void **unused) {
    (void)unused;
    lsched_allocator a, b;
    assert_int_equal(lsched_jemalloc_create(&a), 0);
    assert_int_equal(lsched_jemalloc_create(&b), 0);
    assert_ptr_not_equal(a.user, b.user);
    static const size_t sizes[] = {1, 48, 5000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *block = a.alloc(a.user, sizes[i]);
        assert_non_null(block);
        memset(block, 7, sizes[i]);
        assert_int_equal(arena_of(block), (uintptr_t)a.user);
        block = a.realloc(a.user, block, sizes[i], 3 * sizes[i]);
        assert_non_null(block);
        assert_int_equal(block[sizes[i] - 1], 7);
        assert_int_equal(arena_of(block), (uintptr_t)a.user);
        a.free(a.user, block, 3 * sizes[i]);
        void *other = b.realloc(b.user, NULL, 0, sizes[i]);
        assert_int_equal(arena_of(other), (uintptr_t)b.user); /* not what a just gave back */
        b.free(b.user, other, sizes[i]);
    }
    assert_int_equal(lsched_jemalloc_destroy(&a), 0);
    assert_int_equal(lsched_jemalloc_destroy(&b), 0);
}

static void arenas_can_be_made_again_and_again(void **unused) {
    (void)unused;
    for (int i = 0; i < 5000; i++) { /* more than jemalloc has numbers for */
        lsched_allocator memory;
        assert_int_equal(lsched_jemalloc_create(&memory), 0);
        assert_non_null(memory.alloc(memory.user, 100)); /* destroying frees it */
        assert_int_equal(lsched_jemalloc_destroy(&memory), 0);
    }
}

static void a_cluster_lives_in_it(void **unused) {
    (void)unused;
    lsched_allocator memory;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(lsched_jemalloc_create(&memory), 0);
    opts.allocator = &memory;
    assert_int_equal(lsched_cluster_create(&opts, &cluster, &err), 0);
    assert_int_equal(arena_of(cluster), (uintptr_t)memory.user);
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err),
                     1);
    lsched_cluster_destroy(cluster);
    assert_int_equal(lsched_jemalloc_destroy(&memory), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_from_the_arena_and_stay_there),
        cmocka_unit_test(arenas_can_be_made_again_and_again),
        cmocka_unit_test(a_cluster_lives_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    return 77; /* skipped: no jemalloc here; sanitizers bring an allocator of their own */
}
#endif
