/*
 * affinity_pairs.h -- which label lists contain a given pair of key and value: an inverted index
 * of label lists.
 *
 * The index answers which lists are contained in which others. A list that must be contained in
 * another one is a *sought* list; a list in which others are sought is a *searched* list. A sought
 * list can be contained only if each of its pairs is. Therefore a sought list is filed under one
 * of its pairs, and a searched list under all of its pairs. A new searched list finds the sought
 * lists that it may contain, and a new sought list finds the searched lists that may contain it.
 * The sought list is filed under the pair under which the fewest lists are filed. Thus a pair that
 * all jobs have (team=research) does not lead to a comparison with all jobs.
 *
 * A pair is known by its hash. Two pairs with the same hash cost only a comparison, because lists
 * that the index finds are always compared as a whole. A list without pairs is filed under a
 * special pair (affinity_pair_none), and so is each searched list, because every list contains the
 * empty list. Adding and dropping an entry cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_PAIRS_H
#define LIBSCHED_AFFINITY_PAIRS_H

#include "model/store/columns.h"

struct affinity_pair;
struct reader;

struct affinity_post {
    struct affinity_post *next, *prev; /* entries of the same pair */
    struct affinity_post *more;        /* next entry of the same owner */
    struct affinity_pair *pair;
    void *owner;
};

struct affinity_pair {
    struct affinity_pair *chain;
    uint64_t hash;
    uint32_t n;
    struct affinity_post *first;
};

struct affinity_pairs {
    struct affinity_pair **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    uint64_t bytes;
};

/* Returns the special pair of empty lists. `role` says which kind of list is filed; equal pairs of
 * different roles have different hashes. */
static inline uint64_t affinity_pair_none(uint32_t role) {
    return role + 1;
}
/* Reads the next pair of the list and returns its hash. */
uint64_t affinity_pair_next(struct reader *labels, uint32_t role);
/* Returns the pair of the list under which the fewest entries of role `counted` are filed, as its
 * hash in role `role`. */
uint64_t affinity_pair_rarest(const struct affinity_pairs *s, struct reader labels,
                              uint32_t counted, uint32_t role);

/* Returns the first entry under the pair, or NULL. */
struct affinity_post *affinity_pairs_find(const struct affinity_pairs *s, const struct columns *k,
                                          uint64_t hash);
/* Files the owner under one more pair; *posts is the owner's list of entries. Returns
 * LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_pairs_add(struct affinity_pairs *s, struct columns *k, uint64_t hash, void *owner,
                           struct affinity_post **posts);
/* Files the owner of a searched list under all pairs of the list. */
int32_t affinity_pairs_add_all(struct affinity_pairs *s, struct columns *k, struct reader labels,
                               uint32_t role, void *owner, struct affinity_post **posts);
/* Removes all entries of the owner. */
void affinity_pairs_leave(struct affinity_pairs *s, struct columns *k,
                          struct affinity_post **posts);
/* Frees the table, which must have no entries. */
void affinity_pairs_close(struct affinity_pairs *s, struct columns *k);

#endif
