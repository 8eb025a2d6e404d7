/*
 * hook_values.h -- prints the values that the hooks `priority` and `score` of the policy return for
 * one job, and the summands of each value.
 */
#ifndef LSCHED_CLI_HOOK_VALUES_H
#define LSCHED_CLI_HOOK_VALUES_H

#include <libsched/libsched.h>

struct json;

/* Prints the job's priority, and the job's score for the first few nodes on which it has tasks, in
 * lines such as " score of node-3: 12.5 = 10 * node.gpu_free (15) - node.price (2.5)". If the job
 * has no task on a node, prints the score for the node with the highest score. Prints nothing if
 * the policy has neither hook. */
void hook_values_print(const lsched_cluster *cluster, lsched_id job, int64_t now_us);
/* Writes the values that hook_values_print() prints as the JSON array "terms". */
void hook_values_json(struct json *json, const lsched_cluster *cluster, lsched_id job,
                      int64_t now_us);

#endif
