/* api_world.c -- see api_world.h. */
#include "support/api_world.h"
#include "support/settle.h"

#include <string.h>

static const lsched_amount node_capacity[] = {{LSCHED_CPU, 0, 64000},
                                              {LSCHED_MEMORY, 0, INT64_C(1) << 40}};
static const lsched_device_desc node_devices[] = {{.size = sizeof(lsched_device_desc),
                                                   .count = 8,
                                                   .model = LSCHED_TEXT_INIT("H100-80GB"),
                                                   .memory_bytes = INT64_C(80) << 30,
                                                   .share_mode = LSCHED_SHARING_FRACTION}};
static const lsched_label labels_r1[] = {{LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("a")},
                                         {LSCHED_TEXT_INIT("rack"), LSCHED_TEXT_INIT("r1")}};
static const lsched_label labels_r2[] = {{LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("a")},
                                         {LSCHED_TEXT_INIT("rack"), LSCHED_TEXT_INIT("r2")}};
static const lsched_amount queue_quota[] = {{LSCHED_GPU, 0, 8000}};
static const lsched_amount queue_limit[] = {{LSCHED_GPU, 0, 64000}};
static const lsched_amount task_request[] = {{LSCHED_CPU, 0, 4000}, {LSCHED_GPU, 0, 1000}};

lsched_node_desc api_node(const char *name) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = lsched_cstr(name);
    node.capacity = node_capacity;
    node.n_capacity = 2;
    node.labels = strcmp(name, "n2") == 0 ? labels_r2 : labels_r1;
    node.n_labels = 2;
    node.devices = node_devices;
    node.n_devices = 1;
    return node;
}

lsched_queue_desc api_queue(const char *name, const char *parent_name) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = lsched_cstr(name);
    queue.parent_name = lsched_cstr(parent_name);
    queue.quota = queue_quota;
    queue.n_quota = 1;
    queue.limit = queue_limit;
    queue.n_limit = 1;
    return queue;
}

lsched_group_desc api_group(uint32_t count) {
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = count;
    group.request = task_request;
    group.n_request = 2;
    return group;
}

lsched_job_desc api_job(const char *name, const lsched_group_desc *groups, uint32_t n_groups) {
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("research");
    job.groups = groups;
    job.n_groups = n_groups;
    return job;
}

uint64_t api_image(const lsched_cluster *cluster) {
    uint64_t hash = 0;
    return lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &hash, NULL) < 0 ? 0 : hash;
}

uint64_t api_meaning(const lsched_cluster *cluster) {
    uint64_t hash = 0;
    return lsched_cluster_hash(cluster, LSCHED_HASH_MEANING, &hash, NULL) < 0 ? 0 : hash;
}

int32_t api_cycle(lsched_cluster *cluster, int64_t now_us, lsched_id *first) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan *plan = NULL;
    int32_t code = lsched_schedule(cluster, &opts, &plan, NULL);
    if (code < 0) return code;
    if (first) *first = lsched_plan_size(plan) ? lsched_plan_at(plan, 0)->id : 0;
    lsched_plan_destroy(plan);
    return LSCHED_OK;
}

int32_t api_report(lsched_cluster *cluster, lsched_id job, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    return lsched_tasks_report(cluster, &e, 1, sizeof e, NULL, NULL, NULL);
}

static int32_t make_places(struct api_world *w) {
    static const lsched_text levels[] = {LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("rack")};
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    topology.name = LSCHED_TEXT("site");
    topology.levels = levels;
    topology.n_levels = 2;
    lsched_node_desc nodes[] = {api_node("n1"), api_node("n2"), api_node("gone-node")};
    lsched_queue_desc queues[] = {api_queue("org", NULL), api_queue("research", "org"),
                                  api_queue("product", "org"), api_queue("gone-queue", NULL)};
    lsched_id node_ids[3], queue_ids[4];
    int32_t code = lsched_topologies_add(w->cluster, &topology, 1, sizeof topology, NULL,
                                         &w->topology, NULL, NULL);
    if (code >= 0)
        code = lsched_nodes_add(w->cluster, nodes, 3, sizeof nodes[0], NULL, node_ids, NULL, NULL);
    if (code >= 0) {
        code =
            lsched_queues_add(w->cluster, queues, 4, sizeof queues[0], NULL, queue_ids, NULL, NULL);
    }
    if (code >= 0) code = lsched_nodes_remove(w->cluster, &node_ids[2], 1, NULL, NULL, NULL);
    if (code >= 0) code = lsched_queues_remove(w->cluster, &queue_ids[3], 1, NULL, NULL, NULL);
    if (code < 0) return code;
    memcpy(w->nodes, node_ids, sizeof w->nodes);
    w->gone_node = node_ids[2];
    w->org = queue_ids[0], w->research = queue_ids[1], w->product = queue_ids[2];
    w->gone_queue = queue_ids[3];
    return LSCHED_OK;
}

static int32_t submit(struct api_world *w, const char *name, uint32_t count, lsched_id *id) {
    lsched_group_desc group = api_group(count);
    lsched_job_desc job = api_job(name, &group, 1);
    return lsched_jobs_submit(w->cluster, &job, 1, sizeof job, NULL, id, NULL, NULL);
}

static int32_t make_jobs(struct api_world *w) {
    lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
    int32_t code = submit(w, "gone-job", 1, &w->gone_job);
    if (code >= 0) code = lsched_jobs_remove(w->cluster, &w->gone_job, 1, NULL, NULL, NULL);
    if (code >= 0) code = submit(w, "busy", 1, &w->busy);
    if (code >= 0) code = api_cycle(w->cluster, w->now_us, &w->gone_decision);
    if (code >= 0) code = settle_each(w->cluster, &w->gone_decision, &confirmed, 1, NULL, NULL);
    if (code >= 0) code = api_report(w->cluster, w->busy, LSCHED_EVENT_STARTED);
    if (code >= 0) code = submit(w, "open", 1, &w->open);
    if (code >= 0) code = submit(w, "later", 40, &w->later);
    if (code >= 0) code = api_cycle(w->cluster, ++w->now_us, &w->proposed);
    return code;
}

int32_t api_world_make(struct api_world *world, const lsched_cluster_opts *opts) {
    *world = (struct api_world){.now_us = INT64_C(1700000000000000)};
    int32_t code = lsched_cluster_create(opts, &world->cluster, NULL);
    if (code >= 0) code = make_places(world);
    if (code >= 0) code = make_jobs(world);
    if (code < 0) api_world_drop(world);
    return code < 0 ? code : LSCHED_OK;
}

void api_world_drop(struct api_world *world) {
    lsched_cluster_destroy(world->cluster);
    world->cluster = NULL;
}
