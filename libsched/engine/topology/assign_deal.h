/*
 * assign_deal.h -- dealing out a leaf's tasks below one domain: evenly over the siblings of a
 * preferred level where that is asked and can be done (assign_evenly.h), else level by level
 * (assign_domains.h).
 */
#ifndef LIBSCHED_ASSIGN_DEAL_H
#define LIBSCHED_ASSIGN_DEAL_H

#include "engine/topology/assign_domains.h"

/* Deal out `tasks` below root (NO_ROW: the whole tree), in order of numbers. Parts, no more than
 * there are deepest domains; their number, or 0 if the root cannot take so many: all or none. */
uint32_t division_deal(const struct division *d, uint32_t root, int64_t tasks,
                       struct tree_part *parts);

#endif
