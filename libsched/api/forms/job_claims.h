/*
 * job_claims.h -- where selectors of devices are asked: once for each pair of a selector and a
 * class of devices, when the later of the two comes. What they say is kept in the state
 * (model/shapes/device_selector.h), so a cycle never asks.
 *
 * A selector that is refused refuses the job. A class that comes later is never refused for what
 * selectors say of it: where one fails, the class is not taken, and an explanation tells why.
 */
#ifndef LIBSCHED_JOB_CLAIMS_H
#define LIBSCHED_JOB_CLAIMS_H

#include "engine/state/cluster.h"

/* After the job, or the shape, was added: selectors that are new, attributes that must exist. */
int32_t claims_of_job(struct lsched_cluster *c, uint32_t job, lsched_error *err);
int32_t claims_of_shape(struct lsched_cluster *c, uint32_t shape, lsched_error *err);
/* After the node was added: classes interned after `serial`, which was M_SERIAL before. */
int32_t claims_of_node(struct lsched_cluster *c, uint32_t node, uint64_t serial, lsched_error *err);
/* After a load: does every selector say what the image says it said. Without LuaJIT the image is
 * believed. LSCHED_E_CORRUPT. */
int32_t claims_verify(struct lsched_cluster *c, lsched_error *err);
void claims_close(struct lsched_cluster *c);

#endif
