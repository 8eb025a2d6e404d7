/*
 * cache_check.h -- every warm cache against a cold one.
 *
 * Caches may be dropped between any two calls and no plan changes. A plan shows a broken cache only
 * where the stale answer happens to decide; so this module compares the answers themselves: search
 * indexes rank by rank whenever one is asked, counts of domains, and, between two calls, the view,
 * tree maps, planes of near jobs and machines. What keeps a cache up to date (touches, the stamps
 * of columns.h, keys) is checked this way for every kind of change at once.
 *
 * A difference is LSCHED_E_VERIFY of the call, and the message names the cache and the place. It is
 * on for clusters of which a test or a fuzzer asks it (cache_check_on), and for all in builds with
 * LSCHED_CHECK_CACHES. A cold index costs O(nodes) per question; on many nodes only some questions
 * are checked, by a count. What the policy is asked for it is neither charged nor logged.
 */
#ifndef LIBSCHED_CACHE_CHECK_H
#define LIBSCHED_CACHE_CHECK_H

#include <libsched/libsched.h>

struct lsched_cycle; /* tests include this file: it brings nothing internal along */
struct search_key;
struct search_scorer;
struct search_index;
struct tree_map;
struct tree_rooms;

/* From here on the cycles of the cluster check their caches, and all calls whether a word is
 * changed past the undo log (model/store/undo_check.h). A clone does so if this is called of it. */
void cache_check_on(struct lsched_cluster *c);

/* Is the answer that was just got to be checked. */
int cache_check_due(struct lsched_cluster *c);
int32_t cache_check_search(struct lsched_cycle *y, const struct search_key *key,
                           const struct search_scorer *scorer, const struct search_index *x);
int32_t cache_check_rooms(struct lsched_cycle *y, struct search_index *x,
                          const struct tree_map *map, const struct tree_rooms *r);

/* What can be checked between two calls. LSCHED_OK, LSCHED_E_VERIFY with *err filled, or
 * LSCHED_E_NOMEM. */
int32_t caches_check(struct lsched_cluster *c, lsched_error *err);
/* Parking is a cache of a "no". Wake everybody, and let evictions be tried anew: the next cycle
 * must decide nothing that it would not have decided without this. */
void caches_wake_all(struct lsched_cluster *c);

#endif
