/*
 * time_set.h -- sets the latest time of the cluster by order of an operator: forwards after the
 * orchestrator slept, backwards after it used a wrong clock. Otherwise time advances only with
 * cycles and reports, and never goes backwards.
 *
 * Afterwards NOW and SCHEDULED are the new time. A past event that the state dates later than the
 * new time - a start, failure, eviction, proposal or sample - is dated to the new time. An
 * expected event that is later than the new time keeps its distance to the old NOW; if it was due
 * at the old NOW, it is due at the new time. The next cycle tries the jobs that wait for a time
 * again, and makes all timers again. So no past event is dated after NOW, which the verifier
 * requires of proposals and of use over time. Only times later than the new time change: setting
 * the clock forwards changes two words, unless work was imported with a start in the future.
 *
 * Cost: one pass over jobs, tasks, decisions and queues. Why not shift all times by one
 * difference: a single wrong report moves NOW alone, and the other times were correct.
 */
#ifndef LIBSCHED_TIME_SET_H
#define LIBSCHED_TIME_SET_H

#include "model/store/columns.h"

/* Sets the clock. After LSCHED_E_NOMEM the caller rolls back. The times at which taints came are
 * set by node_taints.h. */
int32_t time_set(struct columns *k, int64_t now);

#endif
