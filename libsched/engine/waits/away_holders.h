/*
 * away_holders.h -- tells a plan over time when a node is away (nodes/absence.h): each absence is a
 * holder (lsched_holder.is_away) that takes the whole node.
 *
 * A node that leaves again and again has no last absence. The list ends after LIMIT_PLAN_ABSENCES
 * absences; if there are more, the last one of the list has no end. Therefore a plan is never too
 * early: it plans nothing on the node after the absences that it knows. The action reads the node
 * again when the first absence ends. Cost: O(LIMIT_PLAN_ABSENCES), one comparison without
 * absences. Why not give a plan the three times of the node: each action would compute absences
 * itself.
 */
#ifndef LIBSCHED_AWAY_HOLDERS_H
#define LIBSCHED_AWAY_HOLDERS_H

#include <libsched/algorithm_act.h>

#include "model/store/columns.h"

/* Writes the holders of the node's absences from `now` on to *list, which has room for
 * LIMIT_PLAN_ABSENCES. Returns their number. */
uint32_t away_holders_put(const struct columns *k, uint32_t node, int64_t now, lsched_holder *list);

#endif
