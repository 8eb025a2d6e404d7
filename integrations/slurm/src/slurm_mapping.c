/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mapping.c -- descriptions of nodes and jobs for libsched.
 *
 * Nodes have labels for what jobs can ask for: slurm.node, slurm.partition.P, slurm.feature.F,
 * slurm.reservation. A kind "slurm_node" has a large amount on each node, of which a job takes 1,
 * and with --exclusive all: so a node is either shared or has one job.
 */
#include "slurm_mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_NODE     1000000
#define MEBIBYTE       (INT64_C(1) << 20)
#define UNTYPED_DEVICE "gpu"
#define PART_LABEL     "slurm.gres.%s"  /* of nodes where work with MPS or shards can start */
#define TOPOLOGY       "slurm"          /* of switches */
#define SWITCH_LEVEL   "slurm.switch%u" /* label and level; 0: leaf switches */

static lsched_text text_of(const char *text) {
    return lsched_cstr(text);
}

/* ---- resources ---- */

/* How many of the parts one GPU has on each node that has any; 0: the nodes differ. */
static uint64_t parts_of_gpu(const struct snapshot *snapshot, const char *name) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < snapshot->n_nodes; i++) {
        const struct snapshot_node *node = &snapshot->nodes[i];
        uint64_t gpus = 0, parts = 0;
        for (uint32_t g = 0; g < node->n_gres; g++) {
            if (strcmp(node->gres[g].name, "gpu") == 0) gpus += node->gres[g].count;
            if (strcmp(node->gres[g].name, name) == 0) parts += node->gres[g].count;
        }
        if (!parts) continue;
        if (!gpus || parts % gpus != 0 || (all && all != parts / gpus)) return 0;
        all = parts / gpus;
    }
    return all;
}

void mapping_parts(struct mapping *mapping, const struct snapshot *snapshot) {
    mapping->mps_of_gpu = parts_of_gpu(snapshot, "mps");
    mapping->shards_of_gpu = parts_of_gpu(snapshot, "shard");
}

static uint64_t parts_named(const struct mapping *mapping, const char *name) {
    return strcmp(name, "mps") == 0 ? mapping->mps_of_gpu : mapping->shards_of_gpu;
}

/* Thousandths of a GPU, rounded up. */
static uint32_t milli_of_part(const struct mapping *mapping, const char *name, uint64_t count) {
    uint64_t all = parts_named(mapping, name);
    if (count > all) count = all; /* such a job does not start: mapping_unmapped() */
    return all ? (uint32_t)((count * 1000 + all - 1) / all) : 0;
}

/* ---- licences ---- */

int32_t mapping_licence(struct mapping *mapping, const char *name, lsched_error *err) {
    lsched_supply_desc desc = LSCHED_SUPPLY_DESC_INIT;
    lsched_supply_info known = LSCHED_SUPPLY_INFO_INIT;
    const char *supply = snapshot_format(mapping->arena, MAPPING_LICENCE "%s", name);
    if (!supply) return LSCHED_E_NOMEM;
    desc.name = text_of(supply);
    if (lsched_supply_get(mapping->cluster, desc.name, LSCHED_TEXT(""), NULL, 0, &known, NULL) >= 0)
        return LSCHED_OK;
    return lsched_supplies_add(mapping->cluster, &desc, 1, sizeof desc, NULL, NULL, err);
}

/* What each task needs of a licence, of which the whole job needs `count`. */
static int64_t licence_share(uint64_t count, uint32_t tasks) {
    uint64_t parts = count * (uint64_t)MAPPING_LICENCE_PARTS;
    return (int64_t)(parts / tasks + (parts % tasks != 0));
}

