/*
 * affinity_groups.h -- the tasks that stand somewhere, as terms about jobs tell them apart: by the
 * label set of their job, and by their shape if it keeps apart from others.
 *
 * A group is the tasks of one label set, or of one shape with a required term that keeps apart; all
 * of a group are counted by the same planes. It is a picture of the state as it was at the last
 * look: what stood where is kept here, because the state knows only what stands there now, and the
 * difference is what a plane has to add. The log of changed tasks says where to look.
 *
 * Cost: O(1) per task that changed. Memory: that of the picture, per row of the table of tasks, and
 * of each group's labels.
 */
#ifndef LIBSCHED_AFFINITY_GROUPS_H
#define LIBSCHED_AFFINITY_GROUPS_H

#include "engine/indexes/affinity_pairs.h"

enum { NEAR_BY_LABELS = 0, NEAR_BY_SHAPE = 1, NEAR_SORTS = 2 };

struct near_edge;

struct near_group {
    struct near_group *chain;
    uint64_t serial, stamp;
    uint32_t sort, row; /* of LABELS, NO_ROW: no labels; or of SHAPE */
    uint32_t n, first;  /* tasks */
    struct near_edge *edges;
    struct near_post *posts;
};

/* A task as it was seen. */
struct near_seen {
    struct near_group *group[NEAR_SORTS]; /* NULL: none */
    uint32_t next[NEAR_SORTS], prev[NEAR_SORTS];
    uint32_t node; /* NO_ROW: it stood nowhere */
    uint32_t leaves;
};

struct near_groups {
    struct near_seen *seen; /* by task */
    uint32_t cap;
    struct near_group **bucket;
    uint32_t n, n_buckets; /* n_buckets: a power of two above n, or 0 */
    uint64_t bytes, stamp;
    uint64_t synced; /* changes of tasks that were seen */
    struct near_pairs pairs;
    uint8_t ready; /* there is a picture */
    uint8_t off;   /* memory is too short for one */
};

/* Room for all rows of tasks; those that are new stand nowhere. LSCHED_E_NOMEM. */
int32_t near_groups_reserve(struct near_groups *g, struct columns *k);
/* The group of a label set or a shape; NULL: there is none. */
struct near_group *near_groups_find(const struct near_groups *g, const struct columns *k,
                                    uint32_t sort, uint32_t row);
/* A new one, which has no tasks; NULL: no memory. */
struct near_group *near_groups_new(struct near_groups *g, struct columns *k, uint32_t sort,
                                   uint32_t row);
/* It goes, with no edges and no tasks. */
void near_groups_free(struct near_groups *g, struct columns *k, struct near_group *group);
/* The task comes to the group, or leaves it. */
void near_groups_join(struct near_groups *g, struct near_group *group, uint32_t task);
void near_groups_leave(struct near_groups *g, struct near_group *group, uint32_t task);
/* The labels of a group of jobs. */
struct reader near_group_labels(const struct columns *k, const struct near_group *group);
/* All of them go; no plane has an edge. */
void near_groups_close(struct near_groups *g, struct columns *k);

#endif
