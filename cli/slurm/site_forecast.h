/*
 * site_forecast.h -- what libsched would do with a site: the first cycle, and the cycles after it
 * in virtual time, in which each job runs until its time limit.
 *
 * The expected starts follow from limits, as Slurm's own do; real jobs end earlier. An evicted job
 * waits again and later runs for its whole limit. Nothing arrives after the first cycle.
 */
#ifndef LSCHED_CLI_SITE_FORECAST_H
#define LSCHED_CLI_SITE_FORECAST_H

#include "cli/plan/scenario_session.h"
#include "cli/slurm/site.h"

struct forecast_job {
    int64_t start_us;   /* LSCHED_NEVER_US: no start within the forecast */
    bool now;           /* true if the first cycle starts the job */
    bool evicted;       /* true if the first cycle stops tasks of the job */
    char *nodes;        /* owned; nodes of the start; NULL if there is none */
    char *why;          /* owned; why the job waits after the first cycle; NULL if it does not */
    uint32_t wait_code; /* LSCHED_WAIT_* */
};

struct site_forecast {
    struct forecast_job *jobs; /* owned; one for each job of the site */
    size_t n;
    bool cut; /* true if the forecast ended at its limit of cycles */
};

/* Runs the forecast. Returns an exit code. The caller calls site_forecast_free() in any case. */
int site_forecast_run(struct session *session, const struct site *site, struct site_forecast *out);
void site_forecast_free(struct site_forecast *forecast);

#endif
