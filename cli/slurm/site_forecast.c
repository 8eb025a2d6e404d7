/* site_forecast.c -- see site_forecast.h. */
#include "cli/slurm/site_forecast.h"

#include <stdlib.h>
#include <string.h>

#include "cli/slurm/site_licences.h"
#include "cli/slurm/site_request.h"
#include "cli/support/cli_errors.h"
#include "cli/support/event_heap.h"
#include "cli/support/name_list.h"

enum { CYCLES_MAX = 200000, ROUNDS_MAX = 1000, VAIN_WAKES_MAX = 1000, WHY_BYTES = 1024 };
enum { NODES_SHOWN = 6 };

struct forecast {
    struct session *session;
    const struct site *site;
    struct site_forecast *out;
    struct name_table names;    /* name of each job */
    size_t *of_name;            /* owned; index of the job with each name */
    lsched_decision *decisions; /* owned; those of the last plan */
    size_t n_decisions, capacity;
    lsched_task_event *reports;
    size_t n_reports, reports_capacity;
    struct event_heap ends;
    int64_t now_us;
    lsched_error err;
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

static void expect_end(struct forecast *f, struct forecast_job *job, int64_t from_us) {
    const struct site_job *of = &f->site->jobs[job - f->out->jobs];
    job->run++;
    if (of->limit_s == SLURM_UNLIMITED || of->limit_s <= 0) return;
    int64_t end_us = from_us + of->limit_s * 1000000;
    event_heap_push(&f->ends,
                    (struct heap_record){.key = end_us > f->now_us ? end_us : f->now_us + 1,
                                         .item = (uint32_t)(job - f->out->jobs),
                                         .detail = job->run});
}

/* ---- one plan ---- */

static void keep_decisions(struct forecast *f, const lsched_plan *plan) {
    f->n_decisions = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        f->decisions =
            must_grow(f->decisions, f->n_decisions, &f->capacity, sizeof f->decisions[0]);
        f->decisions[f->n_decisions++] = *lsched_plan_at(plan, i);
    }
}

/* Writes the nodes of the job's placements among the decisions from index `from`, which are the
 * first of the job. */
static char *nodes_of(struct forecast *f, size_t from) {
    lsched_id job = f->decisions[from].job;
    lsched_text *names = must_alloc((f->n_decisions - from) * sizeof names[0]);
    size_t n = 0;
    for (size_t i = from; i < f->n_decisions; i++) {
        const lsched_decision *d = &f->decisions[i];
        size_t len = 0;
        if (d->job != job || d->kind != LSCHED_DECIDE_PLACE) continue;
        const char *name = lsched_name(f->session->cluster, d->node, &len);
        if (name != NULL) names[n++] = (lsched_text){name, len};
    }
    char *text = name_list(names, n, NODES_SHOWN);
    free(names);
    return text;
}

