/*
 * advice.c -- which size is advised for a job over time.
 *
 * What always holds: advice changes at most twice in any 24 hours and shrinks at most once, and it
 * shrinks only to a size that holds the bounds of both needs. A bound covers the recent part of the
 * samples, too (need.c), so a load that rose within the last day is never cut. A need that rests on
 * too little, or whose sensor says nothing or 0, lowers nothing.
 *
 * Why the second change of a day belongs to growth: a size that turns out too small must be left
 * at once, and one that turns out too large costs only money until tomorrow.
 */
#include "base/call_args.h"
#include "forecast/sizing/fit.h"

#define ADVICE_DAY_US ((int64_t)86400 * 1000000)
#define ADVICE_SLACK  1.05 /* a later shrink needs so much room above the need */

static const char *const reason_names[] = {"fits",  "grown",  "shrunk",   "lately", "few",
                                           "stale", "silent", "capacity", "margin", "none"};

LSCHED_API const char *lsched_forecast_reason_name(uint32_t reason) {
    return reason < sizeof reason_names / sizeof reason_names[0] ? reason_names[reason] : NULL;
}

/* True if a change at this time is less than a day ago. A clock that jumped back counts as such. */
static int advice_lately(int64_t changed_us, int64_t now_us) {
    return changed_us != LSCHED_NEVER_US && now_us - changed_us < ADVICE_DAY_US;
}

static int32_t advice_change(lsched_forecast_advice *advice, int64_t now_us, uint32_t index,
                             int32_t reason) {
    advice->before = reason == LSCHED_ADVICE_SHRUNK ? advice->index : LSCHED_FORECAST_NO_SIZE;
    advice->index = index;
    advice->changed_us[1] = advice->changed_us[0];
    advice->changed_us[0] = now_us;
    return reason;
}

/* `wanted` is a size that is enough where the present one is not, or NO_SIZE. */
static int32_t advice_grow(lsched_forecast_advice *advice, int64_t now_us,
                           const struct fit_input *fit, uint32_t wanted) {
    if (wanted == LSCHED_FORECAST_NO_SIZE) return LSCHED_ADVICE_NONE;
    if (advice_lately(advice->changed_us[1], now_us)) return LSCHED_ADVICE_LATELY;
    if (advice->before < fit->n && advice_lately(advice->changed_us[0], now_us) &&
        fit->sizes[advice->before].milli > fit->sizes[wanted].milli &&
        fit_holds(fit, &fit->sizes[advice->before], 1.0))
        wanted = advice->before;
    return advice_change(advice, now_us, wanted, LSCHED_ADVICE_GROWN);
}

static int32_t advice_shrink(lsched_forecast_advice *advice, int64_t now_us,
                             const struct fit_input *fit, uint32_t wanted) {
    uint32_t flags = fit->memory.flags | fit->compute.flags;
    uint32_t milli = fit->sizes[advice->index].milli;
    if (flags & LSCHED_NEED_FEW) return LSCHED_ADVICE_FEW;
    if (flags & LSCHED_NEED_STALE) return LSCHED_ADVICE_STALE;
    if (flags & LSCHED_NEED_SILENT) return LSCHED_ADVICE_SILENT;
    if (advice_lately(advice->changed_us[0], now_us)) return LSCHED_ADVICE_LATELY;
    if (advice->changed_us[0] != LSCHED_NEVER_US) wanted = fit_least(fit, ADVICE_SLACK, NULL);
    if (wanted == LSCHED_FORECAST_NO_SIZE || fit->sizes[wanted].milli >= milli)
        return LSCHED_ADVICE_MARGIN;
    return advice_change(advice, now_us, wanted, LSCHED_ADVICE_SHRUNK);
}

static int32_t advice_step(lsched_forecast_advice *advice, int64_t now_us,
                           const struct fit_input *fit) {
    const lsched_forecast_size *has = &fit->sizes[advice->index];
    uint32_t full = (fit->memory.flags | fit->compute.flags) & LSCHED_NEED_AT_CAPACITY;
    uint32_t wanted = fit_least(fit, 1.0, full ? has : NULL);
    if (full && wanted == LSCHED_FORECAST_NO_SIZE) return LSCHED_ADVICE_CAPACITY;
    if (full || !fit_holds(fit, has, 1.0)) return advice_grow(advice, now_us, fit, wanted);
    if (fit->sizes[wanted].milli < has->milli) return advice_shrink(advice, now_us, fit, wanted);
    return LSCHED_ADVICE_FITS;
}

LSCHED_API int32_t lsched_forecast_advise(lsched_forecast_advice *advice, int64_t now_us,
                                          const lsched_forecast_need *memory,
                                          const lsched_forecast_need *compute,
                                          const lsched_forecast_size *sizes, size_t n,
                                          lsched_error *err) {
    struct fit_input fit;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (advice == NULL) return fail(err, LSCHED_E_NULL, "advice is NULL");
    rc = arg_time(now_us, "now_us", err);
    if (rc == LSCHED_OK) rc = fit_read(memory, compute, sizes, n, &fit, err);
    for (int i = 0; rc == LSCHED_OK && i < 2; i++)
        if (advice->changed_us[i] != LSCHED_NEVER_US)
            rc = arg_time(advice->changed_us[i], "changed_us", err);
    if (rc == LSCHED_OK && advice->index >= n)
        rc = fail(err, LSCHED_E_RANGE, "the advice has size %u; there are %zu sizes", advice->index,
                  n);
    if (rc == LSCHED_OK && advice->before != LSCHED_FORECAST_NO_SIZE && advice->before >= n)
        rc = fail(err, LSCHED_E_RANGE, "the advice had size %u before; there are %zu sizes",
                  advice->before, n);
    return rc == LSCHED_OK ? advice_step(advice, now_us, &fit) : rc;
}