/* The licences of a job in a reservation can be those of the reservation: Slurm looks at them. */
static int32_t put_licences(struct mapping *mapping, const struct snapshot_job *job,
                            lsched_group_desc *group, lsched_error *err) {
    if (!job->n_licences || job->reservation || !group->min_count) return LSCHED_OK;
    lsched_supply_need *needs = snapshot_alloc(mapping->arena, job->n_licences, sizeof *needs);
    int32_t code = needs ? LSCHED_OK : LSCHED_E_NOMEM;
    for (uint32_t i = 0; code >= 0 && i < job->n_licences; i++) {
        const struct snapshot_gres *one = &job->licences[i];
        lsched_supply_need *need = &needs[group->n_supplies];
        if (!one->count || group->n_supplies == LSCHED_SUPPLIES_PER_TASK_MAX) continue;
        code = mapping_licence(mapping, one->name, err);
        *need = (lsched_supply_need)LSCHED_SUPPLY_NEED_INIT;
        need->supply = text_of(snapshot_format(mapping->arena, MAPPING_LICENCE "%s", one->name));
        need->amount = licence_share(one->count, group->min_count);
        if (need->amount <= LSCHED_SUPPLY_NEED_MAX) group->n_supplies++;
    }
    group->supplies = needs, group->supply_elem_size = sizeof *needs;
    return code < 0 ? code : LSCHED_OK;
}

/* Licences beyond what one task can need of supplies. */
static const char *unmapped_licences(struct mapping *mapping, const struct snapshot_job *job) {
    uint32_t tasks = job->count_min ? job->count_min : 1;
    if (job->reservation) return NULL;
    if (job->n_licences > LSCHED_SUPPLIES_PER_TASK_MAX)
        return snapshot_format(mapping->arena, "--licenses with more than %d names",
                               LSCHED_SUPPLIES_PER_TASK_MAX);
    for (uint32_t i = 0; i < job->n_licences; i++)
        if (licence_share(job->licences[i].count, tasks) > LSCHED_SUPPLY_NEED_MAX)
            return snapshot_format(mapping->arena, "--licenses=%s with such a number",
                                   job->licences[i].name);
    return NULL;
}

const char *mapping_unmapped(struct mapping *mapping, const struct snapshot_job *job) {
    if (job->unmapped) return job->unmapped;
    const char *licences = unmapped_licences(mapping, job);
    if (licences) return licences;
    for (uint32_t i = 0; i < job->n_gres; i++) {
        const struct snapshot_gres *gres = &job->gres[i];
        if (!snapshot_is_part(gres->name)) continue;
        uint64_t all = parts_named(mapping, gres->name);
        if (!all || gres->count > all)
            return snapshot_format(mapping->arena,
                                   all ? "--gres=%s above that of one GPU"
                                       : "--gres=%s without an equal amount on each GPU",
                                   gres->name);
    }
    return NULL;
}

static bool is_gpu(const struct snapshot_gres *gres) {
    return strcmp(gres->name, "gpu") == 0;
}

/* Appends an amount of a kind that Slurm names; adds the kind when it is new. */
static int32_t put_amount(struct mapping *mapping, const char *kind, int64_t amount,
                          lsched_amount *list, uint32_t *n, lsched_error *err) {
    int32_t number = lsched_resource_add(mapping->cluster, text_of(kind), err);
    if (number < 0) return number;
    for (uint32_t i = 0; i < *n; i++) {
        if (list[i].kind != (uint32_t)number) continue;
        list[i].amount += amount;
        return LSCHED_OK;
    }
    list[(*n)++] = (lsched_amount){(uint32_t)number, 0, amount};
    return LSCHED_OK;
}

/* cpu, memory, the share of the node, and generic resources that are no GPUs. */
static int32_t put_amounts(struct mapping *mapping, uint32_t cpus, uint64_t memory_mb,
                           int64_t share, const struct snapshot_gres *gres, uint32_t n_gres,
                           lsched_amount **out, uint32_t *n, lsched_error *err) {
    lsched_amount *list = snapshot_alloc(mapping->arena, 3 + (size_t)n_gres, sizeof *list);
    if (!list) return LSCHED_E_NOMEM;
    *n = 0, *out = list;
    list[(*n)++] = (lsched_amount){LSCHED_CPU, 0, (int64_t)cpus * 1000};
    if (memory_mb) list[(*n)++] = (lsched_amount){LSCHED_MEMORY, 0, (int64_t)memory_mb * MEBIBYTE};
    int32_t code = put_amount(mapping, "slurm_node", share, list, n, err);
    for (uint32_t i = 0; code >= 0 && i < n_gres; i++)
        if (!is_gpu(&gres[i]) && strcmp(gres[i].name, "shard") != 0 && gres[i].count)
            code = put_amount(mapping, gres[i].name, (int64_t)gres[i].count, list, n, err);
    return code;
}

