/* simplex.c -- see simplex.h. */
#include "speeds/lp/simplex.h"

#include <string.h>

#define GAIN_LEAST  1e-9  /* a smaller gain is none */
#define PIVOT_LEAST 1e-9  /* a smaller coefficient does not bound a variable */
#define STEP_LEAST  1e-12 /* a smaller step gains nothing */
#define CELL_LEAST  1e-13 /* a smaller coefficient is 0 */

static double magnitude(double x) {
    return x < 0 ? -x : x;
}

int simplex_open(struct simplex *s, struct alloc *alloc, size_t rows, size_t columns,
                 uint64_t work_max) {
    size_t all = rows + columns;
    *s = (struct simplex){.alloc = alloc, .rows = rows, .columns = columns, .work_max = work_max};
    s->cells = alloc_zero(alloc, rows * columns * sizeof s->cells[0]);
    s->limit = alloc_zero(alloc, rows * sizeof s->limit[0]);
    s->gain = alloc_zero(alloc, columns * sizeof s->gain[0]);
    s->wanted = alloc_zero(alloc, all * sizeof s->wanted[0]);
    s->in_row = alloc_zero(alloc, rows * sizeof s->in_row[0]);
    s->in_col = alloc_zero(alloc, columns * sizeof s->in_col[0]);
    s->place = alloc_zero(alloc, all * sizeof s->place[0]);
    s->used = alloc_zero(alloc, columns * sizeof s->used[0]);
    if (s->cells == NULL || s->limit == NULL || s->gain == NULL || s->wanted == NULL ||
        s->in_row == NULL || s->in_col == NULL || s->place == NULL || s->used == NULL)
        return 0;
    for (size_t c = 0; c < columns; c++) {
        s->in_col[c] = (uint32_t)c;
        s->place[c] = (uint32_t)(rows + c);
    }
    for (size_t r = 0; r < rows; r++) {
        s->in_row[r] = (uint32_t)(columns + r);
        s->place[columns + r] = (uint32_t)r;
    }
    return 1;
}

void simplex_close(struct simplex *s) {
    size_t rows = s->rows, columns = s->columns, all = rows + columns;
    alloc_free(s->alloc, s->cells, rows * columns * sizeof s->cells[0]);
    alloc_free(s->alloc, s->limit, rows * sizeof s->limit[0]);
    alloc_free(s->alloc, s->gain, columns * sizeof s->gain[0]);
    alloc_free(s->alloc, s->wanted, all * sizeof s->wanted[0]);
    alloc_free(s->alloc, s->in_row, rows * sizeof s->in_row[0]);
    alloc_free(s->alloc, s->in_col, columns * sizeof s->in_col[0]);
    alloc_free(s->alloc, s->place, all * sizeof s->place[0]);
    alloc_free(s->alloc, s->used, columns * sizeof s->used[0]);
}

void simplex_set(struct simplex *s, size_t row, size_t column, double value) {
    s->cells[row * s->columns + column] = value;
}

void simplex_limit(struct simplex *s, size_t row, double limit) {
    s->limit[row] = limit;
}

void simplex_want_none(struct simplex *s) {
    memset(s->wanted, 0, (s->rows + s->columns) * sizeof s->wanted[0]);
}

void simplex_want(struct simplex *s, size_t column, double value) {
    s->wanted[column] = value;
}

/* Writes the gains of all columns for the sum that is wanted. */
static void simplex_gains(struct simplex *s) {
    for (size_t c = 0; c < s->columns; c++) s->gain[c] = s->wanted[s->in_col[c]];
    for (size_t r = 0; r < s->rows; r++) {
        double value = s->wanted[s->in_row[r]];
        const double *row = &s->cells[r * s->columns];
        if (value == 0) continue;
        for (size_t c = 0; c < s->columns; c++) s->gain[c] -= value * row[c];
        s->work += s->columns;
    }
}

/* Subtracts `factor` times the row of the pivot from another row. `column` is the pivot's. */
static void simplex_subtract(double *row, const double *pivot, const uint32_t *used, size_t n_used,
                             double factor, size_t column) {
    for (size_t i = 0; i < n_used; i++) {
        size_t c = used[i];
        double value = row[c] - factor * pivot[c];
        row[c] = magnitude(value) < CELL_LEAST ? 0 : value;
    }
    row[column] = -factor * pivot[column];
}

