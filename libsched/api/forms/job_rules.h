/*
 * job_rules.h -- a group's tolerations, terms about nodes and terms about jobs, from the host's
 * structs to the canonical bytes that model/shapes/node_rules.h describes. All that could be wrong
 * is found here; what is decoded later is sound.
 */
#ifndef LIBSCHED_JOB_RULES_H
#define LIBSCHED_JOB_RULES_H

#include <libsched/libsched.h>

#include "model/store/intern.h"

/* Appends to out, which stays empty where the group has no rules. `where` stands in messages. */
int32_t job_rules_read(const struct columns *k, const lsched_group_desc *g, struct bytes *out,
                       const char *where, lsched_error *err);
/* The labels of a job or, with another word for `what`, of a pool: sorted by key into sorted[],
 * keys unique. */
int32_t job_rules_labels(const lsched_label *labels, uint32_t n, uint32_t most,
                         lsched_label *sorted, const char *where, lsched_error *err);

#endif
