/* watchdog.c -- bound the wall time of a cycle: a second thread calls lsched_interrupt() when it
 * takes too long.
 *
 * The library reads no clock, so a limit in milliseconds is the orchestrator's. An interrupted
 * cycle ends soon and returns a valid plan with what it has (LSCHED_PLAN_INTERRUPTED); the
 * orchestrator carries that out and goes on with the next cycle. A hook of a policy that runs
 * just then counts as failed, and after three such cycles the policy is ejected. For limits
 * that are the same on every machine use work_budget, and instructions_per_call for policies;
 * without them these end before any watchdog barks, so the second part here sets them very
 * high. The argument is the limit in milliseconds. */
#define _POSIX_C_SOURCE 200809L
#include <libsched/libsched.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NODES = 200, JOBS = 2000 };

/* What the orchestrator keeps between cycles. */
struct host {
    lsched_cluster *cluster;
    int64_t now_us; /* its own clock; a real one reads it */
    size_t placed;
};

struct watchdog {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    lsched_cluster *cluster;
    struct timespec deadline;
    int finished;
};

static void *watch(void *argument) {
    struct watchdog *dog = argument;
    int timed_out = 0;
    pthread_mutex_lock(&dog->lock);
    while (!dog->finished && !timed_out) {
        timed_out = pthread_cond_timedwait(&dog->changed, &dog->lock, &dog->deadline) != 0;
    }
    if (!dog->finished) lsched_interrupt(dog->cluster); /* the one call that any thread may make */
    pthread_mutex_unlock(&dog->lock);
    return NULL;
}

static int watchdog_start(struct watchdog *dog, lsched_cluster *cluster, long limit_ms) {
    *dog = (struct watchdog){.cluster = cluster};
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&dog->changed, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&dog->lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &dog->deadline);
    dog->deadline.tv_sec += limit_ms / 1000;
    dog->deadline.tv_nsec += limit_ms % 1000 * 1000000;
    dog->deadline.tv_sec += dog->deadline.tv_nsec / 1000000000;
    dog->deadline.tv_nsec %= 1000000000;
    return pthread_create(&dog->thread, NULL, watch, dog);
}

/* After this the watchdog interrupts no more. It may have done so just after the cycle ended:
 * the flag is sticky and then ends the next cycle at once, which is why an orchestrator looks
 * at the flags of every plan. */
static void watchdog_stop(struct watchdog *dog) {
    pthread_mutex_lock(&dog->lock);
    dog->finished = 1;
    pthread_cond_signal(&dog->changed);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
    pthread_cond_destroy(&dog->changed);
    pthread_mutex_destroy(&dog->lock);
}

static int32_t add_nodes(lsched_cluster *cluster, lsched_error *err) {
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    int32_t code = LSCHED_OK;
    for (int i = 0; i < NODES && code >= 0; i++) {
        char name[32];
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = (lsched_text){name, (uint64_t)snprintf(name, sizeof name, "gpu-%d", i)};
        node.devices = &gpus, node.n_devices = 1;
        code = lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
    }
    return code;
}

static int32_t submit_jobs(lsched_cluster *cluster, lsched_error *err) {
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    int32_t code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    lsched_amount needs = {LSCHED_GPU, 0, 1000};
    lsched_group_desc task = {.size = sizeof task, .request = &needs, .n_request = 1};
    for (int i = 0; i < JOBS && code >= 0; i++) {
        char name[32];
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        job.name = (lsched_text){name, (uint64_t)snprintf(name, sizeof name, "job-%d", i)};
        job.queue_name = LSCHED_TEXT("research");
        job.groups = &task, job.n_groups = 1;
        code = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
    }
    return code;
}

