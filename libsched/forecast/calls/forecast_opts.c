/* forecast_opts.c -- see forecast_opts.h. */
#include "forecast/calls/forecast_opts.h"

#include "base/call_args.h"
#include "forecast/series/series_limits.h"

#define ONE_HOUR_US   ((int64_t)3600 * 1000000)
#define SLOT_DEFAULT  (ONE_HOUR_US / 6)
#define SIGMA_HALF_US (12 * ONE_HOUR_US) /* half-life of mean and variance of SIGMA */

static const int64_t default_horizons[HORIZONS] = {0, ONE_HOUR_US, 6 * ONE_HOUR_US,
                                                   24 * ONE_HOUR_US};

int32_t forecast_value_check(double value, const char *what, lsched_error *err) {
    if (value >= 0.0 && value <= VALUE_MAX) return LSCHED_OK; /* false for NaN */
    return fail(err, LSCHED_E_RANGE, "%s is %g; expected a number from 0 to 2^62", what, value);
}

static int32_t opts_horizons(const lsched_forecast_opts *o, struct series_opts *out,
                             lsched_error *err) {
    int given = o->horizons_us[0] != 0;
    int64_t before = 0;
    for (uint32_t i = 0; i < HORIZONS; i++) {
        int64_t us = given ? o->horizons_us[i] : default_horizons[i];
        if (us < 0 || us / out->slot_us >= LSCHED_FORECAST_SLOTS_MAX + (us % out->slot_us == 0))
            return fail(err, LSCHED_E_RANGE,
                        "horizon %u is %lld us; expected at most %d slots of %lld us", i,
                        (long long)us, LSCHED_FORECAST_SLOTS_MAX, (long long)out->slot_us);
        int64_t slots = us / out->slot_us + (us % out->slot_us != 0);
        if (!given && slots <= before) slots = before + 1;
        if (slots <= before)
            return fail(err, LSCHED_E_INVAL,
                        "horizon %u is %lld slots; expected more than the one before, %lld", i,
                        (long long)slots, (long long)before);
        out->horizon_slots[i] = (uint32_t)slots;
        before = slots;
    }
    return LSCHED_OK;
}

/* Sets *slots to a half-life in slots, or to the default. */
static int32_t opts_half_life(int64_t us, int64_t preset_us, const struct series_opts *out,
                              const char *what, double *slots, lsched_error *err) {
    int32_t rc = arg_time(us, what, err);
    if (rc != LSCHED_OK) return rc;
    *slots = (double)(us != 0 ? us : preset_us) / (double)out->slot_us;
    if (*slots < 0.01 || *slots > 1e9)
        return fail(err, LSCHED_E_RANGE, "%s is %g slots; expected 0.01 to 10^9", what, *slots);
    return LSCHED_OK;
}

int32_t forecast_opts_read(const lsched_forecast_opts *opts, struct series_opts *out,
                           const lsched_allocator **allocator, lsched_error *err) {
    lsched_forecast_opts o = LSCHED_INIT(lsched_forecast_opts);
    int32_t rc = LSCHED_OK;
    if (opts != NULL) rc = arg_struct(&o, sizeof o, opts, 0, "forecast options", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved(o.reserved_zero, "reserved_zero", "forecast options", err);
    if (rc != LSCHED_OK) return rc;
    *allocator = o.allocator;
    *out = (struct series_opts){.slot_us = o.slot_us != 0 ? o.slot_us : SLOT_DEFAULT,
                                .request = o.request,
                                .sigmas = o.sigmas != 0.0 ? o.sigmas : 3.0};
    if (out->slot_us < LSCHED_FORECAST_SLOT_US_MIN || out->slot_us > LSCHED_FORECAST_SLOT_US_MAX)
        return fail(err, LSCHED_E_RANGE, "slot_us is %lld; expected 1 second to 1 hour",
                    (long long)out->slot_us);
    rc = forecast_value_check(o.request, "request", err);
    if (rc == LSCHED_OK && !(out->sigmas > 0.0 && out->sigmas <= SIGMAS_MAX))
        rc = fail(err, LSCHED_E_RANGE, "sigmas is %g; expected above 0, at most %g", o.sigmas,
                  SIGMAS_MAX);
    if (rc == LSCHED_OK) rc = opts_horizons(&o, out, err);
    if (rc == LSCHED_OK)
        rc = opts_half_life(o.ewma_half_life_us, 2 * out->slot_us, out, "ewma_half_life_us",
                            &out->ewma_slots, err);
    if (rc == LSCHED_OK)
        rc = opts_half_life(o.hist_half_life_us, 24 * ONE_HOUR_US, out, "hist_half_life_us",
                            &out->hist_slots, err);
    out->moment_slots = (double)SIGMA_HALF_US / (double)out->slot_us;
    return rc;
}
