/* Durations of jobs: the mean of the latest two runs, the cap, steps when outrun, the bounded table
 * against a plain list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/forecast.h>

#include "base/hash.h"
#include "forecast/durations/run_image.h"
#include "property/chance.h"

#define MINUTE_US ((int64_t)60000000)
#define HOUR_US   (60 * MINUTE_US)

static int64_t predict(const lsched_forecast_durations *d, const char *user, int64_t requested,
                       int64_t ran) {
    int64_t out = -1;
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr(user), requested, ran, &out, NULL),
                     LSCHED_OK);
    return out;
}

static void ended(lsched_forecast_durations *d, const char *user, int64_t ran) {
    assert_int_equal(lsched_forecast_duration_add(d, lsched_cstr(user), ran, NULL), LSCHED_OK);
}

static void test_predictions(void **state) {
    (void)state;
    lsched_forecast_durations *d = NULL;
    assert_int_equal(lsched_forecast_durations_create(NULL, &d, NULL), LSCHED_OK);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 8 * HOUR_US); /* nothing known: the request */
    assert_true(predict(d, "ann", LSCHED_NEVER_US, 0) == LSCHED_NEVER_US);
    assert_true(predict(d, "ann", LSCHED_NEVER_US, HOUR_US) == LSCHED_NEVER_US);
    ended(d, "ann", 2 * HOUR_US);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 2 * HOUR_US); /* one run */
    ended(d, "ann", 4 * HOUR_US);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 3 * HOUR_US);
    ended(d, "ann", 1 * HOUR_US);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 5 * HOUR_US / 2); /* the latest two */
    assert_true(predict(d, "ann", 2 * HOUR_US, 0) == 2 * HOUR_US);     /* the cap */
    assert_true(predict(d, "bob", 8 * HOUR_US, 0) == 8 * HOUR_US);
    lsched_forecast_durations_destroy(d);
    lsched_forecast_durations_destroy(NULL);
}

static void test_outrun(void **state) {
    (void)state;
    static const int64_t minutes[] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000, 12000};
    lsched_forecast_durations *d = NULL;
    int64_t day = 24 * HOUR_US, hour = HOUR_US;
    assert_int_equal(lsched_forecast_durations_create(NULL, &d, NULL), LSCHED_OK);
    ended(d, "ann", hour);
    assert_true(predict(d, "ann", 900 * day, hour - 1) == hour);
    assert_true(predict(d, "ann", 900 * day, hour) == hour + MINUTE_US);
    for (int i = 0; i + 1 < 12; i++) {
        int64_t at = hour + minutes[i] * MINUTE_US;
        assert_true(predict(d, "ann", 900 * day, at - 1) == at);
        assert_true(predict(d, "ann", 900 * day, at) == hour + minutes[i + 1] * MINUTE_US);
    }
    assert_true(predict(d, "ann", hour + 20 * MINUTE_US, hour + 16 * MINUTE_US) ==
                hour + 20 * MINUTE_US); /* at most the request */
    assert_true(predict(d, "ann", 2 * hour, 2 * hour) == 2 * hour + MINUTE_US);
    assert_true(predict(d, "bob", 2 * hour, 3 * hour) == 3 * hour + MINUTE_US);
    lsched_forecast_durations_destroy(d);
}

static void test_bad_calls(void **state) {
    (void)state;
    lsched_forecast_durations *d = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    lsched_error err = LSCHED_ERROR_INIT;
    int64_t out = 0;
    opts.users_max = LSCHED_FORECAST_USERS_MAX + 1;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, &err), LSCHED_E_RANGE);
    opts.users_max = 1;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, &err), LSCHED_OK);
    assert_int_equal(lsched_forecast_duration_add(d, lsched_cstr(""), 1, &err), LSCHED_E_INVAL);
    assert_int_equal(lsched_forecast_duration_add(d, lsched_cstr("a"), -1, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_duration_add(NULL, lsched_cstr("a"), 1, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr("a"), -1, 0, &out, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr("a"), 1, -1, &out, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr("a"), 1, 1, NULL, &err),
                     LSCHED_E_NULL);
    lsched_forecast_durations_destroy(d);
}

