/* site_forecast.c -- see site_forecast.h. */
#include "cli/slurm/site_forecast.h"

#include <stdlib.h>
#include <string.h>

#include "cli/slurm/site_licences.h"
#include "cli/slurm/site_request.h"
#include "cli/support/cli_errors.h"
#include "cli/support/name_list.h"
#include "cli/virtual/cluster_play.h"

enum { WHY_BYTES = 1024, NODES_SHOWN = 6, VAIN_CYCLES_MAX = 1000 };

struct forecast {
    struct session *session;
    const struct site *site;
    struct site_forecast *out;
    struct name_table names; /* name of each job */
    size_t *of_name;         /* owned; index of the job with each name */
};

static struct forecast_job *job_of(struct forecast *f, lsched_id id) {
    size_t len = 0;
    const char *name = lsched_name(f->session->cluster, id, &len);
    uint32_t i = name != NULL ? name_table_find(&f->names, (lsched_text){name, len}) : UINT32_MAX;
    return i != UINT32_MAX ? &f->out->jobs[f->of_name[i]] : NULL;
}

static void name_jobs(struct forecast *f) {
    f->of_name = must_alloc((f->site->n_jobs + 1) * sizeof f->of_name[0]);
    for (size_t i = 0; i < f->site->n_jobs; i++) {
        const struct site_job *job = &f->site->jobs[i];
        f->out->jobs[i].start_us = LSCHED_NEVER_US;
        if (job->fate != SITE_WAITS && job->fate != SITE_RUNS) continue;
        size_t before = f->names.n;
        uint32_t at = name_table_add(&f->names, (lsched_text){job->id, strlen(job->id)});
        if (at == before) f->of_name[at] = i;
    }
}

/* ---- one plan ---- */

/* Writes the nodes of the job's placements among the decisions from index `from`, which are the
 * first of the job. */
static char *nodes_of(const struct forecast *f, const struct cluster_play *play, size_t from) {
    lsched_id job = play->decisions[from].job;
    lsched_text *names = must_alloc((play->n_decisions - from) * sizeof names[0]);
    size_t n = 0;
    for (size_t i = from; i < play->n_decisions; i++) {
        const lsched_decision *d = &play->decisions[i];
        size_t len = 0;
        if (d->job != job || d->kind != LSCHED_DECIDE_PLACE) continue;
        const char *name = lsched_name(f->session->cluster, d->node, &len);
        if (name != NULL) names[n++] = (lsched_text){name, len};
    }
    char *text = name_list(names, n, NODES_SHOWN);
    free(names);
    return text;
}

static void note_starts(void *user, const struct cluster_play *play) {
    struct forecast *f = user;
    for (size_t i = 0; i < play->n_decisions; i++) {
        struct forecast_job *job = job_of(f, play->decisions[i].job);
        if (job == NULL || play->decisions[i].kind != LSCHED_DECIDE_PLACE ||
            job->start_us != LSCHED_NEVER_US)
            continue;
        job->start_us = play->now_us;
        job->nodes = nodes_of(f, play, i);
    }
}

/* The amounts of supplies are parts of licences, which nobody wants to read. */
static void say_licence(const struct forecast *f, size_t i, const lsched_cluster *cluster,
                        char why[WHY_BYTES]) {
    struct site_request request;
    const struct site_job *job = &f->site->jobs[i];
    if (site_request_of(f->site, job, &request) == NULL)
        (void)site_licences_why(f->site, job, request.tasks_min, cluster, why, WHY_BYTES);
}

