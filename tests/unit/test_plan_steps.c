/* The steps (lsched_plan_info.steps) of a cycle that plans over time do not grow with the cluster
 * nor with the number of equal jobs that wait: on n and 16n nodes, with w and 16w jobs, the cycle
 * after an ended task, a new job, and a later minute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

enum { NODES = 64, PER_NODE = 4, WAITING = 40, EVENTS = 6 };
#define MINUTE INT64_C(60000000)

static const char *const policies[] = {
    "order = 'fifo', pipeline = { 'ts-dpbp' }, params = { ts_window = 16 }",
    "order = 'fifo', pipeline = { 'backfill' }",
    "order = 'fifo', pipeline = { 'backfill' }, params = { backfill_reservations = 8 }"};

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int64_t code) {
    if (code < 0) print_message("%lld %s\n", (long long)code, err.message);
    assert_true(code >= 0);
}

struct site {
    lsched_cluster *c;
    uint32_t n_nodes, n_jobs;
    int64_t now;
};

static void add_node(struct site *s) {
    char name[16];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * PER_NODE};
    snprintf(name, sizeof name, "n%05u", (unsigned)s->n_nodes++);
    node.name = lsched_cstr(name);
    node.capacity = &cpu;
    node.n_capacity = 1;
    must(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, NULL, NULL, &err));
}

static lsched_id submit(struct site *s, uint32_t tasks, int64_t cores, int64_t length) {
    char name[16];
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * cores};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &cpu;
    group.n_request = 1;
    group.max_count = tasks;
    snprintf(name, sizeof name, "j%06u", (unsigned)s->n_jobs++);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = s->n_jobs;
    job.duration_us = length;
    must(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

/* Every node runs tasks that end at different times, so that no two nodes are alike over time. */
static void make(struct site *s, const char *policy, uint32_t nodes, uint32_t waiting) {
    char text[300];
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    memset(s, 0, sizeof *s);
    must(lsched_cluster_create(NULL, &s->c, &err));
    snprintf(text, sizeof text, "return { api = 1, name = 'p', fair_share = 'fifo', %s }", policy);
    must(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
    queue.name = LSCHED_TEXT("q");
    must(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    for (uint32_t i = 0; i < nodes; i++) add_node(s);
    for (uint32_t i = 0; i < nodes * PER_NODE; i++) {
        char node[16];
        lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
        task.job = submit(s, 1, 1, (200 + (int64_t)i * 7919 % 100000) * MINUTE);
        task.start_us = 1;
        snprintf(node, sizeof node, "n%05u", (unsigned)(i / PER_NODE));
        task.node_name = lsched_cstr(node);
        must(lsched_tasks_import(s->c, &task, 1, sizeof task, NULL, NULL, &err));
    }
    for (uint32_t i = 0; i < waiting; i++) submit(s, 1, 2, 30 * MINUTE);
    s->now = MINUTE;
}

static uint64_t cycle(struct site *s) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = s->now;
    must(lsched_schedule(s->c, &opts, &plan, &err));
    must(lsched_plan_get(plan, &info, &err));
    lsched_plan_destroy(plan);
    return info.steps;
}

static lsched_id job_of(struct site *s, uint32_t number) {
    char name[16];
    snprintf(name, sizeof name, "j%06u", (unsigned)number);
    return lsched_find(s->c, LSCHED_KIND_JOB, lsched_cstr(name));
}

static void task_ended(struct site *s, uint32_t i) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_ENDED;
    e.job = job_of(s, i * 8);
    must(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
}

static void new_job(struct site *s, uint32_t i) {
    (void)i;
    submit(s, 2, 3, 10 * MINUTE);
}

static void later(struct site *s, uint32_t i) {
    (void)i;
    s->now += MINUTE;
    submit(s, 1, 2, 30 * MINUTE);
}

static const struct {
    const char *name;
    void (*run)(struct site *s, uint32_t i);
} events[] = {{"an ended task", task_ended}, {"a new job", new_job}, {"a later minute", later}};

/* Returns the most steps of a cycle after the event, when the first such event is past: it makes
 * the caches. */
static uint64_t steps_of(const char *policy, uint32_t event, uint32_t nodes, uint32_t waiting) {
    struct site s;
    uint64_t most = 0;
    make(&s, policy, nodes, waiting);
    cycle(&s);
    for (uint32_t i = 0; i < EVENTS; i++) {
        events[event].run(&s, i);
        uint64_t steps = cycle(&s);
        if (i > 0 && steps > most) most = steps;
    }
    lsched_cluster_destroy(s.c);
    return most;
}

static void test_an_event_costs_what_it_touches(void **state) {
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        for (uint32_t e = 0; e < sizeof events / sizeof *events; e++) {
            uint64_t base = steps_of(policies[p], e, NODES, WAITING),
                     nodes = steps_of(policies[p], e, 16 * NODES, WAITING),
                     jobs = steps_of(policies[p], e, NODES, 16 * WAITING);
            print_message("%s, %s: %llu steps, on 16 times the nodes %llu, with 16 times the jobs "
                          "%llu\n",
                          policies[p], events[e].name, (unsigned long long)base,
                          (unsigned long long)nodes, (unsigned long long)jobs);
            assert_true(nodes <= 2 * base + 64);
            assert_true(jobs <= 2 * base + 64);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_an_event_costs_what_it_touches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
