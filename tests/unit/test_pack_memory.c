/* Memory and threads of a packer: it holds what lsched_pack_memory says, from create to destroy; running takes none;
 * without memory nothing is left behind; the problem is copied; an interrupt from another thread only
 * cuts a run in pieces. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "pack/problem/pack_arena.h"
#include "property/chance.h"
#include "support/fault_alloc.h"
#include "support/pack_random.h"

enum { ITEMS = 10, TASKS_MAX = 3 * ITEMS, WORK = 60000 };

struct world {
    struct pack_random r;
    struct fault_alloc fault;
    lsched_allocator hooks;
};

static void make(struct world *w, uint64_t seed, uint32_t method) {
    memset(w, 0, sizeof *w);
    pack_random_make(&w->r, seed, method == LSCHED_PACK_METHOD_EXACT ? 5 : ITEMS,
                     pack_random_features(seed, PACK_RANDOM_ALL));
    w->hooks = fault_hooks(&w->fault);
    w->r.opts.allocator = &w->hooks;
    w->r.opts.method = method;
}

static void test_memory_is_as_stated(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        static struct world w;
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_packer *packer = NULL;
        lsched_pack_info info = {.size = sizeof info};
        uint64_t bytes = 0;
        make(&w, seed, (uint32_t)(seed % 6));
        assert_int_equal(lsched_pack_memory(&w.r.problem, &w.r.opts, &bytes, &err), 0);
        assert_int_equal(w.fault.live_blocks, 0);
        assert_int_equal(lsched_packer_create(&w.r.problem, &w.r.opts, &packer, &err), 0);
        assert_int_equal(w.fault.live_bytes, bytes);
        uint64_t calls = w.fault.calls;
        assert_true(lsched_packer_run(packer, 3000, &err) >= 0);
        assert_true(lsched_packer_run(packer, 3000, &err) >= 0);
        assert_int_equal(lsched_packer_get(packer, &info, &err), 0);
        assert_int_equal(w.fault.calls, calls);
        assert_int_equal(info.memory_bytes, bytes);
        lsched_packer_destroy(packer);
        assert_int_equal(w.fault.live_blocks, 0);
        assert_int_equal(w.fault.wrong_sizes, 0);
        pack_random_free(&w.r);
    }
}

/* Every allocation of every call fails once. */
static void test_without_memory_nothing_is_left(void **unused) {
    (void)unused;
    uint64_t walked = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        static struct world w;
        static lsched_pack_place places[TASKS_MAX];
        int rc[3] = {-1, -1, -1}; /* create, memory, check */
        make(&w, seed, (uint32_t)(seed % 6));
        for (uint64_t at = 1; rc[0] != 0 || rc[1] != 0 || rc[2] != 0; at++, walked++) {
            lsched_packer *packer = (lsched_packer *)&w;
            uint64_t bytes = 0;
            size_t n = 0;
            assert_true(at < 100);
            w.fault = (struct fault_alloc){.fail_at = at};
            rc[0] = lsched_packer_create(&w.r.problem, &w.r.opts, &packer, NULL);
            assert_true(rc[0] == 0 || (rc[0] == LSCHED_E_NOMEM && !packer && !w.fault.live_blocks));
            w.fault.fail_at = 0;
            if (rc[0] == 0) {
                assert_true(lsched_packer_run(packer, 0, NULL) >= 0);
                n = (size_t)lsched_packer_places(packer, places, TASKS_MAX, NULL);
                lsched_packer_destroy(packer);
            }
            w.fault = (struct fault_alloc){.fail_at = at};
            rc[1] = lsched_pack_memory(&w.r.problem, &w.r.opts, &bytes, NULL);
            assert_true(rc[1] == 0 || rc[1] == LSCHED_E_NOMEM);
            assert_int_equal(w.fault.live_blocks, 0);
            if (n == 0) continue;
            w.fault = (struct fault_alloc){.fail_at = at};
            rc[2] = lsched_pack_check(&w.r.problem, &w.r.opts, places, n, NULL, NULL);
            assert_true(rc[2] == 0 || rc[2] == LSCHED_E_NOMEM);
            assert_int_equal(w.fault.live_blocks, 0);
            assert_int_equal(w.fault.wrong_sizes, 0);
        }
        pack_random_free(&w.r);
    }
    print_message("%llu failures\n", (unsigned long long)walked);
}

