/*
 * policy_hooks.c -- see policy_hooks.h.
 */
#include "policy_hooks.h"

#include <string.h>

static const struct {
    uint32_t bit;
    const char *name;
} hook_names[] = {
    {LSCHED_HOOK_PRIORITY, "priority"}, {LSCHED_HOOK_QUOTA, "quota"},
    {LSCHED_HOOK_WEIGHT, "weight"},     {LSCHED_HOOK_ADMIT, "admit"},
    {LSCHED_HOOK_FILTER, "filter"},     {LSCHED_HOOK_SCORE, "score"},
};
enum { HOOKS = sizeof hook_names / sizeof hook_names[0] };

const char *policy_hook_names(uint32_t hooks, char out[128]) {
    out[0] = '\0';
    for (size_t i = 0; i < HOOKS; i++) {
        if ((hooks & hook_names[i].bit) == 0) continue;
        if (out[0] != '\0') strcat(out, ", ");
        strcat(out, hook_names[i].name);
    }
    return out[0] != '\0' ? out : strcpy(out, "none");
}

void policy_json(struct json *json, const lsched_policy_info *info) {
    json_string(json, "name", info->name);
    json_array(json, "hooks", JSON_LINE);
    for (size_t i = 0; i < HOOKS; i++) {
        if ((info->hooks & hook_names[i].bit) != 0) json_string(json, NULL, hook_names[i].name);
    }
    json_close(json);
    json_string(json, "placement", info->placement);
    json_string(json, "fair_share", info->fair_share);
    json_hash(json, "hash", info->hash);
}
