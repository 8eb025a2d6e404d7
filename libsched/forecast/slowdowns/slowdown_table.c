/*
 * slowdown_table.c -- how much slower kinds of work run beside each other, from measured progress.
 *
 * A *measurement* is what one job did beside one kind, or alone: all its progress through all its
 * seconds. Jobs of a kind differ in size, so rates are compared within a job only, and the jobs of
 * a kind give one ratio each. The number of a pair is an order statistic of these ratios: a few
 * jobs that were slow for another reason do not move a median, as they would move a mean.
 *
 * The pairs of a kind are found one after the other, because a job that never ran alone can be
 * compared with what it did beside a kind whose number is known. The pair with the most jobs that
 * ran alone comes first, then the one with the most comparable jobs, then the one with the least
 * index. So the result does not depend on the order of the samples; sums do not either, because
 * measurements are sorted first.
 *
 * Why not a least-squares fit of all pairs at once: one job on a bad node would move every number
 * of its kind, and nobody could say which jobs a number rests on. Why ratios and no logarithms:
 * libm differs between machines.
 *
 * Cost: O(n log n) for the sort, then each of at most n_kinds pairs of a kind reads the
 * measurements of the kind once for all pairs and once for itself.
 */
#include <string.h>

#include <libsched/slowdowns.h>

#include "base/alloc.h"
#include "base/call_args.h"
#include "base/sort.h"
#include "forecast/calls/forecast_opts.h"

enum { CONDITIONS = LSCHED_FORECAST_KINDS_MAX + 1 }; /* a neighbour of each kind, or none */
#define MILLIONTHS 1000000u

struct slowdown_work {
    lsched_forecast_slowdown_opts opts;
    lsched_forecast_progress *cells; /* sorted samples, then measurements */
    double *ratios;                  /* room for one number for each measurement */
    size_t n;
    uint32_t alone; /* index of the condition "alone": n_kinds */
};

static int cell_before(const lsched_forecast_progress *a, const lsched_forecast_progress *b) {
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->job != b->job) return a->job < b->job;
    if (a->beside != b->beside) return a->beside < b->beside;
    if (a->rate < b->rate || b->rate < a->rate) return a->rate < b->rate;
    return a->seconds < b->seconds;
}
#define SLOWDOWN_CELL_BEFORE(of, a, b)  cell_before(&(a), &(b))
#define SLOWDOWN_RATIO_BEFORE(of, a, b) ((a) < (b))
SORT_IN_PLACE(slowdown_sort_cells, lsched_forecast_progress, const struct slowdown_work *,
              SLOWDOWN_CELL_BEFORE)
SORT_IN_PLACE(slowdown_sort_ratios, double, const struct slowdown_work *, SLOWDOWN_RATIO_BEFORE)

/* ---- arguments ---- */

static int32_t slowdown_opts_read(const lsched_forecast_slowdown_opts *opts,
                                  lsched_forecast_slowdown_opts *o, lsched_error *err) {
    const char *what = "options of slow-downs";
    *o = (lsched_forecast_slowdown_opts){.size = sizeof *o};
    if (opts == NULL) return fail(err, LSCHED_E_NULL, "the options are NULL");
    int32_t rc = arg_struct(o, sizeof *o, opts, 0, what, err);
    if (rc == LSCHED_OK) rc = arg_allocator(o->allocator, what, err);
    if (rc == LSCHED_OK && (o->n_kinds == 0 || o->n_kinds > LSCHED_FORECAST_KINDS_MAX))
        rc = fail(err, LSCHED_E_RANGE, "n_kinds is %u; expected 1 to %d", o->n_kinds,
                  LSCHED_FORECAST_KINDS_MAX);
    if (rc == LSCHED_OK && o->quantile_ppm > MILLIONTHS)
        rc = fail(err, LSCHED_E_RANGE, "quantile_ppm is %u; expected at most %u", o->quantile_ppm,
                  MILLIONTHS);
    if (rc == LSCHED_OK) rc = forecast_value_check(o->least_seconds, "least_seconds", err);
    if (o->quantile_ppm == 0) o->quantile_ppm = MILLIONTHS / 2;
    if (o->least_jobs == 0) o->least_jobs = LSCHED_FORECAST_SLOWDOWN_JOBS;
    if (o->least_seconds <= 0.0) o->least_seconds = LSCHED_FORECAST_SLOWDOWN_SECONDS;
    return rc;
}

