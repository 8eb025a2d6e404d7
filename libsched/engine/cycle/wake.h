/*
 * wake.h -- wakes the jobs that are tried again, computes values that depend on time again, admits
 * new jobs, and tells the time of the next cycle.
 *
 * The cost depends on the number of changes since the last cycle: nodes that gained room, queues
 * whose use has fallen, and wake times that have passed.
 */
#ifndef LIBSCHED_WAKE_H
#define LIBSCHED_WAKE_H

#include "engine/state/cycle_state.h"

int32_t wake_bundles(struct lsched_cycle *cy);
/* For tests and benchmarks: sets the largest number of bundles of one shape that wake all at once
 * when a node gains room. With UINT32_MAX, all bundles always do. */
void wake_all_max(struct lsched_cluster *c, uint32_t bundles);
int32_t wake_refresh(struct lsched_cycle *cy);
/* Called instead of wake_bundles and wake_refresh when a pass continues: computes limits,
 * entitlements and order keys again. Jobs that a refresh would wake are woken only after the pass
 * has ended. */
int32_t wake_refresh_rights(struct lsched_cycle *cy);
int32_t wake_admit(struct lsched_cycle *cy);
int64_t wake_next(const struct lsched_cluster *c);

#endif
