/*
 * Plans over time beside jobs that cannot start. Two equal random clusters get the same jobs and
 * the same events. One of them also gets strangers: jobs that ask for an exclusive level, or that
 * want to be apart from others, and that cannot start, because their queue has a limit of 0 or no
 * node is as large. They come and go. Such a job does nothing, so in both clusters each cycle must
 * make the same decisions, and each other job must wait for the same planned start, on the same
 * node, firm until the same time.
 *
 * In a quarter of the rounds the strangers have no such rules, and no node is as large: the test
 * itself must find no difference there. A plain job that only a limit keeps out is in line with the
 * others, which can change what is firm.
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

#include "engine/state/cluster.h"
#include "model/jobs/bundle.h"
#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/report_all.h"
#include "support/settle.h"

enum { NODES = 6, JOBS = 24, STRANGERS = 8, STEPS = 60, ROUNDS = 120 };
#define HOUR  INT64_C(3600000000)
#define START INT64_C(1700000000000000)
#define NEVER LSCHED_NEVER_US

/* A job of both clusters; id and end by cluster. */
struct work {
    char name[16];
    lsched_id id[2];
    uint32_t tasks, done;
    int64_t cores, length, limit, submit, end;
};

struct worlds {
    struct chance chance;
    lsched_cluster *c[2];
    struct work job[JOBS];
    lsched_id stranger[STRANGERS], node[2][NODES];
    int is_there[STRANGERS], rules; /* rules: the strangers have rules about jobs */
    uint32_t n_jobs, arrived;
    int64_t now;
};

static uint64_t seed_now, planned, firm, started, came;

/* ---- the clusters ---- */

static void make(struct worlds *w, uint32_t i, const char *policy) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_text level = LSCHED_TEXT("rack");
    lsched_topology_desc racks = {.size = sizeof racks, .n_levels = 1};
    lsched_amount none = {LSCHED_CPU, 0, 0};
    racks.name = LSCHED_TEXT("net");
    racks.levels = &level;
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    opts.verify_every_plan = 1;
    queues[0].name = LSCHED_TEXT("q");
    queues[1].name = LSCHED_TEXT("shut");
    queues[1].limit = &none;
    queues[1].n_limit = 1;
    OK(lsched_cluster_create(&opts, &w->c[i], &err));
    OK(lsched_topologies_add(w->c[i], &racks, 1, sizeof racks, NULL, NULL, NULL, &err));
    OK(lsched_policy_load(w->c[i], LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &err));
    OK(lsched_queues_add(w->c[i], queues, 2, sizeof *queues, NULL, NULL, NULL, &err));
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)n);
        lsched_label rack = {LSCHED_TEXT("rack"), n % 2 ? LSCHED_TEXT("b") : LSCHED_TEXT("a")};
        lsched_amount cores = {LSCHED_CPU, 0, 1000 * (2 + (int64_t)n % 3)};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.labels = &rack;
        node.n_labels = 1;
        node.capacity = &cores;
        node.n_capacity = 1;
        OK(lsched_nodes_add(w->c[i], &node, 1, sizeof node, NULL, &w->node[i][n], NULL, &err));
    }
}

static void draw(struct worlds *w) {
    struct chance *r = &w->chance;
    int64_t at = START;
    char policy[300];
    const char *action = chance_one_in(r, 3) ? "ts-dpbp" : "backfill";
    uint32_t reservations = chance_below(r, 3), is_firm = chance_below(r, 3);
    snprintf(policy, sizeof policy,
             "return { api = 1, name = 'p', order = 'priority', fair_share = 'fifo', pipeline = { "
             "'%s' }, params = { backfill_reservations = %u, backfill_firm = %u, backfill_order = "
             "%u } }",
             action, (unsigned)reservations, (unsigned)is_firm, (unsigned)chance_below(r, 3));
    for (uint32_t i = 0; i < 2; i++) make(w, i, policy);
    w->n_jobs = 8 + chance_below(r, JOBS - 8);
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        struct work *v = &w->job[j];
        at += chance_one_in(r, 2) ? 0 : chance_between(r, 0, HOUR / 2);
        snprintf(v->name, sizeof v->name, "j%02u", (unsigned)(j * 37 % 100));
        v->tasks = chance_one_in(r, 3) ? 1 + chance_below(r, 4) : 1;
        v->cores = 1 + chance_below(r, 4);
        v->length = chance_one_in(r, 20) ? 0 : chance_between(r, 1, 20) * HOUR / 8;
        v->limit = chance_one_in(r, 2) ? v->length : 0;
        v->submit = at;
        v->end = NEVER;
    }
}

