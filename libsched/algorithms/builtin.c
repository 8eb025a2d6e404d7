/* builtin.c -- the list of all built-in algorithms, by role. No other file of the library lists
 * them. */
#include <libsched/algorithm.h>

#include "algorithms/support/place_tables.h"
#include "algorithms/support/share_order.h"

extern const lsched_algorithm act_allocate, act_reclaim, act_preempt, act_consolidate,
    act_evict_stale, act_evict_overdue, act_evict_idle, act_drain, act_tsdpbp;
extern const lsched_algorithm *const algorithms_builtin[];

const lsched_algorithm *const algorithms_builtin[] = {&share_drf,
                                                      &share_fifo,
                                                      &share_quota,
                                                      &share_cohort,
                                                      &share_fair_tree,
                                                      &order_priority,
                                                      &order_fifo,
                                                      &order_shortest_first,
                                                      &order_deadline,
                                                      &place_binpack,
                                                      &place_spread,
                                                      &place_best_fit,
                                                      &place_first_fit,
                                                      &place_fgd,
                                                      &place_least_fragmentation,
                                                      &place_least_peak,
                                                      &act_allocate,
                                                      &act_reclaim,
                                                      &act_preempt,
                                                      &act_consolidate,
                                                      &act_evict_stale,
                                                      &act_evict_overdue,
                                                      &act_evict_idle,
                                                      &act_drain,
                                                      &act_tsdpbp,
                                                      NULL};
