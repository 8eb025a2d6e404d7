/*
 * bound_master.h -- the restricted linear programme over patterns: least sum of x, each row
 * covered. Revised simplex with a dense inverse: a pivot costs rows squared. In floating point,
 * because its answer (prices of rows) is only a proposal: bound_columns.c turns prices into
 * integers and derives the bound anew from these. Only + - * / in a fixed order, so the same
 * everywhere.
 *
 * Demands are raised by tiny different amounts, so that the simplex does not stand still at equal
 * ratios.
 */
#ifndef LIBSCHED_PACK_BOUND_MASTER_H
#define LIBSCHED_PACK_BOUND_MASTER_H

#include "pack/problem/pack_arena.h"

#define MASTER_EPS   1e-9
#define MASTER_SLACK 0x80000000u /* basis[] of a surplus: this and its row */

struct master {
    uint32_t m, room;
    double *inverse; /* [m][m], row by row */
    double *x;       /* [m] of the basis */
    double *y;       /* [m] entering column */
    double *price;   /* [m] dual values */
    uint32_t *basis; /* [m] number of a column, or MASTER_SLACK | row */
    double value;
};

void master_new(struct master *s, uint32_t rows, struct pack_arena *arena);
/* Row i is covered by column first_column + i alone, demand[i] fold. */
void master_open(struct master *s, uint32_t m, const uint32_t *demand, uint32_t first_column);
/* 1 - sum of prices of the rows (with repeats): below 0, it is worth entering. */
double master_reduced(const struct master *s, const uint16_t *rows, uint32_t n);
/* The column enters. 0: it could not (numbers too small). */
int master_enter(struct master *s, uint32_t column, const uint16_t *rows, uint32_t n);
/* A row with a price below 0 gets its surplus in; 0: there is none. */
int master_relax(struct master *s);

#endif
