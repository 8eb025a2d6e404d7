/*
 * policy_hooks.h -- what a loaded policy is, in words.
 */
#ifndef LSCHED_CLI_POLICY_HOOKS_H
#define LSCHED_CLI_POLICY_HOOKS_H

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

enum { POLICY_HOOK_NAMES_BYTES = 192 };

/* "priority, quota", or "none"; returns out. */
const char *policy_hook_names(uint32_t hooks, char out[POLICY_HOOK_NAMES_BYTES]);
/* The members name, hooks, placement, fair_share, order, pipeline, hash of the object that is
 * open. */
void policy_json(struct json *json, const lsched_policy_info *info);
/* The members eviction and usage. */
void policy_settings_json(struct json *json, const lsched_policy_info *info);
/* Lines of text about eviction, if an action could evict, and about usage, if it fades. */
void policy_settings_print(const lsched_policy_info *info);

#endif
