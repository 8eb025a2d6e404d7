/* explain_start.h -- writes when a job can start, computed from the known ends of running work. */
#ifndef LIBSCHED_EXPLAIN_START_H
#define LIBSCHED_EXPLAIN_START_H

#include "engine/explain/explain_context.h"

/* Writes when the job can start, if this time can be computed from the known ends of other work or
 * is stored in the waiting record. Also sets `starts_us` and `starts_job` in the record. */
void explain_start(struct explain *e);

#endif