static int32_t slowdown_sample_check(const lsched_forecast_progress *one, uint32_t n_kinds,
                                     lsched_error *err) {
    int32_t rc = arg_reserved(one->reserved_zero, "reserved_zero", "a sample of progress", err);
    if (rc == LSCHED_OK && one->kind >= n_kinds)
        rc = fail(err, LSCHED_E_RANGE, "a job has the kind %u; there are %u kinds", one->kind,
                  n_kinds);
    if (rc == LSCHED_OK && one->beside != LSCHED_FORECAST_ALONE && one->beside >= n_kinds)
        rc = fail(err, LSCHED_E_RANGE, "a neighbour has the kind %u; there are %u kinds",
                  one->beside, n_kinds);
    if (rc == LSCHED_OK) rc = forecast_value_check(one->rate, "rate of a sample", err);
    if (rc == LSCHED_OK) rc = forecast_value_check(one->seconds, "seconds of a sample", err);
    if (rc == LSCHED_OK && one->seconds <= 0.0)
        rc = fail(err, LSCHED_E_RANGE, "seconds of a sample is 0; expected how long it lasted");
    return rc;
}

static int32_t slowdown_samples_check(const lsched_forecast_progress *samples, size_t n,
                                      uint32_t n_kinds, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    if (n > LSCHED_FORECAST_PROGRESS_MAX)
        return fail(err, LSCHED_E_LIMIT, "%zu samples; at most %d", n,
                    LSCHED_FORECAST_PROGRESS_MAX);
    if (n != 0 && samples == NULL)
        return fail(err, LSCHED_E_NULL, "there are %zu samples, but their pointer is NULL", n);
    for (size_t i = 0; rc == LSCHED_OK && i < n; i++) {
        rc = slowdown_sample_check(&samples[i], n_kinds, err);
        if (rc != LSCHED_OK && err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)i;
    }
    return rc;
}

/* ---- measurements ---- */

/* Sorted by kind first, the samples of a job with two kinds do not stand together. So this check
 * has an order of its own: by job. */
static int by_job(const lsched_forecast_progress *a, const lsched_forecast_progress *b) {
    return a->job != b->job ? a->job < b->job : a->kind < b->kind;
}
#define SLOWDOWN_JOB_BEFORE(of, a, b) by_job(&(a), &(b))
SORT_IN_PLACE(slowdown_sort_jobs, lsched_forecast_progress, const struct slowdown_work *,
              SLOWDOWN_JOB_BEFORE)

/* Counts the jobs. Error LSCHED_E_INVAL: one of them has two kinds. */
static int32_t slowdown_jobs_check(struct slowdown_work *w, const lsched_forecast_progress *samples,
                                   uint64_t *jobs, lsched_error *err) {
    slowdown_sort_jobs(w, w->cells, w->n);
    for (size_t i = 0; i < w->n; i++) {
        const lsched_forecast_progress *one = &w->cells[i];
        if (i == 0 || one->job != one[-1].job) {
            ++*jobs;
        } else if (one->kind != one[-1].kind) {
            size_t at = 0;
            while (samples[at].job != one->job || samples[at].kind != one->kind) at++;
            int32_t rc =
                fail(err, LSCHED_E_INVAL, "job %u has the kinds %u and %u; a job has one kind",
                     one->job, one[-1].kind, one->kind);
            if (err != NULL && LSCHED_HAS(err, index)) err->index = (int64_t)at;
            return rc;
        }
    }
    return LSCHED_OK;
}

static int same_cell(const lsched_forecast_progress *a, const lsched_forecast_progress *b) {
    return a->kind == b->kind && a->job == b->job && a->beside == b->beside;
}

/* Turns the sorted samples into measurements, and counts those that are none. `beside` becomes the
 * index of the condition. */
