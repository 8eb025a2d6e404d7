/* node_labels.h -- reads the labels that the orchestrator gives to a node: to a new node, or to
 * replace a node's labels. */
#ifndef LIBSCHED_NODE_LABELS_H
#define LIBSCHED_NODE_LABELS_H

#include "model/store/intern.h"

/* Writes the labels, sorted by key, to sorted[LIMIT_LABELS_PER_NODE]. A key must have 1 to 255
 * bytes and must not occur twice; values can be empty. */
int32_t node_labels_read(const lsched_label *labels, uint32_t n, lsched_label *sorted,
                         const char *name, int len, lsched_error *err);
/* Applies LSCHED_NODE_SET_LABELS of an update. Error LSCHED_E_BUSY: the node has tasks and would
 * change its domain in a topology. */
int32_t node_labels_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                           lsched_error *err);

#endif
