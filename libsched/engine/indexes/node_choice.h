/*
 * node_choice.h -- chooses the best node of the cluster that the rules for one job allow. The rules
 * are the job's spread limit, the affinity rules about jobs, the avoidance of the node where the
 * job failed last, and that nodes come first that are reserved for its queue now.
 *
 * An index of scores (search.h) cannot include these rules, because jobs of equal shape share the
 * index and can get different results. Therefore the index is read first. If a rule forbids the
 * best node of the index, all nodes are compared by their scores in the index. This comparison
 * costs O(nodes + domains + tasks of the leaf group). Jobs that have no such rule pay one test.
 */
#ifndef LIBSCHED_NODE_CHOICE_H
#define LIBSCHED_NODE_CHOICE_H

#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/search.h"
#include "model/supplies/supply.h"

/* Before the call, *node is the best node of the index within `domain` (NO_ROW: in the whole
 * cluster). Replaces *node by the best node that the rules allow, NO_ROW if there is none.
 * `affinity` holds the affinity rules of the job and of other jobs. The function compares first
 * whether nodes are reserved for the job's queue now, then tiers from preferred affinity rules,
 * then scores. The node where the job failed last is chosen
 * only if no other node is allowed. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t node_choice_best(const struct columns *k, const struct search_index *x,
                         const struct affinity_rules *affinity, const struct ask *a,
                         uint32_t domain, uint32_t *node);
/* True if the rules allow the node, and no rule makes another node better. */
int node_choice_takes(const struct columns *k, const struct affinity_rules *affinity,
                      const struct ask *a, uint32_t node, int later);
/* True if the domains of the node have enough left of each supply that a task of the shape needs;
 * later 1: when releasing tasks are gone. */
static inline int node_choice_supplied(const struct columns *k, uint32_t shape, uint32_t node,
                                       int later) {
    return !shape_n_supplies(k, shape) ||
           supply_domains_have(k, shape, node, later ? SUPPLY_LATER : SUPPLY_NOW, NULL);
}
/* True if at least one node in `domain` has room for the task, but affinity rules about jobs
 * forbid the node. */
int node_choice_is_affinity_only(const struct columns *k, const struct search_index *x,
                                 const struct affinity_rules *affinity, uint32_t domain);

#endif
