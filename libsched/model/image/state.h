/*
 * state.h -- all state of a cluster: the columns, and the caches that are decoded from them.
 *
 * Why not inside columns.h: the columns know no objects, and the cache of machines decodes one
 * kind of object.
 */
#ifndef LIBSCHED_STATE_H
#define LIBSCHED_STATE_H

#include "model/store/columns.h"

/* Opens empty columns and an empty cache of machines. After LSCHED_E_NOMEM nothing is held. */
int32_t state_open(struct columns *k, struct alloc *alloc);
/* Frees everything. A struct of zeros holds nothing and can be closed. */
void state_close(struct columns *k);

#endif
