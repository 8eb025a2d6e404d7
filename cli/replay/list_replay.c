/*
 * list_replay.c -- see list_replay.h. The time of the library is measured only around its calls.
 */
#include "cli/replay/list_replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/support/host_allocator.h"
#include "cli/support/terminal.h"

enum { ROUNDS_MAX = 1000000, VAIN_WAKES_MAX = 100000, STEP_EVERY = 64 };

/* Jobs of a waiting line that are in the cluster and wait. Used only if no job may overtake
 * another. */
struct shown {
    uint32_t *jobs; /* owned by this struct */
    size_t n, capacity;
};

struct run {
    const struct list_setup *setup;
    struct list_result *result;
    struct list_books books;
    struct host_allocator memory;
    lsched_cluster *cluster;
    lsched_id *queues;   /* owned; ids by queue of the list */
    struct shown *shown; /* owned; by waiting line */
    uint32_t next_arrival;
    uint64_t vain_wakes;
    lsched_task_event *reports; /* owned; events for the next call of flush_reports() */
    size_t n_reports, reports_capacity;
};

static int32_t run_error(lsched_error *err, int32_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int32_t run_error(lsched_error *err, int32_t code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    lsched_error_init(err, sizeof *err);
    err->code = code;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

/* ---- reports and submissions ---- */

static void report(struct run *run, uint32_t event, uint32_t job, uint32_t task) {
    run->reports =
        must_grow(run->reports, run->n_reports, &run->reports_capacity, sizeof run->reports[0]);
    lsched_task_event *out = &run->reports[run->n_reports++];
    *out = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
    out->event = event;
    out->job = run->books.jobs[job].id;
    out->task_index = task;
    out->at_us = run->books.now_us;
}

static int32_t flush_reports(struct run *run, lsched_error *err) {
    if (run->n_reports == 0) return LSCHED_OK;
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_tasks_report(run->cluster, run->reports, run->n_reports,
                                     sizeof run->reports[0], NULL, err);
    run->result->library_ns += clock_core_ns() - begun_ns;
    run->n_reports = 0;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t submit(struct run *run, uint32_t job, lsched_error *err) {
    struct list_request request;
    struct job_book *book = &run->books.jobs[job];
    list_describe(run->setup, job, run->queues[run->setup->list->jobs[job].queue], book->left_us,
                  &request);
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_jobs_submit(run->cluster, &request.desc, 1, sizeof request.desc, &book->id,
                                    NULL, err);
    run->result->library_ns += clock_core_ns() - begun_ns;
    return rc < 0 ? rc : LSCHED_OK;
}

/* ---- strict order ---- */

static bool has_claim(const struct run *run, uint32_t job) {
    lsched_job_info info = {.size = sizeof info};
    const struct job_book *book = &run->books.jobs[job];
    return book->releasing > 0 ||
           (lsched_job_get(run->cluster, book->id, &info) == LSCHED_OK && info.tasks_placed > 0);
}

/* Removes from the cluster the waiting jobs behind the head of their line. An evicted job that was
 * submitted earlier becomes the head before a job that was in the cluster. A job with a
 * nomination, or with tasks that are still releasing, stays in the cluster. */
static int32_t hide_others(struct run *run, struct shown *shown, uint32_t head, lsched_error *err) {
    size_t kept = 0;
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < shown->n; i++) {
        uint32_t job = shown->jobs[i];
        struct job_book *book = &run->books.jobs[job];
        if (book->phase != JOB_WAITS) continue;
        if (rc < 0 || job == head || has_claim(run, job)) {
            shown->jobs[kept++] = job;
            continue;
        }
        rc = lsched_jobs_remove(run->cluster, &book->id, 1, NULL, err);
        if (rc >= 0) book->id = 0;
    }
    shown->n = kept;
    return rc < 0 ? rc : LSCHED_OK;
}

static void add_shown(struct shown *shown, uint32_t job) {
    shown->jobs = must_grow(shown->jobs, shown->n, &shown->capacity, sizeof shown->jobs[0]);
    shown->jobs[shown->n++] = job;
}

/* Submits the first waiting job of each line that is not yet in the cluster. *news is true if
 * there was one. */
static int32_t show_heads(struct run *run, bool *news, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (uint32_t line = 0; rc >= 0 && line < run->setup->list->n_queues; line++) {
        struct shown *shown = &run->shown[line];
        uint32_t head = list_head(&run->books, line);
        if (shown->n > 0) rc = hide_others(run, shown, head, err);
        if (rc < 0 || head == NO_JOB || run->books.jobs[head].id != 0) continue;
        rc = submit(run, head, err);
        add_shown(shown, head);
        *news = true;
    }
    return rc;
}

/* Reads how many of its tasks a job with several tasks needs. The policy can set that number. */
static void learn_minimum(struct run *run, uint32_t job) {
    lsched_job_info info = {.size = sizeof info};
    struct job_book *book = &run->books.jobs[job];
    if (list_tasks(run->setup, &run->setup->list->jobs[job]) > 1 &&
        lsched_job_get(run->cluster, book->id, &info) == LSCHED_OK)
        book->minimum = info.tasks_min;
}

/* ---- carrying out a plan ---- */

static int32_t confirm_all(struct run *run, const lsched_plan *plan, lsched_error *err) {
    size_t n = lsched_plan_size(plan);
    lsched_id *ids = must_alloc(n * sizeof ids[0]);
    lsched_outcome *outcomes = must_alloc(n * sizeof outcomes[0]);
    for (size_t i = 0; i < n; i++) {
        ids[i] = lsched_plan_decision(plan, i)->id;
        outcomes[i] = LSCHED_CONFIRMED;
    }
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_settle(run->cluster, ids, outcomes, n, NULL, err);
    run->result->library_ns += clock_core_ns() - begun_ns;
    free(outcomes);
    free(ids);
    return rc < 0 ? rc : LSCHED_OK;
}

static void stop_task(struct run *run, const lsched_decision *decision, bool *again) {
    uint32_t job = (uint32_t)decision->job_tag, task = decision->task_index;
    struct list_books *books = &run->books;
    list_task_stops(books, job, task, decision->kind == LSCHED_MIGRATE, run->result->cycles);
    if (!run->setup->overtake && books->jobs[job].phase == JOB_WAITS)
        add_shown(&run->shown[list_line(run->setup, &run->setup->list->jobs[job])], job);
    if (run->setup->release_us > 0) {
        event_heap_push(&books->events,
                        (struct heap_record){.key = books->now_us + run->setup->release_us,
                                             .kind = EVENT_TASK_GONE,
                                             .item = job,
                                             .detail = task});
        return;
    }
    report(run, LSCHED_EVENT_FAILED, job, task);
    list_task_gone(books, job, task);
    *again = true; /* another cycle can use the room at once */
}

static int32_t carry_out(struct run *run, const lsched_plan *plan, bool *again, lsched_error *err) {
    size_t n = lsched_plan_size(plan);
    if (n == 0) return LSCHED_OK;
    int32_t rc = confirm_all(run, plan, err);
    /* tasks that stop come first, because tasks that start may need their room */
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        const lsched_decision *decision = lsched_plan_decision(plan, i);
        if (decision->kind == LSCHED_EVICT || decision->kind == LSCHED_MIGRATE)
            stop_task(run, decision, again);
    }
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        const lsched_decision *decision = lsched_plan_decision(plan, i);
        if (decision->kind != LSCHED_PLACE) continue;
        learn_minimum(run, (uint32_t)decision->job_tag);
        report(run, LSCHED_EVENT_STARTED, (uint32_t)decision->job_tag, decision->task_index);
        list_task_starts(&run->books, (uint32_t)decision->job_tag, decision->task_index);
    }
    run->result->decisions += n;
    run->vain_wakes = 0;
    return rc < 0 ? rc : flush_reports(run, err);
}

