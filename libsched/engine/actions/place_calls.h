/*
 * place_calls.h -- the calls that an action gets, as a table.
 */
#ifndef LIBSCHED_PLACE_CALLS_H
#define LIBSCHED_PLACE_CALLS_H

#include "engine/state/transaction.h"

extern const lsched_act cycle_act; /* the calls that actions get: place_calls.c */

#endif
