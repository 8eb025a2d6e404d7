/*
 * log_hist.h -- histograms with buckets of geometric width whose weights are halved from time to
 * time, and their quantiles.
 *
 * Source of the rule: Rzadca et al., "Autopilot: workload autoscaling at Google", EuroSys 2020,
 * section 3.2 (boundaries that grow by a constant ratio, weights halved once in each half-life).
 *
 * One histogram has a side for numbers above zero, a bucket for zero, and optionally a side for
 * numbers below zero. Bucket 0 of a side is nearest to zero and has all smaller numbers. `top` is
 * the exponent of the highest octave of both sides. A number above this octave moves all weights to
 * lower buckets, and the lowest buckets are joined.
 *
 * What always holds: `total` is the sum of all weights. The boundaries are exact constants and
 * exponents; therefore no function of the mathematics library is needed. Cost: add() and halve()
 * O(buckets) at worst, quantile O(buckets).
 */
#ifndef LIBSCHED_FORECAST_LOG_HIST_H
#define LIBSCHED_FORECAST_LOG_HIST_H

#include <stdint.h>

enum { LOG_HIST_TOP_MIN = -200, LOG_HIST_TOP_MAX = 80 };

/* The parts of a histogram are columns of its owner. */
struct log_hist {
    uint16_t *above, *zero, *below; /* `below` is NULL if numbers below zero count as zero */
    uint32_t buckets;               /* number of buckets of each side */
    uint32_t per_octave;            /* 3 or 8 */
    int32_t *top;                   /* exponent of the highest octave; LOG_HIST_TOP_MIN: empty */
    uint32_t *total;
};

/* Adds a number with a weight. If a bucket would become too heavy, all weights are halved first. */
void log_hist_add(const struct log_hist *h, double number, uint32_t weight);
void log_hist_halve(const struct log_hist *h);
/* Returns the weight of all numbers that are certainly above `number`, and half of the weight of
 * its own bucket. */
double log_hist_weight_above(const struct log_hist *h, double number);
/* Returns the number above which there is the weight `tail`, with a linear part of its bucket. If
 * all numbers together have less weight, returns the least number. */
double log_hist_at_tail(const struct log_hist *h, double tail);

#endif
