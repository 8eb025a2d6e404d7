/*
 * case_gang.c -- see case_gang.h. What cannot be satisfied in a case (a minimum above the number of tasks, a required
 * level that no topology has) becomes a leaf that fits on no node: the job then waits, as it should.
 */
#include "case_gang.h"

#include <stdio.h>
#include <string.h>

enum { AMOUNTS = KINDS + 1 };

struct making {
    struct gang *out;
    struct pool *pool;
    const struct case_form *c;
    struct job_form *job;
    uint32_t kind_tasks;
    uint32_t next_index; /* of the next task */
    uint32_t *members;   /* tasks of the group in hand, most needed first */
    uint32_t n_members;
    uint8_t *taken; /* by member: in a leaf already */
    uint32_t *row;  /* by group of the case: its index in out */
};

/* ---- what a task asks for -------------------------------------------------------------------- */

/* The share of a device that counts in quotas follows from the smallest device of the cluster. */
static int64_t share_of_memory(const struct case_form *c, int64_t mib) {
    int64_t smallest = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        int64_t has = c->nodes[i].gpus ? c->nodes[i].gpu_memory_mib : 0;
        if (has > 0 && (smallest == 0 || has < smallest)) smallest = has;
    }
    int64_t milli = smallest ? (1000 * mib + smallest - 1) / smallest : 1000;
    return milli > 1000 ? 1000 : milli;
}

static void set_request(const struct making *m, lsched_group_desc *leaf,
                        const struct task_form *task) {
    const struct job_form *job = m->job;
    lsched_amount *request = pool_take(m->pool, AMOUNTS, sizeof *request);
    int64_t gpu_milli = job->gpu_milli;
    if (task->gpu != NOTHING) {
        gpu_milli = INT64_C(1000) * task->gpu;
    } else if (job->gpu_memory_mib > 0) {
        gpu_milli = share_of_memory(m->c, job->gpu_memory_mib);
        leaf->gpu_memory_bytes = job->gpu_memory_mib << 20;
    }
    request[leaf->n_request++] = (lsched_amount){LSCHED_CPU, 0, job->cpu_milli};
    request[leaf->n_request++] = (lsched_amount){LSCHED_MEMORY, 0, job->memory_bytes};
    request[leaf->n_request++] = (lsched_amount){m->kind_tasks, 0, 1};
    if (gpu_milli > 0) request[leaf->n_request++] = (lsched_amount){LSCHED_GPU, 0, gpu_milli};
    leaf->request = request;
}

/* Only on these nodes; on none if the list is empty. */
static void set_nodes(const struct making *m, lsched_group_desc *leaf, const struct names *nodes) {
    lsched_selector *selector = pool_take(m->pool, 1, sizeof *selector);
    lsched_text *values = pool_take(m->pool, nodes->n + 1, sizeof *values);
    *selector = (lsched_selector)LSCHED_SELECTOR_INIT;
    selector->key = lsched_cstr(GANG_NODE_LABEL);
    selector->n_values = nodes->n ? nodes->n : 1;
    values[0] = LSCHED_TEXT("(no node)");
    for (uint32_t i = 0; i < nodes->n; i++) values[i] = lsched_cstr(nodes->items[i]);
    selector->values = values;
    leaf->selectors = selector;
    leaf->n_selectors = 1;
}

static int is_level(const struct case_form *c, const char *level) {
    for (uint32_t i = 0; i < c->levels.n; i++)
        if (strcmp(c->levels.items[i], level) == 0) return 1;
    return 0;
}