/* The table against a list in which every run stands. */
enum { USERS = 40, RUNS = 3000 };

static void check_table(uint32_t users_max, uint64_t seed) {
    static int user_of[RUNS];
    static int64_t ran[RUNS];
    struct chance c = {seed};
    lsched_forecast_durations *d = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    opts.users_max = users_max;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, NULL), LSCHED_OK);
    for (int n = 0; n < RUNS; n++) {
        char name[8];
        user_of[n] = (int)chance_below(&c, USERS);
        ran[n] = (int64_t)chance_below(&c, 1000000);
        snprintf(name, sizeof name, "u%d", user_of[n]);
        ended(d, name, ran[n]);
        int asked = (int)chance_below(&c, USERS);
        snprintf(name, sizeof name, "u%d", asked);
        /* back to the latest run of the user: is it among the users_max latest users? */
        uint64_t others = 0;
        int at = n;
        for (; at >= 0 && user_of[at] != asked; at--) others |= (uint64_t)1 << user_of[at];
        int64_t expected = LSCHED_NEVER_US;
        if (at >= 0 && (uint32_t)__builtin_popcountll(others) < users_max) {
            int before = at - 1;
            /* the run before counts if the user was not forgotten in between */
            others = 0;
            for (; before >= 0 && user_of[before] != asked; before--)
                others |= (uint64_t)1 << user_of[before];
            int kept = before >= 0 && (uint32_t)__builtin_popcountll(others) < users_max;
            expected = (ran[at] + (kept ? ran[before] : ran[at])) / 2;
        }
        assert_true(predict(d, name, LSCHED_NEVER_US, 0) == expected);
    }
    lsched_forecast_durations_destroy(d);
}

static void test_table(void **state) {
    (void)state;
    uint64_t seed = chance_seed(1);
    for (uint32_t round = 0; round < chance_rounds(8); round++)
        check_table(1 + round * 5 % (USERS + 3), seed + round);
}

/* ---- copies and images ---- */

static lsched_forecast_durations *random_table(struct chance *c, uint32_t users_max, int runs) {
    lsched_forecast_durations *d = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    opts.users_max = users_max;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, NULL), LSCHED_OK);
    for (int n = 0; n < runs; n++) {
        char name[8];
        snprintf(name, sizeof name, "u%d", (int)chance_below(c, USERS));
        ended(d, name, (int64_t)chance_below(c, 1000000));
    }
    return d;
}

static size_t image_of(const lsched_forecast_durations *d, unsigned char *bytes, size_t capacity) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t needed = lsched_forecast_durations_save(d, NULL, 0, &err);
    assert_true(needed >= 24 && (size_t)needed <= capacity);
    memset(bytes, 0xee, capacity);
    assert_int_equal(lsched_forecast_durations_save(d, bytes, (size_t)needed - 1, &err),
                     LSCHED_E_LIMIT);
    assert_int_equal(bytes[0], 0xee);
    assert_int_equal(lsched_forecast_durations_save(d, bytes, capacity, &err), needed);
    return (size_t)needed;
}

enum { IMAGE_MAX = 24 + 32 * USERS };

/* Equal images, and equal ones again after further runs: also the order of users is the same. */
static void same_tables(lsched_forecast_durations *a, lsched_forecast_durations *b,
                        struct chance *c) {
    static unsigned char one[IMAGE_MAX], two[IMAGE_MAX];
    for (int round = 0; round < 3; round++) {
        size_t n = image_of(a, one, sizeof one);
        assert_int_equal(image_of(b, two, sizeof two), n);
        assert_memory_equal(one, two, n);
        for (int i = 0; i < 30; i++) {
            char name[8];
            snprintf(name, sizeof name, "u%d", (int)chance_below(c, USERS));
            int64_t ran = (int64_t)chance_below(c, 1000000);
            assert_true(predict(a, name, LSCHED_NEVER_US, 0) ==
                        predict(b, name, LSCHED_NEVER_US, 0));
            ended(a, name, ran);
            ended(b, name, ran);
        }
    }
}

