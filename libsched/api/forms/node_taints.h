/*
 * node_taints.h -- reads a node's taints and its bound on tasks into canonical bytes
 * (model/shapes/node_rules.h), and changes both while tasks are there.
 *
 * Running tasks stay, except those that a taint stops (action "drain"). Nominations that can no
 * longer become places there are withdrawn.
 */
#ifndef LIBSCHED_NODE_TAINTS_H
#define LIBSCHED_NODE_TAINTS_H

#include <libsched/libsched.h>

#include "model/store/intern.h"

/* `where` names the node in messages. `node`: taints that it has already, with equal key, value and
 * effect, keep their time; NO_ROW: a new node. */
int32_t node_taints_read(const struct columns *k, uint32_t node, const lsched_taint *taints,
                         uint32_t n, struct bytes *out, const char *where, lsched_error *err);
/* Applies LSCHED_NODE_SET_TAINTS and LSCHED_NODE_SET_TASKS_MAX of an update. */
int32_t node_rules_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                          lsched_error *err);
/* Applies the node's changed labels and taints to the tasks and nominations that are there
 * already. */
int32_t node_rules_changed(struct columns *k, uint32_t node);

#endif