/* Runs one cycle. *again is true if another cycle at the same time may make more decisions. */
static int32_t cycle(struct run *run, bool *again, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = run->books.now_us;
    opts.flags = run->setup->verify ? LSCHED_SCHEDULE_VERIFY : 0;
    opts.release_us = run->setup->release_us > 0 ? run->setup->release_us : 1;
    const struct plan_watch *watch = run->setup->watch;
    int32_t rc = LSCHED_OK;
    if (watch != NULL && watch->before != NULL)
        rc = watch->before(watch->user, run->cluster, &opts, err);
    if (rc < 0) return rc;
    int64_t begun_ns = clock_core_ns();
    rc = lsched_schedule(run->cluster, &opts, &plan, err);
    run->result->library_ns += clock_core_ns() - begun_ns;
    if (rc < 0) return rc;
    if (watch != NULL) watch->after(watch->user, run->cluster, plan);
    lsched_plan_info_get(plan, &info);
    run->result->plans_hash = (run->result->plans_hash ^ info.plan_hash) * 0x100000001b3u;
    if (info.policy_error != LSCHED_OK) {
        rc = run_error(err, LSCHED_E_POLICY, "%s", lsched_plan_policy_error(plan));
    } else {
        rc = carry_out(run, plan, again, err);
    }
    bool left_over = (info.flags & LSCHED_PLAN_PARTIAL) != 0 ||
                     lsched_next_wake(run->cluster) <= run->books.now_us;
    if (left_over && info.decisions > 0) *again = true;
    lsched_plan_destroy(plan);
    run->result->cycles++;
    return rc;
}

