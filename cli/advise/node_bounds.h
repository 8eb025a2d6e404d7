/*
 * node_bounds.h -- what earlier advice on nodes allows the search of this run, so that advice does
 * not flap. The rules are those for sizes (docs/right-sizing.md).
 *
 * A group is all nodes whose names differ in the counter alone, of the cluster and of the
 * catalogue. Its advice is the number of nodes to add of each type, and the set of nodes to drain.
 * Advice that the orchestrator has not carried out yet is pending: it goes on.
 *
 * What always holds: the advice on a group changes at most twice in any 24 hours, where a drain and
 * its withdrawal without a rise are one change, at the time of the withdrawal. It falls, by fewer
 * nodes to add or by other nodes to drain, only if it has not changed for 24 hours. A pending drain
 * can be withdrawn at any time. Two changes would be the whole day's: work that comes after a drain
 * that nobody carried out would wait for its nodes until the next day. A group that rises withdraws
 * its pending drain whole, so that nothing is left to withdraw later.
 *
 * A pending addition that the catalogue of this run does not offer stays pending for the day, so
 * its return is no change. Other nodes of the group that take its place are no change either. An
 * offer at a higher price is another offer: the pending one is not offered then.
 *
 * Why a pending addition stays for a day although the search would not make it again: nodes that
 * were not needed for an hour cost money until tomorrow, and nodes that are missing cost waiting.
 */
#ifndef LSCHED_CLI_NODE_BOUNDS_H
#define LSCHED_CLI_NODE_BOUNDS_H

#include "cli/advise/catalogue.h"
#include "cli/support/name_table.h"

struct node_group {
    int64_t changed_us[2]; /* the latest first; LSCHED_NEVER_US: not changed */
    bool no_fall;          /* it changed within the last 24 hours */
    bool no_rise;          /* it changed twice within the last 24 hours */
};

struct node_bounds {
    int64_t at_us;             /* the time of the run, by which the 24 hours are counted */
    struct name_table names;   /* of the groups */
    struct node_group *groups; /* owned; by index of the name */
    size_t capacity;
    uint32_t type_group[CATALOGUE_TYPES_MAX];
    size_t pending[CATALOGUE_TYPES_MAX]; /* nodes to add of each type that it offers now */
    /* nodes to add that it does not offer now: at their type if only their price has risen,
     * otherwise at the first type of their group */
    size_t missing[CATALOGUE_TYPES_MAX];
    uint32_t *own_group; /* owned; by index of own nodes */
    bool *own_pending;   /* owned; true: the node is to drain */
};

/* The least number of nodes to add of a type. */
static inline size_t node_bounds_least(const struct node_bounds *bounds, size_t type) {
    bool kept = bounds != NULL && bounds->groups[bounds->type_group[type]].no_fall;
    return kept ? bounds->pending[type] : 0;
}

/* The greatest number of nodes to add of a type that is no rise. */
static inline size_t node_bounds_full(const struct node_bounds *bounds, size_t type) {
    return bounds->pending[type] + bounds->missing[type];
}

/* The greatest number of nodes to add of a type that has `n`. */
static inline size_t node_bounds_most(const struct node_bounds *bounds, size_t type, size_t n) {
    bool kept = bounds != NULL && bounds->groups[bounds->type_group[type]].no_rise;
    return kept && node_bounds_full(bounds, type) < n ? node_bounds_full(bounds, type) : n;
}

#endif
