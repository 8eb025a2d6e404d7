/*
 * Who is stopped for a gang that must be in one domain: on every tree of up to five leaves, with work
 * on the leaves that may be stopped and work that may not, against brute force over all ways to seat
 * it. The gang gets its place if there is a way, in one domain, and nobody is stopped outside of that.
 * Of single tasks those who stop or move are the fewest possible. Slices are dealt out before anybody
 * is stopped, and may cost some more: that is counted and bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "support/tree_shapes.h"
#include "support/queue_update.h"

static const char policy[] =
    "return { api = 1, name = 'victims', fair_share = 'quota', pipeline = { 'allocate', 'preempt' } }";

struct leaf {
    uint32_t capacity, may_go, stays;
};

struct crowd {
    struct tree_world w;
    struct leaf leaves[TREE_LEAVES_MAX];
    uint32_t tasks, required, jobs;
    uint32_t slice, slice_level; /* slice 1: none */
};

struct tally {
    uint64_t gangs, possible, seated, victims, fewest;
};

static void must(int64_t rc, const lsched_error *err, const char *call) {
    if (rc >= 0) return;
    fprintf(stderr, "%s: %s\n", call, err->message);
    fail();
}

static int same_domain(const struct crowd *x, uint32_t a, uint32_t b, uint32_t level) {
    return memcmp(x->w.shape->path[a], x->w.shape->path[b], level + 1) == 0;
}

static int together(const struct crowd *x, uint32_t a, uint32_t b) {
    return same_domain(x, a, b, x->required);
}

static lsched_id submit(struct crowd *x, uint32_t tasks, uint32_t flags, int32_t priority) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_group_desc group = tree_group(tasks);
    char name[16];
    lsched_id id = 0;
    snprintf(name, sizeof name, "j%u", x->jobs++);
    const lsched_slice slice = {topology_map_level(x->slice_level), x->slice, 0};
    if (priority) group.required_level = topology_map_level(x->required);
    if (priority && x->slice > 1) {
        group.slices = &slice;
        group.n_slices = 1;
    }
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.flags = flags;
    job.priority = priority;
    job.groups = &group;
    job.n_groups = 1;
    must(lsched_jobs_submit(x->w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err), &err,
         "submit");
    return id;
}

static void run_on(struct crowd *x, uint32_t leaf, uint32_t n, uint32_t flags) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < n; i++) {
        lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
        task.job = submit(x, 1, flags, 0);
        task.node = x->w.nodes[leaf];
        must(lsched_tasks_import(x->w.cluster, &task, 1, sizeof task, NULL, NULL, &err), &err,
             "import");
    }
}

static void fill(struct crowd *x, const struct tree_shape *shape) {
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_amount quota = {LSCHED_CPU, 0, 1000000};
    uint32_t capacity[TREE_LEAVES_MAX];
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    tree_world_make(&x->w, shape);
    x->jobs = 0;
    for (uint32_t i = 0; i < shape->leaves; i++) capacity[i] = x->leaves[i].capacity;
    tree_world_capacity(&x->w, capacity);
    lsched_id q = lsched_find(x->w.cluster, LSCHED_KIND_QUEUE, LSCHED_TEXT("q"));
    queue.quota = &quota;
    queue.n_quota = 1;
    must(queue_update_all(x->w.cluster, q, &queue, &err), &err, "queues_update");
    must(lsched_policy_load(x->w.cluster, LSCHED_TEXT("victims"),
                            (lsched_text){policy, sizeof policy - 1}, NULL, &err),
         &err, "policy_load");
    for (uint32_t i = 0; i < shape->leaves; i++) {
        run_on(x, i, x->leaves[i].may_go, 0);
        run_on(x, i, x->leaves[i].stays, LSCHED_JOB_NON_PREEMPTIBLE);
    }
}

/* The next way to put tasks on leaves when all that may go has gone; 0 after the last. */
static int next_way(const struct crowd *x, uint32_t *on) {
    for (uint32_t i = 0; i < x->w.shape->leaves; i++) {
        if (on[i] < x->leaves[i].capacity - x->leaves[i].stays) {
            on[i]++;
            return 1;
        }
        on[i] = 0;
    }
    return 0;
}

/* In one domain, in whole slices. */
static int is_good(const struct crowd *x, const uint32_t *on) {
    uint32_t n = x->w.shape->leaves, in_one = 0, sum = 0;
    for (uint32_t a = 0; a < n; a++) {
        uint32_t here = 0, sliced = 0;
        sum += on[a];
        for (uint32_t b = 0; b < n; b++) {
            here += together(x, a, b) ? on[b] : 0;
            sliced += same_domain(x, a, b, x->slice_level) ? on[b] : 0;
        }
        in_one |= here == x->tasks;
        if (sliced % x->slice) return 0;
    }
    return in_one && sum == x->tasks;
}

