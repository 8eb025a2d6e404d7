/* node_copy.h -- adds a node that equals an existing one, except in its name, and has no tasks. */
#ifndef LIBSCHED_NODE_COPY_H
#define LIBSCHED_NODE_COPY_H

#include "model/nodes/node.h"

/* The copy is ready, and its MIG devices have no instances yet. Returns LSCHED_OK, LSCHED_E_NOMEM
 * or LSCHED_E_LIMIT; after an error the caller must roll back. */
int32_t node_copy(struct columns *k, uint32_t node, lsched_text name, uint32_t *out);

#endif
