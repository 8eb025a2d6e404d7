/* Slow-downs of slowdowns.h: numbers by hand, jobs that never ran alone, noise and outliers against
 * the table that made the samples, bad calls, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/slowdowns.h>

#include "support/fault_alloc.h"

#define ALONE LSCHED_FORECAST_ALONE

enum { KINDS = 3, SAMPLES = 4096 };

static lsched_forecast_slowdown table[KINDS * KINDS];
static lsched_forecast_slowdown_summary summary;

static const lsched_forecast_slowdown *pair(uint32_t kind, uint32_t beside) {
    return &table[kind * KINDS + beside];
}

static lsched_forecast_slowdown_opts options(void) {
    lsched_forecast_slowdown_opts opts = LSCHED_INIT(lsched_forecast_slowdown_opts);
    opts.n_kinds = KINDS;
    return opts;
}

static void learn(const lsched_forecast_progress *samples, size_t n,
                  const lsched_forecast_slowdown_opts *opts) {
    lsched_forecast_slowdown_opts preset = options();
    lsched_error err = LSCHED_ERROR_INIT;
    summary = (lsched_forecast_slowdown_summary){.size = sizeof summary};
    if (lsched_forecast_slowdowns_get(samples, n, opts != NULL ? opts : &preset, table, &summary,
                                      &err) != LSCHED_OK)
        fail_msg("%s", err.message);
}

static int about(double got, double want) {
    return got > want * (1 - 1e-9) && got < want * (1 + 1e-9);
}

/* ---- by hand ---- */

static void each_job_counts_once(void **state) {
    (void)state;
    /* jobs of different sizes, slowed down 1.25, 1.5 and 2 times; the last one was watched longest,
     * and in two pieces */
    const lsched_forecast_progress samples[] = {
        {1, 0, ALONE, 0, 10, 100}, {1, 0, 1, 0, 8, 100},      {2, 0, ALONE, 0, 300, 60},
        {2, 0, 1, 0, 200, 60},     {3, 0, ALONE, 0, 1, 1000}, {3, 0, 1, 0, 0.75, 1000},
        {3, 0, 1, 0, 0.25, 1000},  {4, 2, ALONE, 0, 5, 100},
    };
    learn(samples, 8, NULL);
    assert_true(about(pair(0, 1)->slowdown, 1.5));
    assert_true(about(pair(0, 1)->low, 1.25) && about(pair(0, 1)->high, 2));
    assert_true(pair(0, 1)->jobs == 3 && pair(0, 1)->flags == 0);
    assert_true(pair(1, 0)->flags == LSCHED_SLOWDOWN_UNKNOWN && about(pair(1, 0)->slowdown, 1));
    assert_true(pair(1, 0)->jobs == 0 && pair(2, 0)->flags == LSCHED_SLOWDOWN_UNKNOWN);
    assert_true(summary.jobs == 4 && summary.stalled == 0 && summary.brief == 0);
    lsched_forecast_slowdown_opts opts = options();
    opts.quantile_ppm = 900000;
    opts.least_jobs = 4;
    learn(samples, 8, &opts);
    assert_true(about(pair(0, 1)->slowdown, 2) && pair(0, 1)->flags == LSCHED_SLOWDOWN_FEW);
}

static void jobs_that_never_ran_alone(void **state) {
    (void)state;
    /* beside kind 1 a job takes 1.5 times as long, beside kind 2 twice as long as that */
    lsched_forecast_progress samples[16];
    size_t n = 0;
    for (uint32_t job = 0; job < 3; job++) {
        samples[n++] = (lsched_forecast_progress){job, 0, ALONE, 0, 3, 100};
        samples[n++] = (lsched_forecast_progress){job, 0, 1, 0, 2, 100};
        samples[n++] = (lsched_forecast_progress){10 + job, 0, 1, 0, 20, 100};
        samples[n++] = (lsched_forecast_progress){10 + job, 0, 2, 0, 10, 100};
        samples[n++] = (lsched_forecast_progress){20 + job, 1, 0, 0, 20, 100};
    }
    learn(samples, n, NULL);
    assert_true(about(pair(0, 1)->slowdown, 1.5) && pair(0, 1)->flags == 0);
    assert_true(about(pair(0, 2)->slowdown, 3));
    assert_int_equal(pair(0, 2)->flags, LSCHED_SLOWDOWN_INDIRECT);
    /* kind 1 ran beside kind 0 alone: there is nothing to compare that with */
    assert_int_equal(pair(1, 0)->flags, LSCHED_SLOWDOWN_UNKNOWN);
}

