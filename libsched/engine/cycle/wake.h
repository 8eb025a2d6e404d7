/*
 * wake.h -- which jobs are tried again, the refresh of what depends on time, the admission of new
 * jobs, and the time of the next cycle.
 *
 * The cost follows the changes since the last cycle: nodes that gained room, queues that gave back
 * use, times that have come.
 */
#ifndef LIBSCHED_WAKE_H
#define LIBSCHED_WAKE_H

#include "engine/state/cycle_state.h"

int32_t cycle_wake(struct lsched_cycle *y);
int32_t cycle_refresh(struct lsched_cycle *y);
/* Used while a pass continues: renews limits, entitlements and keys. Jobs that this would wake are
 * woken when the pass has ended. */
int32_t cycle_refresh_rights(struct lsched_cycle *y);
int32_t cycle_admit(struct lsched_cycle *y);
int64_t cycle_next_wake(const struct lsched_cluster *c);

#endif
