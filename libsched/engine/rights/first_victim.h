/*
 * first_victim.h -- which running work is evicted before all other work.
 *
 * Two things make work a first victim: an allowance of its queue is spent that says so
 * (LSCHED_SPENT_FIRST_VICTIM), or its job has run for longer than its soft limit. Both mean that
 * the work has had what it was promised and runs on only because nobody needed its room yet. The
 * orders of victim_key.h compare this after guarantees and before priorities.
 *
 * Being a first victim says nothing of whether the work may be evicted: victim_verdict.h and
 * victim_protect.h decide that. Cost: O(depth of the queue + leaf groups of the job).
 */
#ifndef LIBSCHED_FIRST_VICTIM_H
#define LIBSCHED_FIRST_VICTIM_H

#include "engine/state/running_work.h"
#include "engine/rights/victim_state.h"

int first_victim_is(const struct lsched_cycle *cy, uint32_t job);
/* True if a task of the class can be a first victim. */
int first_victim_may_be(const struct lsched_cycle *cy, const struct running_class *class);

#endif
