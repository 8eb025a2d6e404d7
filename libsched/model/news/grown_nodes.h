/*
 * grown_nodes.h -- the list of nodes that gained room since a cycle looked at who waits for room.
 *
 * A node stands in the list at most once. A cycle takes the whole list (wake). O(1) to add a node,
 * O(list) to remove one, which happens only when the node itself is removed.
 */
#ifndef LIBSCHED_GROWN_NODES_H
#define LIBSCHED_GROWN_NODES_H

#include "model/store/columns.h"

void node_grew(struct columns *k, uint32_t node);
/* The node is about to be removed: it leaves the list. */
void node_ungrew(struct columns *k, uint32_t node);

#endif
