/* share_mode.c -- see share_mode.h. */
#include "cli/sizing/share_mode.h"

#include <string.h>

#define SHARE_DAY_US    ((int64_t)86400 * 1000000)
#define SHARE_WINDOW_US (14 * SHARE_DAY_US) /* samples that count: need.c */

/* ---- what the operator says ---- */

uint32_t share_modes_read(const char *list) {
    uint32_t modes = 0;
    for (const char *at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t len = strcspn(at, ",");
        uint32_t mode = 1; /* the whole device is always possible, so it is no word here */
        while (mode < LSCHED_MODES && (strlen(lsched_forecast_mode_name(mode)) != len ||
                                       memcmp(lsched_forecast_mode_name(mode), at, len) != 0))
            mode++;
        if (mode == LSCHED_MODES) return 0;
        modes |= 1u << mode;
    }
    return modes;
}

bool share_timed_valid(const char *label) {
    return label[0] != '\0' && label[0] != '=';
}

static bool has_label(const lsched_job_desc *job, const char *label) {
    const char *equal = strchr(label, '=');
    size_t key = equal != NULL ? (size_t)(equal - label) : strlen(label);
    for (uint32_t i = 0; i < job->n_labels; i++) {
        lsched_text has = job->labels[i].key, value = job->labels[i].value;
        if (has.len != key || memcmp(has.ptr, label, key) != 0) continue;
        if (equal == NULL) return true;
        if (value.len == strlen(equal + 1) &&
            (value.len == 0 || memcmp(value.ptr, equal + 1, (size_t)value.len) == 0))
            return true;
    }
    return false;
}

/* ---- what the cluster shows ---- */

/* The modes of devices of the same model. */
static uint32_t modes_shown(const struct gpu_kinds *kinds, const struct gpu_kind *kind) {
    static const uint32_t modes[] = {[LSCHED_SHARING_WHOLE] = LSCHED_MODE_WHOLE,
                                     [LSCHED_SHARING_FRACTION] = LSCHED_MODE_TIME_SLICE,
                                     [LSCHED_SHARING_MIG] = LSCHED_MODE_MIG,
                                     [LSCHED_SHARING_MPS] = LSCHED_MODE_MPS,
                                     [LSCHED_SHARING_TIME_SLICE] = LSCHED_MODE_TIME_SLICE};
    uint32_t shown = kind->n_profiles > 0 ? 1u << LSCHED_MODE_MIG : 0;
    for (size_t i = 0; i < kinds->n; i++)
        if (strcmp(kinds->items[i].model, kind->model) == 0)
            shown |= 1u << modes[kinds->items[i].mode];
    return shown & ~(1u << LSCHED_MODE_WHOLE);
}

/* ---- what the job needs ---- */

/* Compute slices of a device that its MIG table cuts. */
static double device_slices(const struct gpu_kind *kind) {
    double most = 1;
    for (uint32_t i = 0; i < kind->n_profiles; i++)
        if (kind->profiles[i].compute > most) most = kind->profiles[i].compute;
    return most;
}

/* Compute of a whole device, in the unit of the need. */
static double device_compute(const struct share_case *c) {
    return c->profiles ? device_slices(c->kind) : 1000.0;
}

/* The least share of a device, and the charge of the least profile, that hold both needs. */
static int32_t share_fit(const struct share_case *c, lsched_forecast_mode_query *query,
                         lsched_error *err) {
    struct gpu_sizes sizes;
    lsched_forecast_fit fit = {.size = sizeof fit};
    const lsched_forecast_size device = {.name = lsched_cstr("whole"),
                                         .memory = (double)c->kind->memory_bytes / GPU_MIB,
                                         .compute = device_compute(c),
                                         .milli = 1000};
    gpu_sizes_profiles(c->kind, &sizes);
    for (size_t i = 0; i < sizes.n; i++)
        sizes.items[i].compute *= device_compute(c) / device_slices(c->kind);
    int32_t rc = lsched_forecast_fit_get(c->memory_need, c->compute_need, sizes.items, sizes.n,
                                         &device, &fit, err);
    if (rc < 0) return rc;
    query->share_milli = fit.milli < UINT32_MAX ? (uint32_t)fit.milli : UINT32_MAX;
    if (fit.index == LSCHED_FORECAST_NO_SIZE) return LSCHED_OK;
    query->instance_milli = sizes.items[fit.index].milli;
    if (query->instance_milli > 1000) query->instance_milli = 1000;
    return LSCHED_OK;
}

/* The mean of the compute samples that count, in thousandths of a device. */
static uint32_t busy_milli(const struct share_case *c) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->compute->n; i++) {
        const lsched_forecast_sample *s = &c->compute->samples[i];
        if (c->now_us - s->at_us >= SHARE_WINDOW_US) continue;
        sum += s->value;
        n++;
    }
    double part = c->profiles ? c->has_compute / device_compute(c) : 1.0;
    return n == 0 ? 0 : (uint32_t)(sum / (double)n * part * 1000.0 + 0.5);
}

/* Tasks that start in a day on a device that has such jobs alone, side by side. */
static uint32_t starts_per_day(const struct share_case *c, uint32_t milli) {
    int64_t run_us = c->job->duration_us;
    if (run_us <= 0 || run_us == LSCHED_NEVER_US) return 0;
    int64_t runs = (SHARE_DAY_US + run_us - 1) / run_us;
    int64_t beside = milli > 0 && milli < 1000 ? 1000 / milli : 1;
    return runs > UINT32_MAX / beside ? UINT32_MAX : (uint32_t)(runs * beside);
}

int32_t share_mode_query(const struct gpu_kinds *kinds, const struct share_case *c,
                         const struct share_rules_opts *opts, lsched_forecast_mode_query *query,
                         lsched_error *err) {
    *query = (lsched_forecast_mode_query){.size = sizeof *query};
    query->can = opts->modes != SHARE_MODES_UNKNOWN ? opts->modes : modes_shown(kinds, c->kind);
    query->isolation = c->ask->isolation;
    for (size_t i = 0; i < opts->n_timed && !query->timed; i++)
        query->timed = has_label(c->job, opts->timed[i]);
    int32_t rc = share_fit(c, query, err);
    query->busy_milli = busy_milli(c);
    query->starts_per_day =
        starts_per_day(c, query->instance_milli > 0 ? query->instance_milli : query->share_milli);
    return rc;
}
