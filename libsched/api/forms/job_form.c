/* job_form.c -- see job_form.h. */
#include "api/forms/job_form.h"

#include <stdio.h>

#include "api/door/args.h"
#include "api/forms/job_demand.h"
#include "api/forms/job_devices.h"
#include "api/forms/job_topology.h"
#include "api/forms/job_rules.h"
#include "api/forms/job_supplies.h"
#include "base/contention_table.h"
#include "base/short_names.h"
#include "base/text_out.h"
#include "model/shapes/domain.h"
#include "model/shapes/resource_kind.h"

/* The text that names a group in messages: the group's name, or its index if it has no name. If
 * the job has only one group, the text is the name of the job, because users do not think of such
 * a job as a group. */
struct group_where {
    char text[96];
};

static struct group_where job_form_where_of(const lsched_job_desc *job, lsched_text name,
                                            uint32_t index) {
    struct group_where w = {.text = ""};
    name = arg_text(name);
    int is_group = name.len > 0;
    if (!is_group && job->n_groups == 1) name = arg_text(job->name);
    char words[LSCHED_NAME_BYTES_MAX + 16];
    if (name.len)
        snprintf(words, sizeof words, "%s '%.*s'", is_group ? "group" : "job", (int)name.len,
                 name.ptr);
    else
        snprintf(words, sizeof words, "group %u", index);
    short_names(words, w.text, sizeof w.text);
    return w;
}

/* Sorted lists of one leaf group. The struct has about 13 KiB; only one function has it on its
 * stack. */
struct task_lists {
    lsched_text models[LIMIT_MODELS_PER_GROUP];
    struct selector_spec selectors[LIMIT_SELECTORS_PER_GROUP];
    lsched_text values[LIMIT_SELECTOR_VALUES];
    uint32_t n_values;
};

static int32_t job_form_read_devices(const lsched_group_desc *g, int64_t gpu, struct task_spec *t,
                                     const char *w, lsched_error *err) {
    if (g->gpu_memory_bytes < 0 || g->gpu_memory_bytes > LSCHED_AMOUNT_MAX)
        return fail(err, LSCHED_E_RANGE, "%s: gpu memory %lld; expected 0 to 2^62", w,
                    (long long)g->gpu_memory_bytes);
    if (gpu == 0) {
        if (g->gpu_devices || g->gpu_memory_bytes || g->n_device_models)
            return fail(err, LSCHED_E_INVAL,
                        "%s: it asks for devices, device memory or models, but for no gpu", w);
        return LSCHED_OK;
    }
    if (gpu < 10)
        return fail(
            err, LSCHED_E_RANGE,
            "%s: %lld thousandths of a device are less than a hundredth; 1000 is one device", w,
            (long long)gpu);
    if (g->gpu_devices == 0 && gpu > 1000 && gpu % 1000 != 0)
        return fail(err, LSCHED_E_RANGE,
                    "%s: %lld.%03lld GPUs are neither whole devices nor a part of one device; "
                    "say over how many devices they are shared",
                    w, (long long)(gpu / 1000), (long long)(gpu % 1000));
    t->devices = g->gpu_devices ? g->gpu_devices
                 : gpu < 1000   ? 1
                                : (uint32_t)(gpu / 1000 > 1000 ? 1000 : gpu / 1000);
    if (t->devices > LSCHED_DEVICES_PER_NODE_MAX)
        return fail(err, LSCHED_E_RANGE, "%s: a task asks for %s; a node has at most %d", w,
                    counted(t->devices, "device").text, LSCHED_DEVICES_PER_NODE_MAX);
    if (gpu % t->devices != 0 || gpu / t->devices > 1000)
        return fail(err, LSCHED_E_RANGE, "%s: %lld milli-GPU cannot be shared equally by %s", w,
                    (long long)gpu, counted(t->devices, "device").text);
    t->device_milli = (uint32_t)(gpu / t->devices);
    t->device_memory = g->gpu_memory_bytes;
    return LSCHED_OK;
}

