/*
 * shadow_watch.h -- runs a candidate policy in the shadow of a replay. At each cycle a clone of
 * the cluster gets the candidate and plans for the same instant. The candidate's decisions are
 * compared and then dropped; only the decisions of the policy in force are carried out.
 *
 * Therefore every difference comes from the policies alone, on the same state, and not from two
 * simulations that have drifted apart. Each cycle costs a clone (whose memory is used again), a
 * load of the candidate, and the candidate's cycle.
 */
#ifndef LSCHED_CLI_SHADOW_WATCH_H
#define LSCHED_CLI_SHADOW_WATCH_H

#include "cli/plan/plan_rows.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

/* A job that the candidate would have treated differently in one cycle. */
struct shadow_difference {
    int64_t now_us;
    uint64_t cycle; /* counted from 0 */
    uint32_t job;   /* index of the job's name */
    enum row_difference what;
    char *text[2]; /* owned; what A does, and what B would do */
};

struct shadow {
    const struct policy_source *candidate;
    struct plan_names *names;
    size_t shown_max;
    lsched_cluster *clone; /* owned by this struct */
    struct plan_rows rows[2];
    uint64_t cycles, cycles_differ, cycles_failed;
    uint64_t decisions[2];
    uint64_t differences[ROW_DIFFERENCES]; /* number of (cycle, job) pairs */
    uint64_t jobs_differ;
    bool *job_differs; /* owned; by the index of the job's name */
    size_t n_job_differs;
    int64_t last_us;                 /* time of the latest cycle */
    struct shadow_difference *shown; /* owned; the first differences, at most one per job */
    size_t n_shown;
    uint64_t plans_hash;                /* hash of the candidate's plans */
    char failure[LSCHED_MESSAGE_BYTES]; /* first error of the candidate's hooks */
};

void shadow_begin(struct shadow *shadow, const struct policy_source *candidate,
                  struct plan_names *names, size_t shown_max);
struct plan_watch shadow_watch(struct shadow *shadow);
void shadow_end(struct shadow *shadow);

#endif
