/*
 * bench_wakes.c -- what a cycle costs when many queues wait. The cluster is full, and each of
 * 1,000, 10,000 and 100,000 queues has equal jobs that wait. Measured are a cycle in which nothing
 * happened, the query for the next cycle, and a cycle after one task has ended. All three should
 * follow what changed, not how many queues wait. Beside each figure stand the counted steps, which
 * are the same on every machine, and one pass over all queues through the public API, the least
 * that a cycle without parking does. The times are CPU times of the thread.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench_support.h"

#include <libsched/policies.h>
#include <string.h>

enum { WAKES_NODES = 1000, WAKES_ROUNDS = 50, WAKES_USERS = 1 };

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What one kind of cycle costs on average. */
struct wakes_cost {
    double us;
    uint64_t steps, tried;
};

static lsched_plan *measured_cycle(lsched_cluster *c, int64_t now, struct wakes_cost *cost) {
    lsched_plan_info info = {.size = sizeof info};
    double t0 = cpu_seconds();
    lsched_plan *plan = bench_schedule(c, now);
    cost->us += (cpu_seconds() - t0) * 1e6 / WAKES_ROUNDS;
    lsched_plan_info_get(plan, &info);
    cost->steps += info.steps;
    cost->tried += info.jobs_tried;
    return plan;
}

static void started(lsched_cluster *c, const lsched_plan *plan, lsched_id *running, size_t *n) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_decision(plan, i);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = d->job;
        e.task_index = d->task_index;
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, &err), &err, "report");
        running[(*n)++] = d->job;
    }
}

/* Queues without a parent, or the queues of users below one queue. */
static void add_queues(lsched_cluster *c, uint32_t queues, int users) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (!users) {
        bench_add_queues(c, queues);
        return;
    }
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = (lsched_text)LSCHED_TEXT("all");
    q.flags = LSCHED_QUEUE_PER_USER;
    bench_check(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, &err), &err, "queues_add");
}

static void add_jobs(lsched_cluster *c, uint32_t n, uint32_t queues) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request[] = {{LSCHED_CPU, 0, 4000}, {LSCHED_GPU, 0, 1000}};
    for (uint32_t i = 0; i < n; i++) {
        char name[32], user[32];
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        snprintf(name, sizeof name, "job-%u", i);
        snprintf(user, sizeof user, "user-%u", i % queues);
        group.request = request;
        group.n_request = 2;
        job.name = (lsched_text){name, 0};
        job.queue_name = (lsched_text)LSCHED_TEXT("all");
        job.user = (lsched_text){user, 0};
        job.groups = &group;
        job.n_groups = 1;
        job.submit_us = i;
        bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, &err), &err, "submit");
    }
}

static double walk_queues(const lsched_cluster *c, uint64_t *sum) {
    uint64_t cursor = 0;
    double t0 = cpu_seconds();
    for (lsched_id id; (id = lsched_next(c, LSCHED_KIND_QUEUE, &cursor)) != 0;) {
        lsched_queue_info info = {.size = sizeof info};
        lsched_queue_get(c, id, &info);
        *sum += info.jobs;
    }
    return (cpu_seconds() - t0) * 1e6;
}

static void report_cost(const char *what, const struct wakes_cost *cost) {
    printf("    %-16s %10.1f us %10.0f steps %8.1f jobs tried\n", what, cost->us,
           (double)cost->steps / WAKES_ROUNDS, (double)cost->tried / WAKES_ROUNDS);
}

static void measure(uint32_t queues, int users, const char *policy) {
    static lsched_id running[WAKES_NODES * 8 + WAKES_ROUNDS * 4];
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    struct wakes_cost idle = {0}, event = {0};
    size_t n = 0, next = 0;
    uint64_t sum = 0;
    int64_t now = 1000000;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    if (policy)
        bench_check(lsched_policy_load(c, "bench", policy, strlen(policy), NULL, &err), &err,
                    "policy");
    bench_add_nodes(c, WAKES_NODES, 0);
    add_queues(c, queues, users);
    if (users)
        add_jobs(c, WAKES_NODES * 8 + queues, queues);
    else
        bench_add_jobs(c, WAKES_NODES * 8 + queues, 0, queues, 1);
    lsched_plan *plan = bench_schedule(c, now);
    started(c, plan, running, &n);
    lsched_plan_destroy(plan);
    lsched_plan_destroy(bench_schedule(c, ++now));
    for (int i = 0; i < WAKES_ROUNDS; i++) lsched_plan_destroy(measured_cycle(c, ++now, &idle));
    double t0 = cpu_seconds();
    for (int i = 0; i < WAKES_ROUNDS; i++) sum += (uint64_t)lsched_next_wake(c);
    double query = (cpu_seconds() - t0) * 1e6 / WAKES_ROUNDS;
    for (int i = 0; i < WAKES_ROUNDS; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_ENDED;
        e.job = running[next++];
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, &err), &err, "report");
        plan = measured_cycle(c, ++now, &event);
        started(c, plan, running, &n);
        lsched_plan_destroy(plan);
    }
    double walk = walk_queues(c, &sum);
    printf("  %u %s%s\n", queues, users ? "users" : "queues", sum ? "" : "!");
    report_cost("nothing happened", &idle);
    printf("    %-16s %10.1f us\n", "next cycle?", query);
    report_cost("one task ended", &event);
    printf("    %-16s %10.1f us\n", "walk all queues", walk);
    lsched_cluster_destroy(c);
}

int main(void) {
    static const struct {
        const char *name, *text;
    } policies[] = {{"built-in", NULL},
                    {"fifo", "return { api = 1, name = \"fifo\", fair_share = \"fifo\" }"},
                    {"quota", "return { api = 1, name = \"quota\", fair_share = \"quota\" }"},
                    {"drf with reclaim", "return { api = 1, name = \"drf\", fair_share = \"drf\", "
                                         "pipeline = { \"allocate\", \"drain\", \"reclaim\" } }"}};
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        printf("wakes, policy %s: %d nodes, one task shape (mean of %d cycles)\n", policies[p].name,
               WAKES_NODES, WAKES_ROUNDS);
        for (uint32_t queues = 1000; queues <= 100000; queues *= 10) {
            measure(queues, 0, policies[p].text);
            if (p == 0) measure(queues, WAKES_USERS, policies[p].text);
        }
    }
    return 0;
}
