/*
 * place_calls.h -- the calls that an action gets, as a table, and what of them other calls use.
 */
#ifndef LIBSCHED_PLACE_CALLS_H
#define LIBSCHED_PLACE_CALLS_H

#include "engine/state/transaction.h"

extern const lsched_act cycle_act; /* the calls that actions get: place_calls.c */
struct search_index;
/* The index of the group's task shape, up to date. */
int32_t act_index(lsched_cycle *y, uint32_t group, struct search_index **x);

#endif
