/*
 * victim_parts.h -- guarantees of a part of a kind (a model, a MIG profile, a pool) in reclaim.
 *
 * Under a share that knows guarantees, where some queue has a quota of a part, the part alone
 * decides about work in it, and not what victim_rules.c says of whole kinds:
 *   entitled   a job that stays within the quota of the part, at its queue and all above it below
 *              the common ancestor, may take there what others hold of the part above theirs
 *   protected  what a queue holds of a part within its quota of it is not taken, whoever asks
 * Were both measures to hold side by side, two queues could take turns for ever, each with the
 * right of its own measure.
 * Which parts a unit counts in is known from where it is; the job counts in those of the node that
 * it would be on. So that holds of each of its leaves that could be there, and of each node of a
 * gang that is to go.
 *
 * Cost: one branch while no queue has a quota of a part; else O(kinds x depth x tasks of the unit).
 */
#ifndef LIBSCHED_VICTIM_PARTS_H
#define LIBSCHED_VICTIM_PARTS_H

#include "engine/victims/victim_search.h"

/* Once per action; scratch is freed by the other. LSCHED_E_NOMEM. */
int32_t hunt_parts_open(struct lsched_cycle *y);
void hunt_parts_close(struct lsched_cycle *y);
/* What the job in hand may have, as all is now; says whether it is more than when last looked. */
int hunt_parts_look(struct lsched_cycle *y);
/* True if the queues of its path below level `at` keep within their quota of the part once the
 * chosen units of the set are gone. */
int hunt_parts_within(const struct lsched_cycle *y, uint32_t d, uint32_t at,
                      const struct hunt_set *set);
/* Is the job in hand within the quota of any part that it may count in, at its own queue. */
int hunt_parts_entitled(const struct lsched_cycle *y);

/* Whose levels: from the victim's queue up to the child of the common ancestor; at: that
 * ancestor's place in the job's path. */
struct hunt_levels {
    uint32_t from, end, at;
};
/* Is the unit in a part that some queue has a quota of; is it there to be taken by such a part; or
 * protected by one. */
int hunt_parts_decide(const struct lsched_cycle *y, const struct hunt_unit *u);
enum side_ground hunt_parts_allow(const struct lsched_cycle *y, const struct hunt_unit *u,
                                  const struct hunt_set *set, const struct hunt_levels *levels);
int hunt_parts_protect(const struct lsched_cycle *y, const struct hunt_unit *u,
                       const struct hunt_set *set, const struct hunt_levels *levels);

/* True if without the unit, and the chosen ones of the set, one of the levels holds less of a part
 * that the unit is in than its quota. */
int hunt_parts_cross(const struct lsched_cycle *y, const struct hunt_unit *u,
                     const struct hunt_set *set, const struct hunt_levels *levels);

#endif
