/*
 * affinity_pairs.h -- an inverted index: for a label pair (a key with a value), it returns the
 * label lists that contain the pair.
 *
 * The index finds label lists that contain other label lists. Each list has one of two kinds: a
 * *searched* list can contain *sought* lists. A searched list contains a sought list only if the
 * searched list contains every pair of the sought list. Therefore the index stores a sought list
 * under only one of its pairs, and a searched list under each of its pairs. For a new searched
 * list, the index returns all sought lists that the new list could contain. For a new sought
 * list, the index returns all searched lists that could contain the new list. The index stores a
 * sought list under that one of its pairs which has the fewest sought lists so far. Searched
 * lists are looked up under that pair of the sought list which has the fewest searched lists.
 * Therefore a pair that all jobs have, such as team=research, does not cause a comparison with
 * all jobs.
 *
 * The index identifies a pair by its hash. If two pairs have the same hash, the only effect is a
 * needless comparison, because callers compare the whole lists that the index returns. A sought
 * list without pairs is stored under a special pair (affinity_pair_none()). Every searched list
 * is also stored under the special pair, because every list contains the empty list. Adding and
 * dropping an entry cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_PAIRS_H
#define LIBSCHED_AFFINITY_PAIRS_H

#include "engine/indexes/affinity_table.h"

struct affinity_pair;
struct reader;

struct affinity_post {
    struct affinity_post *next, *prev; /* neighbours among the entries of the same label pair */
    struct affinity_post *more;        /* next entry of the same owner */
    struct affinity_pair *pair;
    void *owner;
};

struct affinity_pair {
    struct affinity_link link; /* link.hash is the hash of the label pair */
    uint32_t n;
    struct affinity_post *first;
};

struct affinity_pairs {
    struct affinity_table table;
    uint64_t bytes; /* memory of the pairs and of their entries */
};

/* Returns the hash of the special pair for lists without pairs. `role` says for what the owner of
 * a list uses the list; equal pairs of different roles have different hashes. */
static inline uint64_t affinity_pair_none(uint32_t role) {
    return role + 1;
}
/* Returns the hash under which the entries of one job are stored. */
uint64_t affinity_pair_of_job(uint32_t job, uint32_t role);
/* Reads the next pair of the list and returns its hash. */
uint64_t affinity_pair_next(struct reader *labels, uint32_t role);
/* Returns the hash of that label pair of the list which has the fewest entries of the role in the
 * index. Returns affinity_pair_none() if the list is empty. */
uint64_t affinity_pair_rarest(const struct affinity_pairs *s, const struct columns *k,
                              struct reader labels, uint32_t role);

/* Returns the first entry of the label pair with this hash, NULL if there is none. */
struct affinity_post *affinity_pairs_find(const struct affinity_pairs *s, const struct columns *k,
                                          uint64_t hash);
/* Adds an entry for the owner to the label pair with this hash. *posts is the owner's list of
 * entries. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_pairs_add(struct affinity_pairs *s, struct columns *k, uint64_t hash, void *owner,
                           struct affinity_post **posts);
/* Adds entries for the owner of a searched list to all label pairs of the list, and to the
 * special pair of the role. */
int32_t affinity_pairs_add_all(struct affinity_pairs *s, struct columns *k, struct reader labels,
                               uint32_t role, void *owner, struct affinity_post **posts);
/* Removes all entries of the owner. */
void affinity_pairs_leave(struct affinity_pairs *s, struct columns *k,
                          struct affinity_post **posts);

#endif
