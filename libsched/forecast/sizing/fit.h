/*
 * fit.h -- the least size that holds two needs: memory and compute, each for itself.
 *
 * Both calls that compare sizes read their arguments here, so that both refuse the same ones.
 */
#ifndef LIBSCHED_FORECAST_FIT_H
#define LIBSCHED_FORECAST_FIT_H

#include <libsched/sizing.h>

struct fit_input {
    lsched_forecast_need memory, compute; /* a need that was not given is 0 */
    const lsched_forecast_size *sizes;
    size_t n;
};

int32_t fit_read(const lsched_forecast_need *memory, const lsched_forecast_need *compute,
                 const lsched_forecast_size *sizes, size_t n, struct fit_input *out,
                 lsched_error *err);
/* True if the size holds both needs times `slack`. */
int fit_holds(const struct fit_input *fit, const lsched_forecast_size *size, double slack);
/* Returns the cheapest size that holds both needs times `slack`, the first of equals, or
 * LSCHED_FORECAST_NO_SIZE. With `above`, only sizes count that have more than `above` of each
 * resource that is at its capacity. */
uint32_t fit_least(const struct fit_input *fit, double slack, const lsched_forecast_size *above);

#endif
