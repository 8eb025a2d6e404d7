/*
 * random_world.h -- what a random test knows of the cluster that it drives: every node, queue and
 * job as it was described, kept outside the library, so that what the library keeps can be compared
 * with a count.
 *
 * Descriptions point into the shadow objects, which do not move. Names are random, so that their
 * order is not that of creation. An object whose `live` is 0 has been removed or has not been added
 * yet.
 */
#ifndef TESTS_RANDOM_WORLD_H
#define TESTS_RANDOM_WORLD_H

#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"
#include "property/random_claims.h"
#include "property/random_days.h"
#include "property/random_mig.h"
#include "property/random_rules.h"

#define WORLD_NODES  40u
#define WORLD_QUEUES 24u
#define WORLD_JOBS   300u
#define WORLD_GROUPS 6u
#define WORLD_KINDS  4u /* cpu, memory, gpu, nic */
#define WORLD_PARTS  4u /* kinds that are a part of another */
#define WORLD_NIC    4u
#define GIB          ((int64_t)1 << 30)

struct world_node {
    int live;
    char name[24];
    char rack[8];
    lsched_node_desc desc;
    lsched_amount capacity[3]; /* cpu, memory, nic */
    lsched_label labels[3];
    lsched_taint taint;
    lsched_device_desc devices[2];
};

struct world_queue {
    int live;
    uint32_t parent, depth; /* parent: index or WORLD_QUEUES */
    uint32_t n_children;
    char name[24];
    lsched_queue_desc desc;
    lsched_amount quota[WORLD_KINDS], limit[WORLD_KINDS + WORLD_PARTS], weight[WORLD_KINDS];
};

struct world_job {
    int live;
    uint32_t queue;
    char name[24];
    lsched_job_desc desc;
    lsched_group_desc groups[WORLD_GROUPS];
    lsched_amount request[WORLD_GROUPS][WORLD_KINDS];
    lsched_selector selector[WORLD_GROUPS];
    struct random_day days[WORLD_GROUPS];
    struct random_rules rules[WORLD_GROUPS];
    lsched_label label;
    lsched_text value[WORLD_GROUPS];
    lsched_text model[WORLD_GROUPS];
    lsched_slice slices[WORLD_GROUPS][2];
    uint32_t size[WORLD_GROUPS]; /* chosen when the group started, see random_sizes.h; 0: none */
    int is_imported;             /* a task was imported since the sizes were noted */
    lsched_device_request mig[WORLD_GROUPS], claim[WORLD_GROUPS][RANDOM_ALTERNATIVES];
};

struct world {
    struct chance chance;
    struct chance models;    /* of limits on models alone, so that seeds keep their meaning */
    struct chance limits;    /* of limits in time alone, likewise */
    struct chance trees;     /* of slices and of how tasks are dealt out */
    struct chance pools;     /* of limits on a pool alone, likewise */
    struct chance mig;       /* of MIG alone, likewise */
    struct chance claims;    /* of claims alone, likewise */
    struct chance rules;     /* of taints and terms alone, likewise */
    struct chance days;      /* of demand that follows the day alone, likewise */
    struct chance wide;      /* of nodes with many devices alone, likewise */
    struct chance node_max;  /* of limits of tasks on a node alone, likewise */
    struct chance fixed;     /* of sizes that are chosen at the start alone, likewise */
    struct chance exclusive; /* of exclusive levels alone, likewise */
    int64_t now_us;
    int has_topology, has_nic, has_models, has_mig, has_claims, has_rules, has_days, has_wide,
        has_node_max, has_fixed, has_exclusive, equal_weights;
    uint32_t n_nodes, n_queues, n_jobs; /* ever made */
    struct world_node nodes[WORLD_NODES];
    struct world_queue queues[WORLD_QUEUES];
    struct world_job jobs[WORLD_JOBS];
};

static const char *const world_models[] = {"A100", "H100"};
/* Kinds that count the devices of these models, and what is in the pool of nodes with a fast disk; their numbers follow
 * LSCHED_RESOURCE_KINDS_MAX. */
