/*
 * check_bin.h -- judging one bin of a plan: does all that is placed in it fit at every instant, and
 * what does the bin cost.
 */
#ifndef LIBSCHED_PACK_CHECK_BIN_H
#define LIBSCHED_PACK_CHECK_BIN_H

#include "pack/judge/judge.h"

/* Adds the cost of the bin to the judge's sums. LSCHED_E_STATE if the plan is none. */
int32_t judge_bin(struct judge *j, uint32_t bin);

#endif