static void slowdown_measure(struct slowdown_work *w, lsched_forecast_slowdown_summary *summary) {
    size_t n = 0;
    for (size_t i = 0, end; i < w->n; i = end) {
        lsched_forecast_progress cell = w->cells[i];
        double done = 0.0, seconds = 0.0;
        for (end = i; end < w->n && same_cell(&cell, &w->cells[end]); end++) {
            const lsched_forecast_progress *one = &w->cells[end];
            summary->stalled += one->rate <= 0.0;
            if (one->rate <= 0.0) continue;
            done += one->rate * one->seconds;
            seconds += one->seconds;
        }
        summary->brief += seconds > 0.0 && seconds < w->opts.least_seconds;
        if (seconds < w->opts.least_seconds || done <= 0.0) continue;
        cell.rate = done / seconds;
        cell.seconds = seconds;
        if (cell.beside == LSCHED_FORECAST_ALONE) cell.beside = w->alone;
        w->cells[n++] = cell;
    }
    w->n = n;
}

/* ---- the pairs of one kind ---- */

struct slowdown_kind {
    const lsched_forecast_progress *cells; /* the measurements of the kind, job by job */
    size_t n;
    double times[CONDITIONS]; /* how many times as long a job takes; 0: not known yet */
};

/* Returns the end of the measurements of the job that begin at `from`. */
static size_t job_end(const struct slowdown_kind *k, size_t from) {
    size_t end = from;
    while (end < k->n && k->cells[end].job == k->cells[from].job) end++;
    return end;
}

/* Returns the rate that the job of the measurements [from, end) has alone: measured, or else the
 * mean of what its rates beside known kinds say; 0 if nothing is known. Sets *alone to 1 if it is
 * measured. */
static double rate_alone(const struct slowdown_kind *k, uint32_t condition_alone, size_t from,
                         size_t end, int *alone) {
    double done = 0.0, seconds = 0.0;
    *alone = 0;
    for (size_t i = from; i < end; i++) {
        const lsched_forecast_progress *cell = &k->cells[i];
        if (cell->beside == condition_alone) {
            *alone = 1;
            return cell->rate;
        }
        if (k->times[cell->beside] <= 0.0) continue;
        done += cell->rate * k->times[cell->beside] * cell->seconds;
        seconds += cell->seconds;
    }
    return seconds > 0.0 ? done / seconds : 0.0;
}

/* Returns the condition that is found next; `alone` if no job can be compared any more. */
static uint32_t next_condition(const struct slowdown_work *w, const struct slowdown_kind *k) {
    uint64_t direct[CONDITIONS] = {0}, all[CONDITIONS] = {0};
    uint32_t best = w->alone;
    for (size_t from = 0, end; from < k->n; from = end) {
        int alone;
        end = job_end(k, from);
        if (rate_alone(k, w->alone, from, end, &alone) <= 0.0) continue;
        for (size_t i = from; i < end; i++) {
            direct[k->cells[i].beside] += (uint64_t)alone;
            all[k->cells[i].beside]++;
        }
    }
    for (uint32_t c = 0; c < w->alone; c++) {
        if (k->times[c] > 0.0 || all[c] == 0) continue;
        if (best == w->alone || direct[c] > direct[best] ||
            (direct[c] == direct[best] && all[c] > all[best]))
            best = c;
    }
    return best;
}

/* Returns the element of a sorted list that is at or above this part of the list. */
static double quantile_of(const double *list, size_t n, uint32_t ppm) {
    uint64_t rank = ((uint64_t)n * ppm + MILLIONTHS - 1) / MILLIONTHS;
    return list[rank > 0 ? rank - 1 : 0];
}

/* Finds the number of one pair from all jobs that can be compared. */
static void slowdown_pair_find(struct slowdown_work *w, struct slowdown_kind *k, uint32_t condition,
                               lsched_forecast_slowdown *out) {
    size_t n = 0;
    uint64_t direct = 0;
    for (size_t from = 0, end; from < k->n; from = end) {
        int alone;
        end = job_end(k, from);
        double rate = rate_alone(k, w->alone, from, end, &alone);
        for (size_t i = from; rate > 0.0 && i < end; i++) {
            if (k->cells[i].beside != condition) continue;
            w->ratios[n++] = rate / k->cells[i].rate;
            direct += (uint64_t)alone;
        }
    }
    slowdown_sort_ratios(w, w->ratios, n);
    double number = quantile_of(w->ratios, n, w->opts.quantile_ppm);
    k->times[condition] = quantile_of(w->ratios, n, MILLIONTHS / 2);
    out->low = quantile_of(w->ratios, n, MILLIONTHS / 4);
    out->high = quantile_of(w->ratios, n, MILLIONTHS / 4 * 3);
    out->slowdown = number > 1.0 ? number : 1.0;
    out->jobs = (uint32_t)n;
    out->flags = 0;
    if (n < w->opts.least_jobs) out->flags |= LSCHED_SLOWDOWN_FEW;
    if (direct == 0) out->flags |= LSCHED_SLOWDOWN_INDIRECT;
    if (out->slowdown <= LSCHED_FORECAST_SLOWDOWN_MAX) return;
    out->slowdown = LSCHED_FORECAST_SLOWDOWN_MAX;
    out->flags |= LSCHED_SLOWDOWN_CUT;
}

