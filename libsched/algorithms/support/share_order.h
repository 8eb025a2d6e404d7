/*
 * share_order.h -- declares the operation tables of the built-in share and order algorithms, for
 * builtin.c, which registers them.
 *
 * Each table is defined in the file or folder of the same name. The algorithms use only operations
 * that algorithm.h declares.
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
