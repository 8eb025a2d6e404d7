/* queue_world.c -- see queue_world.h. */
#include "support/queue_world.h"
#include "support/settle.h"
#include "support/queue_update.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void good(struct queue_world *w, int32_t code) {
    if (code < 0) print_message("%s\n", w->err.message);
    assert_true(code >= 0);
}

void queue_world_policy(struct queue_world *w, const char *text) {
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    good(w, lsched_policy_load(w->cluster, LSCHED_TEXT("test"), lsched_cstr(text), &opts, &w->err));
}

void queue_world_open(struct queue_world *w, uint32_t n, uint32_t gpus, const char *fair_share) {
    static const lsched_amount capacity[] = {{LSCHED_CPU, 0, 1000000}};
    memset(w, 0, sizeof *w);
    lsched_init(&w->err, sizeof w->err);
    w->now_us = 1000 * QUEUE_WORLD_S;
    good(w, lsched_cluster_create(NULL, &w->cluster, &w->err));
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
        devices.count = gpus;
        devices.model = LSCHED_TEXT("H100");
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = capacity;
        d.n_capacity = 1;
        d.devices = &devices;
        d.n_devices = 1;
        good(w, lsched_nodes_add(w->cluster, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
    }
    char text[128];
    if (!fair_share) return;
    snprintf(text, sizeof text, "return { api = 1, name = \"test\", fair_share = \"%s\" }",
             fair_share);
    queue_world_policy(w, text);
}

void queue_world_close(struct queue_world *w) {
    lsched_cluster_destroy(w->cluster);
}

struct lists {
    lsched_amount quota, limit, lend, user, group;
};

static uint32_t give(lsched_amount *a, int gpus, const lsched_amount **to) {
    *a = (lsched_amount){LSCHED_GPU, 0, (int64_t)gpus * 1000};
    *to = gpus > 0 ? a : NULL;
    return gpus > 0;
}

static lsched_queue_desc describe(struct queue_form f, struct lists *l) {
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = lsched_cstr(f.name);
    d.parent_name = lsched_cstr(f.parent);
    d.n_quota = give(&l->quota, f.quota, &d.quota);
    d.n_limit = give(&l->limit, f.limit, &d.limit);
    d.n_lend_limit = give(&l->lend, f.lend, &d.lend_limit);
    l->lend.amount -= 1000;
    d.n_user_limit = give(&l->user, f.user_limit, &d.user_limit);
    d.n_group_limit = give(&l->group, f.group_limit, &d.group_limit);
    d.flags = f.flags;
    d.jobs_max = f.jobs_max;
    d.submitted_max = f.submitted_max;
    d.user_jobs_max = f.user_jobs_max;
    d.user_submitted_max = f.user_submitted_max;
    return d;
}

int32_t queue_world_queue(struct queue_world *w, struct queue_form form) {
    struct lists l;
    lsched_queue_desc d = describe(form, &l);
    return lsched_queues_add(w->cluster, &d, 1, sizeof d, NULL, NULL, NULL, &w->err);
}

int32_t queue_world_update(struct queue_world *w, struct queue_form form) {
    struct lists l;
    lsched_queue_desc d = describe(form, &l);
    lsched_id id = queue_world_id(w, LSCHED_KIND_QUEUE, form.name);
    return queue_update_all(w->cluster, id, &d, &w->err);
}

int32_t queue_world_job(struct queue_world *w, struct work_form form) {
    static const lsched_amount request[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_GPU, 0, 1000}};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.max_count = form.tasks ? form.tasks : 1;
    g.min_count = form.min;
    g.request = request;
    g.n_request = 2;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(form.name);
    d.queue_name = lsched_cstr(form.queue);
    d.user = lsched_cstr(form.user);
    d.user_group = lsched_cstr(form.group);
    d.groups = &g;
    d.n_groups = 1;
    d.flags = form.flags;
    d.submit_us = w->now_us;
    return lsched_jobs_submit(w->cluster, &d, 1, sizeof d, NULL, NULL, NULL, &w->err);
}

lsched_id queue_world_id(const struct queue_world *w, uint32_t kind, const char *name) {
    return lsched_find(w->cluster, kind, lsched_cstr(name));
}

static void carry_out(struct queue_world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        w->evictions += d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE;
        good(w, settle_each(w->cluster, &d->id, &how, 1, NULL, &w->err));
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = d->job;
        e.task_index = d->task_index;
        e.event = LSCHED_EVENT_STARTED;
        if (d->kind == LSCHED_DECIDE_PLACE)
            good(w, lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, &w->err));
    }
}

uint32_t queue_world_cycle(struct queue_world *w) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = w->now_us += QUEUE_WORLD_S;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan *plan = NULL;
    good(w, lsched_schedule(w->cluster, &opts, &plan, &w->err));
    uint32_t n = (uint32_t)lsched_plan_size(plan);
    carry_out(w, plan);
    lsched_plan_destroy(plan);
    good(w, lsched_verify(w->cluster, NULL, &w->err));
    return n;
}

void queue_world_event(struct queue_world *w, const char *job, uint32_t index, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = queue_world_id(w, LSCHED_KIND_JOB, job);
    e.task_index = index;
    e.event = event;
    e.at_us = w->now_us;
    good(w, lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, &w->err));
    good(w, lsched_verify(w->cluster, NULL, &w->err));
}

void queue_world_remove(struct queue_world *w, const char *job) {
    lsched_id id = queue_world_id(w, LSCHED_KIND_JOB, job);
    good(w, lsched_jobs_remove(w->cluster, &id, 1, NULL, NULL, &w->err));
    good(w, lsched_verify(w->cluster, NULL, &w->err));
}

uint32_t queue_world_placed(const struct queue_world *w, const char *job) {
    lsched_job_info info = {.size = sizeof info};
    assert_int_equal(
        lsched_job_get(w->cluster, queue_world_id(w, LSCHED_KIND_JOB, job), &info, NULL), 0);
    return info.tasks_placed;
}

lsched_waiting queue_world_waits(struct queue_world *w, const char *job) {
    lsched_waiting record = {.size = sizeof record};
    lsched_id id = queue_world_id(w, LSCHED_KIND_JOB, job);
    assert_true(lsched_explain(w->cluster, id, NULL, 0, &record, &w->err) >= 0);
    return record;
}

lsched_queue_share queue_world_share(struct queue_world *w, const char *queue) {
    lsched_queue_share share = {.size = sizeof share};
    lsched_id id = queue_world_id(w, LSCHED_KIND_QUEUE, queue);
    good(w, lsched_queue_share_get(w->cluster, id, LSCHED_GPU, &share, &w->err));
    return share;
}
