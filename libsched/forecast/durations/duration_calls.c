/*
 * duration_calls.c -- the calls of forecast.h that learn and predict durations of jobs.
 *
 * The steps by which an outrun prediction is raised are those of Tsafrir, Etsion and Feitelson
 * 2007, section 4.3: a job that outruns its prediction a little is expected to end soon, and one
 * that has outrun it for hours to run on for hours.
 */
#include <libsched/forecast.h>

#include "base/call_args.h"
#include "base/hash.h"
#include "base/times.h"
#include "forecast/durations/duration_handle.h"

#define STEP_MINUTE_US ((int64_t)60 * 1000000)
enum { STEPS = 11 };

static const int16_t step_minutes[STEPS] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000};

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
