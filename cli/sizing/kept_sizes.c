/* kept_sizes.c -- see kept_sizes.h. */
#include "cli/sizing/kept_sizes.h"

#include <stdio.h>
#include <string.h>

#define KEPT_DAY_US ((int64_t)86400 * 1000000)

static void size_name_put(const struct gpu_sizes *sizes, uint32_t i, char *out, size_t capacity) {
    lsched_text name = sizes->items[i].name;
    snprintf(out, capacity, "%.*s", (int)name.len, name.ptr);
}

static bool size_named(const struct gpu_sizes *sizes, uint32_t i, const char *name) {
    char has[ADVICE_STATE_TEXT];
    size_name_put(sizes, i, has, sizeof has);
    return strcmp(has, name) == 0;
}

/* The size with this name, `from` before all others; LSCHED_FORECAST_NO_SIZE: there is none. */
static uint32_t size_find(const struct gpu_sizes *sizes, uint32_t from, const char *name) {
    if (size_named(sizes, from, name)) return from;
    for (uint32_t i = 0; i < sizes->n; i++)
        if (size_named(sizes, i, name)) return i;
    return LSCHED_FORECAST_NO_SIZE;
}

lsched_forecast_advice kept_sizes_begin(const struct kept_advice *kept, const char *device,
                                        const char *kind, const struct gpu_sizes *sizes,
                                        uint32_t from) {
    lsched_forecast_advice advice = {
        from, LSCHED_FORECAST_NO_SIZE, {LSCHED_NEVER_US, LSCHED_NEVER_US}};
    if (kept == NULL) return advice;
    memcpy(advice.changed_us, kept->changed_us, sizeof advice.changed_us);
    if (strcmp(kept->device, device) != 0 || strcmp(kept->kind, kind) != 0) return advice;
    if (!size_named(sizes, from, kept->size) && !size_named(sizes, from, kept->had)) return advice;
    uint32_t index = size_find(sizes, from, kept->size);
    if (index == LSCHED_FORECAST_NO_SIZE) return advice;
    advice.index = index;
    if (kept->before[0] != '\0') advice.before = size_find(sizes, from, kept->before);
    return advice;
}

void kept_sizes_end(const lsched_forecast_advice *advice, const char *device, const char *kind,
                    const struct gpu_sizes *sizes, uint32_t from, struct kept_advice *out) {
    snprintf(out->device, sizeof out->device, "%s", device);
    snprintf(out->kind, sizeof out->kind, "%s", kind);
    size_name_put(sizes, from, out->had, sizeof out->had);
    size_name_put(sizes, advice->index, out->size, sizeof out->size);
    out->before[0] = '\0';
    if (advice->before < sizes->n)
        size_name_put(sizes, advice->before, out->before, sizeof out->before);
    memcpy(out->changed_us, advice->changed_us, sizeof out->changed_us);
}

bool kept_sizes_pending(const lsched_forecast_advice *advice, const struct gpu_sizes *sizes,
                        uint32_t from) {
    const lsched_forecast_size *has = &sizes->items[from], *to = &sizes->items[advice->index];
    return advice->index != from && to->milli >= has->milli;
}

static bool kept_since(int64_t at_us, int64_t now_us) {
    return at_us != LSCHED_NEVER_US && now_us - at_us < KEPT_DAY_US;
}

bool kept_lately(const struct kept_advice *kept, int64_t now_us) {
    return kept_since(kept->changed_us[0], now_us) || kept_since(kept->mode_us[0], now_us);
}

/* ---- the way of sharing ---- */

static uint32_t mode_demand(const lsched_forecast_mode_query *query) {
    return query->isolation * 2 + query->timed;
}

/* True if the earlier mode can stay: the job requires the same, the mode is possible, and the size
 * that the job needs can be had in it. */
static bool mode_can_stay(const struct kept_advice *kept, const lsched_forecast_mode_query *query) {
    bool instance = kept->mode == LSCHED_MODE_MIG || kept->mode == LSCHED_MODE_COUNTERS;
    if (kept->demand != mode_demand(query)) return false;
    if (query->share_milli >= 1000) return kept->mode == LSCHED_MODE_WHOLE;
    if (instance && (query->instance_milli == 0 || query->instance_milli >= 1000)) return false;
    return kept->mode == LSCHED_MODE_WHOLE || (query->can >> kept->mode & 1) != 0;
}

void kept_mode(const struct kept_advice *kept, const lsched_forecast_mode_query *query,
               int64_t now_us, lsched_forecast_mode_answer *answer, struct kept_advice *out) {
    out->demand = mode_demand(query);
    out->mode = answer->mode;
    out->mode_us[0] = out->mode_us[1] = LSCHED_NEVER_US;
    if (kept == NULL) return;
    memcpy(out->mode_us, kept->mode_us, sizeof out->mode_us);
    if (kept->mode == answer->mode) return;
    if (mode_can_stay(kept, query) && kept_since(kept->mode_us[1], now_us)) {
        out->mode = answer->mode = kept->mode;
        answer->rule = KEPT_RULE;
        answer->text = "the mode was changed twice within the last 24 hours, so it stays";
        return;
    }
    out->mode_us[1] = kept->mode_us[0];
    out->mode_us[0] = now_us;
}