/* One cycle under the watchdog. Fills *info with what its plan says, or returns an error. */
static int32_t cycle(struct host *host, long limit_ms, lsched_plan_info *info, lsched_error *err) {
    struct watchdog dog;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = host->now_us;
    lsched_plan *plan = NULL;
    if (watchdog_start(&dog, host->cluster, limit_ms) != 0) return LSCHED_E_LIMIT;
    int32_t code = lsched_schedule(host->cluster, &opts, &plan, err);
    watchdog_stop(&dog);
    if (code < 0) return code;

    *info = (lsched_plan_info){.size = sizeof *info};
    code = lsched_plan_get(plan, info, NULL);
    host->placed += lsched_plan_size(plan); /* a real one carries the decisions out here */
    printf("%4zu placed in this cycle%s\n", lsched_plan_size(plan),
           info->flags & LSCHED_PLAN_INTERRUPTED ? ", interrupted" : "");
    if (info->policy_error != LSCHED_OK)
        printf("     %s%s\n", lsched_plan_policy_error(plan),
               info->flags & LSCHED_PLAN_POLICY_EJECTED ? "; ejected" : "");
    lsched_plan_destroy(plan);
    return code;
}

static lsched_cluster *make_cluster(lsched_error *err) {
    lsched_cluster *cluster = NULL;
    int32_t code = lsched_cluster_create(NULL, &cluster, err);
    if (code >= 0) code = add_nodes(cluster, err);
    if (code >= 0) code = submit_jobs(cluster, err);
    if (code >= 0) return cluster;
    lsched_cluster_destroy(cluster);
    return NULL;
}

/* A long cycle, in as many pieces as it takes: each plan says when the next cycle has work. A job
 * that interrupts ended again and again waits for a later one, so the time of the next cycle counts,
 * not only the flags. */
static int32_t run_in_pieces(struct host *host, long limit_ms, lsched_error *err) {
    lsched_plan_info info = {.next_wake_us = host->now_us};
    int32_t code = LSCHED_OK;
    while (code >= 0 && info.next_wake_us != LSCHED_NEVER_US) {
        if (host->now_us < info.next_wake_us) host->now_us = info.next_wake_us;
        code = cycle(host, limit_ms, &info, err);
        limit_ms = limit_ms * 2 + 1; /* so that it ends on a machine of any speed */
    }
    printf("%zu of %d jobs run on %d GPUs\n\n", host->placed, JOBS, NODES * 8);
    return code;
}

/* A policy that never ends, which no trial run can see. Returns 1 if the library ejected it; a
 * watchdog that barks before the policy is asked takes one more cycle. */
static int eject_slow_policy(struct host *host, long limit_ms, lsched_error *err) {
    static const char text[] = "return { api = 1, score = function(job, node)\n"
                               "    while job.queue == 'research' do end\n"
                               "    return 0\n"
                               "end }\n";
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.instructions_per_call = opts.instructions_per_cycle = UINT64_C(1) << 50;
    lsched_plan_info info = {.size = sizeof info};
    int32_t code =
        lsched_policy_load(host->cluster, LSCHED_TEXT("slow.lua"), lsched_cstr(text), &opts, err);
    for (int i = 0; i < 100 && code >= 0 && !(info.flags & LSCHED_PLAN_POLICY_EJECTED); i++)
        code = cycle(host, limit_ms, &info, err);
    return code >= 0 && (info.flags & LSCHED_PLAN_POLICY_EJECTED);
}

int main(int argc, char **argv) {
    long limit_ms = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    lsched_error err = LSCHED_ERROR_INIT;
    size_t placed = 0;
    int ejected = 0;
    struct host host = {.cluster = make_cluster(&err), .now_us = INT64_C(1700000000000000)};
    if (host.cluster) run_in_pieces(&host, limit_ms, &err);
    lsched_cluster_destroy(host.cluster);
    placed += host.placed;

    host = (struct host){.cluster = make_cluster(&err), .now_us = INT64_C(1700000000000000)};
    if (host.cluster) ejected = eject_slow_policy(&host, limit_ms + 20, &err);
    if (host.cluster) run_in_pieces(&host, limit_ms, &err);
    lsched_cluster_destroy(host.cluster);
    placed += host.placed;

    if (err.code < 0) fprintf(stderr, "%s: %s\n", lsched_error_name(err.code), err.message);
    return err.code >= 0 && placed == 2 * (size_t)NODES * 8 && ejected ? 0 : 1;
}
