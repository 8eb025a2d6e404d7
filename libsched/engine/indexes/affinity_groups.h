/*
 * affinity_groups.h -- groups of tasks on nodes. Affinity rules about jobs do not distinguish the
 * tasks of one group.
 *
 * A group consists of all tasks whose jobs have the same label set, of all tasks that have the same
 * task shape, or of those of them that are of one job. Groups by shape exist only for shapes with a
 * required anti-affinity rule or an exclusive level, groups by owner only for jobs with an
 * exclusive level. A
 * count plane (affinity_plane.h) counts either all tasks of a group or none. The groups are a
 * snapshot of the state at the latest update. The snapshot stores the node that each task had at
 * that update. The columns hold only the task's present node, but a plane must subtract the task
 * from its earlier node and add the task to its present node. The log of changed tasks lists the
 * tasks that must be compared with the snapshot.
 *
 * Cost: O(1) per changed task. Memory: the snapshot has one entry per row of the task table, and
 * one entry per label of each group.
 */
#ifndef LIBSCHED_AFFINITY_GROUPS_H
#define LIBSCHED_AFFINITY_GROUPS_H

#include "engine/indexes/affinity_pairs.h"
#include "engine/indexes/affinity_table.h"

enum { AFFINITY_BY_LABELS = 0, AFFINITY_BY_SHAPE = 1, AFFINITY_BY_OWNER = 2, AFFINITY_SORTS = 3 };

/* What the tasks of a group share. */
struct affinity_of {
    /* `sort`: AFFINITY_BY_*.
     * `row`: row in LABELS, NO_ROW if the jobs have no labels; or row in SHAPE; or row in JOB.
     * `shape`: AFFINITY_BY_OWNER: row in SHAPE; otherwise NO_ROW. */
    uint32_t sort, row, shape;
};

struct affinity_edge;

struct affinity_group {
    struct affinity_link link;
    uint64_t serial, stamp;
    struct affinity_of of;
    /* `n`: number of tasks in the group.
     * `first`: first task in the group's list. */
    uint32_t n, first;
    struct affinity_edge *edges;
    struct affinity_post *posts;
};

/* The state of one task at the latest update. */
struct affinity_seen {
    /* by AFFINITY_BY_*: group of the task, NULL if there is none */
    struct affinity_group *group[AFFINITY_SORTS];
    uint32_t next[AFFINITY_SORTS], prev[AFFINITY_SORTS];
    uint32_t node;   /* node of the task, NO_ROW if there was none */
    uint32_t leaves; /* 1 if the task was releasing */
};

struct affinity_groups {
    struct affinity_seen *seen; /* by row of TASK: state of the task at the latest update */
    uint32_t cap;
    struct affinity_table table;
    /* `bytes`: memory of the groups and of the snapshot.
     * `stamp`: number of the latest search for matching groups or planes. */
    uint64_t bytes, stamp;
    /* position in the log of changed tasks; the snapshot includes all earlier entries */
    uint64_t synced;
    struct affinity_pairs pairs;
    uint8_t ready; /* 1 if the snapshot exists */
    uint8_t off;   /* 1 if the memory bound does not allow a snapshot */
};

/* Makes the snapshot large enough for all rows of the task table. In the snapshot, the tasks of
 * new rows have no node. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_groups_reserve(struct affinity_groups *g, struct columns *k);
/* Returns the group, NULL if there is none. */
struct affinity_group *affinity_groups_find(const struct affinity_groups *g,
                                            const struct columns *k, struct affinity_of of);
/* Adds a group without tasks. Returns NULL if there is no memory. */
struct affinity_group *affinity_groups_new(struct affinity_groups *g, struct columns *k,
                                           struct affinity_of of);
/* Frees a group. Before the call, the caller has removed all tasks of the group, and all edges
 * between the group and planes. */
void affinity_groups_free(struct affinity_groups *g, struct columns *k,
                          struct affinity_group *group);
/* affinity_groups_join() adds the task to the group.
 * affinity_groups_leave() removes the task from the group. */
void affinity_groups_join(struct affinity_groups *g, struct affinity_group *group, uint32_t task);
void affinity_groups_leave(struct affinity_groups *g, struct affinity_group *group, uint32_t task);
/* Returns a reader of the label list of the group. The group's `sort` must be
 * AFFINITY_BY_LABELS. */
struct reader affinity_group_labels(const struct columns *k, const struct affinity_group *group);
/* Frees all groups. Before the call, the caller has removed all edges between planes and groups. */
void affinity_groups_close(struct affinity_groups *g, struct columns *k);

#endif
