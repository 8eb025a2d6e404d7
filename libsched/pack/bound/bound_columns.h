/*
 * bound_columns.h -- a lower bound of the number of bins by the linear programme over patterns
 * (Dantzig and Wolfe). A pattern is a set of items that one bin can hold. The programme finds the
 * least number of patterns that cover all items. A programme over all cells would be too large, and
 * most cells do not limit the plan. Therefore the programme is solved for a window, which is a set
 * of few cells, with the items that are active in these cells and the patterns that fit in them.
 * Then the cell that the patterns in use overload most is added to the window, as long as there is
 * room. After that, the next window follows. (Ratushnyi and Kochetov 2021 begin with the most
 * loaded times.) Each window is a relaxation of the problem; therefore its bound is also a bound of
 * the problem.
 *
 * Proof of a bound. The prices of the items are rounded down to integers. The pricing problem
 * computes, in integers, an upper bound z of the value of any pattern at these prices. Then the
 * prices divided by z are feasible for the dual programme. Therefore their sum, rounded up, is a
 * lower bound of the number of bins (Farley 1990), even if the simplex method has not finished.
 * Items that are equal in the window form one row; the row's demand is the number of these items.
 *
 * A step opens a window, makes a pivot, processes one candidate of a pricing, or grows the window.
 * Each pricing is first made with few labels. Only if it finds no pattern, it is made again with
 * many labels.
 */
#ifndef LIBSCHED_PACK_BOUND_COLUMNS_H
#define LIBSCHED_PACK_BOUND_COLUMNS_H

#include "pack/bound/bound_graph.h"
#include "pack/cost/best_plan.h"

struct tableau;
struct tableau *columns_new(const struct fixed_bound *f, const struct graph_bound *g,
                            struct pack_arena *arena);
/* Continues to solve the linear programme, and raises *bins, the proved number of bins. Returns
 * PACK_DONE if *bins has reached `upper` or no better bound can be found. */
int columns_run(struct tableau *c, uint32_t *bins, uint32_t upper, const struct pack_best *best,
                struct pack_meter *m);

#endif
