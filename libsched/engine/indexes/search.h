/*
 * search.h -- indexes that return the best node for one more task without looking at all nodes.
 *
 * For each task shape in use there is an index: the exact score of every node that can take one
 * more task now (SEARCH_LEAST for all other nodes), in the order of node names, under a winner
 * tree (tournament tree). A query brings the index up to date and reads the root of the tree. Only
 * nodes that changed since the last use are scored again; the touch log lists them. Of equal
 * scores the lower name wins. A decision costs (changed nodes) x (one score + log n), and never a
 * scan; the first use of a shape scores all nodes that can take it.
 *
 * The answers of a policy's hooks are charged as if there were no index: the first use of an index
 * in a cycle is charged what the answers in the index would cost again. Therefore a cycle's budget
 * does not depend on the indexes that an earlier cycle left.
 *
 * Invariant: an index is a cache. Its answers depend on the state alone. Indexes can be dropped at
 * any time (by the memory bound, least recently used first; by a change of structure; in a clone)
 * without changing any plan. If an answer depends on more than the shape, the index's key says on
 * what: a policy's score or filter that reads the queue or the job, a strategy that the policy
 * chose for the job, or nodes that refused tasks of the queue. Why not buckets of nodes by free
 * amount: buckets serve only strategies that are monotone in that amount; fgd and Lua scores are
 * not.
 */
#ifndef LIBSCHED_SEARCH_H
#define LIBSCHED_SEARCH_H

#include <libsched/algorithm.h>

#include "engine/indexes/view.h"
#include "model/store/columns.h"

#define SEARCH_LEAST INT64_MIN /* this node cannot take the task */

struct search_key {
    uint64_t serial; /* serial number of the shape */
    uint32_t shape;
    uint32_t queue, job; /* rows, or NO_ROW where the score does not depend on them */
    /* hash of the resource parts of which the queues' limits leave less than one task may take
     * (resource_part_short_hash()); 0 if none */
    uint64_t shortage;
    uint32_t later;      /* 1 to find nodes that will have room when releasing tasks are gone */
    uint32_t strategy;   /* strategy that scores, if the policy chooses one for each job, else 0 */
    uint32_t charge_max; /* most milli-GPUs that the task may be charged on a node; 0: no bound */
    /* LSCHED_HOOK_* of the policy hooks that score or filter; a hook that failed is off for one
     * cycle */
    uint32_t hooks;
    uint32_t placed; /* tasks of the job, where the score depends on how many are placed */
};

/* The functions that score nodes. `score` works like lsched_place_ops.score and gets only nodes
 * that fit. `keep` clears the flags of nodes that a policy filters out; it can be NULL. */
struct search_scorer {
    void *user;
    int32_t (*score)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                     int64_t *scores);
    int32_t (*keep)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                    uint8_t *keep);
    /* `spent` returns the instructions that the policy has spent in this cycle. `charge` charges
     * the cost of answers that an index holds. NULL if answers cost nothing. */
    uint64_t (*spent)(void *user);
    int32_t (*charge)(void *user, uint64_t instructions);
    /* True if the cycle must end: the index that is being filled is then left without nodes. NULL
     * if cycles are never interrupted. */
    int (*interrupted)(void *user);
};

struct topology_room;

struct search_index {
    struct search_key key;
    uint64_t structure, synced;
    /* number of nodes; number of leaves of the winner tree, a power of two >= n */
    uint32_t n, leaves;
    uint32_t able;  /* nodes that could ever hold one task */
    uint64_t used;  /* tick of the latest use */
    int64_t *score; /* by rank: score of the node */
    /* by rank: tier, compared before the score (node_rules.h); NULL if all are equal */
    int32_t *tier;
    uint32_t *winner; /* winner tree of ranks, at indexes 1 to leaves - 1 */
    uint8_t *is_able; /* by rank: 1 if the node could ever hold a task */
    /* by rank: 1 if the node has room, so that filter and score were called for it */
    uint8_t *is_asked;
    uint32_t asked; /* number of nodes with is_asked */
    /* instructions that the answers for `cost_asked` nodes took, in the largest update */
    uint64_t cost;
    uint32_t cost_asked;
    uint64_t cycle; /* latest cycle that was charged for the index */
    uint64_t bytes;
    uint64_t filled; /* number of times that all nodes were scored */
    struct topology_room *rooms[LSCHED_TOPOLOGIES_MAX]
                               [2]; /* room per domain, of the topologies that were asked about */
};

struct search {
    struct search_index **index;
    uint32_t n, cap;
    uint64_t bytes, tick;
    uint32_t sweep_at; /* number of indexes at which those of removed shapes are dropped */
    uint64_t scored;   /* nodes scored, for statistics */
    uint32_t *batch;   /* scratch arrays of LIMIT_POLICY_BATCH entries: nodes, scores and flags */
    int64_t *scores;
    uint8_t *keep;
    uint64_t *stamp; /* by node row: number of the latest update that scored the node */
    uint32_t stamp_cap;
    uint8_t *class_able; /* by node class, while all nodes are looked at: 0 unknown, 1 no, 2 yes */
    int32_t *class_tier; /* tier of the class, if class_able is 2 */
    uint32_t class_cap;
    uint64_t sync;
    uint64_t cycle; /* raised when a cycle begins to count instructions from 0 */
};

/* Returns the index of the key, up to date. Errors are those of the scorer, or LSCHED_E_NOMEM. */
int32_t search_get(struct search *s, struct columns *k, const struct view_cache *v,
                   const struct search_key *key, const struct search_scorer *scorer,
                   struct search_index **out);
/* Returns the row of the best node, NO_ROW if no node can take the task. */
static inline uint32_t search_best(const struct search_index *x, const struct view_cache *v) {
    if (x->n == 0) return NO_ROW;
    uint32_t rank = x->leaves == 1 ? 0 : x->winner[1];
    return x->score[rank] == SEARCH_LEAST ? NO_ROW : v->by_rank[rank];
}
/* True if rank a comes before rank b. Nodes that cannot take the task come last. */
static inline int search_before(const struct search_index *x, uint32_t a, uint32_t b) {
    int64_t p = x->score[a], q = x->score[b];
    if (x->tier && p != SEARCH_LEAST && q != SEARCH_LEAST && x->tier[a] != x->tier[b])
        return x->tier[a] > x->tier[b];
    return p != q ? p > q : a < b;
}
/* Drops the indexes of single jobs, because their scores can change without a change of a node. */
void search_drop_jobs(struct search *s, struct columns *k);
void search_drop_all(struct search *s, struct columns *k);

#endif