static void note_waits(struct forecast *f, const lsched_cluster *cluster) {
    for (size_t i = 0; i < f->site->n_jobs; i++) {
        struct forecast_job *job = &f->out->jobs[i];
        lsched_waiting waiting = {.size = sizeof waiting};
        char why[WHY_BYTES] = "";
        const char *name = f->site->jobs[i].id;
        if (f->site->jobs[i].fate != SITE_WAITS) continue;
        lsched_id id = lsched_find(cluster, LSCHED_KIND_JOB, (lsched_text){name, strlen(name)});
        if (id == 0 || lsched_waiting_get(cluster, id, &waiting, NULL) != 1) continue;
        if (lsched_waiting_text(cluster, &waiting, why, sizeof why, NULL) < 0) continue;
        if (waiting.code == LSCHED_WAIT_SUPPLY) say_licence(f, i, cluster, why);
        job->why = must_copy(why, strlen(why));
        job->wait_code = waiting.code;
    }
}

static int32_t on_first(void *user, const lsched_scenario_cycle *cycle) {
    struct forecast *f = user;
    for (size_t i = 0; i < lsched_plan_size(cycle->plan); i++) {
        const lsched_decision *d = lsched_plan_at(cycle->plan, i);
        struct forecast_job *job = job_of(f, d->job);
        if (job == NULL) continue;
        if (d->kind == LSCHED_DECIDE_EVICT) job->evicted = true;
        if (d->kind == LSCHED_DECIDE_PLACE) job->now = true;
    }
    note_waits(f, cycle->cluster);
    return 0;
}

/* ---- the forecast ---- */

/* A job without a limit runs for ever. */
static void add_job(const struct forecast *f, const struct site_job *job,
                    struct cluster_play *play) {
    lsched_id id =
        lsched_find(f->session->cluster, LSCHED_KIND_JOB, (lsched_text){job->id, strlen(job->id)});
    if (id == 0 || (job->fate != SITE_WAITS && job->fate != SITE_RUNS)) return;
    bool endless = job->limit_s == SLURM_UNLIMITED || job->limit_s <= 0;
    play->jobs[play->n_jobs++] =
        (struct played_job){.id = id,
                            .run_us = endless ? 0 : job->limit_s * 1000000,
                            .since_us = job->fate == SITE_RUNS ? job->start_s * 1000000 : 0,
                            .awaited = job->fate == SITE_WAITS};
}

static int play_on(struct forecast *f) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct cluster_play play = {.cluster = f->session->cluster,
                                .schedule = LSCHED_SCHEDULE_OPTS_INIT,
                                .now_us = f->session->info.start_us,
                                .horizon_us = LSCHED_NEVER_US,
                                .vain_max = VAIN_CYCLES_MAX,
                                .on_decisions = note_starts,
                                .user = f};
    play.schedule.release_us = 1;
    play.jobs = must_alloc_zero((f->site->n_jobs + 1) * sizeof play.jobs[0]);
    for (size_t i = 0; i < f->site->n_jobs; i++) add_job(f, &f->site->jobs[i], &play);
    cluster_play_sort(&play);
    size_t n = 0; /* two records can be of one job */
    for (size_t i = 0; i < play.n_jobs; i++)
        if (n == 0 || play.jobs[n - 1].id != play.jobs[i].id) play.jobs[n++] = play.jobs[i];
    play.n_jobs = n;
    int32_t rc = cluster_play_run(&play, &err);
    free(play.jobs);
    f->out->cut = play.cut;
    return rc < 0 ? library_error(f->session->file.name, &err) : EXIT_OK;
}

int site_forecast_run(struct session *session, const struct site *site, struct site_forecast *out) {
    struct forecast f = {.session = session, .site = site, .out = out};
    memset(out, 0, sizeof *out);
    out->jobs = must_alloc_zero((site->n_jobs + 1) * sizeof out->jobs[0]);
    out->n = site->n_jobs;
    name_jobs(&f);
    int rc = session_first_cycle(session, session->info.start_us, on_first, &f);
    if (rc == EXIT_OK) rc = play_on(&f);
    free(f.of_name);
    name_table_free(&f.names);
    return rc;
}

void site_forecast_free(struct site_forecast *forecast) {
    for (size_t i = 0; i < forecast->n; i++) {
        free(forecast->jobs[i].nodes);
        free(forecast->jobs[i].why);
    }
    free(forecast->jobs);
    memset(forecast, 0, sizeof *forecast);
}
