/*
 * philly_measure.c -- see philly_measure.h. A step of time costs the number of VCs and of different
 * sizes of jobs (10 in the published list).
 */
#include "philly_measure.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

#define SECONDS(us) ((double)(us)*1e-6)

static void index_sizes(struct philly_measure *measure, const struct philly_list *list) {
    measure->size_of_gpus = must_alloc((PHILLY_JOB_GPUS_MAX + 1) * sizeof(uint32_t));
    memset(measure->size_of_gpus, 0, (PHILLY_JOB_GPUS_MAX + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < list->n_jobs; i++) measure->size_of_gpus[list->jobs[i].gpus] = 1;
    for (size_t g = 0; g <= PHILLY_JOB_GPUS_MAX; g++) measure->n_sizes += measure->size_of_gpus[g];
    measure->sizes = must_alloc(measure->n_sizes * sizeof measure->sizes[0]);
    measure->waiting_of_size = must_alloc(measure->n_sizes * sizeof measure->waiting_of_size[0]);
    memset(measure->waiting_of_size, 0, measure->n_sizes * sizeof measure->waiting_of_size[0]);
    uint32_t at = 0;
    for (uint32_t g = 0; g <= PHILLY_JOB_GPUS_MAX; g++) {
        if (measure->size_of_gpus[g] == 0) continue;
        measure->sizes[at] = g;
        measure->size_of_gpus[g] = at++;
    }
}

void philly_measure_begin(struct philly_measure *measure, const struct philly_list *list,
                          int64_t gpus, const int64_t window_us[2]) {
    memset(measure, 0, sizeof *measure);
    measure->gpus = gpus;
    measure->span.from_us = list->jobs[0].submit_us;
    measure->span.to_us = list->jobs[list->n_jobs - 1].submit_us;
    measure->window.from_us = window_us[0];
    measure->window.to_us = window_us[1];
    measure->n_vcs = list->n_vcs;
    measure->vcs = must_alloc(list->n_vcs * sizeof measure->vcs[0]);
    memset(measure->vcs, 0, list->n_vcs * sizeof measure->vcs[0]);
    measure->waits.seconds = must_alloc(list->n_jobs * sizeof(double));
    measure->completions.seconds = must_alloc(list->n_jobs * sizeof(double));
    index_sizes(measure, list);
}

void philly_measure_end(struct philly_measure *measure) {
    free(measure->vcs);
    free(measure->waits.seconds);
    free(measure->completions.seconds);
    free(measure->sizes);
    free(measure->waiting_of_size);
    free(measure->size_of_gpus);
    memset(measure, 0, sizeof *measure);
}

void philly_measure_waits(struct philly_measure *measure, uint32_t gpus, int change) {
    uint64_t *count = &measure->waiting_of_size[measure->size_of_gpus[gpus]];
    if (change > 0) {
        (*count)++;
    } else {
        (*count)--;
    }
}

/* How much of from..to lies within the integral's bounds. */
static double part_s(const struct gpu_integral *of, int64_t from_us, int64_t to_us) {
    if (from_us < of->from_us) from_us = of->from_us;
    if (to_us > of->to_us) to_us = of->to_us;
    return to_us > from_us ? SECONDS(to_us - from_us) : 0;
}

static int64_t avoidable_gpus(const struct philly_measure *measure, int64_t free_gpus) {
    int64_t fits = 0;
    for (size_t i = 0; i < measure->n_sizes && measure->sizes[i] <= free_gpus; i++) {
        fits += (int64_t)(measure->sizes[i] * measure->waiting_of_size[i]);
        if (fits >= free_gpus) return free_gpus;
    }
    return fits;
}

void philly_measure_pass(struct philly_measure *measure, int64_t from_us, int64_t to_us,
                         int64_t used, const int64_t *used_by_vc) {
    double span_s = part_s(&measure->span, from_us, to_us);
    double window_s = part_s(&measure->window, from_us, to_us);
    if (span_s <= 0 && window_s <= 0) return;
    double avoidable = (double)avoidable_gpus(measure, measure->gpus - used);
    measure->span.used += span_s * (double)used;
    measure->span.avoidable += span_s * avoidable;
    measure->window.used += window_s * (double)used;
    measure->window.avoidable += window_s * avoidable;
    for (size_t i = 0; i < measure->n_vcs; i++)
        measure->vcs[i].served += span_s * (double)used_by_vc[i];
}

void philly_measure_started(struct philly_measure *measure, const struct philly_job *job,
                            int64_t at_us) {
    double wait_s = SECONDS(at_us - job->submit_us);
    measure->waits.seconds[measure->waits.n++] = wait_s;
    measure->vcs[job->vc].wait_s_sum += wait_s;
}

void philly_measure_done(struct philly_measure *measure, const struct philly_job *job,
                         int64_t at_us) {
    measure->completions.seconds[measure->completions.n++] = SECONDS(at_us - job->submit_us);
    measure->end_us = at_us;
}

void philly_measure_lost(struct philly_measure *measure, const struct philly_job *job,
                         int64_t at_us, int64_t lost_us) {
    double lost = SECONDS(lost_us) * (double)job->gpus;
    measure->lost += lost;
    if (at_us <= measure->span.to_us) measure->vcs[job->vc].served -= lost;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const struct philly_samples *samples, size_t percent) {
    size_t rank = (samples->n * percent + 99) / 100; /* the smallest with so many at or below it */
    return samples->seconds[rank > 0 ? rank - 1 : 0];
}

struct philly_summary philly_summarize(struct philly_samples *samples) {
    struct philly_summary out = {0};
    if (samples->n == 0) return out;
    qsort(samples->seconds, samples->n, sizeof samples->seconds[0], by_value);
    double sum = 0;
    for (size_t i = 0; i < samples->n; i++) sum += samples->seconds[i];
    out.mean = sum / (double)samples->n;
    out.p50 = percentile(samples, 50);
    out.p95 = percentile(samples, 95);
    out.max = samples->seconds[samples->n - 1];
    return out;
}

static double percent_of(const struct philly_measure *measure, const struct gpu_integral *of,
                         double gpu_seconds) {
    double all = SECONDS(of->to_us - of->from_us) * (double)measure->gpus;
    return all > 0 ? 100 * gpu_seconds / all : 0;
}

double philly_used_percent(const struct philly_measure *measure, const struct gpu_integral *of) {
    return percent_of(measure, of, of->used);
}

double philly_avoidable_percent(const struct philly_measure *measure,
                                const struct gpu_integral *of) {
    return percent_of(measure, of, of->avoidable);
}

double philly_jain(const struct philly_measure *measure) {
    double sum = 0, squares = 0, n = 0;
    for (size_t i = 0; i < measure->n_vcs; i++) {
        if (measure->vcs[i].asked <= 0) continue;
        double part = measure->vcs[i].served / measure->vcs[i].asked;
        sum += part;
        squares += part * part;
        n++;
    }
    return squares > 0 ? sum * sum / (n * squares) : 1;
}
