/*
 * need.c -- what a job needs of one resource: a bound that holds for its next observation, except
 * for a stated risk.
 *
 * An observation is the greatest sample of a slot, or one run. The bound is an order statistic: if
 * n observations and the next one are exchangeable, each of the n + 1 is the greatest with equal
 * probability, so the next one is above the m-th greatest of the n with the probability m / (n +
 * 1) at most. This holds for each distribution, and for each n; a plain quantile of few samples
 * does not keep its risk. (Wilks 1941; Vovk, Gammerman, Shafer 2005, for the same bound on
 * residuals.)
 *
 * The recent part of the window gets a bound of its own, and the greater bound counts. Without it,
 * a load that rose an hour ago would be a rare observation among those of two weeks.
 *
 * Why not the decayed histogram of a series: its buckets are up to 9 % wide, as wide as the
 * distance between two sizes sometimes is, and it does not tell how many observations it rests on.
 * Cost: O(n log n) and 24 bytes for each sample.
 */
#include <string.h>

#include <libsched/sizing.h>

#include "base/alloc.h"
#include "base/call_args.h"
#include "base/sort.h"
#include "forecast/calls/forecast_opts.h"
#include "forecast/sizing/need_read.h"

#define NEED_HOUR_US ((int64_t)3600 * 1000000)
#define NEED_DAY_US  (24 * NEED_HOUR_US)
#define FULL_PART    0.98 /* from this part of the capacity on, nothing above can be measured */

struct need_work {
    lsched_forecast_need_opts opts;
    lsched_forecast_sample *samples; /* sorted; later the observations */
    double *values;                  /* room for as many numbers */
    size_t n, recent;                /* observations; the first of the recent part */
    int64_t now_us;
};

#define NEED_SAMPLE_BEFORE(of, a, b) \
    ((a).at_us < (b).at_us || ((a).at_us == (b).at_us && (a).value < (b).value))
#define NEED_VALUE_BEFORE(of, a, b) ((a) > (b))
SORT_IN_PLACE(need_sort_samples, lsched_forecast_sample, const struct need_work *,
              NEED_SAMPLE_BEFORE)
SORT_IN_PLACE(need_sort_values, double, const struct need_work *, NEED_VALUE_BEFORE)

static int32_t need_span(int64_t *us, int64_t preset_us, const char *what, lsched_error *err) {
    int32_t rc = arg_time(*us, what, err);
    if (*us == 0) *us = preset_us;
    return rc;
}

static int32_t need_opts_read(const lsched_forecast_need_opts *opts, lsched_forecast_need_opts *o,
                              lsched_error *err) {
    const char *what = "options of a need";
    int32_t rc = LSCHED_OK;
    *o = (lsched_forecast_need_opts){.size = sizeof *o};
    if (opts != NULL) rc = arg_struct(o, sizeof *o, opts, 0, what, err);
    if (rc == LSCHED_OK) rc = arg_reserved(o->reserved_zero, "reserved_zero", what, err);
    if (rc == LSCHED_OK) rc = arg_allocator(o->allocator, what, err);
    if (rc == LSCHED_OK && o->flags & ~(uint32_t)(LSCHED_NEED_OF_RUNS | LSCHED_NEED_ZERO_IS_GAP))
        rc = fail(err, LSCHED_E_INVAL, "%s: unknown flags %#x", what, o->flags);
    if (rc == LSCHED_OK && o->risk_ppm > LSCHED_FORECAST_RISK_PPM_MAX)
        rc = fail(err, LSCHED_E_RANGE, "risk_ppm is %u; expected at most %u, one half", o->risk_ppm,
                  LSCHED_FORECAST_RISK_PPM_MAX);
    if (rc == LSCHED_OK) rc = need_span(&o->slot_us, NEED_HOUR_US / 6, "slot_us", err);
    if (rc == LSCHED_OK) rc = need_span(&o->window_us, 14 * NEED_DAY_US, "window_us", err);
    if (rc == LSCHED_OK) rc = need_span(&o->recent_us, NEED_DAY_US, "recent_us", err);
    if (rc == LSCHED_OK) rc = need_span(&o->stale_us, 2 * NEED_HOUR_US, "stale_us", err);
    if (rc == LSCHED_OK) rc = forecast_value_check(o->request, "request", err);
    if (rc == LSCHED_OK) rc = forecast_value_check(o->capacity, "capacity", err);
    if (o->risk_ppm == 0) o->risk_ppm = LSCHED_FORECAST_RISK_PPM;
    return rc;
}

