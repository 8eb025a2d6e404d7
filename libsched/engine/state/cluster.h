/*
 * cluster.h -- the one handle. `k` is all state; everything else here is either fixed at creation,
 * a handle of the host's (algorithms, policy), or a cache that can be dropped between any two
 * calls.
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

/* An algorithm that a cycle uses, made on first use. */
struct algorithm_slot {
    const lsched_algorithm *table;
    void *self;
    int created;
    uint64_t prepared; /* the structure that prepare or begin has seen */
};

struct policy_slot {
    struct policy policy;               /* ops NULL: built-in */
    char given_name[POLICY_NAME_BYTES]; /* under which it was loaded; messages begin with it */
    char *text;                         /* owned, to load it anew in a clone; NULL: built-in */
    size_t text_len;
    lsched_policy_opts opts;
    lsched_param *params; /* owned copy; texts point into it */
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
    uint32_t busy;                          /* inside a call: callbacks may not re-enter */
    uint32_t check_caches, cache_questions; /* cache_check.h */
    void (*watch)(void *user, const struct call *call);
    void *watch_user;
    atomic_uint interrupted;
    uint32_t n_algorithms;
    struct algorithm_slot algorithms[LIMIT_ALGORITHMS];
    struct policy_slot policy;
    void *luajit; /* held to the end; NULL: there is none (lua/front/luajit_api.h) */
    struct selectors
        *selectors; /* asks selectors of devices; opened by the first (api/forms/job_claims.c) */
    struct search search;
    struct share_tree share;
    struct view_cache view;
    struct near_planes near;
    struct tree_map maps[LSCHED_TOPOLOGIES_MAX];
};

struct algorithm_slot *algorithm_find(struct lsched_cluster *c, uint32_t role, const char *name);
/* Make it ready: create on first use. */
int32_t algorithm_ready(struct lsched_cluster *c, struct algorithm_slot *slot, lsched_error *err);
/* Destroy what was created, for instance because the policy's parameters changed. */
void algorithms_reset(struct lsched_cluster *c);
/* All that is no column and no policy: it is made anew when it is needed. */
void cluster_drop_caches(struct lsched_cluster *c);
/* The ones that the library brings. */
extern const lsched_algorithm *const algorithms_builtin[];

/* What the policy in force says of shares, or the built-in one. */
static inline const char *cluster_share_name(const struct lsched_cluster *c) {
    const struct policy *p = &c->policy.policy;
    return !p->ops || !p->desc.fair_share[0] ? "drf" : p->desc.fair_share;
}
static inline int64_t cluster_usage_weight(const struct lsched_cluster *c) {
    return c->policy.policy.ops ? c->policy.policy.desc.usage_weight_milli : 0;
}

/* The id of a row of the table of the kind. A number that is no row of the table is a fault of the
 * caller: an assertion in a debug build, else the id 0, which is none. */
lsched_id id_make(const struct columns *k, uint32_t kind, uint32_t row);

#endif
