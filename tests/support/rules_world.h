/* rules_world.h -- nodes with taints and a bound on tasks, jobs with labels, tolerations and terms: part of world_fill(). */
#ifndef LSCHED_TESTS_RULES_WORLD_H
#define LSCHED_TESTS_RULES_WORLD_H

#include "support/model_world.h"

/* Node "ruled" (taint hot that stops, taint old to avoid, at most 9 tasks, rack of its own) has a task of job "ruled", which tolerates all, and
 * one of job "stray", which was there before the taints; node "draining" drains; job "lonely" waits for a neighbour. */
int32_t rules_fill(struct model_world *w);

#endif
