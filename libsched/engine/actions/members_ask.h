/*
 * members_ask.h -- tells an action that asks for a node whether the group has a task to place: a
 * group of which not all tasks exist (members.h) has none if each task that exists has a place.
 */
#ifndef LIBSCHED_MEMBERS_ASK_H
#define LIBSCHED_MEMBERS_ASK_H

#include "engine/state/cycle_state.h"

/* Returns 1 and sets cy->turn.why if every task of the group that exists has a place, and others do
 * not exist yet. While a job finds new places for tasks that it lost, these tasks exist. Cost:
 * O(1). */
int members_ask_blocks(lsched_cycle *cy, const struct ask *a);

#endif
