/*
 * share_order.h -- the tables of the built-in share and order algorithms, for whoever registers
 * them.
 *
 * Each is one file or folder named as its table; none has an operation that is not in algorithm.h.
 */
#ifndef LIBSCHED_SHARE_ORDER_H
#define LIBSCHED_SHARE_ORDER_H

#include <libsched/algorithm.h>

extern const lsched_algorithm share_drf;
extern const lsched_algorithm share_fifo;
extern const lsched_algorithm share_quota;
extern const lsched_algorithm share_cohort;
extern const lsched_algorithm share_fair_tree;
extern const lsched_algorithm order_priority;
extern const lsched_algorithm order_fifo;
extern const lsched_algorithm order_shortest_first;
extern const lsched_algorithm order_deadline;

#endif
