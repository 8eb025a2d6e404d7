/*
 * verify_arrays.h -- checks what job arrays count, and the names of their elements.
 *
 * The numbers are counted again from the jobs. Cost: O(jobs + arrays), and memory for one number
 * for each array.
 */
#ifndef LIBSCHED_VERIFY_ARRAYS_H
#define LIBSCHED_VERIFY_ARRAYS_H

#include "model/check/check_finding.h"

/* Returns the number of jobs for which a job stands: that of an array's elements without a job. */
static inline uint32_t verify_arrays_jobs(const struct columns *k, uint32_t job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    if (a == NO_ROW || k->c[C_ARRAY_JOB].u32[a] != job) return 1;
    return k->c[C_ARRAY_COUNT].u32[a] - k->c[C_ARRAY_NEXT].u32[a];
}
/* Checks that each array counts its elements, that it has no tasks, that it is in the phase of
 * arrays if and only if all its elements have begun, and that its elements have names of it. */
int32_t verify_arrays(struct check *c);

#endif
