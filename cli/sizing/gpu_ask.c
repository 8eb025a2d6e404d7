/* gpu_ask.c -- see gpu_ask.h. */
#include "cli/sizing/gpu_ask.h"

#include <stdlib.h>
#include <string.h>

static bool ask_same(lsched_text a, lsched_text b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, (size_t)a.len) == 0);
}

/* ---- what a job asks for ---- */

static bool ask_of_request(const lsched_device_request *request, struct gpu_ask *out) {
    if (request->devices == LSCHED_DEVICES_NONE) return false;
    out->profile = request->mig_profile;
    out->milli = (uint32_t)request->share_milli;
    out->memory_bytes = request->memory_bytes;
    out->limit_bytes = request->memory_limit_bytes;
    out->sm_count = request->sm_count;
    out->isolation = request->isolation;
    out->devices = request->devices > 0 ? request->devices : 1;
    out->models = request->models;
    out->n_models = request->n_models;
    if (out->milli == 0 && out->memory_bytes == 0 && out->sm_count == 0) out->milli = 1000;
    return true;
}

static bool ask_of_amount(const lsched_group_desc *group, struct gpu_ask *out) {
    int64_t milli = 0;
    for (uint32_t i = 0; i < group->n_request; i++)
        if (group->request[i].kind == LSCHED_GPU) milli = group->request[i].amount;
    if (milli <= 0) return false;
    if (out->devices == 0) out->devices = milli >= 1000 ? (uint32_t)(milli / 1000) : 1;
    out->milli = (uint32_t)(milli / out->devices);
    out->memory_bytes = group->gpu_memory_bytes;
    return true;
}

static bool group_has_gpus(const lsched_group_desc *group) {
    struct gpu_ask ask = {.devices = 1};
    for (uint32_t i = 0; i < group->n_device_requests; i++)
        if (group->device_requests[i].devices != LSCHED_DEVICES_NONE) return true;
    return group->n_device_requests == 0 && ask_of_amount(group, &ask);
}

enum gpu_ask_result gpu_ask_read(const lsched_job_desc *job, struct gpu_ask *out) {
    bool has = false;
    for (uint32_t i = 0; i < job->n_groups; i++) has = has || group_has_gpus(&job->groups[i]);
    if (!has) return GPU_ASK_NONE;
    if (job->n_groups != 1) return GPU_ASK_GROUPS;
    const lsched_group_desc *group = &job->groups[0];
    if (group->n_device_requests > 1) return GPU_ASK_ALTERNATIVES;
    *out = (struct gpu_ask){.name = job->name,
                            .tasks = group->max_count > 0 ? group->max_count : 1,
                            .devices = group->gpu_devices,
                            .models = group->device_models,
                            .n_models = group->n_device_models,
                            .group = group};
    has = group->n_device_requests > 0 ? ask_of_request(&group->device_requests[0], out)
                                       : ask_of_amount(group, out);
    return has ? GPU_ASK_ONE : GPU_ASK_NONE;
}

/* ---- what it is charged ---- */

bool gpu_ask_whole(const struct gpu_ask *ask, const struct gpu_kind *kind) {
    return ask->profile.len == 0 && (ask->milli >= 1000 || ask->isolation > kind->isolates);
}

static uint32_t charge_part(int64_t part, int64_t whole) {
    if (part <= 0) return 0;
    if (part >= whole) return 1000;
    if (whole > (int64_t)1 << 50) { /* so that the product below has room */
        part >>= 12;
        whole >>= 12;
    }
    return (uint32_t)((part * 1000 + whole - 1) / whole);
}

uint32_t gpu_ask_charge(const struct gpu_ask *ask, const struct gpu_kind *kind) {
    uint32_t memory = charge_part(ask->memory_bytes, kind->memory_bytes);
    uint32_t sms = charge_part(ask->sm_count, kind->sm_count);
    uint32_t most = ask->milli > memory ? ask->milli : memory;
    if (gpu_ask_whole(ask, kind)) return 1000;
    return most > sms ? most : sms;
}

/* ---- where it runs, or can run ---- */

static bool kind_suits(const struct gpu_ask *ask, const struct gpu_kind *kind) {
    bool model = ask->n_models == 0;
    for (uint32_t i = 0; i < ask->n_models && !model; i++)
        model = ask_same(ask->models[i], (lsched_text){kind->model, strlen(kind->model)});
    if (!model) return false;
    if (ask->profile.len > 0)
        return kind->mode == LSCHED_SHARING_MIG &&
               gpu_kind_profile(kind, ask->profile) != UINT32_MAX;
    if (kind->mode == LSCHED_SHARING_MIG || ask->memory_bytes > kind->memory_bytes ||
        ask->sm_count > kind->sm_count)
        return false;
    return kind->mode != LSCHED_SHARING_WHOLE || gpu_ask_charge(ask, kind) >= 1000;
}

