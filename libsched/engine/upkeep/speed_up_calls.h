/*
 * speed_up_calls.h -- moves of running jobs to devices on which their kind of work runs faster
 * (algorithm_act.h, speed_up).
 *
 * A job moves if the time that it saves is more than the price of the move. The time saved is what
 * is left of its expected run time, times the part by which the new devices are faster by the table
 * `speeds` of the policy. The price is the time in which the job does not get on: the time to stop,
 * the restart cost, the work since the last checkpoint, one minute, and what the policy adds.
 *
 * Always holds: what moves is what a consolidation may move (victim_verdict.h), and the new devices
 * are free when it has left its place. No job that waits could run on the new node, whatever it
 * waits for, so nobody who waits loses room. A task that has not been in its place for the least
 * time stays. A move is one transaction: it is kept as a whole or rolled back.
 *
 * Only jobs with one running task move, and only tasks that amounts and devices describe. Why not
 * gangs: their speed is that of the slowest task, so all tasks would have to find room at once; a
 * search for such room is a packing problem, and half a move would be a loss.
 *
 * Cost: O(jobs + nodes x shapes that wait), and for each job that could gain O(nodes x devices).
 *
 * The function is linked only into builds that have actions that plan over time: without LuaJIT no
 * policy has speeds.
 */
#ifndef LIBSCHED_SPEED_UP_CALLS_H
#define LIBSCHED_SPEED_UP_CALLS_H

#include "engine/state/cycle_state.h"

#if defined(LSCHED_NO_PACK)
#define SPEED_UP_CALL NULL
#else
#define SPEED_UP_CALL call_speed_up
int32_t call_speed_up(lsched_cycle *cy, int64_t price_us, int64_t stay_us);
#endif

#endif
