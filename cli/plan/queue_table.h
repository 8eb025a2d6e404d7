/*
 * queue_table.h -- prints a table of the queues with their use, quotas and limits.
 */
#ifndef LSCHED_CLI_QUEUE_TABLE_H
#define LSCHED_CLI_QUEUE_TABLE_H

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

/* Prints one line for each queue. Child queues are indented below their parent, in the order of
 * their names. The amounts are GPUs, or CPUs in a cluster without GPUs. If the policy computes
 * guarantees and fair shares, the table has columns for them. If the quotas of sibling queues add
 * up to more than their parent or the cluster has, an additional line says so. */
void queue_table_print(FILE *out, const lsched_cluster *cluster);
/* Writes the JSON array "queues" with the amounts of all resource kinds in base units. */
void queue_table_json(struct json *json, const lsched_cluster *cluster);

#endif
