/* job_ranks.c -- see job_ranks.h. */
#include "cli/replay/job_ranks.h"

#include <stdlib.h>

#include "cli/support/cli_errors.h"

#define SECOND_US ((int64_t)1000000)

void job_ranks_begin(struct job_ranks *ranks, const struct simulation_setup *setup) {
    *ranks = (struct job_ranks){0};
    if (setup->rank != RANK_NONE)
        ranks->given = must_alloc_zero(setup->list->n_jobs * sizeof ranks->given[0]);
}

void job_ranks_end(struct job_ranks *ranks) {
    free(ranks->jobs);
    free(ranks->given);
    free(ranks->updates);
}

void job_ranks_add(struct job_ranks *ranks, uint32_t job) {
    if (ranks->given == NULL) return;
    ranks->jobs = must_grow(ranks->jobs, ranks->n, &ranks->capacity, sizeof ranks->jobs[0]);
    ranks->jobs[ranks->n++] = job;
}

/* Returns minus the seconds of the rank, rounded to the next smaller number of seconds. */
static int32_t priority_of(const struct job_runs *runs, uint32_t job) {
    const struct listed_job *of = &runs->setup->list->jobs[job];
    int64_t left_us = job_runs_left_us(runs, job), seconds = left_us / SECOND_US;
    switch (runs->setup->rank) {
    case RANK_REMAINING: break;
    case RANK_REMAINING_SERVICE: seconds *= of->units; break;
    case RANK_ATTAINED_SERVICE:
    default: seconds = (of->duration_us - left_us) / SECOND_US * of->units; break;
    }
    return seconds < INT32_MAX ? -(int32_t)seconds : -INT32_MAX;
}

static void set_priority(struct job_ranks *ranks, lsched_id id, int32_t priority) {
    ranks->updates = must_grow(ranks->updates, ranks->n_updates, &ranks->updates_capacity,
                               sizeof ranks->updates[0]);
    lsched_job_update *update = &ranks->updates[ranks->n_updates++];
    *update = (lsched_job_update)LSCHED_JOB_UPDATE_INIT;
    update->set = LSCHED_JOB_SET_PRIORITY;
    update->job = id;
    update->priority = priority;
}

int32_t job_ranks_update(struct job_ranks *ranks, const struct job_runs *runs,
                         lsched_cluster *cluster, lsched_error *err) {
    size_t kept = 0;
    ranks->n_updates = 0;
    for (size_t i = 0; i < ranks->n; i++) {
        uint32_t job = ranks->jobs[i];
        if (runs->jobs[job].phase == JOB_DONE) continue;
        ranks->jobs[kept++] = job;
        int32_t priority = priority_of(runs, job);
        if (priority == ranks->given[job]) continue;
        ranks->given[job] = priority;
        set_priority(ranks, runs->jobs[job].id, priority);
    }
    ranks->n = kept;
    if (ranks->n_updates == 0) return LSCHED_OK;
    int32_t rc = lsched_jobs_update(cluster, ranks->updates, ranks->n_updates,
                                    sizeof ranks->updates[0], NULL, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}
