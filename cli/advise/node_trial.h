/*
 * node_trial.h -- what a change of the nodes is worth: a clone of the cluster with the change is
 * played forward (virtual/cluster_play.h), and the play is priced.
 *
 * A change is how many nodes of each type are added, and which nodes are drained. The price of a
 * change has three parts: the hours that jobs wait for their first start or lose by evictions,
 * times the value of such an hour; the price and the energy of the added nodes, from now until the
 * last work that had a place on one of them has ended, and at least for the hold; less what drained
 * nodes no longer cost, from the time at which they are empty until the end of the period. The
 * period lasts until the waiting work has ended in the play with the added nodes alone, and at
 * least for the hold. If a play with drained nodes takes longer than that, each node that stays
 * costs so much more. Two changes are compared by these prices alone, so nothing is proposed that
 * costs more than it saves.
 *
 * Each trial charges its work to the budget. When the budget is spent, no further trial is made.
 *
 * Cost of a trial: a clone of the cluster, and a play until the waiting work has ended. A trial is
 * not cut off when it costs more than the best one so far: by far most of the price is the waiting,
 * and before the last of the waiting jobs has started the prices of neighbours do not differ by
 * more than what is still to come. In bench_advise, 7 of 11 trials could end so, after 93 to 99 %
 * of the cycles until the last start.
 */
#ifndef LSCHED_CLI_NODE_TRIAL_H
#define LSCHED_CLI_NODE_TRIAL_H

#include "cli/advise/catalogue.h"
#include "cli/virtual/cluster_play.h"

struct advise_opts {
    int64_t value_micro;  /* of an hour in which a job waits */
    int64_t energy_micro; /* price of a kWh */
    int64_t hold_us;      /* least time for which a node is paid */
    int64_t horizon_us;   /* how far plays go */
    uint64_t budget;      /* most work of all trials */
    bool drain_used;      /* drain also nodes that have work, or get work that waits */
};

/* A node that the cluster has. */
struct own_node {
    lsched_id id;
    lsched_text name; /* of `text` */
    char *text;       /* owned */
    char *model;      /* owned; the model of its first device, or "cpu" */
    lsched_node_info info;
    int64_t price_micro, power_milliwatt;
    int64_t rate_micro; /* what an hour of the node costs, energy included */
    bool used;          /* has tasks now, or gets tasks in the play of the unchanged cluster */
};

/* What a trial must know of a job besides its play. */
struct job_facts {
    int64_t from_us;  /* from when the job waits: its submission or its begin, the later one */
    int64_t until_us; /* when the job expires; LSCHED_NEVER_US: it does not */
    int64_t limit_us; /* time limit that the policy enforces; LSCHED_NEVER_US: none */
    bool firm;        /* the job is not preemptible */
    /* in the play of the unchanged cluster */
    bool never_starts;
    uint32_t evictions;
    double width; /* mean number of tasks of a run */
};

struct node_change {
    size_t counts[CATALOGUE_TYPES_MAX]; /* nodes added of each type */
    bool *drained;                      /* by index of own nodes; NULL: none */
};

struct node_figures {
    size_t started, never; /* of the waiting jobs: those that start, and those that do not */
    int64_t wait_p50_us, wait_p95_us, wait_max_us; /* from submission; LSCHED_NEVER_US: never */
    uint64_t evicted_jobs;
    size_t starved; /* waiting jobs that start in the unchanged cluster only */
    bool stranded;  /* a job whose run was stopped does not start again */
    bool forced;    /* work that is not preemptible was stopped, and only because of the change */
    bool kept;      /* a drained node does not become empty */
    int64_t end_us; /* when the last of the waiting work has ended */
    int64_t wait_micro, added_micro, saved_micro; /* the three parts of the price */
    int64_t total_micro;
    size_t used[CATALOGUE_TYPES_MAX]; /* added nodes of each type that get work */
    uint64_t work;
    bool cut; /* the play reached its limit of cycles, so the change is refused */
};

struct node_bounds;

struct node_trials {
    struct advise_opts opts;
    const struct node_bounds *bounds; /* what earlier advice allows; NULL: everything */
    struct catalogue *catalogue;
    lsched_cluster *full;    /* owned: the cluster with all nodes of the catalogue */
    lsched_cluster *scratch; /* owned */
    lsched_schedule_opts schedule;
    int64_t now_us, period_us;
    struct played_job *jobs;             /* owned: as they are before a play, sorted */
    struct job_facts *facts;             /* owned: of each job */
    size_t n_jobs, n_waiting, n_unknown; /* n_unknown: jobs whose end is not known */
    struct own_node *own;                /* owned */
    size_t n_own;
    struct played_job *played;    /* owned: the jobs after the latest play */
    struct watched_node *watched; /* owned */
    struct ready_node *ready;     /* owned */
    int64_t *waits;               /* owned */
    uint64_t trials, work;
    uint64_t endless; /* trials that reached the limit of cycles */
    bool stopped;     /* the budget is spent */
    struct node_figures base;
};

/* Prepares trials for the state of an applied scenario, and makes the trial without a change.
 * Returns an exit code. The caller calls node_trials_close() in any case. */
int node_trials_open(const struct session *session, const lsched_schedule_opts *schedule,
                     struct catalogue *catalogue, const struct advise_opts *opts,
                     struct node_trials *out);
void node_trials_close(struct node_trials *trials);
/* Tries a change. Returns 1; 0 if the budget is spent, and *out is unchanged; or a negative error
 * code, and *err says why. */
int32_t node_trial_make(struct node_trials *trials, const struct node_change *change,
                        struct node_figures *out, lsched_error *err);
/* What an hour of a node of a type costs, energy included. */
int64_t node_trial_rate(const struct node_trials *trials, const struct node_offer *offer);

#endif
