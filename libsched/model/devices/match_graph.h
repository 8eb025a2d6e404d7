/*
 * match_graph.h -- graph of the devices that one task can take together, given by match and
 * distinct attributes of a device claim.
 *
 * A claim can require that all its devices have equal values of an attribute (match), or that no
 * two devices have equal values (distinct). Both are conditions on every pair of devices.
 * Therefore they form a graph over the devices of a node: of[i] is the set of the *friends* of
 * device i, that is, of the devices that a task can take together with device i. A set of devices
 * is allowed if each device is a friend of all other devices of the set: choosing k devices means
 * finding a clique. Another condition on pairs, such as a least kind of link, is added by one
 * more AND of masks.
 *
 * A device that lacks an attribute has no friends, neither for match nor for distinct. Therefore
 * it is never chosen for a claim of several devices that names the attribute. The value of an
 * attribute is the row of an interned string. Therefore equal texts are equal numbers. Cost:
 * O(n^2) for each attribute.
 *
 * A clique is found by a depth-first search. It leaves a branch in which too few devices remain.
 * After it has gone back a few times, it also leaves a branch whose devices can be coloured with
 * too few colours: friends get different colours, so a clique has at most one device of each. With
 * match attributes and at most one distinct attribute, devices that are not friends have equal
 * values, and then the number of colours is exactly the size of the greatest clique. Therefore
 * the search never goes back from a branch that has passed this test, and it takes O(n) steps of
 * O(n) operations. With several distinct attributes the problem is that of the greatest clique in
 * any graph, which can take exponential time. The search then gives up after LIMIT_MATCH_STEPS
 * steps, so that such a task can wait although a set exists. For MATCH_SURE devices and less, the
 * limit is not reached.
 */
#ifndef LIBSCHED_MATCH_GRAPH_H
#define LIBSCHED_MATCH_GRAPH_H

#include "base/device_set.h"

enum { MATCH_DEVICES = LSCHED_DEVICES_PER_NODE_MAX, MATCH_SURE = 16 };
#define MATCH_LACKS UINT32_MAX

struct match_graph {
    device_set of[MATCH_DEVICES];
    /* Every search adds its steps to these STEPS_WORDS numbers (steps.h); NULL: they are not
     * counted. */
    uint64_t *steps;
};

/* Sets the graph in which any two of n devices are friends; `steps` is NULL. */
void match_graph_all(struct match_graph *f, uint32_t n);
/* Both functions restrict the graph by one more attribute. value[i] is the attribute's value for
 * device i, MATCH_LACKS if device i does not have the attribute. */
void match_graph_match(struct match_graph *f, const uint32_t *value, uint32_t n);
void match_graph_distinct(struct match_graph *f, const uint32_t *value, uint32_t n);
int match_graph_allow(const struct match_graph *f, device_set set);

/* Returns k devices of the set `fit` that are friends of each other; 0 if there is no such set, or
 * if the search gave up. If several sets are possible, the lexicographically first one in the order
 * of order[] is returned: order[] lists n_order devices, the most preferred device first (NULL: all
 * devices by index). k is at least 1. */
device_set match_graph_choose(const struct match_graph *f, device_set fit, uint32_t k,
                              const uint8_t *order, uint32_t n_order);
/* Counts n steps of a search in the graph. Each search of this file counts its own steps. */
void match_graph_count(const struct match_graph *f, uint64_t n);
/* True if a search for k devices by index gives up, so that nobody knows whether there is a set. */
int match_graph_gives_up(const struct match_graph *f, device_set fit, uint32_t k);
/* Returns 1 if match_graph_choose() would find a set of k devices. */
static inline int match_graph_have(const struct match_graph *f, device_set fit, uint32_t k) {
    return match_graph_choose(f, fit, k, NULL, 0) != 0;
}

#endif
