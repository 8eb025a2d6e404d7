/*
 * policy_listing.c -- see policy_listing.h.
 */
#include "cli/policy/policy_listing.h"

#include <stdio.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/support/time_text.h"

static const struct {
    uint32_t bit;
    const char *name;
} hook_names[] = {
#define LSCHED_X_HOOK(NAME, number, name, first, each, second, also, answer) \
    {LSCHED_HOOK_##NAME, #name},
#include <libsched/hooks.def>
};
enum { HOOKS = sizeof hook_names / sizeof hook_names[0] };

const char *policy_hook_names(uint32_t hooks, char out[POLICY_HOOK_NAMES_BYTES]) {
    out[0] = '\0';
    for (size_t i = 0; i < HOOKS; i++) {
        if ((hooks & hook_names[i].bit) == 0) continue;
        if (out[0] != '\0') strcat(out, ", ");
        strcat(out, hook_names[i].name);
    }
    return out[0] != '\0' ? out : strcpy(out, "none");
}

static void pipeline_json(struct json *json, const char *names) {
    json_array(json, "pipeline", JSON_LINE);
    while (*names) {
        char name[32];
        size_t n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        json_string(json, NULL, name);
        names += n + (names[n] == ' ');
    }
    json_close(json);
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
    json_string(json, "order", info->order);
    pipeline_json(json, info->pipeline);
    json_hash(json, "hash", info->hash);
}

void policy_settings_json(struct json *json, const lsched_policy_info *info) {
    json_object(json, "eviction", JSON_LINES);
    json_string(json, "protection", info->protection);
    json_string(json, "victims", info->victims);
    json_int(json, "release_us", info->release_us);
    json_int(json, "grace_us", info->grace_us);
    json_int(json, "preemption_delay_us", info->preemption_delay_us);
    json_int(json, "stale_grace_us", info->stale_grace_us);
    json_uint(json, "per_hour", info->evictions_per_hour);
    json_uint(json, "moves_max", info->moves_max);
    json_uint(json, "saturation_milli", info->saturation_milli);
    json_close(json);
    json_object(json, "usage", JSON_LINES);
    json_int(json, "half_life_us", info->usage_half_life_us);
    json_int(json, "window_us", info->usage_window_us);
    json_int(json, "weight_milli", info->usage_weight_milli);
    json_close(json);
}

static void print_eviction(const lsched_policy_info *info) {
    char release[TIME_TEXT_BYTES], grace[TIME_TEXT_BYTES], delay[TIME_TEXT_BYTES],
        stale[TIME_TEXT_BYTES], saturation[NUMBER_TEXT_BYTES];
    printf("  eviction    protection %s, victims %s, saturation %s\n", info->protection,
           info->victims, milli_text(info->saturation_milli, saturation));
    printf("              release %s, grace %s, stale grace %s, preemption delay %s\n",
           span_format(info->release_us, release), span_format(info->grace_us, grace),
           span_format(info->stale_grace_us, stale), span_format(info->preemption_delay_us, delay));
    if (info->evictions_per_hour)
        printf("              at most %llu an hour", (unsigned long long)info->evictions_per_hour);
    else
        printf("              any number an hour");
    printf(", at most %u moves at once\n", (unsigned)info->moves_max);
}

static void print_usage(const lsched_policy_info *info) {
    char half_life[TIME_TEXT_BYTES], window[TIME_TEXT_BYTES], weight[NUMBER_TEXT_BYTES];
    printf("  usage       ");
    if (info->usage_half_life_us)
        printf("half-life %s, ", span_format(info->usage_half_life_us, half_life));
    if (info->usage_window_us) printf("window %s, ", span_format(info->usage_window_us, window));
    printf("weight %s\n", milli_text(info->usage_weight_milli, weight));
}

void policy_settings_print(const lsched_policy_info *info) {
    if (strcmp(info->pipeline, "allocate") != 0) print_eviction(info);
    if (info->usage_half_life_us || info->usage_window_us) print_usage(info);
}
