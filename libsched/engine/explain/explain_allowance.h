/* explain_allowance.h -- why a job waits for an allowance (allowance.h). */
#ifndef LIBSCHED_EXPLAIN_ALLOWANCE_H
#define LIBSCHED_EXPLAIN_ALLOWANCE_H

#include <libsched/plans.h>

#include "engine/state/object_words.h"

/* Sets `have` of a record with LSCHED_WAIT_ALLOWANCE to what is left now. Cost: O(tasks of the
 * allowance). */
void explain_allowance_refresh(const struct columns *k, lsched_waiting *w);
void explain_allowance_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);

#endif
