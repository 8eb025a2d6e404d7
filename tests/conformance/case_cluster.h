/*
 * case_cluster.h -- a cluster in the state that a case begins with, through nothing but libsched.h.
 */
#ifndef CONFORMANCE_CASE_CLUSTER_H
#define CONFORMANCE_CASE_CLUSTER_H

#include "case_form.h"

#define CASE_NOW_US INT64_C(1700000000000000)

struct policy_choice {
    const char *fair_share; /* "quota" */
    const char *more;     /* further keys of the policy as Lua text, each followed by a comma; "" */
    const char *eviction; /* further keys of its `eviction`, likewise */
};

/* On failure NULL, and what failed on stderr. */
lsched_cluster *case_cluster(struct case_form *c, struct pool *pool,
                             const struct policy_choice *policy);

#endif
