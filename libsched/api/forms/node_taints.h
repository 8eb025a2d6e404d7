/*
 * node_taints.h -- reads a node's taints into canonical bytes (model/shapes/node_rules.h), and
 * changes the taints, and the bound on the number of tasks, of a node that can have tasks.
 *
 * Running tasks stay on the node, except those that a taint stops (action "drain"). Nominations
 * of tasks that can no longer start on the node are withdrawn.
 */
#ifndef LIBSCHED_NODE_TAINTS_H
#define LIBSCHED_NODE_TAINTS_H

#include <libsched/libsched.h>

#include "model/store/intern.h"

/* Appends the canonical bytes of the taints of a node or a device to *out. before: the row of
 * TAINTS with the taints that it has, NO_ROW if it has none. A taint that it already has, with
 * equal key, value and effect, keeps its time. where: name of the node for messages. */
int32_t node_taints_read(const struct columns *k, uint32_t before, const lsched_taint *taints,
                         uint32_t n, struct bytes *out, const char *where, lsched_error *err);
/* Applies LSCHED_NODE_SET_TAINTS and LSCHED_NODE_SET_TASKS_MAX of an update. */
int32_t node_rules_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                          lsched_error *err);
/* Applies changed labels and taints of the node and of its devices to the tasks and nominations
 * that the node has already. */
int32_t node_rules_changed(struct columns *k, uint32_t node);

#endif
