/*
 * fixed.h -- exp, log and powers that give the same bits on every machine.
 *
 * libm's last bit differs between platforms and versions, and a score that differs in its last bit
 * can change a decision. These use only + - * / on doubles, comparisons and exact moves of the
 * exponent, each of which IEEE 754 defines to the bit; with -ffp-contract=off no compiler may
 * change them. Errors stay below 0.6 ulp, so a result that is a double is exact. Special values are
 * those of C99. Cost: 10 to 100 ns; the obvious other way, a table-driven correctly rounded libm,
 * is faster and a thousand lines.
 */
#ifndef LIBSCHED_FIXED_H
#define LIBSCHED_FIXED_H

double fixed_exp(double x);
double fixed_exp2(double x);
double fixed_log(double x);
double fixed_log2(double x);
double fixed_pow(double x, double y);

#endif
