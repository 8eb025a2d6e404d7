/*
 * cache_check.h -- compares every warm cache with a cold one that is computed from the state.
 *
 * A cache can be dropped between any two calls without changing a plan. A wrong value in a cache
 * changes a plan only if a decision happens to depend on this value. Therefore this module does
 * not compare plans; it compares the contents of the caches. A search index is compared rank by
 * rank when it is used, and the room counts of a topology are compared when they are used. The
 * other caches are compared between two calls: the view, the share tree, topology maps, count
 * planes of affinity rules (affinity_planes.h) and machines. These comparisons also check the means
 * that keep caches up to date, for every kind of change: touch logs, version numbers (columns.h)
 * and keys.
 *
 * If a warm cache differs from the cold one, the call returns LSCHED_E_VERIFY, and the message
 * names the cache and the entry that differs. The check is on for clusters for which a test or a
 * fuzzer calls cache_check_on, and for all clusters in builds with LSCHED_CHECK_CACHES. Cycles
 * reach the check through a pointer of the cluster, which is NULL as long as the check is off. So
 * the linker drops the check from a program that never turns it on. Each check of a search index
 * computes a cold index, which costs O(nodes). In a cluster with more than 256 nodes, only every
 * 64th use of a search index or of room counts is checked. Hook calls that the check makes are not
 * charged to a budget and leave no lines in the log.
 */
#ifndef LIBSCHED_CACHE_CHECK_H
#define LIBSCHED_CACHE_CHECK_H

#include <libsched/libsched.h>

/* these structs are only declared, because tests include this file and must not see the members */
struct lsched_cycle;
struct search_key;
struct search_scorer;
struct search_index;
struct topology_map;
struct topology_room;

/* What the code that uses caches calls. Each function returns LSCHED_OK, LSCHED_E_VERIFY with an
 * error filled, or LSCHED_E_NOMEM. */
struct cache_checks {
    /* a search index; the best node `node` that a scan found without an index; the node row
     * `again` that is kept as the best, where an index has `best`; the room counts of a topology */
    int32_t (*index)(struct lsched_cycle *cy, const struct search_key *key,
                     const struct search_scorer *scorer, const struct search_index *x);
    int32_t (*scan)(struct lsched_cycle *cy, const struct search_key *key,
                    const struct search_scorer *scorer, uint32_t node);
    int32_t (*again)(struct lsched_cycle *cy, uint32_t again, uint32_t best);
    int32_t (*rooms)(struct lsched_cycle *cy, struct search_index *x,
                     const struct topology_map *map, const struct topology_room *r);
    /* all caches that can be checked between two calls */
    int32_t (*all)(struct lsched_cluster *c, lsched_error *err);
};
extern const struct cache_checks cache_checks_cold;

/* Turns the checks of the cluster on: its cycles check their caches, and all calls check that no
 * word is changed without the undo log (model/store/undo_check.h). A clone needs its own call. */
void cache_check_on(struct lsched_cluster *c);

/* Returns 1 if the cluster's caches are checked, and the search index or the room counts that the
 * cycle uses now are to be. */
int cache_check_due(struct lsched_cluster *c);

/* Wakes all parked bundles and lets evictions be tried again. That a bundle is parked is a kind of
 * cache, too: it stores the result that no job of the bundle can be placed. Therefore the next
 * cycle must make the same decisions with this call as without it. Jobs that the host holds, or
 * that wait for a time or for other jobs, stay parked: that they wait is state. */
void cache_check_wake_all(struct lsched_cluster *c);
/* From now on, each search of the cluster for work to stop or to move is made for itself: it uses
 * nothing that an earlier search found out, and the proofs that only save a search are left out.
 * The cycles make the same decisions as without this call. A clone needs its own call. */
void cache_check_search_cold(struct lsched_cluster *c);

#endif
