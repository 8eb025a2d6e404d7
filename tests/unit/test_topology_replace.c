/*
 * A node of a running gang is lost, on every tree of up to five leaves, for every required level
 * and every node: what was on it is placed again in the gang's domain if that has room for all of
 * it, else it waits; what runs elsewhere stays where it is, and the gang never leaves its domain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/tree_shapes.h"

enum { TASKS_MAX = 16, GONE = 255 };

struct gang {
    struct tree_world w;
    uint32_t capacity[TREE_LEAVES_MAX], room;
    uint32_t tasks, required;
    uint8_t leaf_of[TASKS_MAX]; /* GONE: placed nowhere */
};

static void must(int64_t rc, const lsched_error *err, const char *call) {
    if (rc >= 0) return;
    fprintf(stderr, "%s: %s\n", call, err->message);
    fail();
}

static int same_domain(const struct gang *g, uint32_t a, uint32_t b) {
    const struct tree_shape *s = g->w.shape;
    return memcmp(s->path[a], s->path[b], g->required + 1) == 0;
}

/* One cycle; what it places starts. */
static void cycle(struct gang *g) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = ++g->w.now_us;
    must(lsched_schedule(g->w.cluster, &opts, &plan, &err), &err, "schedule");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        assert_int_equal(d->kind, LSCHED_DECIDE_PLACE);
        assert_int_equal(g->leaf_of[d->task_index], GONE);
        g->leaf_of[d->task_index] = (uint8_t)d->node_tag;
        e.event = LSCHED_EVENT_STARTED;
        e.job = d->job;
        e.task_index = d->task_index;
        must(lsched_tasks_report(g->w.cluster, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
    }
    lsched_plan_destroy(plan);
}

static void submit(struct gang *g) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_group_desc group = tree_group(g->tasks);
    group.required_level = topology_map_level(g->required);
    job.name = LSCHED_TEXT("j");
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.stale_grace_us = LSCHED_NEVER_US; /* it may run below its minimum for ever */
    memset(g->leaf_of, GONE, sizeof g->leaf_of);
    must(lsched_jobs_submit(g->w.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err,
         "submit");
}

/* Lose a leaf; returns how many tasks were on it. */
static uint32_t lose(struct gang *g, uint32_t leaf) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t lost = 0;
    must(lsched_nodes_remove(g->w.cluster, &g->w.nodes[leaf], 1, NULL, NULL, &err), &err, "remove");
    for (uint32_t t = 0; t < g->tasks; t++) {
        if (g->leaf_of[t] != leaf) continue;
        g->leaf_of[t] = GONE;
        lost++;
    }
    return lost;
}

static void complain(const struct gang *g, uint32_t leaf, const char *what) {
    fprintf(stderr, "%s: %u tasks, required l%u, lost %s; rooms:", what, g->tasks, g->required,
            g->w.shape->path[leaf]);
    for (uint32_t i = 0; i < g->w.shape->leaves; i++)
        fprintf(stderr, "  %s %u", g->w.shape->path[i], g->capacity[i]);
    fprintf(stderr, "; tasks on:");
    for (uint32_t t = 0; t < g->tasks; t++)
        fprintf(stderr, " %s", g->leaf_of[t] == GONE ? "-" : g->w.shape->path[g->leaf_of[t]]);
    fprintf(stderr, "\n");
    fail();
}

/* Returns 0 if the gang never ran, or had nothing there. */
static int check_loss(struct gang *g, uint32_t leaf, uint32_t *replaced) {
    uint32_t left = 0, lost, waits = 0, first = 0;
    submit(g);
    cycle(g);
    if (g->leaf_of[0] == GONE) return 0;
    for (uint32_t i = 0; i < g->w.shape->leaves; i++)
        if (i != leaf && same_domain(g, i, g->leaf_of[0])) left += g->capacity[i];
    first = g->leaf_of[0];
    lost = lose(g, leaf);
    if (lost == 0) return 0;
    cycle(g);
    for (uint32_t t = 0; t < g->tasks; t++) {
        waits += g->leaf_of[t] == GONE;
        if (g->leaf_of[t] != GONE && lost < g->tasks && !same_domain(g, g->leaf_of[t], first))
            complain(g, leaf, "left its domain");
    }
    /* Where all of it was lost it may begin anywhere. */
    if (lost < g->tasks && waits != (left >= g->tasks ? 0 : lost))
        complain(g, leaf, waits ? "waits" : "placed where there is no room");
    *replaced += waits == 0;
    return 1;
}

static void check_shape(const struct tree_shape *shape, uint32_t number, uint32_t *losses,
                        uint32_t *replaced) {
    struct gang g;
    uint32_t digits = (number + 1) * 2654435761u;
    memset(&g, 0, sizeof g);
    for (uint32_t i = 0; i < shape->leaves; i++)
        g.room += g.capacity[i] = 1 + (digits >> (5 + 3 * i)) % 3;
    for (uint32_t leaf = 0; leaf < shape->leaves; leaf++)
        for (g.required = 0; g.required < shape->levels; g.required++)
            for (g.tasks = 1; g.tasks <= g.room; g.tasks++) {
                tree_world_make(&g.w, shape);
                tree_world_capacity(&g.w, g.capacity);
                *losses += (uint32_t)check_loss(&g, leaf, replaced);
                tree_world_drop(&g.w);
            }
}

static void all_trees(void **state) {
    static struct tree_shape shapes[TREE_SHAPES_MAX];
    uint32_t losses = 0, replaced = 0;
    (void)state;
    for (uint32_t leaves = 2; leaves <= 5; leaves++) {
        uint32_t n = tree_shapes_of(leaves, shapes);
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t c = 0; c < 3; c++) check_shape(&shapes[s], s * 3 + c, &losses, &replaced);
    }
    printf("%u losses, %u replaced at once\n", losses, replaced);
    assert_true(replaced > losses / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
