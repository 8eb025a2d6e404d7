/*
 * plan_watch.h -- functions that a replay calls around every cycle so that another module can
 * observe it. They change nothing in the replay.
 *
 * `before` gets the cluster in the state in which the cycle will find it. `after` gets the plan
 * before its decisions are carried out. Therefore a second policy can plan for the same state as
 * the policy of the replay.
 */
#ifndef LSCHED_CLI_PLAN_WATCH_H
#define LSCHED_CLI_PLAN_WATCH_H

#include <libsched/libsched.h>

struct plan_watch {
    void *user;
    /* Called before the cycle. Returns 0, or a negative code with err filled, which ends the
     * replay. May be NULL. */
    int32_t (*before)(void *user, const lsched_cluster *cluster, const lsched_schedule_opts *opts,
                      lsched_error *err);
    void (*after)(void *user, const lsched_cluster *cluster, const lsched_plan *plan);
    /* Called at the end of the replay, while the cluster's memory still exists. May be NULL. */
    void (*end)(void *user);
};

#endif
