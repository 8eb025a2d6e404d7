/*
 * affinity_match.h -- decides which tasks each count plane (affinity_plane.h) counts, and updates
 * the planes when tasks change.
 *
 * A plane counts whole groups of tasks (affinity_groups.h). The plane has an edge to each group
 * that it counts. When a task starts, moves or ends, the edges of its groups lead to exactly the
 * planes that count this task. The index of label pairs (affinity_pairs.h) finds the planes that
 * count a new group, and the groups that a new plane counts.
 *
 * Cost of a changed task: proportional to the number of planes that count the task. Cost of a new
 * plane: proportional to the number of tasks that the plane counts, plus the number of groups
 * that have the plane's rarest label pair. Cost of a new group: proportional to the number of
 * planes that have a label pair of the group. Why not use only the touch log of nodes: a node has
 * many tasks, and each plane would read all these tasks to find the few that the plane counts.
 */
#ifndef LIBSCHED_AFFINITY_MATCH_H
#define LIBSCHED_AFFINITY_MATCH_H

#include "engine/indexes/affinity_plane.h"

/* True if the log still holds all tasks that changed since the latest update of the groups. If
 * false, the caller must drop all planes before it calls affinity_match_sync(). */
int affinity_match_goes_on(const struct affinity_planes *s, const struct columns *k);
/* Brings all planes up to date. Returns 1 on success, 0 if the memory bound does not allow
 * groups, or LSCHED_E_NOMEM. After 0 or an error, the caller must drop all planes. */
int32_t affinity_match_sync(struct affinity_planes *s, struct columns *k);
/* Links a new and still empty plane to the groups that the plane counts, and adds the tasks of
 * these groups to the plane. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_match_join(struct affinity_planes *s, struct columns *k, struct affinity_plane *p);
/* Removes the links of a plane that is about to be freed. */
void affinity_match_leave(struct affinity_planes *s, struct columns *k, struct affinity_plane *p);

#endif
