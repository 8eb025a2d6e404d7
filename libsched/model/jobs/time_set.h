/*
 * time_set.h -- the latest time of the cluster, moved by an operator: forwards after the host
 * slept, backwards after a wrong clock was believed. Time moves by itself in cycles and reports
 * only, and never backwards.
 *
 * Afterwards NOW and SCHEDULED are the new time. What the state says has happened later than that -
 * starts, failures, evictions, proposals, samples - happened at the new time; what is expected
 * later keeps the distance that it had to the old NOW, none if that was past it. What waits for a
 * time is asked again by the next cycle, and timers are made anew there. So no time of the past
 * lies after NOW, which the verifier asks of proposals and use over time. Only times later than the
 * new time change: setting the clock forwards changes two words, unless work was imported with a
 * start that is still to come.
 *
 * Cost: one pass over jobs, tasks, decisions and queues. Why not a shift of all times by one
 * difference: a single wrong report moves NOW alone, and the other times were right.
 */
#ifndef LIBSCHED_TIME_SET_H
#define LIBSCHED_TIME_SET_H

#include "model/store/columns.h"

/* The caller rolls back on LSCHED_E_NOMEM. Taints keep the time that they came at: node_taints.h
 * moves those. */
int32_t time_set(struct columns *k, int64_t now);

#endif
