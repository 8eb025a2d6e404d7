/*
 * daily_demand.h -- tasks whose demand follows the time of day.
 *
 * A task of a daily shape asks for a curve of some kinds (cpu, memory, custom; not gpu) in place of
 * a number: 96 quarter-hours of the day, UTC, each with the most that the steps of its demand come
 * to inside it. A node is charged the highest point of the SUM of the curves that it carries, not
 * the sum of their highest points:
 *
 *     FREE[kind] = CAP[kind] - what constant tasks hold - PEAK      PEAK = max over cells of NOW
 *     FREE + COMING = the same when what leaves has left and claims are met, with LATER for NOW
 *
 * So all who read FREE and COMING need not know of days; only who asks whether a daily task fits
 * does, as one may fit where FREE is less than its request: its curve lies in the valleys.
 *
 * Layout: a row of DAY per (shape, daily kind), its curve in 96 rows of CELL.NOW, and per (node,
 * kind) that carries such work, with the sums in NOW and LATER. They hang in a list by kind from
 * SHAPE.DAY and NODE.DAY, which hold the row plus one: 0, what everybody else pays, is none.
 * Invariant: a node has a row of a kind iff the peak of NOW or of LATER is above 0 (between calls).
 * Cost: O(96) per kind and task taken or asked about; a branch where nothing is daily. Why a fixed
 * grid and not breakpoints: sums are updated in place with a fixed number of words to undo, and two
 * services never have a breakpoint more than a quarter of an hour from what their host knows.
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
/* Row of DAY of a shape or a node and a kind; NO_ROW. head: C_SHAPE_DAY or C_NODE_DAY. */
uint32_t day_row(const struct columns *k, uint32_t head, uint32_t of, uint32_t kind);
/* The most that one task uses of a kind at any time of the day; its request, if that is
 * constant. */
int64_t day_peak(const struct columns *k, uint32_t shape, uint32_t kind);

/* ---- shapes ---- */

/* The curves of a new shape, out of the steps of its canonical bytes; steps: from their number on.
 * LSCHED_E_NOMEM, LSCHED_E_CORRUPT. */
int32_t day_shape_fill(struct columns *k, uint32_t shape, struct reader steps);
void day_shape_drop(struct columns *k, uint32_t shape);
/* The curve of one kind: 1 and the cells, 0 if no step speaks of it, -1 if a step cannot be. */
int day_curve(struct reader steps, lsched_text kind, int64_t cells[DAY_CELLS]);

/* ---- nodes ---- */

/* Rows for what a task of the shape will add, before it is taken or claimed. LSCHED_E_NOMEM. */
int32_t day_reserve(struct columns *k, uint32_t node, uint32_t shape);
/* What a daily task of the kind adds (1) or takes away (-1): of what is held now, and of what will
 * be. FREE and COMING follow. */
void day_add(struct columns *k, uint32_t node, uint32_t shape, uint32_t kind, int now, int later);
/* A task left the node or gave up its claim: rows that carry nothing go. */
void day_review(struct columns *k, uint32_t node);
/* Is there room for the curve of a daily kind; when: as for devices. */
int day_fits(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind,
             enum device_when when);
/* By how much FREE falls when one more task is taken; its request, if that is constant. */
int64_t day_charge(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind);

/* ---- what if ---- */

/* One kind of one node, tasks put in and taken out without touching the state. */
struct day_room {
    int64_t room; /* what constant tasks leave */
    int daily;    /* cells are in use */
    int64_t cells[DAY_CELLS];
};
void day_room_of(const struct columns *k, uint32_t node, uint32_t kind, enum device_when when,
                 struct day_room *m);
/* A task of the shape leaves (sign 1), or comes (-1); amount: what it is charged if the kind is
 * constant. */
void day_room_add(const struct columns *k, uint32_t shape, uint32_t kind, int64_t amount, int sign,
                  struct day_room *m);
int64_t day_room_left(const struct day_room *m); /* for a constant task; below 0: overfull */
/* What one more task of a daily kind lacks at the worst quarter of the day, *cell, the first of
 * those; 0: it fits. */
int64_t day_room_lack(const struct columns *k, uint32_t shape, uint32_t kind,
                      const struct day_room *m, uint32_t *cell);
/* Tasks of the shape that fit; INT32_MAX if it asks for none of the kind. */
int64_t day_room_count(const struct columns *k, uint32_t shape, uint32_t kind,
                       const struct day_room *m);

#endif
