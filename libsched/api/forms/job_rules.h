/*
 * job_rules.h -- converts a group's tolerations, node affinity, job affinity and exclusive level
 * from the orchestrator's structs to canonical bytes, whose format is described in
 * model/shapes/node_rules.h.
 *
 * All errors of the orchestrator are found here. Therefore the code that decodes the bytes need
 * not check them.
 */
#ifndef LIBSCHED_JOB_RULES_H
#define LIBSCHED_JOB_RULES_H

#include <libsched/libsched.h>

#include "model/store/intern.h"

/* Appends the bytes to *out, nothing if the group has no rules. `exclusive` is the group with the
 * exclusive level of the tasks: the leaf group itself, or one around it. where: name of the group
 * for messages. */
int32_t job_rules_read(const struct columns *k, const lsched_group_desc *g,
                       const lsched_group_desc *exclusive, struct bytes *out, const char *where,
                       lsched_error *err);
/* Reads labels into sorted[], sorted by key; it is an error if a key occurs twice. It is used for
 * the labels of jobs, pools and affinity rules. where: words for messages, such as the name of
 * the job. */
int32_t job_rules_labels(const lsched_label *labels, uint32_t n, uint32_t most,
                         lsched_label *sorted, const char *where, lsched_error *err);

#endif
