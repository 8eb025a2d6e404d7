/*
 * philly_books.h -- what the simulated machines do: which job waits, runs or is stopped, what it
 * has left to run, and when something happens next. Knows no library: philly_replay.c tells it what
 * was decided.
 *
 * Invariant: held = sum of the GPUs of running and leaving tasks; a job waits if it exists and none
 * of its tasks runs; it makes progress while all of them do.
 */
#ifndef LSCHED_CLI_PHILLY_BOOKS_H
#define LSCHED_CLI_PHILLY_BOOKS_H

#include "event_heap.h"
#include "philly_cluster.h"
#include "philly_measure.h"

#define PHILLY_NO_JOB UINT32_MAX

enum philly_phase { PHILLY_TO_COME, PHILLY_DROPPED, PHILLY_WAITS, PHILLY_HOLDS, PHILLY_DONE };

struct philly_job_book {
    lsched_id id;           /* 0: not in the cluster */
    int64_t left_us;        /* to run, from the last checkpoint on */
    int64_t run_since_us;   /* while all tasks run */
    int64_t head_wait_us;   /* waited as a head that fits its VC's quota, since it last started */
    uint64_t stopped_cycle; /* the latest that stopped it: it counts once in a cycle */
    uint32_t running, leaving; /* tasks */
    uint32_t run;              /* counts runs: the end of an earlier one is void */
    enum philly_phase phase;
    bool started; /* once, at least */
};

enum philly_event { PHILLY_JOB_ENDS, PHILLY_TASK_GONE }; /* heap kinds */

struct philly_books {
    const struct philly_setup *setup;
    struct philly_measure *measure;
    struct philly_job_book *jobs; /* owned */
    struct event_heap events;     /* item: job; detail: run, or task */
    struct event_heap *lines;     /* owned; by VC: jobs that wait, and some that do no more */
    int64_t *charged_by_vc;       /* owned; GPUs of running tasks */
    int64_t *held_by_vc;          /* owned; and of leaving ones */
    int64_t held;
    int64_t now_us;
    uint64_t waiting, incomplete, finished; /* jobs; incomplete: some of the tasks run */
};

void philly_books_begin(struct philly_books *books, const struct philly_setup *setup,
                        struct philly_measure *measure);
void philly_books_end(struct philly_books *books);

/* Lets time pass. */
void philly_pass(struct philly_books *books, int64_t to_us);
void philly_arrives(struct philly_books *books, uint32_t job);
void philly_task_starts(struct philly_books *books, uint32_t job, uint32_t task);
/* The task is asked to stop: its job loses what it did since its last checkpoint. `cycle`: number
 * of the cycle that says so. */
void philly_task_stops(struct philly_books *books, uint32_t job, uint32_t task, bool moves,
                       uint64_t cycle);
void philly_task_gone(struct philly_books *books, uint32_t job, uint32_t task);
void philly_job_ends(struct philly_books *books, uint32_t job);
/* Whether an event of the heap still holds. */
bool philly_holds(const struct philly_books *books, const struct heap_record *event);
/* The first job of a VC that waits, or PHILLY_NO_JOB. */
uint32_t philly_head(struct philly_books *books, uint32_t vc);

#endif
