/*
 * job_selectors.h -- evaluates device selectors: once for each pair of a selector and a device
 * class, when a new selector or a new device class is added.
 *
 * The answers are part of the state (model/shapes/device_selector.h), so that no cycle evaluates
 * a selector. If a new selector has an error, its job is refused. A new device class is never
 * refused because of a selector: if a selector fails for the new class, the class does not match
 * the selector, and lsched_explain says why.
 */
#ifndef LIBSCHED_JOB_SELECTORS_H
#define LIBSCHED_JOB_SELECTORS_H

#include "engine/state/cluster.h"

/* Evaluate the new selectors of a job or of a task shape, and check that the attributes that the
 * selectors name exist. Must be called after the job or the shape was added. */
int32_t job_selectors_of_job(struct lsched_cluster *c, uint32_t job, lsched_error *err);
int32_t job_selectors_of_shape(struct lsched_cluster *c, uint32_t shape, lsched_error *err);
/* Evaluates all selectors for the new device classes of a node: those with a serial number above
 * `serial`. Must be called after the node was added. serial: M_SERIAL before the node was added. */
int32_t job_selectors_of_node(struct lsched_cluster *c, uint32_t node, uint64_t serial,
                              lsched_error *err);
/* Checks, after a load, that every selector gives the answers that the image has. Error:
 * LSCHED_E_CORRUPT. Without LuaJIT, the answers in the image are accepted without a check. */
int32_t job_selectors_verify(struct lsched_cluster *c, lsched_error *err);
void job_selectors_close(struct lsched_cluster *c);

#endif