static int32_t job_form_read_request(const struct columns *k, const lsched_group_desc *g,
                                     struct task_spec *t, const char *w, lsched_error *err) {
    int64_t amount[KINDS_MAX] = {0};
    int32_t rc = arg_amounts(k, g->request, g->n_request, 0, w, amount, err);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t r = 1; r < kind_count(k); r++) {
        if (!amount[r]) continue;
        struct amount_spec s = {text_of(k, k->c[C_KIND_NAME].u32[r]), amount[r]};
        uint32_t j = t->n_request++;
        for (; j > 0 && text_order(s.kind, t->request[j - 1].kind) < 0; j--)
            t->request[j] = t->request[j - 1];
        t->request[j] = s;
    }
    if (t->n_request == 0 && g->n_device_requests == 0)
        return fail(err, LSCHED_E_INVAL, "%s: a task must ask for something", w);
    return job_form_read_devices(g, amount[LSCHED_GPU], t, w, err);
}

static int32_t read_models(const lsched_group_desc *g, struct task_spec *t, struct task_lists *l,
                           const char *w, lsched_error *err) {
    if (g->n_device_models > LIMIT_MODELS_PER_GROUP)
        return fail(err, LSCHED_E_LIMIT, "%s: more than %u device models", w,
                    LIMIT_MODELS_PER_GROUP);
    if (g->n_device_models && !g->device_models)
        return fail(err, LSCHED_E_NULL, "%s: device_models is NULL", w);
    for (uint32_t i = 0; i < g->n_device_models; i++) {
        lsched_text m = g->device_models[i];
        int32_t rc = arg_name(&m, "device model", err);
        if (rc != LSCHED_OK) return rc;
        t->n_models += arg_insert_text(l->models, t->n_models, m);
    }
    t->models = l->models;
    return LSCHED_OK;
}

static int32_t read_selector(const lsched_selector *s, struct task_spec *t, struct task_lists *l,
                             const char *w, lsched_error *err) {
    struct selector_spec out = {s->key, l->values + l->n_values, 0};
    int32_t rc = arg_name(&out.key, "selector key", err);
    if (rc != LSCHED_OK) return rc;
    if (s->n_values > LIMIT_SELECTOR_VALUES - l->n_values)
        return fail(err, LSCHED_E_LIMIT, "%s: more than %u selector values", w,
                    LIMIT_SELECTOR_VALUES);
    if (s->n_values && !s->values)
        return fail(err, LSCHED_E_NULL, "%s: the values of selector '%.*s' are NULL", w,
                    (int)out.key.len, out.key.ptr);
    for (uint32_t v = 0; v < s->n_values; v++) {
        lsched_text value = arg_text(s->values[v]);
        if (value.len > LSCHED_NAME_BYTES_MAX)
            return fail(err, LSCHED_E_INVAL, "%s: a value of a selector has more than 255 bytes",
                        w);
        out.n_values += arg_insert_text(l->values + l->n_values, out.n_values, value);
    }
    l->n_values += out.n_values;
    uint32_t j = t->n_selectors++;
    for (; j > 0 && text_order(out.key, l->selectors[j - 1].key) < 0; j--)
        l->selectors[j] = l->selectors[j - 1];
    if (j > 0 && text_order(out.key, l->selectors[j - 1].key) == 0)
        return fail(err, LSCHED_E_INVAL, "%s: two selectors for '%.*s'", w, (int)out.key.len,
                    out.key.ptr);
    l->selectors[j] = out;
    return LSCHED_OK;
}

static int32_t read_selectors(const lsched_group_desc *g, struct task_spec *t, struct task_lists *l,
                              const char *w, lsched_error *err) {
    if (g->n_selectors > LIMIT_SELECTORS_PER_GROUP)
        return fail(err, LSCHED_E_LIMIT, "%s: more than %u selectors", w,
                    LIMIT_SELECTORS_PER_GROUP);
    if (g->n_selectors && !g->selectors)
        return fail(err, LSCHED_E_NULL, "%s: selectors is NULL", w);
    size_t stride;
    int32_t rc =
        arg_stride(g->selectors, g->n_selectors, g->selector_elem_size, "selectors", &stride, err);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < g->n_selectors; i++) {
        lsched_selector s;
        rc = arg_struct(&s, sizeof s, (const char *)g->selectors + i * stride, stride, "selector",
                        err);
        if (rc == LSCHED_OK) rc = read_selector(&s, t, l, w, err);
        if (rc != LSCHED_OK) return rc;
    }
    t->selectors = l->selectors;
    return LSCHED_OK;
}

