/*
 * assign_deal.h -- assigns a leaf group's tasks to the domains below one domain: evenly over the
 * domains of a preferred level where that is asked for and possible (assign_evenly.h), else level
 * by level (assign_domains.h).
 */
#ifndef LIBSCHED_ASSIGN_DEAL_H
#define LIBSCHED_ASSIGN_DEAL_H

#include "engine/topology/assign_domains.h"

/* Assigns `tasks` to the deepest domains below root (NO_ROW: the whole topology) and writes
 * parts[] in the order of domain numbers, at most one per deepest domain. Returns the number of
 * parts, or 0 if not all tasks fit below the root. */
uint32_t assign_deal(const struct assign_domains *d, uint32_t root, int64_t tasks,
                     struct tree_part *parts);

#endif
