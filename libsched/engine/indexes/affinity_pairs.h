/*
 * affinity_pairs.h -- who has a pair of key and value among its labels: an inverted index of label
 * lists.
 *
 * A needle is a list that is sought in others, a hay a list that others are sought in. A needle is
 * within a hay only if each of its pairs is, so a needle stands under one of its pairs and a hay
 * under all of its own: who brings a hay finds the needles that may be within it, who brings a
 * needle finds the hays that may have it. The needle takes the pair that fewest have, so that a
 * pair that everybody has (team=research) leads nobody past everybody.
 *
 * A pair is known by its hash: two that fall together cost a comparison, as who is found is always
 * compared as a whole. A list without pairs has one pair that stands for none (near_pair_none), and
 * so has each hay: the empty list is within all. Adding and dropping cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_PAIRS_H
#define LIBSCHED_AFFINITY_PAIRS_H

#include "model/store/columns.h"

struct near_pair;
struct reader;

struct near_post {
    struct near_post *next, *prev; /* of the same pair */
    struct near_post *more;        /* of the same owner */
    struct near_pair *pair;
    void *owner;
};

struct near_pair {
    struct near_pair *chain;
    uint64_t hash;
    uint32_t n;
    struct near_post *first;
};

struct near_pairs {
    struct near_pair **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    uint64_t bytes;
};

/* role: who stands there, as pairs of different roles never meet. */
static inline uint64_t near_pair_none(uint32_t role) {
    return role + 1;
}
/* The hash of the next pair of the list. */
uint64_t near_pair_next(struct reader *labels, uint32_t role);
/* The pair of the list under which fewest stand in `counted`, as its hash in `role`. */
uint64_t near_pair_rarest(const struct near_pairs *s, struct reader labels, uint32_t counted,
                          uint32_t role);

/* Who stands under the pair: the first, or NULL. */
struct near_post *near_pairs_find(const struct near_pairs *s, const struct columns *k,
                                  uint64_t hash);
/* The owner stands under one pair more; posts: its own list. LSCHED_E_NOMEM. */
int32_t near_pairs_add(struct near_pairs *s, struct columns *k, uint64_t hash, void *owner,
                       struct near_post **posts);
/* A hay stands under all of its pairs. */
int32_t near_pairs_add_all(struct near_pairs *s, struct columns *k, struct reader labels,
                           uint32_t role, void *owner, struct near_post **posts);
/* The owner stands nowhere any more. */
void near_pairs_leave(struct near_pairs *s, struct columns *k, struct near_post **posts);
/* Nobody stands anywhere: the table goes. */
void near_pairs_close(struct near_pairs *s, struct columns *k);

#endif
