/*
 * run_actions.c -- see run_actions.h.
 *
 * When a call of the library fails, its error record has the index of the wrong element of the
 * batch. The functions convert this index to the place of the element in the scenario's text.
 */
#include <stdio.h>
#include <string.h>

#include "config/run/run_actions.h"
#include "config/run/run_names.h"
#include "config/run/run_report.h"

#include <libsched/reservations.h>

enum { POLICY_NAME_MAX = 64 }; /* size in bytes of the array lsched_policy_info.name */

/* ---- errors and order ---- */

static void action_append(lsched_error *err, const char *text) {
    size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, "%s", text);
}

static int32_t action_error(const struct runner *r, const struct action *action, int32_t code,
                            lsched_error *err) {
    struct mark mark = action->mark;
    if (err->index >= 0 && (uint64_t)err->index < action->marks.n)
        mark = ((const struct mark *)action->marks.items)[err->index];
    err->code = code;
    return complain_pass(&r->complain, mark, err);
}

static uint64_t action_random(struct runner *r) {
    uint64_t x = r->random += 0x9E3779B97F4A7C15u; /* splitmix64 generator */
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Returns the number of ancestors of queue i that are in the same batch. `depths` has this number
 * for all queues before queue i. action_shuffle() uses the number to keep parents before their
 * children. The function costs O(i), but only runs with a shuffle seed call it. */
static uint32_t action_depth(const lsched_queue_desc *queues, uint32_t i, const uint32_t *depths) {
    const lsched_text *parent = &queues[i].parent_name;
    for (uint32_t k = 0; parent->ptr && k < i; k++)
        if (queues[k].name.len == parent->len &&
            memcmp(queues[k].name.ptr, parent->ptr, parent->len) == 0)
            return depths[k] + 1;
    return 0;
}

static int32_t action_shuffle(struct runner *r, const struct action *action, size_t size,
                              uint32_t **order, void **items) {
    uint32_t n = action->items.n;
    uint32_t *rows = scn_memory_take(&r->scratch, n, sizeof *rows);
    uint32_t *depths = scn_memory_take(&r->scratch, n, sizeof *depths);
    char *copy = scn_memory_take(&r->scratch, n, size);
    if (!rows || !depths || !copy) return run_no_memory(r);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (uint32_t)(action_random(r) % (i + 1));
        rows[i] = rows[k];
        rows[k] = i;
        if (action->kind == ACTION_QUEUES) depths[i] = action_depth(action->items.items, i, depths);
    }
    /* sort by depth; queues of equal depth keep their sequence */
    for (uint32_t i = 1; action->kind == ACTION_QUEUES && i < n; i++)
        for (uint32_t k = i; k > 0 && depths[rows[k - 1]] > depths[rows[k]]; k--) {
            uint32_t swap = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = swap;
        }
    for (uint32_t i = 0; i < n; i++)
        memcpy(copy + i * size, (const char *)action->items.items + rows[i] * size, size);
    *order = rows;
    *items = copy;
    return 0;
}

int32_t run_status(struct runner *r, uint32_t n) {
    r->n_status = n;
    r->status = scn_memory_take(&r->scratch, n, sizeof *r->status);
    return r->status ? 0 : run_no_memory(r);
}

/* Moves the statuses of a shuffled batch into the order that the elements have in the text. */
static void action_unshuffle(struct runner *r, const uint32_t *order) {
    int32_t *status = scn_memory_take(&r->scratch, r->n_status, sizeof *status);
    for (uint32_t i = 0; status && i < r->n_status; i++) status[order[i]] = r->status[i];
    if (status) r->status = status;
}

/* ---- resource kinds and new objects ---- */

/* Adds resource kinds or resource parts. The cluster must not have others already, because the
 * indexes of kinds and parts in the scenario must be those of the cluster. */
