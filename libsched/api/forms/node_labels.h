/* node_labels.h -- labels of a node as a host gives them, new or in place of those that it has. */
#ifndef LIBSCHED_NODE_LABELS_H
#define LIBSCHED_NODE_LABELS_H

#include "model/store/intern.h"

/* Into sorted[LIMIT_LABELS_PER_NODE], by key; keys are unique, 1 to 255 bytes; values may be
 * empty. */
int32_t node_labels_read(const lsched_label *labels, uint32_t n, lsched_label *sorted,
                         const char *name, int len, lsched_error *err);
/* The part LSCHED_NODE_SET_LABELS of an update. A node on which there are tasks stays where it is
 * in every tree: LSCHED_E_BUSY. */
int32_t node_labels_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                           lsched_error *err);

#endif
