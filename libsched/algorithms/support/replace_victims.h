/*
 * replace_victims.h -- new places for what an action stopped in its transaction: job by job, in the
 * order in which they were stopped. A gang that went whole begins at its minimum, or not at all;
 * beyond its minimum each task, or sub-group, that has room goes on by itself. What has a new place
 * moves, the rest is evicted if the transaction is kept.
 */
#ifndef LIBSCHED_REPLACE_VICTIMS_H
#define LIBSCHED_REPLACE_VICTIMS_H

#include "algorithms/support/gang_walk.h"

/* 1; 0 if one stayed without a place; or an error. g lends calls and memory. */
int32_t rehome_victims(struct gang *g);

#endif
