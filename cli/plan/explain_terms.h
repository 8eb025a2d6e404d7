/*
 * explain_terms.h -- prints the values that the policy's hooks return for one job, with their
 * summands.
 */
#ifndef LSCHED_CLI_EXPLAIN_TERMS_H
#define LSCHED_CLI_EXPLAIN_TERMS_H

#include <libsched/libsched.h>

struct json;

/* Prints lines such as " score of node-3: 12.5 = 10 * node.gpu_free (15) - node.price (2.5)": the
 * job's priority, and its score for the first few nodes that the job is on. If the job is on no
 * node, the score is for the node with the highest one. Prints nothing if the policy has no such
 * hooks. */
void explain_terms_print(lsched_cluster *cluster, lsched_id job, int64_t now_us);
/* Writes the same values as the JSON array "terms". */
void explain_terms_json(struct json *json, lsched_cluster *cluster, lsched_id job, int64_t now_us);

#endif
