/*
 * node_scan.h -- finds the best node for a task shape that has no index of its own yet.
 *
 * An index (search.h) scores all nodes when it is filled, which is wasted on a shape that is tried
 * once or twice. The scan instead uses one tree over all nodes, which all shapes share. A leaf is
 * a row of NODE. Each tree node has the largest amounts of cpu, memory and gpu below it that are
 * free or come free; the scan leaves out a part of the tree that has too little. Each tree node
 * also says whether all nodes below it are untouched and have equal hardware: a node is untouched
 * if it is ready, has no tasks, and all its amounts and devices are free. Such nodes are equal for
 * a shape that names no labels, so the scan scores only the one whose name sorts first. The touch
 * log keeps the tree up to date.
 *
 * Always holds: the scan finds the node that an index of the shape would find. node_scan_serves()
 * is true only for questions for which this holds: the score comes from a strategy of the library,
 * which reads amounts and devices; no merit, hook, filter, selector, taint or refusal takes part.
 *
 * Cost: O((nodes with tasks and room + kinds of hardware) x (one score + log nodes)). If the scan
 * has looked at more than an eighth of all nodes for one shape, in one or several scans, it gives
 * up, and the caller makes the index. So a shape costs at most a constant factor more than with
 * the better one of both ways. A change of a node costs O(log nodes), and only while the scan is
 * in use.
 *
 * Why not one list of nodes for each free amount: the score of a shape need not rise or fall with
 * an amount, and an order of its own for each strategy would be needed.
 */
#ifndef LIBSCHED_NODE_SCAN_H
#define LIBSCHED_NODE_SCAN_H

#include "engine/indexes/search.h"

enum { NODE_SCAN_KINDS = 3, NODE_SCAN_TRIES = 2048 };

struct node_scan_part {
    /* largest amounts below that are free or come free; -1 without a ready node */
    int64_t most[NODE_SCAN_KINDS];
    uint32_t state; /* NODE_SCAN_* in node_scan.c: whether all nodes below are equal */
    uint32_t first; /* untouched: the node whose name sorts first; leaf: the node */
};

struct node_scan_try {
    uint64_t key;  /* hash of a search_key */
    uint64_t work; /* number of nodes that scans for this key have looked at */
};

struct node_scan {
    struct node_scan_part *part; /* 1 to n - 1: tree; n to 2n - 1: leaves */
    uint32_t n;
    uint64_t synced;             /* position in the touch log up to which the tree is up to date */
    struct node_scan_try *tried; /* by hash of the key */
};

/* True if the scan can answer the question. */
int node_scan_serves(const struct columns *k, const struct search_key *key,
                     const struct search_scorer *scorer);
/* Sets *node to the best node, NO_ROW if no node can take the task. Returns 1, 0 if the caller is
 * to use an index instead, for example because memory is out, or an error of the scorer. */
int32_t node_scan_best(struct node_scan *t, struct search *s, struct columns *k,
                       const struct view_cache *v, const struct search_key *key,
                       const struct search_scorer *scorer, uint32_t *node);
void node_scan_drop(struct node_scan *t, struct columns *k);

#endif