/* Slurm lets one GPU of a node serve MPS at a time: a node has as much MPS as one GPU. */
static struct snapshot_gres *gres_of_node(struct mapping *mapping,
                                          const struct snapshot_node *node) {
    struct snapshot_gres *list =
        snapshot_alloc(mapping->arena, (size_t)node->n_gres + 1, sizeof *list);
    for (uint32_t i = 0; list && i < node->n_gres; i++) {
        list[i] = node->gres[i];
        if (strcmp(list[i].name, "mps") == 0) list[i].count = mapping->mps_of_gpu;
    }
    return list;
}

/* ---- nodes ---- */

static int32_t put_labels(struct mapping *mapping, const struct snapshot_node *node,
                          lsched_node_desc *out) {
    uint32_t n = 4 + node->n_features + node->n_partitions + node->n_switches;
    lsched_label *labels = snapshot_alloc(mapping->arena, n, sizeof *labels);
    if (!labels) return LSCHED_E_NOMEM;
    n = 0;
    labels[n++] = (lsched_label){LSCHED_TEXT("slurm.node"), text_of(node->name)};
    if (node->reservation)
        labels[n++] = (lsched_label){LSCHED_TEXT("slurm.reservation"), text_of(node->reservation)};
    for (uint32_t i = 0, parts = 0; i < node->n_gres && parts < 2; i++)
        if (snapshot_is_part(node->gres[i].name)) {
            parts++;
            if (node->mps_closed && strcmp(node->gres[i].name, "mps") == 0) continue;
            labels[n++].key =
                text_of(snapshot_format(mapping->arena, PART_LABEL, node->gres[i].name));
        }
    for (uint32_t i = 0; i < node->n_switches; i++)
        if (node->switches[i])
            labels[n++] = (lsched_label){text_of(snapshot_format(mapping->arena, SWITCH_LEVEL, i)),
                                         text_of(node->switches[i])};
    for (uint32_t i = 0; i < node->n_partitions; i++)
        labels[n++].key =
            text_of(snapshot_format(mapping->arena, "slurm.partition.%s", node->partitions[i]));
    for (uint32_t i = 0; i < node->n_features; i++)
        labels[n++].key =
            text_of(snapshot_format(mapping->arena, "slurm.feature.%s", node->features[i]));
    for (uint32_t i = 0; i < n; i++)
        if (!labels[i].value.ptr) labels[i].value = LSCHED_TEXT("1");
    out->labels = labels, out->n_labels = n;
    return LSCHED_OK;
}

static bool has_parts(const struct snapshot_node *node) {
    for (uint32_t i = 0; i < node->n_gres; i++)
        if (snapshot_is_part(node->gres[i].name)) return true;
    return false;
}

int32_t mapping_node(struct mapping *mapping, const struct snapshot_node *node,
                     lsched_node_desc *out, lsched_error *err) {
    *out = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
    out->name = text_of(node->name);
    out->state = node->ready ? LSCHED_NODE_READY : LSCHED_NODE_CORDONED;
    lsched_amount *amounts;
    struct snapshot_gres *gres = gres_of_node(mapping, node);
    if (!gres) return LSCHED_E_NOMEM;
    int32_t code = put_amounts(mapping, node->cpus, node->memory_mb, WHOLE_NODE, gres, node->n_gres,
                               &amounts, &out->n_capacity, err);
    if (code < 0) return code;
    out->capacity = amounts;
    lsched_device_desc *devices =
        snapshot_alloc(mapping->arena, (size_t)node->n_gres + 1, sizeof *devices);
    if (!devices) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < node->n_gres; i++) {
        if (!is_gpu(&node->gres[i]) || !node->gres[i].count) continue;
        lsched_device_desc *device = &devices[out->n_devices++];
        *device =
            (lsched_device_desc){.size = sizeof *device, .count = (uint32_t)node->gres[i].count};
        if (has_parts(node)) device->share_mode = LSCHED_SHARING_FRACTION;
        device->model = text_of(node->gres[i].type ? node->gres[i].type : UNTYPED_DEVICE);
    }
    out->devices = devices, out->device_elem_size = sizeof *devices;
    return put_labels(mapping, node, out);
}

