/*
 * cluster.h -- struct lsched_cluster, the cluster object behind the handle of the public API.
 *
 * The member `k`, the columns, is all state of the cluster. Every other member is of one of three
 * kinds: fixed when the cluster is created, set by the orchestrator (algorithms, policy), or a
 * cache that can be dropped between any two calls.
 */
#ifndef LIBSCHED_CLUSTER_H
#define LIBSCHED_CLUSTER_H

#include <libsched/algorithm.h>
#include <stdatomic.h>

#include "engine/indexes/affinity_planes.h"
#include "engine/indexes/node_scan.h"
#include "engine/indexes/search.h"
#include "engine/state/absence_line.h"
#include "engine/state/idle_amounts.h"
#include "engine/state/job_marks.h"
#include "engine/state/length_lines.h"
#include "engine/state/lowest_work.h"
#include "engine/state/room_line.h"
#include "engine/state/node_news.h"
#include "engine/state/running_work.h"
#include "engine/state/share_tree.h"
#include "engine/indexes/topology_map.h"
#include "engine/indexes/view.h"
#include "model/store/columns.h"
#include "policy/policy.h"

/* An algorithm that the cluster knows. It is created when a cycle or a report first uses it. */
struct algorithm_slot {
    const lsched_algorithm *table;
    void *self;
    /* `created`: 1 if the algorithm's create function was called.
     * `of_host`: 1 if the host registered the algorithm. */
    int created, of_host;
    /* version of the data for which `prepare` was last called, plus 1 (cycle_prepare_place); 0 if
     * `prepare` was not called yet */
    uint64_t prepared;
    uint64_t epoch; /* number of calls of `prepare` after which scores could be other ones */
};

struct policy_slot {
    struct policy policy; /* ops is NULL for the built-in policy */
    /* name under which the policy was loaded; error messages of the policy begin with this name */
    char given_name[POLICY_NAME_BYTES];
    /* copy of the policy's text, owned by the cluster; a clone loads the policy from it; NULL for
     * the built-in policy */
    char *text;
    size_t text_len;
    lsched_policy_opts opts;
    /* copy of the parameters, owned by the cluster; their names and texts point into the same
     * block */
    lsched_param *params;
    size_t params_bytes;
    uint32_t failures, ejected;
    uint64_t instructions;
    char last_error[LSCHED_MESSAGE_BYTES];
};

/* The resource kinds of which a queue has a guarantee, one bit each, as a cycle computed them last.
 * The kinds hold as long as the two counters of columns.h have these values. */
struct guaranteed_kinds {
    uint32_t kinds;
    int known;
    uint64_t structure, terms;
};

struct call;
struct lsched_cycle;
struct cluster_family;
struct selectors;

struct lsched_cluster {
    struct alloc alloc;
    struct columns k;
    uint64_t id_salt; /* that of the columns, which keep it while they are open */
    /* its family, and its number there: 0 for a cluster that is no clone (family.h) */
    struct cluster_family *family;
    uint32_t member;
    uint64_t loaded; /* hash of the state that was loaded; 0: the cluster was created */
    uint32_t open_max;
    uint32_t verify_every_plan;
    uint32_t changes_bytes; /* size of the ring of the change feed */
    /* 1 while a call for this cluster runs; callbacks must not call the library for this cluster
     * then */
    uint32_t busy;
    /* what compares caches with cold ones (cache_check.h), and skipped searches with new ones
     * (api/calls/skip_check.h). Both are NULL until they are turned on, so that a program in which
     * nobody does so is linked without them */
    const struct cache_checks *check_caches;
    const struct skip_checks *check_skips;
    uint32_t cache_questions; /* counts the uses of caches that could be checked */
    /* 1: searches for victims share nothing and skip nothing (cache_check_search_cold) */
    uint32_t searches_cold;
    /* skips_one_in: one in this many cycles is compared with cycles that skip no search;
     * searches_skipped: number of searches for victims or moves that were skipped or shared;
     * skips_compared: number of skipped searches that were repeated; nodes_walked: number of jobs
     * for which a walk over running work found a node (engine/cheapest/cheapest_node.h) */
    uint32_t skips_one_in;
    uint64_t searches_skipped, skips_compared, nodes_walked;
    /* speculates: 1 while a speculation is open (engine/cycle/speculation.h); serials: latest
     * serial number that a speculation has used, 0 if there was none */
    uint32_t speculates;
    uint64_t serials;
    /* stops the work of spent allowances in a cycle (engine/upkeep/spent_end.h); NULL until an
     * allowance is set, so that a program that sets none is linked without it */
    int32_t (*end_spent)(struct lsched_cycle *cy);
    void (*watch)(void *user, const struct call *call);
    void *watch_user;
    atomic_uint interrupted;
    uint32_t n_algorithms;
    struct algorithm_slot algorithms[LIMIT_ALGORITHMS];
    struct policy_slot policy;
    /* handle of the LuaJIT library, which stays loaded until the cluster is destroyed; NULL if no
     * LuaJIT library is loaded (lua/state/luajit_api.h) */
    void *luajit;
    struct selectors
        /* evaluates device selectors; opened by the first selector (api/forms/job_selectors.c) */
        *selectors;
    struct search search;
    struct node_scan scan;
    struct share_tree share;
    struct guaranteed_kinds guaranteed;
    struct idle_amounts idle;
    struct lowest_work lowest;
    struct running_work running;
    struct node_news news;
    struct length_lines lengths;
    struct absence_line absences;
    struct job_marks marks;
    struct room_lines lines;
    /* LIMIT_WAKE_ALL; tests set another number (wake.h) */
    uint32_t wake_all_max;
    struct view_cache view;
    struct affinity_planes affinity;
    struct topology_map maps[LSCHED_TOPOLOGIES_MAX];
};

struct algorithm_slot *algorithm_find(struct lsched_cluster *c, uint32_t role, const char *name);
/* Calls the algorithm's create function if the algorithm is not created yet. Returns LSCHED_OK or
 * the error of the create function. */
int32_t algorithm_ready(struct lsched_cluster *c, struct algorithm_slot *slot, lsched_error *err);
/* Destroys all created algorithms, for example when the policy's parameters change. Each is
 * created again on its next use. */
void algorithms_reset(struct lsched_cluster *c);
/* Drops all caches. Each cache is computed again when it is needed. */
void cluster_drop_caches(struct lsched_cluster *c);

/* cluster_share_name returns the name of the share algorithm that the policy names, or "drf" if
 * the policy names none. cluster_usage_weight returns the weight that the policy gives to decayed
 * use, in thousandths. */
static inline const char *cluster_share_name(const struct lsched_cluster *c) {
    const struct policy *p = &c->policy.policy;
    return !p->ops || !p->desc.fair_share[0] ? "drf" : p->desc.fair_share;
}
static inline int64_t cluster_usage_weight(const struct lsched_cluster *c) {
    return c->policy.policy.ops ? c->policy.policy.desc.usage_weight_milli : 0;
}

/* Returns the id of the object of this kind in the row. Before the call, the caller has checked
 * that the row exists in the table of the kind. For a row that does not exist, a debug build
 * asserts, and other builds return the id 0, which names no object. */
lsched_id id_make(const struct columns *k, uint32_t kind, uint32_t row);

#endif
