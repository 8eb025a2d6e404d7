/*
 * plan_view.h -- prints one cycle of a scenario on a terminal or as JSON.
 */
#ifndef LSCHED_CLI_PLAN_VIEW_H
#define LSCHED_CLI_PLAN_VIEW_H

#include <stdbool.h>

#include <libsched/scenario.h>

#include "cli/support/json_writer.h"

/* Prints the decisions (one line per job, or per task with every_task), the jobs that wait with
 * their reasons, and what the queues hold after the cycle. */
void plan_print(FILE *out, const lsched_scenario_cycle *cycle, bool every_task);

/* Writes the same, with every decision, as an object into the open JSON array. */
void plan_json(struct json *json, const lsched_scenario_cycle *cycle);

/* Writes the members of a wait reason into the open JSON object. */
void waiting_json(struct json *json, const lsched_cluster *cluster, const lsched_waiting *waiting);

/* Returns the devices of a mask as text, such as "0-3,6", or "-" for none. The result is `out`. */
const char *device_list(uint32_t mask, char out[64]);

#endif
