/*
 * by_name.h -- sorts jobs by name, because the order of decisions must not depend on the order of
 * the jobs' rows. Cost: O(n log n) comparisons; no memory is allocated.
 */
#ifndef LIBSCHED_BY_NAME_H
#define LIBSCHED_BY_NAME_H

#include "model/store/columns.h"

void by_name_sort(const struct columns *k, uint32_t *jobs, uint32_t n);

#endif