/* Exchanges the variables of a row and a column. */
static void simplex_pivot(struct simplex *s, size_t row, size_t column) {
    double *pivot = &s->cells[row * s->columns];
    double by = pivot[column];
    size_t n_used = 0;
    for (size_t c = 0; c < s->columns; c++)
        if (c != column && pivot[c] != 0) {
            pivot[c] /= by;
            s->used[n_used++] = (uint32_t)c;
        }
    pivot[column] = 1 / by;
    s->limit[row] /= by;
    for (size_t r = 0; r < s->rows; r++) {
        double *other = &s->cells[r * s->columns];
        double factor = other[column];
        if (r == row || factor == 0) continue;
        simplex_subtract(other, pivot, s->used, n_used, factor, column);
        s->limit[r] -= factor * s->limit[row];
        if (s->limit[r] < STEP_LEAST) s->limit[r] = 0;
        s->work += n_used + 1;
    }
    simplex_subtract(s->gain, pivot, s->used, n_used, s->gain[column], column);
    uint32_t in = s->in_col[column], out = s->in_row[row];
    s->in_row[row] = in;
    s->in_col[column] = out;
    s->place[in] = (uint32_t)row;
    s->place[out] = (uint32_t)(s->rows + column);
    s->work += 2 * s->columns + s->rows;
}

/* Returns the column that is raised next, or `columns` if none gains. With `careful`, it is the
 * first variable that gains; otherwise the one that gains the most. */
static size_t simplex_column(const struct simplex *s, int careful) {
    size_t best = s->columns;
    for (size_t c = 0; c < s->columns; c++) {
        if (s->gain[c] <= GAIN_LEAST) continue;
        if (best == s->columns ||
            (careful ? s->in_col[c] < s->in_col[best]
                     : s->gain[c] > s->gain[best] ||
                           (s->gain[c] >= s->gain[best] && s->in_col[c] < s->in_col[best])))
            best = c;
    }
    return best;
}

/* Returns the row that bounds a column, or `rows` if none does; *step becomes the bound. */
static size_t simplex_row(const struct simplex *s, size_t column, int careful, double *step) {
    size_t best = s->rows;
    double best_cell = 0;
    *step = 0;
    for (size_t r = 0; r < s->rows; r++) {
        double cell = s->cells[r * s->columns + column];
        if (cell <= PIVOT_LEAST) continue;
        double bound = s->limit[r] / cell;
        if (best < s->rows && bound > *step + STEP_LEAST) continue;
        if (best == s->rows || bound < *step - STEP_LEAST ||
            (careful ? s->in_row[r] < s->in_row[best] : cell > best_cell)) {
            best = r;
            best_cell = cell;
            *step = bound;
        }
    }
    return best;
}

enum simplex_end simplex_seek(struct simplex *s) {
    size_t still = 0, patience = s->rows + s->columns;
    simplex_gains(s);
    for (;;) {
        int careful = still > patience;
        double step;
        size_t column = simplex_column(s, careful);
        if (column == s->columns) return SIMPLEX_BEST;
        size_t row = simplex_row(s, column, careful, &step);
        if (row == s->rows) { /* nothing bounds it: its gain is a rounding error */
            s->gain[column] = 0;
            continue;
        }
        if (s->work >= s->work_max) return SIMPLEX_SPENT;
        still = step > STEP_LEAST ? 0 : still + 1;
        simplex_pivot(s, row, column);
    }
}

double simplex_value(const struct simplex *s, size_t column) {
    return s->place[column] < s->rows ? s->limit[s->place[column]] : 0;
}

double simplex_price(const struct simplex *s, size_t row) {
    uint32_t place = s->place[s->columns + row];
    return place < s->rows ? 0 : -s->gain[place - s->rows];
}

void simplex_keep(struct simplex *s, size_t column, double amount) {
    uint32_t row = s->place[column];
    if (row >= s->rows) return;
    s->limit[row] = s->limit[row] - amount < STEP_LEAST ? 0 : s->limit[row] - amount;
}

void simplex_free_column(struct simplex *s, size_t column) {
    uint32_t row = s->place[column];
    size_t best = s->columns;
    double most = PIVOT_LEAST;
    if (row >= s->rows) return;
    for (size_t c = 0; c < s->columns; c++) {
        double cell = magnitude(s->cells[row * s->columns + c]);
        if (cell <= most) continue;
        most = cell;
        best = c;
    }
    if (best < s->columns) simplex_pivot(s, row, best);
}

void simplex_leave(struct simplex *s, size_t column, size_t row) {
    uint32_t to = s->place[column], slack = s->place[s->columns + row];
    if (to < s->rows) return;
    double *cells = &s->cells[to - s->rows];
    s->work += s->rows;
    if (slack < s->rows) {
        cells[slack * s->columns] -= 1;
        return;
    }
    for (size_t r = 0; r < s->rows; r++)
        cells[r * s->columns] -= s->cells[r * s->columns + slack - s->rows];
}