static void submit(struct worlds *w, uint32_t i, const char *name, const char *queue,
                   lsched_group_desc *group, const struct work *v, lsched_id *id) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_label label = {LSCHED_TEXT("app"), LSCHED_TEXT("web")};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queue);
    job.groups = group;
    job.n_groups = 1;
    job.submit_us = w->now;
    job.labels = &label;
    job.n_labels = 1;
    job.duration_us = v ? v->length : 0;
    job.time_limit_us = v ? v->limit : 0;
    if (!v)
        job.priority = -1; /* the last one in line, so that its turn builds no plan for others */
    OK(lsched_jobs_submit(w->c[i], &job, 1, sizeof job, NULL, id, NULL, &err));
}

/* ---- strangers ---- */

static void add_stranger(struct worlds *w, uint32_t s) {
    struct chance *r = &w->chance;
    lsched_label web = {LSCHED_TEXT("app"), LSCHED_TEXT("web")};
    lsched_job_affinity apart = {.labels = &web, .n_labels = 1, .apart = 1};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    uint32_t rule = chance_below(r, 3);
    int large = !w->rules || chance_one_in(r, 2);
    lsched_amount cores = {LSCHED_CPU, 0, large ? 99000 : 1000};
    char name[16];
    snprintf(name, sizeof name, "x%u", (unsigned)s);
    group.request = &cores;
    group.n_request = 1;
    if (w->rules && rule == 0) group.exclusive_level = LSCHED_TEXT("node");
    if (w->rules && rule == 1) group.exclusive_level = LSCHED_TEXT("rack");
    if (w->rules && rule == 2) {
        if (chance_one_in(r, 2)) apart.level = LSCHED_TEXT("rack");
        group.job_affinities = &apart;
        group.n_job_affinities = 1;
    }
    submit(w, 1, name, large ? "q" : "shut", &group, NULL, &w->stranger[s]);
    w->is_there[s] = 1;
    came++;
}

static void meddle(struct worlds *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t s = chance_below(&w->chance, STRANGERS);
    if (!w->is_there[s]) {
        add_stranger(w, s);
        return;
    }
    OK(lsched_jobs_remove(w->c[1], &w->stranger[s], 1, NULL, NULL, &err));
    w->is_there[s] = 0;
}

/* ---- cycles ---- */

static void differs(const struct worlds *w, const char *what, const char *name) {
    fail_msg("seed %llu, at +%lld s: %s%s is another beside jobs that cannot start",
             (unsigned long long)seed_now, (long long)((w->now - START) / 1000000), what, name);
}

/* The number of the node in its cluster, NODES for none. */
static uint32_t node_of(const struct worlds *w, uint32_t i, lsched_id node) {
    uint32_t n = 0;
    while (n < NODES && w->node[i][n] != node) n++;
    return n;
}

static void compare_waits(struct worlds *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < w->arrived; j++) {
        struct work *v = &w->job[j];
        lsched_waiting why[2];
        if (v->done || v->end != NEVER) continue;
        for (uint32_t i = 0; i < 2; i++) {
            why[i] = (lsched_waiting){.size = sizeof why[i]};
            OK(lsched_waiting_get(w->c[i], v->id[i], &why[i], &err));
        }
        planned += why[0].code == LSCHED_WAIT_PLANNED;
        firm += why[0].firm_us != NEVER;
        /* a job without a planned start has the reason of its latest try */
        if ((why[0].plan_node || why[1].plan_node) && why[0].until_us != why[1].until_us)
            differs(w, "the wait of ", v->name);
        if (why[0].firm_us != why[1].firm_us) differs(w, "the firm start of ", v->name);
        if (node_of(w, 0, why[0].plan_node) != node_of(w, 1, why[1].plan_node))
            differs(w, "the planned node of ", v->name);
    }
}

static struct work *job_of(struct worlds *w, uint32_t i, lsched_id id) {
    uint32_t j = 0;
    while (j < w->arrived && w->job[j].id[i] != id) j++;
    if (j == w->arrived) differs(w, "a decision", "");
    return &w->job[j];
}

/* Lets the cluster plan anew in a cycle in which only the other one has a reason to. */
static void wake_planned(lsched_cluster *c) {
    struct columns *k = &c->k;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++)
        if (row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED &&
            k->c[C_BUNDLE_LIST].u8[b] == PARKED_PLAN)
            bundle_wake(k, b);
}

