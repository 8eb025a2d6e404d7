/*
 * view.h -- read-only columns for algorithms. Most members are the columns themselves; a few (live,
 * ready, serial of the class, rank by name) are derived and kept until the structure changes. The
 * rank by name is kept sorted incrementally: nodes that are new are sorted and merged, so a node
 * that comes or goes costs O(nodes) copies and no new sort of all names. Decayed use is filled once
 * per time asked for, and not at all while no policy remembers use.
 */
#ifndef LIBSCHED_VIEW_H
#define LIBSCHED_VIEW_H

#include <libsched/algorithm.h>

#include "model/store/columns.h"

struct view_cache {
    lsched_view view;
    uint64_t layout, structure, node_set;
    int valid, ranked;
    uint32_t rows_cap, queues_cap; /* of the arrays below */
    uint8_t *node_live, *node_ready, *queue_live;
    uint32_t *queue_rank;   /* by row: place in the order of names */
    uint32_t *queue_gen;    /* generation of the row when it was ranked; 0: was not */
    int64_t *queue_head;    /* by row; the share tree writes it */
    int64_t *queue_decayed; /* [kind x queues_cap + row]; zero while use is not remembered */
    int64_t decayed_at;     /* the time they are of */
    uint64_t *node_class;
    uint32_t *rank;    /* by row; NO_ROW for rows that hold no node */
    uint32_t *by_rank; /* rows in name order */
    uint32_t *gen;     /* generation of the row when it was ranked; 0: was not */
    uint32_t n_ranked;
    lsched_task_shape *mix;
    int64_t *mix_count;
    uint32_t mix_cap;
};

/* Bring it up to date. LSCHED_OK or LSCHED_E_NOMEM. Cheap when nothing moved. */
int32_t view_update(struct view_cache *v, struct columns *k, int64_t now_us);
void view_close(struct view_cache *v, struct columns *k);
/* What queues used over time, as of the view's time: what a cycle does changes the present, not the
 * past. */
void view_decayed(struct view_cache *v, const struct columns *k);
void view_task_shape(const struct columns *k, uint32_t shape, lsched_task_shape *out);

#endif