/* What the host wrote may be gone after create; a copy at other addresses gives the same plan. */
static void test_the_problem_is_copied(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        static struct world a, b;
        static lsched_pack_place pa[TASKS_MAX], pb[TASKS_MAX];
        lsched_packer *x = NULL, *y = NULL;
        lsched_pack_info ia = {.size = sizeof ia}, ib = {.size = sizeof ib};
        make(&a, seed, LSCHED_PACK_METHOD_AUTO);
        make(&b, seed, LSCHED_PACK_METHOD_AUTO);
        assert_int_equal(lsched_packer_create(&a.r.problem, &a.r.opts, &x, NULL), 0);
        assert_int_equal(lsched_packer_create(&b.r.problem, &b.r.opts, &y, NULL), 0);
        memset(a.r.block, 0xEE, a.r.room);
        memset(&a.r.problem, 0xEE, sizeof a.r.problem);
        (void)lsched_packer_run(x, 5000, NULL);
        (void)lsched_packer_run(y, 5000, NULL);
        int64_t n = lsched_packer_places(x, pa, TASKS_MAX, NULL);
        assert_true(n > 0 && n == lsched_packer_places(y, pb, TASKS_MAX, NULL));
        assert_memory_equal(pa, pb, (size_t)n * sizeof *pa);
        (void)lsched_packer_get(x, &ia, NULL);
        (void)lsched_packer_get(y, &ib, NULL);
        assert_memory_equal(&ia, &ib, sizeof ia);
        lsched_packer_destroy(x);
        lsched_packer_destroy(y);
        pack_random_free(&a.r);
        pack_random_free(&b.r);
    }
}

/* ---- threads ---- */

struct nagger {
    lsched_packer *packer;
    int stop;
    uint64_t nagged;
};

static void *nag(void *user) {
    struct nagger *n = user;
    while (!__atomic_load_n(&n->stop, __ATOMIC_RELAXED)) {
        struct timespec pause = {0, 20000};
        lsched_packer_interrupt(n->packer);
        n->nagged++;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void test_interrupts_change_nothing(void **unused) {
    (void)unused;
    uint64_t cut = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        static struct world w;
        static lsched_pack_place pa[TASKS_MAX], pb[TASKS_MAX];
        lsched_pack_info ia = {.size = sizeof ia}, ib = {.size = sizeof ib};
        lsched_packer *a = NULL, *b = NULL;
        pthread_t thread;
        make(&w, seed, LSCHED_PACK_METHOD_RUIN);
        assert_int_equal(lsched_packer_create(&w.r.problem, &w.r.opts, &a, NULL), 0);
        assert_int_equal(lsched_packer_create(&w.r.problem, &w.r.opts, &b, NULL), 0);
        struct nagger nagger = {.packer = a};
        assert_int_equal(pthread_create(&thread, NULL, nag, &nagger), 0);
        for (int more = 1; more == 1 && ia.work < WORK; cut++) {
            more = lsched_packer_run(a, WORK - ia.work, NULL);
            assert_true(more >= 0); /* an interrupted run has a plan */
            assert_true(lsched_packer_places(a, pa, TASKS_MAX, NULL) > 0);
            (void)lsched_packer_get(a, &ia, NULL);
        }
        __atomic_store_n(&nagger.stop, 1, __ATOMIC_RELAXED);
        assert_int_equal(pthread_join(thread, NULL), 0);
        (void)lsched_packer_run(b, ia.work, NULL);
        (void)lsched_packer_get(b, &ib, NULL);
        assert_memory_equal(&ia, &ib, sizeof ia);
        int64_t n = lsched_packer_places(b, pb, TASKS_MAX, NULL);
        assert_memory_equal(pa, pb, (size_t)n * sizeof *pa);
        lsched_packer_destroy(a);
        lsched_packer_destroy(b);
        pack_random_free(&w.r);
    }
    print_message("%llu runs\n", (unsigned long long)cut);
}

/* One byte beyond a piece, also where the piece ends inside of its last 64 bytes, is seen. */
static void test_a_write_beyond_a_piece_is_seen(void **unused) {
    (void)unused;
    enum { PIECES = 6, ROOM = PIECES * 4 * PACK_ARENA_ALIGN };
    static const uint64_t sizes[PIECES] = {0, 1, 63, 64, 65, 100};
    static _Alignas(PACK_ARENA_ALIGN) unsigned char block[ROOM];
    if (!PACK_ARENA_GUARD) {
        print_message("guards stand between pieces only where assertions are on\n");
        skip();
    }
    for (uint32_t bad = 0; bad < PIECES; bad++) {
        struct pack_arena arena = {block, 0, ROOM, 0};
        unsigned char *piece[PIECES];
        memset(block, 0, sizeof block);
        for (uint32_t i = 0; i < PIECES; i++) {
            piece[i] = pack_take(&arena, sizes[i], 1);
            memset(piece[i], 0xFF, sizes[i]);
        }
        assert_true(pack_arena_sound(&arena));
        piece[bad][sizes[bad]] = 0;
        if (sizes[bad]) assert_false(pack_arena_sound(&arena));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_as_stated),
        cmocka_unit_test(test_without_memory_nothing_is_left),
        cmocka_unit_test(test_a_write_beyond_a_piece_is_seen),
        cmocka_unit_test(test_the_problem_is_copied),
        cmocka_unit_test(test_interrupts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
