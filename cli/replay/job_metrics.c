/*
 * job_metrics.c -- see job_metrics.h. Each call of job_metrics_pass() costs O(number of queues +
 * number of different job sizes). The published list has jobs of 10 sizes.
 */
#include "cli/replay/job_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define SECONDS(us) ((double)(us)*1e-6)

static void index_sizes(struct job_metrics *measure, const struct job_list *list) {
    measure->size_of_units = must_alloc_zero((JOB_UNITS_MAX + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < list->n_jobs; i++) measure->size_of_units[list->jobs[i].units] = 1;
    for (size_t g = 0; g <= JOB_UNITS_MAX; g++) measure->n_sizes += measure->size_of_units[g];
    measure->sizes = must_alloc(measure->n_sizes * sizeof measure->sizes[0]);
    measure->waiting_of_size =
        must_alloc_zero(measure->n_sizes * sizeof measure->waiting_of_size[0]);
    uint32_t at = 0;
    for (uint32_t g = 0; g <= JOB_UNITS_MAX; g++) {
        if (measure->size_of_units[g] == 0) continue;
        measure->sizes[at] = g;
        measure->size_of_units[g] = at++;
    }
}

void job_metrics_begin(struct job_metrics *measure, const struct job_list *list, int64_t units,
                       const int64_t window_us[2]) {
    memset(measure, 0, sizeof *measure);
    measure->units = units;
    measure->span.from_us = list->jobs[0].submit_us;
    measure->span.to_us = list->jobs[list->n_jobs - 1].submit_us;
    measure->window.from_us = window_us[0];
    measure->window.to_us = window_us[1];
    measure->n_queues = list->n_queues;
    measure->queues = must_alloc_zero(list->n_queues * sizeof measure->queues[0]);
    measure->waits.seconds = must_alloc(list->n_jobs * sizeof(double));
    measure->completions.seconds = must_alloc(list->n_jobs * sizeof(double));
    index_sizes(measure, list);
}

void job_metrics_end(struct job_metrics *measure) {
    free(measure->queues);
    free(measure->waits.seconds);
    free(measure->completions.seconds);
    free(measure->sizes);
    free(measure->waiting_of_size);
    free(measure->size_of_units);
    memset(measure, 0, sizeof *measure);
}

void job_metrics_waits(struct job_metrics *measure, uint32_t units, int change) {
    uint64_t *count = &measure->waiting_of_size[measure->size_of_units[units]];
    if (change > 0) {
        (*count)++;
    } else {
        (*count)--;
    }
}

/* Returns the seconds between from_us and to_us that lie within the span or the window `of`. */
static double part_s(const struct unit_integral *of, int64_t from_us, int64_t to_us) {
    if (from_us < of->from_us) from_us = of->from_us;
    if (to_us > of->to_us) to_us = of->to_us;
    return to_us > from_us ? SECONDS(to_us - from_us) : 0;
}

static int64_t avoidable_units(const struct job_metrics *measure, int64_t free_units) {
    int64_t fits = 0;
    for (size_t i = 0; i < measure->n_sizes && measure->sizes[i] <= free_units; i++) {
        fits += (int64_t)(measure->sizes[i] * measure->waiting_of_size[i]);
        if (fits >= free_units) return free_units;
    }
    return fits;
}

void job_metrics_pass(struct job_metrics *measure, int64_t from_us, int64_t to_us, int64_t used,
                      const int64_t *used_by_queue) {
    double span_s = part_s(&measure->span, from_us, to_us);
    double window_s = part_s(&measure->window, from_us, to_us);
    if (span_s <= 0 && window_s <= 0) return;
    double avoidable = (double)avoidable_units(measure, measure->units - used);
    measure->span.used += span_s * (double)used;
    measure->span.avoidable += span_s * avoidable;
    measure->window.used += window_s * (double)used;
    measure->window.avoidable += window_s * avoidable;
    for (size_t i = 0; i < measure->n_queues; i++)
        measure->queues[i].served += span_s * (double)used_by_queue[i];
}

void job_metrics_started(struct job_metrics *measure, const struct listed_job *job, int64_t at_us) {
    double wait_s = SECONDS(at_us - job->submit_us);
    measure->waits.seconds[measure->waits.n++] = wait_s;
    measure->queues[job->queue].wait_s_sum += wait_s;
}

void job_metrics_done(struct job_metrics *measure, const struct listed_job *job, int64_t at_us) {
    measure->completions.seconds[measure->completions.n++] = SECONDS(at_us - job->submit_us);
    measure->end_us = at_us;
}

void job_metrics_lost(struct job_metrics *measure, const struct listed_job *job, int64_t at_us,
                      int64_t lost_us) {
    double lost = SECONDS(lost_us) * (double)job->units;
    measure->lost += lost;
    if (at_us <= measure->span.to_us) measure->queues[job->queue].served -= lost;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const struct metric_samples *samples, size_t percent) {
    /* position, counted from 1, of the smallest value that is not exceeded by at least `percent`
     * percent of the values */
    size_t rank = (samples->n * percent + 99) / 100;
    return samples->seconds[rank > 0 ? rank - 1 : 0];
}

struct metric_summary metric_summarize(struct metric_samples *samples) {
    struct metric_summary out = {0};
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

static double percent_of(const struct job_metrics *measure, const struct unit_integral *of,
                         double unit_seconds) {
    double all = SECONDS(of->to_us - of->from_us) * (double)measure->units;
    return all > 0 ? 100 * unit_seconds / all : 0;
}

double job_metrics_used(const struct job_metrics *measure, const struct unit_integral *of) {
    return percent_of(measure, of, of->used);
}

double job_metrics_avoidable(const struct job_metrics *measure, const struct unit_integral *of) {
    return percent_of(measure, of, of->avoidable);
}

double jain_index(const double *values, size_t n) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)n * squares) : 1;
}

double job_metrics_jain(const struct job_metrics *measure) {
    double *parts = must_alloc(measure->n_queues * sizeof parts[0]);
    size_t n = 0;
    for (size_t i = 0; i < measure->n_queues; i++) {
        const struct queue_measure *queue = &measure->queues[i];
        if (queue->asked > 0) parts[n++] = queue->served / queue->asked;
    }
    double index = jain_index(parts, n);
    free(parts);
    return index;
}
