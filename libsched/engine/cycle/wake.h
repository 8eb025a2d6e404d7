/*
 * wake.h -- who is asked again, what depends on time, who is admitted, and when the next cycle is
 * due.
 *
 * Costs follow what changed since the last cycle: nodes that gained room, queues that gave
 * something back, times that have come.
 */
#ifndef LIBSCHED_WAKE_H
#define LIBSCHED_WAKE_H

#include "engine/state/cycle_state.h"

int32_t cycle_wake(struct lsched_cycle *y);
int32_t cycle_refresh(struct lsched_cycle *y);
/* In the middle of a pass: limits, rights and keys as they are now. Who wakes for them wakes when
 * the pass has ended. */
int32_t cycle_refresh_rights(struct lsched_cycle *y);
int32_t cycle_admit(struct lsched_cycle *y);
int64_t cycle_next_wake(const struct lsched_cluster *c);

#endif
