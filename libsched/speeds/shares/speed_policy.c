/* speed_policy.c -- see speed_policy.h. */
#include "speeds/shares/speed_policy.h"

#include <string.h>

#include "base/call_args.h"
#include "speeds/lp/simplex.h"
#include "speeds/shares/speed_query.h"

#define PRICE_LEAST 1e-7 /* a class whose level has a smaller price does not hold the level down */
#define FLOOR_SLACK 1e-9
#define KEPT_SLACK  1e-7 /* of what a job must have, when shares are read */

struct programme {
    const struct speed_classes *classes;
    struct simplex lp;
    struct {
        uint32_t one, model; /* class and model of a variable */
    } * columns;
    uint8_t *held; /* by class: its level is final */
    size_t n_columns, n_models, n;
    size_t floor_column, level_column;
    size_t floor_rows; /* first row of floors; 0: there are none */
    size_t fit_rows;   /* first row of gangs that fit, before that of the fit itself; 0: none */
    size_t n_fits, fit_column;
};

static size_t level_row(const struct programme *p, size_t c) {
    return p->n + p->n_models + c;
}

/* Returns the greatest time that a job needs alone, which is above 0 under makespan only. */
static double longest(const struct speed_classes *classes) {
    double most = 0;
    for (size_t c = 0; c < classes->n; c++) {
        double time = classes->items[c].job.work / classes->items[c].alone;
        if (time > most) most = time;
    }
    return most;
}

/* Fills the rows: time, devices, levels, floors. */
static void programme_fill(struct programme *p) {
    const struct speed_classes *classes = p->classes;
    const lsched_speeds_query *query = classes->query;
    double most = longest(classes);
    struct simplex *lp = &p->lp;
    for (size_t r = 0; r < p->n + p->n_models; r++) simplex_limit(lp, r, 1);
    for (size_t i = 0; i < p->n_columns; i++) {
        size_t c = p->columns[i].one, m = p->columns[i].model;
        const struct speed_class *one = &classes->items[c];
        double speed = speed_classes_speed(classes, c, m) / one->alone;
        double use = (double)one->count * (double)one->job.devices;
        simplex_set(lp, c, i, 1);
        simplex_set(lp, p->n + m, i, use / (double)query->models[m].devices);
        if (query->policy != LSCHED_SPEEDS_COST) simplex_set(lp, level_row(p, c), i, -speed);
        if (p->floor_rows > 0) simplex_set(lp, p->floor_rows + c, i, -speed);
    }
    for (size_t c = 0; c < p->n; c++) {
        const struct speed_class *one = &classes->items[c];
        if (query->policy == LSCHED_SPEEDS_MAX_MIN)
            simplex_set(lp, level_row(p, c), p->level_column, 1);
        if (query->policy == LSCHED_SPEEDS_MAKESPAN)
            simplex_set(lp, level_row(p, c), p->level_column, one->job.work / one->alone / most);
        if (p->floor_rows > 0) simplex_set(lp, p->floor_rows + c, p->floor_column, one->floor);
    }
}

/* The largest number of devices of one job on a model; 1 if no job can run on it. */
static uint32_t programme_gang(const struct programme *p, size_t m) {
    uint32_t most = 1;
    for (size_t i = 0; i < p->n_columns; i++) {
        uint32_t devices = p->classes->items[p->columns[i].one].job.devices;
        if (p->columns[i].model == m && devices > most) most = devices;
    }
    return most;
}

/* How many of the largest gangs of its model do not fit beside a job of this column; *full has how
 * many fit alone. */
static uint64_t programme_barred(const struct programme *p, size_t column, uint32_t gang,
                                 uint64_t *full) {
    uint64_t devices = p->classes->query->models[p->columns[column].model].devices;
    uint32_t own = p->classes->items[p->columns[column].one].job.devices;
    *full = devices / gang;
    return own < gang ? *full - (devices - own) / gang : 0;
}

