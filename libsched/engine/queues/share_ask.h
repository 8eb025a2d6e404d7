/*
 * share_ask.h -- what a queue has a right to, asked outside of a cycle: the policy's share answers
 * as it would in a cycle, on the present state.
 * It keeps caches only, so nothing changes. O(queues) per call, which is for people and reports.
 */
#ifndef LIBSCHED_SHARE_ASK_H
#define LIBSCHED_SHARE_ASK_H

#include "engine/state/cluster.h"

/* 1; 0 if the share knows no guarantees, and both are as they were; LSCHED_E_NOENT if the policy
 * names a share that is not there, LSCHED_E_NOMEM, or what the share says. The cluster must be
 * marked busy: a share of the host's may be asked. */
int32_t share_ask(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                  int64_t *fair_share, lsched_error *err);

/* The same for many queues: begin once, and if that says 1, ask for each on the same state. */
int32_t share_ask_begin(struct lsched_cluster *c, lsched_error *err);
int32_t share_ask_next(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                       int64_t *fair_share);

#endif
