/*
 * bound_master.h -- the linear programme over the patterns that are known so far. It minimises the
 * sum of the patterns' values x, such that each row is covered. The method is the revised simplex
 * method with a dense inverse; a pivot costs rows squared. Arithmetic is in floating point. That is
 * safe because bound_columns.c rounds the prices of the rows to integers and proves the bound from
 * the integers alone. Only the four basic operations are used, in a fixed order; therefore the
 * result is the same on every machine.
 *
 * The demand of each row is raised by a different tiny amount, so that the simplex method does not
 * stall at equal ratios.
 */
#ifndef LIBSCHED_PACK_BOUND_MASTER_H
#define LIBSCHED_PACK_BOUND_MASTER_H

#include "pack/problem/pack_arena.h"

#define MASTER_EPS 1e-9
/* an element of basis[] with this bit stands for the surplus variable of a row; the other bits are
 * the row */
#define MASTER_SLACK 0x80000000u

struct master {
    uint32_t m, room;
    double *inverse; /* [m][m] inverse of the basis matrix, row by row */
    double *x;       /* [m] values of the basic variables */
    double *y;       /* [m] column that enters the basis */
    double *price;   /* [m] prices of the rows (dual values) */
    uint32_t *basis; /* [m] index of a column, or MASTER_SLACK | row */
    double value;
};

void master_new(struct master *s, uint32_t rows, struct pack_arena *arena);
/* Starts a programme with m rows. At the beginning, only column first_column + i covers row i, with
 * the value `demand[i]`. */
void master_open(struct master *s, uint32_t m, const uint32_t *demand, uint32_t first_column);
/* Returns the reduced cost of a column: 1 minus the sum of the prices of its rows, in which a row
 * can occur more than once. A column with a reduced cost below 0 improves the solution. */
double master_reduced(const struct master *s, const uint16_t *rows, uint32_t n);
/* Brings the column into the basis. Returns 0 if that is impossible because the pivot element is
 * too small. */
int master_enter(struct master *s, uint32_t column, const uint16_t *rows, uint32_t n);
/* Brings the surplus variable of a row with a price below 0 into the basis. Returns 0 if there is
 * no such row. */
int master_relax(struct master *s);

#endif