static const char *const world_parts[WORLD_PARTS] = {"gpu:A100", "gpu:H100", "gpu:ssd", "cpu:ssd"};
static const int64_t world_part_units[WORLD_PARTS] = {500, 500, 500, 4000};
static const char *const world_zones[] = {"za", "zb"};

static inline void world_name(struct world *w, char *name, size_t n, char kind, uint32_t index) {
    snprintf(name, n, "%c%08x-%u", kind, (unsigned)(chance_word(&w->chance) & 0xffffffffu), index);
}

static inline lsched_text world_text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

/* The pool of nodes with a fast disk, and the kinds of world_parts[]. The first error, or 0. */
static inline int32_t world_add_parts(lsched_cluster *c, lsched_error *err) {
    lsched_label fast = {world_text("disk"), world_text("ssd")};
    lsched_pool_desc pool = LSCHED_POOL_DESC_INIT;
    pool.name = world_text("fast");
    pool.labels = &fast;
    pool.n_labels = 1;
    int32_t rc = lsched_pools_add(c, &pool, 1, sizeof pool, NULL, NULL, err);
    for (uint32_t m = 0; m < WORLD_PARTS && rc >= 0; m++) {
        lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
        part.kind = m == 3 ? LSCHED_CPU : LSCHED_GPU;
        part.name = world_text(world_parts[m]);
        if (m < 2)
            part.model = world_text(world_models[m]);
        else
            part.pool = pool.name;
        rc = lsched_resource_add_part(c, &part, err);
    }
    return rc < 0 ? rc : 0;
}

/* ---- nodes
 * ------------------------------------------------------------------------------------ */

/* Gives the node 17 to 128 devices, and room for their tasks. Devices in mode MIG stay among the
 * first ones. */
static inline void world_widen(struct world *w, struct world_node *node) {
    if (node->desc.n_devices == 0) return;
    uint32_t last = node->desc.n_devices - 1, before = last ? node->devices[0].count : 0;
    if (node->devices[last].share_mode == LSCHED_SHARING_MIG) return;
    uint32_t most = LSCHED_DEVICES_PER_NODE_MAX - before;
    node->devices[last].count = (uint32_t)chance_between(&w->wide, 17, most);
    node->capacity[0].amount *= 8;
    node->capacity[1].amount *= 8;
}

static inline void world_devices(struct world *w, struct world_node *node) {
    struct chance *c = &w->chance;
    static const uint32_t counts[] = {0, 1, 2, 4, 8};
    uint32_t n = chance_one_in(c, 6) ? 2 : 1;
    for (uint32_t i = 0; i < n; i++) {
        lsched_device_desc *d = &node->devices[node->desc.n_devices];
        uint32_t count = counts[chance_below(c, 5)];
        if (count == 0) continue;
        lsched_init(d, sizeof *d);
        d->count = count;
        d->model = world_text(world_models[chance_below(c, 2)]);
        d->memory_bytes = chance_one_in(c, 5) ? 0 : (chance_one_in(c, 2) ? 40 : 80) * GIB;
        d->share_mode = chance_one_in(c, 2) ? LSCHED_SHARING_FRACTION : LSCHED_SHARING_WHOLE;
        if (w->has_mig && chance_one_in(&w->mig, 2)) random_mig_device(&w->mig, d);
        if (w->has_claims) random_claim_device(&w->claims, d);
        node->desc.n_devices++;
    }
    if (w->has_wide && chance_one_in(&w->wide, 2)) world_widen(w, node);
}

