/*
 * speeds.h -- divides devices of different models by how fast each job is on them: shares of time
 * by a policy, and who runs where in each round.
 *
 * This is a library of its own, libsched_speeds. libsched does not use it, and no plan of libsched
 * depends on it. Each call is a function of its arguments: it keeps nothing, reads no clock, and
 * gives the same answer on every machine. docs/speeds.md explains the policies, and says what was
 * measured.
 *
 * What a quota guarantees is a number of devices of a model, and is not divided here: an
 * orchestrator passes the devices that no guarantee takes, and the jobs that use them. A tenant
 * cannot gain by a wrong speed, because no call takes a speed from a job: speeds are a table of the
 * operator.
 */
#ifndef LIBSCHED_SPEEDS_H
#define LIBSCHED_SPEEDS_H

#include <libsched/libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_SPEEDS_MODELS_MAX 16          /* the greatest number of models */
#define LSCHED_SPEEDS_JOBS_MAX   65536       /* the greatest number of jobs */
#define LSCHED_SPEEDS_CELLS_MAX  8388608     /* the greatest size of the linear programme, 64 MiB */
#define LSCHED_SPEEDS_WORK       8589934592u /* the work that a call does at most by default */

/* A speed that nobody has measured. It counts as 1.0, and the answer counts it. */
#define LSCHED_SPEED_UNKNOWN (-1.0)

enum lsched_speeds_policy {
    /* Raise the least throughput of all jobs, measured by what each job has alone; then the least
     * one of the jobs that can have more, and so on. */
    LSCHED_SPEEDS_MAX_MIN = 0,
    LSCHED_SPEEDS_MAKESPAN = 1, /* end the last job as early as possible; then use what is left */
    LSCHED_SPEEDS_COST = 2,     /* pay as little as possible for what each job has at least */
    LSCHED_SPEEDS_POLICIES = 3
};

/* A model of devices. Frozen layout, no size field. */
typedef struct lsched_speeds_model {
    double price;     /* of one device for one unit of time; needed by LSCHED_SPEEDS_COST */
    uint32_t devices; /* number of devices */
    uint32_t reserved_zero;
} lsched_speeds_model;

/* A job. All of its devices are of one model at a time. Frozen layout, no size field. */
typedef struct lsched_speeds_job {
    uint32_t row;     /* the row of the table that has its speeds */
    uint32_t devices; /* number of devices that it uses at the same time */
    double weight;    /* its part of the devices, compared with other jobs; 0: 1 */
    double work;      /* what it has left, in units of speed x time; for LSCHED_SPEEDS_MAKESPAN */
    double least;     /* a throughput that it has at least; 0: what it has alone */
} lsched_speeds_job;

typedef struct lsched_speeds_query {
    uint32_t size;
    uint32_t policy;                   /* LSCHED_SPEEDS_* */
    const lsched_allocator *allocator; /* NULL: malloc */
    const lsched_speeds_model *models;
    size_t n_models;
    /* speeds[row * n_models + model]: the throughput of a job of this row on devices of the model,
     * in any unit that is the same for the whole row. 0: it cannot run there.
     * LSCHED_SPEED_UNKNOWN: nobody has measured it. */
    const double *speeds;
    size_t n_rows;
    const lsched_speeds_job *jobs;
    size_t n_jobs;
    uint64_t
        work; /* how many cells of the linear programme can be visited; 0: LSCHED_SPEEDS_WORK */
} lsched_speeds_query;

enum lsched_speeds_flag {
    /* The work ended first, or the numbers of the query lie too many powers of ten apart: the
     * shares are valid, each job has what it has alone, but other shares may be better. */
    LSCHED_SPEEDS_PARTIAL = 1
};

typedef struct lsched_speeds_answer {
    uint32_t size;
    uint32_t flags;     /* LSCHED_SPEEDS_PARTIAL */
    uint64_t holes;     /* number of speeds that were needed and are not known */
    uint64_t different; /* number of different jobs; equal jobs have equal shares */
    uint64_t work;      /* the work that was done */
    double least;       /* the least throughput of a job, divided by what the job has alone */
    double makespan;    /* time until the last job ends; 0: no job has any work */
    double cost;        /* what the shares cost in one unit of time */
} lsched_speeds_answer;

/* Divides the time of the devices. shares[job * n_models + model] becomes the part of the time in
 * which the job runs on devices of the model; the parts of a job add up to at most 1, and the
 * devices of a model are never given twice. alone[job] becomes the throughput that the job has
 * alone: with its part of each model by weight, which it uses as well as it can. No job gets less
 * than that, nor less than its `least`, under any policy. `alone` can be NULL.
 *
 * Errors, after which nothing is written: LSCHED_E_NULL; LSCHED_E_LIMIT: too many models, jobs or
 * different jobs, or the work ended before every `least` was reached; LSCHED_E_RANGE: a number is
 * NaN, infinite, negative or out of range, a job can run nowhere, or all `least` together cannot be
 * reached; LSCHED_E_INVAL: a job without work under LSCHED_SPEEDS_MAKESPAN, or no model with a
 * price under LSCHED_SPEEDS_COST; LSCHED_E_NOMEM. Cost: the work, at most. */
LSCHED_API int32_t lsched_speeds_solve(const lsched_speeds_query *query, double *shares,
                                       double *alone, lsched_speeds_answer *out, lsched_error *err);
/* Returns the word of a policy, such as "max-min"; NULL for another number. */
LSCHED_API const char *lsched_speeds_policy_name(uint32_t policy);

/* ---- rounds ---- */

#define LSCHED_SPEEDS_NOWHERE 4294967295u /* UINT32_MAX: the job does not run */

/* What has happened to a job since its shares last changed. Frozen layout, no size field. */
typedef struct lsched_speeds_turn {
    uint64_t seen;  /* number of rounds that the job has seen */
    uint32_t model; /* where it ran in the latest round, or LSCHED_SPEEDS_NOWHERE */
    uint32_t reserved_zero;
} lsched_speeds_turn;

typedef struct lsched_speeds_round_result {
    uint32_t size;
    uint32_t running; /* number of jobs that run in this round */
    uint32_t starts;  /* number of jobs that start, also on another model than before */
    uint32_t moves;   /* number of jobs among them that ran on another model in the round before */
    uint32_t stops;   /* number of jobs that ran in the round before, and do not run now */
    uint32_t reserved_zero;
    uint64_t idle; /* number of devices that no job uses */
} lsched_speeds_round_result;

/* Decides who runs where in the next round. A job that has waited longest for its share comes
 * first. `keep` is for how many rounds a job with the share 1 stays after its time is over, before
 * it stops for others; with a smaller share it is keep / sqrt(share). 0 follows the shares as
 * closely as possible, and more means fewer starts; 10 is good where a start costs 3 % of a round.
 * turns[job] and received[job * n_models + model], the number of rounds that the job has got on the
 * model, are changed; the caller sets `seen` and `received` to 0 when shares change. Jobs that are
 * equal in all this are served in the order of the list. Of the query, the call reads the models,
 * the jobs and the allocator. Errors, after which nothing is changed: LSCHED_E_NULL,
 * LSCHED_E_LIMIT, LSCHED_E_RANGE, LSCHED_E_NOMEM. Cost: O(n log n) for n shares above 0. */
LSCHED_API int32_t lsched_speeds_round(const lsched_speeds_query *query, const double *shares,
                                       double keep, lsched_speeds_turn *turns, uint64_t *received,
                                       lsched_speeds_round_result *out, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