int32_t mapping_topology(struct mapping *mapping, uint32_t levels, lsched_error *err) {
    lsched_topology_desc desc = {.size = sizeof desc, .name = LSCHED_TEXT(TOPOLOGY)};
    lsched_text keys[LSCHED_TOPOLOGY_LEVELS_MAX];
    if (!levels || lsched_find(mapping->cluster, LSCHED_KIND_TOPOLOGY, desc.name)) return LSCHED_OK;
    if (levels > LSCHED_TOPOLOGY_LEVELS_MAX) levels = LSCHED_TOPOLOGY_LEVELS_MAX;
    for (uint32_t i = 0; i < levels; i++) /* libsched wants the widest level first */
        keys[i] = text_of(snapshot_format(mapping->arena, SWITCH_LEVEL, levels - 1 - i));
    desc.levels = keys, desc.n_levels = levels;
    return lsched_topologies_add(mapping->cluster, &desc, 1, sizeof desc, NULL, NULL, NULL, err);
}

/* ---- where a job can go ---- */

struct rules {
    struct mapping *mapping;
    lsched_label_rule base[6]; /* reservation, nodes in and out, parts of GPUs */
    uint32_t n_base;
};

static void put_rule(lsched_label_rule *rules, uint32_t *n, const char *key, uint32_t operation) {
    rules[(*n)++] = (lsched_label_rule){text_of(key), NULL, 0, operation};
}

static const lsched_text *texts_of(struct mapping *mapping, const char **names, uint32_t n) {
    lsched_text *texts = snapshot_alloc(mapping->arena, n, sizeof *texts);
    for (uint32_t i = 0; texts && i < n; i++) texts[i] = text_of(names[i]);
    return texts;
}

static int32_t put_base_rules(struct mapping *mapping, const struct snapshot_job *job,
                              struct rules *rules) {
    for (uint32_t i = 0, parts = 0; i < job->n_gres && parts < 2; i++) {
        if (!snapshot_is_part(job->gres[i].name)) continue;
        put_rule(rules->base, &rules->n_base,
                 snapshot_format(mapping->arena, PART_LABEL, job->gres[i].name),
                 LSCHED_LABEL_EXISTS);
        parts++;
    }
    struct {
        const char **names;
        uint32_t n, operation;
        const char *key;
    } lists[] = {{job->nodes_in, job->n_nodes_in, LSCHED_LABEL_IN, "slurm.node"},
                 {job->nodes_out, job->n_nodes_out, LSCHED_LABEL_NOT_IN, "slurm.node"},
                 {NULL, job->reservation ? 1 : 0, LSCHED_LABEL_IN, "slurm.reservation"}};
    const char *reservation[1] = {job->reservation};
    lists[2].names = reservation;
    if (!job->reservation)
        put_rule(rules->base, &rules->n_base, "slurm.reservation", LSCHED_LABEL_ABSENT);
    for (uint32_t i = 0; i < 3; i++) {
        if (!lists[i].n) continue;
        put_rule(rules->base, &rules->n_base, lists[i].key, lists[i].operation);
        lsched_label_rule *rule = &rules->base[rules->n_base - 1];
        rule->values = texts_of(mapping, lists[i].names, lists[i].n);
        rule->n_values = lists[i].n;
        if (!rule->values) return LSCHED_E_NOMEM;
    }
    return LSCHED_OK;
}

/* One required term: the base rules, one partition, and the features from `features` on that stand
 * in one alternative. */
static int32_t put_term(struct rules *rules, const char *partition, const char **features,
                        uint32_t n_features, lsched_node_affinity *term) {
    struct snapshot_arena *arena = rules->mapping->arena;
    uint32_t n = rules->n_base + 1 + n_features;
    lsched_label_rule *list = snapshot_alloc(arena, n, sizeof *list);
    if (!list) return LSCHED_E_NOMEM;
    memcpy(list, rules->base, rules->n_base * sizeof *list);
    n = rules->n_base;
    if (partition)
        put_rule(list, &n, snapshot_format(arena, "slurm.partition.%s", partition),
                 LSCHED_LABEL_EXISTS);
    for (uint32_t i = 0; i < n_features; i++)
        put_rule(list, &n, snapshot_format(arena, "slurm.feature.%s", features[i]),
                 LSCHED_LABEL_EXISTS);
    *term = (lsched_node_affinity){list, n, 0};
    return LSCHED_OK;
}

