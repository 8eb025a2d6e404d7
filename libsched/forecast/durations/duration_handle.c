/* duration_handle.c -- see duration_handle.h; the calls that make, copy, save, load and end a table
 * of durations. */
#include "forecast/durations/duration_handle.h"

#include "base/call_args.h"
#include "forecast/durations/run_image.h"

/* Makes an empty table. */
static int32_t duration_new(const lsched_allocator *hooks, uint32_t users,
                            lsched_forecast_durations **out, lsched_error *err) {
    struct alloc alloc;
    size_t bytes = sizeof(lsched_forecast_durations) + run_table_bytes(users);
    int32_t rc = alloc_init(&alloc, hooks, 0);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    lsched_forecast_durations *fresh = alloc_zero(&alloc, bytes);
    if (fresh == NULL)
        return fail(err, LSCHED_E_NOMEM, "no memory for the durations of %u users", users);
    fresh->hooks = alloc.hooks;
    fresh->bytes = bytes;
    run_table_begin(&fresh->table, users, fresh + 1);
    *out = fresh;
    return LSCHED_OK;
}

/* Makes an empty table with the options of a caller, which can be NULL. */
static int32_t duration_new_with(const lsched_forecast_durations_opts *opts,
                                 lsched_forecast_durations **out, lsched_error *err) {
    lsched_forecast_durations_opts o = LSCHED_INIT(lsched_forecast_durations_opts);
    int32_t rc = LSCHED_OK;
    if (opts != NULL) rc = arg_struct(&o, sizeof o, opts, 0, "durations options", err);
    if (rc == LSCHED_OK) rc = arg_allocator(o.allocator, "durations options", err);
    if (rc == LSCHED_OK && o.users_max > LSCHED_FORECAST_USERS_MAX)
        rc = fail(err, LSCHED_E_RANGE, "users_max is %u; expected at most %u", o.users_max,
                  LSCHED_FORECAST_USERS_MAX);
    if (rc != LSCHED_OK) return rc;
    uint32_t users = o.users_max != 0 ? o.users_max : LSCHED_FORECAST_USERS_DEFAULT;
    return duration_new(o.allocator, users, out, err);
}

LSCHED_API int32_t lsched_forecast_durations_create(const lsched_forecast_durations_opts *opts,
                                                    lsched_forecast_durations **out,
                                                    lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (out == NULL) return fail(err, LSCHED_E_NULL, "out is NULL");
    return duration_new_with(opts, out, err);
}

LSCHED_API void lsched_forecast_durations_destroy(lsched_forecast_durations *durations) {
    if (durations == NULL) return;
    const lsched_allocator hooks = durations->hooks; /* the memory of the copy ends here */
    hooks.free(hooks.user, durations, durations->bytes);
}

LSCHED_API int32_t lsched_forecast_durations_clone(const lsched_forecast_durations *durations,
                                                   lsched_forecast_durations **inout,
                                                   lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (durations == NULL || inout == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", inout == NULL ? "inout" : "durations");
    const struct run_table *from = &durations->table;
    lsched_forecast_durations *to = *inout;
    if (to == durations) return LSCHED_OK;
    if (to == NULL) rc = duration_new(&durations->hooks, from->rows_max, &to, err);
    if (rc != LSCHED_OK || to == NULL) return rc;
    run_table_copy(&to->table, from);
    *inout = to;
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_durations_save(const lsched_forecast_durations *durations,
                                                  void *bytes, size_t capacity, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (durations == NULL) return fail(err, LSCHED_E_NULL, "durations is NULL");
    size_t needed = run_image_bytes(&durations->table);
    if (bytes == NULL && capacity == 0) return (int32_t)needed;
    if (bytes == NULL) return fail(err, LSCHED_E_NULL, "bytes is NULL");
    if (capacity < needed)
        return fail(err, LSCHED_E_LIMIT,
                    "the image of durations has %zu bytes; there is room for %zu", needed,
                    capacity);
    run_image_save(&durations->table, bytes);
    return (int32_t)needed;
}

LSCHED_API int32_t lsched_forecast_durations_load(const lsched_forecast_durations_opts *opts,
                                                  const void *bytes, size_t n,
                                                  lsched_forecast_durations **out,
                                                  lsched_error *err) {
    lsched_forecast_durations *fresh = NULL;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (bytes == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", bytes == NULL ? "bytes" : "out");
    rc = duration_new_with(opts, &fresh, err);
    if (rc != LSCHED_OK || fresh == NULL) return rc;
    rc = run_image_load(&fresh->table, bytes, n, err);
    if (rc == LSCHED_OK)
        *out = fresh;
    else
        lsched_forecast_durations_destroy(fresh);
    return rc;
}
