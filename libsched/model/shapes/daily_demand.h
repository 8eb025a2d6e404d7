/*
 * daily_demand.h -- tasks whose demand follows the time of day.
 *
 * For one or more kinds (cpu, memory, kinds of the orchestrator; never gpu), a task of a daily
 * shape requests a curve instead of one amount. The curve has 96 cells, one for each quarter-hour
 * of the day in UTC. Each cell has the largest value that the steps of the demand reach in that
 * quarter-hour. On a node, daily tasks reduce FREE by the highest point of the SUM of their
 * curves, not by the sum of their highest points:
 *
 *     FREE[kind] = CAP[kind] - what constant tasks hold - PEAK      PEAK = max over cells of NOW
 *     FREE + COMING = the same with LATER for NOW: after the releasing tasks are gone and the
 *                     nominated tasks are placed
 *
 * Therefore code that reads FREE and COMING need not know about daily demand. Only the check
 * whether a daily task fits must know it: a daily task can fit on a node where FREE is less than
 * the task's request, if its curve is high at times of day at which the node's sum is low.
 *
 * Layout: each daily kind of a shape has one DAY row, with the curve in 96 rows of CELL.NOW. Each
 * kind of which daily tasks use a node has one DAY row of that node, with the sums of the curves
 * in CELL.NOW and CELL.LATER. The DAY rows of a shape or node are in a list, ordered by kind,
 * that begins at SHAPE.DAY or NODE.DAY. These columns store the row plus one; 0 means no list.
 * Other shapes and nodes use no memory except this column. Invariant between calls: a node has a
 * DAY row for a kind if and only if the peak of NOW or of LATER is above 0. Cost: O(96) for each
 * daily kind of a task that is placed or checked; one branch for other tasks. Why a fixed grid
 * and not a list of breakpoints: the sums can be updated in place, and each update puts a fixed
 * number of words into the undo log. The grid is exact enough, because it moves a step of the
 * demand by less than a quarter of an hour.
 */
#ifndef LIBSCHED_DAILY_DEMAND_H
#define LIBSCHED_DAILY_DEMAND_H

#include "model/store/intern.h"
#include "model/shapes/device_part.h"
#include "model/shapes/placement.h"

#define DAY_US      ((int64_t)24 * 3600 * 1000000)
#define DAY_CELLS   96u
#define DAY_CELL_US (DAY_US / DAY_CELLS)

static inline int shape_is_daily(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DAY].u32[shape] != 0;
}
/* Returns the DAY row for the kind; NO_ROW if there is none. head: C_SHAPE_DAY or C_NODE_DAY. of:
 * row of the shape or of the node. */
uint32_t daily_demand_row(const struct columns *k, uint32_t head, uint32_t of, uint32_t kind);
/* Returns the largest amount of the kind that one task of the shape uses at any time of the day.
 * For a constant kind, this is the request. */
int64_t daily_demand_peak(const struct columns *k, uint32_t shape, uint32_t kind);

/* ---- shapes ---- */

/* Makes the curves of a new shape from the demand steps in its canonical bytes. steps: a reader
 * that stands before the number of steps. Can return LSCHED_E_NOMEM or LSCHED_E_CORRUPT. */
int32_t daily_demand_shape_fill(struct columns *k, uint32_t shape, struct reader steps);
void daily_demand_shape_drop(struct columns *k, uint32_t shape);
/* Computes the curve of one kind. Returns 1 and sets cells[], or returns 0 if no step names the
 * kind, -1 if a step is invalid. */
int daily_demand_curve(struct reader steps, lsched_text kind, int64_t cells[DAY_CELLS]);

/* ---- nodes ---- */

/* Makes the DAY rows that the node needs for a task of the shape, before the task is placed or
 * nominated. Can return LSCHED_E_NOMEM. */
int32_t daily_demand_reserve(struct columns *k, uint32_t node, uint32_t shape);
/* Adds a daily task's curve of the kind to the node's sums (1), subtracts it (-1) or leaves a sum
 * unchanged (0). `now` says so for the sum NOW, `later` for the sum LATER. FREE and COMING are
 * updated. */
void daily_demand_add(struct columns *k, uint32_t node, uint32_t shape, uint32_t kind, int now,
                      int later);
/* Removes the node's DAY rows whose sums are 0, after a task left the node or lost its nomination
 * on the node. */
void daily_demand_review(struct columns *k, uint32_t node);
/* Returns 1 if the node has room for the curve of a daily kind. when: as in placement.h. */
int daily_demand_fits(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind,
                      enum device_when when);
/* Returns by how much the node's FREE decreases when one more task of the shape is placed. For a
 * constant kind, this is the request. */
int64_t daily_demand_charge(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind);

/* ---- trial without changes ---- */

/* A copy of the room of one kind on one node. The caller can add and remove tasks in the copy
 * without a change of the columns. */
struct daily_room {
    int64_t room; /* amount that the constant tasks leave free */
    int daily;    /* 1 if cells[] has values, because daily tasks use the node */
    int64_t cells[DAY_CELLS];
};
void daily_room_of(const struct columns *k, uint32_t node, uint32_t kind, enum device_when when,
                   struct daily_room *m);
/* Removes a task of the shape from *m (sign 1), or adds a task to it (sign -1). amount: the
 * amount of the task if the kind is constant. */
void daily_room_add(const struct columns *k, uint32_t shape, uint32_t kind, int64_t amount,
                    int sign, struct daily_room *m);
/* Returns the amount that a constant task could still have; below 0 if the tasks in *m have too
 * much. */
int64_t daily_room_left(const struct daily_room *m);
/* Returns the amount that is missing for one more task of a daily kind, in the quarter-hour of
 * the day in which most is missing; 0 if the task fits. Sets *cell to the first such
 * quarter-hour. */
int64_t daily_room_lack(const struct columns *k, uint32_t shape, uint32_t kind,
                        const struct daily_room *m, uint32_t *cell);
/* Returns the number of tasks of the shape that fit into *m; INT32_MAX if the shape does not
 * request the kind. */
int64_t daily_room_count(const struct columns *k, uint32_t shape, uint32_t kind,
                         const struct daily_room *m);

#endif
