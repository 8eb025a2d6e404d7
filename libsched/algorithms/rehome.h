/*
 * rehome.h -- new places for what an action stopped in its transaction: leaf by leaf, all of a leaf's tasks or none. A gang that went whole
 * begins at its minimum. What has a new place moves, the rest is evicted if the transaction is kept.
 */
#ifndef LIBSCHED_REHOME_H
#define LIBSCHED_REHOME_H

#include "gang_walk.h"

/* 1; 0 if one stayed without a place; or an error. g lends calls and memory. */
int32_t rehome_victims(struct gang *g);

#endif
