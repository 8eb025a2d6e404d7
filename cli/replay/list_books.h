/*
 * list_books.h -- what the simulated machines do: which job waits, runs or is stopped, what it
 * has left to run, and when something happens next. Knows no library: list_replay.c tells it what
 * was decided.
 *
 * Invariant: held = sum of the units of running and leaving tasks; a job waits if it exists and
 * none of its tasks runs; it makes progress while as many run as it needs. That is all of them,
 * unless a policy says that fewer will do (`minimum`): then it gets on in proportion to its units
 * that run.
 */
#ifndef LSCHED_CLI_LIST_BOOKS_H
#define LSCHED_CLI_LIST_BOOKS_H

#include "cli/support/event_heap.h"
#include "cli/replay/list_cluster.h"
#include "cli/replay/list_measure.h"

#define NO_JOB UINT32_MAX

enum list_phase { JOB_TO_COME, JOB_DROPPED, JOB_WAITS, JOB_HOLDS, JOB_DONE };

/* What became of a job; times are LSCHED_NEVER_US for what did not happen. */
struct job_outcome {
    int64_t start_us; /* first, with the tasks that it needs */
    int64_t end_us;
    int64_t lost_us; /* run for nothing */
    uint32_t evictions, moves;
    bool dropped;
};

struct job_book {
    lsched_id id;         /* 0: not in the cluster */
    int64_t left_us;      /* run time left from the last checkpoint on */
    int64_t done_us;      /* of that, in this run, before run_since_us */
    int64_t run_since_us; /* at this pace */
    int64_t head_wait_us; /* waited as a head that fits its queue's quota, since it last started */
    uint64_t stopped_cycle;    /* the latest that stopped it: it counts once in a cycle */
    uint32_t running, leaving; /* tasks */
    uint32_t minimum;          /* tasks that it needs to make progress; 0: all */
    uint32_t running_units;
    uint32_t pace; /* units that make progress: those that run, 0 below the minimum */
    uint32_t run;  /* counts runs: the end of an earlier one is void */
    enum list_phase phase;
    bool started;     /* once, at least */
    bool was_partial; /* counted in partial */
};

enum list_event { EVENT_JOB_ENDS, EVENT_TASK_GONE }; /* heap kinds */

struct list_books {
    const struct list_setup *setup;
    struct list_measure *measure;
    struct job_book *jobs;        /* owned */
    struct job_outcome *outcomes; /* the caller's, by job */
    struct event_heap events;     /* item: job; detail: run, or task */
    struct event_heap *lines;     /* owned; by line: jobs that wait, and some that do no more */
    int64_t *charged_by_queue;    /* owned; units of running tasks */
    int64_t *held_by_queue;       /* owned; and of leaving ones */
    int64_t held;
    int64_t now_us;
    /* Jobs. incomplete: some of the tasks run, but too few; partial: enough, and not all. */
    uint64_t waiting, incomplete, partial, finished;
};

void list_books_begin(struct list_books *books, const struct list_setup *setup,
                      struct list_measure *measure, struct job_outcome *outcomes);
void list_books_end(struct list_books *books);

/* Lets time pass. */
void list_pass(struct list_books *books, int64_t to_us);
void list_arrives(struct list_books *books, uint32_t job);
void list_task_starts(struct list_books *books, uint32_t job, uint32_t task);
/* The task is asked to stop: its job loses what it did since its last checkpoint. `cycle`: number
 * of the cycle that says so. */
void list_task_stops(struct list_books *books, uint32_t job, uint32_t task, bool moves,
                     uint64_t cycle);
void list_task_gone(struct list_books *books, uint32_t job, uint32_t task);
void list_job_ends(struct list_books *books, uint32_t job);
/* Jobs for which a cycle could do something: that wait, or run without all of their tasks. */
static inline uint64_t list_wanting(const struct list_books *books) {
    return books->waiting + books->incomplete + books->partial;
}
/* Whether an event of the heap still holds. */
bool list_holds(const struct list_books *books, const struct heap_record *event);
/* The first job of a line (list_line) that waits, or NO_JOB. */
uint32_t list_head(struct list_books *books, uint32_t line);

#endif
