/* explain_array.h -- how many elements of an array have begun, and of which array a job is an
 * element, in words. */
#ifndef LIBSCHED_EXPLAIN_ARRAY_H
#define LIBSCHED_EXPLAIN_ARRAY_H

#include "engine/exclusions/explain_context.h"

/* Writes a line, unless the job is neither an array nor an element. */
void explain_array_put(const struct explain *e);

#endif
