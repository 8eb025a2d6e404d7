/*
 * builtin.h -- the list of all built-in algorithms, sorted by role: an algorithm is registered
 * here and in no other file of the library.
 *
 * The table of an algorithm (an lsched_algorithm) is defined in the file that has the algorithm's
 * name. Exceptions: act_evicting.c defines three actions, and act_evict_overdue.c defines two. The
 * algorithms use only operations that algorithm.h declares. If a place algorithm has no operation
 * `devices`, the engine chooses the devices inside the node: of the devices that fit, those with
 * the least free share.
 */
#ifndef LIBSCHED_ALGORITHMS_BUILTIN_H
#define LIBSCHED_ALGORITHMS_BUILTIN_H

#include <libsched/algorithm.h>

/* a build without pack/ has no action that plans over time */
#if defined(LSCHED_NO_PACK)
#define BUILTIN_PLANNING(X)
#else
#define BUILTIN_PLANNING(X) X(act_tsdpbp) X(act_backfill) X(act_speed_up)
#endif
/* clang-format off */
#define BUILTIN_ALGORITHMS(X) \
    X(share_drf) X(share_fifo) X(share_quota) X(share_cohort) X(share_fair_tree) \
    X(order_priority) X(order_fifo) X(order_shortest_first) X(order_deadline) \
    X(place_binpack) X(place_spread) X(place_best_fit) X(place_first_fit) X(place_fgd) \
    X(place_least_fragmentation) X(place_least_peak) \
    X(act_allocate) X(act_reclaim) X(act_preempt) X(act_consolidate) X(act_evict_stale) \
    X(act_evict_overdue) X(act_evict_idle) X(act_drain) \
    BUILTIN_PLANNING(X)
/* clang-format on */

/* The members of an lsched_algorithm that are equal for all built-in algorithms of a role. */
#define BUILTIN(of) \
    .size = sizeof(lsched_algorithm), .api = LSCHED_ALGORITHM_API, .role = LSCHED_ROLE_##of

#define X(name) extern const lsched_algorithm name;
BUILTIN_ALGORITHMS(X)
#undef X
/* all built-in algorithms; the list ends with NULL */
extern const lsched_algorithm *const algorithms_builtin[];

#endif
