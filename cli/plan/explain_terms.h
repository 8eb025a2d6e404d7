/*
 * explain_terms.h -- what the policy's hooks say of one job, summand by summand.
 */
#ifndef LSCHED_CLI_EXPLAIN_TERMS_H
#define LSCHED_CLI_EXPLAIN_TERMS_H

#include <libsched/libsched.h>

struct json;

/* Lines such as "  score of node-3: 12.5 = 10 * node.gpu_free (15) - node.price (2.5)": the job's
 * priority, and its score of the nodes that it is on (the first few), else of the node with the
 * best one. Nothing without such hooks. */
void explain_terms_print(lsched_cluster *cluster, lsched_id job, int64_t now_us);
/* The same as the array "terms". */
void explain_terms_json(struct json *json, lsched_cluster *cluster, lsched_id job, int64_t now_us);

#endif