/* "a&b" is one alternative of two features, "a|b" two of one. */
static uint32_t split_features(struct mapping *mapping, const char *text, const char ***out,
                               bool *either) {
    if (!text) return 0;
    *either = strchr(text, '|') != NULL;
    char *copy = snapshot_text(mapping->arena, text), *rest = NULL;
    const char **names = snapshot_alloc(mapping->arena, strlen(text) + 1, sizeof *names);
    if (!copy || !names) return 0;
    uint32_t n = 0;
    for (char *one = strtok_r(copy, "&|", &rest); one; one = strtok_r(NULL, "&|", &rest))
        names[n++] = one;
    *out = names;
    return n;
}

static int32_t put_terms(struct mapping *mapping, const struct snapshot_job *job,
                         lsched_group_desc *group) {
    struct rules rules = {.mapping = mapping};
    bool either = false;
    const char **features = NULL;
    uint32_t n_features = split_features(mapping, job->features, &features, &either);
    uint32_t partitions = job->n_partitions ? job->n_partitions : 1, n = 0;
    uint32_t alternatives = either ? n_features : 1;
    lsched_node_affinity *terms =
        snapshot_alloc(mapping->arena, (size_t)partitions * alternatives, sizeof *terms);
    int32_t code = put_base_rules(mapping, job, &rules);
    if (!terms) code = LSCHED_E_NOMEM;
    for (uint32_t p = 0; code >= 0 && p < partitions; p++)
        for (uint32_t a = 0; code >= 0 && a < alternatives; a++)
            code = put_term(&rules, job->n_partitions ? job->partitions[p] : NULL,
                            either ? features + a : features, either ? 1 : n_features, &terms[n++]);
    group->node_affinities = terms, group->n_node_affinities = n;
    return code;
}

/* ---- jobs ---- */

const char *mapping_queue(struct mapping *mapping, const struct snapshot_job *job,
                          lsched_error *err) {
    const char *name = job->account && *job->account ? job->account : mapping->default_queue;
    const char *leaf = snapshot_format(mapping->arena, MAPPING_USERS, name);
    if (leaf && lsched_find(mapping->cluster, LSCHED_KIND_QUEUE, text_of(leaf))) return leaf;
    if (!mapping->make_queues || lsched_find(mapping->cluster, LSCHED_KIND_QUEUE, text_of(name)))
        return name;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = text_of(name);
    queue.tag = MAPPING_MADE;
    (void)lsched_queues_add(mapping->cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    return name;
}

/* What a job that runs holds: the largest share of each kind, on each of its nodes. */
static void describe_shares(const struct mapping *mapping, const struct snapshot_job *job,
                            uint32_t *cpus, uint64_t *memory_mb, uint32_t *gpus_milli) {
    *cpus = 0, *memory_mb = 0, *gpus_milli = 0;
    for (uint32_t i = 0; i < job->n_shares; i++) {
        if (job->shares[i].cpus > *cpus) *cpus = job->shares[i].cpus;
        if (job->shares[i].memory_mb > *memory_mb) *memory_mb = job->shares[i].memory_mb;
        uint32_t milli = job->shares[i].n_gpus * 1000;
        if (job->shares[i].part_name)
            milli += milli_of_part(mapping, job->shares[i].part_name, job->shares[i].part);
        if (milli > *gpus_milli) *gpus_milli = milli;
    }
}

static uint64_t mps_of_shares(const struct snapshot_job *job) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < job->n_shares; i++) {
        const struct snapshot_share *share = &job->shares[i];
        bool mps = share->part_name && strcmp(share->part_name, "mps") == 0;
        if (mps && share->part > most) most = share->part;
    }
    return most;
}

static void put_gpus(struct mapping *mapping, const struct snapshot_job *job, uint32_t milli,
                     lsched_group_desc *group, lsched_amount *request) {
    lsched_text *models = snapshot_alloc(mapping->arena, (size_t)job->n_gres + 1, sizeof *models);
    for (uint32_t i = 0; models && i < job->n_gres; i++)
        if (is_gpu(&job->gres[i]) && job->gres[i].type)
            models[group->n_device_models++] = text_of(job->gres[i].type);
    group->device_models = models;
    request[group->n_request++] = (lsched_amount){LSCHED_GPU, 0, milli};
}

/* One leaf switch is a domain that is required while the user waits for it. More than one cannot be
 * required: as few as possible are preferred. */
