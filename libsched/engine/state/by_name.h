/*
 * by_name.h -- jobs in the order of their names: decisions do not come in the order of rows.
 * O(n log n) comparisons, no memory.
 */
#ifndef LIBSCHED_BY_NAME_H
#define LIBSCHED_BY_NAME_H

#include "model/store/columns.h"

void by_name_sort(const struct columns *k, uint32_t *jobs, uint32_t n);

#endif
