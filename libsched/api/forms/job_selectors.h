/*
 * job_selectors.h -- evaluates device selectors: once for each pair of a selector and a device
 * class, when the later of the two is added.
 *
 * The answers are part of the state (model/shapes/device_selector.h), so that no cycle evaluates a
 * selector. If a selector is refused, the job is refused. A device class is never refused because
 * of a selector: if a selector fails for a later class, the class does not match, and
 * lsched_explain says why.
 */
#ifndef LIBSCHED_JOB_SELECTORS_H
#define LIBSCHED_JOB_SELECTORS_H

#include "engine/state/cluster.h"

/* Must be called after the job, or the shape, was added: evaluates new selectors and checks that
 * the attributes they name exist. */
int32_t job_selectors_of_job(struct lsched_cluster *c, uint32_t job, lsched_error *err);
int32_t job_selectors_of_shape(struct lsched_cluster *c, uint32_t shape, lsched_error *err);
/* Must be called after the node was added: evaluates all selectors for device classes interned
 * after `serial`, which is the former M_SERIAL. */
int32_t job_selectors_of_node(struct lsched_cluster *c, uint32_t node, uint64_t serial,
                              lsched_error *err);
/* After a load: checks that every selector gives the answer that the image contains. Without LuaJIT
 * the answers of the image are accepted. Error: LSCHED_E_CORRUPT. */
int32_t job_selectors_verify(struct lsched_cluster *c, lsched_error *err);
void job_selectors_close(struct lsched_cluster *c);

#endif