static void put_switches(struct mapping *mapping, const struct snapshot_job *job,
                         lsched_group_desc *group) {
    if (!job->leaf_switches ||
        !lsched_find(mapping->cluster, LSCHED_KIND_TOPOLOGY, LSCHED_TEXT(TOPOLOGY)))
        return;
    lsched_text leaf = text_of(snapshot_format(mapping->arena, SWITCH_LEVEL, 0u));
    group->topology = LSCHED_TEXT(TOPOLOGY);
    group->topology_mode = LSCHED_DOMAINS_FEWEST;
    if (job->leaf_switches == 1 && job->waits_for_switches)
        group->required_level = leaf;
    else
        group->preferred_level = leaf;
}

static int32_t put_group(struct mapping *mapping, const struct snapshot_job *job,
                         lsched_group_desc *group, lsched_error *err) {
    bool runs = job->state == SNAPSHOT_RUNNING || job->state == SNAPSHOT_REQUEUING;
    uint32_t cpus = job->cpus, gpus = 0;
    uint64_t memory_mb = job->memory_mb;
    *group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    group->min_count = job->count_min, group->max_count = job->count_max;
    for (uint32_t i = 0; i < job->n_gres; i++) {
        if (is_gpu(&job->gres[i])) gpus += (uint32_t)job->gres[i].count * 1000;
        if (snapshot_is_part(job->gres[i].name))
            gpus += milli_of_part(mapping, job->gres[i].name, job->gres[i].count);
    }
    if (runs) {
        describe_shares(mapping, job, &cpus, &memory_mb, &gpus);
        group->min_count = group->max_count = job->n_shares;
    }
    if (runs || job->layout == SNAPSHOT_EACH_NODE) group->max_tasks_per_node = 1;
    if (group->min_count < group->max_count) group->flags |= LSCHED_GROUP_FIXED_AT_START;
    lsched_amount *amounts;
    const struct snapshot_gres mps = {"mps", NULL, runs ? mps_of_shares(job) : 0};
    uint32_t n_gres = runs ? 1 : job->n_gres; /* others of running jobs: foreign use */
    int32_t code = put_amounts(mapping, cpus, memory_mb, job->exclusive && !runs ? WHOLE_NODE : 1,
                               runs ? &mps : job->gres, n_gres, &amounts, &group->n_request, err);
    if (code < 0) return code;
    group->request = amounts;
    if (gpus) { /* the list has room: each GPU of the request left one place free */
        lsched_amount *more =
            snapshot_alloc(mapping->arena, (size_t)group->n_request + 1, sizeof *more);
        if (!more) return LSCHED_E_NOMEM;
        memcpy(more, amounts, group->n_request * sizeof *more);
        group->request = more;
        put_gpus(mapping, job, gpus, group, more);
    }
    if (!runs) put_switches(mapping, job, group);
    code = put_licences(mapping, job, group, err);
    if (code < 0) return code;
    return runs ? LSCHED_OK : put_terms(mapping, job, group);
}

static int32_t priority_of(const struct mapping *mapping, const struct snapshot_job *job) {
    if (mapping->slurm_priority) return (int32_t)(job->priority >> 1);
    uint64_t priority = (uint64_t)job->tier * 1000 + job->qos_priority;
    return priority > INT32_MAX ? INT32_MAX : (int32_t)priority;
}

struct mapping_terms mapping_terms(const struct mapping *mapping, const struct snapshot_job *job) {
    return (struct mapping_terms){job->time_limit_us, job->grace_us, priority_of(mapping, job)};
}

