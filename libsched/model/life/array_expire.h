/*
 * array_expire.h -- the elements of an array that have not begun are over, because their expiry has
 * come, or because a dependency can never be met.
 *
 * They end without success and are counted as removed, as jobs would. An element that has begun has
 * an expiry of its own and no dependency, and the array exists until the last of them has ended.
 */
#ifndef LIBSCHED_ARRAY_EXPIRE_H
#define LIBSCHED_ARRAY_EXPIRE_H

#include "model/arrays/array.h"

/* Elements of the array have begun and have not ended. Can return LSCHED_E_NOMEM. Cost: O(log n)
 * and the dependencies. */
int32_t array_expire(struct columns *k, uint32_t array);

#endif
