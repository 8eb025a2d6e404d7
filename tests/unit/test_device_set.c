/* Sets of devices: the words of a set, its size, its first device and the walk over it, against one
 * flag for each device, and how the set of a task is stored in two columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/device_set.h"
#include "engine/verify/verify_read.h"
#include "model/shapes/leaf.h"
#include "model/shapes/placement.h"
#include "support/model_world.h"

enum { DEVICES = 128 };

static uint64_t seed = 1;
static uint32_t roll(uint32_t n) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void expect_flags(device_set set, const uint8_t *flag) {
    uint32_t n = 0, first = DEVICES, at = 0;
    for (uint32_t i = 0; i < DEVICES; i++) {
        assert_int_equal(device_set_has(set, i), flag[i]);
        if (flag[i] && first == DEVICES) first = i;
        n += flag[i];
    }
    assert_int_equal(device_set_count(set), n);
    if (n) assert_int_equal(device_set_first(set), first);
    DEVICE_SET_EACH(m, set) {
        while (!flag[at]) at++;
        assert_int_equal(m.at, at);
        at++;
        n--;
    }
    assert_int_equal(n, 0);
    assert_true(device_set_of_words(device_set_low(set), device_set_high(set)) == set);
}

static void a_set_has_what_was_put_in(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 3000; round++) {
        uint8_t flag[DEVICES] = {0};
        device_set set = 0;
        uint32_t wide = (uint32_t[]){8, 16, 64, 65, DEVICES}[round % 5], n = roll(wide + 1);
        for (uint32_t j = 0; j < n; j++) {
            uint32_t i = roll(wide);
            flag[i] = 1;
            set |= device_set_bit(i);
        }
        expect_flags(set, flag);
    }
}

static void a_set_below_n_has_n_devices(void **unused) {
    (void)unused;
    for (uint32_t n = 0; n <= DEVICES; n++) {
        uint8_t flag[DEVICES] = {0};
        memset(flag, 1, n);
        expect_flags(device_set_below(n), flag);
    }
}

/* The first task of the world whose shape asks for a MIG instance, or the first one of which the
 * shape does not. */
static uint32_t task_that(const struct columns *k, int asks_mig) {
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++)
        if (row_is_live(k, T_TASK, t) && k->c[C_TASK_NODE].u32[t] != NO_ROW &&
            (k->c[C_SHAPE_MIG_SLICES].u8[task_shape(k, t)] != 0) == asks_mig)
            return t;
    fail_msg("the world has no such task");
    return NO_ROW;
}

/* The planner and the verifier decode the columns apart. */
static void expect_stored(const struct columns *k, uint32_t task, device_set set, uint64_t starts) {
    struct hold back = task_hold(k, task);
    struct verify_devices seen = verify_devices_of(k, task);
    assert_true(back.mask == set && task_device_set(k, task) == set);
    assert_true(back.starts == starts && verify_starts_of(k, task) == starts);
    for (uint32_t i = 0; i < DEVICES; i++) {
        assert_int_equal(verify_has_device(&seen, i), device_set_has(set, i));
        assert_int_equal(verify_exceeds(&seen, i), (set & ~device_set_below(i)) != 0);
    }
    assert_int_equal(verify_exceeds(&seen, DEVICES), 0);
}

static void a_task_keeps_devices_or_slices(void **unused) {
    (void)unused;
    struct model_world w;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&w, 0), LSCHED_OK);
    struct columns *k = &w.k;
    uint32_t whole = task_that(k, 0), mig = task_that(k, 1);
    for (uint32_t round = 0; round < 500; round++) {
        assert_int_equal(undo_room(k), LSCHED_OK);
        struct hold h = {.mask = device_set_bit(roll(DEVICES)) | device_set_bit(roll(DEVICES))};
        task_set_hold(k, whole, &h);
        expect_stored(k, whole, h.mask, 0);
        h = (struct hold){.mask = device_set_bit(roll(16)), .starts = seed & 0xf0f0f0f0f0f0f0f0u};
        task_set_hold(k, mig, &h);
        expect_stored(k, mig, h.mask, h.starts);
    }
    world_close(&w);
}

static void devices_are_shown_as_one_number(void **unused) {
    (void)unused;
    struct verify_devices v = {{0x1f, 0}};
    assert_string_equal(verify_devices_shown(&v).text, "0x1f");
    v = (struct verify_devices){{1, 3}};
    assert_string_equal(verify_devices_shown(&v).text, "0x30000000000000001");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_has_what_was_put_in),
        cmocka_unit_test(a_set_below_n_has_n_devices),
        cmocka_unit_test(a_task_keeps_devices_or_slices),
        cmocka_unit_test(devices_are_shown_as_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