static void slowdown_kind_find(struct slowdown_work *w, struct slowdown_kind *k,
                               lsched_forecast_slowdown *row) {
    k->times[w->alone] = 1.0;
    for (uint32_t c = 0; c < w->alone; c++)
        row[c] = (lsched_forecast_slowdown){.slowdown = 1.0, .flags = LSCHED_SLOWDOWN_UNKNOWN};
    for (uint32_t c; (c = next_condition(w, k)) != w->alone;) slowdown_pair_find(w, k, c, &row[c]);
}

static void slowdown_kinds(struct slowdown_work *w, lsched_forecast_slowdown *table) {
    size_t from = 0;
    for (uint32_t kind = 0; kind < w->opts.n_kinds; kind++) {
        size_t end = from;
        while (end < w->n && w->cells[end].kind == kind) end++;
        struct slowdown_kind k = {.n = end - from};
        if (k.n > 0) k.cells = &w->cells[from]; /* without samples there are no cells */
        slowdown_kind_find(w, &k, table + (size_t)kind * w->opts.n_kinds);
        from = end;
    }
}

/* ---- the call ---- */

/* Works on a copy of the samples. */
static int32_t slowdown_work_out(struct slowdown_work *w, const lsched_forecast_progress *samples,
                                 lsched_forecast_slowdown *table,
                                 lsched_forecast_slowdown_summary *summary, lsched_error *err) {
    struct alloc alloc;
    size_t bytes = w->n * (sizeof w->cells[0] + sizeof w->ratios[0]);
    int32_t rc = alloc_init(&alloc, w->opts.allocator, 0);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    void *block = alloc_new(&alloc, bytes);
    if (block == NULL && w->n > 0)
        return fail(err, LSCHED_E_NOMEM, "no memory for %zu samples", w->n);
    if (w->n > 0) {
        w->cells = block;
        w->ratios = (double *)(void *)(w->cells + w->n);
        memcpy(w->cells, samples, w->n * sizeof samples[0]);
        rc = slowdown_jobs_check(w, samples, &summary->jobs, err);
        if (rc == LSCHED_OK) slowdown_sort_cells(w, w->cells, w->n);
        if (rc == LSCHED_OK) slowdown_measure(w, summary);
    }
    if (rc == LSCHED_OK) slowdown_kinds(w, table);
    alloc_free(&alloc, block, bytes);
    return rc;
}

LSCHED_API int32_t lsched_forecast_slowdowns_get(const lsched_forecast_progress *samples, size_t n,
                                                 const lsched_forecast_slowdown_opts *opts,
                                                 lsched_forecast_slowdown *table,
                                                 lsched_forecast_slowdown_summary *summary,
                                                 lsched_error *err) {
    struct slowdown_work w = {.n = n};
    lsched_forecast_slowdown_summary counts = {.size = sizeof counts};
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (table == NULL) return fail(err, LSCHED_E_NULL, "table is NULL");
    rc = slowdown_opts_read(opts, &w.opts, err);
    if (rc == LSCHED_OK && summary != NULL && summary->size < 2 * sizeof summary->size)
        rc = fail(err, LSCHED_E_SIZE, "lsched_forecast_slowdown_summary: size is not set");
    if (rc == LSCHED_OK) rc = slowdown_samples_check(samples, n, w.opts.n_kinds, err);
    w.alone = w.opts.n_kinds;
    if (rc == LSCHED_OK) rc = slowdown_work_out(&w, samples, table, &counts, err);
    if (rc == LSCHED_OK && summary != NULL) rc = arg_out(summary, &counts, sizeof counts);
    return rc;
}
