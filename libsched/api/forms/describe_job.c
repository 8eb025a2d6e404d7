/*
 * describe_job.c -- see description.h: the description of a job, from the canonical bytes of its
 * shape. The order of the bytes is in shape.c and node_rules.h.
 */
#include "api/forms/description.h"

#include "base/times.h"
#include "model/arrays/array.h"
#include "model/dependencies/gate.h"
#include "model/jobs/job_limits.h"
#include "model/queues/user_queue.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/node_rules.h"
#include "model/shapes/shape.h"
#include "model/shapes/shape_part.h"

/* ---- rules ---- */

static void describe_tolerations(struct lsched_description *d, struct reader *r,
                                 lsched_group_desc *g) {
    uint32_t n = reader_u32(r);
    lsched_toleration *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_toleration t;
        t.key = description_text(d, reader_text(r));
        t.value = description_text(d, reader_text(r));
        t.effect = reader_u32(r);
        t.any_value = reader_u32(r);
        t.stop_after_us = reader_i64(r);
        if (list) list[i] = t;
    }
    g->tolerations = list;
    g->n_tolerations = list ? n : 0;
}

static void describe_node_terms(struct lsched_description *d, struct reader *r,
                                lsched_group_desc *g) {
    uint32_t n = reader_u32(r);
    lsched_node_affinity *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_node_affinity t = {.weight = reader_u32(r)};
        t.n_rules = reader_u32(r);
        lsched_label_rule *rules = description_take(d, t.n_rules, sizeof *rules);
        for (uint32_t j = 0; j < t.n_rules && !r->bad; j++) {
            lsched_label_rule rule = {.key = description_text(d, reader_text(r))};
            rule.operation = reader_u32(r);
            rule.n_values = reader_u32(r);
            rule.values = description_texts(d, r, rule.n_values);
            if (rules) rules[j] = rule;
        }
        t.rules = rules;
        if (list) list[i] = t;
    }
    g->node_affinities = list;
    g->n_node_affinities = list ? n : 0;
}

/* An exclusive level is the last term of its list, so the entries of the other terms come first. */
static void describe_job_terms(struct lsched_description *d, struct reader *r,
                               lsched_group_desc *g) {
    static const lsched_text node = {"node", 4};
    uint32_t n = reader_u32(r), terms = n;
    lsched_job_affinity *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_job_affinity t = {.apart = reader_u32(r)};
        t.weight = reader_u32(r);
        t.topology = description_text(d, reader_text(r));
        t.level = description_text(d, reader_text(r));
        t.n_labels = reader_u32(r);
        lsched_label *labels = description_take(d, t.n_labels, sizeof *labels);
        for (uint32_t j = 0; j < t.n_labels && !r->bad; j++) {
            lsched_label one = {.key = description_text(d, reader_text(r))};
            one.value = description_text(d, reader_text(r));
            if (labels) labels[j] = one;
        }
        t.labels = labels;
        if (list) list[i] = t;
        if (t.apart != RULE_EXCLUSIVE) continue;
        terms = i;
        g->exclusive_topology = t.topology;
        g->exclusive_level = t.level.len ? t.level : node;
    }
    g->job_affinities = terms ? list : NULL;
    g->n_job_affinities = list ? terms : 0;
}

/* ---- one task ---- */

/* One alternative of a leaf group. */
struct task_read {
    int64_t gpu, memory;
    uint32_t devices, milli, n_models;
    const lsched_text *models;
    int is_request; /* 1: only a device request can say it */
    uint32_t mig_slices;
    lsched_device_request q;
};

static void describe_amounts(struct lsched_description *d, const struct columns *k,
                             struct reader *r, lsched_group_desc *g, struct task_read *t) {
    uint32_t n = reader_u32(r);
    lsched_amount *list = description_take(d, n, sizeof *list);
    g->n_request = 0;
    g->request = list;
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text name = reader_text(r);
        uint32_t kind = name_find(k, T_IX_KIND, name.ptr, (size_t)name.len);
        int64_t amount = reader_i64(r);
        if (kind == LSCHED_GPU) t->gpu = amount;
        if (list) list[g->n_request++] = (lsched_amount){.kind = kind, .amount = amount};
    }
}