static int32_t action_kinds(struct runner *r, const struct action *action, lsched_error *err) {
    int parts = action->kind == ACTION_MODELS;
    uint32_t first = parts ? (uint32_t)LSCHED_RESOURCE_KINDS_MAX : (uint32_t)LSCHED_GPU + 1;
    const lsched_text *names = action->items.items;
    const lsched_resource_part *descs = action->items.items;
    for (uint32_t i = 0; i < action->items.n; i++) {
        int32_t kind = parts ? lsched_resource_add_part(r->cluster, &descs[i], err)
                             : lsched_resource_add(r->cluster, names[i], err);
        err->index = i;
        if (kind < 0) return kind;
        if ((uint32_t)kind != first + i)
            return complain_at(&r->complain, LSCHED_E_STATE, action->mark,
                               "expected a cluster without %s, got one that has some",
                               parts ? "quotas of parts of a resource" : "other resource kinds");
    }
    return 0;
}

/* Adds new objects, or sets amounts of supplies, with one batch call of the library. */
static int32_t action_add(struct runner *r, const struct action *action, lsched_error *err) {
    static const size_t sizes[] = {[ACTION_POOLS] = sizeof(lsched_pool_desc),
                                   [ACTION_TOPOLOGIES] = sizeof(lsched_topology_desc),
                                   [ACTION_SUPPLIES] = sizeof(lsched_supply_desc),
                                   [ACTION_UPDATE_SUPPLIES] = sizeof(lsched_supply_update),
                                   [ACTION_NODES] = sizeof(lsched_node_desc),
                                   [ACTION_QUEUES] = sizeof(lsched_queue_desc),
                                   [ACTION_ALLOWANCES] = sizeof(lsched_allowance_desc),
                                   [ACTION_RESERVATIONS] = sizeof(lsched_reservation_desc),
                                   [ACTION_TASK_MIX] = sizeof(lsched_mix_entry),
                                   [ACTION_JOBS] = sizeof(lsched_job_desc)};
    size_t n = action->items.n, size = sizes[action->kind];
    void *items = action->items.items;
    uint32_t *order = NULL;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = run_status(r, action->items.n);
    if (n == 0 && action->kind != ACTION_TASK_MIX) return code;
    if (!code && r->opts.shuffle_seed && action->kind != ACTION_UPDATE_SUPPLIES)
        code = action_shuffle(r, action, size, &order, &items);
    if (code) return code;
    switch (action->kind) {
    case ACTION_POOLS:
        code = lsched_pools_add(r->cluster, items, n, size, NULL, r->status, err);
        break;
    case ACTION_TOPOLOGIES:
        code = lsched_topologies_add(r->cluster, items, n, size, NULL, NULL, r->status, err);
        break;
    case ACTION_SUPPLIES:
        code = lsched_supplies_add(r->cluster, items, n, size, NULL, r->status, err);
        break;
    case ACTION_UPDATE_SUPPLIES:
        code = lsched_supplies_update(r->cluster, items, n, size, &opts, r->status, err);
        break;
    case ACTION_NODES:
        code = lsched_nodes_add(r->cluster, items, n, size, &opts, NULL, r->status, err);
        break;
    case ACTION_QUEUES:
        code = lsched_queues_add(r->cluster, items, n, size, NULL, NULL, r->status, err);
        break;
    case ACTION_ALLOWANCES:
        code = lsched_allowances_set(r->cluster, items, n, size, &opts, r->status, err);
        break;
    case ACTION_RESERVATIONS:
        code = lsched_reservations_set(r->cluster, items, n, size, &opts, r->status, err);
        break;
    case ACTION_TASK_MIX: code = lsched_task_mix_set(r->cluster, items, n, size, err); break;
    default:
        code = lsched_jobs_submit(r->cluster, items, n, size, &opts, NULL, r->status, err);
        break;
    }
    if (order) action_unshuffle(r, order);
    if (order && err->index >= 0) err->index = order[err->index];
    return code;
}

/* Imports tasks, each with the remembered run that it names. */
static int32_t action_import(struct runner *r, const struct action *action, lsched_error *err) {
    const lsched_text *runs = action->runs.items;
    const struct mark *marks = action->marks.items;
    uint32_t n = action->items.n;
    lsched_task_import *tasks = scn_memory_take(&r->scratch, n, sizeof *tasks);
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = tasks ? run_status(r, n) : run_no_memory(r);
    if (code || n == 0) return code;
    memcpy(tasks, action->items.items, n * sizeof *tasks);
    for (uint32_t i = 0; !code && i < action->runs.n; i++)
        if (runs[i].ptr)
            code = run_find(r, LSCHED_KIND_DECISION, &runs[i], marks[i], &tasks[i].run);
    return code ? code
                : lsched_tasks_import(r->cluster, tasks, n, sizeof *tasks, &opts, r->status, err);
}

