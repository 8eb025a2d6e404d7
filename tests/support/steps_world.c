/* steps_world.c -- see steps_world.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/steps_world.h"

lsched_error steps_err = LSCHED_ERROR_INIT;

void steps_must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, steps_err.message);
    assert_true(code >= 0);
}

void steps_submit_as(lsched_cluster *c, const char *name, int64_t cpu, const char *queue,
                     const char *user) {
    lsched_amount request = {LSCHED_CPU, 0, cpu};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.request = &request;
    group.n_request = 1;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queue);
    job.user = lsched_cstr(user);
    job.groups = &group;
    job.n_groups = 1;
    steps_must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &steps_err));
}

void steps_submit(lsched_cluster *c, const char *name) {
    steps_submit_as(c, name, 1000, "q", "");
}

void steps_node_add(lsched_cluster *c, const char *name) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 8000};
    node.name = lsched_cstr(name);
    node.capacity = &cpu;
    node.n_capacity = 1;
    steps_must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &steps_err));
}

lsched_id steps_queue_add(lsched_cluster *c, const char *name, uint32_t flags) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_id id = 0;
    queue.name = lsched_cstr(name);
    queue.flags = flags;
    steps_must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, &id, NULL, &steps_err));
    return id;
}

lsched_cluster *steps_world(uint32_t nodes) {
    lsched_cluster *c = NULL;
    steps_must(lsched_cluster_create(NULL, &c, &steps_err));
    steps_queue_add(c, "q", 0);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        steps_node_add(c, name);
    }
    return c;
}

void steps_end_task(lsched_cluster *c, const char *job) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(job));
    e.event = LSCHED_EVENT_STARTED;
    steps_must(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &steps_err));
    e.event = LSCHED_EVENT_ENDED;
    steps_must(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &steps_err));
}

lsched_plan_info steps_cycle(lsched_cluster *c, int64_t now_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = now_us;
    steps_must(lsched_schedule(c, &opts, &plan, &steps_err));
    steps_must(lsched_plan_get(plan, &info, NULL));
    lsched_plan_destroy(plan);
    return info;
}