static void test_copies(void **state) {
    (void)state;
    uint64_t seed = chance_seed(1);
    static unsigned char bytes[IMAGE_MAX];
    for (uint32_t round = 0; round < chance_rounds(40); round++) {
        struct chance c = {seed + round};
        lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
        opts.users_max = 1 + round % (USERS + 3);
        lsched_forecast_durations *loaded = NULL, *fresh = NULL,
                                  *d = random_table(&c, opts.users_max, (int)(round * 7));
        lsched_forecast_durations *kept = random_table(&c, opts.users_max, 100), *old = kept;
        assert_int_equal(lsched_forecast_durations_load(&opts, bytes, image_of(d, bytes, IMAGE_MAX),
                                                        &loaded, NULL),
                         LSCHED_OK);
        assert_int_equal(lsched_forecast_durations_clone(d, &fresh, NULL), LSCHED_OK);
        assert_int_equal(lsched_forecast_durations_clone(d, &kept, NULL), LSCHED_OK);
        assert_ptr_equal(kept, old);
        assert_int_equal(lsched_forecast_durations_clone(d, &d, NULL), LSCHED_OK);
        same_tables(loaded, fresh, &c);
        same_tables(kept, d, &c);
        lsched_forecast_durations_destroy(d);
        lsched_forecast_durations_destroy(kept);
        lsched_forecast_durations_destroy(fresh);
        lsched_forecast_durations_destroy(loaded);
    }
}

/* A smaller table takes the users whose latest runs are the newest, in both ways. */
static void test_smaller_tables(void **state) {
    (void)state;
    struct chance c = {chance_seed(3)};
    static unsigned char bytes[IMAGE_MAX];
    lsched_forecast_durations *d = random_table(&c, USERS, 500), *small = NULL, *loaded = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    opts.users_max = 5;
    assert_int_equal(lsched_forecast_durations_create(&opts, &small, NULL), LSCHED_OK);
    assert_int_equal(lsched_forecast_durations_clone(d, &small, NULL), LSCHED_OK);
    assert_int_equal(
        lsched_forecast_durations_load(&opts, bytes, image_of(d, bytes, IMAGE_MAX), &loaded, NULL),
        LSCHED_OK);
    assert_int_equal(lsched_forecast_durations_save(small, NULL, 0, NULL), 24 + 5 * 32);
    same_tables(small, loaded, &c);
    lsched_forecast_durations_destroy(d);
    lsched_forecast_durations_destroy(small);
    lsched_forecast_durations_destroy(loaded);
}

