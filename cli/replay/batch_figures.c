/* batch_figures.c -- see batch_figures.h. */
#include "cli/replay/batch_figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define SECONDS(us)    ((double)(us)*1e-6)
#define SHORTEST_RUN_S 10.0 /* the bound of the bounded slowdown */

static bool has_ended(const struct job_outcome *outcome) {
    return !outcome->dropped && outcome->end_us != LSCHED_NEVER_US;
}

struct batch_figures batch_figures_of(const struct job_list *list,
                                      const struct job_outcome *outcomes, int64_t units) {
    struct batch_figures sum = {0};
    int64_t last_us = list->jobs[0].submit_us;
    double unit_seconds = 0;
    for (size_t i = 0; i < list->n_jobs; i++) {
        const struct listed_job *job = &list->jobs[i];
        if (!has_ended(&outcomes[i])) continue;
        double run_s = SECONDS(job->duration_us),
               wait_s = SECONDS(outcomes[i].start_us - job->submit_us),
               jct_s = SECONDS(outcomes[i].end_us - job->submit_us),
               slowdown = jct_s / (run_s > SHORTEST_RUN_S ? run_s : SHORTEST_RUN_S);
        sum.jobs++;
        sum.mean_wait_s += wait_s;
        sum.mean_jct_s += jct_s;
        sum.bounded_slowdown += slowdown > 1 ? slowdown : 1;
        if (wait_s > sum.max_wait_s) sum.max_wait_s = wait_s;
        if (outcomes[i].end_us > last_us) last_us = outcomes[i].end_us;
        unit_seconds += run_s * job->units;
    }
    double jobs = sum.jobs > 0 ? (double)sum.jobs : 1,
           span_s = SECONDS(last_us - list->jobs[0].submit_us);
    sum.mean_wait_s /= jobs;
    sum.mean_jct_s /= jobs;
    sum.bounded_slowdown /= jobs;
    sum.utilization = span_s > 0 ? unit_seconds / (span_s * (double)units) : 0;
    return sum;
}

void batch_figures_json(struct json *json, const struct batch_figures *figures) {
    json_uint(json, "jobs", figures->jobs);
    json_fixed(json, "mean_wait_s", figures->mean_wait_s, 3);
    json_fixed(json, "mean_jct_s", figures->mean_jct_s, 3);
    json_fixed(json, "bounded_slowdown", figures->bounded_slowdown, 4);
    json_fixed(json, "max_wait_s", figures->max_wait_s, 3);
    json_fixed(json, "utilization", figures->utilization, 6);
}

/* Writes a time of the trace as seconds, with decimals only if it has parts of a second. */
static void csv_seconds(FILE *out, int64_t us) {
    fprintf(out, ",%" PRId64, us / 1000000);
    if (us % 1000000 != 0) fprintf(out, ".%06" PRId64, us % 1000000);
}

static void csv_row(FILE *out, const char *policy, const struct job_list *list, size_t i,
                    const struct job_outcome *outcome) {
    const struct listed_job *job = &list->jobs[i];
    int64_t first_us = list->jobs[0].submit_us;
    fprintf(out, "%s,%" PRIu64 ",%" PRIu32, policy, job->number, job->units);
    csv_seconds(out, job->duration_us);
    csv_seconds(out, job->estimate_us);
    csv_seconds(out, job->submit_us - first_us);
    if (!has_ended(outcome)) {
        fputs(outcome->dropped ? ",,,,dropped\n" : ",,,,unfinished\n", out);
        return;
    }
    csv_seconds(out, outcome->start_us - first_us);
    csv_seconds(out, outcome->end_us - first_us);
    csv_seconds(out, outcome->start_us - job->submit_us);
    fputs(",ended\n", out);
}

int batch_figures_csv(const char *path, bool append, const char *policy,
                      const struct job_list *list, const struct job_outcome *outcomes) {
    FILE *out = fopen(path, append ? "a" : "w");
    if (out == NULL) {
        complain("%s: cannot write the file", path);
        return EXIT_INTERNAL;
    }
    if (!append)
        fputs("policy,job,units,run_s,estimate_s,submit_s,start_s,end_s,wait_s,outcome\n", out);
    for (size_t i = 0; i < list->n_jobs; i++) csv_row(out, policy, list, i, &outcomes[i]);
    bool failed = ferror(out) != 0;
    failed |= fclose(out) != 0;
    if (failed) complain("%s: cannot write all rows; is the disk full?", path);
    return failed ? EXIT_INTERNAL : EXIT_OK;
}
