/* node_label.h -- reads one label of a node. */
#ifndef LIBSCHED_NODE_LABEL_H
#define LIBSCHED_NODE_LABEL_H

#include "model/store/intern.h"

/* Returns 1 and sets *value to the label's value; 0 if the node does not have the label. */
int node_label(const struct columns *k, uint32_t node, const char *key, size_t key_len,
               lsched_text *value);

#endif
