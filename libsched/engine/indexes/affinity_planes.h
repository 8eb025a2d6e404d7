/*
 * affinity_planes.h -- how many tasks of certain jobs stand on each node and in each domain of a
 * level.
 *
 * A plane counts one thing: tasks of jobs that have certain labels, or tasks that keep apart, by a
 * required term of their own at this level, from a job with certain labels. It is a cache, as the
 * search index is (search.h): its numbers depend on the state alone, and it may be dropped at any
 * time. Tenants choose labels and terms, so there may be as many planes as jobs: a plane costs what
 * it counts, when it is made and in memory, and after that a change of one of its tasks costs O(1).
 * affinity_match.h says which tasks those are.
 *
 * Where memory is too short for that (LIMIT_NEAR_INDEX_BYTES, or an eighth of the cluster's limit)
 * a plane reads all nodes when it is made, and later those in the touch log.
 *
 * Tasks that hold room or have a claim are `placed`; those that were told to stop are `leaving`
 * until they are gone.
 *
 * Why not counts in the state, per pair of label and domain: labels are many and terms are few;
 * what nobody asks about costs nothing here.
 */
#ifndef LIBSCHED_AFFINITY_PLANES_H
#define LIBSCHED_AFFINITY_PLANES_H

#include "engine/indexes/affinity_counts.h"
#include "engine/indexes/affinity_groups.h"

struct near_plane {
    struct near_plane *chain;         /* the next in its bucket */
    struct near_plane *newer, *older; /* by their latest use */
    uint64_t hash, stamp;
    uint32_t shuns; /* 0: jobs with all these labels; 1: who keeps apart from a job with these */
    uint32_t topology, level; /* NO_ROW: the node itself */
    uint8_t *labels;          /* number, keys and values; its own copy */
    size_t n;
    uint64_t node_set, synced, used; /* synced: touches of nodes; UINT64_MAX: never */
    uint32_t nodes, domains;         /* rows that there were */
    struct near_counts node, domain;
    uint64_t placed; /* on all nodes */
    struct near_edge *edges;
    struct near_post *posts;
};

struct near_key {
    uint32_t shuns, topology, level;
    const uint8_t *labels;
    size_t n;
};

/* Found by a hash of the key; the order of use says who goes when memory is short. Finding and
 * making one costs O(1) however many there are, and dropping one what it counts. */
struct near_planes {
    struct near_plane **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    struct near_plane *newest, *oldest;
    uint64_t bytes, tick;
    struct near_groups groups;
};

/* Planes that were got since the latest near_planes_begin stay; others may be dropped to make
 * room. */
void near_planes_begin(struct near_planes *s);
/* The plane, up to date; LSCHED_E_NOMEM. What a plane of before points to is gone if the state was
 * changed since. */
int32_t near_planes_get(struct near_planes *s, struct columns *k, const struct near_key *key,
                        const struct near_plane **out);
/* Of the node, or of the domain that it is in; 0 if it is in none of the level. */
int near_plane_at(const struct near_plane *p, const struct columns *k, uint32_t node,
                  struct near_count *count);
/* Is the task one of those that it counts. */
int near_plane_counts(const struct near_plane *p, const struct columns *k, uint32_t task);
/* Is a task of a shape that keeps apart from a job with the plane's labels. */
int near_plane_shuns(const struct near_plane *p, const struct columns *k, uint32_t shape);
struct reader near_plane_labels(const struct near_plane *p);
/* More tasks on the node, or fewer. LSCHED_E_NOMEM. */
int32_t near_plane_add(struct near_planes *s, struct columns *k, struct near_plane *p,
                       uint32_t node, struct near_count more);
void near_planes_drop(struct near_planes *s, struct columns *k);

#endif
