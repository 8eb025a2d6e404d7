/*
 * cluster_play.h -- plays a cluster forward in virtual time: each cycle decides, all decisions are
 * carried out, and each run of a job ends after a span that the caller gives.
 *
 * The play asks the cluster's own policy, so it is a forecast of what that policy would do if
 * nothing else came. If decisions are open at the begin, it carries these out in place of a first
 * cycle. Tasks that were asked to stop before the begin are gone at the begin. A job whose tasks
 * are all evicted later runs its whole span again; if the policy holds the job, for its time limit
 * or because it was idle, the run has ended. A run with an unknown span has no end. The play stops
 * when each awaited job has started, or has ended if the caller asks for ends, and each job whose
 * run was stopped has started again; also at the horizon, and when a bound is reached.
 *
 * All events at one time come before one cycle. The same cluster and the same jobs give the same
 * play.
 *
 * Cost: the cycles, one for each time at which something ends or becomes ready, and O(log jobs) for
 * each decision and each end. With the action backfill, the action is more than half of it, and the
 * search for room in the plan over time a quarter. No cycle is left out, also not one that decides
 * nothing: time moves order keys, allowances and absences.
 */
#ifndef LSCHED_CLI_CLUSTER_PLAY_H
#define LSCHED_CLI_CLUSTER_PLAY_H

#include <stdbool.h>

#include <libsched/libsched.h>

#include "cli/support/event_heap.h"

/* Bounds of cycles: in a play, and in a row at one time. */
enum { CLUSTER_PLAY_CYCLES_MAX = 200000, CLUSTER_PLAY_ROUNDS_MAX = 1000 };

struct played_job {
    lsched_id id;
    int64_t run_us;   /* how long a run takes; 0: unknown, so a run has no end */
    int64_t since_us; /* start of a run that goes on at the begin of the play; 0: none */
    bool awaited;     /* the play goes on for this job */
    /* result */
    int64_t start_us, end_us; /* first start and last end in the play; LSCHED_NEVER_US: none */
    int64_t lost_us;          /* time of runs that were stopped, and until the next start */
    uint32_t evictions;       /* decisions that evicted or moved a task of the job */
    bool marked;              /* a task was placed on a watched node that marks */
    bool runs;                /* a run goes on */
    /* for the play */
    bool stopped;        /* the latest run was stopped, and no other has begun */
    uint32_t run, tasks; /* tasks: that run since counted_us */
    int64_t begun_us;
    int64_t from_us, counted_us; /* from_us: where the count of the latest run begins */
    double task_us;              /* tasks times time, from from_us until counted_us */
};

struct watched_node {
    lsched_id id;
    bool marks;      /* jobs with a task there are marked */
    bool used;       /* a task was placed there */
    int64_t left_us; /* when a task left the node last; the begin of the play: none did */
};

/* A cordoned node that becomes ready. */
struct ready_node {
    int64_t at_us;
    lsched_id id;
};

struct cluster_play {
    /* set by the caller */
    lsched_cluster *cluster; /* is changed: a clone */
    lsched_schedule_opts schedule;
    struct played_job *jobs; /* sorted by cluster_play_sort() */
    size_t n_jobs;
    struct watched_node *nodes; /* sorted by cluster_play_sort() */
    size_t n_nodes;
    struct ready_node *ready; /* sorted by cluster_play_sort() */
    size_t n_ready;
    int64_t now_us, horizon_us;
    uint64_t work_max; /* 0: no bound */
    uint64_t vain_max; /* bound of cycles in a row that decide nothing, while no end is expected; 0:
                        * none */
    bool to_ends;      /* awaited jobs must also end, if their run has an end */
    /* Called with the decisions of each cycle before they are carried out. Can be NULL. */
    void (*on_decisions)(void *user, const struct cluster_play *play);
    void *user;
    /* result */
    uint64_t cycles, work;
    bool cut;           /* the play ended because a bound was reached */
    bool cut_by_cycles; /* the bound was one of cycles, not work_max */
    /* for the play */
    size_t awaited, next_ready;
    uint64_t vain;
    int64_t wake_us; /* next wake of the latest plan */
    lsched_decision *decisions;
    size_t n_decisions, decisions_capacity;
    lsched_task_event *reports;
    size_t n_reports, reports_capacity;
    lsched_settlement *answers;
    size_t answers_capacity;
    struct event_heap ends;
};

/* Sorts the jobs and the nodes by id, and what becomes ready by time, as the play needs them. */
void cluster_play_sort(struct cluster_play *play);
/* Plays until the end, and frees what the play needed; the arrays of the caller stay. Returns
 * LSCHED_OK or an error. */
int32_t cluster_play_run(struct cluster_play *play, lsched_error *err);
/* The job or the node with an id; NULL if the play does not have it. */
struct played_job *cluster_play_job(const struct cluster_play *play, lsched_id id);
struct watched_node *cluster_play_node(const struct cluster_play *play, lsched_id id);
/* After a play: the mean number of tasks of a job's latest run, from its begin in the play until
 * its end, which is expected if the play stopped before; *span_us is this time. 0 if there is no
 * run. */
double cluster_play_width(const struct cluster_play *play, const struct played_job *job,
                          int64_t *span_us);

#endif
