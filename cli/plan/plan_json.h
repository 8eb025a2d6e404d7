/*
 * plan_json.h -- writes the result of one cycle of a scenario as JSON.
 */
#ifndef LSCHED_CLI_PLAN_JSON_H
#define LSCHED_CLI_PLAN_JSON_H

#include <libsched/scenario.h>

#include "cli/support/json_writer.h"

/* Writes the plan and the queues after the cycle as one object into the JSON array that the caller
 * has opened. Unlike plan_print(), it writes every decision and does not group decisions. */
void plan_json(struct json *json, const lsched_scenario_cycle *cycle);

/* Writes the members of a wait reason into the JSON object that the caller has opened. */
void plan_json_waiting(struct json *json, const lsched_cluster *cluster,
                       const lsched_waiting *waiting);

#endif
