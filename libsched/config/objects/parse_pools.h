/* parse_pools.h -- reads `pools:` (named sets of nodes) and `resource_parts:` (parts of resource
 * kinds that can have quotas and limits of their own). */
#ifndef LIBSCHED_PARSE_POOLS_H
#define LIBSCHED_PARSE_POOLS_H

#include "config/objects/step_reader.h"

/* In each function `step` is a struct step_reader *. */
int32_t read_pools(struct field_reader *r, uint32_t value, void *step);
int32_t read_parts(struct field_reader *r, uint32_t value, void *step);

#endif
