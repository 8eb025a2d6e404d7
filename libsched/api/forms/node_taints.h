/*
 * node_taints.h -- taints and the bound on tasks of a node, from the host's structs to canonical
 * bytes (model/shapes/node_rules.h), and the change of both while work is there: it stays, but for
 * what a taint stops (action "drain"); claims that may not become places there are withdrawn.
 */
#ifndef LIBSCHED_NODE_TAINTS_H
#define LIBSCHED_NODE_TAINTS_H

#include <libsched/libsched.h>

#include "model/store/intern.h"

/* `where` stands in messages. node: whose taints of equal key, value and effect keep their time, or
 * NO_ROW. */
int32_t node_taints_read(const struct columns *k, uint32_t node, const lsched_taint *taints,
                         uint32_t n, struct bytes *out, const char *where, lsched_error *err);
/* The parts LSCHED_NODE_SET_TAINTS and _TASKS_MAX of an update. */
int32_t node_rules_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                          lsched_error *err);
/* What the node's labels and taints say now to what is there already. */
int32_t node_rules_changed(struct columns *k, uint32_t node);

#endif
