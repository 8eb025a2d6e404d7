/*
 * Reports that name the run that they are about (lsched_task_event.run). A host reports starts, ends
 * and failures of all runs that were ever decided, late, twice, in any order, with and without their
 * run, IDEMPOTENT and not, and imports tasks with and without their run, while queues take work from
 * each other, so that tasks stop, and are placed elsewhere while they do. A model outside the library
 * knows which run each process of a task really is, and which tasks have ended:
 *   - an end is never lost with a success: after it, the run that the report names runs nowhere, and
 *     after ENDED, the job has one more task that is done, unless it had ended before;
 *   - each report of a run has the status that the model expects, and without an effect changes no
 *     byte; an unknown run, a decision of another task or kind and another object are errors;
 *   - a report of a run does not touch another run: of the same task, unless the task has ended for
 *     good, and of other tasks, unless their job has ended with it;
 *   - the run of another task of the job is LSCHED_E_INVAL, for each event;
 *   - an older image that is loaded with a greater incarnation knows nothing of the runs before the
 *     load, so an end of such a run is not known, unless the task had ended when it was saved;
 *   - what runs has the run of its PLACE, also if STARTED did not name it, after an eviction that is
 *     undone, and in a copy that was saved and loaded; the change feed, samples and lists agree.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS replay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "property/chance.h"
#include "property/seeded_step.h"

#define SECOND ((int64_t)1000000)

enum { STEPS = 250, RUNS = 4096, ROWS = 256, JOBS = 40 };

struct run { /* a PLACE decision that was made */
    lsched_id job, id;
    uint32_t index;
    int is_old; /* it was made before an older image was loaded */
};

struct task {              /* what really is */
    lsched_id job, untold; /* untold: the run of the processes whose import told none */
    uint32_t index;
    int ended;
};

struct saved { /* an image that is kept, and what really was then */
    char *p;
    size_t n;
    struct task task[JOBS * 4];
    uint32_t n_tasks;
};

struct rows {
    lsched_task_info at[ROWS];
    uint32_t n;
};

struct host {
    struct chance chance;
    uint64_t seed;
    uint32_t step;
    lsched_cluster *c;
    lsched_cluster_opts opts;
    lsched_error err;
    int64_t now;
    struct run run[RUNS];
    uint32_t n_runs, n_jobs;
    struct task task[JOBS * 4];
    uint32_t n_tasks, incarnation;
    struct saved saved;
    uint64_t cursor;
    uint64_t stale, known, applied[4], both, revoked, reloads;
    uint64_t plain, untold, told, implied, wrong, samples, feed, restarts, lost, others;
};

static uint64_t image(struct host *h) {
    uint64_t hash = 0;
    CHECK(h, lsched_cluster_hash(h->c, LSCHED_HASH_IMAGE, &hash, NULL) == LSCHED_OK, "hash");
    return hash;
}

static void rows_read(struct host *h, struct rows *r) {
    r->n = 0;
    uint64_t jobs = 0;
    for (lsched_id j; (j = lsched_next(h->c, LSCHED_KIND_JOB, &jobs)) != 0;) {
        uint64_t cursor = 0;
        lsched_task_info t = {.size = sizeof t};
        while (lsched_tasks_next(h->c, j, 0, &cursor, &t, NULL) == 1) {
            CHECK(h, r->n < ROWS, "too many tasks for the test");
            r->at[r->n++] = t;
        }
    }
}

/* The run of a row: what STARTED named, or what the open decision will begin; 0: none. */
static lsched_id run_of(const lsched_task_info *t) {
    if (t->state == LSCHED_TASK_RUNNING || t->state == LSCHED_TASK_RELEASING) return t->run;
    int placed = t->state == LSCHED_TASK_PROPOSED || t->state == LSCHED_TASK_CONFIRMED;
    return placed ? t->decision : 0;
}

static const lsched_task_info *row_of(const struct rows *r, const struct run *run) {
    for (uint32_t i = 0; i < r->n; i++)
        if (r->at[i].job == run->job && r->at[i].task_index == run->index &&
            run_of(&r->at[i]) == run->id)
            return &r->at[i];
    return NULL;
}

