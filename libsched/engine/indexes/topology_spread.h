/*
 * topology_spread.h -- which nodes one job may use beyond what its tasks ask for: at most so many
 * tasks of a leaf group in one domain (spread), and not the node where it failed last, as long as
 * there is another (avoidance).
 *
 * Both depend on where the job's own tasks are, so an index of scores that equal jobs share cannot
 * know them. The index is asked first; only when its best node is forbidden are all nodes looked
 * at, by the scores that the index holds: O(nodes + domains + tasks of the leaf). Jobs that ask for
 * neither pay one test.
 *
 * Tasks that hold room or have a claim on some count, imported ones too; those that are leaving do
 * not. A spread that an import has broken stays broken, and its domain gets nothing more. Nodes
 * outside the tree take none of such a group.
 */
#ifndef LIBSCHED_TOPOLOGY_SPREAD_H
#define LIBSCHED_TOPOLOGY_SPREAD_H

#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/search.h"
#include "model/shapes/shape.h"

struct spread {
    uint32_t topology, level; /* NO_ROW: none is asked for */
    uint32_t max, group, shape, queue;
    uint32_t rows;  /* of DOMAIN */
    uint32_t *held; /* tasks of the leaf by domain of the level */
};

static inline int spread_asked(const struct columns *k, uint32_t job, uint32_t group) {
    return k->c[C_GROUP_SPREAD].u32[group_row(k, k->c[C_JOB_SHAPE].u32[job], group)] != NO_ROW;
}
/* May one more task of the leaf go to the node: O(tasks of the leaf). */
int spread_allows(const struct columns *k, uint32_t job, uint32_t group, uint32_t node);

/* The counts of a leaf as they are now; LSCHED_E_NOMEM, then there is nothing to close. */
int32_t spread_open(struct spread *s, const struct columns *k, uint32_t job, uint32_t group);
void spread_close(struct spread *s, const struct columns *k);
/* More tasks that may go into a domain of any level, each node by its scarcest resource: an
 * estimate from above. later: what leaving tasks will give back is free already. */
int64_t spread_room(const struct spread *s, const struct columns *k, uint32_t domain, int later);
/* A proof: the leaf never holds more tasks than this at one time, whoever else stops. Held ones
 * count where they are; beyond them, ready nodes are taken to be empty. INT64_MAX without a
 * spread. */
int32_t spread_capacity(const struct columns *k, uint32_t job, uint32_t group, int64_t *tasks);

/* *node is the best by the index, in the domain if one is given: the best allowed one instead,
 * NO_ROW if there is none. near: what the job's terms and those of others allow, and like; that
 * goes before scores. The node to avoid is taken when it is the only one. LSCHED_E_NOMEM. */
int32_t spread_choose(const struct columns *k, const struct view_cache *v,
                      const struct search_index *x, const struct near_rules *near, uint32_t job,
                      uint32_t group, uint32_t domain, uint32_t *node);
/* Has a node room that terms about jobs alone keep the task from. */
int spread_is_near_only(const struct columns *k, const struct view_cache *v,
                        const struct search_index *x, const struct near_rules *near,
                        uint32_t domain);

#endif
