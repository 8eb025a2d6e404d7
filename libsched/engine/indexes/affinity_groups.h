/*
 * affinity_groups.h -- groups of placed tasks that affinity rules about jobs cannot tell apart: by
 * the label set of their job, and by their task shape if it has a required anti-affinity rule.
 *
 * A group consists of the tasks of one label set, or of the tasks of one shape with a required
 * anti-affinity rule. All tasks of a group are counted by the same count planes
 * (affinity_planes.h). The groups are a snapshot of the state at the latest update. The snapshot
 * stores where each task was, because the columns say only where the task is now, and a plane must
 * add the difference. The log of changed tasks says which tasks to compare.
 *
 * Cost: O(1) per changed task. Memory: the snapshot has one entry per row of the task table, and
 * one entry per label of each group.
 */
#ifndef LIBSCHED_AFFINITY_GROUPS_H
#define LIBSCHED_AFFINITY_GROUPS_H

#include "engine/indexes/affinity_pairs.h"

enum { AFFINITY_BY_LABELS = 0, AFFINITY_BY_SHAPE = 1, AFFINITY_SORTS = 2 };

struct affinity_edge;

struct affinity_group {
    struct affinity_group *chain;
    uint64_t serial, stamp;
    uint32_t sort, row; /* row of LABELS (NO_ROW: no labels), or row of SHAPE */
    uint32_t n, first;  /* number of tasks in the group; first task of its list */
    struct affinity_edge *edges;
    struct affinity_post *posts;
};

/* The snapshot of one task. */
struct affinity_seen {
    struct affinity_group *group[AFFINITY_SORTS]; /* NULL if the task is in no such group */
    uint32_t next[AFFINITY_SORTS], prev[AFFINITY_SORTS];
    uint32_t node; /* NO_ROW if the task was on no node */
    uint32_t leaves;
};

struct affinity_groups {
    struct affinity_seen *seen; /* by row of TASK: snapshot of the task */
    uint32_t cap;
    struct affinity_group **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    uint64_t bytes, stamp;
    uint64_t synced; /* position in the log of changed tasks up to which the snapshot is updated */
    struct affinity_pairs pairs;
    uint8_t ready; /* 1 if the snapshot was made */
    uint8_t off;   /* 1 if the memory bound does not allow a snapshot */
};

/* Makes the snapshot large enough for all rows of the task table. New rows are on no node. Returns
 * LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_groups_reserve(struct affinity_groups *g, struct columns *k);
/* Returns the group of a label set or a shape, NULL if there is none. */
struct affinity_group *affinity_groups_find(const struct affinity_groups *g,
                                            const struct columns *k, uint32_t sort, uint32_t row);
/* Adds a group without tasks. Returns NULL if there is no memory. */
struct affinity_group *affinity_groups_new(struct affinity_groups *g, struct columns *k,
                                           uint32_t sort, uint32_t row);
/* Frees a group, which must have no tasks and no edges to planes. */
void affinity_groups_free(struct affinity_groups *g, struct columns *k,
                          struct affinity_group *group);
/* affinity_groups_join adds the task to the group, affinity_groups_leave removes it. */
void affinity_groups_join(struct affinity_groups *g, struct affinity_group *group, uint32_t task);
void affinity_groups_leave(struct affinity_groups *g, struct affinity_group *group, uint32_t task);
/* Returns a reader of the label list of a group that was made by labels. */
struct reader affinity_group_labels(const struct columns *k, const struct affinity_group *group);
/* Frees all groups. Before the call, all edges between planes and groups must have been removed. */
void affinity_groups_close(struct affinity_groups *g, struct columns *k);

#endif
