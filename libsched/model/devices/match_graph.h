/*
 * match_graph.h -- graph of devices that can be together, given by match and distinct attributes
 * of a device claim.
 *
 * A claim can require that all its devices are alike in an attribute, or that no two are alike.
 * Both are conditions on every pair of devices. So the devices that can be together form a graph
 * over at most 16 devices: friends[i] is the mask of the devices that can be with device i. A set
 * is allowed if each of its devices is a friend of all others, and to choose k devices is to find
 * a clique. Any other condition on pairs (such as a least kind of link) is added by one more AND
 * of masks.
 *
 * A device that lacks an attribute differs from every other device and equals none: it matches no
 * device and is distinct from no device, and it never serves a claim of several devices that
 * names the attribute. Values are rows of interned strings, so equal bytes are equal numbers.
 * Cost: O(n^2) per attribute. A clique is found by a depth-first search that stops where too few
 * devices remain. For match alone the search never goes back. Why not a greedy pass for distinct:
 * with two distinct attributes, the first device that fits can exclude all solutions.
 */
#ifndef LIBSCHED_MATCH_GRAPH_H
#define LIBSCHED_MATCH_GRAPH_H

#include <libsched/libsched.h>

enum { MATCH_DEVICES = LSCHED_DEVICES_PER_NODE_MAX };
#define MATCH_LACKS UINT32_MAX

struct match_graph {
    uint32_t of[MATCH_DEVICES];
};

/* Makes every two of n devices friends. */
void match_graph_all(struct match_graph *f, uint32_t n);
/* Restrict the graph by one more attribute: value[i] of device i, MATCH_LACKS if it has none. */
void match_graph_match(struct match_graph *f, const uint32_t *value, uint32_t n);
void match_graph_distinct(struct match_graph *f, const uint32_t *value, uint32_t n);
int match_graph_allow(const struct match_graph *f, uint32_t set);

/* Returns k devices of `fit` that can be together. Among all such sets it is the first in the
 * order of order[], which lists devices, the preferred first (NULL: by number); 0 if there is
 * none. k is at least 1. */
uint32_t match_graph_choose(const struct match_graph *f, uint32_t fit, uint32_t k,
                            const uint8_t *order, uint32_t n_order);
/* Returns 1 if match_graph_choose() would find a set of k devices. */
static inline int match_graph_have(const struct match_graph *f, uint32_t fit, uint32_t k) {
    return match_graph_choose(f, fit, k, NULL, MATCH_DEVICES) != 0;
}

#endif