/* A new node; its index. The caller marks it live once the library has it. */
static inline uint32_t world_new_node(struct world *w) {
    struct chance *c = &w->chance;
    uint32_t index = w->n_nodes++;
    struct world_node *node = &w->nodes[index];
    memset(node, 0, sizeof *node);
    lsched_init(&node->desc, sizeof node->desc);
    world_name(w, node->name, sizeof node->name, 'n', index);
    node->desc.name = world_text(node->name);
    node->desc.tag = index;
    node->desc.state = chance_one_in(c, 10) ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    node->desc.price_micro_per_hour = chance_between(c, 0, 3) * 1000000;
    node->capacity[0] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 1, 16) * 4000};
    node->capacity[1] = (lsched_amount){LSCHED_MEMORY, 0, chance_between(c, 1, 16) * 16 * GIB};
    node->capacity[2] = (lsched_amount){WORLD_NIC, 0, chance_between(c, 0, 4)};
    node->desc.capacity = node->capacity;
    node->desc.n_capacity = w->has_nic ? 3 : 2;
    snprintf(node->rack, sizeof node->rack, "r%u", chance_below(c, 4));
    node->labels[0] = (lsched_label){world_text("rack"), world_text(node->rack)};
    /* A rack lies in one zone. */
    node->labels[1] =
        (lsched_label){world_text("zone"), world_text(world_zones[node->rack[1] & 1])};
    node->labels[2] =
        (lsched_label){world_text("disk"), world_text(chance_one_in(c, 2) ? "ssd" : "hdd")};
    node->desc.labels = node->labels;
    node->desc.n_labels = chance_one_in(c, 8) ? 1 : 3; /* outside the tree */
    node->desc.devices = node->devices;
    world_devices(w, node);
    if (w->has_rules) random_rules_node(&w->rules, &node->desc, &node->taint);
    return index;
}

/* ---- queues
 * ----------------------------------------------------------------------------------- */

static inline uint32_t world_amounts(struct world *w, lsched_amount *list, int64_t low,
                                     int64_t high, const int64_t *unit) {
    uint32_t n = 0;
    for (uint32_t kind = 1; kind <= (w->has_nic ? 4u : 3u); kind++) {
        if (!chance_one_in(&w->chance, 2)) continue;
        list[n++] = (lsched_amount){kind, 0, chance_between(&w->chance, low, high) * unit[kind]};
    }
    return n;
}

static inline void world_queue_numbers(struct world *w, struct world_queue *queue) {
    static const int64_t unit[] = {0, 4000, 16 * GIB, 1000, 1};
    static const int64_t one[] = {1, 1, 1, 1, 1};
    struct chance *c = &w->chance;
    lsched_queue_desc *d = &queue->desc;
    d->priority = chance_one_in(c, 4) ? (int32_t)chance_below(c, 3) - 1 : 0;
    d->n_limit = chance_one_in(c, 3) ? world_amounts(w, queue->limit, 0, 20, unit) : 0;
    for (uint32_t m = 0; w->has_models && m < WORLD_PARTS; m++) {
        struct chance *of = m < 2 ? &w->models : &w->pools;
        if (!chance_one_in(of, 4)) continue;
        queue->limit[d->n_limit++] = (lsched_amount){
            LSCHED_RESOURCE_KINDS_MAX + m, 0, chance_between(of, 0, 12) * world_part_units[m]};
    }
    d->n_quota = chance_one_in(c, 3) ? world_amounts(w, queue->quota, 0, 10, unit) : 0;
    d->n_weight = w->equal_weights ? 0 : world_amounts(w, queue->weight, 0, 3000, one);
    d->limit = queue->limit;
    d->quota = queue->quota;
    d->weight_milli = queue->weight;
}

static inline uint32_t world_new_queue(struct world *w) {
    struct chance *c = &w->chance;
    uint32_t index = w->n_queues++;
    struct world_queue *queue = &w->queues[index];
    memset(queue, 0, sizeof *queue);
    lsched_init(&queue->desc, sizeof queue->desc);
    world_name(w, queue->name, sizeof queue->name, 'q', index);
    queue->desc.name = world_text(queue->name);
    queue->desc.tag = index;
    queue->desc.created_us = chance_between(c, 0, 3);
    queue->parent = WORLD_QUEUES;
    world_queue_numbers(w, queue);
    return index;
}

static inline void world_set_parent(struct world *w, uint32_t index, uint32_t parent) {
    struct world_queue *queue = &w->queues[index];
    queue->parent = parent;
    queue->depth = w->queues[parent].depth + 1;
    queue->desc.parent_name = world_text(w->queues[parent].name);
    w->queues[parent].n_children++;
}

