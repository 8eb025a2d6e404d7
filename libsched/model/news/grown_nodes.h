/*
 * grown_nodes.h -- the list of nodes that gained room since a cycle last tried the bundles that
 * wait for room.
 *
 * A node is in the list at most once. Each cycle reads and empties the whole list
 * (engine/cycle/wake.c). Adding a node costs O(1). Removing a single node costs O(nodes in the
 * list) and happens only when the node is removed from the cluster.
 */
#ifndef LIBSCHED_GROWN_NODES_H
#define LIBSCHED_GROWN_NODES_H

#include "model/store/columns.h"

void node_grew(struct columns *k, uint32_t node);
/* Removes a node from the list because the node is about to be removed from the cluster. */
void node_ungrew(struct columns *k, uint32_t node);

#endif