static struct task *task_of(struct host *h, lsched_id job, uint32_t index) {
    for (uint32_t i = 0; i < h->n_tasks; i++)
        if (h->task[i].job == job && h->task[i].index == index) return &h->task[i];
    CHECK(h, h->n_tasks < JOBS * 4, "too many tasks for the test");
    h->task[h->n_tasks] = (struct task){.job = job, .index = index};
    return &h->task[h->n_tasks++];
}

static int goes_on(const lsched_task_info *t) {
    return t->state == LSCHED_TASK_RUNNING || t->state == LSCHED_TASK_RELEASING;
}

/* Checks that the job has as many ended tasks as the reports said with success. */
static void ends_check(struct host *h) {
    uint64_t jobs = 0;
    for (lsched_id j; (j = lsched_next(h->c, LSCHED_KIND_JOB, &jobs)) != 0;) {
        lsched_job_info info = {.size = sizeof info};
        uint32_t ended = 0;
        CHECK(h, lsched_job_get(h->c, j, &info, NULL) == LSCHED_OK, "job");
        for (uint32_t i = 0; i < h->n_tasks; i++) ended += h->task[i].job == j && h->task[i].ended;
        CHECK(h, info.tasks_done == ended, "an end is lost, or nobody told it");
    }
}

/* What runs had a start, and no run is at two places. */
static void runs_check(struct host *h) {
    struct rows r;
    rows_read(h, &r);
    for (uint32_t i = 0; i < r.n; i++) {
        const lsched_task_info *t = &r.at[i];
        int has = goes_on(t), found = t->run == 0;
        CHECK(h, has || t->run == 0, "a task that does not run has a run");
        for (uint32_t j = 0; j < h->n_runs; j++)
            found |= h->run[j].id == t->run && h->run[j].job == t->job &&
                     h->run[j].index == t->task_index;
        CHECK(h, found, "what runs has a run that was not decided for it");
        CHECK(h, !has || t->run || task_of(h, t->job, t->task_index)->untold,
              "the library forgot a run that it knew");
        for (uint32_t j = 0; has && j < i; j++) {
            int same = r.at[j].job == t->job && r.at[j].task_index == t->task_index;
            CHECK(h, !same || !goes_on(&r.at[j]) || r.at[j].run != t->run,
                  "a run is at two places");
            h->both += (uint64_t)same;
        }
    }
    for (uint32_t i = 0; i < h->n_tasks; i++) { /* the import's processes can be gone */
        int there = 0;
        for (uint32_t j = 0; j < r.n; j++)
            there |= r.at[j].job == h->task[i].job && r.at[j].task_index == h->task[i].index &&
                     goes_on(&r.at[j]) && r.at[j].run == 0;
        if (!there) h->task[i].untold = 0;
    }
    ends_check(h);
    CHECK(h, lsched_verify(h->c, NULL, &h->err) == LSCHED_OK, "verify");
}

static void submit(struct host *h) {
    struct chance *c = &h->chance;
    char text[200];
    if (h->n_jobs == JOBS) return;
    uint32_t count = 1 + chance_below(c, 3);
    snprintf(text, sizeof text,
             "jobs:\n  - {name: j%u, queue: %s, tasks: {count: %u, min: %u, gpu: %u}}\n",
             h->n_jobs++, chance_one_in(c, 2) ? "a" : "b", count, 1 + chance_below(c, count),
             1 + chance_below(c, 2));
    CHECK(h, lsched_scenario_add(NULL, lsched_cstr(text), LSCHED_TEXT("job"), h->c, &h->err) >= 0,
          "submit");
}

