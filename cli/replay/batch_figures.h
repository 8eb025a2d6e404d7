/*
 * batch_figures.h -- the figures by which schedulers of batch systems are compared in the
 * literature, from the outcome of each job of a replay; and a table with one row for each job.
 *
 *   wait               first start - submission
 *   completion time    end - submission
 *   bounded slowdown   max(1, completion time / max(run time, 10 s)), by Feitelson. For a job that
 *                      is never stopped, this is max(1, (wait + run) / max(run, 10))
 *   utilization        processor-seconds of all runs, divided by the processors times the seconds
 *                      from the first submission to the last end; from 0 to 1
 *
 * Only jobs that ended count. Jobs that were left out because they could never start do not.
 */
#ifndef LSCHED_CLI_BATCH_FIGURES_H
#define LSCHED_CLI_BATCH_FIGURES_H

#include "cli/replay/job_runs.h"
#include "cli/support/json_writer.h"

struct batch_figures {
    uint64_t jobs;
    double mean_wait_s, mean_jct_s, bounded_slowdown, max_wait_s, utilization;
};

struct batch_figures batch_figures_of(const struct job_list *list,
                                      const struct job_outcome *outcomes, int64_t units);
/* Writes the members of the open JSON object. */
void batch_figures_json(struct json *json, const struct batch_figures *figures);
/* Writes the file `path` as CSV: a heading, then one row for each job in the order of submission.
 * With several policies, each row begins with the name of the policy; `append` adds the rows of a
 * further policy. Returns an exit code, after it has reported an error. */
int batch_figures_csv(const char *path, bool append, const char *policy,
                      const struct job_list *list, const struct job_outcome *outcomes);

#endif
