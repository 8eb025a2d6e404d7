/*
 * nominations.h -- nominated tasks: which of them get room that came free, which nominations end,
 * and which evictions are taken back because no nomination needs them any more.
 */
#ifndef LIBSCHED_NOMINATIONS_H
#define LIBSCHED_NOMINATIONS_H

#include "engine/state/withdraw_decision.h"

/* Must be called once per cycle, before the actions: nominated tasks take room that came free. */
int32_t nominations_serve(struct lsched_cycle *y);
/* True if the job waits for no other task: the room of all its nominations is free or on its
 * way. */
int nominations_wait_for_nobody(const struct columns *k, uint32_t job);
/* Marks the nodes where the room of a nomination of the job has come free, so that the next cycle
 * looks at them. Error: LSCHED_E_NOMEM. */
int32_t nominations_look_again(struct lsched_cycle *y, uint32_t job);

#endif
