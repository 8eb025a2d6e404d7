/* fit.c -- see fit.h; the call that finds the least size, share and number of devices. */
#include "forecast/sizing/fit.h"

#include "base/call_args.h"
#include "forecast/calls/forecast_opts.h"
#include "forecast/sizing/need_read.h"

#define FIT_MILLI_MAX 1e15

static int32_t fit_size_check(const lsched_forecast_size *size, const char *what,
                              lsched_error *err) {
    int32_t rc = arg_reserved(size->reserved_zero, "reserved_zero", what, err);
    if (rc == LSCHED_OK) rc = forecast_value_check(size->memory, "memory of a size", err);
    if (rc == LSCHED_OK) rc = forecast_value_check(size->compute, "compute of a size", err);
    return rc;
}

int32_t fit_read(const lsched_forecast_need *memory, const lsched_forecast_need *compute,
                 const lsched_forecast_size *sizes, size_t n, struct fit_input *out,
                 lsched_error *err) {
    int32_t rc = LSCHED_OK;
    *out = (struct fit_input){.sizes = sizes, .n = n};
    if (memory == NULL && compute == NULL)
        return fail(err, LSCHED_E_NULL, "there is no need: memory and compute are NULL");
    if (n > 0 && sizes == NULL)
        return fail(err, LSCHED_E_NULL, "there are %zu sizes, but their pointer is NULL", n);
    if (n > LSCHED_FORECAST_SIZES_MAX)
        return fail(err, LSCHED_E_LIMIT, "%zu sizes; at most %d", n, LSCHED_FORECAST_SIZES_MAX);
    if (memory != NULL) rc = need_read(memory, "the need of memory", &out->memory, err);
    if (rc == LSCHED_OK && compute != NULL)
        rc = need_read(compute, "the need of compute", &out->compute, err);
    for (size_t i = 0; rc == LSCHED_OK && i < n; i++) {
        rc = fit_size_check(&sizes[i], "a size", err);
        if (rc != LSCHED_OK && err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)i;
    }
    return rc;
}

int fit_holds(const struct fit_input *fit, const lsched_forecast_size *size, double slack) {
    return fit->memory.upper * slack <= size->memory && fit->compute.upper * slack <= size->compute;
}

/* True if the size has more than `above` of each resource that is at its capacity. */
static int fit_exceeds(const struct fit_input *fit, const lsched_forecast_size *size,
                       const lsched_forecast_size *above) {
    return (!(fit->memory.flags & LSCHED_NEED_AT_CAPACITY) || size->memory > above->memory) &&
           (!(fit->compute.flags & LSCHED_NEED_AT_CAPACITY) || size->compute > above->compute);
}

uint32_t fit_least(const struct fit_input *fit, double slack, const lsched_forecast_size *above) {
    uint32_t best = LSCHED_FORECAST_NO_SIZE;
    for (uint32_t i = 0; i < fit->n; i++) {
        if (best != LSCHED_FORECAST_NO_SIZE && fit->sizes[i].milli >= fit->sizes[best].milli)
            continue;
        if (!fit_holds(fit, &fit->sizes[i], slack)) continue;
        if (above == NULL || fit_exceeds(fit, &fit->sizes[i], above)) best = i;
    }
    return best;
}

/* Returns the least whole number that is at least `x`. */
static uint64_t fit_ceil(double x) {
    uint64_t whole = (uint64_t)x;
    return (double)whole < x ? whole + 1 : whole;
}

/* Raises the share and the number of devices to what one resource needs. */
static int32_t fit_device(double need, double has, const char *what, lsched_forecast_fit *fit,
                          lsched_error *err) {
    if (need <= 0.0) return LSCHED_OK;
    if (!(need * 1000.0 <= has * FIT_MILLI_MAX))
        return fail(err, LSCHED_E_RANGE, "%g of %s are needed, and a device has %g", need, what,
                    has);
    uint64_t milli = fit_ceil(need * 1000.0 / has), devices = fit_ceil(need / has);
    if (milli > fit->milli) fit->milli = milli;
    if (devices > fit->devices) fit->devices = devices;
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_fit_get(const lsched_forecast_need *memory,
                                           const lsched_forecast_need *compute,
                                           const lsched_forecast_size *sizes, size_t n,
                                           const lsched_forecast_size *device,
                                           lsched_forecast_fit *out, lsched_error *err) {
    struct fit_input fit;
    lsched_forecast_fit found = LSCHED_INIT(lsched_forecast_fit);
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (out == NULL) return fail(err, LSCHED_E_NULL, "out is NULL");
    rc = fit_read(memory, compute, sizes, n, &fit, err);
    if (rc == LSCHED_OK && device != NULL) rc = fit_size_check(device, "the device", err);
    if (rc == LSCHED_OK && device != NULL)
        rc = fit_device(fit.memory.upper, device->memory, "memory", &found, err);
    if (rc == LSCHED_OK && device != NULL)
        rc = fit_device(fit.compute.upper, device->compute, "compute", &found, err);
    if (rc != LSCHED_OK) return rc;
    found.index = fit_least(&fit, 1.0, NULL);
    rc = arg_out(out, &found, sizeof found);
    return rc == LSCHED_OK ? rc : fail(err, rc, "lsched_forecast_fit: size is not set");
}
