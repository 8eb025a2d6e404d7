/*
 * duration_calls.c -- the calls of forecast.h that predict the durations of jobs.
 *
 * The steps by which an outrun prediction is raised are those of Tsafrir, Etsion and Feitelson
 * 2007, section 4.3: a job that outruns its prediction a little is expected to end soon, and one
 * that has outrun it for hours to run on for hours.
 */
#include <libsched/forecast.h>

#include "base/alloc.h"
#include "base/call_args.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/times.h"
#include "forecast/durations/run_table.h"

#define STEP_MINUTE_US ((int64_t)60 * 1000000)
enum { STEPS = 11 };

struct lsched_forecast_durations {
    struct run_table table;
    lsched_allocator hooks;
    size_t bytes;
};

static const int16_t step_minutes[STEPS] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000};

LSCHED_API int32_t lsched_forecast_durations_create(const lsched_forecast_durations_opts *opts,
                                                    lsched_forecast_durations **out,
                                                    lsched_error *err) {
    lsched_forecast_durations_opts o = LSCHED_INIT(lsched_forecast_durations_opts);
    struct alloc alloc;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (out == NULL) return fail(err, LSCHED_E_NULL, "out is NULL");
    if (opts != NULL) rc = arg_struct(&o, sizeof o, opts, 0, "durations options", err);
    if (rc == LSCHED_OK) rc = arg_allocator(o.allocator, "durations options", err);
    if (rc == LSCHED_OK && o.users_max > LSCHED_FORECAST_USERS_MAX)
        rc = fail(err, LSCHED_E_RANGE, "users_max is %u; expected at most %u", o.users_max,
                  LSCHED_FORECAST_USERS_MAX);
    if (rc == LSCHED_OK) rc = alloc_init(&alloc, o.allocator, 0);
    if (rc != LSCHED_OK) return rc;
    uint32_t users = o.users_max != 0 ? o.users_max : LSCHED_FORECAST_USERS_DEFAULT;
    size_t bytes = sizeof(lsched_forecast_durations) + run_table_bytes(users);
    lsched_forecast_durations *fresh = alloc_zero(&alloc, bytes);
    if (fresh == NULL)
        return fail(err, LSCHED_E_NOMEM, "no memory for the durations of %u users", users);
    fresh->hooks = alloc.hooks;
    fresh->bytes = bytes;
    run_table_begin(&fresh->table, users, fresh + 1);
    *out = fresh;
    return LSCHED_OK;
}

LSCHED_API void lsched_forecast_durations_destroy(lsched_forecast_durations *durations) {
    if (durations == NULL) return;
    const lsched_allocator hooks = durations->hooks; /* the memory of the copy ends here */
    hooks.free(hooks.user, durations, durations->bytes);
}

static int32_t duration_key(lsched_text user, uint64_t key[2], lsched_error *err) {
    int32_t rc = arg_name(&user, "the user", err);
    if (rc != LSCHED_OK) return rc;
    key[0] = hash_bytes(user.ptr, (size_t)user.len, 0);
    key[1] = hash_bytes(user.ptr, (size_t)user.len, key[0] + 1);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_duration_add(lsched_forecast_durations *durations,
                                                lsched_text user, int64_t ran_us,
                                                lsched_error *err) {
    uint64_t key[2];
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (durations == NULL) return fail(err, LSCHED_E_NULL, "durations is NULL");
    rc = duration_key(user, key, err);
    if (rc == LSCHED_OK) rc = arg_time(ran_us, "ran_us", err);
    if (rc == LSCHED_OK) run_table_add(&durations->table, key, ran_us);
    return rc;
}

/* Raises a prediction that ran_us has reached. */
static int64_t duration_raised(int64_t predicted_us, int64_t ran_us) {
    int64_t longest = step_minutes[STEPS - 1] * STEP_MINUTE_US, over = ran_us - predicted_us;
    if (over < 0) return predicted_us;
    for (int i = 0; i < STEPS; i++)
        if (step_minutes[i] * STEP_MINUTE_US > over)
            return time_after(predicted_us, step_minutes[i] * STEP_MINUTE_US);
    return time_after(predicted_us, (over / longest + 1) * longest);
}

LSCHED_API int32_t lsched_forecast_duration_get(const lsched_forecast_durations *durations,
                                                lsched_text user, int64_t requested_us,
                                                int64_t ran_us, int64_t *out, lsched_error *err) {
    uint64_t key[2];
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (durations == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", out == NULL ? "out" : "durations");
    rc = duration_key(user, key, err);
    if (rc == LSCHED_OK && requested_us != LSCHED_NEVER_US)
        rc = arg_time(requested_us, "requested_us", err);
    if (rc == LSCHED_OK) rc = arg_time(ran_us, "ran_us", err);
    if (rc != LSCHED_OK) return rc;
    const struct run_row *row = run_table_find(&durations->table, key);
    int64_t predicted = requested_us;
    if (row != NULL) {
        int64_t before = row->runs[1] < 0 ? row->runs[0] : row->runs[1];
        predicted = row->runs[0] / 2 + before / 2 + (row->runs[0] % 2 + before % 2) / 2;
        if (predicted > requested_us) predicted = requested_us;
    }
    if (predicted != LSCHED_NEVER_US) predicted = duration_raised(predicted, ran_us);
    if (predicted > requested_us) predicted = requested_us;
    if (predicted <= ran_us && ran_us > 0) predicted = time_after(ran_us, STEP_MINUTE_US);
    *out = predicted;
    return LSCHED_OK;
}
