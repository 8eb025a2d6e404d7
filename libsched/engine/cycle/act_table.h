/*
 * act_table.h -- the table of all calls of lsched_act, which the engine hands to an action.
 *
 * The files of the calls are in two directories: `actions` has the calls that place tasks and
 * evict work for a waiting job, `upkeep` has the calls that serve no waiting job.
 */
#ifndef LIBSCHED_ACT_TABLE_H
#define LIBSCHED_ACT_TABLE_H

#include "libsched/algorithm.h"

extern const lsched_act cycle_act;

#endif
