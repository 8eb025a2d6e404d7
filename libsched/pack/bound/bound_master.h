/*
 * bound_master.h -- the restricted linear programme over patterns: minimises the sum of x such that
 * each row is covered. The method is the revised simplex method with a dense inverse; a pivot costs
 * rows squared. Arithmetic is in floating point, because the prices of the rows are only a
 * proposal: bound_columns.c rounds them to integers and derives the bound again from the integers.
 * Only the four basic operations in a fixed order are used, so the result is the same on every
 * machine.
 *
 * Demands are raised by different tiny amounts, so that the simplex method does not stall at equal
 * ratios.
 */
#ifndef LIBSCHED_PACK_BOUND_MASTER_H
#define LIBSCHED_PACK_BOUND_MASTER_H

#include "pack/problem/pack_arena.h"

#define MASTER_EPS   1e-9
#define MASTER_SLACK 0x80000000u /* basis[] entry of a surplus variable: this bit and the row */

struct master {
    uint32_t m, room;
    double *inverse; /* [m][m] inverse of the basis matrix, row by row */
    double *x;       /* [m] values of the basic variables */
    double *y;       /* [m] entering column */
    double *price;   /* [m] prices of the rows (dual values) */
    uint32_t *basis; /* [m] number of a column, or MASTER_SLACK | row */
    double value;
};

void master_new(struct master *s, uint32_t rows, struct pack_arena *arena);
/* Starts a programme in which row i is covered only by column first_column + i, `demand[i]`
 * times. */
void master_open(struct master *s, uint32_t m, const uint32_t *demand, uint32_t first_column);
/* Returns the reduced cost of a column: 1 - the sum of the prices of its rows (rows can repeat). A
 * column with a value below 0 improves the solution. */
double master_reduced(const struct master *s, const uint16_t *rows, uint32_t n);
/* Brings the column into the basis. Returns 0 if that is impossible because the numbers are too
 * small. */
int master_enter(struct master *s, uint32_t column, const uint16_t *rows, uint32_t n);
/* Brings the surplus variable of a row with a price below 0 into the basis. Returns 0 if there is
 * no such row. */
int master_relax(struct master *s);

#endif