static int32_t read_work_kind(const lsched_group_desc *g, struct task_spec *t, const char *w,
                              lsched_error *err) {
    lsched_text kind = arg_text(g->work_kind);
    if (kind.len == 0) return LSCHED_OK;
    if (kind.len >= CONTENTION_NAME_BYTES || memchr(kind.ptr, 0, (size_t)kind.len))
        return fail(err, LSCHED_E_INVAL, "%s: work_kind has at most %d bytes, and no NUL", w,
                    CONTENTION_NAME_BYTES - 1);
    t->work = kind;
    return LSCHED_OK;
}

/* `around`: the group with the exclusive level of the tasks (job_rules.h). */
static int32_t encode_leaf(const struct columns *k, const lsched_group_desc *g,
                           const lsched_group_desc *around, struct group_spec *spec,
                           struct bytes *b, int alone, const char *w, lsched_error *err) {
    struct task_lists lists;
    struct demand_spec *steps = NULL;
    struct supply_spec supplies[LSCHED_SUPPLIES_PER_TASK_MAX];
    struct bytes rules;
    bytes_init(&rules, k->alloc);
    lists.n_values = 0;
    int32_t rc = job_form_read_request(k, g, &spec->task, w, err);
    if (rc == LSCHED_OK) rc = read_models(g, &spec->task, &lists, w, err);
    if (rc == LSCHED_OK) rc = read_selectors(g, &spec->task, &lists, w, err);
    if (rc == LSCHED_OK) rc = job_demand_read(k, g, &spec->task, &steps, w, err);
    if (rc == LSCHED_OK) rc = job_rules_read(k, g, around, &rules, w, err);
    if (rc == LSCHED_OK) rc = job_supplies_read(k, g, supplies, &spec->task, w, err);
    if (rc == LSCHED_OK) rc = read_work_kind(g, &spec->task, w, err);
    spec->task.rules = &rules;
    if (rc == LSCHED_OK && !alone) shape_encode_group(b, spec);
    if (rc == LSCHED_OK && g->n_device_requests) {
        rc = (alone ? job_devices_encode_task : job_devices_encode)(k, g, &spec->task, b, w, err);
    } else if (rc == LSCHED_OK && alone) {
        shape_encode_task(b, &spec->task);
    } else if (rc == LSCHED_OK) {
        shape_encode_leaf(b, 1);
        size_t at = shape_begin_task(b);
        shape_encode_task(b, &spec->task);
        shape_end_task(b, at);
    }
    alloc_free(k->alloc, steps, g->n_demand * sizeof *steps);
    spec->task.models = NULL; /* the lists are on the stack of this function */
    spec->task.selectors = NULL;
    spec->task.demand = NULL;
    spec->task.rules = NULL;
    spec->task.supplies = NULL;
    bytes_close(&rules);
    return rc;
}

/* ---- the tree ---- */

struct group_tree {
    uint32_t children[LSCHED_GROUPS_PER_JOB_MAX];
    uint64_t tasks; /* number of tasks of all leaf groups */
    int64_t total[KINDS_MAX];
    lsched_group_desc g[LSCHED_GROUPS_PER_JOB_MAX]; /* written for the groups of the job */
};

static int32_t job_form_read_tree(const lsched_job_desc *d, struct group_tree *t,
                                  lsched_error *err) {
    int len = (int)d->name.len;
    if (d->n_groups && !d->groups)
        return fail(err, LSCHED_E_NULL, "job '%.*s': groups is NULL", len, d->name.ptr);
    if (d->n_groups == 0 || d->n_groups > LSCHED_GROUPS_PER_JOB_MAX)
        return fail(err, LSCHED_E_RANGE, "job '%.*s': %s; expected 1 to %d", len, d->name.ptr,
                    counted(d->n_groups, "group").text, LSCHED_GROUPS_PER_JOB_MAX);
    size_t stride;
    int32_t rc = arg_stride(d->groups, d->n_groups, d->group_elem_size, "groups", &stride, err);
    if (rc != LSCHED_OK) return rc;
    for (uint32_t i = 0; i < d->n_groups; i++) {
        rc = arg_struct(&t->g[i], sizeof t->g[i], (const char *)d->groups + i * stride, stride,
                        "group", err);
        if (rc != LSCHED_OK) return rc;
        if (i == 0) t->g[0].parent = 0;
        if (i > 0 && t->g[i].parent >= i)
            return fail(err, LSCHED_E_CYCLE,
                        "job '%.*s': group %u has the parent %u; a parent must come before its "
                        "children",
                        len, d->name.ptr, i, t->g[i].parent);
        if (i > 0) t->children[t->g[i].parent]++;
    }
    return LSCHED_OK;
}

