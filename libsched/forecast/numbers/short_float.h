/*
 * short_float.h -- numbers of 16 bits: the exponent of a float and the first bits of its mantissa,
 * rounded to the nearest.
 *
 * A number that is not negative has 8 bits of mantissa, and an error of at most 1/512 of it; a
 * signed number has 7 bits, and an error of at most 1/256. Seasonal memories and the forecasts that
 * wait for their slot have such numbers; with floats, a series would not fit into its 3 KB.
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

/* number: from -2^100 to 2^100 */
static inline uint16_t short_float_signed_make(double number) {
    float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return (uint16_t)((bits + 0x8000u) >> 16);
}
static inline double short_float_signed_value(uint16_t small) {
    uint32_t bits = (uint32_t)small << 16;
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

#endif
