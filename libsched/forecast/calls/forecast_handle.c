/*
 * forecast_handle.c -- see forecast_handle.h; the calls that copy, save, load and end series.
 */
#include "forecast/calls/forecast_handle.h"

#include <string.h>

#include "base/call_args.h"
#include "forecast/series/series_image.h"

_Static_assert(sizeof(struct series_image) <= LSCHED_FORECAST_BYTES_MAX,
               "the image of a series has at most 3 KB");

int32_t forecast_handle_new(const lsched_allocator *hooks, lsched_forecast_series **out,
                            lsched_error *err) {
    struct alloc alloc;
    int32_t rc = arg_allocator(hooks, "the allocator of a series", err);
    if (rc == LSCHED_OK) rc = alloc_init(&alloc, hooks, 0);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    lsched_forecast_series *fresh = alloc_zero(&alloc, sizeof *fresh);
    if (fresh == NULL) return fail(err, LSCHED_E_NOMEM, "no memory for a series of forecasts");
    fresh->hooks = alloc.hooks;
    *out = fresh;
    return LSCHED_OK;
}

void forecast_handle_free(lsched_forecast_series *series) {
    const lsched_allocator hooks = series->hooks; /* the memory of the copy ends here */
    hooks.free(hooks.user, series, sizeof *series);
}

LSCHED_API void lsched_forecast_destroy(lsched_forecast_series *series) {
    if (series != NULL) forecast_handle_free(series);
}

LSCHED_API int32_t lsched_forecast_clone(const lsched_forecast_series *series,
                                         lsched_forecast_series **inout, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL || inout == NULL) return fail(err, LSCHED_E_NULL, "a series is NULL");
    lsched_forecast_series *to = *inout;
    if (to == NULL) rc = forecast_handle_new(&series->hooks, &to, err);
    if (rc != LSCHED_OK || to == NULL) return rc;
    to->series = series->series;
    *inout = to;
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_save(const lsched_forecast_series *series, void *bytes,
                                        size_t capacity, lsched_error *err) {
    struct series_image image;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL || bytes == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", series == NULL ? "the series" : "bytes");
    if (capacity < sizeof image)
        return fail(err, LSCHED_E_LIMIT,
                    "the image of a series has %zu bytes; there is room for %zu", sizeof image,
                    capacity);
    series_image_save(&series->series, &image);
    memcpy(bytes, &image, sizeof image);
    return (int32_t)sizeof image;
}

LSCHED_API int32_t lsched_forecast_load(const lsched_allocator *allocator, const void *bytes,
                                        size_t n, lsched_forecast_series **out, lsched_error *err) {
    lsched_forecast_series *fresh = NULL;
    struct series series;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (bytes == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", bytes == NULL ? "bytes" : "out");
    rc = series_image_load(&series, bytes, n, err);
    if (rc == LSCHED_OK) rc = forecast_handle_new(allocator, &fresh, err);
    if (rc != LSCHED_OK || fresh == NULL) return rc;
    fresh->series = series;
    *out = fresh;
    return LSCHED_OK;
}
