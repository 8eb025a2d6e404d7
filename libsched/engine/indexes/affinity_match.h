/*
 * affinity_match.h -- which planes count which tasks, kept as both come and go.
 *
 * A plane counts whole groups of tasks (affinity_groups.h): it has an edge to each, by which a task
 * that comes, moves or goes is counted where it matters and nowhere else. A new group finds its
 * planes, and a new plane its groups, by the pairs of their labels (affinity_pairs.h).
 *
 * Cost: a change of a task: the planes that count it. A new plane: the tasks that it counts, and
 * those groups that share its rarest pair. A new group: the planes that share one of its pairs.
 * Why not by the touch log of nodes alone: a node has many tasks, and each plane would read them
 * all to find its own.
 */
#ifndef LIBSCHED_AFFINITY_MATCH_H
#define LIBSCHED_AFFINITY_MATCH_H

#include "engine/indexes/affinity_planes.h"

/* All planes count what stands now. 1; 0 if there is no memory for that, and planes count for
 * themselves; LSCHED_E_NOMEM. May drop all planes. */
int32_t near_match_sync(struct near_planes *s, struct columns *k);
/* A new plane, which counts nothing as yet. LSCHED_E_NOMEM. */
int32_t near_match_join(struct near_planes *s, struct columns *k, struct near_plane *p);
/* The plane is about to go. */
void near_match_leave(struct near_planes *s, struct columns *k, struct near_plane *p);

#endif
