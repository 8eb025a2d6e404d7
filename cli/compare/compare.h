/*
 * compare.h -- `lsched compare`: what it was asked for, and what it found, whatever the trace.
 *
 * A comparison is a list of measures with a value for each side, the instant at which the plans
 * first differ, and the jobs that fare most differently. Each kind of trace fills it in its own
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
    MEASURE_PERCENT, /* differs by points */
    MEASURE_RATIO,
    MEASURE_INDEX, /* 0 to 1; differs by so much */
    MEASURE_HOURS
};

struct measure {
    const char *key, *label; /* in JSON, in the table */
    enum measure_unit unit;
    double value[SIDES];
    bool known[SIDES];
};
enum { MEASURES_MAX = 32, HEADING_LINES = 3 };

/* A job and how it fared. */
struct compared_job {
    char *name;  /* owned */
    char *queue; /* owned; NULL: there is but one */
    char size[32];
    int64_t wait_us[SIDES]; /* until its first start; LSCHED_NEVER_US: it never started */
    uint32_t evictions[SIDES];
    char *place[SIDES]; /* owned; where it went, instead of waits: openb */
    double weight;      /* how far apart; largest first */
};

/* Where plans differ, one job of it. */
struct difference_line {
    char *job, *text[SIDES]; /* owned */
};

struct comparison {
    const struct command *command;
    const struct compare_args *args;
    struct policy_source policies[SIDES];
    lsched_param *params[SIDES]; /* owned */
    enum trace_kind kind;
    struct input_file file;
    char *path; /* owned; of the trace inside the given directory; or NULL */
    char heading[HEADING_LINES][512];
    uint64_t never_ran, repeated; /* swf: jobs left out, and those with another one's number */
    struct plan_names names;
    uint64_t
        *job_numbers; /* owned; what the trace calls its jobs, by number of the name; or NULL */
    size_t n_job_numbers;
    struct plan_rows log[SIDES]; /* in order of time */
    uint64_t plans_hash[SIDES], cycles[SIDES];
    struct measure measures[MEASURES_MAX];
    size_t n_measures;
    struct compared_job *jobs; /* owned */
    size_t n_jobs;             /* shown */
    uint64_t jobs_differ, jobs_compared;
    uint64_t elsewhere; /* openb: have a place under both, on different nodes */
    bool differs;
    int64_t first_us; /* when the plans first differ */
    uint64_t first_jobs;
    struct difference_line *first; /* owned */
    size_t n_first;
    bool shadowed; /* the world of A only, B beside it */
    struct shadow shadow;
    bool reads_duration[SIDES]; /* the policy decides by how long jobs run */
    char *ended_early[SIDES];   /* owned: why a scenario did not go on; NULL */
    const char *unit;           /* "GPU" or "processor" */
    const char *what;           /* "job" or "task" */
    struct progress progress;
    size_t side_now;
};

/* Play the trace, fill the comparison. Return an exit code, after a complaint. */
int compare_list(struct comparison *of);
int compare_openb(struct comparison *of);
int compare_scenario(struct comparison *of);

void compare_print(struct comparison *of);
void compare_print_json(struct comparison *of);

/* ---- parts that the kinds share ---- */

/* Adds a measure that is known on both sides. */
struct measure *compare_measure(struct comparison *of, const char *key, const char *label,
                                enum measure_unit unit, double a, double b);
/* A trace that can be played once per side, or once with B in the shadow of A. */
struct compare_trace {
    void *input;
    int (*play)(void *input, size_t side, const struct plan_watch *watch);
    uint64_t (*plans_hash)(const void *input, size_t side); /* of what was played */
    void (*compare)(void *input);                           /* after both sides */
};
int compare_play(struct comparison *of, const struct compare_trace *trace);
/* For the world of one side: writes down what its plans decide. */
struct plan_watch compare_watch(struct comparison *of, size_t side);
/* Looks for the first instant at which the logs differ. */
void compare_logs(struct comparison *of);
/* The name of a job as the trace has it; owned by the caller. */
char *compare_job_name(const struct comparison *of, uint32_t job);
/* Progress: done of total of the side that is played. */
void compare_step(void *user, uint64_t done, uint64_t total);
/* Complains about an error of a replay; file: of the trace. */
int compare_error(struct comparison *of, size_t side, const char *file, const lsched_error *err);
/* All but the struct itself. */
void compare_free(struct comparison *of);
/* Keeps the job if it is among those that differ most; takes over what it owns. */
void compare_keep(struct comparison *of, struct compared_job *job);

#endif
