/*
 * forecast_calls.c -- the calls of forecast.h that give samples to a series and read forecasts.
 *
 * An atomic batch is checked as a whole before its first sample is added. Adding a good sample
 * cannot fail; therefore nothing has to be undone.
 */
#include <string.h>

#include "base/call_args.h"
#include "base/limits.h"
#include "forecast/calls/forecast_handle.h"
#include "forecast/calls/forecast_opts.h"

_Static_assert(LSCHED_FORECAST_HORIZONS == HORIZONS && LSCHED_FORECAST_EXPERTS == EXPERTS,
               "the header and the series agree");
#define QUANTILE_MIN 0.5
#define QUANTILE_MAX 0.999

static const char *const expert_names[EXPERTS] = {"last",  "ewma", "day",  "week",
                                                  "trend", "hist", "peak", "sigma"};

LSCHED_API const char *lsched_forecast_expert_name(uint32_t expert) {
    return expert < EXPERTS ? expert_names[expert] : NULL;
}

LSCHED_API int32_t lsched_forecast_create(const lsched_forecast_opts *opts,
                                          lsched_forecast_series **out, lsched_error *err) {
    struct series_opts read;
    const lsched_allocator *allocator = NULL;
    lsched_forecast_series *fresh = NULL;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (out == NULL) return fail(err, LSCHED_E_NULL, "out is NULL");
    rc = forecast_opts_read(opts, &read, &allocator, err);
    if (rc == LSCHED_OK) rc = forecast_handle_new(allocator, &fresh, err);
    if (rc != LSCHED_OK || fresh == NULL) return rc;
    series_begin(&fresh->series, &read);
    *out = fresh;
    return LSCHED_OK;
}

static int32_t sample_check(const lsched_forecast_sample *sample, int64_t now_us, size_t i,
                            lsched_error *err) {
    int32_t rc = arg_time(sample->at_us, "at_us of a sample", err);
    if (rc == LSCHED_OK) rc = forecast_value_check(sample->value, "value of a sample", err);
    if (rc == LSCHED_OK && sample->at_us > now_us)
        rc = fail(err, LSCHED_E_TIME, "a sample is of the time %lld us, which is %lld us after now",
                  (long long)sample->at_us, (long long)(sample->at_us - now_us));
    if (rc != LSCHED_OK && err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)i;
    return rc;
}

struct sample_batch {
    const char *at;
    size_t n, stride;
    int64_t now_us;
    uint32_t flags;
    int32_t *status;
};

static lsched_forecast_sample sample_at(const struct sample_batch *batch, size_t i) {
    lsched_forecast_sample sample;
    memcpy(&sample, batch->at + i * batch->stride, sizeof sample);
    return sample;
}

/* Fills the status of all samples. Returns the first error, and sets *good to the number of good
 * samples. */
static int32_t samples_check(const struct sample_batch *batch, size_t *good, lsched_error *err) {
    int32_t first = LSCHED_OK;
    *good = 0;
    for (size_t i = 0; i < batch->n; i++) {
        lsched_forecast_sample sample = sample_at(batch, i);
        int32_t rc = sample_check(&sample, batch->now_us, i, first == LSCHED_OK ? err : NULL);
        if (batch->status != NULL) batch->status[i] = rc;
        if (first == LSCHED_OK) first = rc;
        *good += rc == LSCHED_OK;
    }
    return first;
}

