/*
 * compare.h -- `lsched compare`: its arguments and its result, for every kind of trace.
 *
 * A comparison has a list of measures with a value for each side, the instant at which the plans
 * first differ, and the jobs with the largest differences. Each kind of trace fills it in its own
 * way (compare_list.c, compare_openb.c, compare_scenario.c); compare_report.c prints it.
 */
#ifndef LSCHED_CLI_COMPARE_H
#define LSCHED_CLI_COMPARE_H

#include "cli/support/options.h"
#include "cli/support/command.h"
#include "cli/plan/plan_rows.h"
#include "cli/compare/shadow_watch.h"
#include "cli/support/terminal.h"

enum { SIDE_A, SIDE_B, SIDES };

struct compare_args {
    struct text_list params[SIDES];
    const char *trace_kind, *queues, *vc, *nodes, *window_days;
    int64_t jobs, show, capacity, per_node, protect_minutes, checkpoint_minutes, release_seconds,
        seed;
    bool shadow, strict, known_durations, verify, json, progress, no_progress;
};

enum trace_kind { TRACE_PHILLY, TRACE_SWF, TRACE_OPENB, TRACE_SCENARIO, TRACE_KINDS };

enum measure_unit {
    MEASURE_COUNT,
    MEASURE_SECONDS,
    MEASURE_PERCENT, /* the difference is in percentage points */
    MEASURE_RATIO,
    MEASURE_INDEX, /* 0 to 1; the difference is absolute */
    MEASURE_HOURS
};

struct measure {
    const char *key, *label; /* name in JSON, and name in the table */
    enum measure_unit unit;
    double value[SIDES];
    bool known[SIDES];
};
enum { MEASURES_MAX = 32, HEADING_LINES = 3 };

/* The waits, evictions or places of one job under both policies. */
struct compared_job {
    char *name;  /* owned by this struct */
    char *queue; /* owned; NULL: there is only one queue */
    char size[32];
    int64_t wait_us[SIDES]; /* time until its first start; LSCHED_NEVER_US: it never started */
    uint32_t evictions[SIDES];
    char *place[SIDES]; /* owned; node of the task, which openb has instead of waits */
    double weight;      /* size of the difference; the largest is listed first */
};

/* One job at the first instant at which the plans differ. */
struct difference_line {
    char *job, *text[SIDES]; /* owned by this struct */
};

struct comparison {
    const struct command *command;
    const struct compare_args *args;
    struct policy_source policies[SIDES];
    lsched_param *params[SIDES]; /* owned by this struct */
    enum trace_kind kind;
    struct input_file file;
    char *path; /* owned; path of the trace within the given directory; or NULL */
    char heading[HEADING_LINES][512];
    /* swf: number of jobs that are left out, and of jobs with the number of another job */
    uint64_t never_ran, repeated;
    struct plan_names names;
    /* owned; the trace's number of each job, by the index of the job's name; or NULL */
    uint64_t *job_numbers;
    size_t n_job_numbers;
    struct plan_rows log[SIDES]; /* decisions in the order of time */
    uint64_t plans_hash[SIDES], cycles[SIDES];
    struct measure measures[MEASURES_MAX];
    size_t n_measures;
    struct compared_job *jobs; /* owned by this struct */
    size_t n_jobs;             /* number of jobs that are shown */
    uint64_t jobs_differ, jobs_compared;
    uint64_t elsewhere; /* openb: number of tasks that both sides place, on different nodes */
    bool differs;
    int64_t first_us; /* time at which the plans first differ */
    uint64_t first_jobs;
    struct difference_line *first; /* owned by this struct */
    size_t n_first;
    /* true if only the decisions of A are carried out and B plans beside it on clones */
    bool shadowed;
    struct shadow shadow;
    bool reads_duration[SIDES]; /* true if the policy uses job.duration */
    char *ended_early[SIDES];   /* owned; reason why a scenario ended early; or NULL */
    const char *unit;           /* "GPU" or "processor" */
    const char *what;           /* "job" or "task" */
    struct progress progress;
    size_t side_now;
};

/* Run the trace and fill the comparison. They return an exit code after they reported an error. */
int compare_list(struct comparison *of);
int compare_openb(struct comparison *of);
int compare_scenario(struct comparison *of);

void compare_print(struct comparison *of);
void compare_print_json(struct comparison *of);

/* ---- functions for all kinds of traces ---- */

/* Adds a measure whose values are known on both sides. */
struct measure *compare_measure(struct comparison *of, const char *key, const char *label,
                                enum measure_unit unit, double a, double b);
/* A trace that can be run once per side, or once with B in the shadow of A. */
struct compare_trace {
    void *input;
    int (*play)(void *input, size_t side, const struct plan_watch *watch);
    uint64_t (*plans_hash)(const void *input, size_t side); /* hash of the plans of a side's run */
    void (*compare)(void *input);                           /* called after both sides have run */
};
int compare_play(struct comparison *of, const struct compare_trace *trace);
/* Returns a watch that records the decisions of the plans of one side. */
struct plan_watch compare_watch(struct comparison *of, size_t side);
/* Finds the first instant at which the recorded decisions differ. */
void compare_logs(struct comparison *of);
/* Returns the name of a job as the trace has it; the caller owns the text. */
char *compare_job_name(const struct comparison *of, uint32_t job);
/* Shows progress: `done` of `total` of the side that is running. */
void compare_step(void *user, uint64_t done, uint64_t total);
/* Reports an error of a replay; `file` is the name of the trace. */
int compare_error(struct comparison *of, size_t side, const char *file, const lsched_error *err);
/* Frees everything except the struct itself. */
void compare_free(struct comparison *of);
/* Keeps the job if it is among those with the largest differences. The function takes over what
 * the job owns. */
void compare_keep(struct comparison *of, struct compared_job *job);

#endif
