/*
 * parse_jobs.c -- see parse_jobs.h.
 *
 * The text of a job has one of two forms for its tree of task groups. The short form `tasks:
 * {count, min, gpu, ...}` describes a single leaf group. The long form `groups:` describes the
 * whole tree. Groups are stored in the order of the text, and a group comes before the groups
 * inside it. Therefore tasks are numbered in the order in which they are written. parse_tasks.c
 * reads what a task needs.
 */
#include <string.h>

#include "config/read/name_range.h"
#include "config/objects/parse_jobs.h"
#include "config/objects/parse_rules.h"
#include "config/objects/parse_tasks.h"
#include "config/read/quantity_reader.h"

struct job_form {
    struct name_range name;
    uint32_t count;
    /* index in the YAML tree of the value of each key; 0: the job does not have the key */
    uint32_t tasks, groups;
    uint32_t min_groups;
    uint32_t running_on; /* index in the YAML tree of the value of the key; 0: none */
    int64_t running_since_us;
    struct topology_form topology;
    lsched_job_desc desc;
    struct scn_list rows; /* elements are lsched_group_desc */
};

struct job_reader {
    struct action *action;
    struct scn_list imports; /* elements are lsched_task_import */
    struct scn_list import_marks;
};

/* Reads the time for which a gang is allowed to run below its minimum. The word "never" means that
 * there is no time limit, and becomes -1. */
static int32_t job_grace(struct field_reader *r, uint32_t value, void *out) {
    int64_t grace = -1;
    int32_t code = read_is_word(r, value, "never") ? 0 : read_duration(r, value, &grace);
    if (!code && grace == 0)
        code = read_expected(r, LSCHED_E_RANGE, value, "a duration above 0, or never");
    *(int64_t *)out = grace;
    return code;
}

static int32_t disruptions_bound(struct field_reader *r, uint32_t value, void *out) {
    uint32_t n = 0;
    int32_t code = read_u32(r, value, &n);
    if (!code && n == 0)
        code = read_expected(r, LSCHED_E_RANGE, value,
                             "a count of at least 1 (for never: preemptible: false)");
    if (!code) *(uint32_t *)out = n;
    return code;
}

static int32_t job_disruptions(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_job_desc, "max", disruptions_bound, disruptions_max),
        FIELD(lsched_job_desc, "window", read_duration, disruption_window_us),
    };
    lsched_job_desc *desc = out;
    if (!read_is(r, value, YTREE_MAP)) return disruptions_bound(r, value, &desc->disruptions_max);
    int32_t code = READ_MAP(r, value, "a bound on disruptions", fields, desc, NULL);
    if (!code && desc->disruptions_max == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "disruptions with \"max\"");
    return code;
}

static int32_t job_retries(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_job_desc, "max", read_count, retries_max),
        FIELD(lsched_job_desc, "backoff", read_duration, backoff_us),
    };
    lsched_job_desc *desc = out;
    if (!read_is(r, value, YTREE_MAP)) return read_count(r, value, &desc->retries_max);
    return READ_MAP(r, value, "retries", fields, desc, NULL);
}

