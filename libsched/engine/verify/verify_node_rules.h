/* verify_node_rules.h -- checks that tasks are on nodes that labels, taints and affinity rules
 * allow. */
#ifndef LIBSCHED_VERIFY_NODE_RULES_H
#define LIBSCHED_VERIFY_NODE_RULES_H

#include "model/check/check_finding.h"

/* Checks labels, taints and affinity rules about jobs. A task on a node that no longer allows it
 * must be marked. The counts that depend on these rules must be correct. */
int32_t verify_node_rules(struct check *c);
/* True if the node's labels and taints allow a task of the shape to start on the node. */
int verify_node_rules_allow(const struct columns *k, uint32_t node, uint32_t shape);
/* True if the taints of all devices that the task holds allow the task to start on them. */
int verify_node_rules_devices_allow(const struct columns *k, uint32_t task);
/* True if the node will have more tasks than its maximum after releasing tasks are gone and
 * nominated tasks have started. If `taken` is 1, also true if the node has more tasks than its
 * maximum now. */
int verify_node_rules_crowd(const struct columns *k, uint32_t node, int taken);
/* True if the task must leave its node, because the node drains, or the node or one of the task's
 * devices has a taint that evicts the task and that the task does not tolerate any longer. */
int verify_node_rules_must_leave(const struct columns *k, uint32_t task);

#endif