static void what_does_not_count(void **state) {
    (void)state;
    const lsched_forecast_progress samples[] = {
        {1, 0, ALONE, 0, 10, 100},  {1, 0, ALONE, 0, 0, 900}, /* it stood still */
        {1, 0, 1, 0, 5, 59},                                  /* too short */
        {2, 0, ALONE, 0, 10, 30},   {2, 0, ALONE, 0, 10, 30}, /* long enough together */
        {2, 0, 1, 0, 12, 60},                                 /* faster than alone */
        {3, 0, ALONE, 0, 1000, 60}, {3, 0, 2, 0, 1, 60},      /* slower than a table can say */
    };
    learn(samples, sizeof samples / sizeof samples[0], NULL);
    assert_true(summary.stalled == 1 && summary.brief == 1 && summary.jobs == 3);
    assert_true(pair(0, 1)->jobs == 1 && about(pair(0, 1)->slowdown, 1));
    assert_true(about(pair(0, 1)->low, 10.0 / 12) && pair(0, 1)->flags == LSCHED_SLOWDOWN_FEW);
    assert_true(about(pair(0, 2)->slowdown, 60) && about(pair(0, 2)->high, 1000));
    assert_int_equal(pair(0, 2)->flags, LSCHED_SLOWDOWN_FEW | LSCHED_SLOWDOWN_CUT);
    learn(NULL, 0, NULL);
    for (int i = 0; i < KINDS * KINDS; i++)
        assert_int_equal(table[i].flags, LSCHED_SLOWDOWN_UNKNOWN);
}

/* ---- against the table that made the samples ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % n;
}

/* About 1, by up to 8 % up or down. */
static double noise(void) {
    return 1 + ((double)draw(1001) + (double)draw(1001) - 1000) / 12500;
}

static void shuffle(lsched_forecast_progress *samples, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)draw(i);
        lsched_forecast_progress one = samples[i - 1];
        samples[i - 1] = samples[other];
        samples[other] = one;
    }
}

/* Draws what 24 jobs of each kind did, each alone and beside two kinds. One job in eight has a
 * neighbour that nobody knows of during one of the measurements. */
static size_t draw_samples(const double *truth, lsched_forecast_progress *samples) {
    size_t n = 0;
    for (uint32_t job = 0; job < 24 * KINDS; job++) {
        uint32_t kind = job % KINDS, skips = (uint32_t)draw(KINDS);
        double size = 1 + (double)draw(1000);
        uint32_t hit = draw(8) == 0 ? (uint32_t)draw(KINDS) : ALONE;
        samples[n++] = (lsched_forecast_progress){job, kind, ALONE, 0, size * noise(), 600};
        for (uint32_t beside = 0; beside < KINDS; beside++) {
            if (beside == skips) continue;
            double rate = size * noise() / truth[kind * KINDS + beside];
            if (beside == hit) rate /= 3;
            for (uint32_t piece = 0; piece < 3; piece++)
                samples[n++] = (lsched_forecast_progress){job, kind, beside, 0, rate, 200};
        }
    }
    return n;
}

static void numbers_come_back(void **state) {
    (void)state;
    static lsched_forecast_progress samples[SAMPLES];
    lsched_forecast_slowdown first[KINDS * KINDS];
    uint32_t pairs = 0, near = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        double truth[KINDS * KINDS];
        random_state = seed;
        for (int i = 0; i < KINDS * KINDS; i++) truth[i] = 1 + (double)draw(2000) / 1000;
        size_t n = draw_samples(truth, samples);
        learn(samples, n, NULL);
        memcpy(first, table, sizeof first);
        for (int i = 0; i < KINDS * KINDS; i++) {
            double part = table[i].slowdown / truth[i];
            assert_int_equal(table[i].flags, 0);
            if (part < 0.9 || part > 1.1)
                fail_msg("seed %d, pair %d: %f, not %f", (int)seed, i, table[i].slowdown, truth[i]);
            pairs++;
            near += part > 0.95 && part < 1.05;
        }
        shuffle(samples, n);
        learn(samples, n, NULL);
        assert_memory_equal(table, first, sizeof first);
    }
    print_message("%u of %u numbers within 5 %%\n", near, pairs);
    assert_true(near * 10 >= pairs * 9);
}

/* ---- bad calls ---- */

