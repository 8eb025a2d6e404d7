/*
 * cheapest_node.h -- finds the node on which a reclaim costs least, without a look at all nodes.
 *
 * The search of all nodes (victim_nodes.h) computes the cheapest set of victims on each node, and
 * the proofs before it (victim_bounds.h) read all running tasks. This search takes the running
 * tasks of the queues that may lose work in the order of what their eviction costs at least
 * (running_work.h), and computes the sets of their nodes. It ends when no other task can be part of
 * a cheaper set. A set costs at least as much as the eviction of one of its tasks: priority, cost
 * and number of tasks can only rise with further units, and start and submission only fall.
 *
 * Always holds: a node that is found is the node that the search of all nodes finds, with the same
 * set of victims. Therefore no proof is needed before it. If the search cannot be sure within
 * CHEAPEST_NODES_MAX nodes, or if the job is of a kind for which the bounds do not hold, nothing is
 * found, and the caller searches all nodes. If the job cannot be placed with the node that was
 * found, the caller also begins again with all nodes (cheapest_node_give_up). Thus the ways of
 * seeking victims, the reasons for which a job waits, and the times at which it is tried again are
 * those of the search of all nodes.
 *
 * Cost: queues with running work, and a few evaluations of nodes; it is charged to the cycle. The
 * charge does not depend on whether the index was up to date before.
 */
#ifndef LIBSCHED_CHEAPEST_NODE_H
#define LIBSCHED_CHEAPEST_NODE_H

#include "engine/rights/victim_state.h"

/* largest number of nodes whose victims are computed, and of tasks that are looked at */
#define CHEAPEST_NODES_MAX 64u
#define CHEAPEST_TASKS_MAX 2048u

/* Seeks the node for the current job. Returns 1 if it is known, 0 if all nodes must be searched,
 * or a negative error code. Must be called before the transaction of the job has changed anything.
 */
int32_t cheapest_node_find(struct lsched_cycle *cy);
/* Called at the end of a cycle whose policy can reclaim. Makes the index of running work, or reads
 * the changes before the log of tasks loses them: otherwise the first reclaim after a quiet time
 * would have to read all tasks. The first cycle of a cluster reads all nodes anyway. */
void cheapest_node_keep(struct lsched_cycle *cy);
/* True if cheapest_node_find() has found a node for this task, and nothing has changed since. */
int cheapest_node_holds(const struct lsched_cycle *cy, const struct ask *a, uint32_t domain);
/* Forgets the node that was found for the current job, so that all nodes are searched. Returns 0 if
 * no node was found. */
int cheapest_node_give_up(struct lsched_cycle *cy);
/* Called before the proofs for the current job. Returns 1 if an earlier job of the same context got
 * the node that was found for it: when the context began, the proofs would have left open whether
 * victims can help, and jobs of one context share this result. After a node was found, also one
 * that was given up, the verdicts of the context are forgotten, so that the proofs find the times
 * at which work may be evicted. */
int cheapest_node_prove_anew(struct lsched_cycle *cy);

#endif
