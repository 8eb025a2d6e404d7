/*
 * verify_nodes.h -- checks that the free amount of each node and device equals its capacity less
 * what its tasks hold.
 */
#ifndef LIBSCHED_VERIFY_NODES_H
#define LIBSCHED_VERIFY_NODES_H

#include "model/check/check_finding.h"

/* Checks the free amounts of nodes and devices. Also checks that a node's class and topology
 * domains are those that follow from the node's columns and labels. */
int32_t verify_nodes(struct check *c);

#endif
