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
#include "config/objects/parse_dependencies.h"
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
    int64_t grace = LSCHED_NEVER_US;
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
    FIELD(struct job_form, "release", read_duration, desc.release_us),
    FIELD(struct job_form, "checkpoint", read_duration, desc.checkpoint_period_us),
    FIELD(struct job_form, "checkpoint_time", read_duration, desc.checkpoint_us),
    FIELD(struct job_form, "soft_limit", read_duration, desc.soft_limit_us),
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
    FIELD(struct job_form, "begin", read_time, desc.begin_us),
    FIELD(struct job_form, "expires", read_time, desc.expires_us),
    FIELD(struct job_form, "first_start", read_time, desc.first_start_us),
    FIELD_LIST(struct job_form, "after", read_dependencies, desc.dependencies, desc.n_dependencies),
    FIELD(struct job_form, "on_never", read_on_never, desc.on_never),
    FIELD(struct job_form, "array", read_count, desc.array_count),
};

const struct field_home job_home = {"a job", job_fields, sizeof job_fields / sizeof *job_fields};

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

/* ---- updates ---- */

struct job_update_form {
    const lsched_text *names;
    uint32_t n_names;
    lsched_job_update update;
    struct job_form job;                   /* the tree of groups, if the update has one */
    uint32_t count, min, members, started; /* numbers of tasks of the first group; 0: not given */
    struct scn_list counts;
    lsched_job_desc desc; /* retries and disruptions */
};

#define JOB_UPDATE(key, reader, member, bit)                                                    \
    {                                                                                           \
        .name = key, .read = reader, .offset = offsetof(struct job_update_form, update.member), \
        .set = offsetof(struct job_update_form, update.set), .param = bit                       \
    }

static int32_t update_retries(struct field_reader *r, uint32_t value, void *out) {
    struct job_update_form *form = out;
    form->update.set |= LSCHED_JOB_SET_RETRIES;
    int32_t code = job_retries(r, value, &form->desc);
    form->update.retries_max = form->desc.retries_max;
    form->update.backoff_us = form->desc.backoff_us;
    return code;
}

static int32_t update_disruptions(struct field_reader *r, uint32_t value, void *out) {
    struct job_update_form *form = out;
    form->update.set |= LSCHED_JOB_SET_DISRUPTIONS;
    if (read_is_word(r, value, "unlimited")) return 0;
    int32_t code = job_disruptions(r, value, &form->desc);
    form->update.disruptions_max = form->desc.disruptions_max;
    form->update.disruption_window_us = form->desc.disruption_window_us;
    return code;
}

static int32_t update_again(struct field_reader *r, uint32_t value, void *out) {
    return read_flag(r, value, &((struct job_update_form *)out)->update.set, LSCHED_JOB_SET_AGAIN);
}

/* Reads a minimum of tasks; the word "none" means that the group has no minimum. */
static int32_t update_minimum(struct field_reader *r, uint32_t value, void *out) {
    *(uint32_t *)out = LSCHED_MIN_NONE;
    return read_is_word(r, value, "none") ? 0 : read_count(r, value, out);
}

static int32_t update_group(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {
        FIELD(lsched_group_count, "group", read_u32, group),
        FIELD(lsched_group_count, "count", read_count, max_count),
        FIELD(lsched_group_count, "min", update_minimum, min_count),
        FIELD(lsched_group_count, "min_groups", read_count, min_groups),
        FIELD(lsched_group_count, "members", read_members, members),
        FIELD(lsched_group_count, "started", read_count, started),
    };
    lsched_group_count *count = read_add(r, out, NULL, sizeof *count, value);
    if (!count) return LSCHED_E_NOMEM;
    *count = (lsched_group_count)LSCHED_GROUP_COUNT_INIT;
    return READ_MAP(r, value, "the numbers of tasks of a group", fields, count, NULL);
}

static int32_t update_counts(struct field_reader *r, uint32_t value, void *out) {
    return read_items(r, value, "groups", update_group, out);
}

