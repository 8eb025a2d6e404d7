/*
 * grown_nodes.h -- the list of nodes that gained room since a cycle last looked at the bundles
 * that wait for room.
 *
 * A node is in the list at most once. A cycle takes the whole list (wake). O(1) to add a node,
 * O(list) to remove one, which happens only when the node itself is removed.
 */
#ifndef LIBSCHED_GROWN_NODES_H
#define LIBSCHED_GROWN_NODES_H

#include "model/store/columns.h"

void node_grew(struct columns *k, uint32_t node);
/* Takes a node off the list because the node is about to be removed. */
void node_ungrew(struct columns *k, uint32_t node);

#endif
