/* promise_figures.c -- see promise_figures.h. */
#include "cli/replay/promise_figures.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define SECONDS(us)     ((double)(us)*1e-6)
#define LATENESS_WEIGHT 20.0 /* 2 / (1 - 0.9) */

/* ---- the log ---- */

void promise_log_begin(struct promise_log *log, const struct job_list *list) {
    memset(log, 0, sizeof *log);
    log->n_jobs = list->n_jobs;
    log->expected_us = must_alloc(list->n_jobs * sizeof log->expected_us[0]);
    for (size_t i = 0; i < list->n_jobs; i++) log->expected_us[i] = LSCHED_NEVER_US;
    log->firm = must_alloc_zero(list->n_jobs * sizeof log->firm[0]);
    for (size_t i = 0; i < list->n_jobs; i++) log->firm[i].firm_us = LSCHED_NEVER_US;
}

void promise_log_end(struct promise_log *log) {
    free(log->expected_us);
    free(log->firm);
    free(log->notes);
    memset(log, 0, sizeof *log);
}

/* Notes the firm start of a job that waits. */
static void note_firm(struct promise_log *log, size_t i, const lsched_waiting *waiting) {
    struct firm_job *job = &log->firm[i];
    if (job->firm_us < waiting->firm_us) job->silent = true;
    job->firm_us = waiting->firm_us;
    if (job->ever || job->firm_us == LSCHED_NEVER_US) return;
    job->ever = true;
    job->first_us = job->firm_us;
}

/* Notes the start that a waiting job is told, or that it is told none any more. */
static void note_wait(struct promise_log *log, const lsched_cluster *cluster, int64_t now_us,
                      const lsched_waiting *waiting) {
    lsched_job_info info = {.size = sizeof info};
    bool told = waiting->code == LSCHED_WAIT_PLANNED && waiting->plan_node != 0;
    int64_t expected_us = told ? waiting->until_us : LSCHED_NEVER_US;
    if (lsched_job_get(cluster, waiting->job, &info, NULL) != LSCHED_OK || info.tag >= log->n_jobs)
        return;
    note_firm(log, info.tag, waiting);
    if (log->expected_us[info.tag] == expected_us) return;
    log->expected_us[info.tag] = expected_us;
    log->notes = must_grow(log->notes, log->n, &log->capacity, sizeof log->notes[0]);
    log->notes[log->n++] = (struct promise_note){
        .at_us = now_us, .expected_us = expected_us, .job = (uint32_t)info.tag};
}

/* Reads which jobs lost their firm starts. */
static void note_losses(struct promise_log *log, const lsched_cluster *cluster) {
    lsched_change change = {.size = sizeof change};
    while (lsched_changes_next(cluster, &log->cursor, &change, NULL) == 1) {
        if (change.kind != LSCHED_CHANGE_FIRM_LOST || change.job_tag >= log->n_jobs) continue;
        struct firm_job *job = &log->firm[change.job_tag];
        job->firm_us = LSCHED_NEVER_US;
        if (job->because == LSCHED_BECAUSE_NONE) job->because = change.because;
    }
}

static void note_all(void *user, const lsched_cluster *cluster, const lsched_plan *plan) {
    struct promise_log *log = user;
    lsched_plan_info info = {.size = sizeof info};
    lsched_waiting waiting = {.size = sizeof waiting};
    uint64_t cursor = 0;
    lsched_plan_get(plan, &info, NULL);
    note_losses(log, cluster);
    while (lsched_waiting_next(cluster, &cursor, &waiting, NULL) == 1)
        note_wait(log, cluster, info.now_us, &waiting);
}

struct plan_watch promise_log_watch(struct promise_log *log) {
    return (struct plan_watch){.user = log, .after = note_all};
}

/* ---- what happened, as lists of times ---- */

struct span {
    int64_t from_us, to_us;
};

