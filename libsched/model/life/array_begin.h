/*
 * array_begin.h -- gives the next element of an array a job of its own.
 *
 * The job has the fields of the array, the order key that the array has, and its place in the
 * bundle, where it comes before the array. The policy is not asked about the job: it has admitted
 * the array, and an element differs from it in the name alone. What counts jobs changes by nothing.
 * Cost: that of a new job, O(log n).
 */
#ifndef LIBSCHED_ARRAY_BEGIN_H
#define LIBSCHED_ARRAY_BEGIN_H

#include "model/arrays/array.h"

/* The array is in an active bundle, and one of its elements has not begun. Sets *job to the new
 * job. Can return LSCHED_E_NOMEM. */
int32_t array_begin(struct columns *k, uint32_t array, uint32_t *job);

#endif
