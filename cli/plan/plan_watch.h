/*
 * plan_watch.h -- functions that a replay calls before and after each cycle, so that another module
 * can observe the cycle. The functions change nothing in the replay.
 *
 * `before` gets the cluster in the state for which the cycle will plan. `after` gets the plan
 * before the replay carries out its decisions. Therefore a second policy can plan for the same
 * state as the policy of the replay.
 */
#ifndef LSCHED_CLI_PLAN_WATCH_H
#define LSCHED_CLI_PLAN_WATCH_H

#include <libsched/libsched.h>

struct plan_watch {
    void *user;
    /* Called before each cycle. Returns 0 or a negative error code. A negative code ends the
     * replay; the function must then also fill *err. Can be NULL. */
    int32_t (*before)(void *user, const lsched_cluster *cluster, const lsched_schedule_opts *opts,
                      lsched_error *err);
    void (*after)(void *user, const lsched_cluster *cluster, const lsched_plan *plan);
    /* Called at the end of the replay, before the cluster is destroyed. Can be NULL. */
    void (*end)(void *user);
};

#endif