/* ---- time ---- */

/* Runs cycles at one instant until no cycle can change anything. */
static int32_t decide(struct run *run, lsched_error *err) {
    bool again = true;
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        bool news = false;
        int32_t rc = LSCHED_OK;
        if (!run->setup->overtake) rc = show_heads(run, &news, err);
        if (rc < 0 || (!again && !news)) return rc;
        if (list_wanting(&run->books) == 0) return LSCHED_OK;
        again = false;
        rc = cycle(run, &again, err);
        if (rc < 0) return rc;
    }
    return run_error(err, LSCHED_E_STATE, "the cycles of one instant do not come to an end");
}

/* Returns the error for jobs that wait although no event will ever happen. */
static int32_t stuck(struct run *run, lsched_error *err) {
    const struct job_list *list = run->setup->list;
    for (uint32_t line = 0; line < list->n_queues; line++) {
        uint32_t head = list_head(&run->books, line);
        if (head == NO_JOB) continue;
        const struct listed_queue *queue = &list->queues[list->jobs[head].queue];
        return run_error(err, LSCHED_E_STATE,
                         "%" PRIu64 " jobs wait though no more come and none ends; the first of "
                         "queue %.*s is that of row %" PRIu32 ", with %" PRIu32 " units",
                         run->books.waiting, (int)queue->name.len, queue->name.ptr,
                         list->jobs[head].row + 1, list->jobs[head].units);
    }
    return run_error(err, LSCHED_E_STATE, "tasks of running jobs do not come back");
}

/* Returns the time of the next event; LSCHED_NEVER_US at the end. */
static int64_t next_time(struct run *run) {
    struct list_books *books = &run->books;
    int64_t next_us = LSCHED_NEVER_US;
    while (books->events.n > 0 && !list_holds(books, &books->events.records[0]))
        event_heap_pop(&books->events);
    if (books->events.n > 0) next_us = books->events.records[0].key;
    if (run->next_arrival < run->setup->list->n_jobs) {
        int64_t arrival_us = run->setup->list->jobs[run->next_arrival].submit_us;
        if (arrival_us < next_us) next_us = arrival_us;
    }
    if (list_wanting(books) == 0) return next_us;
    int64_t wake_us = lsched_next_wake(run->cluster);
    if (next_us == LSCHED_NEVER_US && ++run->vain_wakes > VAIN_WAKES_MAX) return next_us;
    return wake_us > books->now_us && wake_us < next_us ? wake_us : next_us;
}

