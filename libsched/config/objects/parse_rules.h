/* parse_rules.h -- reads taints, tolerations, affinity rules, and labels of jobs. */
#ifndef LIBSCHED_PARSE_RULES_H
#define LIBSCHED_PARSE_RULES_H

#include "config/read/field_reader.h"

/* Each function appends to `list`, a struct scn_list. The elements of the list are:
 *   read_taints        lsched_taint
 *   read_toleration    lsched_toleration; the function reads a single toleration
 *   read_affinity      lsched_node_affinity
 *   read_job_rule      lsched_job_affinity; the function reads a single rule
 *   read_plain_labels  lsched_label */
int32_t read_taints(struct field_reader *r, uint32_t value, void *list);
int32_t read_toleration(struct field_reader *r, uint32_t value, void *list);
int32_t read_affinity(struct field_reader *r, uint32_t value, void *list);
int32_t read_job_rule(struct field_reader *r, uint32_t value, void *list);
int32_t read_plain_labels(struct field_reader *r, uint32_t value, void *list);

#endif
