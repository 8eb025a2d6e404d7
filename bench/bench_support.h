/*
 * bench_support.h -- what the benchmarks share: a clock, and functions that build nodes
 * and jobs by the public API. bench_rows.h prints the figures.
 */
#ifndef LIBSCHED_BENCH_SUPPORT_H
#define LIBSCHED_BENCH_SUPPORT_H

#include <libsched/libsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/bench_rows.h"

/* Returns the CPU time of the calling thread, so that other work on the machine counts less. */
static inline double bench_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A failed call ends the benchmark: its figures would mean nothing. */
static inline void bench_check(int64_t rc, const lsched_error *err, const char *what) {
    if (rc >= 0) return;
    fprintf(stderr, "%s: %s: %s\n", what, lsched_error_name((int32_t)rc), err ? err->message : "");
    exit(1);
}

/* n nodes with so many GPUs, and 12 cores and 128 GiB for each of them, with five labels and names of
 * 24 bytes, the first one with the number `from`; extra_kinds more resource kinds. */
static inline void bench_add_nodes_of(lsched_cluster *c, uint32_t from, uint32_t n, uint32_t count,
                                      uint32_t extra_kinds) {
    enum { BATCH = 1000 };
    static lsched_node_desc nodes[BATCH];
    static char names[BATCH][32], racks[BATCH][16];
    static lsched_label labels[BATCH][5];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount capacity[2 + 8] = {{LSCHED_CPU, 0, 12000 * (int64_t)count},
                                     {LSCHED_MEMORY, 0, (int64_t)count << 37}};
    for (uint32_t i = 0; i < extra_kinds; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "kind%u", i);
        int32_t kind = lsched_resource_add(c, (lsched_text){name, (size_t)len}, &err);
        bench_check(kind, &err, "resource_add");
        capacity[2 + i] = (lsched_amount){(uint32_t)kind, 0, 16};
    }
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    gpus.count = count;
    gpus.model = LSCHED_TEXT("H100-80GB");
    gpus.memory_bytes = (int64_t)80 << 30;
    gpus.share_mode = LSCHED_SHARING_FRACTION;
    for (uint32_t first = 0; first < n; first += BATCH) {
        uint32_t m = n - first < BATCH ? n - first : BATCH;
        for (uint32_t i = 0; i < m; i++) {
            snprintf(names[i], sizeof names[i], "node-%010u.cluster-a",
                     from + first + i); /* 15 + 9 = 24 bytes */
            snprintf(racks[i], sizeof racks[i], "rack-%u", (from + first + i) / 40);
            labels[i][0] = (lsched_label){LSCHED_TEXT("arch"), LSCHED_TEXT("x86-64")};
            labels[i][1] = (lsched_label){LSCHED_TEXT("pool"), LSCHED_TEXT("training")};
            labels[i][2] = (lsched_label){LSCHED_TEXT("rack"), lsched_cstr(racks[i])};
            labels[i][3] = (lsched_label){LSCHED_TEXT("region"), LSCHED_TEXT("eu-1")};
            labels[i][4] = (lsched_label){LSCHED_TEXT("zone"), LSCHED_TEXT("a")};
            lsched_init(&nodes[i], sizeof nodes[i]);
            nodes[i].name = lsched_cstr(names[i]);
            nodes[i].capacity = capacity;
            nodes[i].n_capacity = 2 + extra_kinds;
            nodes[i].labels = labels[i];
            nodes[i].n_labels = 5;
            nodes[i].devices = &gpus;
            nodes[i].n_devices = 1;
        }
        bench_check(lsched_nodes_add(c, nodes, m, sizeof nodes[0], NULL, NULL, NULL, &err), &err,
                    "nodes_add");
    }
}

/* n nodes of 8 GPUs. */
static inline void bench_add_nodes_from(lsched_cluster *c, uint32_t from, uint32_t n,
                                        uint32_t extra_kinds) {
    bench_add_nodes_of(c, from, n, 8, extra_kinds);
}

static inline void bench_add_nodes(lsched_cluster *c, uint32_t n, uint32_t extra_kinds) {
    bench_add_nodes_from(c, 0, n, extra_kinds);
}

static inline void bench_add_queues(lsched_cluster *c, uint32_t n) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "queue-%u", i);
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        q.name = lsched_cstr(name);
        bench_check(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err), &err,
                    "queues_add");
    }
}

/* Adds n single-task jobs to the queues in turn. Each job asks for one GPU; job i has shape
 * i / queues mod shapes. The shapes differ in cores, and in memory if there are more than 32, so
 * that tasks of every shape can fill a node with eight GPUs. */
static inline void bench_add_jobs(lsched_cluster *c, uint32_t n, uint32_t first_name,
                                  uint32_t queues, uint32_t shapes) {
    enum { BATCH = 1000 };
    static lsched_job_desc jobs[BATCH];
    static lsched_group_desc groups[BATCH];
    static lsched_amount request[BATCH][3];
    static char names[BATCH][32], queue_names[BATCH][16];
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t first = 0; first < n; first += BATCH) {
        uint32_t m = n - first < BATCH ? n - first : BATCH;
        for (uint32_t i = 0; i < m; i++) {
            uint32_t id = first_name + first + i;
            snprintf(names[i], sizeof names[i], "job-%010u.user-0042", id); /* 24 bytes */
            snprintf(queue_names[i], sizeof queue_names[i], "queue-%u", id % queues);
            int64_t shape = id / queues % shapes;
            request[i][0] = (lsched_amount){LSCHED_CPU, 0, 4000 + 125 * (shape % 32)};
            request[i][1] =
                (lsched_amount){LSCHED_MEMORY, 0, ((int64_t)32 << 30) + (shape / 32 << 20)};
            request[i][2] = (lsched_amount){LSCHED_GPU, 0, 1000};
            lsched_init(&groups[i], sizeof groups[i]);
            groups[i].request = request[i];
            groups[i].n_request = 3;
            lsched_init(&jobs[i], sizeof jobs[i]);
            jobs[i].name = lsched_cstr(names[i]);
            jobs[i].queue_name = lsched_cstr(queue_names[i]);
            jobs[i].groups = &groups[i];
            jobs[i].n_groups = 1;
            jobs[i].submit_us = id;
        }
        bench_check(lsched_jobs_submit(c, jobs, m, sizeof jobs[0], NULL, NULL, NULL, &err), &err,
                    "jobs_submit");
    }
}

/* Reports the event for each task that the plan places. */
static inline void bench_report_placed(lsched_cluster *c, const lsched_plan *plan, uint32_t event) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = event;
        e.job = d->job;
        e.task_index = d->task_index;
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
    }
}

static inline lsched_plan *bench_schedule(lsched_cluster *c, int64_t now_us) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = now_us;
    bench_check(lsched_schedule(c, &opts, &plan, &err), &err, "schedule");
    return plan;
}

#endif
