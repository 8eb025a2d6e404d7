/*
 * job_rules.h -- encodes a group's tolerations, node affinity and job affinity: from the
 * orchestrator's structs to the canonical bytes that model/shapes/node_rules.h describes.
 *
 * All errors are found here, so that the decoder need not check the bytes.
 */
#ifndef LIBSCHED_JOB_RULES_H
#define LIBSCHED_JOB_RULES_H

#include <libsched/libsched.h>

#include "model/store/intern.h"

/* Appends to out; out stays empty if the group has no rules. `where` names the group in
 * messages. */
int32_t job_rules_read(const struct columns *k, const lsched_group_desc *g, struct bytes *out,
                       const char *where, lsched_error *err);
/* Reads the labels of a job or, with another word for `what`, of a pool into sorted[], sorted by
 * key; keys are unique. */
int32_t job_rules_labels(const lsched_label *labels, uint32_t n, uint32_t most,
                         lsched_label *sorted, const char *where, lsched_error *err);

#endif
