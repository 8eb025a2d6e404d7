/*
 * test_idle_demand_random.c -- jobs that cannot start pull no work from others: jobs that the
 * orchestrator holds, and jobs of which too few tasks exist, change no decision about another job.
 *
 * A random world with queues that take work from each other runs some cycles. Before each cycle, two
 * clones are made, and one of them gets up to 20 such jobs, of any size, priority and queue. The
 * next three plans of the clones have equal decisions. In between, all decisions are confirmed.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed under each share.
 */
#include "property/evict_world.h"

#include <stdlib.h>

#define CYCLES 3u

static struct { uint64_t worlds, compared, decisions, evictions, idle; } all;

/* ---- jobs that cannot start ---- */

static void hold(struct ev_world *w, lsched_cluster *c, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    h.job = job;
    ev_must(w, lsched_jobs_hold(c, &h, 1, sizeof h, NULL, NULL, &err), &err);
}

/* Submits a job to a clone that is held, or of which too few tasks exist. */
static void add_idle_job(struct ev_world *w, struct chance *c, lsched_cluster *to,
                         uint32_t number) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request = {LSCHED_GPU, 0, 1000 * chance_between(c, 1, EV_GPUS)};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc desc = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    char name[24];
    int held = chance_one_in(c, 2);
    snprintf(name, sizeof name, "%s%u", chance_one_in(c, 2) ? "a-idle" : "z-idle", number);
    group.max_count = held ? 1 + chance_below(c, 30) : 2 + chance_below(c, 30);
    group.min_count = held ? 0 : 2 + chance_below(c, group.max_count - 1);
    if (!held) group.members = 1 + chance_below(c, group.min_count - 1);
    group.request = &request;
    group.n_request = 1;
    desc.name = lsched_cstr(name);
    desc.queue = w->queue[ev_random_leaf(w)].id;
    desc.priority = (int32_t)chance_below(c, 4);
    desc.groups = &group;
    desc.n_groups = 1;
    ev_must(w, lsched_jobs_submit(to, &desc, 1, sizeof desc, NULL, &id, NULL, &err), &err);
    if (held) hold(w, to, id);
    all.idle++;
}

/* ---- comparison ---- */

static void expect_equal(struct ev_world *w, const lsched_plan *a, const lsched_plan *b) {
    size_t n = lsched_plan_size(a);
    if (lsched_plan_size(b) != n) {
        ev_print(w, a);
        ev_print(w, b);
    }
    EV_CHECK(w, lsched_plan_size(b) == n, "%zu decisions; with jobs that cannot start %zu", n,
             lsched_plan_size(b));
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(a, i), *e = lsched_plan_at(b, i);
        EV_CHECK(w,
                 d->kind == e->kind && d->job == e->job && d->task_index == e->task_index &&
                     d->node == e->node && d->to_node == e->to_node &&
                     d->device_mask == e->device_mask && d->for_job == e->for_job &&
                     d->reason == e->reason && d->at_us == e->at_us && d->cost == e->cost,
                 "decision %zu differs: kind %u of task %u, and %u of %u", i, d->kind,
                 d->task_index, e->kind, e->task_index);
        all.evictions += d->kind == LSCHED_DECIDE_EVICT;
    }
    all.decisions += n;
    all.compared++;
}

static void confirm(struct ev_world *w, lsched_cluster *c, const lsched_plan *plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        lsched_id id = lsched_plan_at(plan, i)->id;
        lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
        ev_must(w, settle_each(c, &id, &confirmed, 1, NULL, &err), &err);
    }
}

static void compare(struct ev_world *w, struct chance *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *clone[2] = {NULL, NULL};
    int64_t now = w->now_us;
    for (int i = 0; i < 2; i++) ev_must(w, lsched_cluster_clone(w->c, &clone[i], &err), &err);
    for (uint32_t n = 1 + chance_below(c, 20); n > 0; n--) add_idle_job(w, c, clone[1], n);
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        lsched_plan *plan[2];
        for (int i = 0; i < 2; i++) plan[i] = ev_cycle(w, clone[i]);
        expect_equal(w, plan[0], plan[1]);
        for (int i = 0; i < 2; i++) {
            confirm(w, clone[i], plan[i]);
            lsched_plan_destroy(plan[i]);
        }
        w->now_us += INT64_C(60000000);
    }
    w->now_us = now;
    for (int i = 0; i < 2; i++) lsched_cluster_destroy(clone[i]);
}

/* ---- worlds ---- */

static void run_world(uint64_t seed, const char *share) {
    struct ev_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    struct chance c = {seed ^ 0x1d1e};
    struct ev_options o = {.limits = chance_one_in(&c, 4),
                           .firm = chance_one_in(&c, 4),
                           .scarce = chance_one_in(&c, 3),
                           .lend = chance_one_in(&c, 5),
                           .zero_quota = chance_one_in(&c, 8)};
    ev_begin(w, seed, o);
    ev_policy(w, share, EV_PIPELINE, "");
    for (uint32_t batches = 2 + chance_below(&c, 4); batches > 0; batches--) {
        w->step++;
        for (uint32_t n = 4 + chance_below(&w->chance, 10); n > 0; n--) ev_random_job(w);
        w->now_us += INT64_C(60000000);
        compare(w, &c);
        lsched_plan *plan = ev_cycle(w, w->c);
        ev_settle_all(w, plan, LSCHED_OUTCOME_CONFIRMED);
        lsched_plan_destroy(plan);
        ev_obey(w);
    }
    all.worlds++;
    ev_end(w);
    free(w);
}

static void run_worlds(uint64_t first, const char *share) {
    uint64_t seed = chance_seed(first), n = chance_rounds(60);
    memset(&all, 0, sizeof all);
    for (uint64_t i = 0; i < n; i++) run_world(seed + i, share);
    print_message(
        "%s: seeds %llu .. +%llu: %llu plans compared, with %llu decisions, of which %llu "
        "evictions; %llu jobs that cannot start\n",
        share, (unsigned long long)seed, (unsigned long long)n, (unsigned long long)all.compared,
        (unsigned long long)all.decisions, (unsigned long long)all.evictions,
        (unsigned long long)all.idle);
    if (n >= 60) assert_true(all.decisions > 100 && all.idle > 100);
}

static void guarantees(void **state) {
    (void)state;
    run_worlds(1, "quota");
}

static void cohorts(void **state) {
    (void)state;
    run_worlds(100001, "cohort");
}

static void dominant_shares(void **state) {
    (void)state;
    run_worlds(200001, "drf");
}

static void fair_trees(void **state) {
    (void)state;
    run_worlds(300001, "fair-tree");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(guarantees), cmocka_unit_test(cohorts),
                                       cmocka_unit_test(dominant_shares),
                                       cmocka_unit_test(fair_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
