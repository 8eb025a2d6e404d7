/*
 * Gaps before reservations, for jobs that no plan can describe. Random jobs come to a cluster under
 * the action backfill: plain ones, which get reservations, and ones with at most one task on a
 * node, of a few shapes and many lengths, so that many wait in one bundle. After each cycle no job
 * of the second sort waits behind planned starts although a node has room for it and it ends before
 * the first planned start of any job: it would delay nothing there.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/report_all.h"
#include "support/settle.h"

enum { NODES = 4, JOBS = 40, STEPS = 80, ROUNDS = 150 };
#define HOUR  INT64_C(3600000000)
#define START INT64_C(1700000000000000)
#define NEVER LSCHED_NEVER_US

struct work {
    char name[16];
    lsched_id id;
    int64_t cores, length, submit, end;
    int is_plain, is_done;
};

struct world {
    struct chance chance;
    lsched_cluster *c;
    lsched_id node[NODES];
    struct work job[JOBS];
    uint32_t n_jobs, arrived;
    int64_t now;
};

static uint64_t seed_now, started, planned, behind;

static void make(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    char policy[200];
    snprintf(policy, sizeof policy,
             "return { api = 1, name = 'p', order = 'fifo', pipeline = { 'backfill' }, params = { "
             "backfill_reservations = %u } }",
             (unsigned)chance_below(&w->chance, 3));
    opts.verify_every_plan = 1;
    queue.name = LSCHED_TEXT("q");
    OK(lsched_cluster_create(&opts, &w->c, &err));
    OK(lsched_policy_load(w->c, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &err));
    OK(lsched_queues_add(w->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)n);
        lsched_amount cores = {LSCHED_CPU, 0, 1000 * (4 + (int64_t)n % 2 * 4)};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.capacity = &cores;
        node.n_capacity = 1;
        OK(lsched_nodes_add(w->c, &node, 1, sizeof node, NULL, &w->node[n], NULL, &err));
    }
}

static void draw(struct world *w) {
    struct chance *r = &w->chance;
    int64_t at = START;
    w->n_jobs = 12 + chance_below(r, JOBS - 12);
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        struct work *v = &w->job[j];
        at += chance_one_in(r, 2) ? 0 : chance_between(r, 0, HOUR / 4);
        snprintf(v->name, sizeof v->name, "j%02u", (unsigned)j);
        v->is_plain = chance_one_in(r, 3);
        v->cores = v->is_plain ? 3 + chance_below(r, 6) : 1 + chance_below(r, 2);
        v->length = chance_between(r, 1, 24) * HOUR / 8;
        v->submit = at;
        v->end = NEVER;
    }
}

static void arrive(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (; w->arrived < w->n_jobs && w->job[w->arrived].submit <= w->now; w->arrived++) {
        struct work *v = &w->job[w->arrived];
        lsched_amount cores = {LSCHED_CPU, 0, 1000 * v->cores};
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        group.request = &cores;
        group.n_request = 1;
        group.max_tasks_per_node = v->is_plain ? 0 : 1;
        job.name = lsched_cstr(v->name);
        job.queue_name = LSCHED_TEXT("q");
        job.groups = &group;
        job.n_groups = 1;
        job.submit_us = w->now;
        job.duration_us = v->length;
        OK(lsched_jobs_submit(w->c, &job, 1, sizeof job, NULL, &v->id, NULL, &err));
    }
}

static void cycle(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    opts.now_us = w->now;
    OK(lsched_schedule(w->c, &opts, &plan, &err));
    for (size_t d = 0; d < lsched_plan_size(plan); d++) {
        const lsched_decision *a = lsched_plan_at(plan, d);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        uint32_t j = 0;
        while (w->job[j].id != a->job) j++;
        struct work *v = &w->job[j];
        OK(settle_each(w->c, &a->id, &how, 1, NULL, &err));
        OK(report_all(w->c, v->id, 1, LSCHED_EVENT_STARTED, w->now, &err));
        v->end = w->now + v->length;
        if (chance_one_in(&w->chance, 4)) v->end = w->now + 1 + v->length / 2;
        started++;
    }
    lsched_plan_destroy(plan);
}

static int has_room(const struct world *w, int64_t cores) {
    lsched_error err = LSCHED_ERROR_INIT;
    int fits = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        lsched_node_info info = {.size = sizeof info};
        OK(lsched_node_get(w->c, w->node[n], &info, &err));
        fits |= info.cpu_free_milli >= 1000 * cores;
    }
    return fits;
}

static void check(const struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting why[JOBS];
    int64_t first = NEVER;
    for (uint32_t j = 0; j < w->arrived; j++) {
        why[j] = (lsched_waiting){.size = sizeof why[j]};
        if (w->job[j].end != NEVER) continue;
        OK(lsched_waiting_get(w->c, w->job[j].id, &why[j], &err));
        if (why[j].plan_node && why[j].until_us < first) first = why[j].until_us;
        planned += why[j].plan_node != 0;
    }
    for (uint32_t j = 0; j < w->arrived; j++) {
        const struct work *v = &w->job[j];
        if (v->end != NEVER || v->is_plain || why[j].code != LSCHED_WAIT_PLANNED) continue;
        behind++;
        if (v->length <= first - w->now && has_room(w, v->cores))
            fail_msg("seed %llu, at +%lld s: %s waits behind planned starts, the first of which it "
                     "does not reach",
                     (unsigned long long)seed_now, (long long)((w->now - START) / 1000000),
                     v->name);
    }
}

static void end_runs(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < w->arrived; j++) {
        struct work *v = &w->job[j];
        if (v->is_done || v->end > w->now) continue;
        OK(report_all(w->c, v->id, 1, LSCHED_EVENT_ENDED, w->now, &err));
        v->is_done = 1;
    }
}

static int64_t next_time(const struct world *w) {
    int64_t next = w->arrived < w->n_jobs ? w->job[w->arrived].submit : NEVER;
    int64_t wake = lsched_next_wake(w->c);
    if (wake < next) next = wake;
    for (uint32_t j = 0; j < w->arrived; j++)
        if (!w->job[j].is_done && w->job[j].end < next) next = w->job[j].end;
    return next > w->now ? next : w->now + 1;
}

static void test_no_gap_stays_empty(void **state) {
    uint32_t rounds = chance_rounds(ROUNDS);
    (void)state;
    for (uint32_t i = 0; i < rounds; i++) {
        static struct world w;
        memset(&w, 0, sizeof w);
        w.chance = (struct chance){seed_now = chance_seed(9300) + i};
        w.now = START;
        make(&w);
        draw(&w);
        for (uint32_t step = 0; step < STEPS && w.now < NEVER; step++) {
            end_runs(&w);
            arrive(&w);
            cycle(&w);
            check(&w);
            w.now = next_time(&w);
        }
        lsched_cluster_destroy(w.c);
    }
    print_message("%u rounds: %llu tasks started, %llu planned starts, %llu waits behind them\n",
                  (unsigned)rounds, (unsigned long long)started, (unsigned long long)planned,
                  (unsigned long long)behind);
    assert_true(chance_enough(started, 2000, ROUNDS) && chance_enough(behind, 500, ROUNDS));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_gap_stays_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
