/*
 * cluster.h -- struct lsched_cluster, the handle that the public API gives out. Its columns `k`
 * are all state. Every other member is either fixed at creation, or set by the orchestrator
 * (algorithms, policy), or a cache that can be dropped between any two calls.
 */
#ifndef LIBSCHED_CLUSTER_H
#define LIBSCHED_CLUSTER_H

#include <libsched/algorithm.h>
#include <stdatomic.h>

#include "engine/indexes/affinity_planes.h"
#include "engine/indexes/search.h"
#include "engine/indexes/share_tree.h"
#include "engine/indexes/topology_map.h"
#include "engine/indexes/view.h"
#include "model/store/columns.h"
#include "policy/policy.h"

/* An algorithm that a cycle uses, created on first use. */
struct algorithm_slot {
    const lsched_algorithm *table;
    void *self;
    int created;
    /* version of the structure for which prepare was called, plus 1; 0 if never */
    uint64_t prepared;
};

struct policy_slot {
    struct policy policy; /* ops is NULL for the built-in policy */
    /* name under which the policy was loaded; messages begin with it */
    char given_name[POLICY_NAME_BYTES];
    /* owned text of the policy, to load it again in a clone; NULL for the built-in policy */
    char *text;
    size_t text_len;
    lsched_policy_opts opts;
    lsched_param *params; /* owned copy; the names and texts point into it */
    size_t params_bytes;
    uint32_t failures, ejected;
    uint64_t instructions;
    char last_error[LSCHED_MESSAGE_BYTES];
};

struct call;
struct selectors;

struct lsched_cluster {
    struct alloc alloc;
    struct columns k;
    uint32_t open_max;
    uint32_t verify_every_plan;
    /* 1 inside a call: callbacks must not call the library for this cluster */
    uint32_t busy;
    uint32_t check_caches, cache_questions; /* switch and counter of cache_check.h */
    void (*watch)(void *user, const struct call *call);
    void *watch_user;
    atomic_uint interrupted;
    uint32_t n_algorithms;
    struct algorithm_slot algorithms[LIMIT_ALGORITHMS];
    struct policy_slot policy;
    /* LuaJIT library, held until the cluster is destroyed; NULL if there is none
     * (lua/front/luajit_api.h) */
    void *luajit;
    struct selectors
        /* evaluates device selectors; opened by the first selector (api/forms/job_selectors.c) */
        *selectors;
    struct search search;
    struct share_tree share;
    struct view_cache view;
    struct affinity_planes affinity;
    struct topology_map maps[LSCHED_TOPOLOGIES_MAX];
};

struct algorithm_slot *algorithm_find(struct lsched_cluster *c, uint32_t role, const char *name);
/* Makes an algorithm ready: calls its create function on first use. */
int32_t algorithm_ready(struct lsched_cluster *c, struct algorithm_slot *slot, lsched_error *err);
/* Destroys all created algorithms, for example because the policy's parameters changed. */
void algorithms_reset(struct lsched_cluster *c);
/* Drops all caches. Each cache is computed again when it is needed. */
void cluster_drop_caches(struct lsched_cluster *c);
/* The algorithms that the library contains; the last entry is NULL. */
extern const lsched_algorithm *const algorithms_builtin[];

/* cluster_share_name returns the name of the share algorithm that the policy names, "drf" if it
 * names none. cluster_usage_weight returns the policy's weight of decayed use, in thousandths. */
static inline const char *cluster_share_name(const struct lsched_cluster *c) {
    const struct policy *p = &c->policy.policy;
    return !p->ops || !p->desc.fair_share[0] ? "drf" : p->desc.fair_share;
}
static inline int64_t cluster_usage_weight(const struct lsched_cluster *c) {
    return c->policy.policy.ops ? c->policy.policy.desc.usage_weight_milli : 0;
}

/* Returns the id of a row in the table of the kind. A row that the table does not have is an error
 * of the caller: a debug build asserts, other builds return the id 0, which names no object. */
lsched_id id_make(const struct columns *k, uint32_t kind, uint32_t row);

#endif
