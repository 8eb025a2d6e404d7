/*
 * affinity_planes.h -- all count planes (affinity_plane.h) of a cluster, found by their key.
 *
 * A plane is a cache, like the search index (search.h): the plane's counts depend on the state
 * alone, and the plane can be dropped at any time. Users choose labels and affinity rules;
 * therefore there can be as many planes as jobs. The time and memory for a new plane are
 * proportional to the number of tasks that the plane counts. Afterwards, each change of a counted
 * task costs O(1).
 *
 * The groups of tasks (affinity_groups.h) use at most LIMIT_AFFINITY_INDEX bytes, or an eighth of
 * the cluster's memory limit if that is less. If the groups need more memory, each plane reads
 * the tasks of all changed nodes instead.
 *
 * Why not keep counts in the state for each pair of label and domain: there are many labels and
 * few affinity rules. With planes, labels that no rule names cost nothing.
 */
#ifndef LIBSCHED_AFFINITY_PLANES_H
#define LIBSCHED_AFFINITY_PLANES_H

#include "engine/indexes/affinity_plane.h"

struct affinity_key {
    uint32_t what, job, topology, level; /* as in struct affinity_plane */
    const uint8_t *labels;
    size_t n;
};

/* Must be called before the planes of a job are requested. Planes that affinity_planes_get()
 * returns after this call exist until the next call of affinity_planes_begin(). Other planes can
 * be dropped to free memory. */
void affinity_planes_begin(struct affinity_planes *s);
/* Sets *out to the plane of the key, and brings the plane up to date. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. If the state changed since an earlier call, the pointer that the earlier call
 * returned is no longer valid. */
int32_t affinity_planes_get(struct affinity_planes *s, struct columns *k,
                            const struct affinity_key *key, const struct affinity_plane **out);
void affinity_planes_drop(struct affinity_planes *s, struct columns *k);

#endif