static const struct field job_fields[] = {
    FIELD(struct job_form, "name", read_range, name),
    FIELD(struct job_form, "count", read_count, count),
    FIELD(struct job_form, "queue", read_text, desc.queue_name),
    FIELD(struct job_form, "priority", read_i32, desc.priority),
    FIELD_WITH(struct job_form, "preemptible", read_flag_not, LSCHED_JOB_NON_PREEMPTIBLE,
               desc.flags),
    FIELD_WITH(struct job_form, "interactive", read_flag, LSCHED_JOB_INTERACTIVE, desc.flags),
    FIELD_WITH(struct job_form, "preempts", read_flag_not, LSCHED_JOB_NEVER_PREEMPTS, desc.flags),
    FIELD(struct job_form, "submitted", read_time, desc.submit_us),
    FIELD(struct job_form, "duration", read_duration, desc.duration_us),
    FIELD(struct job_form, "deadline", read_time, desc.deadline_us),
    FIELD(struct job_form, "time_limit", read_duration, desc.time_limit_us),
    FIELD(struct job_form, "restart_cost", read_duration, desc.restart_cost_us),
    FIELD(struct job_form, "checkpoint", read_duration, desc.checkpoint_period_us),
    FIELD(struct job_form, "user", read_text, desc.user),
    FIELD(struct job_form, "user_group", read_text, desc.user_group),
    FIELD(struct job_form, "preemption_delay", read_duration, desc.preemption_delay_us),
    FIELD(struct job_form, "stale_grace", job_grace, desc.stale_grace_us),
    FIELD(struct job_form, "disruptions", job_disruptions, desc),
    FIELD(struct job_form, "retries", job_retries, desc),
    FIELD_LIST(struct job_form, "labels", read_plain_labels, desc.labels, desc.n_labels),
    FIELD(struct job_form, "topology", read_topology_wish, topology),
    FIELD(struct job_form, "tasks", read_later, tasks),
    FIELD(struct job_form, "groups", read_later, groups),
    FIELD(struct job_form, "min_groups", read_count, min_groups),
    FIELD(struct job_form, "running_on", read_later, running_on),
    FIELD(struct job_form, "running_since", read_time, running_since_us),
    FIELD(struct job_form, "tag", read_u64, desc.tag),
};

/* ---- the tree of task groups ---- */

enum { JOB_GROUP_DEPTH = 32 };

struct group_level {
    uint32_t item; /* index in the YAML tree of the next group of this level */
    uint32_t left;
    uint32_t parent; /* index in job_form.rows of the parent group */
};

static int32_t job_add_group(struct field_reader *r, uint32_t value, struct job_form *form,
                             uint32_t parent, uint32_t *children) {
    lsched_group_desc group;
    int32_t code = read_group(r, value, &group, children);
    if (code) return code;
    if (form->rows.n == LSCHED_GROUPS_PER_JOB_MAX)
        return complain_at(&r->complain, LSCHED_E_LIMIT, read_mark(r, value),
                           "expected at most %d groups, got more", LSCHED_GROUPS_PER_JOB_MAX);
    lsched_group_desc *row = read_add(r, &form->rows, NULL, sizeof *row, value);
    if (!row) return LSCHED_E_NOMEM;
    *row = group;
    row->parent = parent;
    return 0;
}

static int32_t job_open_level(struct field_reader *r, uint32_t list, uint32_t parent,
                              struct group_level *levels, uint32_t *depth) {
    const struct ytree_node *node = ytree_at(&r->tree, list);
    if (node->kind != YTREE_LIST || node->n == 0)
        return read_expected(r, LSCHED_E_TYPE, list, "a list of at least one group");
    if (*depth == JOB_GROUP_DEPTH)
        return read_expected(r, LSCHED_E_LIMIT, list, "at most 32 levels of groups");
    levels[(*depth)++] = (struct group_level){node->first, node->n, parent};
    return 0;
}

static int32_t job_groups(struct field_reader *r, struct job_form *form) {
    struct group_level levels[JOB_GROUP_DEPTH];
    uint32_t depth = 0;
    lsched_group_desc *root = read_add(r, &form->rows, NULL, sizeof *root, form->groups);
    if (!root) return LSCHED_E_NOMEM;
    *root = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    root->min_groups = form->min_groups;
    int32_t code = read_topology_apply(r, &form->topology, root);
    if (!code) code = job_open_level(r, form->groups, 0, levels, &depth);
    while (!code && depth > 0) {
        struct group_level *level = &levels[depth - 1];
        if (level->left == 0) {
            depth--;
            continue;
        }
        uint32_t value = level->item, children = 0;
        level->item = r->tree.nodes[value].next;
        level->left--;
        code = job_add_group(r, value, form, level->parent, &children);
        if (!code && children) code = job_open_level(r, children, form->rows.n - 1, levels, &depth);
    }
    return code;
}

