/*
 * promise_figures.h -- how good the expected starts are that a replay tells: how often they move,
 * how often the job starts later, and how sharp they are.
 *
 * A job that waits for a planned start is told that start after each cycle: its *expected* start.
 * Whoever waits sees the latest one. The log notes each change, and when a job that still waits is
 * told no start any more. When the replay is over, each note is compared with the start that came
 * about:
 *   on time    the job started no later than the first start that it was told
 *   missed     it started later. The cause of a miss is that of the longest move to a later start
 *   error      expected start - start, below 0 if the job started later. The median counts each
 *              note by the seconds for which it was told
 *   withdrawn  the job was told no start any more, until it was told another one or started
 *   score      interval score of Gneiting and Raftery (2007) for an interval that is meant to have
 *              the start with 90 %: from the time of telling to the first start told. It is the
 *              length of the interval, and 20 times the delay if the job started after it. A
 *              smaller score is better: late starts and starts told far too late both cost
 *
 * A move to a later start has one cause, the first of these that happened since the note before:
 *   OVERRUN    work ran longer than its estimate
 *   EARLY_END  work ended before its estimate, and the plan was made anew with other starts
 *   ARRIVAL    a job arrived, which can come earlier in the order of the policy
 *   NONE       none of these
 * The causes say what happened in that time, not that the move would not have happened without it.
 *
 * A start that is firm (docs/backfill.md) has its causes from the library: the change feed tells
 * why a firm start is lost. A job that starts later than its first firm start, without such a
 * record, is a fault of the library, and counted apart.
 *
 * Why not read causes from the plan: a plan knows which work must end before a start, but not why
 * the plan before it was another.
 */
#ifndef LSCHED_CLI_PROMISE_FIGURES_H
#define LSCHED_CLI_PROMISE_FIGURES_H

#include "cli/replay/job_runs.h"
#include "cli/support/json_writer.h"

#define PROMISE_REASONS 32 /* more than the LSCHED_BECAUSE_* that a firm start is lost for */

enum promise_cause {
    PROMISE_OVERRUN,
    PROMISE_EARLY_END,
    PROMISE_ARRIVAL,
    PROMISE_NO_CAUSE,
    PROMISE_CAUSES
};

/* A note: from `at_us` on, `job` expects to start at `expected_us`, LSCHED_NEVER_US: at no known
 * time. */
struct promise_note {
    int64_t at_us, expected_us;
    uint32_t job;
};

/* The firm start of a job. firm_us: the latest one told, LSCHED_NEVER_US: none now. because:
 * LSCHED_BECAUSE_* of the first loss. ever: true if the job had a firm start. silent: true if the
 * start moved later although the change feed tells no loss. */
struct firm_job {
    int64_t first_us, firm_us;
    uint32_t because;
    bool ever, silent;
};

struct promise_log {
    size_t n_jobs;
    struct firm_job *firm; /* owned; one for each job */
    uint64_t cursor;       /* in the change feed */
    int64_t *expected_us;  /* owned; the latest start told to each job; LSCHED_NEVER_US: none */
    struct promise_note *notes; /* owned; in the order of time */
    size_t n, capacity;
};

struct promise_figures {
    uint64_t waited,   /* jobs that did not start when they arrived */
        told,          /* jobs among them that were told an expected start */
        withdrawn,     /* starts after which a job that waited was told none */
        moved_earlier, /* moves of an expected start to an earlier one */
        moved_later[PROMISE_CAUSES], missed[PROMISE_CAUSES];
    double median_error_s, interval_score_s;
    /* jobs that had a firm start, those of them that started later than the first one, by the
     * reason that the change feed told, and those for which it told none */
    uint64_t firm, firm_missed[PROMISE_REASONS], firm_silent;
};

/* Begins a log for the jobs of the list. The caller gives the result of promise_log_watch() to the
 * simulation as setup->watch. */
void promise_log_begin(struct promise_log *log, const struct job_list *list);
void promise_log_end(struct promise_log *log);
struct plan_watch promise_log_watch(struct promise_log *log);

/* Computes the figures. Cost: O((jobs + notes) log (jobs + notes)). */
struct promise_figures promise_figures_of(const struct promise_log *log,
                                          const struct job_list *list,
                                          const struct job_outcome *outcomes);
/* Writes the object `promises` into the open JSON object. */
void promise_figures_json(struct json *json, const struct promise_figures *figures);
/* Returns the sum of counts by cause. */
uint64_t promise_sum(const uint64_t counts[PROMISE_CAUSES]);
/* Returns the number of jobs that started later than their first firm start. */
uint64_t promise_firm_missed(const struct promise_figures *figures);

#endif
