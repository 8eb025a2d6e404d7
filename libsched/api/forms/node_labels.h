/* node_labels.h -- reads the labels of a node that the orchestrator gives: of a new node, or as a
 * replacement. */
#ifndef LIBSCHED_NODE_LABELS_H
#define LIBSCHED_NODE_LABELS_H

#include "model/store/intern.h"

/* Writes to sorted[LIMIT_LABELS_PER_NODE], by key. Keys are unique, 1 to 255 bytes; values can be
 * empty. */
int32_t node_labels_read(const lsched_label *labels, uint32_t n, lsched_label *sorted,
                         const char *name, int len, lsched_error *err);
/* Applies LSCHED_NODE_SET_LABELS of an update. A node with tasks cannot change its domain in any
 * topology: LSCHED_E_BUSY. */
int32_t node_labels_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                           lsched_error *err);

#endif
