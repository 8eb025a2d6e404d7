/*
 * cheapest_branch.h -- tells from which queues a reclaim could evict work at all.
 *
 * A branch is a queue with running work, together with the queues above it that protect this work
 * from the current job. What the queues hold, without the work that has not started, decides
 * whether the branch may give. Victims of one set are tested with the other victims of the set
 * taken away, and this can only protect more of the victims' side. It can allow more on the job's
 * side if a victim belongs to a queue below the common ancestor. Therefore each branch that leaves
 * the job's path above a branch that may give is not excluded. Cost: O(depth) for each queue.
 */
#ifndef LIBSCHED_CHEAPEST_BRANCH_H
#define LIBSCHED_CHEAPEST_BRANCH_H

#include "engine/rights/victim_state.h"

struct cheapest_branch {
    uint32_t queue;
    uint32_t at;   /* level of the job's path at which the branch leaves it */
    int32_t over;  /* as victim_unit.over */
    uint8_t gives; /* 1 if the branch may give work, as the queues are now */
    uint8_t eased; /* 1 if victims of another branch could let the branch give */
};

/* Describes the branch of each queue that has running work, in list[], which has room for all
 * queues. Leaves out the branches that give nothing. Returns the number of branches. */
uint32_t cheapest_branch_list(struct lsched_cycle *cy, struct cheapest_branch *list);

#endif