static void describe_selectors(struct lsched_description *d, struct reader *r,
                               lsched_group_desc *g) {
    uint32_t n = reader_u32(r);
    lsched_selector *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_selector s = {.size = sizeof s, .key = description_text(d, reader_text(r))};
        s.n_values = reader_u32(r);
        s.values = description_texts(d, r, s.n_values);
        if (list) list[i] = s;
    }
    g->selectors = list;
    g->n_selectors = list ? n : 0;
    g->selector_elem_size = sizeof *list;
}

static void describe_demand(struct lsched_description *d, const struct columns *k, struct reader *r,
                            lsched_group_desc *g) {
    uint32_t n = reader_u32(r);
    lsched_demand_step *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text name = reader_text(r);
        lsched_demand_step s = {.size = sizeof s, .from_us = reader_i64(r)};
        s.kind = name_find(k, T_IX_KIND, name.ptr, (size_t)name.len);
        s.amount = reader_i64(r);
        if (list) list[i] = s;
    }
    g->demand = list;
    g->n_demand = list ? n : 0;
    g->demand_elem_size = sizeof *list;
}

static void describe_supplies(struct lsched_description *d, struct reader *r,
                              lsched_group_desc *g) {
    uint32_t n = reader_u32(r);
    lsched_supply_need *list = description_take(d, n, sizeof *list);
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_supply_need s = LSCHED_SUPPLY_NEED_INIT;
        s.supply = description_text(d, reader_text(r));
        s.amount = reader_i64(r);
        if (list) list[i] = s;
    }
    g->supplies = list;
    g->n_supplies = list ? n : 0;
    g->supply_elem_size = sizeof *list;
}

static void describe_section(struct lsched_description *d, uint32_t tag, struct reader *r,
                             lsched_group_desc *g, struct task_read *t) {
    lsched_device_request *q = &t->q;
    if (tag == SHAPE_PART_DEVICES) {
        t->is_request = 1;
        q->sm_count = reader_u32(r);
        q->isolation = reader_u32(r);
        q->order = reader_u32(r);
        q->link = reader_u32(r);
        q->numa = reader_u32(r);
        q->nics = reader_u32(r);
        t->mig_slices = reader_u32(r);
        q->memory_limit_bytes = reader_i64(r);
        q->mig_profile = description_text(d, reader_text(r));
    } else if (tag == SHAPE_PART_CLAIM) {
        t->is_request = 1;
        q->selector = description_text(d, reader_text(r));
        q->n_match = reader_u32(r);
        q->match = description_texts(d, r, q->n_match);
        q->n_distinct = reader_u32(r);
        q->distinct = description_texts(d, r, q->n_distinct);
    } else if (tag == SHAPE_PART_RULES) {
        describe_tolerations(d, r, g);
        describe_node_terms(d, r, g);
        describe_job_terms(d, r, g);
    } else if (tag == SHAPE_PART_DAY) {
        g->demand_period_us = DAY_US;
    } else if (tag == SHAPE_PART_SUPPLIES) {
        describe_supplies(d, r, g);
    } else if (tag == SHAPE_PART_WORK) {
        g->work_kind = description_text(d, reader_text(r));
    }
}

/* Reads the bytes of one task. What alternatives have in common is written to *g, each time the
 * same. */
