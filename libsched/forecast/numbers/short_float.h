/*
 * short_float.h -- numbers of 16 bits that are not negative: the exponent of a float and 8 bits of
 * its mantissa, rounded to the nearest.
 *
 * The error is at most 1/512 of the number. Seasonal memories have one such number for each part of
 * a day or a week; with floats, a series would not fit into its 3 KB.
 */
#ifndef LIBSCHED_FORECAST_SHORT_FLOAT_H
#define LIBSCHED_FORECAST_SHORT_FLOAT_H

#include <stdint.h>
#include <string.h>

#define SHORT_FLOAT_MISSING ((uint16_t)0xFFFF)

/* number: from 0 to 2^100 */
static inline uint16_t short_float_make(double number) {
    float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return (uint16_t)((bits + 0x4000u) >> 15);
}
static inline double short_float_value(uint16_t small) {
    uint32_t bits = (uint32_t)small << 15;
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

#endif
