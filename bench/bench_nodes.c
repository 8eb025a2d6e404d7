/*
 * bench_nodes.c -- what one change costs in a large cluster while 10 task shapes are in use: the
 * call that makes the change, and the next cycle, in which one job of each shape is placed. Beside
 * each figure, in the same run, is the cost if all caches are dropped before the cycle. Figures are
 * medians.
 *
 * The second part places 40,000 tasks of many task shapes. The baseline is the same with 10 task
 * shapes. The argument is the number of nodes.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"

#include "engine/state/cluster.h"

enum { SHAPES = 10, QUEUES = 8, ROUNDS = 9, TASKS = 40000 };

struct at {
    lsched_cluster *c;
    uint32_t size, nodes, jobs, round;
    int64_t now;
    lsched_id added;
};

/* ---- changes ---- */

static void change_nothing(struct at *a) {
    (void)a;
}

static void add_queue(struct at *a) {
    char name[32];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    snprintf(name, sizeof name, "more-%u", a->round++);
    q.name = lsched_cstr(name);
    bench_check(lsched_queues_add(a->c, &q, 1, sizeof q, NULL, &a->added, NULL, &err), &err,
                "queue");
}

static void remove_queue(struct at *a) {
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_queues_remove(a->c, &a->added, 1, NULL, NULL, &err), &err, "remove queue");
}

static void set_quota(struct at *a) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount quota = {LSCHED_GPU, 0, 1000 * (int64_t)(1 + a->round++ % 7)};
    lsched_queue_update q = LSCHED_QUEUE_UPDATE_INIT;
    q.set = LSCHED_QUEUE_SET_QUOTA;
    q.name = LSCHED_TEXT("queue-0");
    q.quota = &quota;
    q.n_quota = 1;
    bench_check(lsched_queues_update(a->c, &q, 1, sizeof q, NULL, NULL, &err), &err, "quota");
}

/* Submits n jobs of one task each, with one GPU and one of the given number of task shapes. */
static void submit_shapes(lsched_cluster *c, uint32_t n, uint32_t first_name, uint32_t shapes) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < n; i++) {
        char name[32], queue[32];
        uint32_t shape = i % shapes;
        lsched_amount request[3] = {
            {LSCHED_CPU, 0, 4000 + 40 * (int64_t)(shape % 100)},
            {LSCHED_MEMORY, 0, ((int64_t)32 << 30) + ((int64_t)(shape / 100) << 26)},
            {LSCHED_GPU, 0, 1000}};
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        snprintf(name, sizeof name, "job-%010u", first_name + i);
        snprintf(queue, sizeof queue, "queue-%u", i / shapes % QUEUES);
        group.request = request;
        group.n_request = 3;
        job.name = lsched_cstr(name);
        job.queue_name = lsched_cstr(queue);
        job.groups = &group;
        job.n_groups = 1;
        job.submit_us = first_name + i;
        bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err,
                    "submit");
    }
}

static void submit_as(struct at *a, const char *queue, const char *user) {
    char name[32];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request[3] = {
        {LSCHED_CPU, 0, 4000}, {LSCHED_MEMORY, 0, (int64_t)32 << 30}, {LSCHED_GPU, 0, 1000}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    snprintf(name, sizeof name, "of-user-%u", a->round++);
    group.request = request;
    group.n_request = 3;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queue);
    job.user = lsched_cstr(user);
    job.groups = &group;
    job.n_groups = 1;
    bench_check(lsched_jobs_submit(a->c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err,
                "submit");
}

static void new_user(struct at *a) {
    char user[32];
    snprintf(user, sizeof user, "user-%u", a->round);
    submit_as(a, "users", user);
}

static void known_user(struct at *a) {
    submit_as(a, "users", "ada");
}

static void add_node(struct at *a) {
    bench_add_nodes_from(a->c, a->nodes++, 1, 0);
}

static void update_node(struct at *a, lsched_node_update *u) {
    char name[32];
    lsched_error err = LSCHED_ERROR_INIT;
    snprintf(name, sizeof name, "node-%010u.cluster-a", a->nodes / 2 + a->round++);
    u->name = lsched_cstr(name);
    bench_check(lsched_nodes_update(a->c, u, 1, sizeof *u, NULL, NULL, &err), &err, "node");
}

static void cordon_node(struct at *a) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_CORDONED;
    update_node(a, &u);
}

static void label_node(struct at *a) {
    lsched_label label = {LSCHED_TEXT("pool"), LSCHED_TEXT("inference")};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.set = LSCHED_NODE_SET_LABELS;
    u.labels = &label;
    u.n_labels = 1;
    update_node(a, &u);
}

