/*
 * case_cluster.c -- see case_cluster.h.
 *
 * The past of a case (gangs that have been stale for a while) is played before nodes take work: they are cordoned, the
 * clock is moved by empty cycles, jobs come in the order in which they became stale. Then the nodes are uncordoned and the
 * policy is loaded, at CASE_NOW_US.
 */
#include "case_cluster.h"

#include <stdio.h>
#include <string.h>

#include "case_devices.h"
#include "case_gang.h"

enum { RUNNING_FOR_US = 60 * 1000000, STUCK_FOR_US = 600 * 1000000, TASKS_PER_NODE = 110 };

struct building {
    struct case_form *c;
    struct pool *pool;
    lsched_cluster *cluster;
    lsched_error err;
    uint32_t kind_tasks;
    lsched_id *node_ids;
};

static int32_t add_topology(struct building *b) {
    const struct case_form *c = b->c;
    lsched_topology_desc desc = LSCHED_TOPOLOGY_DESC_INIT;
    if (c->levels.n == 0) return 0;
    lsched_text *levels = pool_take(b->pool, c->levels.n, sizeof *levels);
    for (uint32_t i = 0; i < c->levels.n; i++) levels[i] = lsched_cstr(c->levels.items[i]);
    desc.name = LSCHED_TEXT("topology");
    desc.levels = levels;
    desc.n_levels = c->levels.n;
    return lsched_topologies_add(b->cluster, &desc, 1, 0, NULL, NULL, NULL, &b->err);
}

static int32_t add_node(struct building *b, uint32_t i) {
    const struct node_form *form = &b->c->nodes[i];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_device_desc device = LSCHED_DEVICE_DESC_INIT;
    lsched_amount capacity[] = {{LSCHED_CPU, 0, form->cpu_milli},
                                {LSCHED_MEMORY, 0, form->memory_bytes},
                                {b->kind_tasks, 0, TASKS_PER_NODE}};
    lsched_label *labels = pool_take(b->pool, form->labels.n + 1, sizeof *labels);
    if (form->labels.n) memcpy(labels, form->labels.items, form->labels.n * sizeof *labels);
    labels[form->labels.n].key = lsched_cstr(GANG_NODE_LABEL);
    labels[form->labels.n].value = lsched_cstr(form->name);
    node.state = LSCHED_NODE_CORDONED;
    node.tag = i;
    node.name = lsched_cstr(form->name);
    node.capacity = capacity;
    node.n_capacity = sizeof capacity / sizeof *capacity;
    node.labels = labels;
    node.n_labels = form->labels.n + 1;
    device.count = form->gpus;
    device.model = LSCHED_TEXT("gpu");
    device.memory_bytes = form->gpu_memory_mib << 20;
    device.share_mode = LSCHED_SHARING_FRACTION;
    node.devices = &device;
    node.n_devices = form->gpus > 0;
    return lsched_nodes_add(b->cluster, &node, 1, 0, NULL, &b->node_ids[i], NULL, &b->err);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static int32_t add_queue(struct building *b, const struct queue_form *form) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_amount quota[KINDS + 1];
    memcpy(quota, form->quota, sizeof form->quota);
    quota[KINDS] = (lsched_amount){b->kind_tasks, 0, LSCHED_UNLIMITED};
    queue.name = lsched_cstr(form->name);
    queue.parent_name = lsched_cstr(form->parent);
    queue.priority = form->priority;
    queue.quota = quota;
    queue.n_quota = KINDS + 1;
    queue.limit = form->limit;
    queue.n_limit = KINDS;
    queue.weight_milli = form->weight_milli;
    queue.n_weight = KINDS;
    queue.reclaim_min_runtime_us = form->reclaim_min_runtime_us;
    queue.preempt_min_runtime_us = form->preempt_min_runtime_us;
    queue.preemption_delay_us = form->preemption_delay_us;
    queue.created_us = 1000000 + form->created;
    return lsched_queues_add(b->cluster, &queue, 1, 0, NULL, NULL, NULL, &b->err);
}

static int queue_is_known(const struct case_form *c, const char *name) {
    for (uint32_t i = 0; i < c->n_queues; i++)
        if (strcmp(c->queues[i].name, name) == 0) return 1;
    return 0;
}

