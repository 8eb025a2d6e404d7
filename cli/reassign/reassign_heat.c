/*
 * reassign_heat.c -- see reassign_heat.h.
 */
#include "cli/reassign/reassign_heat.h"

enum { LOG_BITS = 16, EXP_SHIFT = 30 };

__extension__ typedef unsigned __int128 wide_heat;

/* Returns the logarithm of 1 + i / 2^HEAT_BITS: each squaring gives one more bit of it. */
static uint32_t make_log2(uint64_t i) {
    uint64_t x = (((uint64_t)1 << HEAT_BITS) + i) << (62 - HEAT_BITS);
    uint32_t log = 0;
    for (int bit = 0; bit < LOG_BITS; bit++) {
        wide_heat square = (wide_heat)x * x >> 62;
        log <<= 1;
        if (square >> 63 != 0) {
            log |= 1;
            square >>= 1;
        }
        x = (uint64_t)square;
    }
    return log;
}

/* Returns the root of x, both in units of 2^-EXP_SHIFT. */
static uint64_t root_of(uint64_t x) {
    uint64_t root = 0;
    for (int bit = 31; bit >= 0; bit--) {
        uint64_t more = root | (uint64_t)1 << bit;
        if (more * more <= x << EXP_SHIFT) root = more;
    }
    return root;
}

void reassign_heat_begin(struct reassign_heat *h) {
    uint64_t factor[HEAT_BITS], root = (uint64_t)2 << EXP_SHIFT;
    for (int bit = HEAT_BITS - 1; bit >= 0; bit--) {
        root = root_of(root);
        factor[bit] = root;
    }
    for (uint32_t i = 0; i < 1u << HEAT_BITS; i++) {
        uint64_t power = (uint64_t)1 << EXP_SHIFT;
        for (int bit = 0; bit < HEAT_BITS; bit++)
            if (i >> bit & 1) power = power * factor[bit] >> EXP_SHIFT;
        h->exp2_of[i] = (uint32_t)power;
        h->log2_of[i] = make_log2(i);
    }
}

int64_t reassign_heat_log2(const struct reassign_heat *h, uint64_t x) {
    int top = 63 - __builtin_clzll(x);
    uint64_t mantissa = top >= HEAT_BITS ? x >> (top - HEAT_BITS) : x << (HEAT_BITS - top);
    return (int64_t)top * HEAT_ONE + h->log2_of[mantissa & ((1u << HEAT_BITS) - 1)];
}

int64_t reassign_heat_exp2(const struct reassign_heat *h, int64_t x) {
    int64_t whole = x / HEAT_ONE;
    uint64_t power = h->exp2_of[(x % HEAT_ONE) >> (LOG_BITS - HEAT_BITS)];
    return (int64_t)(whole >= EXP_SHIFT ? power << (whole - EXP_SHIFT)
                                        : power >> (EXP_SHIFT - whole));
}

int64_t reassign_heat_limit(const struct reassign_heat *h, int64_t heat, uint64_t random) {
    int64_t log = 64 * (int64_t)HEAT_ONE - reassign_heat_log2(h, random | 1);
    wide_heat limit = (wide_heat)(uint64_t)heat * (uint64_t)log;
    limit >>= LOG_BITS;
    return limit < HEAT_LIMIT_MAX ? (int64_t)limit : HEAT_LIMIT_MAX;
}