int32_t mapping_job(struct mapping *mapping, const struct snapshot_job *job, lsched_job_desc *out,
                    lsched_error *err) {
    char name[64];
    snapshot_job_name(job, name, sizeof name);
    *out = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    lsched_group_desc *group = snapshot_alloc(mapping->arena, 1, sizeof *group);
    lsched_label *labels = snapshot_alloc(mapping->arena, 3, sizeof *labels);
    char *own_name = snapshot_text(mapping->arena, name);
    if (!group || !labels || !own_name) return LSCHED_E_NOMEM;
    int32_t code = put_group(mapping, job, group, err);
    if (code < 0) return code;
    out->name = text_of(own_name);
    out->queue_name = text_of(mapping_queue(mapping, job, err));
    out->groups = group, out->n_groups = 1, out->group_elem_size = sizeof *group;
    if (!job->requeueable) out->flags |= LSCHED_JOB_NON_PREEMPTIBLE;
    struct mapping_terms terms = mapping_terms(mapping, job);
    out->priority = terms.priority;
    out->submit_us = job->submit_us;
    out->duration_us = terms.duration_us;
    out->release_us = terms.release_us;
    out->user = text_of(job->user);
    out->stale_grace_us = LSCHED_NEVER_US; /* Slurm ends a job that loses a node */
    labels[out->n_labels++] = (lsched_label){LSCHED_TEXT("user"), text_of(job->user)};
    if (job->qos) labels[out->n_labels++] = (lsched_label){LSCHED_TEXT("qos"), text_of(job->qos)};
    if (job->n_partitions)
        labels[out->n_labels++] =
            (lsched_label){LSCHED_TEXT("partition"), text_of(job->partitions[0])};
    out->labels = labels;
    return LSCHED_OK;
}

/* ---- differences ---- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    return text ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "\1", 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t number) {
    return (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
}

static uint64_t hash_texts(uint64_t hash, const char **texts, uint32_t n) {
    hash = hash_number(hash, n);
    for (uint32_t i = 0; i < n; i++) hash = hash_text(hash, texts[i]);
    return hash;
}

static uint64_t hash_gres(uint64_t hash, const struct snapshot_gres *gres, uint32_t n) {
    hash = hash_number(hash, n);
    for (uint32_t i = 0; i < n; i++)
        hash = hash_number(hash_text(hash_text(hash, gres[i].name), gres[i].type), gres[i].count);
    return hash;
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t mapping_node_hash(const struct snapshot_node *node, bool devices_only) {
    uint64_t hash = hash_gres(HASH_START, node->gres, node->n_gres);
    if (devices_only) return hash;
    hash = hash_number(hash, (uint64_t)node->mps_closed << 1 | node->ready);
    hash = hash_number(hash, node->cpus);
    hash = hash_number(hash, node->memory_mb);
    hash = hash_text(hash, node->reservation);
    hash = hash_texts(hash, node->switches, node->n_switches);
    hash = hash_texts(hash, node->partitions, node->n_partitions);
    return hash_texts(hash, node->features, node->n_features);
}

uint64_t mapping_account_hash(const struct snapshot_account *account) {
    uint64_t hash = hash_text(HASH_START, account->parent);
    hash = hash_gres(hash, account->limits, account->n_limits);
    hash = hash_number(hash, (uint64_t)account->shares << 32 | account->user_shares);
    return hash_number(hash, (uint64_t)account->jobs_max << 1 | account->has_children);
}

uint64_t mapping_job_hash(const struct mapping *mapping, const struct snapshot_job *job) {
    uint64_t hash = hash_text(HASH_START, job->account);
    hash = hash_text(hash, job->user);
    hash = hash_text(hash, job->qos);
    hash = hash_text(hash, job->reservation);
    hash = hash_text(hash, job->unmapped);
    hash = hash_number(hash, mapping->mps_of_gpu << 20 | mapping->shards_of_gpu);
    hash = hash_text(hash, job->features);
    hash = hash_texts(hash, job->partitions, job->n_partitions);
    hash = hash_texts(hash, job->nodes_in, job->n_nodes_in);
    hash = hash_texts(hash, job->nodes_out, job->n_nodes_out);
    hash = hash_gres(hash, job->gres, job->n_gres);
    hash = hash_gres(hash, job->licences, job->n_licences);
    hash = hash_number(hash, (uint64_t)priority_of(mapping, job));
    hash = hash_number(hash, (uint64_t)job->submit_us);
    hash = hash_number(hash, (uint64_t)job->time_limit_us);
    hash = hash_number(hash, (uint64_t)job->grace_us);
    hash = hash_number(hash, (uint64_t)job->requeueable << 1 | job->exclusive);
    hash = hash_number(hash, (uint64_t)job->leaf_switches << 1 | job->waits_for_switches);
    hash = hash_number(hash, (uint64_t)job->count_min << 32 | job->count_max);
    hash = hash_number(hash, (uint64_t)job->cpus << 1 | (job->layout == SNAPSHOT_EACH_TASK));
    return hash_number(hash, job->memory_mb);
}
