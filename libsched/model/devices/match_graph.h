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

enum { PICK_DEVICES = LSCHED_DEVICES_PER_NODE_MAX };
#define PICK_LACKS UINT32_MAX

struct friends {
    uint32_t of[PICK_DEVICES];
};

/* Makes every two of n devices friends. */
void friends_all(struct friends *f, uint32_t n);
/* Restrict the graph by one more attribute: value[i] of device i, PICK_LACKS if it has none. */
void friends_match(struct friends *f, const uint32_t *value, uint32_t n);
void friends_distinct(struct friends *f, const uint32_t *value, uint32_t n);
int friends_allow(const struct friends *f, uint32_t set);

/* Returns k devices of `fit` that can be together. Among all such sets it is the first in the
 * order of order[], which lists devices, the preferred first (NULL: by number); 0 if there is
 * none. k is at least 1. */
uint32_t friends_pick(const struct friends *f, uint32_t fit, uint32_t k, const uint8_t *order,
                      uint32_t n_order);
/* Returns 1 if friends_pick() would find a set of k devices. */
static inline int friends_have(const struct friends *f, uint32_t fit, uint32_t k) {
    return friends_pick(f, fit, k, NULL, PICK_DEVICES) != 0;
}

#endif
