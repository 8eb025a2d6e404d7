/* Amounts, spans and times as people read them: to the last digit, in any size of buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/object_words.h"
#include "support/model_world.h"

#define S  INT64_C(1000000)
#define GI ((int64_t)1 << 30)

static char said[128];

static struct text_out *say(void) {
    static struct text_out o;
    memset(said, 0, sizeof said);
    o = (struct text_out){said, sizeof said, 0};
    return &o;
}

static void amounts_have_their_unit_and_no_digit_too_many(void **state) {
    static const struct {
        uint32_t kind;
        int64_t v;
        const char *text;
    } cases[] = {
        {LSCHED_GPU, 8000, "8 GPUs"},
        {LSCHED_GPU, 1000, "1 GPU"},
        {LSCHED_GPU, 250, "0.25 GPUs"},
        {LSCHED_GPU, -500, "-0.5 GPUs"},
        {LSCHED_GPU, -1500, "-1.5 GPUs"},
        {LSCHED_GPU, 0, "0 GPUs"},
        {LSCHED_CPU, 1500, "1.5 cores"},
        {LSCHED_CPU, 1000, "1 core"},
        {LSCHED_MEMORY, 512 * GI, "512 GiB memory"},
        {LSCHED_MEMORY, 10 * GI + GI / 2, "10.5 GiB memory"},
        {LSCHED_MEMORY, GI / 2, "512 MiB memory"},
    };
    struct model_world w;
    (void)state;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_amount(&w.k, say(), cases[i].kind, cases[i].v);
        assert_string_equal(said, cases[i].text);
    }
    world_close(&w);
}

static void spans_are_rounded_up_to_what_matters(void **state) {
    static const struct {
        int64_t us;
        const char *text;
    } cases[] = {{-1, "0 s"},           {0, "0 s"},          {1, "1 s"},
                 {30 * S, "30 s"},      {119 * S, "119 s"},  {120 * S, "2 min"},
                 {7199 * S, "119 min"}, {7200 * S, "2 h"},   {7260 * S, "2 h 1 min"},
                 {86400 * S, "24 h"},   {172800 * S, "2 d"}, {176400 * S, "2 d 1 h"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_span(say(), cases[i].us);
        assert_string_equal(said, cases[i].text);
    }
}

static void moments_have_a_date_only_if_it_is_another_day(void **state) {
    static const struct {
        int64_t s;
        const char *text;
    } cases[] = {
        /* now: 2024-02-28 22:00 */
        {1709157600 - 1, "now"},
        {1709157600, "now"},
        {1709157600 + 30, "22:00:30 (in 30 s)"},
        {1709157600 + 3600, "23:00 (in 60 min)"},
        {1709157600 + 7200, "2024-02-29 00:00 (in 2 h)"},
        {1709157600 + 2 * 86400, "2024-03-01 22:00 (in 2 d)"},
        {1709157600 + 366 * 86400, "2025-02-28 22:00 (in 366 d)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_moment(say(), cases[i].s * S, 1709157600 * S);
        assert_string_equal(said, cases[i].text);
    }
    put_moment(say(), LSCHED_NEVER_US, 0);
    assert_string_equal(said, "never");
    put_moment(say(), -1800 * S, -3600 * S); /* before 1970 */
    assert_string_equal(said, "23:30 (in 30 min)");
    put_moment(say(), 1800 * S, -3600 * S);
    assert_string_equal(said, "1970-01-01 00:30 (in 90 min)");
    put_time(say(), LSCHED_NEVER_US, 0);
    assert_string_equal(said, "");
    put_time(say(), 90 * S, 0);
    assert_string_equal(said, " in 90 s");
}

static void times_end_at_never(void **state) {
    (void)state;
    assert_true(time_after(5, 7) == 12);
    assert_true(time_after(-5, LSCHED_AMOUNT_MAX) == LSCHED_AMOUNT_MAX - 5);
    assert_true(time_after(0, LSCHED_AMOUNT_MAX) == LSCHED_AMOUNT_MAX);
    assert_true(time_after(1, LSCHED_AMOUNT_MAX) == LSCHED_NEVER_US);
    assert_true(time_after(INT64_MAX - 1, 2) == LSCHED_NEVER_US);
    assert_true(time_after(LSCHED_NEVER_US, 0) == LSCHED_NEVER_US);
    assert_true(time_after_at_most(1, LSCHED_AMOUNT_MAX) == LSCHED_AMOUNT_MAX);
    assert_true(time_after_at_most(1, 2) == 3);
}

/* GPU-milliseconds. */
static void lost_work_is_in_hours_or_minutes(void **state) {
    (void)state;
    put_work(say(), 3600000);
    assert_string_equal(said, "1.0 GPU-hours");
    put_work(say(), 259200000 + 180000);
    assert_string_equal(said, "72.1 GPU-hours");
    put_work(say(), 660000);
    assert_string_equal(said, "11 GPU-minutes");
    put_work(say(), 60000);
    assert_string_equal(said, "1 GPU-minute");
}

static void a_buffer_that_is_too_small_gets_what_fits(void **state) {
    char small[4];
    struct text_out o = {small, sizeof small, 0};
    (void)state;
    text_put(&o, "%s", "twelve");
    text_put(&o, " %d", 12);
    assert_string_equal(small, "twe");
    assert_int_equal(o.n, 9);
    o = (struct text_out){NULL, 0, 0};
    text_put(&o, "%d", 123);
    assert_int_equal(o.n, 3);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_have_their_unit_and_no_digit_too_many),
        cmocka_unit_test(spans_are_rounded_up_to_what_matters),
        cmocka_unit_test(moments_have_a_date_only_if_it_is_another_day),
        cmocka_unit_test(times_end_at_never),
        cmocka_unit_test(lost_work_is_in_hours_or_minutes),
        cmocka_unit_test(a_buffer_that_is_too_small_gets_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