static void describe_task(struct lsched_description *d, const struct columns *k, struct reader r,
                          lsched_group_desc *g, struct task_read *t) {
    memset(t, 0, sizeof *t);
    t->q = (lsched_device_request)LSCHED_DEVICE_REQUEST_INIT;
    describe_amounts(d, k, &r, g, t);
    t->devices = reader_u32(&r);
    t->milli = reader_u32(&r);
    t->memory = reader_i64(&r);
    t->n_models = reader_u32(&r);
    t->models = description_texts(d, &r, t->n_models);
    describe_selectors(d, &r, g);
    describe_demand(d, k, &r, g);
    while (r.p < r.end && !r.bad) {
        uint32_t tag = reader_u32(&r), n = reader_u32(&r);
        if (r.bad || (size_t)(r.end - r.p) < n) return;
        struct reader part = {r.p, r.p + n, 0};
        describe_section(d, tag, &part, g, t);
        r.p += n;
    }
    t->q.devices = t->devices ? t->devices : LSCHED_DEVICES_NONE;
    if (!t->q.mig_profile.len && t->devices) {
        t->q.share_milli = t->milli;
        t->q.memory_bytes = t->memory;
    }
    t->q.models = t->models;
    t->q.n_models = t->n_models;
    t->is_request |= t->devices && t->gpu != (int64_t)t->devices * t->milli;
}

/* ---- leaf groups ---- */

/* Takes the gpu amount out of the request, because the device requests stand for it. */
static void without_gpu(lsched_group_desc *g) {
    lsched_amount *list = (lsched_amount *)(uintptr_t)g->request;
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_request; i++)
        if (list[i].kind != LSCHED_GPU) list[n++] = list[i];
    g->n_request = n;
}

static int text_same(lsched_text a, lsched_text b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, (size_t)a.len) == 0;
}

/* A profile of two sizes made two alternatives of one device request, the smaller size first. */
static int is_second_size(const struct task_read *a, const struct task_read *b) {
    return b->mig_slices > a->mig_slices && a->mig_slices &&
           text_same(a->q.mig_profile, b->q.mig_profile);
}

static void describe_leaf(struct lsched_description *d, const struct columns *k, struct reader *r,
                          lsched_group_desc *g) {
    uint32_t n = reader_u32(r), used = 0;
    lsched_device_request *list = description_take(d, n, sizeof *list);
    struct task_read t, was;
    memset(&t, 0, sizeof t);
    memset(&was, 0, sizeof was);
    for (uint32_t a = 0; a < n && !r->bad; a++) {
        uint32_t bytes = reader_u32(r);
        if (r->bad || (size_t)(r->end - r->p) < bytes) return;
        describe_task(d, k, (struct reader){r->p, r->p + bytes, 0}, g, &t);
        r->p += bytes;
        if (list && !(used && is_second_size(&was, &t))) list[used++] = t.q;
        was = t;
    }
    if (n == 1 && !t.is_request) {
        g->gpu_devices = t.gpu ? t.devices : 0;
        g->gpu_memory_bytes = t.memory;
        g->device_models = t.models;
        g->n_device_models = t.n_models;
        return;
    }
    without_gpu(g);
    g->device_requests = list;
    g->n_device_requests = used;
    g->device_request_elem_size = sizeof *list;
}

/* ---- the tree ---- */

static void describe_slices(struct lsched_description *d, struct reader *r, lsched_group_desc *g) {
    g->topology_mode = reader_u32(r);
    g->n_slices = reader_u32(r);
    lsched_slice *list = description_take(d, g->n_slices, sizeof *list);
    for (uint32_t i = 0; i < g->n_slices && !r->bad; i++) {
        lsched_slice s = {.level = description_text(d, reader_text(r))};
        s.tasks = reader_u32(r);
        if (list) list[i] = s;
    }
    g->slices = list;
}

/* Reads the mark of a group whose size is chosen at its start. Nobody submitted the size. */
static void describe_fixed(struct reader *r, lsched_group_desc *g) {
    reader_u32(r);
    g->flags |= LSCHED_GROUP_FIXED_AT_START;
}

/* Reads the optional sections of a group (shape_part.h). */
static void describe_group_parts(struct lsched_description *d, struct reader *r,
                                 lsched_group_desc *g) {
    uint32_t n = reader_u32(r);
    const uint8_t *end = r->p + n;
    while (r->p < end && !r->bad) {
        uint32_t tag = reader_u32(r);
        if (tag == GROUP_PART_SLICES)
            describe_slices(d, r, g);
        else if (tag == GROUP_PART_NODE_MAX)
            g->max_tasks_per_node = reader_u32(r);
        else if (tag == GROUP_PART_MEMBERS)
            g->members = reader_u32(r);
        else if (tag == GROUP_PART_FIXED)
            describe_fixed(r, g);
        if (tag == GROUP_PART_MEMBERS && g->members == 0) g->members = LSCHED_NO_MEMBERS;
    }
}

