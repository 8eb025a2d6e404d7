/*
 * view.h -- the read-only columns that algorithms get. Most members are the columns themselves; a
 * few (live, ready, serial number of the class, rank by name) are derived and kept until the
 * structure changes. The rank by name is updated incrementally: new nodes are sorted and merged.
 * Therefore a node that is added or removed costs O(nodes) copies and no new sort of all names.
 * Decayed use is computed once per requested time, and not at all while no policy uses it.
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
    uint32_t *queue_rank; /* by row: position in the order of names */
    uint32_t *queue_gen;  /* generation of the row when it was ranked; 0 if it was not ranked */
    int64_t *queue_head;  /* by row: order of the queue's first job; the share tree writes it */
    /* [kind x queues_cap + row]: decayed use in millionths of the decayed capacity; zero while no
     * decayed use is kept */
    int64_t *queue_decayed;
    int64_t decayed_at; /* time for which queue_decayed was computed */
    uint64_t *node_class;
    /* by row: position of the node in name order; NO_ROW for rows without a node */
    uint32_t *rank;
    uint32_t *by_rank; /* rows of nodes in name order */
    uint32_t *gen;     /* generation of the row when it was ranked; 0 if it was not ranked */
    uint32_t n_ranked;
    lsched_task_shape *mix;
    int64_t *mix_count;
    uint32_t mix_cap;
};

/* Brings the view up to date. Returns LSCHED_OK or LSCHED_E_NOMEM. The call is cheap if neither
 * the memory layout nor the structure changed. */
int32_t view_update(struct view_cache *v, struct columns *k, int64_t now_us);
void view_close(struct view_cache *v, struct columns *k);
/* Computes the decayed use of queues at the view's time. The decisions of a cycle do not change
 * decayed use. */
void view_decayed(struct view_cache *v, const struct columns *k);
void view_task_shape(const struct columns *k, uint32_t shape, lsched_task_shape *out);

#endif
