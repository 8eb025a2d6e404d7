/*
 * comparison.c -- see comparison.h.
 */
#include "cli/compare/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct measure *comparison_measure(struct comparison *of, const char *key, const char *label,
                                   enum measure_unit unit, double a, double b) {
    struct measure *measure = &of->measures[of->n_measures++];
    *measure = (struct measure){key, label, unit, {a, b}, {true, true}};
    return measure;
}

void comparison_step(void *user, uint64_t done, uint64_t total) {
    struct comparison *of = user;
    char label[160];
    snprintf(label, sizeof label, "%s%s", of->policies[of->side_now].word,
             of->shadowed ? ", with the other in its shadow" : "");
    progress_step(&of->progress, of->side_now * 1000 + done * 1000 / (total > 0 ? total : 1),
                  label);
}

/* ---- plans ---- */

static void log_plan(struct comparison *of, size_t side, const lsched_cluster *cluster,
                     const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    of->plans_hash[side] = (of->plans_hash[side] ^ info.plan_hash) * 0x100000001b3u;
    of->cycles[side]++;
    plan_rows_add(&of->log[side], &of->names, cluster, plan);
}

static void log_a(void *user, const lsched_cluster *cluster, const lsched_plan *plan) {
    log_plan(user, SIDE_A, cluster, plan);
}

static void log_b(void *user, const lsched_cluster *cluster, const lsched_plan *plan) {
    log_plan(user, SIDE_B, cluster, plan);
}

struct plan_watch comparison_watch(struct comparison *of, size_t side) {
    of->plans_hash[side] = 0xcbf29ce484222325u;
    return (struct plan_watch){.user = of, .after = side == SIDE_A ? log_a : log_b};
}

static int play_both(struct comparison *of, const struct comparison_trace *trace) {
    for (size_t side = 0; side < SIDES; side++) {
        struct plan_watch watch = comparison_watch(of, side);
        int rc = trace->play(trace->input, side, &watch);
        if (rc != EXIT_OK) return rc;
    }
    trace->compare(trace->input);
    comparison_logs(of);
    return EXIT_OK;
}

static int play_shadow(struct comparison *of, const struct comparison_trace *trace) {
    shadow_begin(&of->shadow, &of->policies[SIDE_B], &of->names, (size_t)of->args->show);
    struct plan_watch watch = shadow_watch(&of->shadow);
    int rc = trace->play(trace->input, SIDE_A, &watch);
    of->plans_hash[SIDE_A] = *trace->plans_hash;
    of->plans_hash[SIDE_B] = of->shadow.plans_hash;
    of->cycles[SIDE_A] = of->cycles[SIDE_B] = of->shadow.cycles;
    return rc;
}

int comparison_play(struct comparison *of, const struct comparison_trace *trace) {
    of->shadowed = of->args->shadow;
    progress_begin(&of->progress, of->args->progress, of->args->no_progress,
                   of->shadowed ? 1000 : 2000);
    int rc = of->shadowed ? play_shadow(of, trace) : play_both(of, trace);
    progress_hide(&of->progress);
    return rc;
}

char *comparison_job_name(const struct comparison *of, uint32_t job) {
    char number[32];
    lsched_text name = of->names.jobs.names[job];
    if (job < of->n_job_numbers) {
        name.len = (uint64_t)snprintf(number, sizeof number, "%" PRIu64, of->job_numbers[job]);
        name.ptr = number;
    }
    return must_copy(name.ptr, (size_t)name.len);
}

static void note_first(void *user, const struct job_difference *difference) {
    struct comparison *of = user;
    of->first_jobs++;
    if (of->n_first == (size_t)of->args->show) return;
    of->first = must_resize(of->first, (of->n_first + 1) * sizeof of->first[0]);
    struct difference_line *line = &of->first[of->n_first++];
    line->job = comparison_job_name(of, difference->job);
    for (size_t side = 0; side < SIDES; side++)
        line->text[side] = plan_rows_text(difference->rows[side], difference->n[side], &of->names);
}

static size_t instant_end(const struct plan_rows *log, size_t from, int64_t now_us) {
    while (from < log->n && log->items[from].now_us == now_us) from++;
    return from;
}

/* Returns the address of row `at`, or NULL if the log is empty. */
static struct plan_row *rows_from(struct plan_rows *log, size_t at) {
    return log->n > 0 ? log->items + at : NULL;
}

void comparison_logs(struct comparison *of) {
    struct plan_rows *a = &of->log[SIDE_A], *b = &of->log[SIDE_B];
    for (size_t i = 0, j = 0; !of->differs && (i < a->n || j < b->n);) {
        int64_t now_us = i < a->n ? a->items[i].now_us : b->items[j].now_us;
        if (j < b->n && b->items[j].now_us < now_us) now_us = b->items[j].now_us;
        size_t end_a = instant_end(a, i, now_us), end_b = instant_end(b, j, now_us);
        of->differs = plan_rows_compare(rows_from(a, i), end_a - i, rows_from(b, j), end_b - j,
                                        note_first, of) > 0;
        of->first_us = now_us;
        i = end_a;
        j = end_b;
    }
}

/* ---- jobs ---- */

static void free_job(struct compared_job *job) {
    free(job->name);
    free(job->queue);
    for (size_t side = 0; side < SIDES; side++) free(job->place[side]);
}

/* Inserts a job into of->jobs, which is sorted by descending weight. Insertion is fast enough,
 * because the list is short. If two jobs have equal weights, the job that was inserted first comes
 * first. */
void comparison_keep(struct comparison *of, struct compared_job *job) {
    size_t most = (size_t)of->args->show, at = of->n_jobs;
    while (at > 0 && of->jobs[at - 1].weight < job->weight) at--;
    if (at == most) {
        free_job(job);
        return;
    }
    if (of->jobs == NULL) of->jobs = must_alloc(most * sizeof of->jobs[0]);
    if (of->n_jobs == most) free_job(&of->jobs[--of->n_jobs]);
    memmove(&of->jobs[at + 1], &of->jobs[at], (of->n_jobs - at) * sizeof of->jobs[0]);
    of->jobs[at] = *job;
    of->n_jobs++;
}

void comparison_free(struct comparison *of) {
    for (size_t i = 0; i < of->n_jobs; i++) free_job(&of->jobs[i]);
    free(of->jobs);
    for (size_t i = 0; i < of->n_first; i++) {
        free(of->first[i].job);
        free(of->first[i].text[SIDE_A]);
        free(of->first[i].text[SIDE_B]);
    }
    free(of->first);
    shadow_end(&of->shadow);
    plan_names_free(&of->names);
    for (size_t side = 0; side < SIDES; side++) {
        plan_rows_free(&of->log[side]);
        policy_source_close(&of->policies[side]);
        free(of->params[side]);
        free(of->ended_early[side]);
    }
    free(of->job_numbers);
    input_free(&of->file);
    free(of->path);
}
