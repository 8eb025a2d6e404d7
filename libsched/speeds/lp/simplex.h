/*
 * simplex.h -- a small linear programme: maximise a sum of variables that are not negative, below
 * rows `sum <= limit` whose limits are not negative.
 *
 * The method is the primal simplex on a dense table of the columns that are 0. All variables at 0
 * is a valid beginning, because no limit is negative. After simplex_seek() has found the best
 * value, the caller can fix what it has found, and seek the best value of another sum from there.
 *
 * What always holds: the values are valid at any time, also if the work ends. Every variable has a
 * place, a row or a column. The result depends on the numbers alone: +, -, x and / of doubles,
 * ordered ties, no randomness.
 *
 * Cost: a pivot visits the rows that have the column, times the columns that have the row. Each
 * visit is charged, and the seek ends when the work is spent. Columns are chosen by the greatest
 * gain; after a long run of pivots that gain nothing, by Bland's rule, which cannot go in a circle.
 *
 * Why not a library: HiGHS and GLPK would be much larger than the rest of this part, GLPK has a
 * licence that not every host accepts, and neither promises equal results on all machines or a
 * bound in work. The programmes here are small, begin at a valid point, and need only this method.
 */
#ifndef LIBSCHED_SPEEDS_SIMPLEX_H
#define LIBSCHED_SPEEDS_SIMPLEX_H

#include "base/alloc.h"

/* A variable is a column of the programme, or rows' slack: the variable `columns + row`. */
struct simplex {
    struct alloc *alloc;
    double *cells;    /* rows x columns */
    double *limit;    /* value of the variable in each row */
    double *gain;     /* what a unit of the variable in each column adds to the sum */
    double *wanted;   /* the sum that is sought, by variable */
    uint32_t *in_row; /* the variable in each row */
    uint32_t *in_col; /* the variable in each column */
    uint32_t *place;  /* by variable: its row, or `rows` + its column */
    uint32_t *used;   /* columns that the row of a pivot has */
    size_t rows, columns;
    uint64_t work, work_max;
};

enum simplex_end { SIMPLEX_BEST, SIMPLEX_SPENT };

/* Makes a programme whose cells and limits are 0. False if there is no memory; simplex_close() is
 * to be called in any case. */
int simplex_open(struct simplex *s, struct alloc *alloc, size_t rows, size_t columns,
                 uint64_t work_max);
void simplex_close(struct simplex *s);
/* Sets a coefficient or limit. Only before the first seek. */
void simplex_set(struct simplex *s, size_t row, size_t column, double value);
void simplex_limit(struct simplex *s, size_t row, double limit);

/* Wants nothing; simplex_want() then adds a variable to the sum that is sought. */
void simplex_want_none(struct simplex *s);
void simplex_want(struct simplex *s, size_t column, double value);
/* Finds values with the greatest sum. */
enum simplex_end simplex_seek(struct simplex *s);
double simplex_value(const struct simplex *s, size_t column);
/* Returns how much the greatest sum grows with the limit of a row. */
double simplex_price(const struct simplex *s, size_t row);
/* Keeps `amount` of a column for good: the variable is from now on what it has above that. */
void simplex_keep(struct simplex *s, size_t column, double amount);
/* Takes a column whose value is 0 out of the rows, so that simplex_leave() can change it. */
void simplex_free_column(struct simplex *s, size_t column);
/* Subtracts 1 from the coefficient of a free column in a row. */
void simplex_leave(struct simplex *s, size_t column, size_t row);

#endif
