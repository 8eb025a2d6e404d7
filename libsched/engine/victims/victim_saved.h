/*
 * victim_saved.h -- keeps the costs of all nodes that one search computed, for later searches of
 * the same action.
 *
 * In preempt and consolidate, the cost of a node depends on the task shape that is to fit, on the
 * work of the node, and in preempt also on the waiting job's queue and priority; it does not depend
 * on the rest of the job. So gangs of different sizes whose tasks are equal share the costs, and so
 * do the attempts of one search: after a rollback, the costs from before the transaction hold
 * again. In reclaim, the cost depends on all that the job needs, so nothing is kept.
 *
 * Invariant: costs are kept only if no change of the present transaction went into them, and only
 * until a transaction is kept. Kept costs are lower bounds during a transaction, because an
 * eviction can only forbid other evictions (victim_nodes.h); the nodes that the transaction changed
 * are computed again. So a search chooses the same nodes with kept costs as without. The use of
 * kept costs is charged one work unit and one node evaluation for each node, whatever the nodes
 * that are computed again take: the log of changed nodes is a cache, and no charge may depend on
 * it.
 *
 * Costs are kept only for jobs without tasks, whose own work cannot be a victim, and if neither
 * hooks nor refusals make nodes differ between jobs. While nodes have absences, they differ by how
 * long a job runs (job_absence.h), so the costs serve jobs of the same length; and they differ by
 * the work that the transaction stops, so only a transaction that has changed nothing uses them.
 * Memory: at most SAVED_MAX sets of costs and
 * about LIMIT_SAVED_COST_BYTES. Cost: O(nodes) to keep and to use, without reading tasks.
 */
#ifndef LIBSCHED_VICTIM_SAVED_H
#define LIBSCHED_VICTIM_SAVED_H

#include "engine/rights/victim_state.h"

/* Called when a search for the current job begins, before its transaction has changed anything. */
void victim_saved_begin(struct lsched_cycle *cy);
/* Keeps the costs that were just computed for all nodes. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t victim_saved_put(struct lsched_cycle *cy);
/* Fills the heap of nodes with kept costs for the task shape. Returns 1, or 0 if there are none.
 * The heap is current up to the position nodes.synced in the log of changed nodes; the caller
 * computes the costs of nodes that have changed since. */
int victim_saved_get(struct lsched_cycle *cy, uint32_t shape);
/* Drops all kept costs, because a transaction is kept. */
void victim_saved_forget(struct victim_search *h);
void victim_saved_close(struct lsched_cycle *cy);

#endif
