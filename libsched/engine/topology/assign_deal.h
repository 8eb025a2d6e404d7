/*
 * assign_deal.h -- assigns a leaf group's tasks to the domains below one domain. If the group
 * prefers an even assignment at a topology level, and such an assignment is possible,
 * assign_evenly.h makes it. Otherwise assign_domains.h assigns the tasks level by level.
 */
#ifndef LIBSCHED_ASSIGN_DEAL_H
#define LIBSCHED_ASSIGN_DEAL_H

#include "engine/topology/assign_domains.h"

/* Assigns `tasks` to the deepest domains below root (NO_ROW: the whole topology) and writes the
 * result to parts[]: at most one entry per deepest domain, in the order of domain numbers.
 * Returns the number of entries, or 0 if not all tasks fit below the root. */
uint32_t assign_deal(const struct assign_domains *d, uint32_t root, int64_t tasks,
                     struct tree_part *parts);

#endif