/* Reads min and max of a leaf group, and adds the requests of all its tasks to the sums of *t. */
static int32_t read_counts(const struct columns *k, struct group_tree *t, uint32_t i,
                           struct group_spec *s, const char *w, lsched_error *err) {
    const lsched_group_desc *g = &t->g[i];
    s->max = g->max_count ? g->max_count : 1;
    s->min = g->min_count == LSCHED_MIN_NONE ? 0 : g->min_count ? g->min_count : s->max;
    if (s->min > s->max)
        return fail(err, LSCHED_E_RANGE, "%s: the minimum is %s, but the group has %u", w,
                    counted(s->min, "member").text, s->max);
    uint32_t members = g->members == LSCHED_NO_MEMBERS ? 0 : g->members ? g->members : s->max;
    if (members > s->max)
        return fail(
            err, LSCHED_E_RANGE,
            "%s: members is %u, but the group has only %s; raise max_count, or give members 0 if "
            "all of them exist",
            w, members, counted(s->max, "task").text);
    s->absent = s->max - members;
    s->fixed = (g->flags & LSCHED_GROUP_FIXED_AT_START) != 0;
    if (s->fixed && s->min == 0)
        return fail(err, LSCHED_E_RANGE,
                    "%s: its size is fixed at its start, so its minimum is at least 1", w);
    if (g->min_groups)
        return fail(err, LSCHED_E_INVAL,
                    "%s: min_groups is allowed only in a group that contains groups", w);
    t->tasks += s->max;
    if (t->tasks > LSCHED_TASKS_PER_JOB_MAX)
        return fail(err, LSCHED_E_LIMIT, "%s: the job has more than %d tasks", w,
                    LSCHED_TASKS_PER_JOB_MAX);
    if (g->n_request > KINDS_MAX + LIMIT_RESOURCE_PARTS)
        return fail(err, LSCHED_E_LIMIT, "%s: %u amounts requested; at most %u", w, g->n_request,
                    KINDS_MAX + LIMIT_RESOURCE_PARTS);
    for (uint32_t r = 0; r < g->n_request && g->request; r++) {
        uint32_t kind = g->request[r].kind;
        int64_t a = g->request[r].amount;
        /* job_form_read_request() reports this error */
        if (kind >= kind_count(k) || a < 0) continue;
        if (a > (LSCHED_AMOUNT_MAX - t->total[kind]) / s->max)
            return fail(err, LSCHED_E_RANGE,
                        "%s: the job's sum of one resource would exceed 2^62; "
                        "LSCHED_UNLIMITED is for limits",
                        w);
        t->total[kind] += a * s->max;
    }
    return LSCHED_OK;
}

static int32_t check_flags(const lsched_group_desc *g, const char *w, lsched_error *err) {
    if (g->flags & ~(uint32_t)LSCHED_GROUP_FIXED_AT_START)
        return fail(err, LSCHED_E_INVAL, "%s: flags is %#x; expected LSCHED_GROUP_*", w, g->flags);
    return arg_reserved(g->reserved_zero, "reserved_zero", w, err);
}

/* Returns the nearest group that names an exclusive level: the leaf group itself or one around it;
 * the root if there is none. */
static const lsched_group_desc *exclusive_of(const struct group_tree *t, uint32_t leaf) {
    uint32_t i = leaf;
    while (i > 0 && arg_text(t->g[i].exclusive_level).len == 0) i = t->g[i].parent;
    return &t->g[i];
}