static const struct field update_fields[] = {
    FIELD_LIST(struct job_update_form, "name", read_names, names, n_names),
    JOB_UPDATE("tag", read_u64, tag, LSCHED_JOB_SET_TAG),
    JOB_UPDATE("priority", read_i32, priority, LSCHED_JOB_SET_PRIORITY),
    FIELD_KEY("retries", update_retries),
    JOB_UPDATE("duration", read_duration, duration_us, LSCHED_JOB_SET_DURATION),
    JOB_UPDATE("deadline", read_time, deadline_us, LSCHED_JOB_SET_DEADLINE),
    JOB_UPDATE("time_limit", read_duration, time_limit_us, LSCHED_JOB_SET_TIME_LIMIT),
    FIELD_KEY("disruptions", update_disruptions),
    JOB_UPDATE("release", read_duration, release_us, LSCHED_JOB_SET_RELEASE),
    JOB_UPDATE("checkpoint_time", read_duration, checkpoint_us, LSCHED_JOB_SET_CHECKPOINT),
    JOB_UPDATE("soft_limit", read_duration, soft_limit_us, LSCHED_JOB_SET_SOFT_LIMIT),
    {.name = "labels",
     .read = read_plain_labels,
     .offset = offsetof(struct job_update_form, update.labels),
     .count = offsetof(struct job_update_form, update.n_labels),
     .set = offsetof(struct job_update_form, update.set),
     .param = LSCHED_JOB_SET_LABELS},
    JOB_UPDATE("queue", read_text, queue_name, LSCHED_JOB_SET_QUEUE),
    FIELD(struct job_update_form, "user", read_text, update.user),
    FIELD(struct job_update_form, "user_group", read_text, update.user_group),
    FIELD(struct job_update_form, "topology", read_topology_wish, job.topology),
    FIELD(struct job_update_form, "tasks", read_later, job.tasks),
    FIELD(struct job_update_form, "groups", read_later, job.groups),
    FIELD(struct job_update_form, "min_groups", read_count, job.min_groups),
    FIELD(struct job_update_form, "count", read_count, count),
    FIELD(struct job_update_form, "min", update_minimum, min),
    FIELD(struct job_update_form, "members", read_members, members),
    FIELD(struct job_update_form, "started", read_count, started),
    FIELD(struct job_update_form, "counts", update_counts, counts),
    FIELD_KEY("again", update_again),
    JOB_UPDATE("begin", read_time, begin_us, LSCHED_JOB_SET_BEGIN),
    JOB_UPDATE("expires", read_time, expires_us, LSCHED_JOB_SET_EXPIRY),
    {.name = "after",
     .read = read_dependencies,
     .offset = offsetof(struct job_update_form, update.dependencies),
     .count = offsetof(struct job_update_form, update.n_dependencies),
     .set = offsetof(struct job_update_form, update.set),
     .param = LSCHED_JOB_SET_DEPENDENCIES},
    FIELD(struct job_update_form, "on_never", read_on_never, update.on_never),
};

/* Reads the groups or the numbers of tasks of an update. */
static int32_t update_groups(struct field_reader *r, struct job_update_form *form) {
    int32_t code = 0;
    if (form->job.tasks || form->job.groups) {
        code = form->job.tasks ? job_single_group(r, &form->job) : job_groups(r, &form->job);
        form->update.set |= LSCHED_JOB_SET_GROUPS;
        form->update.groups = form->job.rows.items;
        form->update.n_groups = form->job.rows.n;
    }
    if (!code && (form->count || form->min || form->members || form->started)) {
        lsched_group_count *count = read_add(r, &form->counts, NULL, sizeof *count, 0);
        if (!count) return LSCHED_E_NOMEM;
        *count = (lsched_group_count)LSCHED_GROUP_COUNT_INIT;
        count->max_count = form->count;
        count->min_count = form->min;
        count->members = form->members;
        count->started = form->started;
    }
    if (form->counts.n) form->update.set |= LSCHED_JOB_SET_COUNTS;
    form->update.counts = form->counts.items;
    form->update.n_counts = form->counts.n;
    return code;
}

/* Returns LSCHED_OK, or an error if a field is there without the field that gives it a meaning: it
 * would change nothing, and nobody would be told. */
static int32_t update_is_whole(const struct field_reader *r, uint32_t value,
                               const struct job_update_form *form) {
    const lsched_job_update *u = &form->update;
    if (form->job.topology.given && !form->job.tasks && !form->job.groups)
        return read_expected(
            r, LSCHED_E_KEY, form->job.topology.given,
            "\"tasks\" or \"groups\" beside \"topology\", which is a part of them");
    if (form->job.min_groups && !form->job.groups)
        return read_expected(r, LSCHED_E_KEY, value, "\"groups\" beside \"min_groups\"");
    if ((u->user.len || u->user_group.len) && !(u->set & LSCHED_JOB_SET_QUEUE))
        return read_expected(
            r, LSCHED_E_KEY, value,
            "\"queue\" beside \"user\" and \"user_group\", which are a part of it");
    if (u->on_never && !(u->set & LSCHED_JOB_SET_DEPENDENCIES))
        return read_expected(r, LSCHED_E_KEY, value, "\"after\" beside \"on_never\"");
    return LSCHED_OK;
}

static int32_t job_update_item(struct field_reader *r, uint32_t value, void *out) {
    struct action *action = out;
    struct job_update_form form;
    memset(&form, 0, sizeof form);
    form.update = (lsched_job_update)LSCHED_JOB_UPDATE_INIT;
    int32_t code = READ_MAP(r, value, "an update of a job", update_fields, &form, NULL);
    if (!code && form.n_names == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "an update with a name");
    if (!code) code = update_is_whole(r, value, &form);
    if (!code) code = update_groups(r, &form);
    for (uint32_t i = 0; !code && i < form.n_names; i++) {
        lsched_job_update *update =
            read_add(r, &action->items, &action->marks, sizeof *update, value);
        if (!update) return LSCHED_E_NOMEM;
        *update = form.update;
        update->name = form.names[i];
    }
    return code;
}

int32_t read_update_jobs(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_UPDATE_JOBS, "updates", job_update_item);
}
