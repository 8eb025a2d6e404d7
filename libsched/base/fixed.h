/*
 * fixed.h -- functions for exp, log, powers and remainders whose results have the same bits on
 * every machine.
 *
 * The last bit of the results of libm differs between platforms and versions, and a score that
 * differs in its last bit can change a decision. These functions use only + - * / on doubles,
 * comparisons, and exact changes of the exponent. IEEE 754 defines every bit of the results of
 * these operations. The library is built with -ffp-contract=off, therefore no compiler replaces
 * them by other operations. The error of a result is below 0.6 ulp (units in the last place).
 * Therefore a result that a double can represent exactly is exact. For 0, infinity and NaN the
 * results are those of C99. A call costs 10 to 100 ns. Why not a libm with tables and correct
 * rounding: it is faster, but a thousand lines long.
 */
#ifndef LIBSCHED_FIXED_H
#define LIBSCHED_FIXED_H

double fixed_exp(double x);
double fixed_exp2(double x);
double fixed_log(double x);
double fixed_log2(double x);
double fixed_pow(double x, double y);
/* Returns the remainder of x / y, with the same bits as fmod() of C. The function uses only shifts
 * and subtractions of integers, which are exact. */
double fixed_fmod(double x, double y);

#endif
