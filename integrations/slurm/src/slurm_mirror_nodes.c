/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror_nodes.c -- adds, changes and removes nodes, and sets foreign use.
 *
 * The tag of a node is its index in the snapshot of the latest pass, so that decisions and tasks
 * lead back to it without a table.
 */
#include "slurm_mirror_nodes.h"

#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (INT64_C(1) << 20)

static const lsched_batch_opts tolerant = {sizeof tolerant,
                                           LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT};

/* Room for the two hashes of each node. New ones are 0, which no node has. */
static bool reserve(struct mirror *mirror, uint32_t n) {
    if (n <= mirror->nodes_capacity) return true;
    uint64_t *hashes = realloc(mirror->node_hashes, (size_t)n * 2 * sizeof *hashes);
    if (!hashes) return false;
    memset(hashes + 2 * (size_t)mirror->nodes_capacity, 0,
           2 * (size_t)(n - mirror->nodes_capacity) * sizeof *hashes);
    mirror->node_hashes = hashes, mirror->nodes_capacity = n;
    return true;
}

static int32_t add_node(struct mirror *mirror, const struct snapshot_node *node, uint32_t index,
                        lsched_error *err) {
    lsched_node_desc desc;
    int32_t code = mapping_node(&mirror->mapping, node, &desc, err);
    desc.tag = index;
    return code < 0
               ? code
               : lsched_nodes_add(mirror->cluster, &desc, 1, sizeof desc, NULL, NULL, NULL, err);
}

static int32_t change_node(struct mirror *mirror, const struct snapshot_node *node, lsched_id id,
                           uint32_t index, lsched_error *err) {
    lsched_node_desc desc;
    int32_t code = mapping_node(&mirror->mapping, node, &desc, err);
    if (code < 0) return code;
    lsched_node_update update = {.size = sizeof update, .node = id};
    update.set = LSCHED_NODE_SET_STATE | LSCHED_NODE_SET_CAPACITY | LSCHED_NODE_SET_TAG |
                 LSCHED_NODE_SET_LABELS;
    update.state = desc.state;
    update.capacity = desc.capacity, update.n_capacity = desc.n_capacity;
    update.labels = desc.labels, update.n_labels = desc.n_labels;
    update.tag = index;
    return lsched_nodes_update(mirror->cluster, &update, 1, sizeof update, NULL, NULL, err);
}

/* A node with other devices is another node: its jobs are imported again in the same pass. */
static int32_t update_node(struct mirror *mirror, const struct snapshot_node *node, uint32_t index,
                           lsched_error *err) {
    lsched_id id = lsched_find(mirror->cluster, LSCHED_KIND_NODE, lsched_cstr(node->name));
    uint64_t *known = &mirror->node_hashes[2 * (size_t)index];
    uint64_t all = mapping_node_hash(node, false), devices = mapping_node_hash(node, true);
    lsched_node_info info = LSCHED_INIT(lsched_node_info);
    if (id && lsched_node_get(mirror->cluster, id, &info, err) < 0) return LSCHED_E_STATE;
    if (id && info.tag == index && known[0] == all && known[1] == devices) return LSCHED_OK;
    int32_t code = LSCHED_OK;
    bool moved = id && info.tag != index;
    if (id && !moved && known[1] != devices) {
        code = lsched_nodes_remove(mirror->cluster, &id, 1, NULL, NULL, err);
        id = 0;
    }
    if (code >= 0)
        code = id ? change_node(mirror, node, id, index, err) : add_node(mirror, node, index, err);
    known[0] = all, known[1] = devices;
    return code;
}

static int32_t remove_missing(struct mirror *mirror, const struct snapshot *snapshot,
                              lsched_error *err) {
    if (!snapshot->n_nodes) return LSCHED_OK; /* slurmctld reads its configuration anew */
    lsched_text *names = snapshot_alloc(mirror->mapping.arena, snapshot->n_nodes, sizeof *names);
    lsched_sync_report report = {.size = sizeof report, .extra_capacity = mirror->nodes_capacity};
    report.extra =
        snapshot_alloc(mirror->mapping.arena, mirror->nodes_capacity, sizeof *report.extra);
    if (!names || !report.extra) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < snapshot->n_nodes; i++)
        names[i] = lsched_cstr(snapshot->nodes[i].name);
    int32_t code =
        lsched_sync(mirror->cluster, LSCHED_KIND_NODE, names, snapshot->n_nodes, &report, err);
    if (code < 0 || !report.n_extra) return code;
    uint64_t n = report.n_extra < report.extra_capacity ? report.n_extra : report.extra_capacity;
    return lsched_nodes_remove(mirror->cluster, report.extra, n, &tolerant, NULL, err);
}