static void cycle(struct host *h) {
    struct chance *c = &h->chance;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_outcome outcomes[ROWS];
    lsched_plan *plan = NULL;
    opts.now_us = h->now += chance_below(c, 90) * SECOND;
    opts.moves_max = 4;
    CHECK(h, lsched_schedule(h->c, &opts, &plan, &h->err) == LSCHED_OK, "cycle");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        CHECK(h, i < ROWS && h->n_runs < RUNS, "too many decisions for the test");
        outcomes[i] = chance_one_in(c, 8)   ? LSCHED_OUTCOME_REJECTED
                      : chance_one_in(c, 4) ? 0
                                            : LSCHED_OUTCOME_CONFIRMED;
        h->revoked += outcomes[i] == LSCHED_OUTCOME_REJECTED && d->kind == LSCHED_DECIDE_EVICT;
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        h->run[h->n_runs++] = (struct run){.job = d->job, .id = d->id, .index = d->task_index};
    }
    CHECK(h, lsched_settle_plan(h->c, plan, outcomes, NULL, &h->err) >= 0, "settle");
    lsched_plan_destroy(plan);
}

/* Another run of the task, or a run of another task, goes on unless its task or job is over. */
static void others_go_on(struct host *h, const struct rows *before, const struct run *run,
                         uint32_t event) {
    struct rows after;
    lsched_job_info job = {.size = sizeof job};
    int job_ended = lsched_job_get(h->c, run->job, &job, NULL) == LSCHED_E_STALE;
    rows_read(h, &after);
    for (uint32_t i = 0; i < before->n; i++) {
        const lsched_task_info *t = &before->at[i];
        int same_task = t->job == run->job && t->task_index == run->index;
        struct run other = {.job = t->job, .id = t->run, .index = t->task_index};
        if (t->run == 0 || t->run == run->id || (t->job == run->job && job_ended) ||
            (same_task && event == LSCHED_EVENT_ENDED))
            continue;
        const lsched_task_info *now = row_of(&after, &other);
        CHECK(h, now && now->node == t->node, "a report stopped another run");
        CHECK(h, now->start_us == t->start_us, "a report began another run again");
    }
}

/* Reports one event. Returns its status, or the error. */
static int32_t tell(struct host *h, const lsched_task_event *e, const lsched_batch_opts *opts) {
    int32_t status = 0;
    int32_t rc = lsched_tasks_report(h->c, e, 1, sizeof *e, opts, &status, &h->err);
    return rc < 0 ? rc : status;
}

static int job_is_gone(struct host *h, lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    return lsched_job_get(h->c, job, &info, NULL) == LSCHED_E_STALE;
}

/* The status of a report of a run, from what really is. */
static int32_t report_expected(struct host *h, const struct rows *r, const struct run *run,
                               uint32_t event, int idempotent) {
    const lsched_task_info *row = row_of(r, run);
    int starts = event == LSCHED_EVENT_STARTED, over = idempotent && !starts;
    struct task *task = task_of(h, run->job, run->index);
    if (job_is_gone(h, run->job)) return over ? LSCHED_UNCHANGED : LSCHED_E_STALE;
    if (row && goes_on(row) && starts) return idempotent ? LSCHED_UNCHANGED : LSCHED_E_STATE;
    if (row) return LSCHED_OK;
    if (task->untold || (event == LSCHED_EVENT_ENDED && !task->ended)) return LSCHED_E_STALE;
    if (run->is_old && !task->ended) return LSCHED_E_STALE;
    return over ? LSCHED_UNCHANGED : LSCHED_E_STALE;
}

/* After a success, the run is over, and the model notes the end. */
static void end_is_kept(struct host *h, const struct run *run, uint32_t event) {
    static struct rows after;
    struct task *task = task_of(h, run->job, run->index);
    rows_read(h, &after);
    CHECK(h, !row_of(&after, run), "an end with a success, and the run goes on");
    for (uint32_t i = 0; i < after.n; i++)
        CHECK(h,
              after.at[i].job != run->job || after.at[i].task_index != run->index ||
                  !goes_on(&after.at[i]) || after.at[i].run || task->untold != run->id,
              "an end with a success, and the imported run goes on");
    if (event == LSCHED_EVENT_ENDED) task->ended = 1;
}