static void note_starts(struct forecast *f, bool first) {
    for (size_t i = 0; i < f->n_decisions; i++) {
        struct forecast_job *job = job_of(f, f->decisions[i].job);
        if (job == NULL) continue;
        if (f->decisions[i].kind == LSCHED_DECIDE_EVICT && first) job->evicted = true;
        if (f->decisions[i].kind != LSCHED_DECIDE_PLACE || job->start_us != LSCHED_NEVER_US)
            continue;
        job->start_us = f->now_us;
        job->now = first;
        job->nodes = nodes_of(f, i);
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
    f->now_us = cycle->now_us;
    keep_decisions(f, cycle->plan);
    note_starts(f, true);
    note_waits(f, cycle->cluster);
    return 0;
}

/* ---- carrying out ---- */

static void report(struct forecast *f, uint32_t event, const lsched_decision *d) {
    f->reports = must_grow(f->reports, f->n_reports, &f->reports_capacity, sizeof f->reports[0]);
    lsched_task_event *out = &f->reports[f->n_reports++];
    *out = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
    out->event = event;
    out->job = d->job;
    out->task_index = d->task_index;
    out->at_us = f->now_us;
}

static int32_t flush(struct forecast *f) {
    int32_t rc = LSCHED_OK;
    if (f->n_reports > 0)
        rc = lsched_tasks_report(f->session->cluster, f->reports, f->n_reports,
                                 sizeof f->reports[0], NULL, NULL, &f->err);
    f->n_reports = 0;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t confirm_all(struct forecast *f) {
    lsched_settlement *answers = must_alloc((f->n_decisions + 1) * sizeof answers[0]);
    for (size_t i = 0; i < f->n_decisions; i++)
        answers[i] = (lsched_settlement){.size = sizeof answers[i],
                                         .outcome = LSCHED_OUTCOME_CONFIRMED,
                                         .decision = f->decisions[i].id};
    int32_t rc = lsched_settle(f->session->cluster, answers, f->n_decisions, sizeof answers[0],
                               NULL, NULL, NULL, &f->err);
    free(answers);
    return rc < 0 ? rc : LSCHED_OK;
}

/* Carries out the decisions. What stops comes first, because what starts can need its room. */
static int32_t carry_out(struct forecast *f, bool *again) {
    if (f->n_decisions == 0) return LSCHED_OK;
    int32_t rc = confirm_all(f);
    for (size_t i = 0; i < f->n_decisions; i++) {
        const lsched_decision *d = &f->decisions[i];
        if (d->kind != LSCHED_DECIDE_EVICT && d->kind != LSCHED_DECIDE_MIGRATE) continue;
        struct forecast_job *job = job_of(f, d->job);
        if (job != NULL) job->run++; /* its end is no longer expected */
        report(f, LSCHED_EVENT_FAILED, d);
        *again = true;
    }
    for (size_t i = 0; i < f->n_decisions; i++) {
        const lsched_decision *d = &f->decisions[i];
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        struct forecast_job *job = job_of(f, d->job);
        if (job != NULL) expect_end(f, job, f->now_us);
        report(f, LSCHED_EVENT_STARTED, d);
    }
    return rc < 0 ? rc : flush(f);
}

static int32_t cycle(struct forecast *f, bool *again) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = f->now_us;
    opts.release_us = 1;
    int32_t rc = lsched_schedule(f->session->cluster, &opts, &plan, &f->err);
    if (rc < 0) return rc;
    lsched_plan_get(plan, &info, NULL);
    if (info.policy_error != LSCHED_OK)
        rc = error_at(&f->err, LSCHED_E_POLICY, 0, 0, "%s", lsched_plan_policy_error(plan));
    keep_decisions(f, plan);
    lsched_plan_destroy(plan);
    if (rc < 0) return rc;
    f->out->cycles++;
    note_starts(f, false);
    if ((info.flags & LSCHED_PLAN_PARTIAL) != 0 && info.decisions > 0) *again = true;
    return carry_out(f, again);
}

/* ---- time ---- */

static bool holds(const struct forecast *f, const struct heap_record *end) {
    const struct forecast_job *job = &f->out->jobs[end->item];
    return !job->ended && job->run == end->detail;
}

static int32_t end_jobs(struct forecast *f) {
    while (f->ends.n > 0 && f->ends.records[0].key <= f->now_us) {
        struct heap_record end = event_heap_pop(&f->ends);
        if (!holds(f, &end)) continue;
        struct forecast_job *job = &f->out->jobs[end.item];
        const char *name = f->site->jobs[end.item].id;
        lsched_id id =
            lsched_find(f->session->cluster, LSCHED_KIND_JOB, (lsched_text){name, strlen(name)});
        job->ended = true;
        int32_t rc = id != 0 ? lsched_jobs_remove(f->session->cluster, &id, 1, NULL, NULL, &f->err)
                             : LSCHED_OK;
        if (rc < 0) return rc;
    }
    return LSCHED_OK;
}

static bool all_started(const struct forecast *f) {
    for (size_t i = 0; i < f->site->n_jobs; i++)
        if (f->site->jobs[i].fate == SITE_WAITS && f->out->jobs[i].start_us == LSCHED_NEVER_US)
            return false;
    return true;
}

static int64_t next_time(struct forecast *f, uint64_t *vain) {
    while (f->ends.n > 0 && !holds(f, &f->ends.records[0])) event_heap_pop(&f->ends);
    int64_t next_us = f->ends.n > 0 ? f->ends.records[0].key : LSCHED_NEVER_US;
    int64_t wake_us = lsched_next_wake(f->session->cluster);
    if (next_us == LSCHED_NEVER_US && ++*vain > VAIN_WAKES_MAX) return next_us;
    return wake_us > f->now_us && wake_us < next_us ? wake_us : next_us;
}

static int32_t play(struct forecast *f) {
    bool again = false;
    uint64_t vain = 0;
    int32_t rc = carry_out(f, &again);
    for (uint32_t round = 0; rc >= 0 && !all_started(f);) {
        if (f->out->cycles >= CYCLES_MAX) {
            f->out->cut = true;
            break;
        }
        if (!again || ++round > ROUNDS_MAX) {
            int64_t next_us = next_time(f, &vain);
            if (next_us == LSCHED_NEVER_US) break;
            if (next_us - f->now_us > LSCHED_REPORT_AHEAD_US)
                rc = lsched_clock_set(f->session->cluster, next_us, &f->err);
            f->now_us = next_us;
            round = 0;
            if (rc >= 0) rc = end_jobs(f);
        }
        again = false;
        if (rc >= 0) rc = cycle(f, &again);
    }
    return rc;
}

static void expect_running(struct forecast *f) {
    for (size_t i = 0; i < f->site->n_jobs; i++) {
        const struct site_job *job = &f->site->jobs[i];
        if (job->fate == SITE_RUNS) expect_end(f, &f->out->jobs[i], job->start_s * 1000000);
    }
}

int site_forecast_run(struct session *session, const struct site *site, struct site_forecast *out) {
    struct forecast f = {.session = session, .site = site, .out = out, .err = LSCHED_ERROR_INIT};
    memset(out, 0, sizeof *out);
    out->jobs = must_alloc_zero((site->n_jobs + 1) * sizeof out->jobs[0]);
    out->n = site->n_jobs;
    name_jobs(&f);
    int rc = session_first_cycle(session, session->info.start_us, on_first, &f);
    if (rc == EXIT_OK) {
        expect_running(&f);
        if (play(&f) < 0) rc = library_error(session->file.name, &f.err);
    }
    free(f.of_name);
    free(f.decisions);
    free(f.reports);
    event_heap_free(&f.ends);
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
