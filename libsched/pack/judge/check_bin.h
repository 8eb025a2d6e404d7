/*
 * check_bin.h -- checks that the tasks of one bin of a plan fit at every instant, and computes the
 * price of the bin.
 */
#ifndef LIBSCHED_PACK_CHECK_BIN_H
#define LIBSCHED_PACK_CHECK_BIN_H

#include "pack/judge/judge.h"

/* Checks one bin and adds its price to the sums of the judge. Returns LSCHED_OK, or LSCHED_E_STATE
 * if the plan is not valid. */
int32_t judge_bin(struct judge *j, uint32_t bin);

#endif