static void report(struct host *h) {
    struct chance *c = &h->chance;
    static struct rows before;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    if (h->n_runs == 0) return;
    uint32_t back = chance_one_in(c, 3) ? h->n_runs : h->n_runs < 12 ? h->n_runs : 12;
    const struct run *run = &h->run[h->n_runs - 1 - chance_below(c, back)];
    e.job = run->job;
    e.task_index = run->index;
    e.run = run->id;
    e.event = chance_one_in(c, 3) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_STARTED;
    if (chance_one_in(c, 6)) e.event = LSCHED_EVENT_ENDED;
    rows_read(h, &before);
    const lsched_task_info *row = row_of(&before, run);
    if (row && !goes_on(row) && !chance_one_in(c, 4)) e.event = LSCHED_EVENT_STARTED;
    if (e.event == LSCHED_EVENT_STARTED && chance_one_in(c, 6))
        e.node_name = lsched_cstr(chance_one_in(c, 2) ? "x" : "y");
    int idempotent = chance_one_in(c, 2);
    if (idempotent) opts.flags = LSCHED_BATCH_IDEMPOTENT;
    int32_t expected = report_expected(h, &before, run, e.event, idempotent);
    uint64_t was = image(h);
    int32_t rc = tell(h, &e, &opts);
    if (e.node_name.ptr && rc == LSCHED_E_RANGE) return; /* a place that cannot be */
    CHECK(h, rc == expected || (e.node_name.ptr && row && goes_on(row)), "status of a report");
    if (rc != LSCHED_OK) CHECK(h, image(h) == was, "a report without an effect had one");
    h->stale += rc == LSCHED_E_STALE;
    h->known += rc == LSCHED_UNCHANGED;
    h->lost += rc == LSCHED_E_STALE && run->is_old && idempotent;
    if (rc >= 0 && e.event != LSCHED_EVENT_STARTED) end_is_kept(h, run, e.event);
    if (rc != LSCHED_OK) return;
    h->applied[e.event]++;
    h->implied += e.event != LSCHED_EVENT_STARTED && !goes_on(row);
    others_go_on(h, &before, run, e.event);
}

/* A report without a run is about the task: about what is to stop, if anything is. */
static void report_plain(struct host *h) {
    struct chance *c = &h->chance;
    static struct rows r;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    if (h->n_runs == 0) return;
    const struct run *run = &h->run[h->n_runs - 1 - chance_below(c, h->n_runs < 8 ? h->n_runs : 8)];
    rows_read(h, &r);
    const lsched_task_info *row = row_of(&r, run);
    e.job = run->job;
    e.task_index = run->index;
    e.event = row && !goes_on(row) ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
    if (e.event == LSCHED_EVENT_FAILED && chance_one_in(c, 3)) e.event = LSCHED_EVENT_ENDED;
    if (chance_one_in(c, 2)) opts.flags = LSCHED_BATCH_IDEMPOTENT;
    int gone = job_is_gone(h, run->job);
    int32_t rc = tell(h, &e, &opts);
    if (rc < 0 || gone) return;
    h->plain++;
    if (e.event == LSCHED_EVENT_ENDED) task_of(h, run->job, run->index)->ended = 1;
    rows_read(h, &r);
    row = row_of(&r, run);
    if (e.event == LSCHED_EVENT_STARTED && rc == LSCHED_OK)
        CHECK(h, row && row->state == LSCHED_TASK_RUNNING, "STARTED without a run has another run");
}

