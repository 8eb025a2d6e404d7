/*
 * event_policies.h -- the texts of the policies of event_world.h that are not ready-made ones: the
 * action allocate alone, and the policies of the laws of cost with the action evict-overdue.
 */
#ifndef LSCHED_BENCH_EVENT_POLICIES_H
#define LSCHED_BENCH_EVENT_POLICIES_H

#include "support/event_world.h"

/* Returns the text of the policy of the world; NULL: it is the ready-made one of that name. */
const char *event_policy_text(const struct event_size *size, const char *name);

#endif
