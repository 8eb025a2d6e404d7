/*
 * shadow_watch.h -- lets a second policy, the candidate, plan each cycle of a replay too. Before
 * each cycle, a clone of the cluster loads the candidate and plans for the same time. The
 * candidate's decisions are compared with those of the replay's policy, and are never carried out.
 *
 * Both policies plan for the same state of the cluster. Therefore every difference is a difference
 * between the policies. In two separate replays, the states of the clusters would differ more and
 * more. Each cycle costs three things: cloning the cluster into memory that is used again, loading
 * the candidate, and a cycle of the candidate.
 */
#ifndef LSCHED_CLI_SHADOW_WATCH_H
#define LSCHED_CLI_SHADOW_WATCH_H

#include "cli/plan/plan_rows.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

/* a job for which the two policies decide differently in one cycle */
struct shadow_difference {
    int64_t now_us;
    uint64_t cycle; /* index of the cycle, counted from 0 */
    uint32_t job;   /* index of the job's name */
    enum row_difference what;
    /* owned by this struct; texts about the decisions of A, the replay's policy, and of B, the
     * candidate */
    char *text[2];
};

struct shadow {
    const struct policy_source *candidate;
    struct plan_names *names;
    size_t shown_max;
    lsched_cluster *clone; /* owned by this struct */
    struct plan_rows rows[2];
    uint64_t cycles, cycles_differ, cycles_failed;
    uint64_t decisions[2];
    /* number of differences of each kind; a job counts once in each cycle */
    uint64_t differences[ROW_DIFFERENCES];
    uint64_t jobs_differ;
    /* owned by this struct; true for each job that has differed in a cycle, by the index of the
     * job's name */
    bool *job_differs;
    size_t n_job_differs;
    int64_t last_us; /* time of the last cycle */
    /* owned by this struct; the first shown_max differences, at most one for each job */
    struct shadow_difference *shown;
    size_t n_shown;
    uint64_t plans_hash;                /* hash of all plans of the candidate */
    char failure[LSCHED_MESSAGE_BYTES]; /* message of the first error in a hook of the candidate */
};

void shadow_begin(struct shadow *shadow, const struct policy_source *candidate,
                  struct plan_names *names, size_t shown_max);
struct plan_watch shadow_watch(struct shadow *shadow);
void shadow_end(struct shadow *shadow);

#endif
