/* policy_cluster.h -- a fresh cluster with a policy whose text is written for the seed at hand. */
#ifndef LIBSCHED_POLICY_CLUSTER_H
#define LIBSCHED_POLICY_CLUSTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <libsched/libsched.h>

/* The test fails with the seed where the cluster or the policy is refused. */
__attribute__((format(printf, 2, 3))) static inline lsched_cluster *policy_cluster(
    uint64_t seed, const char *format, ...) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_in_range(n, 1, sizeof text - 1);
    int32_t rc = lsched_cluster_create(NULL, &c, &err);
    if (rc == LSCHED_OK)
        rc =
            lsched_policy_load(c, LSCHED_TEXT("drawn"), (lsched_text){text, (size_t)n}, NULL, &err);
    if (rc < 0) fail_msg("seed %llu: %d %s", (unsigned long long)seed, rc, err.message);
    return c;
}

#endif