/* overruns: spans in which work ran beyond its estimate, joined where they meet. early: twice the
 * times at which work ended before its estimate, and 1 more for work that ended at the time of its
 * start: that is after the cycle that started it. arrivals: times of submission. All ascend. */
struct happened {
    struct span *overruns;
    int64_t *early, *arrivals;
    size_t n_overruns, n_early, n_arrivals;
};

static int by_time(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_begin(const void *a, const void *b) {
    const struct span *x = a, *y = b;
    return (x->from_us > y->from_us) - (x->from_us < y->from_us);
}

static void join_spans(struct happened *h) {
    size_t n = 0;
    for (size_t i = 0; i < h->n_overruns; i++) {
        struct span next = h->overruns[i];
        if (n == 0 || next.from_us > h->overruns[n - 1].to_us) {
            h->overruns[n++] = next;
        } else if (next.to_us > h->overruns[n - 1].to_us) {
            h->overruns[n - 1].to_us = next.to_us;
        }
    }
    h->n_overruns = n;
}

static void happened_begin(struct happened *h, const struct job_list *list,
                           const struct job_outcome *outcomes) {
    memset(h, 0, sizeof *h);
    h->overruns = must_alloc(list->n_jobs * sizeof h->overruns[0]);
    h->early = must_alloc(list->n_jobs * sizeof h->early[0]);
    h->arrivals = must_alloc(list->n_jobs * sizeof h->arrivals[0]);
    for (size_t i = 0; i < list->n_jobs; i++) {
        const struct job_outcome *of = &outcomes[i];
        if (of->dropped) continue;
        h->arrivals[h->n_arrivals++] = list->jobs[i].submit_us;
        if (of->start_us == LSCHED_NEVER_US || of->end_us == LSCHED_NEVER_US) continue;
        int64_t due_us = of->start_us + list->jobs[i].estimate_us;
        if (of->end_us > due_us) h->overruns[h->n_overruns++] = (struct span){due_us, of->end_us};
        if (of->end_us < due_us)
            h->early[h->n_early++] = 2 * of->end_us + (of->end_us == of->start_us);
    }
    qsort(h->overruns, h->n_overruns, sizeof h->overruns[0], by_begin);
    qsort(h->early, h->n_early, sizeof h->early[0], by_time);
    qsort(h->arrivals, h->n_arrivals, sizeof h->arrivals[0], by_time);
    join_spans(h);
}

static void happened_end(struct happened *h) {
    free(h->overruns);
    free(h->early);
    free(h->arrivals);
}

/* Returns true if one of the times is after from_us and no later than to_us. */
static bool any_time(const int64_t *times, size_t n, int64_t from_us, int64_t to_us) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (times[mid] > from_us) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low < n && times[low] <= to_us;
}

static bool any_overrun(const struct happened *h, int64_t from_us, int64_t to_us) {
    size_t low = 0, high = h->n_overruns;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (h->overruns[mid].to_us >= from_us) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    return low < h->n_overruns && h->overruns[low].from_us <= to_us;
}

static enum promise_cause cause_of(const struct happened *h, int64_t from_us, int64_t to_us) {
    if (any_overrun(h, from_us, to_us)) return PROMISE_OVERRUN;
    if (any_time(h->early, h->n_early, 2 * from_us, 2 * to_us + 1)) return PROMISE_EARLY_END;
    if (any_time(h->arrivals, h->n_arrivals, from_us, to_us)) return PROMISE_ARRIVAL;
    return PROMISE_NO_CAUSE;
}

/* ---- the figures ---- */

struct told_job {
    size_t last;    /* 1 + index of the latest note with a start; 0: none */
    bool withdrawn; /* true if the job is told no start since */
    int64_t first_us, first_at_us, longest_move_us;
    enum promise_cause cause; /* of the longest move */
};

/* A note as a sample: its error, and for how long it was the latest one. */
struct error_sample {
    double error_s, weight_s;
};

