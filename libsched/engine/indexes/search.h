/*
 * search.h -- indexes that return the best node for one more task without looking at all nodes.
 *
 * There is one index for each task shape in use. An index holds the exact score of every node
 * that can take one more task now, and SEARCH_LEAST for all other nodes. The scores are in the
 * order of node rows, and a winner tree (tournament tree) over them yields the best node. A
 * query brings the index up to date and reads the root of the tree. Only nodes that changed since
 * the latest use are scored again; the touch log lists these nodes. Among nodes of equal score,
 * the node whose name sorts first wins; the index compares the marks of name_order.h. A query costs
 * (changed nodes) x (one score + log n) and never scans all nodes. The first query for a shape
 * scores all nodes that can take a task of the shape.
 *
 * A node that is added, removed, cordoned or relabelled is one changed node. An index has some free
 * rows, and grows by an eighth when they are used up. What a node could hold if it were empty
 * depends on its class; it is computed again only if the node's edition (view.h) says that the
 * class can have changed. Why not the order of names: a new name would shift all scores after it.
 *
 * The cycle's budget is charged for answers of policy hooks as if there were no index: the first
 * query of an index in a cycle is charged the cost of calling the hooks for all answers in the
 * index. Therefore the remaining budget of a cycle does not depend on the indexes that earlier
 * cycles filled.
 *
 * The same holds for the searches for devices that match (model/devices/match_graph.h). On one node
 * they can take thousands of steps. The first query of an index in a cycle spends one work unit
 * for each SEARCH_MATCH_STEPS steps that these searches take on all nodes of the index. If the
 * cycle has fewer units left, it stops, and the index is left empty, whether it was filled before
 * or not.
 *
 * A policy can prefer places whatever the strategy or the hook `score` says of them: then each node
 * has a merit, which is compared before the score (hook_merit.h). An index whose scorer knows no
 * merits has none, so that other searches pay nothing.
 *
 * Invariant: an index is a cache. The best node depends on the state alone. An index can be
 * dropped at any time without changing any plan. Indexes are dropped when memory is short (the
 * least recently used index first), and when the cluster is cloned. If the scorer's version
 * changes, all nodes are scored again. This happens when a placement strategy prepares from other
 * data, and, if scores read a queue or a job, when queues change. If scores depend on more than
 * the shape, the index's key contains the other data. Examples are a policy's score or filter that
 * reads the queue or the job, a strategy that the policy chose for the job, and nodes that rejected
 * tasks of the queue. If the key can name the values that a hook reads of a job, jobs with equal
 * values share an index, and the index is kept. Otherwise the key names the job, and the index is
 * dropped before the next job is tried. Why not buckets of nodes by free amount: buckets serve only
 * strategies whose score rises or falls steadily with that amount; the scores of fgd and of Lua
 * hooks do not.
 */
#ifndef LIBSCHED_SEARCH_H
#define LIBSCHED_SEARCH_H

#include <libsched/algorithm.h>

#include "engine/indexes/view.h"
#include "model/store/columns.h"

#define SEARCH_LEAST       INT64_MIN /* score of a node that cannot take the task */
#define SEARCH_MATCH_STEPS 1024u     /* steps of searches for matching devices per work unit */

enum { SEARCH_VALUES_MAX = 6 };

struct search_key {
    uint64_t serial; /* serial number of the shape */
    uint32_t shape;
    /* row of the queue and of the job; NO_ROW if the score does not depend on it */
    uint32_t queue, job;
    /* hash of the resource parts that are short: the limits of the queues leave less of them than
     * one task can take (resource_part_short_hash()); 0 if no resource part is short */
    uint64_t shortage;
    uint32_t later; /* 1 to find nodes that will have room when releasing tasks are gone */
    /* placement strategy that computes scores, if the policy chooses a strategy for each job;
     * else 0 */
    uint32_t strategy;
    /* largest number of milli-GPUs that a node can charge the task; 0: no bound */
    uint32_t charge_max;
    /* bit mask of LSCHED_HOOK_*: policy hooks that score or filter; without the hooks that failed
     * in this cycle */
    uint32_t hooks;
    /* number of placed tasks of the job, if the score depends on this number; else 0 */
    uint32_t placed;
    /* values of the job that the hooks read, if these are all that the score depends on of the
     * job; `job` is NO_ROW then */
    uint32_t n_values;
    uint64_t values[SEARCH_VALUES_MAX];
};

/* The functions that score nodes. `score` works like lsched_place_ops.score and gets only nodes
 * that have room for the task. `keep` sets the flags of the nodes that the policy excludes to 0;
 * `keep` can be NULL. */
struct search_scorer {
    void *user;
    int32_t (*score)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                     int64_t *scores);
    int32_t (*keep)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                    uint8_t *keep);
    /* Sets the merits of nodes that have been scored. It depends on what `score` may depend on.
     * NULL: all nodes have the same merit. */
    void (*merit)(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                  int64_t *merits);
    /* `spent` returns the number of instructions that the policy has executed in this cycle.
     * `charge` charges the cycle for hook answers that are read from an index. Both are NULL if
     * hook answers cost nothing. */
    uint64_t (*spent)(void *user);
    int32_t (*charge)(void *user, uint64_t instructions);
    /* version of the data outside of nodes and of the key on which the scores depend; an index
     * with another version is filled again */
    uint64_t version;
    /* `units_left` returns the work units that the cycle has left; `spend` spends some, or stops
     * the cycle if it has fewer left. Both are NULL if a query spends nothing. */
    uint64_t (*units_left)(const void *user);
    void (*spend)(void *user, uint64_t units);
    /* 1 if a score depends only on the shape and on the node's amounts, devices and class */
    int by_state;
    /* True if the cycle must end. The index that is being filled then offers no node. NULL if
     * cycles are never interrupted. */
    int (*interrupted)(void *user);
};