int32_t mirror_nodes(struct mirror *mirror, struct snapshot *snapshot, lsched_error *err) {
    if (!reserve(mirror, snapshot->n_nodes)) return LSCHED_E_NOMEM;
    mapping_parts(&mirror->mapping, snapshot);
    int32_t code = mapping_topology(&mirror->mapping, snapshot->switch_levels, err);
    if (code >= 0) code = remove_missing(mirror, snapshot, err);
    for (uint32_t i = 0; code >= 0 && i < snapshot->n_nodes; i++)
        code = update_node(mirror, &snapshot->nodes[i], i, err);
    return code;
}

uint32_t mirror_node_index(struct mirror *mirror, const struct snapshot *snapshot, lsched_id node) {
    lsched_node_info info = LSCHED_INIT(lsched_node_info);
    if (lsched_node_get(mirror->cluster, node, &info, NULL) < 0 || info.tag >= snapshot->n_nodes)
        return snapshot->n_nodes;
    return (uint32_t)info.tag;
}

/* ---- foreign use ---- */

/* What open placements hold in libsched, and not yet in Slurm. */
struct promised {
    int64_t cpu_milli, memory_bytes;
};

static struct promised *list_promised(struct mirror *mirror, const struct snapshot *snapshot) {
    struct promised *list =
        snapshot_alloc(mirror->mapping.arena, snapshot->n_nodes + 1, sizeof *list);
    uint64_t cursor = 0;
    lsched_decision one = {.size = sizeof one};
    while (list && lsched_decisions_next(mirror->cluster, &cursor, &one, NULL) == 1) {
        struct mirror_job *entry = mirror_entry(mirror, one.job_tag);
        if (one.kind != LSCHED_DECIDE_PLACE || !entry || one.node_tag >= snapshot->n_nodes)
            continue;
        list[one.node_tag].cpu_milli += entry->task_cpu_milli;
        list[one.node_tag].memory_bytes += entry->task_memory_bytes;
    }
    return list;
}

/* Devices that tasks of libsched hold on the node. */
static void own_devices(const struct mirror *mirror, lsched_id node, uint64_t own[2]) {
    uint64_t cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    own[0] = own[1] = 0;
    while (lsched_tasks_next(mirror->cluster, 0, node, &cursor, &task, NULL) == 1) {
        if (task.state != LSCHED_TASK_RUNNING && task.state != LSCHED_TASK_RELEASING) continue;
        own[0] |= task.device_words[0], own[1] |= task.device_words[1];
    }
}

static int64_t beyond(int64_t slurm, int64_t capacity, int64_t available, int64_t foreign) {
    int64_t own = capacity - available - foreign;
    return slurm > own ? slurm - own : 0;
}

static int32_t set_foreign(struct mirror *mirror, const struct snapshot_node *node, lsched_id id,
                           const struct promised *promised, lsched_error *err) {
    lsched_node_info info = LSCHED_INIT(lsched_node_info);
    int32_t code = lsched_node_get(mirror->cluster, id, &info, err);
    if (code < 0) return code;
    int64_t cpu = lsched_foreign_amount(mirror->cluster, id, LSCHED_CPU, err);
    int64_t memory = lsched_foreign_amount(mirror->cluster, id, LSCHED_MEMORY, err);
    uint64_t own[2] = {0, 0};
    lsched_amount amounts[2] = {{LSCHED_CPU, 0, 0}, {LSCHED_MEMORY, 0, 0}};
    amounts[0].amount = beyond((int64_t)node->used_cpus * 1000 + promised->cpu_milli,
                               info.cpu_milli, info.cpu_free_milli, cpu);
    amounts[1].amount = beyond((int64_t)node->used_memory_mb * MEBIBYTE + promised->memory_bytes,
                               info.memory_bytes, info.memory_free_bytes, memory);
    lsched_foreign_use use = {.size = sizeof use, .node = id, .amounts = amounts, .n_amounts = 2};
    if (node->used_gpus[0] | node->used_gpus[1]) own_devices(mirror, id, own);
    use.device_words[0] = node->used_gpus[0] & ~own[0];
    use.device_words[1] = node->used_gpus[1] & ~own[1];
    int64_t devices = lsched_foreign_amount(mirror->cluster, id, LSCHED_GPU, err);
    if (amounts[0].amount == cpu && amounts[1].amount == memory && !devices &&
        !use.device_words[0] && !use.device_words[1])
        return LSCHED_OK;
    code = lsched_foreign_set(mirror->cluster, &use, 1, sizeof use, NULL, NULL, err);
    return code == LSCHED_E_RANGE ? LSCHED_OK : code; /* the node is about to change its devices */
}

int32_t mirror_foreign(struct mirror *mirror, struct snapshot *snapshot, lsched_error *err) {
    int32_t code = LSCHED_OK;
    const struct promised *promised = list_promised(mirror, snapshot);
    if (!promised) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; code >= 0 && i < snapshot->n_nodes; i++) {
        const struct snapshot_node *node = &snapshot->nodes[i];
        lsched_id id = lsched_find(mirror->cluster, LSCHED_KIND_NODE, lsched_cstr(node->name));
        if (id) code = set_foreign(mirror, node, id, &promised[i], err);
    }
    return code;
}