/* Parents before children, in whatever order the case has them. */
static int32_t add_queues(struct building *b) {
    struct case_form *c = b->c;
    for (uint32_t more = 1; more > 0;) {
        more = 0;
        for (uint32_t i = 0; i < c->n_queues; i++) {
            struct queue_form *q = &c->queues[i];
            if (q->parent && !queue_is_known(c, q->parent)) q->parent = NULL;
            if (q->added ||
                (q->parent && !lsched_find(b->cluster, LSCHED_KIND_QUEUE, lsched_cstr(q->parent))))
                continue;
            int32_t rc = add_queue(b, q);
            if (rc < 0) return rc;
            q->added = 1;
            more++;
        }
    }
    return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* In rounds a gang that is below its minimum has no grace, unless the case gives it one. */
static int64_t grace_of(const struct case_form *c, const struct job_form *job) {
    if (job->stale_grace_us != INT64_MIN && job->stale_grace_us < 0) return LSCHED_NEVER_US;
    if (job->stale_grace_us != INT64_MIN) return job->stale_grace_us ? job->stale_grace_us : 1;
    return c->rounds ? 1 : 0;
}

/* A job of a queue that does not exist, or that has queues below it, is not taken by anybody: it waits. */
static int queue_takes_jobs(const struct case_form *c, const char *name) {
    for (uint32_t i = 0; i < c->n_queues; i++)
        if (c->queues[i].parent && strcmp(c->queues[i].parent, name) == 0) return 0;
    return queue_is_known(c, name);
}

static int32_t submit(struct building *b, uint32_t i) {
    struct job_form *form = &b->c->jobs[i];
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    struct gang gang;
    if (!gang_make(&gang, b->pool, b->c, form, b->kind_tasks)) return LSCHED_E_LIMIT;
    job.name = lsched_cstr(form->name);
    job.queue_name = lsched_cstr(form->queue);
    job.groups = gang.groups;
    job.n_groups = gang.n;
    job.flags = form->preemptible ? 0 : LSCHED_JOB_NON_PREEMPTIBLE;
    job.tag = i;
    job.priority = form->priority;
    job.submit_us = CASE_NOW_US - form->age_us;
    job.preemption_delay_us = form->preemption_delay_us;
    job.stale_grace_us = grace_of(b->c, form);
    return lsched_jobs_submit(b->cluster, &job, 1, 0, NULL, &form->id, NULL, &b->err);
}

static const char *any_node_for(const struct case_form *c, uint32_t devices) {
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if (c->nodes[i].gpus >= devices) return c->nodes[i].name;
    return NULL;
}

static int32_t import(struct building *b, const struct job_form *job,
                      const struct task_form *task) {
    lsched_task_import desc = LSCHED_TASK_IMPORT_INIT;
    desc.job = job->id;
    desc.task_index = task->index;
    desc.node_name =
        lsched_cstr(task->node ? task->node : any_node_for(b->c, task_device_set(job, task)));
    desc.device_mask = task->device_mask;
    desc.start_us = CASE_NOW_US - RUNNING_FOR_US;
    if (task->given == TASK_RELEASING || task->given == TASK_STUCK)
        desc.state = LSCHED_TASK_RELEASING;
    if (task->given == TASK_STUCK) desc.release_us = CASE_NOW_US - STUCK_FOR_US;
    return lsched_tasks_import(b->cluster, &desc, 1, 0, NULL, NULL, &b->err);
}

static int32_t report(struct building *b, const struct job_form *job, const struct task_form *task,
                      uint32_t event) {
    lsched_task_event desc = LSCHED_TASK_EVENT_INIT;
    desc.job = job->id;
    desc.task_index = task->index;
    desc.event = event;
    return lsched_tasks_report(b->cluster, &desc, 1, 0, NULL, NULL, &b->err);
}

/* Running, releasing and failed work, then how it ended. */
static int32_t import_tasks(struct building *b, const struct job_form *job) {
    int32_t rc = 0;
    for (uint32_t i = 0; rc >= 0 && i < job->n_tasks; i++)
        if (job->tasks[i].given != TASK_PENDING) rc = import(b, job, &job->tasks[i]);
    for (uint32_t i = 0; rc >= 0 && i < job->n_tasks; i++) {
        if (job->tasks[i].given == TASK_FINISHED)
            rc = report(b, job, &job->tasks[i], LSCHED_EVENT_ENDED);
        if (job->tasks[i].given == TASK_FAILED)
            rc = report(b, job, &job->tasks[i], LSCHED_EVENT_FAILED);
    }
    return rc;
}

/* A cycle in which no node takes work moves the time and nothing else. */
static int32_t move_clock(struct building *b, int64_t to_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = to_us;
    int32_t rc = lsched_schedule(b->cluster, &opts, &plan, &b->err);
    if (rc >= 0 && lsched_plan_size(plan) > 0) rc = LSCHED_E_VERIFY;
    lsched_plan_destroy(plan);
    return rc;
}

static int64_t stale_since(const struct case_form *c, const struct job_form *job) {
    int64_t for_us = job->stale_for_us;
    return CASE_NOW_US - (for_us == 0 && c->rounds ? 1 : for_us);
}

static int32_t add_jobs(struct building *b) {
    struct case_form *c = b->c;
    int64_t clock = 0;
    for (;;) {
        int64_t next = LSCHED_NEVER_US;
        for (uint32_t i = 0; i < c->n_jobs; i++) {
            int64_t since = stale_since(c, &c->jobs[i]);
            if (since > clock && since < next) next = since;
        }
        if (next == LSCHED_NEVER_US) return 0;
        clock = next;
        int32_t rc = move_clock(b, clock);
        for (uint32_t i = 0; rc >= 0 && i < c->n_jobs; i++) {
            if (stale_since(c, &c->jobs[i]) != clock || !queue_takes_jobs(c, c->jobs[i].queue))
                continue;
            rc = submit(b, i);
            if (rc >= 0) rc = import_tasks(b, &c->jobs[i]);
        }
        if (rc < 0) return rc;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int32_t uncordon(struct building *b) {
    for (uint32_t i = 0; i < b->c->n_nodes; i++) {
        lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
        update.set = LSCHED_NODE_SET_STATE;
        update.node = b->node_ids[i];
        update.state = LSCHED_NODE_READY;
        int32_t rc = lsched_nodes_update(b->cluster, &update, 1, 0, NULL, NULL, &b->err);
        if (rc < 0) return rc;
    }
    return 0;
}

static int32_t load_policy(struct building *b, const struct policy_choice *policy) {
    char text[2048], pipeline[128];
    if (b->c->rounds)
        snprintf(pipeline, sizeof pipeline,
                 "'allocate', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs'");
    else
        snprintf(pipeline, sizeof pipeline, "'%s'", b->c->action);
    int len = snprintf(text, sizeof text,
                       "return { api = 1, name = 'conformance', fair_share = '%s', %s\n"
                       "pipeline = { %s },\n"
                       "eviction = { %s moves_max = 1000000 } }\n",
                       policy->fair_share, policy->more, pipeline, policy->eviction);
    return lsched_policy_load(b->cluster, LSCHED_TEXT("conformance"),
                              (lsched_text){text, (size_t)len}, NULL, &b->err);
}

static int32_t build(struct building *b, const struct policy_choice *policy) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    int32_t rc = lsched_cluster_create(&opts, &b->cluster, &b->err);
    if (rc < 0) return rc;
    rc = lsched_resource_add(b->cluster, LSCHED_TEXT("tasks"), &b->err);
    if (rc < 0) return rc;
    b->kind_tasks = (uint32_t)rc;
    rc = add_topology(b);
    b->node_ids = pool_take(b->pool, b->c->n_nodes, sizeof *b->node_ids);
    for (uint32_t i = 0; rc >= 0 && i < b->c->n_nodes; i++) rc = add_node(b, i);
    if (rc >= 0) rc = add_queues(b);
    if (rc >= 0) rc = add_jobs(b);
    if (rc >= 0) rc = uncordon(b);
    if (rc >= 0) rc = load_policy(b, policy);
    return rc;
}

lsched_cluster *case_cluster(struct case_form *c, struct pool *pool,
                             const struct policy_choice *policy) {
    struct building b = {.c = c, .pool = pool, .err = LSCHED_ERROR_INIT};
    case_assign_devices(c);
    int32_t rc = build(&b, policy);
    if (rc >= 0) return b.cluster;
    fprintf(stderr, "%s: %s: %s\n", c->id, lsched_error_name(rc), b.err.message);
    lsched_cluster_destroy(b.cluster);
    return NULL;
}
