/*
 * victim_nodes.h -- finds the node where room for one more task costs least.
 *
 * Nodes are in a heap by the cost of their cheapest set of victims. A stored cost is a lower bound
 * as long as no eviction was undone (victim_search.h). Therefore the cost of the top node is
 * computed again. If the cost has risen, the node sinks in the heap and the new top node is
 * computed.
 *
 * The excess of a queue above its entitlement is part of the costs of all nodes with work of that
 * queue (victim_key.over). When it has fallen, the stored costs of these nodes are raised together,
 * without reading their tasks: one pass over the nodes for each 64th of the cluster that queues
 * give. If each node was computed again instead, a gang that takes half of a cluster would compute
 * each node up to 32 times.
 */
#ifndef LIBSCHED_VICTIM_NODES_H
#define LIBSCHED_VICTIM_NODES_H

#include "engine/rights/victim_state.h"

/* Allocates the verdicts by job and the costs by node, unless that was done. An action whose jobs
 * are all refused by cheap proofs needs neither. Must be called before a verdict is asked for and
 * before nodes are compared. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t victim_nodes_ready(struct lsched_cycle *cy);
void victim_nodes_close(struct lsched_cycle *cy);
/* Ends the exclusion of nodes: each node can be tried again. */
void victim_nodes_exclude_none(struct lsched_cycle *cy);
/* Finds the node where room for one more task of the group costs least. Returns 1 and stores the
 * node in *node, 0 if there is no such node, or a negative error code. domain: domain in which the
 * node must be, NO_ROW for any node. */
int32_t victim_nodes_best(struct lsched_cycle *cy, const struct ask *a, uint32_t domain,
                          uint32_t *node);

#endif
