/*
 * search.h -- the best node for one more task, without looking at all nodes.
 *
 * For each task shape in use there is an index: the exact score of every node that can take one
 * more task now (or LEAST), in name order, under a winner tree. A query brings the index up to date
 * - only nodes that changed since its last use are scored again, found in the touch log - and reads
 * the root. Ties fall to the left: the lesser name. So a decision costs (changed nodes) x (one
 * score + log n), and never a scan; the first use of a shape scores all nodes that can take it.
 *
 * What a policy's answers cost is charged as if there were no index: the first use of an index in a
 * cycle pays for the answers that it holds what such answers cost, so a cycle's budget does not
 * depend on what an earlier cycle left behind.
 *
 * Invariant: an index is a cache. Its answers depend on the state alone, so dropping any of them at
 * any time (memory bound, least recently used first; structure change; clone) changes no plan. What
 * depends on more than the shape - a policy's score or filter that reads the queue or the job, a
 * strategy that it chose for the job, nodes that refused tasks of the queue - is in the index's
 * key.
 * Why not buckets by free amount: they answer only strategies that are monotone in that amount; fgd
 * and Lua scores are not.
 */
#ifndef LIBSCHED_SEARCH_H
#define LIBSCHED_SEARCH_H

#include <libsched/algorithm.h>

#include "engine/indexes/view.h"
#include "model/store/columns.h"

#define SEARCH_LEAST INT64_MIN /* this node cannot take the task */

struct search_key {
    uint64_t serial; /* of the shape */
    uint32_t shape;
    uint32_t queue, job; /* rows, or NO_ROW where the score does not depend on them */
    uint64_t shortage;   /* of which models how little may be taken: derived_short_hash() */
    uint32_t later;      /* 1: nodes that will have room when what leaves has left */
    uint32_t strategy;   /* that scores, where the policy chooses one for each job; else 0 */
    uint32_t charge_max; /* nodes where it can be had for so much gpu; 0: for any */
    uint32_t hooks;      /* LSCHED_HOOK_* of the policy that answer: a hook may fail in one cycle */
    uint32_t placed;     /* tasks of the job, where the score depends on how many are placed */
};

/* Who scores. score: as lsched_place_ops.score, for nodes that fit. keep may be NULL; it clears
 * what a policy filters out. */
struct search_scorer {
    void *user;
    int32_t (*score)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                     int64_t *scores);
    int32_t (*keep)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                    uint8_t *keep);
    /* Instructions that the policy has spent in this cycle, and charging some for answers that an
     * index holds; NULL: answers cost nothing. */
    uint64_t (*spent)(void *user);
    int32_t (*charge)(void *user, uint64_t instructions);
    /* True if the cycle is to end: an index that is being filled is left as it is, without nodes.
     * NULL: it never is. */
    int (*interrupted)(void *user);
};

struct tree_rooms;

struct search_index {
    struct search_key key;
    uint64_t structure, synced;
    uint32_t n, leaves; /* nodes; power of two >= n */
    uint32_t able;      /* nodes that could ever hold one task */
    uint64_t used;      /* for the least recently used */
    int64_t *score;     /* by rank */
    int32_t *tier;      /* by rank: counts before the score (node_rules.h); NULL: all are equal */
    uint32_t *winner;   /* tree of ranks, [1, leaves) */
    uint8_t *is_able;   /* by rank */
    uint8_t *is_asked;  /* by rank: it has room, so filter and score were asked about it */
    uint32_t asked;     /* how many are */
    uint64_t cost;      /* instructions that asking `cost_asked` nodes took, the most at once */
    uint32_t cost_asked;
    uint64_t cycle; /* the latest one that paid for it */
    uint64_t bytes;
    uint64_t filled; /* how often all nodes were looked at */
    struct tree_rooms *rooms[LSCHED_TOPOLOGIES_MAX]
                            [2]; /* counts beside the scores, of trees that were asked about */
};

struct search {
    struct search_index **index;
    uint32_t n, cap;
    uint64_t bytes, tick;
    uint32_t sweep_at; /* when there are so many, those of shapes that are gone are dropped */
    uint64_t scored;   /* nodes scored, for statistics */
    uint32_t *batch;   /* scratch: LIMIT_POLICY_BATCH nodes and scores */
    int64_t *scores;
    uint8_t *keep;
    uint64_t *stamp; /* by node row: the sync that has looked at it */
    uint32_t stamp_cap;
    uint8_t *class_able; /* by node class, while all nodes are looked at: 0 unknown, 1 no, 2 yes */
    int32_t *class_tier; /* likewise, where that is 2 */
    uint32_t class_cap;
    uint64_t sync;
    uint64_t cycle; /* raised by whoever begins to count instructions anew */
};

/* The index of the key, up to date. Errors are those of the scorer, or LSCHED_E_NOMEM. */
int32_t search_get(struct search *s, struct columns *k, const struct view_cache *v,
                   const struct search_key *key, const struct search_scorer *scorer,
                   struct search_index **out);
/* Row of the best node, NO_ROW if none can take it. */
static inline uint32_t search_best(const struct search_index *x, const struct view_cache *v) {
    if (x->n == 0) return NO_ROW;
    uint32_t rank = x->leaves == 1 ? 0 : x->winner[1];
    return x->score[rank] == SEARCH_LEAST ? NO_ROW : v->by_rank[rank];
}
/* Of two ranks, does a come before b: what cannot take the task comes last. */
static inline int search_before(const struct search_index *x, uint32_t a, uint32_t b) {
    int64_t p = x->score[a], q = x->score[b];
    if (x->tier && p != SEARCH_LEAST && q != SEARCH_LEAST && x->tier[a] != x->tier[b])
        return x->tier[a] > x->tier[b];
    return p != q ? p > q : a < b;
}
/* Drop the indexes of single jobs: what they scored may have changed without a node changing. */
void search_drop_jobs(struct search *s, struct columns *k);
void search_drop_all(struct search *s, struct columns *k);

#endif
