/*
 * affinity_rules.h -- checks whether affinity rules about jobs allow a node for a task: the
 * affinity rules of the task's own job, and the anti-affinity rules of other jobs.
 *
 * An affinity rule names jobs by their labels, and a level: a topology domain, or the node
 * itself. A required affinity rule allows the domains in which a task of a named job is placed.
 * There is one exception for the first job: if no task of a named job is placed anywhere, and the
 * job with the rule has the named labels itself, the rule allows every domain. A required
 * anti-affinity rule allows the domains in which no task of a named job is placed. If the new
 * task is to start now, the domain must also hold no releasing task of a named job. Anti-affinity
 * works in both directions: the running job's rule also excludes named jobs that come later.
 * Tasks of the same gang count like other tasks. A node outside the topology satisfies no
 * required affinity rule and every anti-affinity rule. Preferred affinity rules add to the node's
 * tier (search.h).
 *
 * An exclusive level is a required anti-affinity rule at this level to all jobs but the task's own,
 * whose tasks are subtracted from the counts. It allows no node outside the topology.
 *
 * An index of scores (search.h) cannot include affinity rules, because their result depends on
 * other jobs. Therefore the index is read first. All nodes are checked only if the best node of
 * the index is not allowed (node_choice.h). A cluster without affinity rules pays two tests per
 * task.
 */
#ifndef LIBSCHED_AFFINITY_RULES_H
#define LIBSCHED_AFFINITY_RULES_H

#include "engine/indexes/affinity_planes.h"
#include "engine/indexes/ask.h"
#include "model/shapes/node_rules.h"

enum affinity_kind { AFFINITY_REQUIRED, AFFINITY_APART, AFFINITY_SHUNNED, AFFINITY_LIKED };
/* kinds for exclusive levels: of the task (ALONE), and of tasks of other jobs (HELD) */
enum { AFFINITY_ALONE = AFFINITY_LIKED + 1, AFFINITY_HELD };

struct affinity_ask {
    const struct affinity_plane *plane;
    /* exclusive levels: counts the plane's tasks that are of the own job; NULL: none are */
    const struct affinity_plane *mine;
    uint8_t kind; /* enum affinity_kind, AFFINITY_ALONE or AFFINITY_HELD */
    uint8_t own;  /* AFFINITY_REQUIRED: 1 if the job itself has the labels that its rule names */
    int32_t weight;
};

#define AFFINITY_ASKS_MAX \
    (LIMIT_JOB_TERMS + 1 + 2 * (1 + LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX))

struct affinity_rules {
    /* `n`: number of entries in ask[].
     * `later`: 1 to treat releasing tasks as gone.
     * `likes`: 1 if ask[] has a preferred rule.
     * `excludes`: 1 if ask[] has an exclusive level, of the job or of others.
     * `clears`: 1 to ignore tasks that exclusive levels forbid, because they will be evicted. */
    uint32_t n, later, likes, excludes, clears;
    struct affinity_ask ask[AFFINITY_ASKS_MAX];
};

static inline int affinity_rules_asked(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_RULES].u8[shape] & RULES_OF_JOBS) || meta(k, M_APART);
}
/* Collects the affinity rules that hold for tasks of the leaf group. The result is valid until
 * the state changes. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_rules_open(struct affinity_rules *r, struct affinity_planes *s, struct columns *k,
                            const struct ask *a, int later);
int affinity_rules_allow(const struct affinity_rules *r, const struct columns *k, uint32_t node);
/* Returns the number that preferred affinity rules add to the node's tier (search.h). */
int32_t affinity_rules_tier(const struct affinity_rules *r, const struct columns *k, uint32_t node);
static inline int affinity_ask_is_exclusive(const struct affinity_ask *a) {
    return a->kind == AFFINITY_ALONE || a->kind == AFFINITY_HELD;
}
/* Returns the number of tasks of other jobs for which this entry of ask[], an exclusive level,
 * forbids the place: the row of a node, or of a domain of the level. */
uint32_t affinity_rules_others(const struct affinity_rules *r, uint32_t ask, uint32_t place);
/* Sets *n to the number of tasks in the domain that have this exclusive level. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t affinity_rules_holders(struct affinity_planes *s, struct columns *k, uint32_t topology,
                               uint32_t level, uint32_t domain, uint32_t *n);
/* Sets *n to the number of tasks, on all nodes together, whose required anti-affinity rules name
 * the job by its labels. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t affinity_rules_naming(struct affinity_planes *s, struct columns *k, uint32_t job,
                              uint64_t *n);
/* True if anti-affinity rules allow a nominated task to start on its node now. A rule of the task
 * must not exclude any running or releasing task on the node or in its domain, and no rule of
 * these tasks may exclude the nominated task. */
int affinity_rules_is_clear(const struct affinity_rules *r, const struct columns *k, uint32_t task);

#endif
