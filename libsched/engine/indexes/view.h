/*
 * view.h -- the read-only columns that algorithms get. Most members point to the columns
 * themselves. A few members are computed from columns and kept: whether a row is live, whether a
 * node is ready, the serial number of the node's class, and the order by name.
 *
 * What is computed from nodes is kept up to date from the touch log: only nodes in the log are
 * looked at. Nodes are ordered by marks (name_order.h), so a new node costs O(log nodes). The dense
 * ranks by name are made again only when view_update_ranked() is called after nodes came or went;
 * this costs O(nodes). Each node has the number of its latest change (`edition`): a cache that
 * remembers the largest number it has seen knows from this number whether what a node can hold at
 * all has changed since. What is computed from queues is kept until the structure changes. Decayed
 * use is computed once per requested time, and only while the cluster keeps decayed use.
 */
#ifndef LIBSCHED_VIEW_H
#define LIBSCHED_VIEW_H

#include <libsched/algorithm.h>

#include "model/store/name_order.h"
#include "model/store/columns.h"

struct view_cache {
    lsched_view view;
    uint64_t layout, structure;
    /* `valid`: 1 if the members about queues and the pointers are up to date with layout and
     * structure.
     * `keeps_ranks`: 1 if an algorithm of the host is in use, which can read ranks at any time. */
    int valid, keeps_ranks;
    uint64_t synced;  /* position in the touch log up to which nodes are up to date */
    uint64_t edition; /* largest number in node_edition[] */
    /* number of changes of what placement strategies prepare from: nodes and the mix of task
     * shapes */
    uint64_t supply;
    uint32_t rows_cap, queues_cap; /* capacities of the arrays below */
    uint8_t *node_live, *node_ready, *queue_live;
    uint32_t *queue_rank; /* by row: position of the queue in name order */
    uint32_t *queue_list; /* rows of the queues in name order */
    struct name_order queues;
    uint64_t queues_ranked; /* queues.changes when queue_rank was made, plus 1; 0: never */
    int64_t *queue_head; /* by row: order value of the queue's first job; written by share_tree.c */
    /* [kind x queues_cap + row]: decayed use of the queue, in millionths of the cluster's decayed
     * capacity; 0 while the cluster keeps no decayed use */
    int64_t *queue_decayed;
    int64_t decayed_at; /* time for which queue_decayed was computed, in microseconds */
    uint64_t *node_class;
    /* by row: number of the latest change of live, ready or class of the node, or of its name */
    uint64_t *node_edition;
    struct name_order nodes; /* nodes.mark[]: by row, ascending in the order of names */
    /* by row: position of the node in name order; NO_ROW if the row is free */
    uint32_t *rank;
    uint32_t *by_rank; /* by rank: row of the node */
    uint32_t n_ranked;
    uint64_t ranked; /* nodes.changes when the ranks were made, plus 1; 0: never */
    lsched_task_shape *mix;
    int64_t *mix_count;
    uint32_t mix_cap;
};

/* Brings the view up to date, except rank[], by_rank[] and view.node_name_rank. Returns LSCHED_OK
 * or LSCHED_E_NOMEM. If neither the memory layout nor the structure changed, the call costs
 * O(entries of the touch log since the latest call). */
int32_t view_update(struct view_cache *v, struct columns *k, int64_t now_us);
/* Brings only the pointers to columns up to date, which a column leaves behind when it moves in
 * memory. The view is valid, and the structure is as at its latest update. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t view_follow_memory(struct view_cache *v, struct columns *k);
/* Brings the whole view up to date. Within a cycle, the ranks then stay up to date. */
int32_t view_update_ranked(struct view_cache *v, struct columns *k, int64_t now_us);
/* Makes the ranks of the nodes that the latest view_update() knew. */
void view_rank(struct view_cache *v, const struct columns *k);
void view_close(struct view_cache *v, struct columns *k);
/* Computes the decayed use of all queues at the cluster's time, which is never before the time of
 * the view. One computation per cycle is enough, because the decisions of a cycle do not change
 * decayed use. */
void view_decayed(struct view_cache *v, const struct columns *k);
void view_task_shape(const struct columns *k, uint32_t shape, lsched_task_shape *out);
/* Does the same, and nothing if *out, which is zero or was filled before, has the shape. */
void view_task_shape_renew(const struct columns *k, uint32_t shape, lsched_task_shape *out);

#endif
