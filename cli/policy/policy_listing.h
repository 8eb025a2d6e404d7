/*
 * policy_listing.h -- prints the properties of a loaded policy.
 */
#ifndef LSCHED_CLI_POLICY_LISTING_H
#define LSCHED_CLI_POLICY_LISTING_H

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

enum { POLICY_HOOK_NAMES_BYTES = 192 };

/* Writes the names of the hooks in the mask `hooks` to `out`, such as "priority, quota", or "none".
 * Returns `out`. */
const char *policy_hook_names(uint32_t hooks, char out[POLICY_HOOK_NAMES_BYTES]);
/* Writes the members name, hooks, placement, fair_share, order, pipeline and hash into the JSON
 * object that the caller has opened. */
void policy_json(struct json *json, const lsched_policy_info *info);
/* Writes the members eviction and usage into the JSON object that the caller has opened. */
void policy_settings_json(struct json *json, const lsched_policy_info *info);
/* Prints the settings for evictions if an action of the policy can evict tasks. Prints the settings
 * for the past use of queues if the policy has a half-life or a window for it. */
void policy_settings_print(const lsched_policy_info *info);

#endif
