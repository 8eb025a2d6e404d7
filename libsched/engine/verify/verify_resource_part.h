/*
 * verify_resource_part.h -- checks the use of resource parts: kinds that count a subset of another
 * resource kind, such as gpu:H100. The use of each queue must equal what the tasks of the queue and
 * of all queues below it hold. Also checks that each node is in the pools whose labels it has.
 */
#ifndef LIBSCHED_VERIFY_RESOURCE_PART_H
#define LIBSCHED_VERIFY_RESOURCE_PART_H

#include "model/check/check_finding.h"

/* Checks the use of resource parts by queues, and which nodes are in which pool. */
int32_t verify_resource_part(struct check *c);
/* Returns the amount of a resource part that a placed task holds, in base units. `d` is the part's
 * row in DERIVED, the table of resource parts. */
int64_t verify_resource_part_held(const struct columns *k, uint32_t task, uint32_t d);

#endif