static inline int world_is_leaf(const struct world *w, uint32_t queue) {
    return w->queues[queue].live && w->queues[queue].n_children == 0;
}

static inline uint32_t world_random_leaf(struct world *w) {
    for (;;) {
        uint32_t q = chance_below(&w->chance, w->n_queues);
        if (world_is_leaf(w, q)) return q;
    }
}

/* ---- jobs
 * ------------------------------------------------------------------------------------- */

static inline void world_request(struct world *w, struct world_job *job, uint32_t g) {
    static const int64_t gpus[] = {250, 333, 500, 1000, 1000, 2000, 4000};
    struct chance *c = &w->chance;
    lsched_group_desc *d = &job->groups[g];
    lsched_amount *list = job->request[g];
    uint32_t n = 0;
    list[n++] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 1, 16) * 500};
    if (!chance_one_in(c, 4))
        list[n++] = (lsched_amount){LSCHED_MEMORY, 0, chance_between(c, 1, 16) * GIB};
    if (w->has_nic && chance_one_in(c, 5)) list[n++] = (lsched_amount){WORLD_NIC, 0, 1};
    if (w->has_mig && chance_one_in(&w->mig, 2)) {
        random_mig_request(&w->mig, &job->mig[g]);
        d->device_requests = &job->mig[g];
        d->n_device_requests = 1;
    } else if (w->has_claims && chance_one_in(&w->claims, 2)) {
        d->n_device_requests = 1 + chance_below(&w->claims, RANDOM_ALTERNATIVES);
        for (uint32_t a = 0; a < d->n_device_requests; a++)
            random_claim_request(&w->claims, &job->claim[g][a]);
        d->device_requests = job->claim[g];
    } else if (!chance_one_in(c, 3)) {
        list[n++] = (lsched_amount){LSCHED_GPU, 0, gpus[chance_below(c, 7)]};
        /* so many devices that tasks get some beyond the first word of a set */
        if (w->has_wide && chance_one_in(&w->wide, 3))
            list[n - 1].amount = chance_between(&w->wide, 5, 60) * 1000;
        if (chance_one_in(c, 6)) d->gpu_memory_bytes = chance_between(c, 1, 40) * GIB;
        job->model[g] = world_text(world_models[chance_below(c, 2)]);
        d->device_models = &job->model[g];
        d->n_device_models = chance_one_in(c, 4) ? 1 : 0;
    }
    d->request = list;
    d->n_request = n;
    if (chance_one_in(c, 6)) {
        job->value[g] = world_text(chance_one_in(c, 2) ? "ssd" : "hdd");
        job->selector[g] = (lsched_selector)LSCHED_SELECTOR_INIT;
        job->selector[g].key = world_text("disk");
        job->selector[g].values = &job->value[g];
        job->selector[g].n_values = chance_one_in(c, 4) ? 0 : 1;
        d->selectors = &job->selector[g];
        d->n_selectors = 1;
    }
    if (w->has_rules) random_rules_task(&w->rules, d, &job->rules[g], w->has_topology);
    if (w->has_days && !chance_one_in(&w->days, 3)) random_day_task(&w->days, d, &job->days[g]);
}

/* Whole slices of a rack, now and then within whole ones of a zone. */
static inline void world_slices(struct world *w, struct world_job *job, uint32_t g) {
    struct chance *c = &w->trees;
    lsched_group_desc *d = &job->groups[g];
    if (!w->has_topology || !chance_one_in(c, 6)) return;
    uint32_t rack = 1 + chance_below(c, 3), zone = rack * (1 + chance_below(c, 2));
    job->slices[g][0] = (lsched_slice){world_text("zone"), zone, 0};
    job->slices[g][1] = (lsched_slice){world_text("rack"), rack, 0};
    int both = chance_one_in(c, 2);
    d->slices = &job->slices[g][both ? 0 : 1];
    d->n_slices = both ? 2 : 1;
    uint32_t whole = both ? zone : rack;
    d->max_count = (d->max_count + whole - 1) / whole * whole;
    if (d->min_count != LSCHED_MIN_NONE) d->min_count = (d->min_count + whole - 1) / whole * whole;
    d->topology_mode = chance_one_in(c, 3) ? LSCHED_DOMAINS_BALANCED : LSCHED_DOMAINS_FEWEST;
}