struct topology_room;

/* Steps of the searches for devices that match, by which a node has room, and could hold a task. */
struct search_match {
    uint32_t room, able;
};

struct search_index {
    struct search_key key;
    uint64_t version; /* the scorer's version when the scores were computed */
    uint64_t synced;  /* position in the touch log up to which the index is up to date */
    uint64_t edition; /* edition of the view at that position */
    uint32_t n;       /* number of leaves: rows of NODE for which the arrays have room */
    uint32_t able;    /* number of nodes that could hold one task if they were empty */
    /* the indexes that were used next before and next after this one; NULL: none */
    struct search_index *older, *newer;
    const uint64_t *mark; /* by row: mark of the node's name, owned by the view */
    int64_t *score;       /* by row: score of the node */
    int64_t *merit;       /* by row: merit of a node that has a score; NULL: all are the same */
    /* by row: tier of the node (node_rules.h), compared before the score; NULL if all nodes have
     * the same tier */
    int32_t *tier;
    /* winner tree: winner[i] is the row of the best node below tree node i; used from 1 to n - 1 */
    uint32_t *winner;
    uint8_t *is_able; /* by row: 1 if the node could hold a task if it were empty */
    /* by row: 1 if the node has room; the filter and the score were called for such nodes only */
    uint8_t *is_asked;
    uint32_t asked; /* number of nodes whose is_asked is 1 */
    /* `cost`: instructions that the policy executed in the largest update of the index.
     * `cost_asked`: number of nodes for which this update called the policy. */
    uint64_t cost;
    uint32_t cost_asked;
    /* by row; NULL if the shape asks for no devices that match. `match_steps`: sum of `room` */
    struct search_match *match;
    uint64_t match_steps;
    uint64_t match_cycle; /* latest cycle that spent work units for these steps */
    uint64_t cycle;       /* latest cycle that was charged for the index */
    uint64_t bytes;       /* memory of the index and of rooms[], in bytes */
    uint64_t filled;      /* number of times that all nodes were scored */
    /* by topology and TOPOLOGY_ROOM_*: room of each domain, NULL if not requested yet */
    struct topology_room *rooms[LSCHED_TOPOLOGIES_MAX][2];
};

/* A batch of nodes that are filtered and scored by one call. */
struct search_batch {
    int64_t score[LIMIT_POLICY_BATCH];
    int64_t merit[LIMIT_POLICY_BATCH];
    uint32_t node[LIMIT_POLICY_BATCH];
    uint8_t keep[LIMIT_POLICY_BATCH];
};

struct search_class {
    int32_t tier;   /* valid if able is 2 */
    uint8_t able;   /* 0 unknown, 1 no, 2 yes */
    uint32_t match; /* steps of the searches for devices that match */
};

struct search {
    struct search_index **index;
    uint32_t n, cap;
    uint32_t n_jobs;  /* number of indexes whose key contains a job */
    uint64_t dropped; /* number of times that an index was dropped or moved in memory */
    uint64_t bytes;
    struct search_index *oldest, *newest; /* the list of the indexes, in the order of use */
    /* if there are this many indexes, the indexes of removed shapes are dropped */
    uint32_t sweep_at;
    uint64_t scored; /* number of scores computed so far, for statistics */
    /* number of queries that found an index, and of those that had to score all nodes */
    uint64_t hits, fills;
    struct search_batch *batch; /* scratch */
    uint64_t *stamp;            /* by node row: number of the latest update that scored the node */
    uint32_t stamp_cap, class_cap;
    struct search_class *classes; /* scratch, by node class; valid while an index is filled */
    uint64_t sync;
    /* number of the cycle; increased when the count of executed instructions begins again at 0 */
    uint64_t cycle;
};

/* Sets *out to the index of the key and brings the index up to date. Returns LSCHED_OK,
 * LSCHED_E_NOMEM, or an error of the scorer's functions. */
int32_t search_get(struct search *s, struct columns *k, const struct view_cache *v,
                   const struct search_key *key, const struct search_scorer *scorer,
                   struct search_index **out);
/* Returns the row of the best node, NO_ROW if no node can take the task. */
static inline uint32_t search_best(const struct search_index *x) {
    uint32_t node = x->winner[1];
    return x->score[node] == SEARCH_LEAST ? NO_ROW : node;
}
/* True if the node in row a is better than the node in row b. A node that cannot take the task
 * is worse than any other node. */
static inline int search_before(const struct search_index *x, uint32_t a, uint32_t b) {
    int64_t p = x->score[a], q = x->score[b];
    if (x->tier && p != SEARCH_LEAST && q != SEARCH_LEAST && x->tier[a] != x->tier[b])
        return x->tier[a] > x->tier[b];
    if (x->merit && p != SEARCH_LEAST && q != SEARCH_LEAST && x->merit[a] != x->merit[b])
        return x->merit[a] > x->merit[b];
    if (p != q) return p > q;
    return p == SEARCH_LEAST ? a < b : x->mark[a] < x->mark[b]; /* free rows have no marks */
}
/* True if there is an index of the key. */
int search_has(const struct search *s, const struct search_key *key);
uint64_t search_key_hash(const struct search_key *key);
/* Drops the indexes whose key contains a job, because the scores of these indexes can change
 * although no node changes. */
void search_drop_jobs(struct search *s, struct columns *k);
void search_drop_all(struct search *s, struct columns *k);

#endif
