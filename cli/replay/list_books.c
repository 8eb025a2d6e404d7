/*
 * list_books.c -- see list_books.h.
 */
#include "cli/replay/list_books.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"

void list_books_begin(struct list_books *books, const struct list_setup *setup,
                      struct list_measure *measure, struct job_outcome *outcomes) {
    const struct job_list *list = setup->list;
    memset(books, 0, sizeof *books);
    books->setup = setup;
    books->measure = measure;
    books->outcomes = outcomes;
    books->now_us = list->jobs[0].submit_us;
    books->jobs = must_alloc(list->n_jobs * sizeof books->jobs[0]);
    books->lines = must_alloc(list->n_queues * sizeof books->lines[0]);
    books->charged_by_queue = must_alloc(list->n_queues * sizeof books->charged_by_queue[0]);
    books->held_by_queue = must_alloc(list->n_queues * sizeof books->held_by_queue[0]);
    memset(books->jobs, 0, list->n_jobs * sizeof books->jobs[0]);
    memset(books->lines, 0, list->n_queues * sizeof books->lines[0]);
    memset(books->charged_by_queue, 0, list->n_queues * sizeof books->charged_by_queue[0]);
    memset(books->held_by_queue, 0, list->n_queues * sizeof books->held_by_queue[0]);
    for (size_t i = 0; i < list->n_jobs; i++) {
        books->jobs[i].left_us = list->jobs[i].duration_us;
        books->jobs[i].stopped_cycle = UINT64_MAX;
        outcomes[i] = (struct job_outcome){.start_us = LSCHED_NEVER_US, .end_us = LSCHED_NEVER_US};
    }
}

void list_books_end(struct list_books *books) {
    for (size_t i = 0; i < books->setup->list->n_queues; i++) event_heap_free(&books->lines[i]);
    event_heap_free(&books->events);
    free(books->jobs);
    free(books->lines);
    free(books->charged_by_queue);
    free(books->held_by_queue);
}

uint32_t list_head(struct list_books *books, uint32_t line) {
    struct event_heap *heap = &books->lines[line];
    while (heap->n > 0 && books->jobs[heap->records[0].item].phase != JOB_WAITS)
        event_heap_pop(heap);
    return heap->n > 0 ? heap->records[0].item : NO_JOB;
}

/* Adds up how long the first job of each queue's waiting line has waited although it fits into the
 * unused quota of its queue. Such a job should not wait for long. With quotas each queue has its
 * own waiting line. */
static void watch_heads(struct list_books *books, int64_t passed_us) {
    const struct job_list *list = books->setup->list;
    if (books->setup->quota_units == NULL || books->waiting == 0) return;
    for (uint32_t queue = 0; queue < list->n_queues; queue++) {
        uint32_t head = list_head(books, queue);
        if (head == NO_JOB || list->jobs[head].units + books->charged_by_queue[queue] >
                                  books->setup->quota_units[queue])
            continue;
        int64_t *waited_us = &books->jobs[head].head_wait_us;
        *waited_us += passed_us;
        if (*waited_us > books->measure->head_wait_us) books->measure->head_wait_us = *waited_us;
    }
}

void list_pass(struct list_books *books, int64_t to_us) {
    list_measure_pass(books->measure, books->now_us, to_us, books->held, books->held_by_queue);
    watch_heads(books, to_us - books->now_us);
    books->now_us = to_us;
}

static void begin_wait(struct list_books *books, uint32_t job) {
    const struct listed_job *of = &books->setup->list->jobs[job];
    books->jobs[job].phase = JOB_WAITS;
    books->waiting++;
    list_measure_waits(books->measure, of->units, +1);
    event_heap_push(&books->lines[list_line(books->setup, of)],
                    (struct heap_record){.key = job, .item = job});
}

static void end_wait(struct list_books *books, uint32_t job) {
    books->jobs[job].phase = JOB_HOLDS;
    books->jobs[job].head_wait_us = 0;
    books->waiting--;
    list_measure_waits(books->measure, books->setup->list->jobs[job].units, -1);
}

void list_arrives(struct list_books *books, uint32_t job) {
    const struct listed_job *of = &books->setup->list->jobs[job];
    struct queue_measure *queue = &books->measure->queues[of->queue];
    if (list_is_dropped(books->setup, of)) {
        books->jobs[job].phase = JOB_DROPPED;
        books->outcomes[job].dropped = true;
        books->measure->dropped++;
        queue->dropped++;
        return;
    }
    double unit_seconds = (double)of->duration_us * 1e-6 * of->units;
    books->measure->jobs++;
    books->measure->asked += unit_seconds;
    queue->jobs++;
    queue->asked += unit_seconds;
    begin_wait(books, job);
}

/* ---- progress ---- */

/* Returns done_us + elapsed * pace / units without an overflow of 64 bits. */
static int64_t progress_us(const struct list_books *books, uint32_t job) {
    const struct job_book *book = &books->jobs[job];
    int64_t units = books->setup->list->jobs[job].units, pace = book->pace;
    int64_t elapsed_us = books->now_us - book->run_since_us;
    if (pace == units) return book->done_us + elapsed_us;
    return book->done_us + elapsed_us / units * pace + elapsed_us % units * pace / units;
}