static inline void world_leaf(struct world *w, struct world_job *job, uint32_t g, uint32_t max) {
    struct chance *c = &w->chance;
    lsched_group_desc *d = &job->groups[g];
    d->max_count = 1 + chance_below(c, max);
    switch (chance_below(c, 4)) {
    case 0: d->min_count = 1 + chance_below(c, d->max_count); break;
    case 1: d->min_count = chance_one_in(c, 2) ? LSCHED_MIN_NONE : 1; break;
    default: d->min_count = 0; /* all */
    }
    if (w->has_node_max && chance_one_in(&w->node_max, 3))
        d->max_tasks_per_node = 1 + chance_below(&w->node_max, 3);
    if (w->has_fixed && d->min_count != LSCHED_MIN_NONE && chance_one_in(&w->fixed, 2))
        d->flags |= LSCHED_GROUP_FIXED_AT_START;
    world_slices(w, job, g);
    world_request(w, job, g);
}

static inline void world_topology_wish(struct world *w, lsched_group_desc *d) {
    if (!w->has_topology || !chance_one_in(&w->chance, 5)) return;
    const char *level = chance_one_in(&w->chance, 2) ? "rack" : "zone";
    if (chance_one_in(&w->chance, 2)) {
        d->required_level = world_text(level);
    } else {
        d->preferred_level = world_text("rack");
        if (chance_one_in(&w->chance, 2)) d->required_level = world_text("zone");
    }
    if (chance_one_in(&w->trees, 3)) d->topology_mode = LSCHED_DOMAINS_BALANCED;
}

/* Of a leaf group, or of a group around leaf groups that may have another level. */
static inline void world_exclusive(struct world *w, lsched_group_desc *d) {
    static const char *const levels[] = {"node", "rack", "zone"};
    if (!w->has_exclusive || !chance_one_in(&w->exclusive, 4)) return;
    d->exclusive_level = world_text(levels[chance_below(&w->exclusive, w->has_topology ? 3 : 1)]);
}

/* One leaf; or a root with leaves; or a root with an inner group and leaves on both levels. */
static inline void world_groups(struct world *w, struct world_job *job) {
    struct chance *c = &w->chance;
    uint32_t kind = chance_below(c, 5);
    uint32_t n = kind < 3 ? 1 : kind == 3 ? 3 : 5;
    for (uint32_t g = 0; g < n; g++) lsched_init(&job->groups[g], sizeof job->groups[g]);
    job->desc.groups = job->groups;
    job->desc.n_groups = n;
    if (n == 1) world_leaf(w, job, 0, chance_one_in(c, 3) ? 12 : 2);
    if (n > 1) job->groups[0].min_groups = chance_below(c, 3);
    if (n == 5) job->groups[1].min_groups = chance_below(c, 3);
    for (uint32_t g = 1; g < n; g++) {
        job->groups[g].parent = g >= 3 ? 1 : 0; /* 0 { 1 { 3, 4 }, 2 } */
        if (n == 3 || g > 1) world_leaf(w, job, g, 3);
    }
    world_topology_wish(w, &job->groups[chance_below(c, n)]);
    for (uint32_t g = 0; g < n; g++) world_exclusive(w, &job->groups[g]);
}