static void describe_group(struct lsched_description *d, const struct columns *k, struct reader *r,
                           lsched_group_desc *g) {
    *g = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    g->parent = reader_u32(r);
    uint32_t children = reader_u32(r), min = reader_u32(r), max = reader_u32(r);
    g->name = description_text(d, reader_text(r));
    g->topology = description_text(d, reader_text(r));
    g->required_level = description_text(d, reader_text(r));
    g->preferred_level = description_text(d, reader_text(r));
    g->spread_level = description_text(d, reader_text(r));
    g->spread_max = reader_u32(r);
    describe_group_parts(d, r, g);
    if (children) {
        g->min_groups = min;
        return;
    }
    g->max_count = max;
    g->min_count = min ? min : LSCHED_MIN_NONE;
    describe_leaf(d, k, r, g);
}

static void describe_groups(struct lsched_description *d, const struct columns *k, uint32_t job) {
    lsched_job_desc *to = &d->of.job;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    struct reader r = reader_of(k, intern_text(k, T_JOBSHAPE, shape));
    reader_u32(&r); /* flags and delay are columns of the job, too */
    reader_i64(&r);
    uint32_t n = reader_u32(&r);
    lsched_group_desc *g = description_take(d, n, sizeof *g);
    for (uint32_t i = 0; i < n && g && !r.bad; i++) describe_group(d, k, &r, &g[i]);
    if (g && n == 1 && job_minimum_replaced(k, job)) {
        uint32_t min = job_minimum_submitted(k, job);
        g[0].min_count = min ? min : LSCHED_MIN_NONE;
    }
    to->groups = g;
    to->n_groups = g ? n : 0;
    to->group_elem_size = sizeof *g;
}

/* ---- the job ---- */

/* Names the queue to which the job was submitted and, from the names of the user queues below it,
 * the user and the group. */
static void describe_submitter(struct lsched_description *d, const struct columns *k,
                               uint32_t job) {
    lsched_job_desc *to = &d->of.job;
    uint32_t q = k->c[C_JOB_QUEUE].u32[job];
    for (; queue_is_of_user(k, q); q = k->c[C_QUEUE_PARENT].u32[q]) {
        int group = (k->c[C_QUEUE_FLAGS].u8[q] & LSCHED_QUEUE_IS_GROUP) != 0;
        lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[q]),
                    above = text_of(k, k->c[C_QUEUE_NAME].u32[k->c[C_QUEUE_PARENT].u32[q]]);
        uint64_t cut = above.len + 1 + (uint64_t)group;
        lsched_text who = {name.ptr + cut, name.len - cut};
        if (who.len == 1 && who.ptr[0] == '-') continue;
        *(group ? &to->user_group : &to->user) = description_text(d, who);
    }
    to->queue_name = description_text(d, text_of(k, k->c[C_QUEUE_NAME].u32[q]));
}

static void describe_cost(const struct columns *k, uint32_t job, lsched_job_desc *to) {
    uint32_t c = k->c[C_JOB_COST].u32[job], w = k->c[C_JOB_WATCH].u32[job];
    if (w != NO_ROW) to->time_limit_us = k->c[C_WATCH_LIMIT].i64[w];
    if (c == NO_ROW) return;
    to->restart_cost_us = k->c[C_COST_RESTART].i64[c];
    to->checkpoint_period_us = k->c[C_COST_CHECKPOINT].i64[c];
    to->preemption_delay_us = k->c[C_COST_DELAY].i64[c];
    const int64_t grace = k->c[C_COST_GRACE].i64[c];
    to->stale_grace_us = grace < 0 ? LSCHED_NEVER_US : grace;
    to->disruption_window_us = k->c[C_COST_WINDOW].i64[c];
    to->backoff_us = k->c[C_COST_BACKOFF].i64[c];
    to->release_us = k->c[C_COST_RELEASE].i64[c];
    to->checkpoint_us = k->c[C_COST_CHECKPOINT_WAIT].i64[c];
    to->soft_limit_us = k->c[C_COST_SOFT_LIMIT].i64[c];
    to->disruptions_max = k->c[C_COST_DISRUPTIONS_MAX].u32[c];
    to->retries_max = k->c[C_COST_RETRIES_MAX].u32[c];
}

