/* log_hist.c -- see log_hist.h. */
#include "forecast/numbers/log_hist.h"

#include <stddef.h>
#include <string.h>

/* the part of a bucket, from its upper boundary, in which its numbers are taken to be: values that
 * come again and again are met by their bound rather than missed */
#define INSIDE 0.75
enum { WEIGHT_MOST = 65535, EXPONENT_BIAS = 1023, MANTISSA_BITS = 52 };

/* 2^(k/3) and 2^(k/8), the boundaries inside of one octave */
static const double thirds[] = {1.0, 1.2599210498948732, 1.5874010519681994};
static const double eighths[] = {1.0,
                                 1.0905077326652577,
                                 1.189207115002721,
                                 1.2968395546510096,
                                 1.4142135623730951,
                                 1.5422108254079407,
                                 1.681792830507429,
                                 1.8340080864093424};

static const double *log_hist_steps(const struct log_hist *h) {
    return h->per_octave == 3 ? thirds : eighths;
}

static double log_hist_power(int32_t exponent) {
    uint64_t bits = (uint64_t)(exponent + EXPONENT_BIAS) << MANTISSA_BITS;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Splits a number above zero into mantissa x 2^exponent; the mantissa is from 1 to below 2. */
static int32_t log_hist_split(double number, double *mantissa) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int32_t exponent = (int32_t)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    bits = (bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
    memcpy(mantissa, &bits, sizeof *mantissa);
    return exponent;
}

static void log_hist_shift_side(uint16_t *side, uint32_t buckets, uint32_t by) {
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < buckets && i <= by; i++) lowest += side[i];
    for (uint32_t i = 1; i < buckets; i++) side[i] = i + by < buckets ? side[i + by] : 0;
    side[0] = (uint16_t)(lowest < WEIGHT_MOST ? lowest : WEIGHT_MOST);
}

static uint32_t log_hist_sum(const struct log_hist *h) {
    uint32_t total = *h->zero;
    for (uint32_t i = 0; i < h->buckets; i++)
        total += h->above[i] + (h->below != NULL ? h->below[i] : 0u);
    return total;
}

static void log_hist_raise(const struct log_hist *h, int32_t exponent) {
    if (*h->top != LOG_HIST_TOP_MIN) {
        uint64_t by = (uint64_t)(exponent - *h->top) * h->per_octave;
        uint32_t steps = by < h->buckets ? (uint32_t)by : h->buckets;
        log_hist_shift_side(h->above, h->buckets, steps);
        if (h->below != NULL) log_hist_shift_side(h->below, h->buckets, steps);
        *h->total = log_hist_sum(h);
    }
    *h->top = exponent;
}

/* Returns the bucket, on its side, of a number above zero whose octave is not above `top`. */
static uint32_t log_hist_bucket(const struct log_hist *h, int32_t exponent, double mantissa) {
    const double *steps = log_hist_steps(h);
    uint32_t part = 0;
    while (part + 1 < h->per_octave && mantissa >= steps[part + 1]) part++;
    int64_t down = (int64_t)(*h->top - exponent) * h->per_octave + (h->per_octave - 1 - part);
    return down < h->buckets ? h->buckets - 1 - (uint32_t)down : 0;
}

void log_hist_add(const struct log_hist *h, double number, uint32_t weight) {
    uint16_t *at = h->zero;
    double size = number < 0.0 ? -number : number;
    if (size > 0.0 && (number > 0.0 || h->below != NULL)) {
        double mantissa;
        int32_t exponent = log_hist_split(size, &mantissa);
        if (exponent > LOG_HIST_TOP_MIN) {
            if (exponent > *h->top) log_hist_raise(h, exponent);
            at = (number > 0.0 ? h->above : h->below) + log_hist_bucket(h, exponent, mantissa);
        }
    }
    if (*at + weight > WEIGHT_MOST) log_hist_halve(h);
    *at = (uint16_t)(*at + weight);
    *h->total += weight;
}

/* True if the highest octave of the side is empty. */
static int log_hist_is_low(const uint16_t *side, const struct log_hist *h) {
    for (uint32_t i = 0; i < h->per_octave; i++)
        if (side[h->buckets - 1 - i] != 0) return 0;
    return 1;
}

/* Moves the weights one octave up, so that small numbers get buckets of their own again. */
static void log_hist_lower(const struct log_hist *h) {
    uint32_t by = h->per_octave;
    for (uint16_t *side = h->above; side != NULL; side = side == h->above ? h->below : NULL)
        for (uint32_t i = h->buckets; i-- > 0;)
            side[i] = i > by ? side[i - by] : i == by ? side[0] : 0;
    *h->top -= 1;
}

void log_hist_halve(const struct log_hist *h) {
    *h->zero >>= 1;
    for (uint32_t i = 0; i < h->buckets; i++) {
        h->above[i] >>= 1;
        if (h->below != NULL) h->below[i] >>= 1;
    }
    *h->total = log_hist_sum(h);
    if (*h->top > LOG_HIST_TOP_MIN + 1 && log_hist_is_low(h->above, h) &&
        (h->below == NULL || log_hist_is_low(h->below, h)))
        log_hist_lower(h);
}

double log_hist_weight_above(const struct log_hist *h, double number) {
    double size = number < 0.0 ? -number : number, mantissa, above = 0.0;
    int32_t exponent = size > 0.0 ? log_hist_split(size, &mantissa) : LOG_HIST_TOP_MIN;
    int side = exponent <= LOG_HIST_TOP_MIN ? 0 : number > 0.0 ? 1 : -1;
    uint32_t at = 0;
    if (side == 1 && exponent > *h->top) return 0.0;
    if (side == -1 && (h->below == NULL || exponent > *h->top)) return *h->total;
    if (side != 0) at = log_hist_bucket(h, exponent, mantissa);
    for (uint32_t i = h->buckets; i-- > (side == 1 ? at : 0);) above += h->above[i];
    if (side == 1) return above - 0.5 * h->above[at];
    if (side == 0) return above;
    above += *h->zero;
    for (uint32_t i = 0; i <= at; i++) above += h->below[i];
    return above - 0.5 * h->below[at];
}

/* Returns the lower boundary of a bucket; that of the bucket nearest to zero is 0. */
static double log_hist_edge(const struct log_hist *h, uint32_t bucket) {
    if (bucket == 0) return 0.0;
    uint32_t down = h->buckets - bucket; /* steps below the upper boundary of the side */
    uint32_t octaves = (down + h->per_octave - 1) / h->per_octave;
    return log_hist_power(*h->top + 1 - (int32_t)octaves) *
           log_hist_steps(h)[octaves * h->per_octave - down];
}

double log_hist_at_tail(const struct log_hist *h, double tail) {
    double before = 0.0, least = 0.0;
    for (uint32_t i = h->buckets; i-- > 0;) {
        uint16_t weight = h->above[i];
        if (weight == 0) continue;
        double low = log_hist_edge(h, i), high = log_hist_edge(h, i + 1);
        if (before + weight > tail)
            return high - (high - low) * (INSIDE * (tail - before) / weight);
        before += weight;
        least = low;
    }
    if (*h->zero != 0) {
        if (before + *h->zero > tail) return 0.0;
        before += *h->zero;
        least = 0.0;
    }
    for (uint32_t i = 0; h->below != NULL && i < h->buckets; i++) {
        uint16_t weight = h->below[i];
        if (weight == 0) continue;
        double low = log_hist_edge(h, i), high = log_hist_edge(h, i + 1);
        if (before + weight > tail)
            return -low - (high - low) * (INSIDE * (tail - before) / weight);
        before += weight;
        least = -high;
    }
    return least;
}
