/*
 * daily_demand.h -- tasks whose demand follows the time of day.
 *
 * For some kinds (cpu, memory, custom kinds; not gpu), a task of a daily shape asks for a curve
 * in place of a number. The curve has 96 cells, one for each quarter-hour of the day in UTC; each
 * cell has the largest value that the steps of the demand reach in that quarter-hour. A node is
 * charged the highest point of the SUM of the curves that it carries, not the sum of their
 * highest points:
 *
 *     FREE[kind] = CAP[kind] - what constant tasks hold - PEAK      PEAK = max over cells of NOW
 *     FREE + COMING = the same with LATER for NOW: after the releasing tasks are gone and the
 *                     nominated tasks are placed
 *
 * Code that reads FREE and COMING therefore need not know of daily demand. Only the check whether
 * a daily task fits must know it, because such a task can fit where FREE is less than its
 * request, if its curve is high where the node's sum is low.
 *
 * Layout: a row of DAY per (shape, daily kind), with its curve in 96 rows of CELL.NOW; and a row of
 * DAY per (node, kind) that carries such work, with the sums in NOW and LATER. The rows are in
 * lists by kind from SHAPE.DAY and NODE.DAY, which store the row plus one; 0, the only cost for
 * other shapes and nodes, means no list. Invariant between calls: a node has a row of a kind if and
 * only if the peak of NOW or of LATER is above 0. Cost: O(96) per kind for each task that is placed
 * or checked; one branch where nothing is daily. Why a fixed grid and not a list of breakpoints:
 * sums are updated in place, so each update puts a fixed number of words into the undo log. The
 * grid is exact enough: it moves a step of the demand by less than a quarter of an hour from the
 * time that the orchestrator submitted.
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
/* Returns the row of DAY of a shape or a node and a kind; NO_ROW if there is none. head:
 * C_SHAPE_DAY or C_NODE_DAY. */
uint32_t daily_demand_row(const struct columns *k, uint32_t head, uint32_t of, uint32_t kind);
/* Returns the most that one task uses of a kind at any time of the day; the request, if the kind
 * is constant. */
int64_t daily_demand_peak(const struct columns *k, uint32_t shape, uint32_t kind);

/* ---- shapes ---- */

/* Makes the curves of a new shape from the steps in its canonical bytes. steps: a reader at the
 * number of steps. Can return LSCHED_E_NOMEM or LSCHED_E_CORRUPT. */
int32_t daily_demand_shape_fill(struct columns *k, uint32_t shape, struct reader steps);
void daily_demand_shape_drop(struct columns *k, uint32_t shape);
/* Computes the curve of one kind. Returns 1 and sets the cells, 0 if no step names the kind, -1
 * if a step is invalid. */
int daily_demand_curve(struct reader steps, lsched_text kind, int64_t cells[DAY_CELLS]);

/* ---- nodes ---- */

/* Makes the node's rows for what a task of the shape will add, before the task is placed or
 * nominated. Can return LSCHED_E_NOMEM. */
int32_t daily_demand_reserve(struct columns *k, uint32_t node, uint32_t shape);
/* Adds or subtracts a daily task's curve of the kind. `now` (1: add, -1: subtract, 0: no change) is
 * about the amounts held now, `later` about the amounts that will be held. FREE and COMING are
 * updated. */
void daily_demand_add(struct columns *k, uint32_t node, uint32_t shape, uint32_t kind, int now,
                      int later);
/* Removes the rows of a node that carry nothing, after a task left the node or lost its
 * nomination there. */
void daily_demand_review(struct columns *k, uint32_t node);
/* Returns 1 if the node has room for the curve of a daily kind. when: the meaning of enum
 * device_when, as for devices. */
int daily_demand_fits(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind,
                      enum device_when when);
/* Returns by how much FREE falls when one more task is placed; the request, if the kind is
 * constant. */
int64_t daily_demand_charge(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind);

/* ---- trial without changes ---- */

/* Room of one kind on one node, in which tasks can be added and removed without a change of the
 * state. */
struct daily_room {
    int64_t room; /* room beside the constant tasks */
    int daily;    /* 1 if cells are used */
    int64_t cells[DAY_CELLS];
};
void daily_room_of(const struct columns *k, uint32_t node, uint32_t kind, enum device_when when,
                   struct daily_room *m);
/* Removes a task of the shape (sign 1) or adds one (-1). amount: the charge if the kind is
 * constant. */
void daily_room_add(const struct columns *k, uint32_t shape, uint32_t kind, int64_t amount,
                    int sign, struct daily_room *m);
/* room for a constant task; below 0: overfull */
int64_t daily_room_left(const struct daily_room *m);
/* Returns how much one more task of a daily kind lacks in the worst quarter-hour of the day, 0 if
 * it fits. *cell: the first such quarter-hour. */
int64_t daily_room_lack(const struct columns *k, uint32_t shape, uint32_t kind,
                        const struct daily_room *m, uint32_t *cell);
/* Returns how many tasks of the shape fit; INT32_MAX if the shape asks for none of the kind. */
int64_t daily_room_count(const struct columns *k, uint32_t shape, uint32_t kind,
                         const struct daily_room *m);

#endif