struct promise_sums {
    const struct promise_log *log;
    const struct job_outcome *outcomes;
    struct told_job *jobs;
    struct error_sample *samples;
    size_t n_samples;
    struct happened happened;
    struct promise_figures figures;
};

static int by_error(const void *a, const void *b) {
    const struct error_sample *x = a, *y = b;
    return (x->error_s > y->error_s) - (x->error_s < y->error_s);
}

static double weighted_median(struct error_sample *samples, size_t n) {
    double all = 0, sum = 0;
    if (n == 0) return 0;
    qsort(samples, n, sizeof samples[0], by_error);
    for (size_t i = 0; i < n; i++) all += samples[i].weight_s;
    for (size_t i = 0; i < n; i++) {
        sum += samples[i].weight_s;
        if (2 * sum >= all) return samples[i].error_s;
    }
    return samples[n - 1].error_s;
}

/* Ends the time of a note that was the latest one of its job until until_us. */
static void close_note(struct promise_sums *s, const struct promise_note *note, int64_t until_us) {
    int64_t start_us = s->outcomes[note->job].start_us;
    s->samples[s->n_samples++] =
        (struct error_sample){.error_s = SECONDS(note->expected_us - start_us),
                              .weight_s = SECONDS(until_us - note->at_us)};
}

/* Adds a note that comes after others of its job. */
static void add_move(struct promise_sums *s, struct told_job *job,
                     const struct promise_note *note) {
    const struct promise_note *before = &s->log->notes[job->last - 1];
    bool ends = note->expected_us == LSCHED_NEVER_US;
    int64_t move_us = ends ? 0 : note->expected_us - before->expected_us;
    if (!job->withdrawn) close_note(s, before, note->at_us);
    if (ends) s->figures.withdrawn++;
    if (move_us < 0) s->figures.moved_earlier++;
    if (move_us <= 0) return;
    enum promise_cause cause = cause_of(&s->happened, before->at_us, note->at_us);
    s->figures.moved_later[cause]++;
    if (move_us <= job->longest_move_us) return;
    job->longest_move_us = move_us;
    job->cause = cause;
}

static void add_note(struct promise_sums *s, size_t i) {
    const struct promise_note *note = &s->log->notes[i];
    struct told_job *job = &s->jobs[note->job];
    bool ends = note->expected_us == LSCHED_NEVER_US;
    /* a job that was stopped waits again, but its wait ended with its first start */
    if (note->at_us >= s->outcomes[note->job].start_us) return;
    if (job->last == 0) {
        job->first_us = note->expected_us;
        job->first_at_us = note->at_us;
        job->cause = PROMISE_NO_CAUSE;
    } else {
        add_move(s, job, note);
    }
    job->withdrawn = ends;
    if (!ends) job->last = i + 1;
}

/* Adds a job that was told a start: whether it started by the first one, and its score. A job that
 * started after the latest note without a move is a miss without a note of its own, so what
 * happened until its start is its cause. */
static void add_job(struct promise_sums *s, uint32_t i) {
    struct told_job *job = &s->jobs[i];
    if (job->last == 0) return;
    const struct promise_note *last = &s->log->notes[job->last - 1];
    int64_t start_us = s->outcomes[i].start_us, late_us = start_us - job->first_us;
    if (!job->withdrawn) close_note(s, last, start_us);
    s->figures.told++;
    s->figures.interval_score_s += SECONDS(job->first_us - job->first_at_us);
    if (late_us <= 0) return;
    if (start_us - last->expected_us > job->longest_move_us)
        job->cause = cause_of(&s->happened, last->at_us, start_us);
    s->figures.missed[job->cause]++;
    s->figures.interval_score_s += LATENESS_WEIGHT * SECONDS(late_us);
}

