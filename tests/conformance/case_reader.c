/*
 * case_reader.c -- see case_reader.h. Amounts become base units here: cores milli-cores, GPUs milli-GPUs, MB (10^6) bytes,
 * minutes and nanoseconds microseconds. Keys that no reader asks for are complaints, so a misspelt key does not pass
 * for a default.
 */
#include "case_reader.h"

#include <string.h>

enum { GANG_GROUPS_MAX = LSCHED_GROUPS_PER_JOB_MAX };
static const double NS = 1e-3, MINUTES = 60e6;

static struct names read_names(struct pool *pool, struct yaml_file *file, const yaml_node_t *list) {
    struct names names = {NULL, yaml_list_size(list)};
    names.items = pool_take(pool, names.n, sizeof *names.items);
    for (uint32_t i = 0; i < names.n; i++) {
        const yaml_node_t *item = yaml_list_at(file, list, i);
        int scalar = item->type == YAML_SCALAR_NODE;
        names.items[i] = scalar ? (const char *)item->data.scalar.value : "";
        if (!scalar) yaml_complain(file, item, "expected a name in", "a list of names");
    }
    return names;
}

static struct labels read_labels(struct pool *pool, struct yaml_file *file,
                                 const yaml_node_t *map) {
    struct labels labels = {NULL, 0};
    if (!map || map->type != YAML_MAPPING_NODE) return labels;
    const yaml_node_pair_t *start = map->data.mapping.pairs.start;
    size_t n = (size_t)(map->data.mapping.pairs.top - start);
    labels.items = pool_take(pool, n, sizeof *labels.items);
    for (size_t i = 0; i < n; i++) {
        const yaml_node_t *key = yaml_document_get_node(&file->document, start[i].key),
                          *value = yaml_document_get_node(&file->document, start[i].value);
        if (key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE) continue;
        labels.items[labels.n].key = lsched_cstr((const char *)key->data.scalar.value);
        labels.items[labels.n++].value = lsched_cstr((const char *)value->data.scalar.value);
    }
    return labels;
}

static int read_node(struct node_form *node, struct pool *pool, struct yaml_file *file,
                     const yaml_node_t *root) {
    struct yaml_map m = yaml_map_begin(file, root);
    node->name = yaml_get_text(&m, "name", NULL);
    node->cpu_milli = yaml_get_amount(&m, "cpu", 1000, 0);
    node->memory_bytes = yaml_get_amount(&m, "memory", 1, 0);
    node->gpus = (uint32_t)yaml_get_amount(&m, "gpu", 1, 0);
    node->gpu_memory_mib = yaml_get_amount(&m, "gpu_memory_mib", 1, 0);
    node->labels = read_labels(pool, file, yaml_get(&m, "labels"));
    yaml_map_end(&m, NULL);
    if (node->gpus > SHARED_DEVICES_MAX)
        yaml_complain(file, root, "more than 16 GPUs on node", node->name ? node->name : "?");
    return node->name && node->gpus <= SHARED_DEVICES_MAX;
}

/* cpu_milli, memory_mb and gpu of a map, by kind. */
static void read_amounts(lsched_amount *out, struct yaml_file *file, const yaml_node_t *root,
                         const double scale[KINDS], int64_t otherwise, int64_t otherwise_gpu) {
    static const char *const keys[KINDS] = {"cpu_milli", "memory_mb", "gpu"};
    struct yaml_map m = yaml_map_begin(file, root);
    for (uint32_t i = 0; i < KINDS; i++)
        out[i] = (lsched_amount){
            LSCHED_CPU + i, 0,
            yaml_get_amount(&m, keys[i], scale[i], i + 1 < KINDS ? otherwise : otherwise_gpu)};
    yaml_map_end(&m, NULL);
}

