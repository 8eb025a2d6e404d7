/*
 * consumer.c -- the smallest host: a cluster, a policy, one empty cycle. The policy shows that
 * LuaJIT is found by whichever way the library was linked. Its own alloc_new shares a name with an
 * internal function of the library, which a static link must not mind.
 */
#include <libsched/libsched.h>
#include <stdio.h>

static const char policy[] =
    "return { api = 1, name = 'host', priority = function(job) return job.priority end }";

int alloc_new(void);
int alloc_new(void) {
    return 7;
}

static int fail(const lsched_error *err) {
    fprintf(stderr, "%s: %s\n", lsched_error_name(err->code), err->message);
    return 1;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = 1;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0) return fail(&err);
    if (lsched_policy_load(cluster, LSCHED_TEXT("host"), (lsched_text){policy, sizeof policy - 1},
                           NULL, &err) < 0)
        return fail(&err);
    if (lsched_schedule(cluster, &opts, &plan, &err) < 0) return fail(&err);
    size_t decisions = lsched_plan_size(plan);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    printf("libsched %s\n", lsched_version());
    return alloc_new() == 7 && decisions == 0 ? 0 : 1;
}