static void begin_run(struct list_books *books, uint32_t job) {
    struct job_book *book = &books->jobs[job];
    books->incomplete--;
    book->done_us = 0;
    if (book->started) return;
    book->started = true;
    books->outcomes[job].start_us = books->now_us;
    list_measure_started(books->measure, &books->setup->list->jobs[job], books->now_us);
}

/* Stops the progress of a job and sets it back to the last checkpoint of this run. */
static void interrupt(struct list_books *books, uint32_t job) {
    struct job_book *book = &books->jobs[job];
    int64_t period_us = books->setup->checkpoint_us;
    int64_t kept_us = period_us > 0 ? book->done_us - book->done_us % period_us : 0;
    int64_t lost_us = book->done_us - kept_us;
    book->left_us -= kept_us;
    books->incomplete++;
    books->outcomes[job].lost_us += lost_us;
    list_measure_lost(books->measure, &books->setup->list->jobs[job], books->now_us, lost_us);
}

/* Adds the event that ends the job if its pace does not change. */
static void expect_end(struct list_books *books, uint32_t job) {
    struct job_book *book = &books->jobs[job];
    int64_t units = books->setup->list->jobs[job].units, pace = book->pace;
    int64_t left_us = book->left_us - book->done_us;
    if (pace != units) /* rounded up, because the job must not end before it is done */
        left_us = left_us / pace * units + (left_us % pace * units + pace - 1) / pace;
    event_heap_push(&books->events, (struct heap_record){.key = books->now_us + left_us,
                                                         .kind = EVENT_JOB_ENDS,
                                                         .item = job,
                                                         .detail = book->run});
}

/* Called after a task of the job has started or stopped: the job now runs faster or slower, begins
 * to make progress, or makes none. */
static void change_pace(struct list_books *books, uint32_t job) {
    struct job_book *book = &books->jobs[job];
    uint32_t tasks = list_tasks(books->setup, &books->setup->list->jobs[job]);
    uint32_t needs = book->minimum > 0 && book->minimum < tasks ? book->minimum : tasks;
    uint32_t pace = book->running >= needs ? book->running_units : 0;
    if (pace == book->pace) return;
    books->partial -= book->was_partial;
    if (book->pace > 0) {
        book->done_us = progress_us(books, job);
        book->run++; /* the event that was to end the job no longer holds */
    }
    if (book->pace == 0) begin_run(books, job);
    if (pace == 0) interrupt(books, job);
    book->pace = pace;
    book->run_since_us = books->now_us;
    book->was_partial = pace > 0 && book->running < tasks;
    books->partial += book->was_partial;
    if (pace > 0) expect_end(books, job);
}

void list_task_starts(struct list_books *books, uint32_t job, uint32_t task) {
    const struct listed_job *of = &books->setup->list->jobs[job];
    struct job_book *book = &books->jobs[job];
    uint32_t units = list_task_units(books->setup, of, task);
    if (book->running == 0) {
        end_wait(books, job);
        books->incomplete++;
    }
    book->running++;
    book->running_units += units;
    books->held += units;
    books->held_by_queue[of->queue] += units;
    books->charged_by_queue[of->queue] += units;
    change_pace(books, job);
}

void list_task_stops(struct list_books *books, uint32_t job, uint32_t task, bool moves,
                     uint64_t cycle) {
    const struct listed_job *of = &books->setup->list->jobs[job];
    struct job_book *book = &books->jobs[job];
    uint32_t units = list_task_units(books->setup, of, task);
    if (book->stopped_cycle != cycle) {
        book->stopped_cycle = cycle;
        if (moves) {
            books->measure->moves++;
            books->outcomes[job].moves++;
        } else {
            books->measure->evictions++;
            books->outcomes[job].evictions++;
            books->measure->queues[of->queue].evictions++;
        }
    }
    book->running--;
    book->running_units -= units;
    book->releasing++;
    books->charged_by_queue[of->queue] -= units;
    change_pace(books, job);
    if (book->running > 0) return;
    books->incomplete--;
    begin_wait(books, job);
}

void list_task_gone(struct list_books *books, uint32_t job, uint32_t task) {
    const struct listed_job *of = &books->setup->list->jobs[job];
    uint32_t units = list_task_units(books->setup, of, task);
    books->jobs[job].releasing--;
    books->held -= units;
    books->held_by_queue[of->queue] -= units;
}

void list_job_ends(struct list_books *books, uint32_t job) {
    const struct listed_job *of = &books->setup->list->jobs[job];
    struct job_book *book = &books->jobs[job];
    books->held -= book->running_units;
    books->held_by_queue[of->queue] -= book->running_units;
    books->charged_by_queue[of->queue] -= book->running_units;
    books->partial -= book->was_partial;
    book->was_partial = false;
    book->running = book->running_units = book->pace = 0;
    book->id = 0;
    book->phase = JOB_DONE;
    books->finished++;
    books->outcomes[job].end_us = books->now_us;
    list_measure_done(books->measure, of, books->now_us);
}

bool list_holds(const struct list_books *books, const struct heap_record *event) {
    const struct job_book *book = &books->jobs[event->item];
    return event->kind == EVENT_TASK_GONE || event->detail == book->run;
}
