/* run_actions.h -- carries out the changes of a step, each with calls of libsched.h. */
#ifndef LIBSCHED_RUN_ACTIONS_H
#define LIBSCHED_RUN_ACTIONS_H

#include "config/run/scenario_runner.h"

/* Allocates r->status for the statuses of a batch of n elements. */
int32_t run_status(struct runner *r, uint32_t n);
/* Carries out one action. */
int32_t run_action(struct runner *r, const struct action *action);
/* Replaces the state of the cluster by the state of a copy of it. `kind` is an enum reload_kind:
 * RELOAD_CLONE makes the copy with a clone, and RELOAD_SAVE saves an image and loads it. */
int32_t run_reload(struct runner *r, uint32_t kind, struct mark mark);

#endif
