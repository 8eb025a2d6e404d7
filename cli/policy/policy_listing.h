/*
 * policy_listing.h -- prints the properties of a loaded policy.
 */
#ifndef LSCHED_CLI_POLICY_LISTING_H
#define LSCHED_CLI_POLICY_LISTING_H

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

enum { POLICY_HOOK_NAMES_BYTES = 192 };

/* Returns `out`, with the names of the hooks, such as "priority, quota", or "none". */
const char *policy_hook_names(uint32_t hooks, char out[POLICY_HOOK_NAMES_BYTES]);
/* Writes the members name, hooks, placement, fair_share, order, pipeline and hash into the open
 * JSON object. */
void policy_json(struct json *json, const lsched_policy_info *info);
/* Writes the members eviction and usage into the open JSON object. */
void policy_settings_json(struct json *json, const lsched_policy_info *info);
/* Prints lines about eviction if an action of the policy can evict, and about past use if the
 * policy has a half-life or a window for it. */
void policy_settings_print(const lsched_policy_info *info);

#endif
