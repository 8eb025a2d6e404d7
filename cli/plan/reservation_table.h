/*
 * reservation_table.h -- prints a table of the reservations of a cluster, with the window of each
 * that is open or comes next.
 */
#ifndef LSCHED_CLI_RESERVATION_TABLE_H
#define LSCHED_CLI_RESERVATION_TABLE_H

#include <stdio.h>

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

/* Prints one line for each reservation, in the order of their names, and a heading. Prints nothing
 * if the cluster has no reservation. */
void reservation_table_print(FILE *out, const lsched_cluster *cluster, int64_t now_us);
/* Writes the JSON array "reservations" in the order of their names. */
void reservation_table_json(struct json *json, const lsched_cluster *cluster);

#endif
