/* test_timer.c -- the heap of timers against a sorted array, and undo over it. Seeds are printed on failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/image/state.h"
#include "model/store/timer.h"

static uint64_t next_random(uint64_t *s) {
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

static void sort(int64_t *v, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {
            int64_t t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}

static void timers_fire_in_order(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct alloc a;
        struct columns k;
        int64_t want[200];
        int n = 0;
        uint64_t s = seed;
        alloc_init(&a, NULL, 0);
        assert_int_equal(state_open(&k, &a), LSCHED_OK);
        assert_true(timer_next(&k) == LSCHED_NEVER_US);
        for (int step = 0; step < 400; step++) {
            if (n < 200 && next_random(&s) % 3) {
                want[n] = (int64_t)(next_random(&s) % 50);
                assert_int_equal(timer_add(&k, want[n++], TIMER_REFRESH, (uint32_t)step),
                                 LSCHED_OK);
            } else if (n > 0) {
                sort(want, n);
                if (timer_next(&k) != want[0])
                    fail_msg("seed %llu, step %d: %lld fires, %lld is due",
                             (unsigned long long)seed, step, (long long)timer_next(&k),
                             (long long)want[0]);
                timer_pop(&k);
                for (int i = 1; i < n; i++) want[i - 1] = want[i];
                n--;
            }
            assert_int_equal(timer_count(&k), n);
        }
        state_close(&k);
        assert_int_equal(a.bytes, 0);
    }
}

static void a_rollback_brings_timers_back(void **unused) {
    (void)unused;
    struct alloc a;
    struct columns k;
    alloc_init(&a, NULL, 0);
    assert_int_equal(state_open(&k, &a), LSCHED_OK);
    for (int i = 9; i > 0; i--)
        assert_int_equal(timer_add(&k, i, TIMER_REFRESH, (uint32_t)i), LSCHED_OK);
    assert_int_equal(undo_begin(&k), LSCHED_OK);
    size_t mark = undo_mark(&k);
    timer_pop(&k);
    assert_int_equal(timer_add(&k, 0, TIMER_REFRESH, 7), LSCHED_OK);
    timer_clear(&k);
    undo_rollback(&k, mark);
    undo_end(&k);
    for (int i = 1; i < 10; i++) {
        assert_true(timer_next(&k) == i);
        timer_pop(&k);
    }
    state_close(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(timers_fire_in_order),
                                       cmocka_unit_test(a_rollback_brings_timers_back)};
    return cmocka_run_group_tests_name("timer", tests, NULL, NULL);
}
