/*
 * philly_books.c -- see philly_books.h.
 */
#include "philly_books.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

void philly_books_begin(struct philly_books *books, const struct philly_setup *setup,
                        struct philly_measure *measure) {
    const struct philly_list *list = setup->list;
    memset(books, 0, sizeof *books);
    books->setup = setup;
    books->measure = measure;
    books->now_us = list->jobs[0].submit_us;
    books->jobs = must_alloc(list->n_jobs * sizeof books->jobs[0]);
    books->lines = must_alloc(list->n_vcs * sizeof books->lines[0]);
    books->charged_by_vc = must_alloc(list->n_vcs * sizeof books->charged_by_vc[0]);
    books->held_by_vc = must_alloc(list->n_vcs * sizeof books->held_by_vc[0]);
    memset(books->jobs, 0, list->n_jobs * sizeof books->jobs[0]);
    memset(books->lines, 0, list->n_vcs * sizeof books->lines[0]);
    memset(books->charged_by_vc, 0, list->n_vcs * sizeof books->charged_by_vc[0]);
    memset(books->held_by_vc, 0, list->n_vcs * sizeof books->held_by_vc[0]);
    for (size_t i = 0; i < list->n_jobs; i++) {
        books->jobs[i].left_us = list->jobs[i].duration_us;
        books->jobs[i].stopped_cycle = UINT64_MAX;
    }
}

void philly_books_end(struct philly_books *books) {
    for (size_t i = 0; i < books->setup->list->n_vcs; i++) event_heap_free(&books->lines[i]);
    event_heap_free(&books->events);
    free(books->jobs);
    free(books->lines);
    free(books->charged_by_vc);
    free(books->held_by_vc);
}

uint32_t philly_head(struct philly_books *books, uint32_t vc) {
    struct event_heap *line = &books->lines[vc];
    while (line->n > 0 && books->jobs[line->records[0].item].phase != PHILLY_WAITS)
        event_heap_pop(line);
    return line->n > 0 ? line->records[0].item : PHILLY_NO_JOB;
}

/* Heads that fit within what is left of their VC's quota should not wait for long. */
static void watch_heads(struct philly_books *books, int64_t passed_us) {
    const struct philly_list *list = books->setup->list;
    if (books->setup->quota_gpus == NULL || books->waiting == 0) return;
    for (uint32_t vc = 0; vc < list->n_vcs; vc++) {
        uint32_t head = philly_head(books, vc);
        if (head == PHILLY_NO_JOB ||
            list->jobs[head].gpus + books->charged_by_vc[vc] > books->setup->quota_gpus[vc])
            continue;
        int64_t *waited_us = &books->jobs[head].head_wait_us;
        *waited_us += passed_us;
        if (*waited_us > books->measure->head_wait_us) books->measure->head_wait_us = *waited_us;
    }
}

void philly_pass(struct philly_books *books, int64_t to_us) {
    philly_measure_pass(books->measure, books->now_us, to_us, books->held, books->held_by_vc);
    watch_heads(books, to_us - books->now_us);
    books->now_us = to_us;
}

static void begin_wait(struct philly_books *books, uint32_t job) {
    const struct philly_job *of = &books->setup->list->jobs[job];
    books->jobs[job].phase = PHILLY_WAITS;
    books->waiting++;
    philly_measure_waits(books->measure, of->gpus, +1);
    event_heap_push(&books->lines[of->vc], (struct heap_record){.key = job, .item = job});
}

static void end_wait(struct philly_books *books, uint32_t job) {
    books->jobs[job].phase = PHILLY_HOLDS;
    books->jobs[job].head_wait_us = 0;
    books->waiting--;
    philly_measure_waits(books->measure, books->setup->list->jobs[job].gpus, -1);
}