/* No bit of an image can change, and no byte can be missing or too many. */
static void test_damaged_images(void **state) {
    (void)state;
    struct chance c = {chance_seed(5)};
    static unsigned char bytes[IMAGE_MAX + 1];
    lsched_forecast_durations *d = random_table(&c, USERS, 500), *out = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = image_of(d, bytes, IMAGE_MAX);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        int32_t rc = lsched_forecast_durations_load(NULL, bytes, n, &out, &err);
        assert_int_equal(rc, bit < 96 ? LSCHED_E_VERSION : LSCHED_E_CORRUPT);
        assert_int_equal(rc, err.code);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t cut = 0; cut <= n + 1; cut++)
        if (cut != n)
            assert_int_equal(lsched_forecast_durations_load(NULL, bytes, cut, &out, &err),
                             LSCHED_E_CORRUPT);
    assert_null(out);
    assert_int_equal(lsched_forecast_durations_load(NULL, NULL, n, &out, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_durations_load(NULL, bytes, n, NULL, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_durations_save(NULL, bytes, n, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_durations_save(d, NULL, n, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_durations_clone(NULL, &out, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_durations_clone(d, NULL, &err), LSCHED_E_NULL);
    lsched_forecast_durations_destroy(d);
}

/* Images whose checksum is right, and whose rows are not. */
static void load_rows(const struct run_image_row *rows, uint32_t n, int32_t expected) {
    unsigned char bytes[24 + 32 * 4];
    struct run_image_head head;
    lsched_forecast_durations *d = NULL, *out = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(lsched_forecast_durations_create(NULL, &d, NULL), LSCHED_OK);
    assert_int_equal(lsched_forecast_durations_save(d, bytes, sizeof bytes, NULL), 24);
    lsched_forecast_durations_destroy(d);
    memcpy(&head, bytes, sizeof head);
    head.rows = n;
    head.checksum = hash_bytes(rows, n * sizeof rows[0], head.version);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, rows, n * sizeof rows[0]);
    assert_int_equal(lsched_forecast_durations_load(NULL, bytes, 24 + 32 * n, &out, &err),
                     expected);
    if (expected == LSCHED_OK) lsched_forecast_durations_destroy(out);
}

static void test_wrong_rows(void **state) {
    (void)state;
    const int64_t most = LSCHED_AMOUNT_MAX / 2;
    load_rows((struct run_image_row[]){{{1, 2}, {0, -1}}, {{1, 3}, {most, most}}}, 2, LSCHED_OK);
    load_rows((struct run_image_row[]){{{1, 2}, {5, 5}}, {{1, 2}, {5, 5}}}, 2, LSCHED_E_CORRUPT);
    load_rows((struct run_image_row[]){{{1, 2}, {-1, 5}}}, 1, LSCHED_E_CORRUPT);
    load_rows((struct run_image_row[]){{{1, 2}, {5, -2}}}, 1, LSCHED_E_CORRUPT);
    load_rows((struct run_image_row[]){{{1, 2}, {most + 1, 5}}}, 1, LSCHED_E_CORRUPT);
    load_rows((struct run_image_row[]){{{1, 2}, {5, most + 1}}}, 1, LSCHED_E_CORRUPT);
}

/* The memory ends after some allocations; a call that fails changes nothing. */
struct memory {
    int left, held;
};

static void *memory_alloc(void *user, size_t n) {
    struct memory *m = user;
    if (m->left == 0) return NULL;
    m->left--;
    m->held++;
    return malloc(n);
}

static void *memory_realloc(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    (void)user;
    (void)old_bytes;
    return realloc(old, new_bytes);
}

static void memory_free(void *user, void *old, size_t bytes) {
    struct memory *m = user;
    (void)bytes;
    m->held -= old != NULL;
    free(old);
}

static void test_no_memory(void **state) {
    (void)state;
    struct chance c = {chance_seed(7)};
    static unsigned char bytes[IMAGE_MAX];
    struct memory memory = {.left = 1};
    lsched_allocator hooks = {.size = sizeof hooks,
                              .user = &memory,
                              .alloc = memory_alloc,
                              .realloc = memory_realloc,
                              .free = memory_free};
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    opts.allocator = &hooks;
    lsched_forecast_durations *plain = random_table(&c, USERS, 100), *d = NULL, *out = NULL;
    size_t n = image_of(plain, bytes, IMAGE_MAX);
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, NULL), LSCHED_OK);
    assert_int_equal(lsched_forecast_durations_clone(d, &out, NULL), LSCHED_E_NOMEM);
    assert_int_equal(lsched_forecast_durations_load(&opts, bytes, n, &out, NULL), LSCHED_E_NOMEM);
    assert_int_equal(lsched_forecast_durations_clone(plain, &d, NULL), LSCHED_OK);
    assert_null(out);
    memory.left = 1;
    bytes[n - 1] ^= 1;
    assert_int_equal(lsched_forecast_durations_load(&opts, bytes, n, &out, NULL), LSCHED_E_CORRUPT);
    assert_null(out);
    assert_int_equal(memory.held, 1);
    lsched_forecast_durations_destroy(d);
    assert_int_equal(memory.held, 0);
    lsched_forecast_durations_destroy(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predictions),    cmocka_unit_test(test_outrun),
        cmocka_unit_test(test_bad_calls),      cmocka_unit_test(test_table),
        cmocka_unit_test(test_copies),         cmocka_unit_test(test_smaller_tables),
        cmocka_unit_test(test_damaged_images), cmocka_unit_test(test_wrong_rows),
        cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
