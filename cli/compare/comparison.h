/*
 * comparison.h -- the arguments and the result of `lsched compare` for all kinds of traces.
 *
 * The result has three parts: measures with a value for each policy, the time at which the plans of
 * the two policies first differ, and the jobs with the largest differences. Side A stands for the
 * first policy, and side B for the second. compare_jobs.c, compare_openb.c and compare_scenario.c
 * make the result for their kind of trace, and compare_report.c prints it.
 */
#ifndef LSCHED_CLI_COMPARISON_H
#define LSCHED_CLI_COMPARISON_H

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
    MEASURE_PERCENT, /* the table shows differences in percentage points */
    MEASURE_RATIO,
    MEASURE_INDEX, /* an index from 0 to 1; the table shows differences as b - a */
    MEASURE_HOURS
};

struct measure {
    const char *key, *label; /* name of the measure in JSON, and name in the table */
    enum measure_unit unit;
    double value[SIDES];
    bool known[SIDES];
};
enum { MEASURES_MAX = 32, HEADING_LINES = 3 };

/* the waits, the evictions or the nodes of one job under both policies */
struct compared_job {
    char *name; /* owned by this struct */
    /* owned by this struct; NULL if there is only one queue; for openb, the name of the task in the
     * list */
    char *queue;
    char size[32];
    /* time from the submission to the first start; LSCHED_NEVER_US if the job never started */
    int64_t wait_us[SIDES];
    uint32_t evictions[SIDES];
    /* owned by this struct; only for openb, where tasks do not wait: name of the node of the
     * task */
    char *place[SIDES];
    /* size of the difference between A and B; the list has the job with the largest value first */
    double weight;
};

/* one job whose decisions differ at comparison.first_us */
struct difference_line {
    char *job, *text[SIDES]; /* owned by this struct */
};

struct comparison {
    const struct compare_args *args;
    struct policy_source policies[SIDES];
    lsched_param *params[SIDES]; /* owned by this struct */
    enum trace_kind kind;
    struct input_file file;
    /* owned by this struct; path of the trace file if the user gave a directory; otherwise NULL */
    char *path;
    char heading[HEADING_LINES][512];
    uint64_t never_ran, /* for swf: number of jobs that are left out because they never ran */
        repeated;       /* for swf: number of jobs with the number of an earlier job */
    struct plan_names names;
    /* owned by this struct; number that the trace gives each job, by the index of the job's name;
     * NULL if the trace has no numbers */
    uint64_t *job_numbers;
    size_t n_job_numbers;
    struct plan_rows log[SIDES]; /* decisions of all cycles in the order of time */
    uint64_t plans_hash[SIDES], cycles[SIDES];
    struct measure measures[MEASURES_MAX];
    size_t n_measures;
    struct compared_job *jobs; /* owned by this struct */
    size_t n_jobs;             /* number of jobs in `jobs`, which are printed */
    uint64_t jobs_differ, jobs_compared;
    uint64_t elsewhere; /* for openb: number of tasks that A and B place on different nodes */
    bool differs;
    int64_t first_us; /* time at which the plans of A and B first differ, if `differs` is true */
    uint64_t first_jobs;
    struct difference_line *first; /* owned by this struct */
    size_t n_first;
    /* true if only the decisions of A are carried out, and B plans each cycle on a clone of the
     * cluster */
    bool shadowed;
    struct shadow shadow;
    bool reads_duration[SIDES]; /* true if a hook of the policy reads job.duration */
    /* owned by this struct; reason why the scenario ended early; NULL if it did not */
    char *ended_early[SIDES];
    const char *unit; /* name of a unit: "GPU" or "processor" */
    const char *what; /* name of an item of the trace: "job" or "task" */
    struct progress progress;
    size_t side_now;
};

/* Adds a measure with the value a for policy A and the value b for policy B. Returns the new
 * measure. */
struct measure *comparison_measure(struct comparison *of, const char *key, const char *label,
                                   enum measure_unit unit, double a, double b);
/* The functions that replay a trace. comparison_play() replays it with A and then with B, or, with
 * --shadow, once with A while B plans on clones. */
struct comparison_trace {
    void *input;
    int (*play)(void *input, size_t side, const struct plan_watch *watch);
    const uint64_t *plans_hash; /* hash of all plans of A; valid after the replay with A */
    /* called after the replays with A and with B; not called with --shadow */
    void (*compare)(void *input);
};
int comparison_play(struct comparison *of, const struct comparison_trace *trace);
/* Returns functions for a replay that record the decisions of one side in of->log. */
struct plan_watch comparison_watch(struct comparison *of, size_t side);
/* Finds the first time at which the recorded decisions of A and B differ, and writes it to
 * of->first_us. */
void comparison_logs(struct comparison *of);
/* Returns the name or the number of a job in the trace. The caller frees the text. */
char *comparison_job_name(const struct comparison *of, uint32_t job);
/* Shows that `done` of `total` steps of the current replay are finished. */
void comparison_step(void *user, uint64_t done, uint64_t total);
/* Frees all memory that the struct owns. */
void comparison_free(struct comparison *of);
/* Adds a job to of->jobs if it is one of the jobs with the largest weight; otherwise frees the
 * memory of the job. In both cases the caller no longer owns that memory. */
void comparison_keep(struct comparison *of, struct compared_job *job);

#endif
