/* gpu_kinds.c -- see gpu_kinds.h. */
#include "cli/sizing/gpu_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define SHARE_STEP_MILLI 50u

static void kind_table(struct gpu_kind *kind, lsched_text table) {
    kind->table = table;
    size_t n = lsched_mig_profiles_size(table);
    for (size_t i = 0; i < n && i < LSCHED_FORECAST_LAYOUT_PROFILES; i++) {
        lsched_mig_profile *profile = &kind->profiles[kind->n_profiles++];
        *profile = (lsched_mig_profile){.size = sizeof *profile};
        lsched_mig_profiles_at(table, i, profile, NULL);
    }
}

static bool kind_has(const struct gpu_kind *kind, const lsched_device_info *device) {
    return strlen(kind->model) == device->model.len &&
           memcmp(kind->model, device->model.ptr, (size_t)device->model.len) == 0 &&
           kind->memory_bytes == device->memory_bytes &&
           kind->mig == (device->share_mode == LSCHED_SHARING_MIG);
}

static void kinds_add(struct gpu_kinds *kinds, const lsched_device_info *device) {
    size_t i = 0;
    while (i < kinds->n && !kind_has(&kinds->items[i], device)) i++;
    if (i == GPU_KINDS_MAX) return;
    struct gpu_kind *kind = &kinds->items[i];
    if (i == kinds->n) {
        lsched_text table = {NULL, 0};
        *kind = (struct gpu_kind){.model = must_copy(device->model.ptr, (size_t)device->model.len),
                                  .memory_bytes = device->memory_bytes,
                                  .mig = device->share_mode == LSCHED_SHARING_MIG};
        kinds->n++;
        if (lsched_mig_table_find(device->model, device->memory_bytes, &table, NULL) == LSCHED_OK)
            kind_table(kind, table);
    }
    kind->devices++;
}

struct named_node {
    char *name; /* owned */
    lsched_id id;
    uint32_t devices;
};

static int compare_named(const void *a, const void *b) {
    return strcmp(((const struct named_node *)a)->name, ((const struct named_node *)b)->name);
}

/* The nodes with devices, in the order of their names. */
static int32_t named_nodes(const lsched_cluster *cluster, struct named_node **out, size_t *n,
                           lsched_error *err) {
    uint64_t cursor = 0;
    size_t capacity = 0;
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0;) {
        lsched_node_info info = {.size = sizeof info};
        lsched_description *description = NULL;
        int32_t rc = lsched_node_get(cluster, id, &info, err);
        if (rc >= 0 && info.n_devices == 0) continue;
        if (rc >= 0) rc = lsched_describe(cluster, id, &description, err);
        if (rc < 0) return rc;
        lsched_text name = lsched_description_node(description)->name;
        *out = must_grow(*out, *n, &capacity, sizeof(*out)[0]);
        (*out)[(*n)++] =
            (struct named_node){must_copy(name.ptr, (size_t)name.len), id, info.n_devices};
        lsched_description_destroy(description);
    }
    if (*n > 0) qsort(*out, *n, sizeof(*out)[0], compare_named);
    return LSCHED_OK;
}

int32_t gpu_kinds_read(const lsched_cluster *cluster, struct gpu_kinds *out, lsched_error *err) {
    struct named_node *nodes = NULL;
    size_t n = 0;
    out->n = 0;
    int32_t rc = named_nodes(cluster, &nodes, &n, err);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t d = 0; rc >= 0 && d < nodes[i].devices; d++) {
            lsched_device_info device = {.size = sizeof device};
            rc = lsched_device_get(cluster, nodes[i].id, d, &device, err);
            if (rc >= 0) kinds_add(out, &device);
        }
        free(nodes[i].name);
    }
    free(nodes);
    return rc < 0 ? rc : LSCHED_OK;
}

void gpu_kinds_free(struct gpu_kinds *kinds) {
    for (size_t i = 0; i < kinds->n; i++) free(kinds->items[i].model);
    kinds->n = 0;
}

uint32_t gpu_kind_profile(const struct gpu_kind *kind, lsched_text profile) {
    for (uint32_t i = 0; i < kind->n_profiles; i++)
        if (kind->profiles[i].name.len == profile.len &&
            memcmp(kind->profiles[i].name.ptr, profile.ptr, (size_t)profile.len) == 0)
            return i;
    return UINT32_MAX;
}

void gpu_sizes_profiles(const struct gpu_kind *kind, struct gpu_sizes *out) {
    out->n = 0;
    for (uint32_t i = 0; i < kind->n_profiles; i++) {
        const lsched_mig_profile *p = &kind->profiles[i];
        if (p->media) continue;
        out->items[out->n++] = (lsched_forecast_size){.name = p->name,
                                                      .memory = (double)p->memory_bytes / GPU_MIB,
                                                      .compute = p->compute,
                                                      .milli = p->share_milli};
    }
}

void gpu_sizes_shares(const struct gpu_kind *kind, uint32_t own_milli, struct gpu_sizes *out) {
    double device = (double)kind->memory_bytes / GPU_MIB;
    for (out->n = 0; out->n < GPU_SIZES_MAX; out->n++) {
        uint32_t milli =
            out->n < GPU_SHARES ? ((uint32_t)out->n + 1) * SHARE_STEP_MILLI : own_milli;
        snprintf(out->names[out->n], sizeof out->names[0], "%u.%03u", milli / 1000, milli % 1000);
        out->items[out->n] = (lsched_forecast_size){.name = lsched_cstr(out->names[out->n]),
                                                    .memory = device * milli / 1000.0,
                                                    .compute = milli,
                                                    .milli = milli};
    }
}
