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

int32_t wake_bundles(struct lsched_cycle *y);
int32_t wake_refresh(struct lsched_cycle *y);
/* Used while a pass continues: renews limits, entitlements and keys. Jobs that this would wake are
 * woken when the pass has ended. */
int32_t wake_refresh_rights(struct lsched_cycle *y);
int32_t wake_admit(struct lsched_cycle *y);
int64_t wake_next(const struct lsched_cluster *c);

#endif
