/*
 * frozen.h -- the structs of the public headers that have no `size` field, and the assertion that
 * they do not change.
 *
 * A struct without `size` never changes, because no program could tell its versions apart. Each of
 * them is an element of a list or a value that is passed by value. What could grow has a `size`. The
 * structs of algorithm.h are not listed: LSCHED_ALGORITHM_API counts their versions.
 */
#ifndef LIBSCHED_FROZEN_H
#define LIBSCHED_FROZEN_H

#include <libsched/libsched.h>
#include <libsched/pack.h>

/* X(struct, sizeof the struct on machines with 64-bit pointers) */
#define LSCHED_FROZEN_STRUCTS(X) \
    X(lsched_text, 16)           \
    X(lsched_amount, 16)         \
    X(lsched_label, 32)          \
    X(lsched_mig_instance, 24)   \
    X(lsched_link, 8)            \
    X(lsched_numa_desc, 16)      \
    X(lsched_mig_device, 16)     \
    X(lsched_mig_request, 24)    \
    X(lsched_mig_costs, 8)       \
    X(lsched_mig_step, 32)       \
    X(lsched_slice, 24)          \
    X(lsched_taint, 40)          \
    X(lsched_toleration, 48)     \
    X(lsched_label_rule, 32)     \
    X(lsched_node_affinity, 16)  \
    X(lsched_job_affinity, 56)   \
    X(lsched_pack_place, 40)     \
    X(lsched_param, 40)          \
    X(lsched_policy_term, 112)

#if UINTPTR_MAX == UINT64_MAX
#ifdef __cplusplus
#define LSCHED_X_ASSERT_(name, bytes) static_assert(sizeof(name) == (bytes), #name " is frozen");
#else
#define LSCHED_X_ASSERT_(name, bytes) _Static_assert(sizeof(name) == (bytes), #name " is frozen");
#endif
LSCHED_FROZEN_STRUCTS(LSCHED_X_ASSERT_)
#undef LSCHED_X_ASSERT_
#endif

#endif