static void cycle(struct worlds *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan[2];
    opts.now_us = w->now;
    for (uint32_t i = 0; i < 2; i++) wake_planned(w->c[i]);
    for (uint32_t i = 0; i < 2; i++) OK(lsched_schedule(w->c[i], &opts, &plan[i], &err));
    if (lsched_plan_size(plan[0]) != lsched_plan_size(plan[1]))
        differs(w, "the number of decisions", "");
    for (size_t d = 0; d < lsched_plan_size(plan[0]); d++) {
        const lsched_decision *a = lsched_plan_at(plan[0], d), *b = lsched_plan_at(plan[1], d);
        struct work *v = job_of(w, 0, a->job);
        if (v != job_of(w, 1, b->job) || a->task_index != b->task_index ||
            node_of(w, 0, a->node) != node_of(w, 1, b->node))
            differs(w, "a decision", "");
        v->end = w->now + (v->length ? v->length : HOUR);
        if (chance_one_in(&w->chance, 2)) v->end = w->now + 1 + (v->end - w->now) / 2;
        started++;
    }
    for (uint32_t i = 0; i < 2; i++) {
        for (size_t d = 0; d < lsched_plan_size(plan[i]); d++) {
            lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
            OK(settle_each(w->c[i], &lsched_plan_at(plan[i], d)->id, &how, 1, NULL, &err));
        }
        for (uint32_t j = 0; j < w->arrived; j++) {
            lsched_job_info info = {.size = sizeof info};
            if (w->job[j].done || w->job[j].end == NEVER) continue;
            OK(lsched_job_get(w->c[i], w->job[j].id[i], &info, &err));
            if (info.tasks_running == 0)
                OK(report_all(w->c[i], w->job[j].id[i], w->job[j].tasks, LSCHED_EVENT_STARTED,
                              w->now, &err));
        }
        lsched_plan_destroy(plan[i]);
    }
}

static void end_runs(struct worlds *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < w->arrived; j++) {
        struct work *v = &w->job[j];
        if (v->done || v->end > w->now) continue;
        for (uint32_t i = 0; i < 2; i++)
            OK(report_all(w->c[i], v->id[i], v->tasks, LSCHED_EVENT_ENDED, w->now, &err));
        v->done = 1;
    }
}

static int64_t next_time(const struct worlds *w) {
    int64_t next = w->arrived < w->n_jobs ? w->job[w->arrived].submit : NEVER;
    int64_t wake = lsched_next_wake(w->c[0]);
    if (wake < next) next = wake;
    for (uint32_t j = 0; j < w->arrived; j++)
        if (!w->job[j].done && w->job[j].end < next) next = w->job[j].end;
    return next > w->now ? next : w->now + 1;
}

static void play(struct worlds *w) {
    w->now = START;
    for (uint32_t step = 0; step < STEPS && w->now < NEVER; step++) {
        end_runs(w);
        for (; w->arrived < w->n_jobs && w->job[w->arrived].submit <= w->now; w->arrived++) {
            struct work *v = &w->job[w->arrived];
            lsched_amount cores = {LSCHED_CPU, 0, 1000 * v->cores};
            lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
            group.max_count = v->tasks;
            group.request = &cores;
            group.n_request = 1;
            for (uint32_t i = 0; i < 2; i++) submit(w, i, v->name, "q", &group, v, &v->id[i]);
        }
        if (chance_one_in(&w->chance, 2)) meddle(w);
        cycle(w);
        compare_waits(w);
        w->now = next_time(w);
    }
}

static void test_strangers_change_nothing(void **state) {
    uint32_t rounds = chance_rounds(ROUNDS);
    (void)state;
    for (uint32_t i = 0; i < rounds; i++) {
        static struct worlds w;
        memset(&w, 0, sizeof w);
        w.chance = (struct chance){seed_now = chance_seed(6100) + i};
        w.rules = (seed_now & 3) != 0;
        draw(&w);
        play(&w);
        for (uint32_t c = 0; c < 2; c++) lsched_cluster_destroy(w.c[c]);
    }
    print_message("%u rounds: %llu strangers, %llu tasks started, %llu waits with a planned start, "
                  "%llu with a firm one\n",
                  (unsigned)rounds, (unsigned long long)came, (unsigned long long)started,
                  (unsigned long long)planned, (unsigned long long)firm);
    assert_true(chance_enough(came, 700, ROUNDS) && chance_enough(started, 1900, ROUNDS) &&
                chance_enough(planned, 3600, ROUNDS) && chance_enough(firm, 350, ROUNDS));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strangers_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