static const lsched_label *node_label(const lsched_node_desc *node, lsched_text key) {
    for (uint32_t i = 0; i < node->n_labels; i++)
        if (ask_same(node->labels[i].key, key)) return &node->labels[i];
    return NULL;
}

static bool label_among(const lsched_label *label, const lsched_text *values, uint32_t n) {
    bool found = false;
    for (uint32_t i = 0; i < n && label != NULL && !found; i++)
        found = ask_same(label->value, values[i]);
    return found;
}

static bool rule_holds(const lsched_node_desc *node, const lsched_label_rule *rule) {
    const lsched_label *label = node_label(node, rule->key);
    switch (rule->operation) {
    case LSCHED_LABEL_IN: return label_among(label, rule->values, rule->n_values);
    case LSCHED_LABEL_NOT_IN: return !label_among(label, rule->values, rule->n_values);
    case LSCHED_LABEL_EXISTS: return label != NULL;
    case LSCHED_LABEL_ABSENT: return label == NULL;
    default: return true; /* a comparison of numbers: see the head of gpu_ask.h */
    }
}

static bool affinities_hold(const lsched_node_desc *node, const lsched_group_desc *group) {
    bool required = false;
    for (uint32_t i = 0; i < group->n_node_affinities; i++) {
        const lsched_node_affinity *term = &group->node_affinities[i];
        bool holds = true;
        if (term->weight != 0) continue;
        required = true;
        for (uint32_t r = 0; r < term->n_rules && holds; r++)
            holds = rule_holds(node, &term->rules[r]);
        if (holds) return true;
    }
    return !required;
}

static bool node_suits(const lsched_node_desc *node, const lsched_group_desc *group) {
    for (uint32_t i = 0; i < group->n_selectors; i++) {
        const lsched_selector *selector = &group->selectors[i];
        const lsched_label *label = node_label(node, selector->key);
        if (label == NULL) return false;
        if (selector->n_values > 0 && !label_among(label, selector->values, selector->n_values))
            return false;
    }
    return affinities_hold(node, group);
}

/* The kinds of a waiting job. */
static uint64_t kinds_possible(const struct gpu_kinds *kinds, const struct gpu_ask *ask) {
    uint64_t suits = 0, found = 0;
    for (size_t i = 0; i < kinds->n; i++)
        if (kind_suits(ask, &kinds->items[i])) suits |= (uint64_t)1 << i;
    for (size_t i = 0; i < kinds->n_nodes && found != suits; i++) {
        const struct gpu_node *node = &kinds->nodes[i];
        if (!node_suits(lsched_description_node(node->description), ask->group)) continue;
        for (uint32_t d = 0; d < node->devices; d++)
            if (node->kinds[d] < GPU_KINDS_MAX) found |= suits & (uint64_t)1 << node->kinds[d];
    }
    return found;
}

static int compare_id(const void *id, const void *node) {
    lsched_id x = *(const lsched_id *)id, y = ((const struct gpu_node *)node)->id;
    return (x > y) - (x < y);
}

/* The kinds of the devices that a task holds; of all devices of its node if it is not known which
 * it holds. */
static uint64_t kinds_held(const struct gpu_kinds *kinds, const lsched_task_info *task) {
    uint64_t held = 0, all = 0;
    if (task->state == LSCHED_TASK_DONE || task->state == LSCHED_TASK_NOMINATED) return 0;
    const struct gpu_node *node =
        kinds->n_nodes == 0
            ? NULL
            : bsearch(&task->node, kinds->nodes, kinds->n_nodes, sizeof *node, compare_id);
    for (uint32_t d = 0; node != NULL && d < node->devices; d++) {
        uint64_t kind = node->kinds[d] < GPU_KINDS_MAX ? (uint64_t)1 << node->kinds[d] : 0;
        all |= kind;
        if (task->device_words[d / 64] >> d % 64 & 1) held |= kind;
    }
    return held != 0 ? held : all;
}

int32_t gpu_ask_kinds(const lsched_cluster *cluster, const struct gpu_kinds *kinds, lsched_id job,
                      const struct gpu_ask *ask, uint64_t *out, lsched_error *err) {
    uint64_t cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    int32_t rc;
    *out = 0;
    while ((rc = lsched_tasks_next(cluster, job, 0, &cursor, &task, err)) > 0)
        *out |= kinds_held(kinds, &task);
    if (rc < 0) return rc;
    if (*out == 0) *out = kinds_possible(kinds, ask);
    return LSCHED_OK;
}
