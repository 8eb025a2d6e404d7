/*
 * tsdpbp.h -- what the parts of the action ts-dpbp share: the window of jobs that the order
 * admitted, the nodes over time, and the plan.
 *
 * A window is filled in the order of shares and keys. Each job is given the earliest start at which
 * it delays none before it (conservative backfill: the serial schedule), then the packer may start
 * jobs earlier, with that start as the latest for each. So nobody starts later than in order: by
 * construction, not by weights. What is to start now is placed, the rest waits for its time. The
 * plan is made anew in each cycle in which somebody stands in line; nothing of it is kept but where
 * and when a job was to begin, in the job's bundle, which is preferred among places as early.
 *
 * tsdpbp_bins.c: nodes over time. tsdpbp_slices.c: MIG. tsdpbp_parts.c: what both share.
 * tsdpbp_pack.c: the packer. act_tsdpbp.c: the window and the transactions.
 */
#ifndef LIBSCHED_TSDPBP_H
#define LIBSCHED_TSDPBP_H

#include <libsched/pack.h>

#include "algorithms/support/gang_walk.h"
#include "algorithms/support/free_timeline.h"

enum { TS_ASIDE = 1, TS_LIMITED = 2, TS_PLANNED = 3, TS_PLACED = 4, TS_GIVEN_UP = 5 };

struct ts_item {
    uint32_t job, node_before; /* where it was planned to begin, LSCHED_NO_ROW */
    uint32_t tasks, able;      /* able: number of its map of bins */
    int64_t length, start;     /* HORIZON_FOREVER: it ends nobody knows when */
    struct horizon_amount need;
    uint32_t first_part, n_parts;
    uint32_t state;
    uint32_t slices; /* MIG: of its instance; 0: none */
    uint32_t device,
        slice_from; /* MIG: number of the device among those cut, and the first slice there */
};

/* A device that MIG cuts; its slices over time are a bin of their own, a column per slice. */
struct ts_device {
    uint32_t bin, node, index;
};

/* Something ends on a node then. */
struct ts_end {
    uint32_t bin, job;
    int64_t at;
};

struct ts {
    lsched_algorithm_env env;
    const lsched_act *act;
    lsched_cycle *cycle;
    const lsched_view *view;
    uint32_t window;
    uint64_t work;
    struct gang_memory *memory;
    struct horizon horizon, slices; /* nodes; devices that are cut */
    struct ts_device *devices;      /* by bin of slices */
    uint32_t cap_devices;
    uint32_t built;
    uint32_t n_columns,
        column_of[LSCHED_RESOURCE_KINDS_MAX]; /* of a resource kind in amounts; 0: none */
    uint32_t *bin_of_node, cap_nodes;         /* by row; LSCHED_NO_ROW */
    struct ts_item *items; /* of all windows of the cycle; from first_item on: of this one */
    uint32_t n_items, cap_items, first_item, first_open; /* open: not settled yet */
    struct horizon_part *parts;
    uint32_t n_parts, cap_parts;
    struct ts_end *ends;
    uint32_t n_ends, cap_ends;
    uint8_t *able; /* [n_able][n_bins] */
    uint64_t *able_shape;
    uint32_t n_able, cap_able, cap_shapes;
    uint32_t placed; /* jobs that this window placed */
};

enum { TS_COLUMN_PLACES = 0, TS_COLUMN_DEVICES = 1, TS_COLUMN_FIRST = 2 };

/* tsdpbp_parts.c */
/* An array of at least `want` elements, the old ones kept; NULL: out of memory. */
void *ts_more(const struct ts *t, void *old, uint32_t *cap, uint64_t want, size_t size);
/* What an item takes of nodes, without the slices of devices; times -1 gives it back. */
int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times);

/* tsdpbp_bins.c */
int32_t ts_build(struct ts *t); /* all nodes, once per cycle */
/* The node as the engine sees it now, and what is planned on it: 1; 0 if that does not fit beside
 * each other any more. */
int32_t ts_renew(struct ts *t, uint32_t node);
/* Number of the item's map of bins; a negative error. */
int32_t ts_able(struct ts *t, const lsched_plan_ask *ask);
/* Amounts of one task; 0 if they are not all among the columns. */
int ts_need(const struct ts *t, const lsched_task_shape *task, struct horizon_amount *need);
/* Parts for an item that fits at its start: where it was to begin before, else the tightest
 * bins. */
int32_t ts_choose(struct ts *t, struct ts_item *item);
/* All that an item takes, of nodes and of devices that are cut. */
int32_t ts_take(struct ts *t, const struct ts_item *item, int64_t times);
/* Whose end the item waits for, and where it begins. */
uint32_t ts_after(const struct ts *t, const struct ts_item *item, uint32_t *node);

/* tsdpbp_slices.c: the slices of the node's devices, new or anew; those that an item takes; the
 * earliest start of a MIG job. */
int32_t ts_slices_fill(struct ts *t, uint32_t node, uint32_t bin, const lsched_holder *list,
                       uint32_t n, int is_new);
int32_t ts_slices_take(struct ts *t, const struct ts_item *item, int64_t times);
int ts_slices_sound(const struct ts *t, uint32_t bin);
/* 1 and the item's start, device, slices and part; 0: never as far as anybody knows. */
int32_t ts_slices_find(struct ts *t, struct ts_item *item);

/* tsdpbp_pack.c: better starts for the window, none later than it is. */
int32_t ts_improve(struct ts *t);

#endif
