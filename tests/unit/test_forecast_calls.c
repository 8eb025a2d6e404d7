/* The calls of forecast.h: bad samples, late ones, gaps, copies, damaged images, memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/forecast.h>

#define MINUTE_US ((int64_t)60000000)
#define SLOT_US   (10 * MINUTE_US)
#define ANY_TIME  LSCHED_NEVER_US
/* A change of a method changes this number; then the version of images must rise, too, if an older
 * image has another meaning now. */
#define KNOWN_CHECKSUM UINT64_C(0x8ebb1a71a657bc07)

static double infinite(void) {
    volatile double big = 1e300;
    return big * big;
}

static lsched_forecast_series *fresh(double request) {
    lsched_forecast_opts opts = LSCHED_INIT(lsched_forecast_opts);
    lsched_forecast_series *series = NULL;
    opts.request = request;
    assert_int_equal(lsched_forecast_create(&opts, &series, NULL), LSCHED_OK);
    return series;
}

static int32_t add(lsched_forecast_series *series, int64_t at_us, double value, int64_t now_us,
                   lsched_error *err) {
    lsched_forecast_sample sample = {at_us, value};
    return lsched_forecast_samples_add(series, now_us, &sample, 1, sizeof sample, NULL, NULL, err);
}

static lsched_forecast forecast(const lsched_forecast_series *series, int64_t now_us, double q) {
    lsched_forecast out = LSCHED_INIT(lsched_forecast);
    assert_int_equal(lsched_forecast_get(series, now_us, q, &out, NULL), LSCHED_OK);
    return out;
}

static lsched_forecast_info info(const lsched_forecast_series *series) {
    lsched_forecast_info out = LSCHED_INIT(lsched_forecast_info);
    assert_int_equal(lsched_forecast_info_get(series, &out, NULL), LSCHED_OK);
    return out;
}

static void test_new_series(void **state) {
    (void)state;
    lsched_forecast_series *series = fresh(8000);
    lsched_forecast f = forecast(series, 0, 0.95);
    assert_int_equal(f.flags, LSCHED_FORECAST_EMPTY);
    assert_true(f.last_us == LSCHED_NEVER_US);
    for (int i = 0; i < LSCHED_FORECAST_HORIZONS; i++) {
        assert_true(f.points[i].upper == 8000 && f.points[i].expected == 8000);
        assert_int_equal(f.points[i].confidence_ppm, 0);
    }
    assert_int_equal(f.points[0].horizon_us, SLOT_US);
    assert_int_equal(f.points[1].horizon_us, 6 * SLOT_US);
    assert_int_equal(f.points[3].horizon_us, 144 * SLOT_US);
    /* one sample: its slot is open, and nothing is known yet */
    assert_int_equal(add(series, 5, 100, ANY_TIME, NULL), 1);
    assert_int_equal(forecast(series, 5, 0.95).flags, LSCHED_FORECAST_EMPTY);
    assert_int_equal(lsched_forecast_advance(series, SLOT_US, NULL), LSCHED_OK);
    f = forecast(series, SLOT_US, 0.95);
    assert_int_equal(f.flags, 0);
    assert_true(f.last_us == SLOT_US);
    /* one closed slot has the weight 1/13, the request 12/13; the greatest value is the bound */
    assert_true(f.points[0].expected > 7392.3 && f.points[0].expected < 7392.4);
    assert_true(f.points[3].upper > 7392.3 && f.points[3].upper < 7392.4);
    assert_int_equal(f.points[0].confidence_ppm, 76923);
    assert_int_equal(info(series).bytes <= LSCHED_FORECAST_BYTES_MAX, 1);
    lsched_forecast_destroy(series);
}