/* True if the delay after the event of the dependency is over. */
static int describe_is_met(const struct columns *k, uint32_t after, int64_t at) {
    return at && at != LSCHED_NEVER_US &&
           time_after_at_most(at, k->c[C_AFTER_DELAY].i64[after]) <= (int64_t)meta(k, M_NOW);
}

/* Describes what the job still waits for. What has become of a dependency is told with the time of
 * its event, so that a cluster that does not know the other job makes the job wait as long. */
static void describe_gate(struct lsched_description *d, const struct columns *k, uint32_t job) {
    lsched_job_desc *to = &d->of.job;
    uint32_t gate = gate_row(k, job), n = 0;
    if (gate == NO_ROW) return;
    to->begin_us = k->c[C_GATE_BEGIN].i64[gate];
    to->expires_us = k->c[C_GATE_EXPIRES].i64[gate];
    to->on_never = k->c[C_GATE_ON_NEVER].u8[gate];
    uint32_t first = k->c[C_GATE_FIRST].u32[gate];
    for (uint32_t a = first; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a]) n++;
    lsched_dependency *list = description_take(d, n, sizeof *list);
    to->dependencies = list;
    to->dependency_elem_size = sizeof *list;
    for (uint32_t a = list ? first : NO_ROW; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a]) {
        int64_t at = gate_after_at(k, a);
        if (describe_is_met(k, a, at)) continue;
        lsched_dependency *one = &list[to->n_dependencies++];
        *one = (lsched_dependency)LSCHED_DEPENDENCY_INIT;
        one->after = k->c[C_AFTER_KIND].u8[a];
        one->delay_us = k->c[C_AFTER_DELAY].i64[a];
        one->happened_us = at;
        one->name =
            description_text(d, text_of(k, intern_text(k, T_STRING, k->c[C_AFTER_NAME].u32[a])));
    }
}

void describe_job(struct lsched_description *d, const struct columns *k, uint32_t job) {
    lsched_job_desc *to = &d->of.job;
    *to = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    to->name = description_text(d, text_of(k, k->c[C_JOB_NAME].u32[job]));
    to->tag = k->c[C_JOB_TAG].u64[job];
    to->flags = k->c[C_JOB_FLAGS].u8[job] &
                (LSCHED_JOB_NON_PREEMPTIBLE | LSCHED_JOB_INTERACTIVE | LSCHED_JOB_NEVER_PREEMPTS);
    to->priority = k->c[C_JOB_PRIORITY].i32[job];
    to->submit_us = k->c[C_JOB_SUBMIT].i64[job];
    to->duration_us = k->c[C_JOB_DURATION].i64[job];
    to->deadline_us = k->c[C_JOB_DEADLINE].i64[job];
    to->first_start_us = k->c[C_JOB_STARTED].i64[job];
    describe_cost(k, job, to);
    describe_submitter(d, k, job);
    to->labels = description_labels(d, k, k->c[C_JOB_LABELS].u32[job], &to->n_labels);
    describe_groups(d, k, job);
    describe_gate(d, k, job);
    if (!array_is(k, job)) return;
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    to->array_count = k->c[C_ARRAY_COUNT].u32[a];
    to->array_next = k->c[C_ARRAY_NEXT].u32[a];
    to->array_succeeded = k->c[C_ARRAY_SUCCEEDED].u32[a];
}