/* ---- policy ---- */

/* Called when no ready-made policy has the name that the scenario gives. If the name ends with
 * ".lua", appends to the error how a file is named instead. */
static void policy_suggest(const struct policy_form *form, lsched_error *err) {
    struct quote text;
    size_t len = form->name.len ? (size_t)form->name.len : strlen(form->name.ptr);
    if (len <= 4 || memcmp(form->name.ptr + len - 4, ".lua", 4) != 0) return;
    snprintf(text.text, sizeof text.text, "; a file is named by policy: {file: %.60s}",
             form->name.ptr);
    action_append(err, text.text);
}

/* 1 if the error is about a parameter of the policy; err->index is then its index in opts.params.
 * Errors of hooks have other codes. */
static int is_about_param(const struct policy_form *form, const lsched_error *err) {
    return (err->code == LSCHED_E_TYPE || err->code == LSCHED_E_KEY) && err->index >= 0 &&
           err->index < (int64_t)form->opts.n_params;
}

/* Reports an error of a policy, whose message has the form "name:3:5: what". If the Lua source is a
 * literal block of the scenario, the function converts the line and the column to those of the
 * scenario. */
static int32_t policy_error(const struct runner *r, const struct policy_form *form,
                            const char *name, int32_t code, lsched_error *err) {
    char head[LSCHED_MESSAGE_BYTES];
    struct mark mark = form->text_mark;
    err->code = code;
    if (code == LSCHED_E_NOENT && !form->text.ptr && !form->file.ptr) policy_suggest(form, err);
    if (is_about_param(form, err))
        return complain_pass(&r->complain, form->param_marks[err->index], err);
    if (!form->text.ptr || form->text_indent == 0 || err->line == 0) {
        if (!mark.line) mark = r->step->mark;
        return complain_pass(&r->complain, mark, err);
    }
    int n = snprintf(head, sizeof head, "%s:%u:", name, err->line);
    if (n > 0 && (size_t)n < sizeof head && strncmp(err->message, head, (size_t)n) == 0) {
        const char *rest = err->message + n;
        if (err->column) rest += strspn(rest, "0123456789:");
        rest += strspn(rest, " ");
        memmove(err->message, rest, strlen(rest) + 1);
    }
    mark.line += err->line;
    mark.column = form->text_indent + (err->column ? err->column - 1 : 0);
    return complain_pass(&r->complain, mark, err);
}

/* Returns the name of the policy for errors and plans. It is the name that the scenario gives, or
 * else the last component of the file name, or else "policy". */
static const char *policy_name(const struct policy_form *form) {
    if (form->name.ptr) return form->name.ptr;
    if (!form->file.ptr) return "policy";
    const char *name =
        strrchr(form->file.ptr, '/') ? strrchr(form->file.ptr, '/') + 1 : form->file.ptr;
    size_t len = strlen(name);
    return len < POLICY_NAME_MAX ? name : name + len - POLICY_NAME_MAX + 1;
}

static int32_t action_policy(struct runner *r, const struct action *action, lsched_error *unused) {
    const struct policy_form *form = action->items.items;
    const char *name = policy_name(form);
    const char *text = form->text.ptr;
    size_t len = form->text.len;
    lsched_error err = LSCHED_ERROR_INIT;
    /* policy_error() reports the error, because the error has a place in the Lua source */
    (void)unused;
    if (r->opts.flags & LSCHED_RUN_NO_POLICY) return 0;
    if (form->file.ptr) {
        if (!r->opts.read_file)
            return complain_at(
                &r->complain, LSCHED_E_UNSUPPORTED, action->mark,
                "expected a policy by name or as text, got a file, which this host does not read");
        int32_t code = r->opts.read_file(r->opts.user, form->file.ptr, &text, &len);
        if (code < 0 || !text)
            return complain_at(&r->complain, code < 0 ? code : LSCHED_E_NOENT, action->mark,
                               "expected a file that can be read, got %s",
                               complain_quote(form->file.ptr, form->file.len).text);
    }
    int32_t code = lsched_policy_load(r->cluster, lsched_cstr(name), (lsched_text){text, len},
                                      &form->opts, &err);
    struct policy_form at = *form;
    if (!at.text_mark.line) at.text_mark = action->mark;
    return code < 0 ? policy_error(r, &at, name, code, &err) : 0;
}

