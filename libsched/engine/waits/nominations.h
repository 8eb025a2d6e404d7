/*
 * nominations.h -- tasks with a claim on room that comes free: who gets the room, and whose claim
 * ends.
 */
#ifndef LIBSCHED_NOMINATIONS_H
#define LIBSCHED_NOMINATIONS_H

#include "engine/state/withdraw.h"

/* Once per cycle, before the actions: room that came free goes to who has the claim on it. */
int32_t cycle_claims(struct lsched_cycle *y);
/* True if the job waits for nobody: all that it has claims on is free or on its way. */
int claims_wait_for_nobody(const struct columns *k, uint32_t job);
/* Nodes where what the job has claims on has come free are looked at again.
 * LSCHED_E_NOMEM. */
int32_t claims_look_again(struct lsched_cycle *y, uint32_t job);

#endif