static void refused(const lsched_forecast_progress *samples, size_t n,
                    const lsched_forecast_slowdown_opts *opts, int32_t code, int64_t index,
                    const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_slowdown before[KINDS * KINDS];
    memset(table, 0x5a, sizeof table);
    memcpy(before, table, sizeof table);
    assert_int_equal(lsched_forecast_slowdowns_get(samples, n, opts, table, NULL, &err), code);
    assert_non_null(strstr(err.message, text));
    assert_int_equal(err.index, index);
    assert_memory_equal(before, table, sizeof table);
}

static void bad_samples(void **state) {
    (void)state;
    const lsched_forecast_slowdown_opts opts = options();
    const struct {
        lsched_forecast_progress sample;
        int32_t code;
        const char *text;
    } cases[] = {
        {{1, KINDS, ALONE, 0, 1, 60}, LSCHED_E_RANGE, "a job has the kind 3; there are 3"},
        {{1, 0, KINDS, 0, 1, 60}, LSCHED_E_RANGE, "a neighbour has the kind 3"},
        {{1, 0, ALONE, 0, -1, 60}, LSCHED_E_RANGE, "rate of a sample is -1"},
        {{1, 0, ALONE, 0, 1, 0}, LSCHED_E_RANGE, "expected how long it lasted"},
        {{1, 0, ALONE, 0, 1, -5}, LSCHED_E_RANGE, "seconds of a sample is -5"},
        {{1, 0, ALONE, 7, 1, 60}, LSCHED_E_INVAL, "reserved_zero"},
        {{7, 1, ALONE, 0, 1, 60}, LSCHED_E_INVAL, "job 7 has the kinds 0 and 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lsched_forecast_progress two[] = {{7, 0, ALONE, 0, 1, 60}, cases[i].sample};
        refused(two, 2, &opts, cases[i].code, 1, cases[i].text);
    }
    lsched_forecast_progress odd = {1, 0, ALONE, 0, 1, 60};
    const double no_numbers[] = {(double)NAN, (double)INFINITY, 1e30};
    for (int i = 0; i < 3; i++) {
        odd.rate = no_numbers[i];
        refused(&odd, 1, &opts, LSCHED_E_RANGE, 0, "rate of a sample is");
    }
}

static void bad_options(void **state) {
    (void)state;
    const lsched_forecast_progress one = {1, 0, ALONE, 0, 1, 60};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_slowdown_opts opts = options();
    refused(&one, 1, NULL, LSCHED_E_NULL, -1, "the options are NULL");
    refused(NULL, 1, &opts, LSCHED_E_NULL, -1, "their pointer is NULL");
    assert_int_equal(lsched_forecast_slowdowns_get(&one, 1, &opts, NULL, NULL, &err),
                     LSCHED_E_NULL);
    opts.n_kinds = 0;
    refused(&one, 1, &opts, LSCHED_E_RANGE, -1, "expected 1 to 32");
    opts.n_kinds = LSCHED_FORECAST_KINDS_MAX + 1;
    refused(&one, 1, &opts, LSCHED_E_RANGE, -1, "expected 1 to 32");
    opts = options();
    opts.quantile_ppm = 1000001;
    refused(&one, 1, &opts, LSCHED_E_RANGE, -1, "quantile_ppm");
    opts = options();
    opts.least_seconds = (double)NAN;
    refused(&one, 1, &opts, LSCHED_E_RANGE, -1, "least_seconds");
    opts = options();
    refused(&one, LSCHED_FORECAST_PROGRESS_MAX + (size_t)1, &opts, LSCHED_E_LIMIT, -1, "at most");
    lsched_forecast_slowdown_summary unset = {.size = 0};
    assert_int_equal(lsched_forecast_slowdowns_get(&one, 1, &opts, table, &unset, &err),
                     LSCHED_E_SIZE);
}

static void out_of_memory(void **state) {
    (void)state;
    const lsched_forecast_progress two[] = {{1, 0, ALONE, 0, 2, 60}, {1, 0, 1, 0, 1, 60}};
    struct fault_alloc faults = {.calls = 0};
    const lsched_allocator hooks = fault_hooks(&faults);
    lsched_forecast_slowdown_opts opts = options();
    opts.allocator = &hooks;
    learn(two, 2, &opts);
    assert_true(about(pair(0, 1)->slowdown, 2));
    faults.fail_at = faults.calls + 1;
    refused(two, 2, &opts, LSCHED_E_NOMEM, -1, "no memory for 2 samples");
    assert_true(faults.live_blocks == 0 && faults.wrong_sizes == 0 && faults.failures == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_counts_once), cmocka_unit_test(jobs_that_never_ran_alone),
        cmocka_unit_test(what_does_not_count),  cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(bad_samples),          cmocka_unit_test(bad_options),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