static int read_queue(struct queue_form *queue, struct yaml_file *file, const yaml_node_t *root) {
    static const double amounts[KINDS] = {1, 1e6, 1000}, weights[KINDS] = {1000, 1000, 1000};
    struct yaml_map m = yaml_map_begin(file, root);
    queue->name = yaml_get_text(&m, "name", NULL);
    queue->parent = yaml_get_text(&m, "parent", NULL);
    queue->priority = (int32_t)yaml_get_amount(&m, "priority", 1, 100);
    queue->created = yaml_get_amount(&m, "created", 1, 0);
    read_amounts(queue->quota, file, yaml_get(&m, "quota"), amounts, LSCHED_UNLIMITED, 0);
    read_amounts(queue->limit, file, yaml_get(&m, "limit"), amounts, LSCHED_UNLIMITED,
                 LSCHED_UNLIMITED);
    read_amounts(queue->weight_milli, file, yaml_get(&m, "weight"), weights, 1000, 1000);
    queue->reclaim_min_runtime_us = yaml_get_amount(&m, "reclaim_min_runtime_ns", NS, 0);
    queue->preempt_min_runtime_us = yaml_get_amount(&m, "preempt_min_runtime_ns", NS, 0);
    queue->preemption_delay_us = yaml_get_amount(&m, "preemption_delay_ns", NS, 0);
    yaml_map_end(&m, NULL);
    return queue->name != NULL;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void read_group(struct group_form *group, struct yaml_file *file, struct yaml_map *m) {
    group->name = yaml_get_text(m, "name", "");
    group->min = (int32_t)yaml_get_amount(m, "min", 1, NOTHING);
    group->min_groups = (int32_t)yaml_get_amount(m, "min_groups", 1, NOTHING);
    struct yaml_map topology = yaml_map_begin(file, yaml_get(m, "topology"));
    group->required = yaml_get_text(&topology, "required", NULL);
    group->preferred = yaml_get_text(&topology, "preferred", NULL);
    yaml_map_end(&topology, NULL);
}

/* The tree in preorder, so that leaves come in the order written. */
static int read_gang(struct job_form *job, struct pool *pool, struct yaml_file *file,
                     const yaml_node_t *root) {
    struct todo {
        const yaml_node_t *node;
        uint32_t parent;
    } stack[GANG_GROUPS_MAX];
    uint32_t depth = 0;
    if (!root) return 1;
    job->groups = pool_take(pool, GANG_GROUPS_MAX, sizeof *job->groups);
    stack[depth++] = (struct todo){root, 0};
    while (depth > 0) {
        struct todo at = stack[--depth];
        struct yaml_map m = yaml_map_begin(file, at.node);
        const yaml_node_t *children = yaml_get(&m, "groups");
        uint32_t n = yaml_list_size(children);
        if (job->n_groups == GANG_GROUPS_MAX || depth + n > GANG_GROUPS_MAX) {
            yaml_complain(file, at.node, "too many groups in job", job->name);
            return 0;
        }
        struct group_form *group = &job->groups[job->n_groups];
        group->parent = at.parent;
        group->has_children = n > 0;
        read_group(group, file, &m);
        yaml_map_end(&m, NULL);
        for (uint32_t i = n; i-- > 0;)
            stack[depth++] = (struct todo){yaml_list_at(file, children, i), job->n_groups};
        job->n_groups++;
    }
    return 1;
}

static int read_state(enum task_state *state, struct yaml_map *m) {
    const char *text = yaml_get_text(m, "state", "");
    for (enum task_state s = TASK_PENDING; s <= TASK_FINISHED; s++)
        if (strcmp(text, task_state_name(s)) == 0) {
            *state = s;
            return 1;
        }
    yaml_complain(m->file, m->map, "no such state:", text);
    return 0;
}

static int read_task(struct task_form *task, struct pool *pool, struct yaml_file *file,
                     const yaml_node_t *root) {
    struct yaml_map m = yaml_map_begin(file, root);
    int ok = read_state(&task->given, &m);
    task->node = yaml_get_text(&m, "node", NULL);
    task->group = yaml_get_text(&m, "group", NULL);
    task->gpu = (int32_t)yaml_get_amount(&m, "gpu", 1, NOTHING);
    task->priority = (int32_t)yaml_get_amount(&m, "priority", 1, 0);
    task->gpus = read_names(pool, file, yaml_get(&m, "gpus"));
    task->only_nodes = read_names(pool, file, yaml_get(&m, "only_nodes"));
    task->now = task->given;
    task->now_at = task->given == TASK_PENDING ? NULL : task->node;
    yaml_map_end(&m, NULL);
    return ok;
}

static void read_request(struct job_form *job, struct yaml_file *file, const yaml_node_t *root) {
    struct yaml_map m = yaml_map_begin(file, root);
    job->cpu_milli = yaml_get_amount(&m, "cpu", 1000, 0);
    job->memory_bytes = yaml_get_amount(&m, "memory", 1, 0);
    job->gpu_milli = yaml_get_amount(&m, "gpu", 1000, 0);
    job->gpu_milli = yaml_get_amount(&m, "gpu_fraction", 1000, job->gpu_milli);
    job->gpu_memory_mib = yaml_get_amount(&m, "gpu_memory_mib", 1, 0);
    yaml_map_end(&m, NULL);
}

static int read_job(struct job_form *job, struct pool *pool, struct yaml_file *file,
                    const yaml_node_t *root) {
    struct yaml_map m = yaml_map_begin(file, root);
    job->name = yaml_get_text(&m, "name", NULL);
    job->queue = yaml_get_text(&m, "queue", NULL);
    job->priority = (int32_t)yaml_get_amount(&m, "priority", 1, 50);
    job->preemptible = yaml_get_bool(&m, "preemptible", job->priority < 100);
    job->deleted_when_evicted = yaml_get_bool(&m, "deleted_when_evicted", 0);
    job->age_us = yaml_get_amount(&m, "age_minutes", MINUTES, 0);
    job->stale_for_us = yaml_get_amount(&m, "stale_for_ns", NS, 0);
    job->stale_grace_us = yaml_get_amount(&m, "stale_grace_ns", NS, INT64_MIN);
    job->preemption_delay_us = yaml_get_amount(&m, "preemption_delay_ns", NS, 0);
    job->only_nodes = read_names(pool, file, yaml_get(&m, "only_nodes"));
    read_request(job, file, yaml_get(&m, "request"));
    if (!job->name || !job->queue) {
        yaml_complain(file, root, "a job needs a name and a", "queue");
        return 0;
    }
    int ok = read_gang(job, pool, file, yaml_get(&m, "gang"));
    const yaml_node_t *tasks = yaml_get(&m, "tasks");
    job->n_tasks = yaml_list_size(tasks);
    job->tasks = pool_take(pool, job->n_tasks, sizeof *job->tasks);
    for (uint32_t i = 0; ok && i < job->n_tasks; i++)
        ok = read_task(&job->tasks[i], pool, file, yaml_list_at(file, tasks, i));
    yaml_map_end(&m, NULL);
    return ok;
}

/* ---- the case -------------------------------------------------------------------------------- */

static int read_lists(struct case_form *c, struct pool *pool, struct yaml_file *file,
                      struct yaml_map *m) {
    const yaml_node_t *nodes = yaml_get(m, "nodes"), *queues = yaml_get(m, "queues"),
                      *jobs = yaml_get(m, "jobs");
    int ok = 1;
    c->n_nodes = yaml_list_size(nodes);
    c->n_queues = yaml_list_size(queues);
    c->n_jobs = yaml_list_size(jobs);
    c->nodes = pool_take(pool, c->n_nodes, sizeof *c->nodes);
    c->queues = pool_take(pool, c->n_queues, sizeof *c->queues);
    c->jobs = pool_take(pool, c->n_jobs, sizeof *c->jobs);
    for (uint32_t i = 0; ok && i < c->n_nodes; i++)
        ok = read_node(&c->nodes[i], pool, file, yaml_list_at(file, nodes, i));
    for (uint32_t i = 0; ok && i < c->n_queues; i++)
        ok = read_queue(&c->queues[i], file, yaml_list_at(file, queues, i));
    for (uint32_t i = 0; ok && i < c->n_jobs; i++)
        ok = read_job(&c->jobs[i], pool, file, yaml_list_at(file, jobs, i));
    return ok;
}

int case_read(struct case_form *c, struct pool *pool, struct yaml_file *file,
              const yaml_node_t *root) {
    static const char *const for_the_judge[] = {
        "expect_jobs", "expect_tasks", "bounds", "about", "passes_by_doing_nothing", NULL};
    struct yaml_map m = yaml_map_begin(file, root);
    *c = (struct case_form){.id = yaml_get_text(&m, "id", NULL)};
    const char *mode = yaml_get_text(&m, "mode", "");
    c->rounds = strcmp(mode, "rounds") == 0;
    c->action = yaml_get_text(&m, "action", NULL);
    c->levels = read_names(pool, file, yaml_get(&m, "topology_levels"));
    struct yaml_map rounds = yaml_map_begin(file, yaml_get(&m, "rounds"));
    c->until = (uint32_t)yaml_get_amount(&rounds, "until", 1, 1);
    c->after = (uint32_t)yaml_get_amount(&rounds, "after", 1, 0);
    yaml_map_end(&rounds, NULL);
    int ok = read_lists(c, pool, file, &m);
    yaml_map_end(&m, for_the_judge);
    if (c->id && (c->rounds || (strcmp(mode, "single") == 0 && c->action))) return ok;
    yaml_complain(file, root, "a case needs an id, a mode, and an action in mode", "single");
    return 0;
}
