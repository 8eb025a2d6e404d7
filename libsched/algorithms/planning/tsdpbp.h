/*
 * tsdpbp.h -- the data that all files of the action ts-dpbp share: the window of jobs, the nodes
 * over time, and the plan.
 *
 * The action fills a window with the next jobs in the order of share and order algorithms. Each job
 * gets the earliest start at which it delays no job before it (conservative backfill: the serial
 * schedule). Then the packer may start jobs earlier, with the start from the serial schedule as the
 * latest start of each job. Therefore no job starts later than in the serial schedule; the
 * construction guarantees this, not weights. Jobs that are to start now are placed, and the others
 * wait for their planned start. The plan is made again in each cycle in which some job is waiting
 * to be planned. The only thing kept from cycle to cycle is the planned node and start of each job
 * (in the job's bundle); among equally early places, that node is preferred.
 *
 * tsdpbp_bins.c: nodes over time. tsdpbp_slices.c: MIG devices over time. tsdpbp_parts.c: helpers
 * of both. tsdpbp_pack.c: the packer. act_tsdpbp.c: the window and the transactions.
 */
#ifndef LIBSCHED_TSDPBP_H
#define LIBSCHED_TSDPBP_H

#include <libsched/pack.h>

#include "algorithms/support/gang_walk.h"
#include "algorithms/support/free_timeline.h"

/* State of an item. ASIDE: the item has a start in the plan. LIMITED: a limit keeps the job out, so
 * the item is not planned yet. PLANNED: the item is to start later. PLACED: the job was placed.
 * GIVEN_UP: the job could not be placed as planned. */
enum { TS_ASIDE = 1, TS_LIMITED = 2, TS_PLANNED = 3, TS_PLACED = 4, TS_GIVEN_UP = 5 };

struct ts_item {
    /* node_before: node where the job was planned to start, LSCHED_NO_ROW: none */
    uint32_t job, node_before;
    uint32_t tasks, able; /* able: index of the map of bins that the job can use */
    /* microseconds; length FREE_TIMELINE_FOREVER: the job's end is unknown */
    int64_t length, start;
    struct free_timeline_amount need;
    uint32_t first_part, n_parts;
    uint32_t state;
    uint32_t slices; /* MIG: memory slices of its instance; 0: none */
    /* MIG: index of the device among the MIG devices, and the first memory slice there */
    uint32_t device, slice_from;
};

/* A MIG device. The memory slices of the device over time are a bin in `slices`, with one column
 * per slice. */
struct ts_device {
    uint32_t bin, node, index;
};

/* The end of a job, or of a nomination, on a node. */
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
    struct free_timeline timeline, slices; /* free amounts over time: of nodes; of MIG devices */
    struct ts_device *devices;             /* by bin of `slices` */
    uint32_t cap_devices;
    uint32_t built;
    /* column_of: column of each resource kind in horizon amounts; 0: none */
    uint32_t n_columns, column_of[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t *bin_of_node, cap_nodes; /* by node row; LSCHED_NO_ROW: the node has no bin */
    /* items of all windows of the cycle; first_item: the first item of the current window;
     * first_open: the first item that is not settled yet */
    struct ts_item *items;
    uint32_t n_items, cap_items, first_item, first_open;
    struct free_timeline_part *parts;
    uint32_t n_parts, cap_parts;
    struct ts_end *ends;
    uint32_t n_ends, cap_ends;
    uint8_t *able; /* maps [n_able][n_bins]: 1 if the bin can hold a task of the shape */
    uint64_t *able_shape;
    uint32_t n_able, cap_able, cap_shapes;
    uint32_t placed; /* number of jobs that this window placed */
};

enum { TS_COLUMN_PLACES = 0, TS_COLUMN_DEVICES = 1, TS_COLUMN_FIRST = 2 };

/* functions of tsdpbp_parts.c: */
/* Returns an array of at least `want` elements with the content of the old one, or NULL without
 * memory. */
void *ts_more(const struct ts *t, void *old, uint32_t *cap, uint64_t want, size_t size);
/* Takes the amounts of an item from its nodes, `times` times, without the slices of MIG devices;
 * times -1 gives them back. */
int32_t ts_parts_take(struct ts *t, const struct ts_item *item, int64_t times);

/* functions of tsdpbp_bins.c: */
int32_t ts_build(struct ts *t); /* reads all nodes, once per cycle */
/* Reads the node again from the engine, and takes the amounts of the work that is planned there.
 * Returns 1, or 0 if the planned work does not fit there any more. */
int32_t ts_renew(struct ts *t, uint32_t node);
/* Returns the index of the map that says on which bins the job can run, or a negative error. */
int32_t ts_able(struct ts *t, const lsched_plan_ask *ask);
/* Sets *need to the amounts of one task. Returns 0 if some requested kind has no column. */
int ts_need(const struct ts *t, const lsched_task_shape *task, struct free_timeline_amount *need);
/* Chooses the bins (parts) of an item that fits at its start: the node where the job was planned
 * before, else the bins with the least room. */
int32_t ts_choose(struct ts *t, struct ts_item *item);
/* Takes all amounts of an item `times` times, from nodes and from MIG devices. */
int32_t ts_take(struct ts *t, const struct ts_item *item, int64_t times);
/* Returns the job whose end the item waits for (LSCHED_NO_ROW: unknown) and sets *node to the node
 * where the item starts. */
uint32_t ts_after(const struct ts *t, const struct ts_item *item, uint32_t *node);

/* tsdpbp_slices.c: ts_slices_fill reads the memory slices of the node's MIG devices, for a new bin
 * or again. ts_slices_take takes those of an item. ts_slices_sound is 1 if no slice is taken twice.
 * ts_slices_find finds the earliest start of a MIG job. */
int32_t ts_slices_fill(struct ts *t, uint32_t node, uint32_t bin, const lsched_holder *list,
                       uint32_t n, int is_new);
int32_t ts_slices_take(struct ts *t, const struct ts_item *item, int64_t times);
int ts_slices_sound(const struct ts *t, uint32_t bin);
/* Returns 1 and sets the item's start, device, slices and part; 0 if no start is known. */
int32_t ts_slices_find(struct ts *t, struct ts_item *item);

/* tsdpbp_pack.c: looks for earlier starts for the jobs of the window; no job gets a later start. */
int32_t ts_improve(struct ts *t);

#endif