/* ---- changes of objects ---- */

static int32_t action_update_nodes(struct runner *r, const struct action *action,
                                   lsched_error *err) {
    lsched_node_update *updates = scn_memory_take(&r->scratch, action->items.n, sizeof *updates);
    const struct mark *marks = action->marks.items;
    int32_t code = updates ? run_status(r, action->items.n) : run_no_memory(r);
    for (uint32_t i = 0; !code && i < action->items.n; i++) {
        updates[i] = ((const lsched_node_update *)action->items.items)[i];
        if (updates[i].name.ptr[0] != '$') continue;
        code = run_find(r, LSCHED_KIND_NODE, &updates[i].name, marks[i], &updates[i].node);
        updates[i].name = (lsched_text){NULL, 0};
    }
    if (code) return code;
    return lsched_nodes_update(r->cluster, updates, action->items.n, sizeof *updates, NULL,
                               r->status, err);
}

static int32_t action_update_devices(struct runner *r, const struct action *action,
                                     lsched_error *err) {
    const lsched_device_update *updates = action->items.items;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = run_status(r, action->items.n);
    return code ? code
                : lsched_devices_update(r->cluster, updates, action->items.n, sizeof *updates,
                                        &opts, r->status, err);
}

static int32_t action_foreign(struct runner *r, const struct action *action, lsched_error *err) {
    const lsched_foreign_use *uses = action->items.items;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = run_status(r, action->items.n);
    return code ? code
                : lsched_foreign_set(r->cluster, uses, action->items.n, sizeof *uses, &opts,
                                     r->status, err);
}

/* Copies the forms of the action, each `size` bytes long with the name of an object at `name_at`,
 * and writes the id of that object at `id_at`. */
static int32_t copy_with_ids(struct runner *r, const struct action *action, uint32_t kind,
                             size_t size, size_t name_at, size_t id_at, void **copies) {
    uint32_t n = action->items.n;
    lsched_id *ids = NULL;
    char *copy = scn_memory_take(&r->scratch, n, size);
    int32_t code = copy ? run_find_all(r, kind, action, size, name_at, &ids) : run_no_memory(r);
    if (!code) code = run_status(r, n);
    if (code) return code;
    if (n) memcpy(copy, action->items.items, n * size);
    for (uint32_t i = 0; i < n; i++) memcpy(copy + i * size + id_at, &ids[i], sizeof ids[i]);
    *copies = copy;
    return 0;
}

/* The same for forms of the type, with the fields `name` and `id`. */
#define COPY_WITH_IDS(r, action, kind, type, id, copies) \
    copy_with_ids(r, action, kind, sizeof(type), offsetof(type, name), offsetof(type, id), copies)

static int32_t action_update_queues(struct runner *r, const struct action *action,
                                    lsched_error *err) {
    void *updates;
    int32_t code =
        COPY_WITH_IDS(r, action, LSCHED_KIND_QUEUE, lsched_queue_update, queue, &updates);
    return code ? code
                : lsched_queues_update(r->cluster, updates, action->items.n,
                                       sizeof(lsched_queue_update), NULL, r->status, err);
}

static int32_t action_remove(struct runner *r, const struct action *action, lsched_error *err) {
    uint32_t kind = action->kind == ACTION_REMOVE_NODES    ? LSCHED_KIND_NODE
                    : action->kind == ACTION_REMOVE_QUEUES ? LSCHED_KIND_QUEUE
                                                           : LSCHED_KIND_JOB;
    size_t n = action->items.n;
    lsched_id *ids = NULL;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = run_find_all(r, kind, action, sizeof(lsched_text), 0, &ids);
    if (!code) code = run_status(r, action->items.n);
    if (code) return code;
    if (kind == LSCHED_KIND_NODE)
        code = lsched_nodes_remove(r->cluster, ids, n, NULL, r->status, err);
    else if (kind == LSCHED_KIND_QUEUE)
        code = lsched_queues_remove(r->cluster, ids, n, NULL, r->status, err);
    else
        code = (action->kind == ACTION_COMPLETE_JOBS ? lsched_jobs_complete
                : action->kind == ACTION_RELEASE_JOBS
                    ? lsched_jobs_release
                    : lsched_jobs_remove)(r->cluster, ids, n, &opts, r->status, err);
    return code;
}

