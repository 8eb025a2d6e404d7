/*
 * cache_check.h -- compares every warm cache with a cold one that is computed from the state.
 *
 * Caches can be dropped between any two calls without changing a plan. A plan shows a broken cache
 * only if the wrong answer happens to decide. Therefore this module compares the answers
 * themselves: search indexes rank by rank whenever one is used, room counts of domains, and,
 * between two calls, the view, topology maps, count planes of affinity rules (affinity_planes.h)
 * and machines. All that keeps a cache up to date (touch logs, the version numbers of columns.h,
 * keys) is checked in this way for every kind of change.
 *
 * After a difference, the call returns LSCHED_E_VERIFY, and the message names the cache and the
 * place. The check is on for clusters for which a test or a fuzzer calls cache_check_on, and for
 * all clusters in builds with LSCHED_CHECK_CACHES. A cold index costs O(nodes) per answer. With
 * more than 256 nodes, only one answer in 64 is checked (a counter chooses it). Hook calls of the
 * check are neither charged nor logged.
 */
#ifndef LIBSCHED_CACHE_CHECK_H
#define LIBSCHED_CACHE_CHECK_H

#include <libsched/libsched.h>

/* declared only, because tests include this file and must not see internal structs */
struct lsched_cycle;
struct search_key;
struct search_scorer;
struct search_index;
struct topology_map;
struct topology_room;

/* Turns the checks of the cluster on: its cycles check their caches, and all calls check that no
 * word is changed without the undo log (model/store/undo_check.h). A clone needs its own call. */
void cache_check_on(struct lsched_cluster *c);

/* cache_check_due says if the latest answer is to be checked. cache_check_search checks a search
 * index, cache_check_rooms the room counts of a topology; both return LSCHED_OK, LSCHED_E_VERIFY
 * or LSCHED_E_NOMEM. */
int cache_check_due(struct lsched_cluster *c);
int32_t cache_check_search(struct lsched_cycle *y, const struct search_key *key,
                           const struct search_scorer *scorer, const struct search_index *x);
int32_t cache_check_rooms(struct lsched_cycle *y, struct search_index *x,
                          const struct topology_map *map, const struct topology_room *r);

/* Checks all caches that can be checked between two calls. Returns LSCHED_OK, LSCHED_E_VERIFY with
 * *err filled, or LSCHED_E_NOMEM. */
int32_t cache_check(struct lsched_cluster *c, lsched_error *err);
/* Wakes all parked bundles and lets evictions be tried again. A parked bundle caches the answer
 * that its jobs cannot be placed. Therefore the next cycle must make the same decisions as without
 * this call. */
void cache_check_wake_all(struct lsched_cluster *c);

#endif
