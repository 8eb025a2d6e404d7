/*
 * match_graph.h -- devices that may be together: match and distinct attributes of a claim.
 *
 * All its devices alike in an attribute, or no two alike, is said of every two of them. So what may
 * be together is a graph over at most 16 devices, friends[i] is the mask of those that may be with
 * device i, a set is allowed if each of its devices is a friend of all others, and to choose k is
 * to find a clique. Whatever else is said of every two (a least kind of link) is one more AND.
 *
 * An attribute that a device lacks is like no other: such a device matches nothing and is distinct
 * from nothing, and never serves a claim of several devices that names the attribute. Values are
 * rows of interned strings, so equal bytes are equal numbers.
 * Cost: O(n^2) per attribute; a clique by depth first search with the bound "enough are left",
 * which for match alone never goes back. Why not one pass of greedy for distinct: with two distinct
 * attributes the first that fits may spoil the rest.
 */
#ifndef LIBSCHED_MATCH_GRAPH_H
#define LIBSCHED_MATCH_GRAPH_H

#include <libsched/libsched.h>

enum { PICK_DEVICES = LSCHED_DEVICES_PER_NODE_MAX };
#define PICK_LACKS UINT32_MAX

struct friends {
    uint32_t of[PICK_DEVICES];
};

/* Everybody may be with everybody. */
void friends_all(struct friends *f, uint32_t n);
/* One attribute more: value[i] of device i, PICK_LACKS if it has none. */
void friends_match(struct friends *f, const uint32_t *value, uint32_t n);
void friends_distinct(struct friends *f, const uint32_t *value, uint32_t n);
int friends_allow(const struct friends *f, uint32_t set);

/* The first k of `fit` that may be together: of all such sets the first in the order of order[],
 * which names devices, the dearest first (NULL: by number); 0 if there is none. k from 1. */
uint32_t friends_pick(const struct friends *f, uint32_t fit, uint32_t k, const uint8_t *order,
                      uint32_t n_order);
/* Is there one at all. */
static inline int friends_have(const struct friends *f, uint32_t fit, uint32_t k) {
    return friends_pick(f, fit, k, NULL, PICK_DEVICES) != 0;
}

#endif
