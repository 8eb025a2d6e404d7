/*
 * near_planes.h -- how many tasks of certain jobs stand on each node and in each domain of a level.
 *
 * A plane counts one thing: tasks of jobs that have certain labels, or tasks that keep apart, by a required term of their own at this
 * level, from a job with certain labels. It is a cache, as the search index is (search.h): its numbers depend on the state alone, it
 * is brought up to date by the nodes that changed since its last use, and it may be dropped at any time. So a job with terms costs
 * what changed, not what runs; the first use of a plane looks at all tasks once.
 *
 * Tasks that hold room or have a claim are `placed`; those that were told to stop are `leaving` until they are gone.
 *
 * Why not counts in the state, per pair of label and domain: labels are many and terms are few; what nobody asks about costs
 * nothing here.
 */
#ifndef LIBSCHED_NEAR_PLANES_H
#define LIBSCHED_NEAR_PLANES_H

#include "model/columns.h"

struct near_count {
    uint32_t placed, leaving;
};

struct near_plane {
    struct near_plane *chain;         /* the next in its bucket */
    struct near_plane *newer, *older; /* by their latest use */
    uint64_t hash;
    uint32_t shuns; /* 0: jobs with all these labels; 1: who keeps apart from a job with these */
    uint32_t topology, level; /* NO_ROW: the node itself */
    uint8_t *labels;          /* number, keys and values; its own copy */
    size_t n;
    uint64_t node_set, synced, used;
    uint32_t nodes, domains; /* rows that the arrays have */
    struct near_count *node, *domain;
    uint64_t placed; /* on all nodes */
};

struct near_key {
    uint32_t shuns, topology, level;
    const uint8_t *labels;
    size_t n;
};

/* Found by a hash of the key; the order of use says who goes when memory is short. Finding, making and dropping one costs
 * O(1) however many there are: labels are the tenants' choice, so they may all be different. */
struct near_planes {
    struct near_plane **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    struct near_plane *newest, *oldest;
    uint64_t bytes, tick;
};

/* Planes that were got since the latest near_planes_begin stay; others may be dropped to make room. */
void near_planes_begin(struct near_planes *s);
/* The plane, up to date; LSCHED_E_NOMEM. */
int32_t near_planes_get(struct near_planes *s, struct columns *k, const struct near_key *key,
                        const struct near_plane **out);
/* Of the node, or of the domain that it is in; 0 if it is in none of the level. */
int near_plane_at(const struct near_plane *p, const struct columns *k, uint32_t node,
                  struct near_count *count);
/* Is the task one of those that it counts. */
int near_plane_counts(const struct near_plane *p, const struct columns *k, uint32_t task);
void near_planes_drop(struct near_planes *s, struct columns *k);

#endif
