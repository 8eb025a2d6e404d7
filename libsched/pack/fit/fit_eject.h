/*
 * fit_eject.h -- finds an item of a bin that can be exchanged: without that item, another item fits
 * in the bin.
 *
 * The search does not change the loads of the bin. In each time cell (fit_state.h) in which both
 * items run, the check subtracts the demand of the leaving item from the load.
 */
#ifndef LIBSCHED_PACK_FIT_EJECT_H
#define LIBSCHED_PACK_FIT_EJECT_H

#include "pack/fit/fit_state.h"

/* True if item i fits bin b in all hard resources after item j has left the bin. Item j must
 * overlap item i in time. */
int fit_without(struct fit *f, uint32_t i, uint32_t b, uint32_t j);
/* Searches FIT_SOME bins for items that can be exchanged for item i and whose penalty (grudge) is
 * at most that of item i. Returns the item with the least penalty; FIT_NONE if there is no such
 * item. */
uint32_t fit_find_exchange(struct fit *f, uint32_t i);

#endif
