/*
 * bench_wakes.c -- what a cycle costs when many queues wait. The cluster is full, and each of
 * 1,000, 10,000 and 100,000 queues, or users below one queue, has one job that waits. Measured are
 * a cycle in which nothing happened, the query for the time of the next cycle, and a cycle after
 * one task has ended. All should follow what changed, not how many queues wait. The baseline of
 * the first two is one pass over all queues through the public API, the least that a cycle without
 * lists of changes does. The baseline of the third is the same cycle when it wakes all bundles.
 * Steps are counted work, which is equal on every machine.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench_support.h"
#include "engine/cycle/wake.h"

#include <libsched/policies.h>
#include <string.h>

enum { WAKES_NODES = 1000, WAKES_ROUNDS = 50, WAKES_BASE_ROUNDS = 5 };

struct wakes_world {
    lsched_cluster *c;
    int64_t now;
    lsched_id running[WAKES_NODES * 8 + 1000];
    size_t n, next;
};

/* What one kind of cycle costs on average. */
struct wakes_cost {
    double us, steps;
};

static lsched_plan *timed_cycle(struct wakes_world *w, double share, struct wakes_cost *cost) {
    lsched_plan_info info = {.size = sizeof info};
    double t0 = bench_seconds();
    lsched_plan *plan = bench_schedule(w->c, ++w->now);
    cost->us += (bench_seconds() - t0) * 1e6 * share;
    lsched_plan_get(plan, &info, NULL);
    cost->steps += (double)info.steps * share;
    return plan;
}

static void start_placed(struct wakes_world *w, const lsched_plan *plan) {
    bench_report_placed(w->c, plan, LSCHED_EVENT_STARTED);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        w->running[w->n++] = lsched_plan_at(plan, i)->job;
}

static struct wakes_cost ended_tasks(struct wakes_world *w, int rounds) {
    struct wakes_cost cost = {0, 0};
    lsched_error err = LSCHED_ERROR_INIT;
    for (int i = 0; i < rounds; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_ENDED;
        e.job = w->running[w->next++];
        bench_check(lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
        lsched_plan *plan = timed_cycle(w, 1.0 / rounds, &cost);
        start_placed(w, plan);
        lsched_plan_destroy(plan);
    }
    return cost;
}

static void add_users_jobs(lsched_cluster *c, uint32_t n, uint32_t users) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request[] = {{LSCHED_CPU, 0, 4000}, {LSCHED_GPU, 0, 1000}};
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = LSCHED_TEXT("all");
    q.flags = LSCHED_QUEUE_PER_USER;
    bench_check(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err), &err, "queues_add");
    for (uint32_t i = 0; i < n; i++) {
        char name[32], user[32];
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        snprintf(name, sizeof name, "job-%u", i);
        snprintf(user, sizeof user, "user-%u", i % users);
        group.request = request;
        group.n_request = 2;
        job.name = lsched_cstr(name);
        job.queue_name = q.name;
        job.user = lsched_cstr(user);
        job.groups = &group;
        job.n_groups = 1;
        job.submit_us = i;
        bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err,
                    "submit");
    }
}

static struct wakes_world *world_new(uint32_t queues, int users, const char *policy) {
    struct wakes_world *w = calloc(1, sizeof *w);
    lsched_error err = LSCHED_ERROR_INIT;
    if (!w) exit(1);
    w->now = 1000000;
    bench_check(lsched_cluster_create(NULL, &w->c, &err), &err, "create");
    if (policy)
        bench_check(lsched_policy_load(w->c, LSCHED_TEXT("bench"), lsched_cstr(policy), NULL, &err),
                    &err, "policy");
    bench_add_nodes(w->c, WAKES_NODES, 0);
    if (users) {
        add_users_jobs(w->c, WAKES_NODES * 8 + queues, queues);
    } else {
        bench_add_queues(w->c, queues);
        bench_add_jobs(w->c, WAKES_NODES * 8 + queues, 0, queues, 1);
    }
    lsched_plan *plan = bench_schedule(w->c, w->now);
    start_placed(w, plan);
    lsched_plan_destroy(plan);
    lsched_plan_destroy(bench_schedule(w->c, ++w->now));
    return w;
}

static double walk_queues(const lsched_cluster *c, uint64_t *sum) {
    uint64_t cursor = 0;
    double t0 = bench_seconds();
    for (lsched_id id; (id = lsched_next(c, LSCHED_KIND_QUEUE, &cursor)) != 0;) {
        lsched_queue_info info = {.size = sizeof info};
        lsched_queue_get(c, id, &info, NULL);
        *sum += info.jobs;
    }
    return (bench_seconds() - t0) * 1e6;
}

static void put_row(const char *of, const char *what, const char *unit, double value,
                    const char *base_name, double base) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s", of, what);
    rows_put(name, unit, value, base_name, base);
}

static void measure(const char *policy_name, const char *policy, uint32_t queues, int users) {
    struct wakes_world *w = world_new(queues, users, policy);
    struct wakes_cost idle = {0, 0};
    char of[64];
    uint64_t sum = 0;
    snprintf(of, sizeof of, "%s.%u_%s", policy_name, queues, users ? "users" : "queues");
    for (int i = 0; i < WAKES_ROUNDS; i++)
        lsched_plan_destroy(timed_cycle(w, 1.0 / WAKES_ROUNDS, &idle));
    double t0 = bench_seconds();
    for (int i = 0; i < WAKES_ROUNDS; i++) sum += (uint64_t)lsched_next_wake(w->c);
    double query = (bench_seconds() - t0) * 1e6 / WAKES_ROUNDS, walk = walk_queues(w->c, &sum);
    (void)ended_tasks(w, 1); /* makes the caches */
    struct wakes_cost event = ended_tasks(w, WAKES_ROUNDS);
    wake_all_max(w->c, UINT32_MAX);
    (void)ended_tasks(w, 1);
    struct wakes_cost all = ended_tasks(w, WAKES_BASE_ROUNDS);
    put_row(of, "idle", "us", idle.us, "walk over all queues", walk);
    put_row(of, "idle.steps", "steps", idle.steps, NULL, 0);
    put_row(of, "next_wake", "us", query, "walk over all queues", walk);
    put_row(of, "task_ended", "us", event.us, "all bundles wake", all.us);
    put_row(of, "task_ended.steps", "steps", event.steps, "all bundles wake", all.steps);
    if (sum == 0) rows_note("no queue has a job");
    lsched_cluster_destroy(w->c);
    free(w);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name, *text;
    } policies[] = {{"built-in", NULL},
                    {"fifo", "return { api = 1, name = \"fifo\", fair_share = \"fifo\" }"},
                    {"quota", "return { api = 1, name = \"quota\", fair_share = \"quota\" }"},
                    {"drf-reclaim", "return { api = 1, name = \"drf\", fair_share = \"drf\", "
                                    "pipeline = { \"allocate\", \"drain\", \"reclaim\" } }"}};
    rows_open("wakes", argc, argv);
    rows_note("%d nodes x 8 GPUs, all taken; one job waits in each queue", WAKES_NODES);
    for (uint32_t queues = 1000; queues <= 100000; queues *= 10) {
        measure(policies[0].name, policies[0].text, queues, 0);
        measure(policies[0].name, policies[0].text, queues, 1);
        measure(policies[1].name, policies[1].text, queues, 0);
        measure(policies[2].name, policies[2].text, queues, 0);
        /* every waiting bundle seeks victims, which this program does not measure at full size */
        if (queues == 1000) measure(policies[3].name, policies[3].text, queues, 0);
    }
    return 0;
}