static int job_is_possible(const struct making *m) {
    for (uint32_t i = 0; i < m->job->n_groups; i++)
        if (m->job->groups[i].required && !is_level(m->c, m->job->groups[i].required)) return 0;
    return 1;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static lsched_group_desc *add_group(struct making *m, uint32_t parent, const char *name) {
    if (m->out->n == LSCHED_GROUPS_PER_JOB_MAX) return NULL;
    lsched_group_desc *group = &m->out->groups[m->out->n++];
    *group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    group->parent = parent;
    group->name = lsched_cstr(name && *name ? name : NULL);
    return group;
}

static void set_topology(const struct making *m, lsched_group_desc *group,
                         const struct group_form *form) {
    if (form->required && is_level(m->c, form->required))
        group->required_level = lsched_cstr(form->required);
    if (form->preferred && is_level(m->c, form->preferred))
        group->preferred_level = lsched_cstr(form->preferred);
}

/* `count` tasks that fit nowhere, `needed` of them to start. */
static int add_impossible(struct making *m, uint32_t parent, uint32_t count, uint32_t needed) {
    static const struct names nowhere = {NULL, 0};
    static const struct task_form plain = {.gpu = NOTHING};
    lsched_group_desc *leaf = add_group(m, parent, NULL);
    if (!leaf) return 0;
    set_request(m, leaf, &plain);
    set_nodes(m, leaf, &nowhere);
    leaf->max_count = count;
    leaf->min_count = needed ? needed : LSCHED_MIN_NONE;
    m->next_index += count;
    return 1;
}

static int is_waiting(const struct task_form *task) {
    return task->given == TASK_PENDING || task->given == TASK_FAILED;
}

static int is_before(const struct task_form *tasks, uint32_t a, uint32_t b) {
    if (tasks[a].priority != tasks[b].priority) return tasks[a].priority > tasks[b].priority;
    if (is_waiting(&tasks[a]) != is_waiting(&tasks[b])) return is_waiting(&tasks[b]);
    return a < b;
}

/* The group that a task names; without a name "default", else the first that has members. */
static uint32_t group_of(const struct job_form *job, const struct task_form *task) {
    const char *name = task->group ? task->group : "default";
    uint32_t first = job->n_groups;
    for (uint32_t i = 0; i < job->n_groups; i++) {
        if (job->groups[i].has_children) continue;
        if (first == job->n_groups) first = i;
        if (strcmp(job->groups[i].name, name) == 0) return i;
    }
    return first;
}

static void find_members(struct making *m, uint32_t group) {
    const struct task_form *tasks = m->job->tasks;
    m->n_members = 0;
    for (uint32_t i = 0; i < m->job->n_tasks; i++) {
        uint32_t at = m->n_members;
        if (m->job->n_groups > 0 && group_of(m->job, &tasks[i]) != group) continue;
        for (; at > 0 && is_before(tasks, i, m->members[at - 1]); at--)
            m->members[at] = m->members[at - 1];
        m->members[at] = i;
        m->n_members++;
    }
    memset(m->taken, 0, m->job->n_tasks);
}

static int same_kind(const struct task_form *a, const struct task_form *b) {
    if (a->priority != b->priority || a->gpu != b->gpu || a->only_nodes.n != b->only_nodes.n)
        return 0;
    for (uint32_t i = 0; i < a->only_nodes.n; i++)
        if (strcmp(a->only_nodes.items[i], b->only_nodes.items[i]) != 0) return 0;
    return 1;
}

/* A leaf of member `from` and of all others like it. */
static void fill_leaf(struct making *m, lsched_group_desc *leaf, uint32_t from, uint32_t needed) {
    struct task_form *tasks = m->job->tasks, *like = &tasks[m->members[from]];
    uint32_t required = 0;
    set_request(m, leaf, like);
    if (like->only_nodes.n)
        set_nodes(m, leaf, &like->only_nodes);
    else if (m->job->only_nodes.n)
        set_nodes(m, leaf, &m->job->only_nodes);
    for (uint32_t i = from; i < m->n_members; i++) {
        struct task_form *task = &tasks[m->members[i]];
        if (m->taken[i] || !same_kind(task, like)) continue;
        m->taken[i] = 1;
        task->index = m->next_index++;
        leaf->max_count++;
        required += i < needed;
    }
    leaf->min_count = required ? required : LSCHED_MIN_NONE;
}

/* The members of a group of the case: one leaf, or an inner group of several. */
static int add_members(struct making *m, uint32_t parent, const struct group_form *form) {
    uint32_t n = m->n_members, needed = form->min == NOTHING ? n : (uint32_t)form->min;
    uint32_t kinds = needed > n || n == 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = 0;
        while (!same_kind(&m->job->tasks[m->members[first]], &m->job->tasks[m->members[i]]))
            first++;
        kinds += first == i;
    }
    lsched_group_desc *group = NULL;
    if (kinds > 1) {
        group = add_group(m, parent, form->name);
        if (!group) return 0;
        set_topology(m, group, form);
        parent = m->out->n - 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (m->taken[i]) continue;
        lsched_group_desc *leaf = add_group(m, parent, kinds > 1 ? NULL : form->name);
        if (!leaf) return 0;
        if (kinds == 1) set_topology(m, leaf, form);
        fill_leaf(m, leaf, i, needed);
    }
    if (n == 0) return add_impossible(m, parent, needed ? needed : 1, needed);
    return needed <= n || add_impossible(m, parent, needed - n, needed - n);
}

static int add_inner(struct making *m, uint32_t parent, const struct group_form *form,
                     uint32_t *row) {
    lsched_group_desc *group = add_group(m, parent, form->name);
    if (!group) return 0;
    *row = m->out->n - 1;
    if (form->min_groups != NOTHING) group->min_groups = (uint32_t)form->min_groups;
    set_topology(m, group, form);
    return 1;
}

int gang_make(struct gang *out, struct pool *pool, const struct case_form *c, struct job_form *job,
              uint32_t kind_tasks) {
    static const struct group_form all = {.name = "", .min = NOTHING, .min_groups = NOTHING};
    struct making m = {.out = out, .pool = pool, .c = c, .job = job, .kind_tasks = kind_tasks};
    m.members = pool_take(pool, job->n_tasks, sizeof *m.members);
    m.taken = pool_take(pool, job->n_tasks, sizeof *m.taken);
    m.row = pool_take(pool, job->n_groups, sizeof *m.row);
    out->groups = pool_take(pool, LSCHED_GROUPS_PER_JOB_MAX, sizeof *out->groups);
    out->n = 0;
    int ok = 1;
    if (!job_is_possible(&m)) {
        for (uint32_t i = 0; i < job->n_tasks; i++) job->tasks[i].index = i;
        return add_impossible(&m, 0, job->n_tasks, job->n_tasks);
    }
    if (job->n_groups == 0) {
        find_members(&m, 0);
        ok = add_members(&m, 0, &all);
    }
    for (uint32_t i = 0; ok && i < job->n_groups; i++) {
        const struct group_form *form = &job->groups[i];
        uint32_t parent = m.row[form->parent];
        if (form->has_children) {
            ok = add_inner(&m, parent, form, &m.row[i]);
        } else {
            find_members(&m, i);
            ok = add_members(&m, parent, form);
        }
    }
    if (!ok) fprintf(stderr, "%s: the gang of job '%s' has too many groups\n", c->id, job->name);
    return ok;
}
