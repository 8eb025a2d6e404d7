/*
 * list_books.h -- what the simulated machines do: which job waits, runs or is stopped, how much
 * run time is left to it, and when the next event happens. The module makes no calls of the
 * library: list_replay.c passes the decisions to it. A unit is a GPU or a processor.
 *
 * Invariants: `held` is the sum of the units of running and releasing tasks. A job waits if it has
 * arrived and none of its tasks runs. A job makes progress while as many of its tasks run as it
 * needs. It needs all of them, unless the policy says that fewer are enough (`minimum`). In that
 * case its progress is proportional to its units that run.
 */
#ifndef LSCHED_CLI_LIST_BOOKS_H
#define LSCHED_CLI_LIST_BOOKS_H

#include "cli/support/event_heap.h"
#include "cli/replay/list_cluster.h"
#include "cli/replay/list_measure.h"

#define NO_JOB UINT32_MAX

enum list_phase { JOB_TO_COME, JOB_DROPPED, JOB_WAITS, JOB_HOLDS, JOB_DONE };

/* What happened to a job in the replay. A time is LSCHED_NEVER_US if the event did not happen. */
struct job_outcome {
    int64_t start_us; /* first time at which as many tasks ran as the job needs */
    int64_t end_us;
    int64_t lost_us; /* run time that evictions and moves destroyed */
    uint32_t evictions, moves;
    bool dropped;
};

struct job_book {
    lsched_id id;         /* id in the cluster; 0: not in the cluster */
    int64_t left_us;      /* run time that was left when the current run of the job began */
    int64_t done_us;      /* run time done in the current run, up to run_since_us */
    int64_t run_since_us; /* time since which the job has run at this pace */
    /* time for which the job was first in its waiting line and fitted into its queue's quota,
     * since it last started */
    int64_t head_wait_us;
    /* latest cycle that stopped a task of the job; several stops in one cycle count once */
    uint64_t stopped_cycle;
    uint32_t running, releasing; /* numbers of tasks */
    uint32_t minimum;            /* number of tasks that the job needs to make progress; 0: all */
    uint32_t running_units;
    uint32_t pace; /* units that make progress: the running ones, or 0 below the minimum */
    uint32_t run; /* number of the current run; an event that ends an earlier run no longer holds */
    enum list_phase phase;
    bool started;     /* true after the first start */
    bool was_partial; /* true if the job is counted in `partial` of the books */
};

enum list_event { EVENT_JOB_ENDS, EVENT_TASK_GONE }; /* kinds of records in the heap */

struct list_books {
    const struct list_setup *setup;
    struct list_measure *measure;
    struct job_book *jobs;        /* owned by this struct */
    struct job_outcome *outcomes; /* owned by the caller; by job */
    struct event_heap events;     /* item: job; detail: number of the run, or task */
    /* owned; one heap per waiting line; it has all waiting jobs, and some jobs that no longer
     * wait */
    struct event_heap *lines;
    int64_t *charged_by_queue; /* owned; units of running tasks */
    int64_t *held_by_queue;    /* owned; units of running and releasing tasks */
    int64_t held;
    int64_t now_us;
    /* Numbers of jobs. incomplete: some tasks run, but fewer than the job needs. partial: as many
     * run as the job needs, but not all. */
    uint64_t waiting, incomplete, partial, finished;
};

void list_books_begin(struct list_books *books, const struct list_setup *setup,
                      struct list_measure *measure, struct job_outcome *outcomes);
void list_books_end(struct list_books *books);

/* Moves the clock to to_us and adds the time that passed to the measures. */
void list_pass(struct list_books *books, int64_t to_us);
void list_arrives(struct list_books *books, uint32_t job);
void list_task_starts(struct list_books *books, uint32_t job, uint32_t task);
/* Stops a task. If fewer tasks than the job needs are left, the job loses what it did since its
 * last checkpoint. `cycle` is the number of the cycle that decided the stop. */
void list_task_stops(struct list_books *books, uint32_t job, uint32_t task, bool moves,
                     uint64_t cycle);
void list_task_gone(struct list_books *books, uint32_t job, uint32_t task);
void list_job_ends(struct list_books *books, uint32_t job);
/* Returns the number of jobs that a cycle could help: jobs that wait, and jobs of which not all
 * tasks run. */
static inline uint64_t list_wanting(const struct list_books *books) {
    return books->waiting + books->incomplete + books->partial;
}
/* true if the event of the heap still holds. */
bool list_holds(const struct list_books *books, const struct heap_record *event);
/* Returns the first job of a waiting line (see list_line()), or NO_JOB if the line is empty. */
uint32_t list_head(struct list_books *books, uint32_t line);

#endif
