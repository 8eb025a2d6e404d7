/*
 * fit_place.h -- functions on the state of fit_state.h that choose a bin for an item, load a plan
 * and offer a plan.
 *
 * The cheapest bin is chosen; among equally cheap bins, the best one by the rule (enum fit_rule);
 * among those, the bin with the lowest index. If opening bins is the only price, a bin in use costs
 * nothing. Bins in use are then compared by the rule alone, and an empty bin is tried only if the
 * item fits in no bin in use.
 */
#ifndef LIBSCHED_PACK_FIT_PLACE_H
#define LIBSCHED_PACK_FIT_PLACE_H

#include "pack/fit/fit_state.h"

struct fit_pick {
    uint32_t bin; /* FIT_NONE: no bin found yet */
    int64_t price, score;
};
/* Begins a choice that accepts a bin only if its price for the item is less than `limit`. */
void fit_pick_begin(struct fit_pick *pick, int64_t limit);
void fit_pick_try(struct fit *f, struct fit_pick *pick, uint32_t i, uint32_t b);
/* Tries the first empty bin of each class. */
void fit_pick_fresh(struct fit *f, struct fit_pick *pick, uint32_t i);
/* Returns the best candidate bin for item i whose price is less than `limit`; FIT_NONE if there is
 * none. The file head of fit_state.h says which bins are candidates. */
uint32_t fit_choose(struct fit *f, uint32_t i, int64_t limit);
/* Like fit_choose, but compares only the n given bins and FIT_SOME bins in use, beginning with a
 * random one. One bin in FIT_BLINK is skipped at random, so that also bins are chosen that the
 * rules would never choose. */
uint32_t fit_choose_some(struct fit *f, uint32_t i, int64_t limit, const uint32_t *bins,
                         uint32_t n);
/* Offers the current plan to *best. Returns 1 if it becomes the best plan. */
int fit_offer(struct fit *f, struct pack_best *best, uint32_t method);
/* Puts each item into the bin that `spots` names, if the item fits in that bin; the other items go
 * to the pool. If `spots` is NULL, only pinned items are placed. */
void fit_load(struct fit *f, const struct pack_spot *spots);

#endif
