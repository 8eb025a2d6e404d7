/*
 * state.h -- all state of a cluster: the columns, and the caches that are decoded from them.
 *
 * Why not inside columns.h: the columns know no object, and the cache of machines decodes one.
 */
#ifndef LIBSCHED_STATE_H
#define LIBSCHED_STATE_H

#include "model/store/columns.h"

/* Empty columns and an empty cache of machines. LSCHED_E_NOMEM; then nothing is held. */
int32_t state_open(struct columns *k, struct alloc *alloc);
/* Frees everything. A cleared struct holds nothing. */
void state_close(struct columns *k);

#endif
