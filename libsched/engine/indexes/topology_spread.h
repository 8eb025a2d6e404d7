/*
 * topology_spread.h -- restricts which nodes one job may use beyond what its tasks ask for: at
 * most a given number of tasks of a leaf group in one domain (topology spread), and not the node
 * where the job failed last, as long as there is another (avoidance); and counts how many more
 * tasks of a group the domains can take.
 *
 * Both depend on where the job's own tasks are. An index of scores, which jobs of equal shape
 * share, cannot know that. The index is read first. Only if its best node is forbidden are all
 * nodes checked, by the scores that the index holds: O(nodes + domains + tasks of the leaf group).
 * Jobs that ask for neither pay one test.
 *
 * Tasks that hold room or are nominated count, imported ones too; releasing tasks do not. If an
 * import broke a spread, the spread stays broken, and the domain gets no more tasks. Nodes outside
 * the topology take no task of such a group.
 */
#ifndef LIBSCHED_TOPOLOGY_SPREAD_H
#define LIBSCHED_TOPOLOGY_SPREAD_H

#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/search.h"
#include "model/shapes/shape.h"

struct topology_spread {
    uint32_t topology, level; /* level is NO_ROW if no spread is asked for */
    uint32_t max, group, shape, queue;
    uint32_t rows;  /* rows of DOMAIN */
    uint32_t *held; /* tasks of the leaf group by domain of the level */
};

static inline int topology_spread_asked(const struct columns *k, uint32_t job, uint32_t group) {
    return k->c[C_GROUP_SPREAD].u32[group_row(k, k->c[C_JOB_SHAPE].u32[job], group)] != NO_ROW;
}
/* True if the spread allows one more task of the leaf group on the node. Cost: O(tasks of the leaf
 * group). */
int topology_spread_allows(const struct columns *k, uint32_t job, uint32_t group, uint32_t node);

/* Counts the tasks of a leaf group by domain. After LSCHED_E_NOMEM there is nothing to close. */
int32_t topology_spread_open(struct topology_spread *s, const struct columns *k, uint32_t job,
                             uint32_t group);
void topology_spread_close(struct topology_spread *s, const struct columns *k);
/* Returns an upper bound of how many more tasks may use a domain of any level. Each node is
 * counted by its scarcest resource kind. With `later` set, what releasing tasks hold counts as
 * free. */
int64_t topology_spread_room(const struct topology_spread *s, const struct columns *k,
                             uint32_t domain, int later);
/* Sets *tasks to a proven upper bound of the tasks that the leaf group can hold at one time,
 * whichever other jobs are stopped. Tasks that hold room count where they are; ready nodes count
 * as empty otherwise. *tasks is INT64_MAX without a spread. */
int32_t topology_spread_capacity(const struct columns *k, uint32_t job, uint32_t group,
                                 int64_t *tasks);

/* On entry, *node is the best node by the index, within the domain if one is given. Replaces it by
 * the best allowed node, NO_ROW if there is none. `affinity` holds the affinity rules of the job
 * and of other jobs; preferred rules come before scores. The node to avoid is taken only if it is
 * the only one. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t topology_spread_choose(const struct columns *k, const struct view_cache *v,
                               const struct search_index *x, const struct affinity_rules *affinity,
                               uint32_t job, uint32_t group, uint32_t domain, uint32_t *node);
/* True if any node has room for the task and only affinity rules about jobs forbid it. */
int topology_spread_is_affinity_only(const struct columns *k, const struct view_cache *v,
                                     const struct search_index *x,
                                     const struct affinity_rules *affinity, uint32_t domain);

#endif
