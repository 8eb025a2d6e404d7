/*
 * affinity_planes.h -- count planes: tables of how many tasks of certain jobs are on each node and
 * in each domain of a topology level.
 *
 * A plane counts one kind of task: tasks of jobs that have certain labels, or tasks whose required
 * anti-affinity rule at this level excludes jobs with certain labels. A plane is a cache, like the
 * search index (search.h): its numbers depend on the state alone, and it can be dropped at any
 * time. Tenants choose labels and affinity rules, so there can be as many planes as jobs. A new
 * plane costs the tasks that it counts, in time and in memory; after that, a change of one of its
 * tasks costs O(1). affinity_match.h says which tasks a plane counts.
 *
 * Where memory is too short for that (LIMIT_AFFINITY_INDEX, or an eighth of the cluster's memory
 * limit), a new plane reads all nodes, and later the nodes in the touch log.
 *
 * Tasks that hold room or are nominated are `placed`. Releasing tasks are `releasing` until they
 * are gone.
 *
 * Why not keep counts in the state for each pair of label and domain: there are many labels and
 * few affinity rules. Labels that no rule names cost nothing here.
 */
#ifndef LIBSCHED_AFFINITY_PLANES_H
#define LIBSCHED_AFFINITY_PLANES_H

#include "engine/indexes/affinity_counts.h"
#include "engine/indexes/affinity_groups.h"

struct affinity_plane {
    struct affinity_plane *chain;         /* next plane in the hash bucket */
    struct affinity_plane *newer, *older; /* neighbours in the order of the latest use */
    uint64_t hash, stamp;
    /* 0: the plane counts tasks of jobs with all of `labels`; 1: tasks whose rule excludes a job
     * with `labels` */
    uint32_t shuns;
    uint32_t topology, level; /* NO_ROW if the rule is about the node itself */
    uint8_t *labels;          /* number of labels, keys and values; a copy that the plane owns */
    size_t n;
    /* synced: position in the touch log of nodes, UINT64_MAX if never */
    uint64_t node_set, synced, used;
    uint32_t nodes, domains; /* rows of the tables when the plane was counted */
    struct affinity_counts node, domain;
    uint64_t placed; /* tasks on all nodes */
    struct affinity_edge *edges;
    struct affinity_post *posts;
};

struct affinity_key {
    uint32_t shuns, topology, level;
    const uint8_t *labels;
    size_t n;
};

/* All planes, found by a hash of the key. The order of use says which plane is dropped when memory
 * is short. Finding and making a plane cost O(1), however many planes there are. Dropping a plane
 * takes time in proportion to the number of groups of tasks that it counts (one edge for each
 * group). */
struct affinity_planes {
    struct affinity_plane **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    struct affinity_plane *newest, *oldest;
    uint64_t bytes, tick;
    struct affinity_groups groups;
};

/* Begins the queries of one job. Planes that affinity_planes_get returns after this call are kept
 * until the next call; other planes may be dropped to make room. */
void affinity_planes_begin(struct affinity_planes *s);
/* Returns the plane of the key, up to date, or LSCHED_E_NOMEM. If the state changed since an
 * earlier call, the pointer that the earlier call returned is no longer valid. */
int32_t affinity_planes_get(struct affinity_planes *s, struct columns *k,
                            const struct affinity_key *key, const struct affinity_plane **out);
/* Reads the count of the node, or of the domain of the plane's level that the node is in. Returns
 * 0 if the node is in no such domain. */
int affinity_plane_at(const struct affinity_plane *p, const struct columns *k, uint32_t node,
                      struct affinity_count *count);
/* True if the plane counts the task. */
int affinity_plane_counts(const struct affinity_plane *p, const struct columns *k, uint32_t task);
/* True if the shape has a required anti-affinity rule at the plane's level that excludes a job
 * with the plane's labels. */
int affinity_plane_shuns(const struct affinity_plane *p, const struct columns *k, uint32_t shape);
struct reader affinity_plane_labels(const struct affinity_plane *p);
/* Adds tasks on the node to the plane, or subtracts them. Returns LSCHED_E_NOMEM if there is no
 * memory. */
int32_t affinity_plane_add(struct affinity_planes *s, struct columns *k, struct affinity_plane *p,
                           uint32_t node, struct affinity_count more);
void affinity_planes_drop(struct affinity_planes *s, struct columns *k);

#endif