static int32_t action_end_reservations(struct runner *r, const struct action *action,
                                       lsched_error *err) {
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = run_status(r, action->items.n);
    return code ? code
                : lsched_reservations_remove(r->cluster, action->items.items, action->items.n,
                                             &opts, r->status, err);
}

static int32_t action_update_jobs(struct runner *r, const struct action *action,
                                  lsched_error *err) {
    void *updates;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = COPY_WITH_IDS(r, action, LSCHED_KIND_JOB, lsched_job_update, job, &updates);
    return code ? code
                : lsched_jobs_update(r->cluster, updates, action->items.n,
                                     sizeof(lsched_job_update), &opts, r->status, err);
}

static int32_t action_hold_jobs(struct runner *r, const struct action *action, lsched_error *err) {
    void *holds;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = COPY_WITH_IDS(r, action, LSCHED_KIND_JOB, lsched_job_hold, job, &holds);
    return code ? code
                : lsched_jobs_hold(r->cluster, holds, action->items.n, sizeof(lsched_job_hold),
                                   &opts, r->status, err);
}

static int32_t action_resize(struct runner *r, const struct action *action, lsched_error *err) {
    void *resizes;
    lsched_batch_opts opts = {sizeof opts, r->step->batch_flags};
    int32_t code = copy_with_ids(r, action, LSCHED_KIND_JOB, sizeof(lsched_task_resize),
                                 offsetof(lsched_task_resize, job_name),
                                 offsetof(lsched_task_resize, job), &resizes);
    return code ? code
                : lsched_tasks_resize(r->cluster, resizes, action->items.n,
                                      sizeof(lsched_task_resize), &opts, r->status, err);
}

/* ---- tasks ---- */

static int32_t action_report(struct runner *r, const struct action *action, lsched_error *err) {
    static const uint32_t open = 1u << LSCHED_TASK_PROPOSED | 1u << LSCHED_TASK_CONFIRMED;
    static const uint32_t alive =
        1u << LSCHED_TASK_CONFIRMED | 1u << LSCHED_TASK_RUNNING | 1u << LSCHED_TASK_RELEASING;
    const struct task_ref *refs = action->items.items;
    struct scn_list tasks = {NULL, 0, 0};
    int32_t code = 0;
    for (uint32_t i = 0; !code && i < action->items.n; i++)
        code =
            run_tasks(r, &refs[i], action->variant == LSCHED_EVENT_STARTED ? open : alive, &tasks);
    lsched_id run = 0;
    if (!code && action->run.ptr)
        code = run_find(r, LSCHED_KIND_DECISION, &action->run, action->mark, &run);
    lsched_task_event *events = scn_memory_take(&r->scratch, tasks.n, sizeof *events);
    if (!code) code = events ? run_status(r, tasks.n) : run_no_memory(r);
    for (uint32_t i = 0; !code && i < tasks.n; i++) {
        const struct named_task *task = (const struct named_task *)tasks.items + i;
        events[i] = (lsched_task_event){.size = sizeof *events,
                                        .event = action->variant,
                                        .job = task->job,
                                        .task_index = task->task,
                                        .at_us = action->at_us,
                                        .node_name = action->place.node,
                                        .device_starts = action->place.device_starts,
                                        .nic_mask = action->place.nic_mask,
                                        .numa_mask = action->place.numa_mask,
                                        .run = run};
        memcpy(events[i].device_words, action->place.device_words, sizeof events[i].device_words);
    }
    if (code) return code;
    return lsched_tasks_report(r->cluster, events, tasks.n, sizeof *events, NULL, r->status, err);
}