/* How many must go at least; UINT32_MAX: there is no way. */
static uint32_t fewest_victims(const struct crowd *x) {
    uint32_t fewest = UINT32_MAX, on[TREE_LEAVES_MAX] = {0};
    while (next_way(x, on)) {
        uint32_t need = 0;
        if (!is_good(x, on)) continue;
        for (uint32_t i = 0; i < x->w.shape->leaves; i++) {
            const struct leaf *l = &x->leaves[i];
            uint32_t idle = l->capacity - l->may_go - l->stays;
            need += on[i] > idle ? on[i] - idle : 0;
        }
        if (need < fewest) fewest = need;
    }
    return fewest;
}

static void complain(const struct crowd *x, const char *what) {
    fprintf(stderr,
            "%s: %u tasks, required l%u, slices of %u in l%u; leaf capacity/may go/stays:", what,
            x->tasks, x->required, x->slice, x->slice_level);
    for (uint32_t i = 0; i < x->w.shape->leaves; i++)
        fprintf(stderr, "  %s %u/%u/%u", x->w.shape->path[i], x->leaves[i].capacity,
                x->leaves[i].may_go, x->leaves[i].stays);
    fprintf(stderr, "\n");
    fail();
}

static void check_plan(const struct crowd *x, const lsched_plan *plan, lsched_id gang,
                       struct tally *tally) {
    uint32_t seated = 0, victims = 0, at = TREE_LEAVES_MAX, fewest = fewest_victims(x);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->job != gang) continue;
        seated++;
        if (at == TREE_LEAVES_MAX) at = (uint32_t)d->node_tag;
        if (!together(x, at, (uint32_t)d->node_tag)) complain(x, "in two domains");
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind != LSCHED_DECIDE_EVICT && d->kind != LSCHED_DECIDE_MIGRATE) continue;
        victims++;
        if (at == TREE_LEAVES_MAX) complain(x, "stopped for nothing");
        if (!together(x, at, (uint32_t)d->node_tag)) complain(x, "stopped elsewhere");
    }
    tally->gangs++;
    tally->possible += fewest != UINT32_MAX;
    if (seated && (fewest == UINT32_MAX || seated != x->tasks)) complain(x, "does not fit");
    if (!seated) return;
    tally->seated++;
    tally->victims += victims;
    tally->fewest += fewest;
    if (fewest == 0 && victims) complain(x, "stopped though there is room");
}

static void check_gang(struct crowd *x, const struct tree_shape *shape, struct tally *tally) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    fill(x, shape);
    lsched_id gang = submit(x, x->tasks, 0, 10);
    opts.now_us = 1000000;
    must(lsched_schedule(x->w.cluster, &opts, &plan, &err), &err, "schedule");
    check_plan(x, plan, gang, tally);
    lsched_plan_destroy(plan);
    tree_world_drop(&x->w);
}

/* Leaves from the digits of a number: always the same. */
static uint32_t draw_leaves(struct crowd *x, uint32_t leaves, uint32_t number) {
    uint64_t digits = (number + 1) * 0x9e3779b97f4a7c15u;
    uint32_t room = 0;
    for (uint32_t i = 0; i < leaves; i++) {
        struct leaf *l = &x->leaves[i];
        digits = (digits ^ digits >> 29) * 0xbf58476d1ce4e5b9u;
        l->capacity = 1 + (uint32_t)(digits >> 40) % 3;
        l->may_go = (uint32_t)(digits >> 48) % (l->capacity + 1);
        l->stays = (uint32_t)(digits >> 56) % (l->capacity - l->may_go + 1);
        room += l->capacity;
    }
    return room;
}

static void check_crowds(uint32_t leaves_max, uint32_t slice, struct tally *tally) {
    static struct tree_shape shapes[TREE_SHAPES_MAX];
    for (uint32_t leaves = 1; leaves <= leaves_max; leaves++) {
        uint32_t n = tree_shapes_of(leaves, shapes);
        for (uint32_t s = 0; s < 6 * n; s++) {
            struct crowd x;
            memset(&x, 0, sizeof x);
            const struct tree_shape *shape = &shapes[s % n];
            uint32_t room = draw_leaves(&x, leaves, s + leaves * 1000);
            x.slice = slice;
            for (x.required = 0; x.required < shape->levels; x.required++)
                for (x.tasks = slice; x.tasks <= room; x.tasks += slice) {
                    x.slice_level = shape->levels - 1 - s % (shape->levels - x.required);
                    check_gang(&x, shape, tally);
                }
        }
    }
    printf("%llu gangs, %llu could get a place, %llu do; %llu tasks stop or move, %llu would do\n",
           (unsigned long long)tally->gangs, (unsigned long long)tally->possible,
           (unsigned long long)tally->seated, (unsigned long long)tally->victims,
           (unsigned long long)tally->fewest);
}

static void single_tasks(void **state) {
    struct tally tally = {0};
    (void)state;
    check_crowds(5, 1, &tally);
    assert_int_equal(tally.seated, tally.possible);
    assert_int_equal(tally.victims, tally.fewest);
}

static void slices_of_two(void **state) {
    struct tally tally = {0};
    (void)state;
    check_crowds(5, 2, &tally);
    assert_int_equal(tally.seated, tally.possible);
    assert_true(tally.victims * 100 <= tally.fewest * 110);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_tasks),
                                       cmocka_unit_test(slices_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
