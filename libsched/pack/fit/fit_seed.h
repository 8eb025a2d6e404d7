/*
 * fit_seed.h -- first plans of FIXED problems. Items are taken in some order, and each goes to the
 * bin in which it costs least. Among bins with equal prices, each item goes to the bin whose peak
 * load it raises least (or, with another rule, in which it fits most tightly). The least increase
 * of the peak finds bins whose load is low when the demand of the item is high. It gives better
 * plans than first fit and than dot products (algorithms.md 1.6). Several orders are tried, because
 * the best order depends on the data.
 *
 * Cost: items x bins checks per order. For a large problem, only the first two orders are tried.
 */
#ifndef LIBSCHED_PACK_FIT_SEED_H
#define LIBSCHED_PACK_FIT_SEED_H

#include "pack/fit/fit_state.h"

/* Offers the first plans. If items have present bins (struct pack_item, `now`), also offers the
 * plan that leaves each item in its bin and adds the items without a place. The function does not
 * stop when the meter is spent. */
void fit_seed(struct fit *f, struct pack_best *best, struct pack_meter *m);
/* Offers a plan in which each task keeps its spot in `wish` if the task fits there. The other tasks
 * get new places as in fit_seed. */
void fit_start(struct fit *f, const struct pack_spot *wish, struct pack_best *best,
               struct pack_meter *m);

#endif