static void test_bad_samples(void **state) {
    (void)state;
    static const double values[] = {-1, -1e-300, 4.7e18, 1e300};
    lsched_forecast_series *series = fresh(0);
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_int_equal(add(series, 0, values[i], ANY_TIME, &err), LSCHED_E_RANGE);
    assert_int_equal(add(series, 0, infinite(), ANY_TIME, &err), LSCHED_E_RANGE);
    assert_int_equal(add(series, 0, infinite() - infinite(), ANY_TIME, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "value of a sample"));
    assert_int_equal(add(series, -1, 1, ANY_TIME, &err), LSCHED_E_RANGE);
    assert_int_equal(add(series, INT64_MAX, 1, ANY_TIME, &err), LSCHED_E_RANGE);
    assert_int_equal(add(series, 1001, 1, 1000, &err), LSCHED_E_TIME);
    assert_int_equal(err.index, 0);
    assert_int_equal(info(series).samples, 0);
    /* a batch is atomic, or skips what is bad */
    lsched_forecast_sample batch[3] = {{1, 5}, {2, -5}, {3, 7}};
    lsched_batch_opts partial = LSCHED_INIT(lsched_batch_opts);
    int32_t status[3];
    assert_int_equal(lsched_forecast_samples_add(series, ANY_TIME, batch, 3, sizeof batch[0], NULL,
                                                 status, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(err.index, 1);
    assert_int_equal(info(series).samples, 0);
    partial.flags = LSCHED_BATCH_PARTIAL;
    assert_int_equal(lsched_forecast_samples_add(series, ANY_TIME, batch, 3, sizeof batch[0],
                                                 &partial, status, &err),
                     2);
    assert_int_equal(status[0], LSCHED_OK);
    assert_int_equal(status[1], LSCHED_E_RANGE);
    assert_int_equal(status[2], LSCHED_OK);
    assert_int_equal(info(series).samples, 2);
    assert_int_equal(lsched_forecast_samples_add(series, ANY_TIME, batch, 3, 0, NULL, NULL, &err),
                     LSCHED_E_SIZE);
    assert_int_equal(lsched_forecast_samples_add(series, ANY_TIME, NULL, 1, 16, NULL, NULL, &err),
                     LSCHED_E_NULL);
    lsched_forecast_destroy(series);
}

/* Samples of a slot in any order, and twice, give the same series; late ones only count. */
static void test_order(void **state) {
    (void)state;
    lsched_forecast_series *a = fresh(0), *b = fresh(0);
    static const int order[] = {3, 0, 4, 1, 2, 0, 3};
    for (int slot = 0; slot < 50; slot++) {
        for (int i = 0; i < 5; i++)
            add(a, slot * SLOT_US + i * MINUTE_US, (slot * 7 + i * 13) % 11, ANY_TIME, NULL);
        for (int k = 0; k < 7; k++) {
            int i = order[k];
            add(b, slot * SLOT_US + i * MINUTE_US, (slot * 7 + i * 13) % 11, ANY_TIME, NULL);
        }
    }
    lsched_forecast_advance(a, 50 * SLOT_US, NULL);
    lsched_forecast_advance(b, 50 * SLOT_US, NULL);
    lsched_forecast x = forecast(a, 50 * SLOT_US, 0.9), y = forecast(b, 50 * SLOT_US, 0.9);
    assert_memory_equal(&x, &y, sizeof x);
    assert_int_equal(add(a, 49 * SLOT_US, 1000, ANY_TIME, NULL), 1);
    x = forecast(a, 50 * SLOT_US, 0.9);
    assert_memory_equal(&x, &y, sizeof x);
    assert_int_equal(info(a).late, 1);
    lsched_batch_opts idempotent = LSCHED_INIT(lsched_batch_opts);
    lsched_forecast_sample late = {0, 1};
    int32_t status = LSCHED_OK;
    idempotent.flags = LSCHED_BATCH_IDEMPOTENT;
    assert_int_equal(
        lsched_forecast_samples_add(a, ANY_TIME, &late, 1, sizeof late, &idempotent, &status, NULL),
        1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    lsched_forecast_destroy(a);
    lsched_forecast_destroy(b);
}

/* A sensor that falls silent: the bound does not fall below what is known. */
static void test_silence(void **state) {
    (void)state;
    lsched_forecast_series *series = fresh(500);
    for (int slot = 0; slot < 300; slot++)
        add(series, slot * SLOT_US, slot == 250 ? 90 : 10 + slot % 3, ANY_TIME, NULL);
    lsched_forecast_advance(series, 300 * SLOT_US, NULL);
    lsched_forecast now = forecast(series, 300 * SLOT_US, 0.95);
    assert_int_equal(now.flags, 0);
    lsched_forecast later = forecast(series, 310 * SLOT_US, 0.95);
    assert_int_equal(later.flags, LSCHED_FORECAST_STALE); /* the longest horizon is too short */
    assert_true(later.points[3].upper >= 500);            /* the request */
    assert_true(later.points[0].upper < 100);             /* an hour is still within 6 hours */
    lsched_forecast_advance(series, 400 * SLOT_US, NULL);
    assert_int_equal(info(series).gaps, 100);
    assert_true(info(series).peak == 90);
    /* after the silence the series goes on, also after years */
    assert_int_equal(add(series, (int64_t)1 << 60, 12, ANY_TIME, NULL), 1);
    lsched_forecast_advance(series, ((int64_t)1 << 60) + SLOT_US, NULL);
    now = forecast(series, ((int64_t)1 << 60) + SLOT_US, 0.95);
    assert_int_equal(now.flags, 0);
    lsched_forecast_destroy(series);
}

/* A load that stays where it never was: bounds do not wait for the first judged residual of it. */
static void test_run(void **state) {
    (void)state;
    static const int horizons[] = {1, 6, 36, 144};
    static const double tails[] = {0.1, 0.05, 0.01};
    lsched_forecast_series *series = fresh(0);
    for (int slot = 0; slot < 300; slot++)
        add(series, slot * SLOT_US, 10 + slot * 7 % 11, ANY_TIME, NULL);
    int below = 0;
    for (int slot = 300, repeats = 0; slot < 600; slot++, repeats++) {
        add(series, slot * SLOT_US, 40, ANY_TIME, NULL);
        lsched_forecast_advance(series, (slot + 1) * SLOT_US, NULL);
        for (int t = 0; t < 3; t++) {
            lsched_forecast f = forecast(series, (slot + 1) * SLOT_US, 1.0 - tails[t]);
            for (int h = 0; h < LSCHED_FORECAST_HORIZONS; h++) {
                if (repeats >= 4 * horizons[h]) continue; /* residuals know by now */
                if (repeats > 1.01 * tails[t] * (repeats + horizons[h]))
                    assert_true(f.points[h].upper >= 40);
                below += f.points[h].upper < 40;
            }
        }
    }
    assert_true(below > 0); /* the first bounds do not know of the run */
    lsched_forecast_destroy(series);
}

static void fill(lsched_forecast_series *series, int from, int to) {
    for (int slot = from; slot < to; slot++)
        add(series, slot * SLOT_US, (slot * 37) % 101, ANY_TIME, NULL);
}

static void test_copies(void **state) {
    (void)state;
    static unsigned char image[LSCHED_FORECAST_BYTES_MAX], again[LSCHED_FORECAST_BYTES_MAX];
    lsched_forecast_series *series = fresh(50), *copy = NULL, *loaded = NULL, *used = fresh(1);
    lsched_error err = LSCHED_ERROR_INIT;
    fill(series, 0, 400);
    int32_t n = lsched_forecast_save(series, image, sizeof image, &err);
    assert_in_range(n, 1, LSCHED_FORECAST_BYTES_MAX);
    assert_int_equal(lsched_forecast_save(series, image, (size_t)n - 1, &err), LSCHED_E_LIMIT);
    assert_int_equal(lsched_forecast_clone(series, &copy, &err), LSCHED_OK);
    fill(used, 5, 9);
    assert_int_equal(lsched_forecast_clone(series, &used, &err), LSCHED_OK);
    assert_int_equal(lsched_forecast_load(NULL, image, (size_t)n, &loaded, &err), LSCHED_OK);
    lsched_forecast_series *all[] = {series, copy, loaded, used};
    lsched_forecast first = LSCHED_INIT(lsched_forecast);
    for (int i = 0; i < 4; i++) {
        fill(all[i], 400, 700);
        lsched_forecast f = forecast(all[i], 700 * SLOT_US, 0.99);
        if (i == 0) first = f;
        assert_memory_equal(&f, &first, sizeof f);
        assert_int_equal(lsched_forecast_save(all[i], again, sizeof again, NULL), n);
        if (i == 0) memcpy(image, again, (size_t)n);
        assert_memory_equal(again, image, (size_t)n);
    }
    for (int i = 0; i < 4; i++) lsched_forecast_destroy(all[i]);
    lsched_forecast_destroy(NULL);
}

/* Every bit of a series is the same with every compiler: the image has one known checksum. */
static void test_same_everywhere(void **state) {
    (void)state;
    static unsigned char image[LSCHED_FORECAST_BYTES_MAX];
    lsched_forecast_series *series = fresh(50);
    uint64_t checksum;
    for (int slot = 0; slot < 2000; slot++)
        add(series, slot * SLOT_US, (slot * 37 % 101) * 0.1 + (slot % 144 > 60 ? 9.7 : 0), ANY_TIME,
            NULL);
    assert_in_range(lsched_forecast_save(series, image, sizeof image, NULL), 1, sizeof image);
    memcpy(&checksum, image + 16, sizeof checksum);
    assert_true(checksum == KNOWN_CHECKSUM);
    lsched_forecast_destroy(series);
}

static void test_damage(void **state) {
    (void)state;
    static unsigned char image[LSCHED_FORECAST_BYTES_MAX];
    lsched_forecast_series *series = fresh(50), *out = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    fill(series, 0, 100);
    size_t n = (size_t)lsched_forecast_save(series, image, sizeof image, NULL);
    for (size_t i = 0; i < n; i++) {
        image[i] ^= 0x10;
        int32_t rc = lsched_forecast_load(NULL, image, n, &out, &err);
        assert_true(rc == LSCHED_E_CORRUPT || rc == LSCHED_E_VERSION);
        image[i] ^= 0x10;
    }
    for (size_t less = 0; less < n; less += 7)
        assert_true(lsched_forecast_load(NULL, image, less, &out, &err) < 0);
    assert_null(out);
    assert_int_equal(lsched_forecast_load(NULL, image, n, &out, &err), LSCHED_OK);
    lsched_forecast_destroy(out);
    lsched_forecast_destroy(series);
}

static void test_options(void **state) {
    (void)state;
    lsched_forecast_series *out = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(lsched_forecast_create(NULL, &out, &err), LSCHED_OK);
    assert_true(info(out).slot_us == SLOT_US);
    lsched_forecast_destroy(out);
#define BAD(code, member, value)                                             \
    do {                                                                     \
        lsched_forecast_opts opts = LSCHED_INIT(lsched_forecast_opts);       \
        out = NULL;                                                          \
        opts.member = (value);                                               \
        assert_int_equal(lsched_forecast_create(&opts, &out, &err), (code)); \
        assert_null(out);                                                    \
    } while (0)
    BAD(LSCHED_E_RANGE, slot_us, 999999);
    BAD(LSCHED_E_RANGE, slot_us, LSCHED_FORECAST_SLOT_US_MAX + 1);
    BAD(LSCHED_E_RANGE, request, -1.0);
    BAD(LSCHED_E_RANGE, request, infinite() - infinite());
    BAD(LSCHED_E_RANGE, sigmas, -2.0);
    BAD(LSCHED_E_RANGE, ewma_half_life_us, -1);
    BAD(LSCHED_E_RANGE, hist_half_life_us, 1);
    BAD(LSCHED_E_INVAL, horizons_us[0], SLOT_US); /* the others are 0, not above it */
    BAD(LSCHED_E_RANGE, horizons_us[0], -SLOT_US);
    BAD(LSCHED_E_INVAL, reserved_zero, 1);
    BAD(LSCHED_E_SIZE, size, 4);
    lsched_forecast_opts opts = LSCHED_INIT(lsched_forecast_opts);
    opts.slot_us = 3600 * INT64_C(1000000); /* defaults that fall into one slot are set apart */
    assert_int_equal(lsched_forecast_create(&opts, &out, &err), LSCHED_OK);
    lsched_forecast f = forecast(out, 0, 0.5);
    assert_int_equal(f.points[0].horizon_us, opts.slot_us);
    assert_int_equal(f.points[1].horizon_us, 2 * opts.slot_us);
    lsched_forecast_destroy(out);
}

static int32_t left;
static void *limited_alloc(void *user, size_t bytes) {
    (void)user;
    return left-- > 0 ? malloc(bytes) : NULL;
}
static void *limited_realloc(void *user, void *old, size_t old_bytes, size_t bytes) {
    (void)user;
    (void)old_bytes;
    return realloc(old, bytes);
}
static void limited_free(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

/* One allocation for a series, and none later. */
static void test_memory(void **state) {
    (void)state;
    const lsched_allocator hooks = {sizeof hooks,    0,           NULL, limited_alloc,
                                    limited_realloc, limited_free};
    lsched_forecast_opts opts = LSCHED_INIT(lsched_forecast_opts);
    lsched_forecast_series *series = NULL, *copy = NULL;
    opts.allocator = &hooks;
    left = 0;
    assert_int_equal(lsched_forecast_create(&opts, &series, NULL), LSCHED_E_NOMEM);
    left = 1;
    assert_int_equal(lsched_forecast_create(&opts, &series, NULL), LSCHED_OK);
    fill(series, 0, 1000);
    forecast(series, 1000 * SLOT_US, 0.9);
    assert_int_equal(lsched_forecast_clone(series, &copy, NULL), LSCHED_E_NOMEM);
    assert_null(copy);
    left = 1;
    assert_int_equal(lsched_forecast_clone(series, &copy, NULL), LSCHED_OK);
    lsched_forecast_destroy(copy);
    lsched_forecast_destroy(series);
}

static void test_wrong_calls(void **state) {
    (void)state;
    lsched_forecast_series *series = fresh(0);
    lsched_forecast out = LSCHED_INIT(lsched_forecast);
    lsched_forecast_info what = LSCHED_INIT(lsched_forecast_info);
    assert_int_equal(lsched_forecast_create(NULL, NULL, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_get(NULL, 0, 0.9, &out, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_get(series, 0, 0.9, NULL, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_get(series, -1, 0.9, &out, NULL), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_get(series, 0, 0.4, &out, NULL), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_get(series, 0, infinite(), &out, NULL), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_advance(NULL, 0, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_advance(series, -1, NULL), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_info_get(NULL, &what, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_request_set(series, -1, NULL), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_request_set(series, 7, NULL), LSCHED_OK);
    assert_true(forecast(series, 0, 0.9).points[2].upper == 7);
    assert_int_equal(lsched_forecast_clone(NULL, &series, NULL), LSCHED_E_NULL);
    assert_string_equal(lsched_forecast_expert_name(LSCHED_FORECAST_PEAK), "peak");
    assert_null(lsched_forecast_expert_name(LSCHED_FORECAST_EXPERTS));
    lsched_forecast_destroy(series);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_new_series),
                                       cmocka_unit_test(test_bad_samples),
                                       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_silence),
                                       cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_wrong_calls),
                                       cmocka_unit_test(test_same_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
