/* explain_start.h -- writes when a job can start, computed from the known ends of running work. */
#ifndef LIBSCHED_EXPLAIN_START_H
#define LIBSCHED_EXPLAIN_START_H

#include "engine/exclusions/explain_context.h"

/* Writes when the job can start, if this time can be computed from the known ends of other work or
 * is stored in the waiting record. Also sets `starts_us` and `starts_job` in the record. */
void explain_start(struct explain *e);
/* True if the job waits, and neither the end of all other work nor time alone lets it start: an
 * empty cluster of the present nodes would be too small, its queue would not be allowed to use so
 * much, or it waits for a person. Of a job with several groups or alternatives, only the last of
 * these is known. */
int explain_start_is_never(const struct explain *e);

#endif
