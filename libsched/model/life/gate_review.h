/*
 * gate_review.h -- what a cycle does with the gates of jobs (model/dependencies/gate.h): it tells
 * waiting jobs what has happened to others, opens gates, and removes jobs.
 *
 * The work follows what changed: a job that started or ended costs O(log n) for each job that
 * waits for it, and a gate that is due O(log n). A removal can be the event for which other jobs
 * wait, so the review goes on until nothing is due. Each turn settles a dependency, opens a gate,
 * or ends an expiry, and none of them comes back. Therefore the review ends.
 */
#ifndef LIBSCHED_GATE_REVIEW_H
#define LIBSCHED_GATE_REVIEW_H

#include "model/dependencies/gate.h"
#include "model/told/decision.h"

/* Does all that is due by `now`, and notes it in the change feed. Tells each decision that it
 * withdraws. Can return LSCHED_E_NOMEM. */
int32_t gate_review(struct columns *k, int64_t now, withdrawn_fn tell, void *user);
/* Keeps the distance of all times to the present time after the clock was set from `was` to `now`,
 * and parks the jobs that a new clock woke. Can return LSCHED_E_NOMEM. */
int32_t gate_review_move(struct columns *k, int64_t was, int64_t now);

#endif