static int32_t action_usage(struct runner *r, const struct action *action, lsched_error *err) {
    const struct usage_form *forms = action->items.items;
    struct scn_list samples = {NULL, 0, 0};
    int32_t code = 0;
    for (uint32_t i = 0; !code && i < action->items.n; i++) {
        struct scn_list tasks = {NULL, 0, 0};
        code = run_tasks(r, &forms[i].task, 1u << LSCHED_TASK_RUNNING, &tasks);
        for (uint32_t k = 0; !code && k < tasks.n; k++) {
            const struct named_task *task = (const struct named_task *)tasks.items + k;
            lsched_usage_sample *sample = scn_list_add(&r->scratch, &samples, sizeof *sample);
            if (!sample) return run_no_memory(r);
            *sample = (lsched_usage_sample){.size = sizeof *sample,
                                            .task_index = task->task,
                                            .job = task->job,
                                            .kind = forms[i].kind,
                                            .amount = forms[i].amount,
                                            .at_us = action->at_us};
        }
    }
    if (!code) code = run_status(r, samples.n);
    if (code) return code;
    return lsched_usage_report(r->cluster, samples.items, samples.n, sizeof(lsched_usage_sample),
                               NULL, r->status, err);
}

static int32_t action_collision(struct runner *r, const struct action *action, lsched_error *err) {
    const struct collision_form *forms = action->items.items;
    const struct mark *marks = action->marks.items;
    uint32_t n = action->items.n;
    lsched_collision *list = scn_memory_take(&r->scratch, n, sizeof *list);
    int32_t code = list ? run_status(r, n) : run_no_memory(r);
    for (uint32_t i = 0; !code && i < n; i++) {
        lsched_collision *c = &list[i];
        *c = (lsched_collision){.size = sizeof *c,
                                .device = forms[i].device,
                                .node_name = forms[i].node,
                                .task_index = forms[i].task.first,
                                .need_bytes = forms[i].need,
                                .at_us = action->at_us};
        if (forms[i].task.job.ptr)
            code = run_find(r, LSCHED_KIND_JOB, &forms[i].task.job, marks[i], &c->job);
    }
    if (code) return code;
    return lsched_collisions_report(r->cluster, list, n, sizeof *list, NULL, r->status, err);
}

/* ---- remembered values, clone and save ---- */

static int32_t memo_value(struct runner *r, const struct memo_form *form, struct mark mark,
                          uint64_t *out) {
    static const uint32_t kinds[] = {[MEMO_NODE] = LSCHED_KIND_NODE,
                                     [MEMO_QUEUE] = LSCHED_KIND_QUEUE,
                                     [MEMO_JOB] = LSCHED_KIND_JOB};
    if (form->kind == MEMO_HASH) return lsched_cluster_hash(r->cluster, form->which, out, NULL);
    if (form->kind != MEMO_DECISION)
        return run_find(r, kinds[form->kind], &form->object, mark, out);
    const struct past_decision *past = run_past(r, form->task.job.ptr, form->task.first);
    if (past) *out = past->id;
    if (past) return 0;
    return complain_at(
        &r->complain, LSCHED_E_NOENT, mark, "expected a task that a plan has placed, got %s/%u",
        complain_quote(form->task.job.ptr, form->task.job.len).text, form->task.first);
}

static int32_t action_remember(struct runner *r, const struct action *action, lsched_error *err) {
    (void)err;
    const struct memo_form *forms = action->items.items;
    const struct mark *marks = action->marks.items;
    for (uint32_t i = 0; i < action->items.n; i++) {
        struct memo *memo = scn_list_add(&r->memory, &r->memos, sizeof *memo);
        if (!memo) return run_no_memory(r);
        *memo = (struct memo){forms[i].name.ptr, forms[i].kind, forms[i].which, 0};
        int32_t code = memo_value(r, &forms[i], marks[i], &memo->value);
        if (code) return code;
    }
    return 0;
}

struct saved_bytes {
    struct alloc *alloc;
    char *bytes;
    size_t n, cap;
    int no_memory;
};

static int32_t saved_write(void *user, const void *bytes, size_t n) {
    struct saved_bytes *saved = user;
    if (n > saved->cap - saved->n) {
        size_t cap = saved->cap ? saved->cap : 4096;
        while (cap - saved->n < n) cap *= 2;
        char *grown = alloc_resize(saved->alloc, saved->bytes, saved->cap, cap);
        saved->no_memory = !grown;
        if (!grown) return 1;
        saved->bytes = grown;
        saved->cap = cap;
    }
    if (n) memcpy(saved->bytes + saved->n, bytes, n);
    saved->n += n;
    return 0;
}

