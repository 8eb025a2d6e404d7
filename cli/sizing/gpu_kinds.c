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

/* The isolation that a share of a device has, as in docs/shares.md. */
static uint32_t device_isolates(const lsched_device_desc *device) {
    if (device->share_mode == LSCHED_SHARING_MIG) return LSCHED_ISOLATE_FULL;
    return device->share_mode == LSCHED_SHARING_MPS && device->memory_overcommit_milli <= 1000
               ? LSCHED_ISOLATE_MEMORY
               : LSCHED_ISOLATE_NONE;
}

static bool kind_has(const struct gpu_kind *kind, const lsched_device_desc *device) {
    return strlen(kind->model) == device->model.len &&
           memcmp(kind->model, device->model.ptr, (size_t)device->model.len) == 0 &&
           kind->memory_bytes == device->memory_bytes && kind->sm_count == device->sm_count &&
           kind->mode == device->share_mode && kind->isolates == device_isolates(device);
}

/* The name of a table as static text; empty if no table has it. */
static lsched_text static_table(lsched_text name) {
    for (size_t i = 0; i < lsched_mig_tables_size(); i++) {
        const char *word = lsched_mig_tables_at(i);
        lsched_text table = {word, strlen(word)};
        if (table.len == name.len && memcmp(table.ptr, name.ptr, (size_t)name.len) == 0)
            return table;
    }
    return (lsched_text){NULL, 0};
}

/* Counts equal devices. Returns the index of their kind, GPU_KINDS_MAX if it is left out. */
static uint8_t kinds_add(struct gpu_kinds *kinds, const lsched_device_desc *device, uint32_t n) {
    size_t i = 0;
    while (i < kinds->n && !kind_has(&kinds->items[i], device)) i++;
    if (i == GPU_KINDS_MAX) {
        kinds->left_out = true;
        return GPU_KINDS_MAX;
    }
    struct gpu_kind *kind = &kinds->items[i];
    if (i == kinds->n) {
        lsched_text table = static_table(device->mig_table);
        *kind = (struct gpu_kind){.model = must_copy(device->model.ptr, (size_t)device->model.len),
                                  .memory_bytes = device->memory_bytes,
                                  .sm_count = device->sm_count,
                                  .mode = device->share_mode,
                                  .isolates = device_isolates(device)};
        kinds->n++;
        if (table.len > 0 ||
            lsched_mig_table_find(device->model, device->memory_bytes, &table, NULL) == LSCHED_OK)
            kind_table(kind, table);
    }
    kind->devices += n;
    return (uint8_t)i;
}

static int compare_names(const void *a, const void *b) {
    lsched_text x = lsched_description_node(((const struct gpu_node *)a)->description)->name;
    lsched_text y = lsched_description_node(((const struct gpu_node *)b)->description)->name;
    int order = memcmp(x.ptr, y.ptr, (size_t)(x.len < y.len ? x.len : y.len));
    return order != 0 ? order : (x.len > y.len) - (x.len < y.len);
}

static int compare_ids(const void *a, const void *b) {
    lsched_id x = ((const struct gpu_node *)a)->id, y = ((const struct gpu_node *)b)->id;
    return (x > y) - (x < y);
}

/* Reads the nodes with devices. */
static int32_t nodes_read(const lsched_cluster *cluster, struct gpu_kinds *out, lsched_error *err) {
    uint64_t cursor = 0;
    size_t capacity = 0;
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0;) {
        lsched_node_info info = {.size = sizeof info};
        struct gpu_node node = {.id = id};
        int32_t rc = lsched_node_get(cluster, id, &info, err);
        if (rc >= 0 && info.n_devices == 0) continue;
        if (rc >= 0) rc = lsched_describe(cluster, id, &node.description, err);
        if (rc < 0) return rc;
        node.devices = info.n_devices;
        node.kinds = must_alloc(info.n_devices);
        memset(node.kinds, GPU_KINDS_MAX, info.n_devices);
        out->nodes = must_grow(out->nodes, out->n_nodes, &capacity, sizeof out->nodes[0]);
        out->nodes[out->n_nodes++] = node;
    }
    return LSCHED_OK;
}

static void node_kinds(struct gpu_kinds *kinds, struct gpu_node *node) {
    const lsched_node_desc *desc = lsched_description_node(node->description);
    uint32_t at = 0;
    for (uint32_t i = 0; i < desc->n_devices; i++) {
        uint32_t n = desc->devices[i].count > 0 ? desc->devices[i].count : 1;
        if (n > node->devices - at) n = node->devices - at;
        if (n > 0) memset(node->kinds + at, kinds_add(kinds, &desc->devices[i], n), n);
        at += n;
    }
}

int32_t gpu_kinds_read(const lsched_cluster *cluster, struct gpu_kinds *out, lsched_error *err) {
    memset(out, 0, sizeof *out);
    int32_t rc = nodes_read(cluster, out, err);
    if (rc < 0 || out->n_nodes == 0) return rc;
    qsort(out->nodes, out->n_nodes, sizeof out->nodes[0], compare_names);
    for (size_t i = 0; i < out->n_nodes; i++) node_kinds(out, &out->nodes[i]);
    qsort(out->nodes, out->n_nodes, sizeof out->nodes[0], compare_ids);
    return LSCHED_OK;
}

void gpu_kinds_free(struct gpu_kinds *kinds) {
    for (size_t i = 0; i < kinds->n; i++) free(kinds->items[i].model);
    for (size_t i = 0; i < kinds->n_nodes; i++) {
        lsched_description_destroy(kinds->nodes[i].description);
        free(kinds->nodes[i].kinds);
    }
    free(kinds->nodes);
    memset(kinds, 0, sizeof *kinds);
}

bool gpu_kinds_share_table(const struct gpu_kind *a, const struct gpu_kind *b) {
    return a->n_profiles > 0 && b->n_profiles > 0 && a->table.len == b->table.len &&
           memcmp(a->table.ptr, b->table.ptr, (size_t)a->table.len) == 0;
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

/* A name of memory: "40Gi", or "1228Mi". */
static void memory_name(char *out, size_t capacity, int64_t mib) {
    if (mib % 1024 == 0)
        snprintf(out, capacity, "%lldGi", (long long)(mib / 1024));
    else
        snprintf(out, capacity, "%lldMi", (long long)mib);
}

void gpu_sizes_shares(const struct gpu_kind *kind, uint32_t own_milli, int64_t own_bytes,
                      bool by_memory, struct gpu_sizes *out) {
    double device = (double)kind->memory_bytes / GPU_MIB;
    for (out->n = 0; out->n < GPU_SIZES_MAX; out->n++) {
        bool own = out->n == GPU_SHARES;
        uint32_t milli = own ? own_milli : ((uint32_t)out->n + 1) * SHARE_STEP_MILLI;
        double memory = device * milli / 1000.0;
        char *name = out->names[out->n];
        if (own && own_bytes > 0) memory = (double)own_bytes / GPU_MIB;
        if (by_memory && !own) memory = (double)(int64_t)memory;
        if (by_memory)
            memory_name(name, sizeof out->names[0], (int64_t)memory);
        else
            snprintf(name, sizeof out->names[0], "%u.%03u", milli / 1000, milli % 1000);
        out->items[out->n] = (lsched_forecast_size){
            .name = lsched_cstr(name), .memory = memory, .compute = milli, .milli = milli};
    }
}