/* Checks that a group that names a topology of an exclusive level names the level, too. */
static int32_t check_exclusive(const lsched_group_desc *g, const char *w, lsched_error *err) {
    if (arg_text(g->exclusive_topology).len == 0 || arg_text(g->exclusive_level).len)
        return LSCHED_OK;
    return fail(err, LSCHED_E_INVAL, "%s: it names a topology for an exclusive level, but no level",
                w);
}

static int32_t encode_group(const struct columns *k, const lsched_job_desc *d, struct group_tree *t,
                            uint32_t i, struct bytes *b, lsched_error *err) {
    const lsched_group_desc *g = &t->g[i];
    struct group_spec s;
    struct group_where w = job_form_where_of(d, g->name, i);
    memset(&s, 0, sizeof s);
    s.parent = g->parent;
    s.n_children = t->children[i];
    s.name = arg_text(g->name);
    if (s.name.len > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL, "%s: its name has more than 255 bytes", w.text);
    int32_t rc = s.n_children ? LSCHED_OK : read_counts(k, t, i, &s, w.text, err);
    if (rc == LSCHED_OK) rc = job_topology_read(k, g, &s, w.text, err);
    if (rc == LSCHED_OK) rc = check_flags(g, w.text, err);
    if (rc == LSCHED_OK) rc = check_exclusive(g, w.text, err);
    if (rc != LSCHED_OK) return rc;
    if (s.n_children == 0) return encode_leaf(k, g, exclusive_of(t, i), &s, b, 0, w.text, err);
    if (g->n_request || g->max_count || g->min_count || g->members || g->flags)
        return fail(err, LSCHED_E_INVAL, "%s contains groups and cannot have tasks of its own",
                    w.text);
    if (g->n_tolerations || g->n_node_affinities || g->n_job_affinities || g->n_supplies ||
        arg_text(g->work_kind).len)
        return fail(err, LSCHED_E_INVAL,
                    "%s contains groups; tolerations, terms, supplies and a kind of work are "
                    "allowed only in groups of tasks",
                    w.text);
    s.min = g->min_groups ? g->min_groups : s.n_children;
    if (s.min > s.n_children)
        return fail(err, LSCHED_E_RANGE,
                    "%s: a minimum of %s; expected at most %u, the groups in it", w.text,
                    counted(s.min, "group").text, s.n_children);
    shape_encode_group(b, &s);
    return LSCHED_OK;
}

static int32_t bytes_result(const struct bytes *b, lsched_error *err) {
    if (b->too_long)
        return fail(err, LSCHED_E_LIMIT, "the job's description is longer than %u bytes",
                    LIMIT_SHAPE_BYTES);
    return b->failed ? LSCHED_E_NOMEM : LSCHED_OK;
}

int32_t job_form_encode(const struct columns *k, const lsched_job_desc *d, struct bytes *b,
                        lsched_error *err) {
    struct group_tree *t = alloc_new(k->alloc, sizeof *t);
    if (!t) return LSCHED_E_NOMEM;
    memset(t, 0, offsetof(struct group_tree, g));
    int32_t rc = job_form_read_tree(d, t, err);
    if (rc == LSCHED_OK)
        shape_encode_job(b,
                         d->flags & (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE |
                                     LSCHED_JOB_NEVER_PREEMPTS),
                         d->preemption_delay_us, d->n_groups);
    for (uint32_t i = 0; i < d->n_groups && rc == LSCHED_OK; i++)
        rc = encode_group(k, d, t, i, b, err);
    alloc_free(k->alloc, t, sizeof *t);
    return rc == LSCHED_OK ? bytes_result(b, err) : rc;
}

int32_t job_form_encode_task(const struct columns *k, const lsched_group_desc *desc,
                             struct bytes *b, lsched_error *err) {
    lsched_group_desc g;
    struct group_spec s;
    memset(&s, 0, sizeof s);
    int32_t rc = arg_struct(&g, sizeof g, desc, 0, "task of the mix", err);
    if (rc == LSCHED_OK) rc = encode_leaf(k, &g, &g, &s, b, 1, "task of the mix", err);
    return rc == LSCHED_OK ? bytes_result(b, err) : rc;
}
