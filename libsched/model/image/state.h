/*
 * state.h -- all state of a cluster: the columns, and the caches that are decoded from them.
 *
 * Why these functions are not in columns.h: columns.h knows no kinds of objects, but the cache of
 * machines does.
 */
#ifndef LIBSCHED_STATE_H
#define LIBSCHED_STATE_H

#include "model/store/columns.h"

/* Opens empty columns and an empty cache of machines. After LSCHED_E_NOMEM, no memory is held. */
int32_t state_open(struct columns *k, struct alloc *alloc);
/* Frees all memory of *k. Can be called for a struct that is filled with zeros. */
void state_close(struct columns *k);

#endif
