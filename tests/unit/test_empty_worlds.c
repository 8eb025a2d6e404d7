/*
 * test_empty_worlds.c -- worlds in which something is missing: no nodes, no queues, no jobs, nodes
 * that left with their work. Every ready-made policy, and every action beside every order, plans
 * them without an error. Arrays of no elements have no address there, so the sanitizers see each
 * call that must not get NULL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/growth_world.h"

static const char *const pipelines[] = {
    "'allocate','reclaim','preempt','consolidate','drain'",
    "'reclaim','allocate'",
    "'preempt','allocate'",
    "'consolidate','allocate'",
    "'drain','evict-stale-gangs','evict-overdue','evict-idle','allocate'",
    "'ts-dpbp','allocate'",
    "'backfill'"};

static const char *const shares[] = {"quota", "drf", "fifo", "cohort", "fair-tree"};

enum world { NOTHING, NO_NODES, NO_QUEUES, NO_JOBS, NODES_LEFT, N_WORLDS };

/* An elastic job of GPUs, with a group of cores beside them. */
static void add_gpu_job(struct growth_world *w, const char *name, const char *queue,
                        int32_t priority) {
    lsched_amount gpu = {LSCHED_GPU, 0, 1000}, cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g[3] = {LSCHED_GROUP_DESC_INIT, LSCHED_GROUP_DESC_INIT,
                              LSCHED_GROUP_DESC_INIT};
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    g[1].name = LSCHED_TEXT("workers");
    g[1].request = &gpu;
    g[2].name = LSCHED_TEXT("leader");
    g[2].request = &cpu;
    g[1].n_request = g[2].n_request = 1;
    g[1].max_count = 4;
    g[1].min_count = g[2].max_count = g[2].min_count = 1;
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.priority = priority;
    d.groups = g;
    d.n_groups = 3;
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
}

static void add_jobs(struct growth_world *w) {
    add_gpu_job(w, "low", "guest", 0);
    add_gpu_job(w, "high", "guest", 5);
    add_gpu_job(w, "owner", "own", 0);
    growth_job(w, "one", "own", 1, 1, NULL);
    growth_job(w, "gang", "guest", 3, 1, NULL);
    growth_job(w, "apart", "own", 1, 1, "one");
    growth_user_job(w, "user", "guest");
}

static void add_queues(struct growth_world *w) {
    growth_tree_queue(w, "top", NULL, 4, -1);
    growth_tree_queue(w, "own", "top", 4, -1);
    growth_tree_queue(w, "guest", "top", 0, 8);
}

static void remove_nodes(struct growth_world *w, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lsched_id id = lsched_find(w->c, LSCHED_KIND_NODE, lsched_cstr(name));
        growth_must(w, lsched_nodes_remove(w->c, &id, 1, NULL, NULL, &w->err));
    }
}

static void build(struct growth_world *w, enum world kind) {
    if (kind == NO_JOBS || kind == NO_QUEUES || kind == NODES_LEFT) growth_nodes(w, 3, 2);
    if (kind == NO_NODES || kind == NO_JOBS || kind == NODES_LEFT) add_queues(w);
    if (kind == NO_NODES || kind == NODES_LEFT) add_jobs(w);
}

static void plan_some(struct growth_world *w) {
    for (int i = 0; i < 3; i++) {
        lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        opts.now_us = w->now_us += 40000000;
        opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
        opts.moves_max = 4;
        growth_must(w, lsched_schedule(w->c, &opts, &plan, &w->err));
        for (size_t k = 0; k < lsched_plan_waiting_size(plan); k++) {
            char text[2048];
            lsched_id job = lsched_plan_waiting_at(plan, k)->job;
            assert_true(lsched_explain(w->c, job, text, sizeof text, NULL, &w->err) >= 0);
        }
        lsched_plan_destroy(plan);
    }
    lsched_cluster *copy = NULL;
    growth_must(w, lsched_cluster_clone(w->c, &copy, &w->err));
    lsched_cluster_destroy(copy);
}

static void play(const char *name, const char *text, enum world kind) {
    struct growth_world w;
    growth_open(&w);
    growth_must(&w, lsched_policy_load(w.c, lsched_cstr(name),
                                       (lsched_text){text, text ? strlen(text) : 0}, NULL, &w.err));
    build(&w, kind);
    if (kind == NODES_LEFT) {
        growth_cycle(&w);
        remove_nodes(&w, 3);
    }
    plan_some(&w);
    lsched_cluster_destroy(w.c);
}

static void test_ready_made(void **state) {
    (void)state;
    lsched_ready_policy ready = {.size = sizeof ready};
    size_t n = 0;
    for (; lsched_ready_policies_at(n, &ready, NULL) == LSCHED_OK; n++)
        for (int kind = 0; kind < N_WORLDS; kind++) play(ready.name.ptr, NULL, (enum world)kind);
    assert_true(n > 0);
    assert_int_equal(n, lsched_ready_policies_size());
}

static void test_pipelines(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
            for (int kind = 0; kind < N_WORLDS; kind++) {
                char text[512];
                snprintf(text, sizeof text,
                         "return {api=1, name='p', fair_share='%s', pipeline={%s}}", shares[s],
                         pipelines[i]);
                play("p", text, (enum world)kind);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ready_made),
                                       cmocka_unit_test(test_pipelines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
