/*
 * plan_view.h -- one cycle of a scenario on a terminal, and as JSON.
 */
#ifndef LSCHED_CLI_PLAN_VIEW_H
#define LSCHED_CLI_PLAN_VIEW_H

#include <stdbool.h>

#include <libsched/scenario.h>

#include "cli/support/json_writer.h"

/* What is decided (one line per job, or per task with every_task), what waits and why, and what
 * queues hold then. */
void plan_print(FILE *out, const lsched_scenario_cycle *cycle, bool every_task);

/* The same as an object of the array that is open, with every decision. */
void plan_json(struct json *json, const lsched_scenario_cycle *cycle);

/* The members of a reason to wait. The object must be open. */
void waiting_json(struct json *json, const lsched_cluster *cluster, const lsched_waiting *waiting);

/* "0-3,6" for the devices of a mask; "-" for none. Returns out. */
const char *device_list(uint32_t mask, char out[64]);

#endif
