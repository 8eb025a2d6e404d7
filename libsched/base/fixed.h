/*
 * fixed.h -- exp, log and powers that give the same bits on every machine.
 *
 * The last bit of libm's results differs between platforms and versions, and a score that differs
 * in its last bit can change a decision. These functions use only + - * / on doubles, comparisons
 * and exact changes of the exponent, all of which IEEE 754 defines to the bit; with
 * -ffp-contract=off no compiler changes them. Errors stay below 0.6 ulp, so a result that is
 * exactly a double is exact. Special values are those of C99. Cost: 10 to 100 ns. Why not a
 * table-driven, correctly rounded libm: it is faster, but a thousand lines long.
 */
#ifndef LIBSCHED_FIXED_H
#define LIBSCHED_FIXED_H

double fixed_exp(double x);
double fixed_exp2(double x);
double fixed_log(double x);
double fixed_log2(double x);
double fixed_pow(double x, double y);

#endif