/* Adds a job that had a firm start. */
static void add_firm(struct promise_sums *s, uint32_t i) {
    const struct firm_job *job = &s->log->firm[i];
    if (!job->ever) return;
    s->figures.firm++;
    if (job->silent || s->outcomes[i].start_us > job->firm_us ||
        (s->outcomes[i].start_us > job->first_us && !job->because)) {
        s->figures.firm_silent++;
    } else if (s->outcomes[i].start_us > job->first_us) {
        s->figures.firm_missed[job->because < PROMISE_REASONS ? job->because : 0]++;
    }
}

struct promise_figures promise_figures_of(const struct promise_log *log,
                                          const struct job_list *list,
                                          const struct job_outcome *outcomes) {
    struct promise_sums s = {.log = log, .outcomes = outcomes};
    s.jobs = must_alloc_zero(list->n_jobs * sizeof s.jobs[0]);
    s.samples = must_alloc((log->n + 1) * sizeof s.samples[0]);
    happened_begin(&s.happened, list, outcomes);
    for (size_t i = 0; i < log->n; i++)
        if (outcomes[log->notes[i].job].start_us != LSCHED_NEVER_US) add_note(&s, i);
    for (uint32_t i = 0; i < list->n_jobs; i++) {
        if (outcomes[i].dropped || outcomes[i].start_us == LSCHED_NEVER_US) continue;
        s.figures.waited += outcomes[i].start_us > list->jobs[i].submit_us;
        add_job(&s, i);
        add_firm(&s, i);
    }
    if (s.figures.told > 0) s.figures.interval_score_s /= (double)s.figures.told;
    s.figures.median_error_s = weighted_median(s.samples, s.n_samples);
    happened_end(&s.happened);
    free(s.jobs);
    free(s.samples);
    return s.figures;
}

/* ---- output ---- */

uint64_t promise_sum(const uint64_t counts[PROMISE_CAUSES]) {
    uint64_t sum = 0;
    for (size_t i = 0; i < PROMISE_CAUSES; i++) sum += counts[i];
    return sum;
}

uint64_t promise_firm_missed(const struct promise_figures *figures) {
    uint64_t sum = figures->firm_silent;
    for (size_t i = 0; i < PROMISE_REASONS; i++) sum += figures->firm_missed[i];
    return sum;
}

static void json_causes(struct json *json, const char *key, const uint64_t counts[PROMISE_CAUSES]) {
    static const char *const words[PROMISE_CAUSES] = {"overrun", "early_end", "arrival", "none"};
    json_object(json, key, JSON_LINES);
    for (size_t i = 0; i < PROMISE_CAUSES; i++) json_uint(json, words[i], counts[i]);
    json_close(json);
}

void promise_figures_json(struct json *json, const struct promise_figures *figures) {
    uint64_t missed = promise_sum(figures->missed);
    json_object(json, "promises", JSON_LINES);
    json_uint(json, "waited", figures->waited);
    json_uint(json, "told", figures->told);
    json_uint(json, "on_time", figures->told - missed);
    json_uint(json, "missed", missed);
    json_causes(json, "missed_by_cause", figures->missed);
    json_uint(json, "withdrawn", figures->withdrawn);
    json_uint(json, "moved_earlier", figures->moved_earlier);
    json_uint(json, "moved_later", promise_sum(figures->moved_later));
    json_causes(json, "moved_later_by_cause", figures->moved_later);
    json_fixed(json, "median_error_s", figures->median_error_s, 3);
    json_fixed(json, "interval_score_s", figures->interval_score_s, 3);
    json_uint(json, "firm", figures->firm);
    json_uint(json, "firm_missed", promise_firm_missed(figures));
    json_object(json, "firm_missed_by_cause", JSON_LINES);
    for (uint32_t i = 1; i < PROMISE_REASONS; i++)
        if (figures->firm_missed[i])
            json_uint(json, lsched_because_name(i), figures->firm_missed[i]);
    json_uint(json, "none", figures->firm_silent);
    json_close(json);
    json_close(json);
}
