/*
 * share_ask.h -- computes the guarantee and the fair share of a queue outside of a cycle.
 *
 * The policy's share algorithm computes the amounts from the present state, as in a cycle. A share
 * algorithm stores nothing but caches, therefore the call changes no state. The call costs
 * O(queues). It is meant for reports that people read, not for cycles.
 */
#ifndef LIBSCHED_SHARE_ASK_H
#define LIBSCHED_SHARE_ASK_H

#include "engine/state/cluster.h"

/* Returns 1 and sets *guarantee and *fair_share, in base units of the resource kind. Returns 0 and
 * sets neither of them if the share algorithm knows no guarantees. Errors: LSCHED_E_NOENT if the
 * policy names an unknown share algorithm; LSCHED_E_NOMEM; an error of the share algorithm. Before
 * the call, the caller has marked the cluster as busy, because the share algorithm can belong to
 * the orchestrator. */
int32_t share_ask(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                  int64_t *fair_share, lsched_error *err);

/* Do the same for many queues on one state. Call share_ask_begin once; if it returns 1, call
 * share_ask_next for each queue. */
int32_t share_ask_begin(struct lsched_cluster *c, lsched_error *err);
int32_t share_ask_next(struct lsched_cluster *c, uint32_t queue, uint32_t kind, int64_t *guarantee,
                       int64_t *fair_share);

#endif
