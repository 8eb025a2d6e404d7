/*
 * affinity_match.h -- keeps up to date which count planes (affinity_planes.h) count which tasks.
 *
 * A plane counts whole groups of tasks (affinity_groups.h). The plane has an edge to each of these
 * groups. When a task starts, moves or ends, the edges of its groups lead to the planes that count
 * it, and to no others. A new group finds its planes, and a new plane its groups, by the pairs of
 * their labels (affinity_pairs.h).
 *
 * Cost of a changed task: the planes that count it. Cost of a new plane: the tasks that it counts,
 * and the groups that share its rarest label pair. Cost of a new group: the planes that share one
 * of its label pairs. Why not use only the touch log of nodes: a node has many tasks, and each
 * plane would read all of them to find those that it counts.
 */
#ifndef LIBSCHED_AFFINITY_MATCH_H
#define LIBSCHED_AFFINITY_MATCH_H

#include "engine/indexes/affinity_planes.h"

/* Brings all planes up to date. Returns 1; 0 if the memory bound does not allow groups, and each
 * plane must count by nodes; or LSCHED_E_NOMEM. The call may drop all planes. */
int32_t affinity_match_sync(struct affinity_planes *s, struct columns *k);
/* Links a new plane, which is still empty, to the groups that it counts, and counts their tasks.
 * Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_match_join(struct affinity_planes *s, struct columns *k, struct affinity_plane *p);
/* Removes the links of a plane that is about to be freed. */
void affinity_match_leave(struct affinity_planes *s, struct columns *k, struct affinity_plane *p);

#endif