/* Counts the rows of gangs that fit, which only the policy makespan has. */
static size_t programme_count_fits(const struct programme *p) {
    size_t n = 0;
    uint64_t full;
    if (p->classes->query->policy != LSCHED_SPEEDS_MAKESPAN) return 0;
    for (size_t m = 0; m < p->n_models; m++) {
        uint32_t gang = programme_gang(p, m);
        for (size_t i = 0; i < p->n_columns; i++)
            n += p->columns[i].model == m && programme_barred(p, i, gang, &full) > 0;
    }
    return n;
}

/* Fills the rows of gangs that fit: a job that is smaller than the largest gangs of a model bars
 * some of them while it runs. The fit is what is left of 2, at most 1, so that the programme stays
 * valid where gangs do not fit. */
static void programme_fill_fits(struct programme *p) {
    struct simplex *lp = &p->lp;
    size_t row = p->fit_rows;
    for (size_t m = 0; m < p->n_models; m++) {
        uint32_t gang = programme_gang(p, m);
        for (size_t i = 0; i < p->n_columns; i++) {
            uint64_t full = 0, barred = 0;
            if (p->columns[i].model == m) barred = programme_barred(p, i, gang, &full);
            if (barred == 0) continue;
            for (size_t k = 0; k < p->n_columns; k++) {
                const struct speed_class *one = &p->classes->items[p->columns[k].one];
                if (p->columns[k].model == m && one->job.devices == gang)
                    simplex_set(lp, row, k, (double)one->count / (double)full);
            }
            simplex_set(lp, row, i, (double)barred / (double)full);
            simplex_set(lp, row, p->fit_column, 1);
            simplex_limit(lp, row++, 2);
        }
    }
    simplex_set(lp, row, p->fit_column, 1);
    simplex_limit(lp, row, 1);
}

static int programme_has_floors(const struct speed_classes *classes) {
    int floors = classes->query->policy != LSCHED_SPEEDS_MAX_MIN;
    for (size_t c = 0; c < classes->n; c++) floors |= classes->items[c].floor > 1;
    return floors;
}

static int32_t programme_open(struct programme *p, const struct speed_classes *classes,
                              lsched_error *err) {
    size_t n = classes->n, models = classes->query->n_models, rows = 2 * n + models;
    struct alloc *alloc = classes->alloc;
    uint64_t work = classes->query->work > 0 ? classes->query->work : LSCHED_SPEEDS_WORK;
    *p = (struct programme){.classes = classes, .n = n, .n_models = models};
    p->columns = alloc_new(alloc, n * models * sizeof p->columns[0]);
    p->held = alloc_zero(alloc, n);
    if (p->columns == NULL || p->held == NULL)
        return fail(err, LSCHED_E_NOMEM, "no memory for %zu jobs", n);
    for (size_t c = 0; c < n; c++)
        for (size_t m = 0; m < models; m++) {
            if (speed_classes_speed(classes, c, m) <= 0) continue;
            p->columns[p->n_columns].one = (uint32_t)c;
            p->columns[p->n_columns++].model = (uint32_t)m;
        }
    p->floor_column = p->n_columns;
    p->level_column = p->n_columns + 1;
    if (programme_has_floors(classes)) {
        p->floor_rows = rows;
        rows += n;
    }
    p->n_fits = programme_count_fits(p);
    /* many different jobs do without it */
    if (p->n_fits > 0 && (rows + p->n_fits + 1) * (p->n_columns + 3) <= LSCHED_SPEEDS_CELLS_MAX) {
        p->fit_rows = rows;
        p->fit_column = p->n_columns + 2;
        rows += p->n_fits + 1;
    }
    if (rows * (p->n_columns + 2) > LSCHED_SPEEDS_CELLS_MAX)
        return fail(err, LSCHED_E_LIMIT,
                    "%zu different jobs on %zu models need a programme of %zu cells; at most %d. "
                    "Jobs are equal if their row, devices, weight, work and least are",
                    n, models, rows * (p->n_columns + 2), LSCHED_SPEEDS_CELLS_MAX);
    if (!simplex_open(&p->lp, alloc, rows, p->n_columns + 2 + (p->fit_rows > 0), work))
        return fail(err, LSCHED_E_NOMEM, "no memory for %zu different jobs", n);
    programme_fill(p);
    if (p->fit_rows > 0) programme_fill_fits(p);
    return LSCHED_OK;
}

