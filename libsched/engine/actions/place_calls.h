/*
 * place_calls.h -- the calls of lsched_act with which an action gets the next job, finds nodes,
 * places tasks, and keeps or undoes its transaction; every placement is checked here. The file also
 * has the table of all calls of lsched_act, which the engine hands to an action.
 */
#ifndef LIBSCHED_PLACE_CALLS_H
#define LIBSCHED_PLACE_CALLS_H

#include "engine/state/transaction.h"

extern const lsched_act cycle_act;

#endif