static inline uint32_t world_new_job(struct world *w) {
    struct chance *c = &w->chance;
    uint32_t index = w->n_jobs++;
    struct world_job *job = &w->jobs[index];
    memset(job, 0, sizeof *job);
    lsched_init(&job->desc, sizeof job->desc);
    world_name(w, job->name, sizeof job->name, 'j', index);
    job->queue = world_random_leaf(w);
    job->desc.name = world_text(job->name);
    job->desc.tag = index;
    job->desc.queue_name = world_text(w->queues[job->queue].name);
    job->desc.priority = chance_one_in(c, 3) ? (int32_t)chance_below(c, 5) : 0;
    job->desc.submit_us = chance_one_in(c, 2) ? w->now_us : w->now_us - chance_between(c, 0, 5);
    job->desc.duration_us = chance_one_in(c, 2) ? 0 : chance_between(c, 1, 100) * 60000000;
    job->desc.deadline_us =
        chance_one_in(c, 2) ? 0 : w->now_us + chance_between(c, 1, 100) * 60000000;
    if (chance_one_in(c, 8)) job->desc.flags |= LSCHED_JOB_NON_PREEMPTIBLE;
    if (chance_one_in(c, 8)) job->desc.flags |= LSCHED_JOB_INTERACTIVE;
    if (chance_one_in(&w->limits, 3)) /* never below its own estimate: it would not be admitted */
        job->desc.time_limit_us =
            job->desc.duration_us + chance_between(&w->limits, 1, 300) * 1000000;
    world_groups(w, job);
    if (w->has_rules && chance_one_in(&w->rules, 2)) {
        job->label = random_app(&w->rules);
        job->desc.labels = &job->label;
        job->desc.n_labels = 1;
    }
    return index;
}

/* The leaf group that holds the task of this index. */
static inline uint32_t world_group_of_task(const struct world_job *job, uint32_t task) {
    for (uint32_t g = 0; g < job->desc.n_groups; g++) {
        uint32_t count =
            job->groups[g].n_request ? job->groups[g].max_count : 0; /* leaves request */
        if (task < count) return g;
        task -= count;
    }
    return WORLD_GROUPS;
}

static inline uint32_t world_tasks_of(const struct world_job *job) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < job->desc.n_groups; g++)
        if (job->groups[g].n_request) n += job->groups[g].max_count;
    return n;
}

static inline uint32_t world_jobs_in(const struct world *w, uint32_t queue) {
    uint32_t n = 0;
    for (uint32_t j = 0; j < w->n_jobs; j++) n += w->jobs[j].live && w->jobs[j].queue == queue;
    return n;
}

/* ---- the beginning
 * ---------------------------------------------------------------------------- */

static inline void world_init(struct world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->chance.state = seed;
    w->now_us = 1700000000000000;
    w->has_topology = !chance_one_in(&w->chance, 3);
    w->has_nic = chance_one_in(&w->chance, 2);
    w->models.state = seed ^ 0x30de15;
    w->limits.state = seed ^ 0x71e117;
    w->trees.state = seed ^ 0x7ee5;
    w->pools.state = seed ^ 0x9001;
    w->mig.state = seed ^ 0x316;
    w->has_mig = chance_one_in(&w->mig, 3);
    w->claims.state = seed ^ 0xc1a13;
    w->has_claims = chance_one_in(&w->claims, 3);
    w->rules.state = seed ^ 0x7a17;
    w->has_rules = chance_one_in(&w->rules, 3);
    w->days.state = seed ^ 0xda75;
    w->has_days = chance_one_in(&w->days, 2);
    w->wide.state = seed ^ 0x3ade;
    w->has_wide = chance_one_in(&w->wide, 3);
    w->node_max.state = seed ^ 0x40de;
    w->has_node_max = chance_one_in(&w->node_max, 3);
    w->fixed.state = seed ^ 0xf15e;
    w->has_fixed = chance_one_in(&w->fixed, 3);
    w->exclusive.state = seed ^ 0xe8c1;
    w->has_exclusive = chance_one_in(&w->exclusive, 4);
    w->has_models = chance_one_in(&w->models, 2);
    w->equal_weights = chance_one_in(&w->chance, 2);
    uint32_t n_nodes = 1 + chance_below(&w->chance, 15);
    uint32_t n_queues = 1 + chance_below(&w->chance, 12);
    for (uint32_t i = 0; i < n_nodes; i++) world_new_node(w);
    for (uint32_t i = 0; i < n_queues; i++) {
        uint32_t q = world_new_queue(w);
        uint32_t parent = q ? chance_below(&w->chance, q) : 0;
        if (q && !chance_one_in(&w->chance, 4) && w->queues[parent].depth < 4)
            world_set_parent(w, q, parent);
    }
}

#endif