/* The caller of the run keeps its pointer to the cluster. Therefore the copy is cloned back into
 * this cluster. */
int32_t run_reload(struct runner *r, uint32_t kind, struct mark mark) {
    struct saved_bytes saved = {&r->scenario->alloc, NULL, 0, 0, 0};
    lsched_cluster *copy = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code;
    if (kind == RELOAD_CLONE) {
        code = lsched_cluster_clone(r->cluster, &copy, &err);
    } else {
        code = lsched_cluster_save(r->cluster, saved_write, &saved, &err);
        /* an image does not contain the options of the cluster, therefore they are set again */
        lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
        if (code >= 0) code = lsched_scenario_cluster_opts(r->scenario, &opts);
        if (code >= 0) code = lsched_cluster_load(&opts, saved.bytes, saved.n, &copy, &err);
    }
    if (code >= 0) code = lsched_cluster_clone(copy, &r->cluster, &err);
    lsched_cluster_destroy(copy);
    alloc_free(&r->scenario->alloc, saved.bytes, saved.cap);
    /* the error of lsched_cluster_save() says only that saved_write() failed, not why */
    if (saved.no_memory) return run_no_memory(r);
    err.code = code;
    return code < 0 ? complain_pass(&r->complain, mark, &err) : 0;
}

static int32_t action_reload(struct runner *r, const struct action *action, lsched_error *err) {
    (void)err;
    return run_reload(r, action->variant, action->mark);
}

static int32_t action_interrupt(struct runner *r, const struct action *action, lsched_error *err) {
    (void)action;
    (void)err;
    lsched_interrupt(r->cluster);
    return 0;
}

/* Each function in the table carries out one kind of action. When a call of the library fails, the
 * function returns the code and leaves the error in *err, and this function reports it. When the
 * function has reported an error itself, it returns the code and leaves *err unchanged. */
int32_t run_action(struct runner *r, const struct action *action) {
    static int32_t (*const actions[])(struct runner *, const struct action *, lsched_error *) = {
        [ACTION_RESOURCES] = action_kinds,
        [ACTION_POOLS] = action_add,
        [ACTION_MODELS] = action_kinds,
        [ACTION_TOPOLOGIES] = action_add,
        [ACTION_SUPPLIES] = action_add,
        [ACTION_UPDATE_SUPPLIES] = action_add,
        [ACTION_POLICY] = action_policy,
        [ACTION_NODES] = action_add,
        [ACTION_QUEUES] = action_add,
        [ACTION_ALLOWANCES] = action_add,
        [ACTION_RESERVATIONS] = action_add,
        [ACTION_END_RESERVATIONS] = action_end_reservations,
        [ACTION_TASK_MIX] = action_add,
        [ACTION_JOBS] = action_add,
        [ACTION_IMPORT] = action_import,
        [ACTION_UPDATE_NODES] = action_update_nodes,
        [ACTION_UPDATE_DEVICES] = action_update_devices,
        [ACTION_FOREIGN] = action_foreign,
        [ACTION_REMOVE_NODES] = action_remove,
        [ACTION_UPDATE_QUEUES] = action_update_queues,
        [ACTION_REMOVE_QUEUES] = action_remove,
        [ACTION_REMOVE_JOBS] = action_remove,
        [ACTION_COMPLETE_JOBS] = action_remove,
        [ACTION_RELEASE_JOBS] = action_remove,
        [ACTION_HOLD_JOBS] = action_hold_jobs,
        [ACTION_RESIZE] = action_resize,
        [ACTION_UPDATE_JOBS] = action_update_jobs,
        [ACTION_REPORT] = action_report,
        [ACTION_USAGE] = action_usage,
        [ACTION_COLLISION] = action_collision,
        [ACTION_REMEMBER] = action_remember,
        [ACTION_RELOAD] = action_reload,
        [ACTION_INTERRUPT] = action_interrupt,
    };
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = actions[action->kind](r, action, &err);
    return code < 0 && err.code ? action_error(r, action, code, &err) : code < 0 ? code : 0;
}
