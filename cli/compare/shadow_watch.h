/*
 * shadow_watch.h -- a candidate policy in the shadow of a replay: at each cycle a clone of the
 * cluster gets the candidate and plans the same instant. What it would decide is compared and
 * forgotten; the world follows the policy that is in force.
 *
 * So every difference is one of the policies alone, on one state, and not of two worlds that have
 * drifted apart. A cycle costs a clone (its memory is used again), a load of the candidate, and its
 * cycle.
 */
#ifndef LSCHED_CLI_SHADOW_WATCH_H
#define LSCHED_CLI_SHADOW_WATCH_H

#include "cli/plan/plan_rows.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

/* One job that the candidate would have treated differently, at one cycle. */
struct shadow_difference {
    int64_t now_us;
    uint64_t cycle; /* counts from 0 */
    uint32_t job;   /* number */
    enum row_difference what;
    char *text[2]; /* owned: what A does, what B would do */
};

struct shadow {
    const struct policy_source *candidate;
    struct plan_names *names;
    size_t shown_max;
    lsched_cluster *clone; /* owned */
    struct plan_rows rows[2];
    uint64_t cycles, cycles_differ, cycles_failed;
    uint64_t decisions[2];
    uint64_t differences[ROW_DIFFERENCES]; /* (cycle, job) pairs */
    uint64_t jobs_differ;
    bool *job_differs; /* owned; by number of the job */
    size_t n_job_differs;
    int64_t last_us;                 /* of the cycle */
    struct shadow_difference *shown; /* owned; the first, each job once */
    size_t n_shown;
    uint64_t plans_hash;                /* of the candidate's plans */
    char failure[LSCHED_MESSAGE_BYTES]; /* the first of the candidate's hooks */
};

void shadow_begin(struct shadow *shadow, const struct policy_source *candidate,
                  struct plan_names *names, size_t shown_max);
struct plan_watch shadow_watch(struct shadow *shadow);
void shadow_end(struct shadow *shadow);

#endif