static void programme_close(struct programme *p) {
    struct alloc *alloc = p->classes->alloc;
    if (p->lp.alloc != NULL) simplex_close(&p->lp);
    alloc_free(alloc, p->columns, p->n * p->n_models * sizeof p->columns[0]);
    alloc_free(alloc, p->held, p->n);
}

/* Raises one variable as far as possible. */
static enum simplex_end programme_raise(struct programme *p, size_t column) {
    simplex_want_none(&p->lp);
    simplex_want(&p->lp, column, 1);
    return simplex_seek(&p->lp);
}

/* Marks the classes that hold the level down, for which its price is above 0. Returns whether there
 * are any. */
static int programme_hold(struct programme *p, uint8_t mark) {
    int any = 0;
    for (size_t c = 0; c < p->n; c++) {
        if (p->held[c] || simplex_price(&p->lp, level_row(p, c)) <= PRICE_LEAST) continue;
        p->held[c] = mark;
        any = 1;
    }
    return any;
}

/* Raises the least level, then the least level of the classes that do not hold it down. */
static enum simplex_end programme_levels(struct programme *p, double *least) {
    enum { FRESH = 2, HELD = 1 };
    for (size_t stage = 0; stage <= p->n; stage++) {
        enum simplex_end end = programme_raise(p, p->level_column);
        double level = simplex_value(&p->lp, p->level_column);
        if (stage == 0) *least = level;
        if (end != SIMPLEX_BEST) return end;
        if (!programme_hold(p, FRESH)) break;
        simplex_keep(&p->lp, p->level_column, level);
        simplex_free_column(&p->lp, p->level_column);
        for (size_t c = 0; c < p->n; c++) {
            if (p->held[c] != FRESH) continue;
            simplex_leave(&p->lp, p->level_column, level_row(p, c));
            p->held[c] = HELD;
        }
    }
    return SIMPLEX_BEST;
}

/* Raises the level, keeps it, and raises the sum of throughputs. Where gangs do not fit, everybody
 * loses about the part that is too much. */
static enum simplex_end programme_makespan(struct programme *p) {
    enum simplex_end end = programme_raise(p, p->level_column);
    if (end != SIMPLEX_BEST) return end;
    simplex_keep(&p->lp, p->level_column, simplex_value(&p->lp, p->level_column));
    simplex_want_none(&p->lp);
    if (p->fit_rows > 0) simplex_want(&p->lp, p->fit_column, (double)p->classes->query->n_jobs);
    for (size_t i = 0; i < p->n_columns; i++) {
        const struct speed_class *one = &p->classes->items[p->columns[i].one];
        double speed = speed_classes_speed(p->classes, p->columns[i].one, p->columns[i].model);
        simplex_want(&p->lp, i, speed / one->alone * (double)one->count);
    }
    return simplex_seek(&p->lp);
}

/* Lowers the price of all shares. */
static enum simplex_end programme_cost(struct programme *p) {
    const lsched_speeds_query *query = p->classes->query;
    double most = 0;
    for (size_t m = 0; m < p->n_models; m++)
        if (query->models[m].price > most) most = query->models[m].price;
    simplex_want_none(&p->lp);
    for (size_t i = 0; i < p->n_columns; i++) {
        const struct speed_class *one = &p->classes->items[p->columns[i].one];
        double devices = (double)one->count * (double)one->job.devices;
        simplex_want(&p->lp, i, -query->models[p->columns[i].model].price / most * devices);
    }
    return simplex_seek(&p->lp);
}

static int has_least(const struct speed_classes *classes) {
    for (size_t c = 0; c < classes->n; c++)
        if (classes->items[c].floor > 1) return 1;
    return 0;
}

