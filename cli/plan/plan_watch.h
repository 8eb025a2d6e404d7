/*
 * plan_watch.h -- looks over the shoulder of a replay: called around every cycle, changes nothing.
 *
 * `before` sees the cluster as the cycle will find it, `after` the plan before any of it is carried
 * out; both decisions of the world and those of a candidate can so be had for the same state.
 */
#ifndef LSCHED_CLI_PLAN_WATCH_H
#define LSCHED_CLI_PLAN_WATCH_H

#include <libsched/libsched.h>

struct plan_watch {
    void *user;
    /* Returns 0, or a negative code with err filled, which ends the replay. May be NULL. */
    int32_t (*before)(void *user, const lsched_cluster *cluster, const lsched_schedule_opts *opts,
                      lsched_error *err);
    void (*after)(void *user, const lsched_cluster *cluster, const lsched_plan *plan);
    /* When all is over: the last moment at which the memory of the cluster is there. May be
     * NULL. */
    void (*end)(void *user);
};

#endif
