/*
 * queue_table.h -- prints what queues hold, and their quotas and limits.
 */
#ifndef LSCHED_CLI_QUEUE_TABLE_H
#define LSCHED_CLI_QUEUE_TABLE_H

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

/* Prints a line per queue, children indented below their parents, in the order of the names. The
 * amounts are GPUs, or CPUs in a cluster without GPUs. Guarantees and fair shares have columns if
 * the policy computes them. Quotas that add up to more than there is get a line of their own. */
void queue_table_print(FILE *out, lsched_cluster *cluster);
/* Writes the JSON array "queues" with all resource kinds in base units. */
void queue_table_json(struct json *json, lsched_cluster *cluster);

#endif
