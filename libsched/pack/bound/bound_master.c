/*
 * bound_master.c -- see bound_master.h. Prices are not computed again after a pivot. The pivot
 * changes each price by the reduced cost times the pivot row of the new inverse.
 */
#include "pack/bound/bound_master.h"

static const double tiny = 1e-7;

void master_new(struct master *s, uint32_t rows, struct pack_arena *arena) {
    s->room = rows;
    s->inverse = pack_take(arena, (uint64_t)rows * rows, sizeof *s->inverse);
    s->x = pack_take(arena, rows, sizeof *s->x);
    s->y = pack_take(arena, rows, sizeof *s->y);
    s->price = pack_take(arena, rows, sizeof *s->price);
    s->basis = pack_take(arena, rows, sizeof *s->basis);
}

void master_open(struct master *s, uint32_t m, const uint32_t *demand, uint32_t first_column) {
    s->m = m;
    s->value = 0;
    for (uint64_t k = 0; k < (uint64_t)m * m; k++) s->inverse[k] = 0;
    for (uint32_t i = 0; i < m; i++) {
        s->inverse[(uint64_t)i * m + i] = 1;
        s->x[i] = demand[i] + tiny * (1 + i * 37 % 101);
        s->price[i] = 1;
        s->basis[i] = first_column + i;
        s->value += s->x[i];
    }
}

double master_reduced(const struct master *s, const uint16_t *rows, uint32_t n) {
    double reduced = 1;
    for (uint32_t k = 0; k < n; k++) reduced -= s->price[rows[k]];
    return reduced;
}

/* Brings the column `name` into the basis. Before the call, y holds this column in terms of the
 * basis, and `reduced` is its reduced cost. */
static int bound_master_pivot(struct master *s, uint32_t name, double reduced) {
    uint32_t m = s->m, leaves = m;
    double step = 0;
    for (uint32_t i = 0; i < m; i++) {
        if (s->y[i] <= MASTER_EPS) continue;
        double ratio = s->x[i] / s->y[i];
        if (leaves < m && ratio >= step) continue;
        leaves = i;
        step = ratio;
    }
    if (leaves == m) return 0;
    double *row = s->inverse + (uint64_t)leaves * m, by = 1 / s->y[leaves];
    for (uint32_t j = 0; j < m; j++) row[j] *= by;
    for (uint32_t i = 0; i < m; i++) {
        double times = s->y[i];
        if (i == leaves || (times < 1e-12 && times > -1e-12)) continue;
        double *other = s->inverse + (uint64_t)i * m;
        for (uint32_t j = 0; j < m; j++) other[j] -= times * row[j];
        s->x[i] -= times * step;
        if (s->x[i] < 0) s->x[i] = 0;
    }
    s->x[leaves] = step;
    s->basis[leaves] = name;
    for (uint32_t j = 0; j < m; j++) s->price[j] += reduced * row[j];
    s->value += reduced * step;
    return 1;
}

int master_enter(struct master *s, uint32_t column, const uint16_t *rows, uint32_t n) {
    for (uint32_t i = 0; i < s->m; i++) {
        const double *inverse = s->inverse + (uint64_t)i * s->m;
        double sum = 0;
        for (uint32_t k = 0; k < n; k++) sum += inverse[rows[k]];
        s->y[i] = sum;
    }
    return bound_master_pivot(s, column, master_reduced(s, rows, n));
}

int master_relax(struct master *s) {
    uint32_t worst = s->m;
    for (uint32_t j = 0; j < s->m; j++)
        if (s->price[j] < -MASTER_EPS && (worst == s->m || s->price[j] < s->price[worst]))
            worst = j;
    if (worst == s->m) return 0;
    for (uint32_t i = 0; i < s->m; i++) s->y[i] = -s->inverse[(uint64_t)i * s->m + worst];
    return bound_master_pivot(s, MASTER_SLACK | worst, s->price[worst]);
}