static int32_t samples_read(struct sample_batch *batch, size_t elem_size,
                            const lsched_batch_opts *opts, lsched_error *err) {
    lsched_batch_opts o = LSCHED_INIT(lsched_batch_opts);
    int32_t rc = LSCHED_OK;
    if (opts != NULL) rc = arg_struct(&o, sizeof o, opts, 0, "batch options", err);
    if (rc != LSCHED_OK) return rc;
    if (o.flags & ~(uint32_t)(LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT))
        return fail(err, LSCHED_E_INVAL, "batch options: unknown flags %#x", o.flags);
    if (batch->n != 0 && batch->at == NULL)
        return fail(err, LSCHED_E_NULL, "the batch has %zu samples, but its pointer is NULL",
                    batch->n);
    if (batch->n > LIMIT_BATCH_MAX)
        return fail(err, LSCHED_E_LIMIT, "a batch of %zu samples; at most %u", batch->n,
                    LIMIT_BATCH_MAX);
    /* a sample has no size field, and cannot tell its own */
    if (batch->n != 0 && (elem_size < sizeof(lsched_forecast_sample) || elem_size % 8 != 0))
        return fail(err, LSCHED_E_SIZE, "elem_size is %zu; expected %zu, a multiple of 8",
                    elem_size, sizeof(lsched_forecast_sample));
    batch->stride = elem_size;
    batch->flags = o.flags;
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_samples_add(lsched_forecast_series *series, int64_t now_us,
                                               const lsched_forecast_sample *samples, size_t n,
                                               size_t elem_size, const lsched_batch_opts *opts,
                                               int32_t *status, lsched_error *err) {
    struct sample_batch batch = {(const char *)samples, n, 0, now_us, 0, status};
    size_t good;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL) return fail(err, LSCHED_E_NULL, "the series is NULL");
    if (now_us != LSCHED_NEVER_US) rc = arg_time(now_us, "now_us", err);
    if (rc == LSCHED_OK) rc = samples_read(&batch, elem_size, opts, err);
    if (rc != LSCHED_OK) return rc;
    rc = samples_check(&batch, &good, err);
    if (rc != LSCHED_OK && !(batch.flags & LSCHED_BATCH_PARTIAL)) return rc;
    for (size_t i = 0; i < n; i++) {
        lsched_forecast_sample sample = sample_at(&batch, i);
        if (good < n && sample_check(&sample, now_us, i, NULL) != LSCHED_OK) continue;
        int added = series_add(&series->series, sample.at_us, sample.value);
        if (status != NULL && !added && batch.flags & LSCHED_BATCH_IDEMPOTENT)
            status[i] = LSCHED_UNCHANGED;
    }
    return (int32_t)good;
}

LSCHED_API int32_t lsched_forecast_advance(lsched_forecast_series *series, int64_t now_us,
                                           lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL) return fail(err, LSCHED_E_NULL, "the series is NULL");
    rc = arg_time(now_us, "now_us", err);
    if (rc == LSCHED_OK) series_advance(&series->series, now_us);
    return rc;
}

LSCHED_API int32_t lsched_forecast_get(const lsched_forecast_series *series, int64_t now_us,
                                       double quantile, lsched_forecast *out, lsched_error *err) {
    struct outlook found[HORIZONS];
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", series == NULL ? "the series" : "out");
    rc = arg_time(now_us, "now_us", err);
    if (rc == LSCHED_OK && !(quantile >= QUANTILE_MIN && quantile <= QUANTILE_MAX))
        rc = fail(err, LSCHED_E_RANGE, "quantile is %g; expected %g to %g", quantile, QUANTILE_MIN,
                  QUANTILE_MAX);
    if (rc != LSCHED_OK) return rc;
    const struct series *s = &series->series;
    lsched_forecast result = LSCHED_INIT(lsched_forecast);
    series_outlook(s, now_us, 1.0 - quantile, found);
    result.last_us = s->last_slot < 0 ? LSCHED_NEVER_US : (s->last_slot + 1) * s->slot_us;
    if (s->last_slot < 0) result.flags |= LSCHED_FORECAST_EMPTY;
    for (uint32_t i = 0; i < HORIZONS; i++) {
        const struct horizon *h = &s->horizons[i];
        if (found[i].stale && s->last_slot >= 0) result.flags |= LSCHED_FORECAST_STALE;
        result.points[i] =
            (lsched_forecast_point){.expected = found[i].expected,
                                    .upper = found[i].upper,
                                    .horizon_us = h->slots * s->slot_us,
                                    .expected_by = found[i].middle,
                                    .upper_by = found[i].bound,
                                    .judged = h->judged,
                                    .confidence_ppm = (uint32_t)(found[i].confidence * 1e6)};
    }
    rc = arg_out(out, &result, sizeof result);
    return rc == LSCHED_OK ? rc : fail(err, rc, "lsched_forecast: size is not set");
}

LSCHED_API int32_t lsched_forecast_info_get(const lsched_forecast_series *series,
                                            lsched_forecast_info *out, lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", series == NULL ? "the series" : "out");
    const struct series *s = &series->series;
    lsched_forecast_info info = LSCHED_INIT(lsched_forecast_info);
    info.bytes = (uint32_t)sizeof *series;
    info.samples = s->samples;
    info.late = s->late;
    info.slots = s->slots;
    info.gaps = s->gap_slots;
    info.slot_us = s->slot_us;
    info.request = s->request;
    info.peak = s->greatest;
    rc = arg_out(out, &info, sizeof info);
    return rc == LSCHED_OK ? rc : fail(err, rc, "lsched_forecast_info: size is not set");
}

LSCHED_API int32_t lsched_forecast_request_set(lsched_forecast_series *series, double request,
                                               lsched_error *err) {
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (series == NULL) return fail(err, LSCHED_E_NULL, "the series is NULL");
    rc = forecast_value_check(request, "request", err);
    if (rc == LSCHED_OK) series->series.request = request;
    return rc;
}
