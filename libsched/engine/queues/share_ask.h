/*
 * share_ask.h -- computes what a queue is entitled to, outside of a cycle.
 *
 * The policy's share algorithm answers as in a cycle, on the present state. The algorithm keeps
 * only caches, so nothing changes. O(queues) per call; meant for people and reports.
 */
#ifndef LIBSCHED_SHARE_ASK_H
#define LIBSCHED_SHARE_ASK_H

#include "engine/state/cluster.h"

/* Returns 1 with both amounts, or 0 if the share algorithm knows no guarantees; both are then
 * unchanged. LSCHED_E_NOENT: the policy names an unknown share algorithm; LSCHED_E_NOMEM, or an
 * error of the share algorithm. The cluster must be marked busy, because the algorithm can belong
 * to the orchestrator. */
int32_t share_ask(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                  int64_t *fair_share, lsched_error *err);

/* Do the same for many queues: begin once, and if that returns 1, ask for each queue on the same
 * state. */
int32_t share_ask_begin(struct lsched_cluster *c, lsched_error *err);
int32_t share_ask_next(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                       int64_t *fair_share);

#endif