/* Checks all samples, and finds the present time if the caller names none. */
static int32_t need_samples_check(const lsched_forecast_sample *samples, size_t n, int64_t *now_us,
                                  lsched_error *err) {
    int64_t latest_us = 0;
    int32_t rc = *now_us != LSCHED_NEVER_US ? arg_time(*now_us, "now_us", err) : LSCHED_OK;
    if (rc == LSCHED_OK && n > LSCHED_FORECAST_SAMPLES_MAX)
        rc = fail(err, LSCHED_E_LIMIT, "%zu samples; at most %d", n, LSCHED_FORECAST_SAMPLES_MAX);
    if (rc == LSCHED_OK && n != 0 && samples == NULL)
        rc = fail(err, LSCHED_E_NULL, "there are %zu samples, but their pointer is NULL", n);
    for (size_t i = 0; rc == LSCHED_OK && samples != NULL && i < n; i++) {
        rc = arg_time(samples[i].at_us, "at_us of a sample", err);
        if (rc == LSCHED_OK) rc = forecast_value_check(samples[i].value, "value of a sample", err);
        if (rc == LSCHED_OK && samples[i].at_us > *now_us)
            rc = fail(err, LSCHED_E_TIME,
                      "a sample is of the time %lld us, which is %lld us after now",
                      (long long)samples[i].at_us, (long long)(samples[i].at_us - *now_us));
        if (rc != LSCHED_OK && err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)i;
        if (samples[i].at_us > latest_us) latest_us = samples[i].at_us;
    }
    if (*now_us == LSCHED_NEVER_US) *now_us = latest_us;
    return rc;
}

/* Turns the sorted samples into observations, and counts those that are none. */
static void need_observe(struct need_work *w, lsched_forecast_need *need) {
    int runs = w->opts.flags & LSCHED_NEED_OF_RUNS, gaps = w->opts.flags & LSCHED_NEED_ZERO_IS_GAP;
    int64_t slot_us = w->opts.slot_us, slot = -1, from_us = w->now_us - w->opts.window_us;
    lsched_forecast_sample before = {-1, 0.0};
    size_t n = 0, all = w->n;
    for (size_t i = 0; i < all; i++) {
        lsched_forecast_sample one = w->samples[i];
        int again = !runs && one.at_us == before.at_us && one.value <= before.value;
        before = one;
        if (again) {
            need->duplicates++;
        } else if (one.at_us < from_us || (gaps && one.value <= 0.0)) {
            need->left_out++;
        } else {
            if (need->first_us == LSCHED_NEVER_US) need->first_us = one.at_us;
            need->last_us = one.at_us;
            if (one.value > need->peak) need->peak = one.value;
            if (runs || one.at_us / slot_us != slot) {
                w->samples[n++] = one;
            } else if (one.value > w->samples[n - 1].value) {
                w->samples[n - 1].value = one.value;
            }
            slot = one.at_us / slot_us;
        }
    }
    w->n = n;
    for (w->recent = n; w->recent > 0; w->recent--)
        if (w->samples[w->recent - 1].at_us < w->now_us - w->opts.recent_us) break;
}

/* The rank from the top of the observation that bounds the next one: 1 is the greatest; 0: there
 * are too few observations. */
static uint64_t need_rank(uint64_t n, uint32_t risk_ppm) {
    return (n + 1) * risk_ppm / 1000000;
}

/* Sorts the values of the observations from `first` on, the greatest first. Returns their bound. */
static double need_bound(struct need_work *w, size_t first) {
    size_t n = w->n - first, rank = (size_t)need_rank(n, w->opts.risk_ppm);
    if (w->samples == NULL) return 0.0; /* there is no memory where there is no sample */
    for (size_t i = 0; i < n; i++) w->values[i] = w->samples[first + i].value;
    need_sort_values(w, w->values, n);
    return n == 0 ? 0.0 : w->values[rank > 0 ? rank - 1 : 0];
}

