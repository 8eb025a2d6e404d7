/*
 * affinity_plane.h -- one count plane. A count plane is a table with the number of certain tasks
 * on each node, and in each domain of one topology level.
 *
 * A plane counts the tasks of jobs that have certain labels, or the tasks whose required
 * anti-affinity rule at this level excludes jobs with certain labels, or the tasks with this
 * exclusive level. It can be restricted to the tasks of one job of which some leaf group has an
 * exclusive level. Normally affinity_match.h
 * decides which tasks a plane counts, and adds these tasks to the plane. If the memory limit does
 * not allow this, the plane reads all nodes at its first use, and then only the nodes in the
 * touch log (affinity_plane_count_touched()).
 *
 * Tasks that hold room or are nominated count as `placed`. Evicted tasks that still hold room
 * count as `releasing`. Reading the count of a node costs O(1), and adding a task costs O(1).
 */
#ifndef LIBSCHED_AFFINITY_PLANE_H
#define LIBSCHED_AFFINITY_PLANE_H

#include "engine/indexes/affinity_counts.h"
#include "engine/indexes/affinity_groups.h"

/* PLANE_SEEKS: the plane counts the tasks of jobs that have all `labels`.
 * PLANE_SHUNS: the plane counts the tasks whose rule excludes a job that has `labels`.
 * PLANE_HOLDS: the plane counts the tasks that have this exclusive level; `labels` is empty. */
enum { PLANE_SEEKS = 0, PLANE_SHUNS = 1, PLANE_HOLDS = 2 };

struct affinity_plane {
    struct affinity_link link;
    struct affinity_plane *newer, *older; /* neighbours in the order of the latest use */
    uint64_t stamp;
    uint32_t what;            /* PLANE_* */
    uint32_t job;             /* the only job whose tasks count; NO_ROW: all jobs */
    uint32_t topology, level; /* both NO_ROW if the rule is about single nodes */
    /* label list: number of labels, then each key with its value; the plane owns this copy */
    uint8_t *labels;
    size_t n;
    /* `node_set`: version of the node set when the plane was counted.
     * `synced`: position in the touch log of nodes at the latest count; UINT64_MAX before the
     * first count.
     * `used`: `tick` of the latest use. */
    uint64_t node_set, synced, used;
    uint32_t nodes, domains; /* number of rows of NODE and of DOMAIN when the plane was counted */
    struct affinity_counts node, domain;
    uint64_t placed; /* number of tasks that are placed on all nodes together */
    struct affinity_edge *edges;
    struct affinity_post *posts;
};

/* All planes of a cluster, in a hash table. When memory is short, the least recently used plane
 * is dropped. The cost of finding or making a plane does not depend on the number of planes. The
 * cost of dropping a plane is proportional to the number of task groups that the plane counts. */
struct affinity_planes {
    struct affinity_table table;
    struct affinity_plane *newest, *oldest;
    uint64_t bytes, tick;
    struct affinity_groups groups;
};

/* Returns the node itself if the plane is about single nodes, else the node's domain at the plane's
 * level; NO_ROW if the node is in no domain of that level. */
uint32_t affinity_plane_place(const struct affinity_plane *p, const struct columns *k,
                              uint32_t node);
static inline struct affinity_count affinity_plane_count(const struct affinity_plane *p,
                                                         uint32_t place) {
    return affinity_counts_at(p->level == NO_ROW ? &p->node : &p->domain, place);
}
/* True if the plane counts the task. */
int affinity_plane_counts(const struct affinity_plane *p, const struct columns *k, uint32_t task);
/* True if the shape has a required anti-affinity rule at the plane's level that excludes a job
 * with the plane's labels. */
int affinity_plane_shuns(const struct affinity_plane *p, const struct columns *k, uint32_t shape);
struct reader affinity_plane_labels(const struct affinity_plane *p);
/* Adds `more` tasks on the node to the plane; negative numbers subtract tasks. Returns
 * LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_plane_add(struct affinity_planes *s, struct columns *k, struct affinity_plane *p,
                           uint32_t node, struct affinity_count more);
/* Records that the plane was counted with the present set of nodes and domains. */
void affinity_plane_mark_counted(struct affinity_plane *p, const struct columns *k);
/* If the set of nodes or domains changed, computes the plane's counts of domains again from its
 * counts of nodes. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_plane_renew_domains(struct affinity_planes *s, struct columns *k,
                                     struct affinity_plane *p);
/* Counts again the tasks of the nodes in the touch log, or of all nodes if the log does not reach
 * back to the latest count. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_plane_count_touched(struct affinity_planes *s, struct columns *k,
                                     struct affinity_plane *p);

#endif