/* A task that the library does not know to run runs: the run of a decision that was made for it. */
static void import_run(struct host *h) {
    struct chance *c = &h->chance;
    static struct rows r;
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    if (h->n_runs == 0) return;
    const struct run *run =
        &h->run[h->n_runs - 1 - chance_below(c, h->n_runs < 20 ? h->n_runs : 20)];
    struct task *task = task_of(h, run->job, run->index);
    const lsched_task_info *is = NULL;
    rows_read(h, &r);
    for (uint32_t i = 0; i < r.n; i++)
        if (r.at[i].job == run->job && r.at[i].task_index == run->index && goes_on(&r.at[i]))
            is = &r.at[i];
    m.job = run->job;
    m.task_index = run->index;
    m.state = is ? is->state : chance_one_in(c, 4) ? LSCHED_TASK_RELEASING : LSCHED_TASK_RUNNING;
    if (is)
        m.node = is->node;
    else
        m.node_name = lsched_cstr(chance_one_in(c, 2) ? "x" : "z");
    m.start_us = h->now;
    m.run = is && task->untold ? task->untold : chance_one_in(c, 2) ? run->id : 0;
    opts.flags = LSCHED_BATCH_IDEMPOTENT;
    if (job_is_gone(h, run->job)) return;
    uint64_t was = image(h);
    int32_t status = 0;
    int32_t rc = lsched_tasks_import(h->c, &m, 1, sizeof m, &opts, &status, &h->err);
    if (rc >= 0) rc = status;
    if (!is) {
        if (rc != LSCHED_OK) return; /* such as a task that has ended */
        if (!m.run) task->untold = run->id;
        h->untold += !m.run;
        return;
    }
    int tells = is->run == 0, other = is->run && m.run && m.run != is->run;
    if (other) CHECK(h, rc == LSCHED_E_STATE, "an import of another run");
    if (!other && rc != LSCHED_E_STATE) /* two runs: the other one may be meant */
        CHECK(h, rc == (tells ? LSCHED_OK : LSCHED_UNCHANGED), "an import of what runs");
    CHECK(h, (rc == LSCHED_OK) == (image(h) != was), "an import of what runs changed more");
    if (rc == LSCHED_OK) task->untold = 0;
    h->told += rc == LSCHED_OK;
}

/* What is not the id of a run of the task is an error, whatever the flags. */
static void report_wrong(struct host *h) {
    struct chance *c = &h->chance;
    static struct rows r;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    rows_read(h, &r);
    if (r.n == 0) return;
    const lsched_task_info *t = &r.at[chance_below(c, r.n)], *o = &r.at[chance_below(c, r.n)];
    uint64_t was = image(h);
    e.job = t->job;
    e.task_index = t->task_index;
    e.event = 1 + chance_below(c, 3);
    e.run = t->job;
    CHECK(h, tell(h, &e, &opts) == LSCHED_E_KIND, "the id of a job as a run");
    e.run = (lsched_id)LSCHED_KIND_DECISION << 60 | (chance_word(c) >> 8 & 0xFFFFFFF00FFFFFF);
    const struct task *task = task_of(h, t->job, t->task_index);
    int over = task->ended && !task->untold && e.event != LSCHED_EVENT_STARTED;
    CHECK(h, tell(h, &e, &opts) == (over ? LSCHED_UNCHANGED : LSCHED_E_STALE),
          "an id that was never given out, as a run");
    int other = o->job != t->job || o->task_index != t->task_index;
    e.run = o->decision;
    if (e.run && (other || goes_on(o) || o->state == LSCHED_TASK_NOMINATED)) {
        CHECK(h, tell(h, &e, &opts) == LSCHED_E_INVAL, "another open decision as a run");
        h->wrong++;
    }
    e.run = o->run;
    if (e.run && goes_on(o) && o->job == t->job && o->task_index != t->task_index) {
        CHECK(h, tell(h, &e, &opts) == LSCHED_E_INVAL, "the run of another task of the job");
        h->others++;
    }
    CHECK(h, image(h) == was, "a wrong report had an effect");
}

/* Samples and lists of running tasks name runs, too. */
static void sample(struct host *h) {
    static struct rows r;
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    lsched_task_ref ref = {.size = sizeof ref};
    int32_t status = 0;
    lsched_sync_report report = {.size = sizeof report, .status = &status};
    if (h->n_runs == 0) return;
    const struct run *run =
        &h->run[h->n_runs - 1 - chance_below(&h->chance, h->n_runs < 20 ? h->n_runs : 20)];
    rows_read(h, &r);
    const lsched_task_info *row = row_of(&r, run);
    struct task *task = task_of(h, run->job, run->index);
    if (job_is_gone(h, run->job)) return;
    ref.job = s.job = run->job;
    ref.task_index = s.task_index = run->index;
    ref.run = s.run = run->id;
    s.kind = LSCHED_GPU;
    int runs = row && row->state == LSCHED_TASK_RUNNING;
    int32_t rc = lsched_usage_report(h->c, &s, 1, sizeof s, NULL, NULL, &h->err);
    CHECK(h, !runs || rc >= 0 || rc == LSCHED_E_TIME, "a sample of what runs");
    if (!row || row->state == LSCHED_TASK_RELEASING)
        CHECK(h, rc == LSCHED_E_STALE, "a sample of another run");
    h->samples += rc >= 0;
    CHECK(h, lsched_sync_tasks(h->c, &ref, 1, sizeof ref, &report, &h->err) == LSCHED_OK, "sync");
    CHECK(h, (status == LSCHED_OK) == ((row && goes_on(row)) || task->untold),
          "a list that names a run");
}