/* Ends a job. If not all of its tasks run, the job is removed from the cluster as a whole. */
static int32_t end_job(struct run *run, uint32_t job, lsched_error *err) {
    struct job_book *book = &run->books.jobs[job];
    uint32_t tasks = list_tasks(run->setup, &run->setup->list->jobs[job]);
    if (book->running == tasks) {
        for (uint32_t task = 0; task < tasks; task++) report(run, LSCHED_EVENT_ENDED, job, task);
        return LSCHED_OK;
    }
    int32_t rc = flush_reports(run, err);
    if (rc >= 0) rc = lsched_jobs_remove(run->cluster, &book->id, 1, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t apply_events(struct run *run, lsched_error *err) {
    struct list_books *books = &run->books;
    while (books->events.n > 0 && books->events.records[0].key <= books->now_us) {
        struct heap_record event = event_heap_pop(&books->events);
        if (!list_holds(books, &event)) continue;
        if (event.kind == EVENT_TASK_GONE) {
            /* the library no longer knows a job that has ended in the meantime */
            if (books->jobs[event.item].id != 0)
                report(run, LSCHED_EVENT_FAILED, event.item, event.detail);
            list_task_gone(books, event.item, event.detail);
            continue;
        }
        int32_t rc = end_job(run, event.item, err);
        if (rc < 0) return rc;
        list_job_ends(books, event.item);
    }
    return flush_reports(run, err);
}

static int32_t take_arrivals(struct run *run, lsched_error *err) {
    const struct job_list *list = run->setup->list;
    int32_t rc = LSCHED_OK;
    while (rc >= 0 && run->next_arrival < list->n_jobs &&
           list->jobs[run->next_arrival].submit_us <= run->books.now_us) {
        uint32_t job = run->next_arrival++;
        list_arrives(&run->books, job);
        if (run->setup->overtake && run->books.jobs[job].phase == JOB_WAITS)
            rc = submit(run, job, err);
    }
    return rc;
}

static void tell_progress(const struct run *run, uint64_t instant) {
    const struct list_setup *setup = run->setup;
    if (setup->step == NULL || instant % STEP_EVERY != 0) return;
    setup->step(setup->user, run->next_arrival + run->books.finished + run->result->measure.dropped,
                2 * (uint64_t)setup->list->n_jobs);
}

static int32_t play(struct run *run, lsched_error *err) {
    int64_t now_us = 0;
    for (uint64_t instant = 0; (now_us = next_time(run)) != LSCHED_NEVER_US; instant++) {
        int32_t rc = LSCHED_OK;
        if (instant > 0 && now_us - run->books.now_us > LSCHED_REPORT_AHEAD_US)
            rc = lsched_clock_set(run->cluster, now_us, err);
        list_pass(&run->books, now_us);
        if (rc >= 0) rc = apply_events(run, err);
        if (rc >= 0) rc = take_arrivals(run, err);
        if (rc >= 0) rc = decide(run, err);
        if (rc < 0) return rc;
        tell_progress(run, instant);
    }
    bool waits = run->books.waiting + run->books.incomplete > 0;
    if (waits && !run->setup->may_end_waiting) return stuck(run, err);
    return lsched_verify(run->cluster, NULL, err);
}

static void free_run(struct run *run) {
    const struct plan_watch *watch = run->setup->watch;
    if (watch != NULL && watch->end != NULL) watch->end(watch->user);
    lsched_cluster_destroy(run->cluster);
    host_allocator_end(&run->memory);
    list_books_end(&run->books);
    for (size_t i = 0; i < run->setup->list->n_queues; i++) free(run->shown[i].jobs);
    free(run->shown);
    free(run->queues);
    free(run->reports);
}

int32_t list_replay(const struct list_setup *setup, struct list_result *out, lsched_error *err) {
    struct run run = {.setup = setup, .result = out};
    size_t n_queues = setup->list->n_queues;
    memset(out, 0, sizeof *out);
    out->plans_hash = 0xcbf29ce484222325u;
    list_measure_begin(&out->measure, setup->list, setup->units, setup->window_us);
    out->outcomes = must_alloc(setup->list->n_jobs * sizeof out->outcomes[0]);
    list_books_begin(&run.books, setup, &out->measure, out->outcomes);
    run.queues = must_alloc(n_queues * sizeof run.queues[0]);
    run.shown = must_alloc(n_queues * sizeof run.shown[0]);
    memset(run.shown, 0, n_queues * sizeof run.shown[0]);
    for (size_t i = 0; setup->quota_units != NULL && i < n_queues; i++)
        out->measure.queues[i].quota_units = setup->quota_units[i];
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = host_allocator_begin(&run.memory);
    int32_t rc = lsched_cluster_create(&opts, &run.cluster, err);
    if (rc >= 0) rc = list_cluster_fill(setup, run.cluster, run.queues, err);
    if (rc >= 0) rc = play(&run, err);
    free_run(&run);
    return rc < 0 ? rc : LSCHED_OK;
}

void list_result_free(struct list_result *result) {
    list_measure_end(&result->measure);
    free(result->outcomes);
    result->outcomes = NULL;
}