static void need_judge(struct need_work *w, lsched_forecast_need *need) {
    uint64_t n = w->n, rank = need_rank(n, w->opts.risk_ppm);
    double recent = need_bound(w, w->recent), all = need_bound(w, 0);
    need->observed = n;
    need->risk_ppm = w->opts.risk_ppm;
    need->kept_ppm = (uint32_t)(((rank > 0 ? rank : 1) * 1000000 + n) / (n + 1));
    need->upper = recent > all ? recent : all;
    if (n > 0) need->quantile = w->values[n * w->opts.risk_ppm / 1000000];
    if (w->opts.capacity > 0.0 && need->upper >= FULL_PART * w->opts.capacity)
        need->flags |= LSCHED_NEED_AT_CAPACITY;
    if (w->recent < n && recent <= 0.0) need->flags |= LSCHED_NEED_SILENT;
    if (w->opts.flags & LSCHED_NEED_OF_RUNS)
        need->flags |= LSCHED_NEED_BY_RUN;
    else if (n == 0 || w->now_us - need->last_us >= w->opts.stale_us)
        need->flags |= LSCHED_NEED_STALE;
    if (rank == 0) {
        need->flags |= LSCHED_NEED_FEW;
        if (need->upper < w->opts.request) need->upper = w->opts.request;
    }
}

/* Works on a copy of the samples. */
static int32_t need_work_out(struct need_work *w, const lsched_forecast_sample *samples, size_t n,
                             lsched_forecast_need *need, lsched_error *err) {
    struct alloc alloc;
    size_t bytes = n * (sizeof w->samples[0] + sizeof w->values[0]);
    int32_t rc = alloc_init(&alloc, w->opts.allocator, 0);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    void *block = alloc_new(&alloc, bytes);
    if (block == NULL && n > 0) return fail(err, LSCHED_E_NOMEM, "no memory for %zu samples", n);
    w->samples = block;
    w->n = n;
    if (n > 0) {
        w->values = (double *)(void *)(w->samples + n);
        memcpy(w->samples, samples, n * sizeof samples[0]);
        if (!need_sort_samples_is_done(w, w->samples, n)) need_sort_samples(w, w->samples, n);
        need_observe(w, need);
    }
    need_judge(w, need);
    alloc_free(&alloc, block, bytes);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_need_get(const lsched_forecast_sample *samples, size_t n,
                                            int64_t now_us, const lsched_forecast_need_opts *opts,
                                            lsched_forecast_need *out, lsched_error *err) {
    struct need_work w = {.now_us = now_us};
    lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need);
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (out == NULL) return fail(err, LSCHED_E_NULL, "out is NULL");
    need.first_us = need.last_us = LSCHED_NEVER_US;
    rc = need_opts_read(opts, &w.opts, err);
    if (rc == LSCHED_OK) rc = need_samples_check(samples, n, &w.now_us, err);
    if (rc == LSCHED_OK) rc = need_work_out(&w, samples, n, &need, err);
    if (rc != LSCHED_OK) return rc;
    rc = arg_out(out, &need, sizeof need);
    return rc == LSCHED_OK ? rc : fail(err, rc, "lsched_forecast_need: size is not set");
}

int32_t need_read(const lsched_forecast_need *from, const char *what, lsched_forecast_need *to,
                  lsched_error *err) {
    *to = (lsched_forecast_need){.size = sizeof *to};
    int32_t rc = arg_struct(to, sizeof *to, from, 0, what, err);
    if (rc == LSCHED_OK) rc = forecast_value_check(to->upper, what, err);
    if (rc == LSCHED_OK) rc = forecast_value_check(to->peak, what, err);
    if (rc == LSCHED_OK) rc = forecast_value_check(to->quantile, what, err);
    if (rc == LSCHED_OK && (to->risk_ppm > 1000000 || to->kept_ppm > 1000000))
        rc = fail(err, LSCHED_E_RANGE, "%s has a risk above 1", what);
    return rc;
}