/* What the library tells to be lost or gone has the run that it had. */
static void feed_read(struct host *h) {
    lsched_change change = {.size = sizeof change};
    while (lsched_changes_next(h->c, &h->cursor, &change, &h->err) == 1) {
        int found = 0,
            ends = change.kind == LSCHED_CHANGE_LOST || change.kind == LSCHED_CHANGE_GONE;
        for (uint32_t j = 0; j < h->n_runs; j++)
            found |= h->run[j].id == change.run && h->run[j].job == change.job &&
                     h->run[j].index == (uint32_t)change.task_index;
        if (ends && !change.run) found = h->untold > 0;
        CHECK(h, found || (!ends && !change.run), "a change names a run that was never decided");
        h->feed += ends && change.run;
    }
}

static int32_t append(void *user, const void *p, size_t n) {
    struct saved *b = user;
    b->p = realloc(b->p, b->n + n);
    if (!b->p) return 1;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

static void save(struct host *h) {
    struct saved *b = &h->saved;
    free(b->p);
    b->p = NULL;
    b->n = 0;
    CHECK(h, lsched_cluster_save(h->c, append, b, &h->err) == LSCHED_OK, "save");
    memcpy(b->task, h->task, sizeof b->task);
    b->n_tasks = h->n_tasks;
}

static void load(struct host *h, uint32_t incarnation) {
    lsched_cluster *other = NULL;
    lsched_cluster_opts opts = h->opts;
    opts.incarnation = incarnation;
    CHECK(h, lsched_cluster_load(&opts, h->saved.p, h->saved.n, &other, &h->err) == LSCHED_OK,
          "load");
    lsched_cluster_destroy(h->c);
    h->c = other;
    h->cursor = 0;
}

/* A process that ends in order, and the next one. */
static void reload(struct host *h) {
    save(h);
    load(h, 0);
    h->reloads++;
}

/* A crash: what happened since the latest save is lost, also the jobs that came since then. */
static void restart(struct host *h) {
    uint32_t kept = 0;
    if (!h->saved.p) return;
    load(h, ++h->incarnation);
    memcpy(h->task, h->saved.task, sizeof h->task);
    h->n_tasks = h->saved.n_tasks;
    for (uint32_t i = 0; i < h->n_runs; i++) {
        h->run[i].is_old = 1;
        if (!job_is_gone(h, h->run[i].job)) h->run[kept++] = h->run[i];
    }
    h->n_runs = kept;
    h->restarts++;
}

/* A node goes, and another one of its name comes. */
static void replace_node(struct host *h) {
    static const char *const nodes[] = {"x", "y", "z"};
    const char *name = nodes[chance_below(&h->chance, 3)];
    char text[80];
    lsched_id id = lsched_find(h->c, LSCHED_KIND_NODE, lsched_cstr(name));
    CHECK(h, lsched_nodes_remove(h->c, &id, 1, NULL, NULL, &h->err) == 1, "remove");
    snprintf(text, sizeof text, "nodes:\n  - {name: %s, gpus: 3}\n", name);
    CHECK(h, lsched_scenario_add(NULL, lsched_cstr(text), LSCHED_TEXT("node"), h->c, &h->err) >= 0,
          "add");
}

static void play(struct host *h, uint64_t seed) {
    static const char world[] =
        "start: 2026-01-05T08:00Z\n"
        "policy:\n"
        "  text: |\n"
        "    return { api = 1, name = 'g', fair_share = 'quota',\n"
        "             pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt', "
        "'evict-stale-gangs' } }\n"
        "nodes: [{name: x, gpus: 3}, {name: y, gpus: 3}, {name: z, gpus: 3}]\n"
        "queues: [{name: a, quota: {gpu: 5}}, {name: b, quota: {gpu: 4}}]\n";
    memset(h, 0, offsetof(struct host, stale));
    h->seed = h->chance.state = seed;
    h->err = (lsched_error)LSCHED_ERROR_INIT;
    h->opts = (lsched_cluster_opts)LSCHED_CLUSTER_OPTS_INIT;
    if (seed % 2) h->opts.id_salt = chance_word(&h->chance) >> 8 | 1;
    h->now = INT64_C(1767600000000000);
    CHECK(h, lsched_cluster_create(&h->opts, &h->c, &h->err) == LSCHED_OK, "create");
    CHECK(h,
          lsched_scenario_add(NULL, lsched_cstr(world), LSCHED_TEXT("world"), h->c, &h->err) >= 0,
          "world");
    for (h->step = 0; h->step < STEPS; h->step++) {
        uint32_t what = chance_below(&h->chance, 42);
        if (what < 5)
            submit(h);
        else if (what < 13)
            cycle(h);
        else if (what < 28)
            report(h);
        else if (what < 31)
            report_plain(h);
        else if (what < 34)
            import_run(h);
        else if (what < 36)
            report_wrong(h);
        else if (what < 38)
            sample(h);
        else if (what == 38)
            replace_node(h);
        else if (what == 39)
            reload(h);
        else if (what == 40)
            save(h);
        else
            restart(h);
        feed_read(h);
        runs_check(h);
    }
    lsched_cluster_destroy(h->c);
    free(h->saved.p);
}

static void test_reports_touch_the_run_that_they_name(void **unused) {
    static struct host h;
    uint64_t seed = chance_seed(1);
    uint32_t rounds = chance_rounds(60);
    (void)unused;
    memset(&h, 0, sizeof h);
    for (uint32_t r = 0; r < rounds; r++) play(&h, seed + r);
    print_message(
        "reports: %llu started, %llu ended, %llu failed, %llu of other runs refused and "
        "%llu known, %llu implied a start, %llu without a run, %llu of wrong ids; imports without a "
        "run %llu, told later %llu; tasks that stop and are placed %llu, evictions rejected %llu, "
        "samples %llu, changes %llu, reloads %llu, restarts with an older "
        "image %llu, ends of runs before them refused %llu, runs of other tasks %llu\n",
        (unsigned long long)h.applied[LSCHED_EVENT_STARTED],
        (unsigned long long)h.applied[LSCHED_EVENT_ENDED],
        (unsigned long long)h.applied[LSCHED_EVENT_FAILED], (unsigned long long)h.stale,
        (unsigned long long)h.known, (unsigned long long)h.implied, (unsigned long long)h.plain,
        (unsigned long long)h.wrong, (unsigned long long)h.untold, (unsigned long long)h.told,
        (unsigned long long)h.both, (unsigned long long)h.revoked, (unsigned long long)h.samples,
        (unsigned long long)h.feed, (unsigned long long)h.reloads, (unsigned long long)h.restarts,
        (unsigned long long)h.lost, (unsigned long long)h.others);
    const uint64_t seen[][2] = {{h.applied[LSCHED_EVENT_STARTED], 500},
                                {h.applied[LSCHED_EVENT_FAILED], 100},
                                {h.applied[LSCHED_EVENT_ENDED], 50},
                                {h.stale, 500},
                                {h.known, 100},
                                {h.implied, 20},
                                {h.plain, 100},
                                {h.wrong, 20},
                                {h.untold, 20},
                                {h.told, 5},
                                {h.samples, 20},
                                {h.feed, 20},
                                {h.both, 1},
                                {h.revoked, 1},
                                {h.reloads, 1},
                                {h.restarts, 20},
                                {h.lost, 20},
                                {h.others, 1}};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        assert_true(chance_enough(seen[i][0], seen[i][1], 60));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports_touch_the_run_that_they_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