static void remove_node(struct at *a) {
    char name[32];
    lsched_error err = LSCHED_ERROR_INIT;
    snprintf(name, sizeof name, "node-%010u.cluster-a", --a->nodes);
    lsched_id id = lsched_find(a->c, LSCHED_KIND_NODE, lsched_cstr(name));
    bench_check(lsched_nodes_remove(a->c, &id, 1, NULL, NULL, &err), &err, "remove");
}

/* ---- measuring one change ---- */

/* Submits one job of each shape, makes the change, runs a cycle, and ends the jobs again. Returns
 * the thread CPU time of the change and the cycle. */
static double one_round(struct at *a, void (*change)(struct at *a), int cold, uint64_t *steps) {
    submit_shapes(a->c, SHAPES, a->jobs, SHAPES);
    a->jobs += SHAPES;
    double t0 = bench_seconds();
    change(a);
    double spent = bench_seconds() - t0;
    if (cold) cluster_drop_caches(a->c);
    t0 = bench_seconds();
    lsched_plan *plan = bench_schedule(a->c, ++a->now);
    spent += bench_seconds() - t0;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    *steps = info.steps;
    bench_report_placed(a->c, plan, LSCHED_EVENT_STARTED);
    bench_report_placed(a->c, plan, LSCHED_EVENT_ENDED);
    lsched_plan_destroy(plan);
    return spent;
}

static void show(struct at *a, const char *what, void (*before)(struct at *a),
                 void (*change)(struct at *a)) {
    double spent[2][ROUNDS], median[2];
    uint64_t steps[2] = {0};
    char name[48];
    for (int cold = 0; cold < 2; cold++) {
        for (int i = 0; i < ROUNDS; i++) {
            if (before) one_round(a, before, 0, &steps[cold]);
            spent[cold][i] = one_round(a, change, cold, &steps[cold]);
        }
        median[cold] = rows_median(spent[cold], ROUNDS) * 1e6;
    }
    snprintf(name, sizeof name, "%s.%u", what, a->size);
    rows_put(name, "us", median[0], "caches dropped", median[1]);
    snprintf(name, sizeof name, "%s_steps.%u", what, a->size);
    rows_put(name, "steps", (double)steps[0], "caches dropped", (double)steps[1]);
}

static void show_changes(uint32_t nodes) {
    struct at a = {.size = nodes, .nodes = nodes, .now = 1000000};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_desc users = LSCHED_QUEUE_DESC_INIT;
    bench_check(lsched_cluster_create(NULL, &a.c, &err), &err, "create");
    bench_add_nodes(a.c, nodes, 0);
    bench_add_queues(a.c, QUEUES);
    users.name = LSCHED_TEXT("users");
    users.flags = LSCHED_QUEUE_PER_USER;
    bench_check(lsched_queues_add(a.c, &users, 1, sizeof users, NULL, NULL, NULL, &err), &err,
                "users");
    submit_shapes(a.c, SHAPES, a.jobs, SHAPES); /* these jobs keep the shapes in use */
    a.jobs += SHAPES;
    lsched_plan_destroy(bench_schedule(a.c, a.now));
    rows_note("one change, %u nodes, %d shapes in use; the call and the next cycle", nodes, SHAPES);
    show(&a, "nothing", NULL, change_nothing);
    show(&a, "queue_added", NULL, add_queue);
    show(&a, "queue_removed", add_queue, remove_queue);
    show(&a, "quota_changed", NULL, set_quota);
    show(&a, "known_user", NULL, known_user);
    show(&a, "new_user", NULL, new_user);
    show(&a, "node_cordoned", NULL, cordon_node);
    show(&a, "node_relabelled", NULL, label_node);
    show(&a, "node_added", NULL, add_node);
    show(&a, "node_removed", add_node, remove_node);
    lsched_cluster_destroy(a.c);
}

/* ---- many shapes ---- */

static double rate(uint32_t nodes, uint32_t shapes) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_nodes(c, nodes, 0);
    bench_add_queues(c, QUEUES);
    submit_shapes(c, TASKS, 0, shapes);
    double t0 = bench_seconds();
    lsched_plan *plan = bench_schedule(c, 1000000);
    double spent = bench_seconds() - t0, rate = (double)lsched_plan_size(plan) / spent;
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
    return rate;
}

static void show_shapes(uint32_t nodes) {
    static const uint32_t shapes[] = {100, 1000, 10000};
    double few = rate(nodes, SHAPES);
    for (int i = 0; i < 3; i++) {
        char name[48];
        snprintf(name, sizeof name, "shapes_%u.%u", shapes[i], nodes);
        rows_put(name, "decisions/s", rate(nodes, shapes[i]), "10 shapes", few);
    }
}

int main(int argc, char **argv) {
    argc = rows_open("nodes", argc, argv);
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20000;
    show_changes(most / 10);
    show_changes(most);
    rows_note("%d tasks at once", TASKS);
    show_shapes(5000);
    show_shapes(most);
    return 0;
}
