/*
 * queue_table.h -- what queues hold against what they are promised.
 */
#ifndef LSCHED_CLI_QUEUE_TABLE_H
#define LSCHED_CLI_QUEUE_TABLE_H

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

/* A line per queue, children below their parents and indented, names in order: GPUs, or CPUs
 * where there is no GPU. Guarantees and fair shares have columns if the policy knows them; promises
 * that add up to more than there is have a line. */
void queue_table_print(FILE *out, lsched_cluster *cluster);
/* The array "queues" with all resource kinds in base units. */
void queue_table_json(struct json *json, lsched_cluster *cluster);

#endif
