/*
 * cost_loss.h -- expected overload of a soft resource: s x L((K - m) / s) for a normal load of mean
 * m and deviation s on a capacity K, with L(u) = E[(N - u)+] of a standard normal N.
 *
 * All arithmetic is in integers: the square root has 32 significant bits, u is in units of 2^-16,
 * and L comes from a table in units of 2^-32 with linear interpolation. For a negative argument,
 * L(u) = L(-u) - u; therefore the table has only values for u >= 0. For u >= 6, L(u) counts as 0.
 * Cost: one square root and one 128-bit division, about 40 ns. The C function erfc is not used
 * because the last bit of its result differs between machines.
 */
#ifndef LIBSCHED_PACK_COST_LOSS_H
#define LIBSCHED_PACK_COST_LOSS_H

#include "base/wide.h"

/* True if a load fits a soft resource: mean + z sigma <= capacity. If the capacity is 0, no load
 * fits. Otherwise, if z is 0, every load fits. `var` is the sum of squared sigmas, which the caller
 * has limited to UINT64_MAX. */
int pack_soft_fits(int64_t mean, uint64_t var, int32_t capacity, uint32_t z_milli);

#define PACK_OVERLOAD_BITS 20
/* Returns the expected overload E[(load - capacity)+] in units of 2^-20. */
uint64_t pack_overload(int64_t mean, uint64_t var, int32_t capacity);
/* Returns the price of a bin's overload of one resource. `area` is the sum over time of
 * pack_overload x microseconds. `price` is the price of one hour in which the load exceeds the
 * capacity by that whole capacity. */
int64_t pack_overload_price(wide_u128 area, int32_t capacity, int64_t price);

#endif