static int32_t job_single_group(struct field_reader *r, struct job_form *form) {
    uint32_t children = 0;
    if (form->min_groups)
        return read_expected(r, LSCHED_E_KEY, form->tasks, "no \"min_groups\" beside \"tasks\"");
    int32_t code = job_add_group(r, form->tasks, form, 0, &children);
    if (!code && children)
        code = read_expected(r, LSCHED_E_KEY, form->tasks, "tasks without \"groups\" inside");
    lsched_group_desc *root = form->rows.items;
    return !code && form->topology.given ? read_topology_apply(r, &form->topology, root) : code;
}

/* ---- jobs ---- */

static int32_t job_form_read(struct field_reader *r, uint32_t value, struct job_form *form) {
    memset(form, 0, sizeof *form);
    form->desc = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    form->desc.submit_us = r->base_us;
    form->running_since_us = r->base_us;
    int32_t code = READ_MAP(r, value, "a job", job_fields, form, NULL);
    if (code) return code;
    if (!form->name.text) return read_expected(r, LSCHED_E_KEY, value, "a job with a name");
    if (!form->desc.queue_name.ptr)
        return read_expected(r, LSCHED_E_KEY, value, "a job with a queue");
    if (!form->tasks == !form->groups)
        return read_expected(r, LSCHED_E_KEY, value, "a job with either \"tasks\" or \"groups\"");
    code = form->tasks ? job_single_group(r, form) : job_groups(r, form);
    form->desc.groups = form->rows.items;
    form->desc.n_groups = form->rows.n;
    return code;
}

/* Adds an import for each node in the list `running_on`: task i of the job runs on node i of the
 * list. */
static int32_t job_running_on(struct field_reader *r, const struct job_form *form,
                              const lsched_text *job, struct job_reader *jobs) {
    struct scn_list nodes = {NULL, 0, 0};
    int32_t code = read_names(r, form->running_on, &nodes);
    for (uint32_t i = 0; !code && i < nodes.n; i++) {
        lsched_task_import *task =
            read_add(r, &jobs->imports, &jobs->import_marks, sizeof *task, form->running_on);
        if (!task) return LSCHED_E_NOMEM;
        *task = (lsched_task_import)LSCHED_TASK_IMPORT_INIT;
        task->task_index = i;
        task->job_name = *job;
        task->node_name = ((const lsched_text *)nodes.items)[i];
        task->start_us = form->running_since_us;
    }
    return code;
}

static int32_t job_item(struct field_reader *r, uint32_t value, void *out) {
    struct job_reader *jobs = out;
    struct job_form form;
    uint64_t n = 0;
    int32_t code = job_form_read(r, value, &form);
    if (!code) code = read_template(r, value, &form.name, form.count, &n);
    if (!code && form.running_on && n > 1)
        code = read_expected(r, LSCHED_E_KEY, form.running_on,
                             "\"running_on\" only at a single job (see \"running\")");
    for (uint64_t i = 0; !code && i < n; i++) {
        lsched_job_desc *desc =
            read_add(r, &jobs->action->items, &jobs->action->marks, sizeof *desc, value);
        if (!desc) return LSCHED_E_NOMEM;
        code = read_template_name(r, &form.name, form.count, i, &form.desc.name);
        *desc = form.desc;
    }
    if (!code && form.running_on) code = job_running_on(r, &form, &form.desc.name, jobs);
    return code;
}

int32_t read_jobs(struct field_reader *r, uint32_t value, void *out) {
    struct step_reader *step = out;
    struct job_reader jobs;
    memset(&jobs, 0, sizeof jobs);
    jobs.action = step_action_add(r, step, ACTION_JOBS, value);
    if (!jobs.action) return LSCHED_E_NOMEM;
    int32_t code = read_items(r, value, "jobs", job_item, &jobs);
    if (step->is_initial) r->scenario->n_jobs = jobs.action->items.n;
    if (code || jobs.imports.n == 0) return code;
    struct action *action = step_action_add(r, step, ACTION_IMPORT, value);
    if (!action) return LSCHED_E_NOMEM;
    action->items = jobs.imports;
    action->marks = jobs.import_marks;
    return 0;
}