void philly_arrives(struct philly_books *books, uint32_t job) {
    const struct philly_job *of = &books->setup->list->jobs[job];
    struct vc_measure *vc = &books->measure->vcs[of->vc];
    if (philly_is_dropped(books->setup, of)) {
        books->jobs[job].phase = PHILLY_DROPPED;
        books->measure->dropped++;
        vc->dropped++;
        return;
    }
    double gpu_seconds = (double)of->duration_us * 1e-6 * of->gpus;
    books->measure->jobs++;
    books->measure->asked += gpu_seconds;
    vc->jobs++;
    vc->asked += gpu_seconds;
    begin_wait(books, job);
}

static void begin_run(struct philly_books *books, uint32_t job) {
    struct philly_job_book *book = &books->jobs[job];
    book->run_since_us = books->now_us;
    event_heap_push(&books->events, (struct heap_record){.key = books->now_us + book->left_us,
                                                         .kind = PHILLY_JOB_ENDS,
                                                         .item = job,
                                                         .detail = book->run});
    if (book->started) return;
    book->started = true;
    philly_measure_started(books->measure, &books->setup->list->jobs[job], books->now_us);
}

void philly_task_starts(struct philly_books *books, uint32_t job, uint32_t task) {
    const struct philly_job *of = &books->setup->list->jobs[job];
    struct philly_job_book *book = &books->jobs[job];
    uint32_t gpus = philly_task_gpus(books->setup, of, task),
             tasks = philly_tasks(books->setup, of);
    if (book->running == 0) {
        end_wait(books, job);
        books->incomplete++;
    }
    book->running++;
    books->held += gpus;
    books->held_by_vc[of->vc] += gpus;
    books->charged_by_vc[of->vc] += gpus;
    if (book->running < tasks) return;
    books->incomplete--;
    begin_run(books, job);
}

/* Back to the last checkpoint of this run. */
static void interrupt(struct philly_books *books, uint32_t job) {
    struct philly_job_book *book = &books->jobs[job];
    int64_t ran_us = books->now_us - book->run_since_us;
    int64_t period_us = books->setup->checkpoint_us;
    int64_t kept_us = period_us > 0 ? ran_us - ran_us % period_us : 0;
    book->left_us -= kept_us;
    book->run++;
    books->incomplete++;
    philly_measure_lost(books->measure, &books->setup->list->jobs[job], books->now_us,
                        ran_us - kept_us);
}

void philly_task_stops(struct philly_books *books, uint32_t job, uint32_t task, bool moves,
                       uint64_t cycle) {
    const struct philly_job *of = &books->setup->list->jobs[job];
    struct philly_job_book *book = &books->jobs[job];
    if (book->stopped_cycle != cycle) {
        book->stopped_cycle = cycle;
        if (moves) {
            books->measure->moves++;
        } else {
            books->measure->evictions++;
            books->measure->vcs[of->vc].evictions++;
        }
    }
    if (book->running == philly_tasks(books->setup, of)) interrupt(books, job);
    book->running--;
    book->leaving++;
    books->charged_by_vc[of->vc] -= philly_task_gpus(books->setup, of, task);
    if (book->running > 0) return;
    books->incomplete--;
    begin_wait(books, job);
}

void philly_task_gone(struct philly_books *books, uint32_t job, uint32_t task) {
    const struct philly_job *of = &books->setup->list->jobs[job];
    uint32_t gpus = philly_task_gpus(books->setup, of, task);
    books->jobs[job].leaving--;
    books->held -= gpus;
    books->held_by_vc[of->vc] -= gpus;
}

void philly_job_ends(struct philly_books *books, uint32_t job) {
    const struct philly_job *of = &books->setup->list->jobs[job];
    struct philly_job_book *book = &books->jobs[job];
    book->running = 0;
    book->id = 0;
    book->phase = PHILLY_DONE;
    books->held -= of->gpus;
    books->held_by_vc[of->vc] -= of->gpus;
    books->charged_by_vc[of->vc] -= of->gpus;
    books->finished++;
    philly_measure_done(books->measure, of, books->now_us);
}

bool philly_holds(const struct philly_books *books, const struct heap_record *event) {
    const struct philly_job_book *book = &books->jobs[event->item];
    return event->kind == PHILLY_TASK_GONE || event->detail == book->run;
}