/* Raises the floor until each job has what it must have. *met is false if the work ended first. */
static int32_t programme_floors(struct programme *p, int *met, lsched_error *err) {
    enum simplex_end end = programme_raise(p, p->floor_column);
    double floor = simplex_value(&p->lp, p->floor_column);
    *met = floor >= 1 - FLOOR_SLACK;
    if (!*met && end == SIMPLEX_BEST && has_least(p->classes))
        return fail(err, LSCHED_E_RANGE,
                    "not every job can have its `least`, or what it has alone: at most %.4f of it",
                    floor);
    simplex_keep(&p->lp, p->floor_column, 1);
    return LSCHED_OK;
}

/* Writes the values of the programme, so that no model or time is used beyond 1. */
static void programme_read(const struct programme *p, double *shares) {
    const struct speed_classes *classes = p->classes;
    double most = 1, *used = NULL;
    memset(shares, 0, p->n * p->n_models * sizeof shares[0]);
    for (size_t i = 0; i < p->n_columns; i++)
        shares[p->columns[i].one * p->n_models + p->columns[i].model] = simplex_value(&p->lp, i);
    double sums[LSCHED_SPEEDS_MODELS_MAX] = {0};
    used = sums;
    for (size_t c = 0; c < p->n; c++) {
        const struct speed_class *one = &classes->items[c];
        double time = 0;
        for (size_t m = 0; m < p->n_models; m++) {
            time += shares[c * p->n_models + m];
            used[m] += shares[c * p->n_models + m] * (double)one->count * (double)one->job.devices /
                       (double)classes->query->models[m].devices;
        }
        if (time > most) most = time;
    }
    for (size_t m = 0; m < p->n_models; m++)
        if (used[m] > most) most = used[m];
    for (size_t i = 0; i < p->n * p->n_models; i++) shares[i] /= most;
}

/* True if each job has what it must have. A programme whose numbers lie many powers of ten apart
 * can lose small shares, because it is solved in floating point. */
static int programme_keeps(const struct programme *p, const double *shares) {
    for (size_t c = 0; c < p->n; c++) {
        const struct speed_class *one = &p->classes->items[c];
        double has = speed_classes_throughput(p->classes, c, &shares[c * p->n_models]);
        if (has < one->alone * one->floor * (1 - KEPT_SLACK)) return 0;
    }
    return 1;
}

/* Writes the shares of the programme, or what each job has alone if the programme has none that
 * keep the floors. */
static int32_t programme_write(const struct programme *p, int usable, double *shares, int *partial,
                               lsched_error *err) {
    if (usable) programme_read(p, shares);
    if (usable && programme_keeps(p, shares)) return LSCHED_OK;
    memcpy(shares, p->classes->alone, p->n * p->n_models * sizeof shares[0]);
    *partial = 1;
    if (!has_least(p->classes)) return LSCHED_OK;
    return fail(err, LSCHED_E_LIMIT,
                usable ? "the numbers of the query lie too far apart to reach every `least`"
                       : "the work ended before every `least` was reached");
}

int32_t speed_policy_solve(const struct speed_classes *classes, double *shares, uint64_t *work,
                           int *partial, lsched_error *err) {
    struct programme p;
    enum simplex_end end = SIMPLEX_BEST;
    double least = 1;
    int met = 1;
    int32_t rc = programme_open(&p, classes, err);
    if (rc == LSCHED_OK && p.floor_rows > 0) rc = programme_floors(&p, &met, err);
    if (rc == LSCHED_OK && met) {
        if (classes->query->policy == LSCHED_SPEEDS_MAX_MIN) end = programme_levels(&p, &least);
        if (classes->query->policy == LSCHED_SPEEDS_MAKESPAN) end = programme_makespan(&p);
        if (classes->query->policy == LSCHED_SPEEDS_COST) end = programme_cost(&p);
    }
    *partial = !met || end != SIMPLEX_BEST;
    if (rc == LSCHED_OK) {
        *work += p.lp.work;
        int usable = met && (p.floor_rows > 0 || least >= 1 - FLOOR_SLACK);
        rc = programme_write(&p, usable, shares, partial, err);
    }
    programme_close(&p);
    return rc;
}
