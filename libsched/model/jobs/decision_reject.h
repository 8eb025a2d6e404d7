/*
 * decision_reject.h -- undoes decisions that the orchestrator rejects or the library withdraws,
 * also because the orchestrator has not settled them by the end of their life.
 *
 * A task that was to start waits again, and a task that was to stop runs on. If a task runs on,
 * nominations on its node for which there is no room any more are withdrawn. Cost: O(open
 * decisions of the decision group). Only if undoing a decision removes the decision that precedes
 * the group in the list, the cost is O(all open decisions).
 */
#ifndef LIBSCHED_DECISION_REJECT_H
#define LIBSCHED_DECISION_REJECT_H

#include "model/jobs/losses.h"
#include "model/told/decision.h"

/* Undoes a decision that the orchestrator rejects or that the library withdraws, and applies the
 * gang rule to its job (job_settle_losses). If the decision group has evictions or nominations,
 * all decisions of the group that are still pending are undone, too. */
int32_t decision_reject(struct columns *k, uint32_t decision, int64_t now, withdrawn_fn tell,
                        void *user);

/* Undoes the proposals whose life ends at the time `at` or before: of each of their decision groups
 * all decisions that are still proposed. Each is reported through `tell`, and the change feed says
 * that it expired. Error: LSCHED_E_NOMEM. */
int32_t decision_reject_expired(struct columns *k, int64_t at, int64_t now, withdrawn_fn tell,
                                void *user);

#endif
