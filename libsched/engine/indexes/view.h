/*
 * view.h -- the read-only columns that algorithms get. Most members point to the columns
 * themselves. A few members are computed from columns and kept until the structure changes:
 * whether a row is live, whether a node is ready, the serial number of the node's class, and the
 * rank by name. The ranks are updated incrementally: the names of new nodes are sorted and merged
 * into the sorted list. Therefore adding or removing a node costs O(nodes) copies, but all names
 * need not be sorted again. Decayed use is computed once per requested time, and only while the
 * cluster keeps decayed use.
 */
#ifndef LIBSCHED_VIEW_H
#define LIBSCHED_VIEW_H

#include <libsched/algorithm.h>

#include "model/store/columns.h"

struct view_cache {
    lsched_view view;
    uint64_t layout, structure, node_set;
    int valid, ranked;
    uint32_t rows_cap, queues_cap; /* capacities of the arrays below */
    uint8_t *node_live, *node_ready, *queue_live;
    uint32_t *queue_rank; /* by row: position of the queue in name order */
    /* by row: generation of the queue when queues were last sorted; 0 if the row was free then */
    uint32_t *queue_gen;
    int64_t *queue_head; /* by row: order value of the queue's first job; written by share_tree.c */
    /* [kind x queues_cap + row]: decayed use of the queue, in millionths of the cluster's decayed
     * capacity; 0 while the cluster keeps no decayed use */
    int64_t *queue_decayed;
    int64_t decayed_at; /* time for which queue_decayed was computed, in microseconds */
    uint64_t *node_class;
    /* by row: position of the node in name order; NO_ROW if the row is free */
    uint32_t *rank;
    uint32_t *by_rank; /* by rank: row of the node */
    /* by row: generation of the node when nodes were last sorted; 0 if the row was free then */
    uint32_t *gen;
    uint32_t n_ranked;
    lsched_task_shape *mix;
    int64_t *mix_count;
    uint32_t mix_cap;
};

/* Brings the view up to date. Returns LSCHED_OK or LSCHED_E_NOMEM. If neither the memory layout
 * nor the structure changed, the call costs O(1). */
int32_t view_update(struct view_cache *v, struct columns *k, int64_t now_us);
void view_close(struct view_cache *v, struct columns *k);
/* Computes the decayed use of all queues for the time of the view (view.now_us). One computation
 * per cycle is enough, because the decisions of a cycle do not change decayed use. */
void view_decayed(struct view_cache *v, const struct columns *k);
void view_task_shape(const struct columns *k, uint32_t shape, lsched_task_shape *out);

#endif
