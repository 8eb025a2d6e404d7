/*
 * Moves that the host asks for though nobody waits, on random clusters that have become sparse: CPU and GPU nodes of several sizes, gangs,
 * work that may not move and work that may be disturbed once. Of two equal clusters one empties nodes one by one alone (consolidate_work 0).
 *   - every plan passes verification; never more moves than moves_max, and nothing but moves;
 *   - the number of nodes in use never grows, and by planning it is never larger than without, and smaller where the plans differ;
 *   - when the host has done as it was told, everything runs again, on no more nodes, and nobody waits.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/settle.h"

#define JOBS_MAX  40u
#define NODES_MAX 8u
#define TASKS_MAX (JOBS_MAX * 4)
#define MINUTE    INT64_C(60000000)
#define START     INT64_C(1700000000000000)

struct site {
    lsched_cluster *c;
    uint32_t n_nodes, n_jobs;
    int64_t now;
    lsched_id node[NODES_MAX], job[JOBS_MAX];
    int64_t cpu[NODES_MAX], need_cpu[JOBS_MAX];
    uint32_t gpus[NODES_MAX], need_gpus[JOBS_MAX], tasks[JOBS_MAX], flags[JOBS_MAX],
        disruptions[JOBS_MAX], ends[JOBS_MAX];
};

static uint64_t seed_now, first_seed, rounds;

static void draw(struct site *s, struct chance *r) {
    memset(s, 0, sizeof *s);
    s->now = START;
    s->n_nodes = 2 + chance_below(r, NODES_MAX - 1);
    s->n_jobs = 2 + chance_below(r, JOBS_MAX - 1);
    int of_gpus = chance_one_in(r, 2);
    uint32_t most = chance_one_in(r, 2) ? 3 : 6;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        s->cpu[i] = 1000 * chance_between(r, 7, 10);
        s->gpus[i] = of_gpus && !chance_one_in(r, 5) ? 4 + 4 * chance_below(r, 2) : 0;
    }
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        s->need_cpu[j] = of_gpus ? 500 : 1000 * (1 + (int64_t)chance_below(r, most));
        s->need_gpus[j] = of_gpus && !chance_one_in(r, 8) ? 1 + chance_below(r, most) : 0;
        s->tasks[j] = chance_one_in(r, 6) ? 2 + chance_below(r, 3) : 1;
        s->flags[j] = chance_one_in(r, 12) ? LSCHED_JOB_INTERACTIVE : 0;
        s->disruptions[j] = (uint32_t)chance_one_in(r, 6);
        s->ends[j] = chance_below(r, 2);
    }
}

static void add_nodes(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lsched_amount cpu = {LSCHED_CPU, 0, s->cpu[i]};
        lsched_device_desc devices = {.size = sizeof devices,
                                      .count = s->gpus[i],
                                      .model = LSCHED_TEXT("H100-80GB"),
                                      .memory_bytes = INT64_C(80) << 30};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.capacity = &cpu;
        node.n_capacity = 1;
        node.devices = &devices;
        node.n_devices = s->gpus[i] ? 1 : 0;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &s->node[i], NULL, &err));
    }
}

static void submit(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        char name[8];
        snprintf(name, sizeof name, "j%02u", j);
        lsched_amount request[] = {{LSCHED_CPU, 0, s->need_cpu[j]},
                                   {LSCHED_GPU, 0, 1000 * s->need_gpus[j]}};
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        group.min_count = s->tasks[j];
        group.max_count = s->tasks[j];
        group.request = request;
        group.n_request = s->need_gpus[j] ? 2 : 1;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        job.name = lsched_cstr(name);
        job.queue_name = LSCHED_TEXT("q");
        job.groups = &group;
        job.n_groups = 1;
        job.flags = s->flags[j];
        job.disruptions_max = s->disruptions[j];
        job.submit_us = START - MINUTE + j;
        OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &s->job[j], NULL, &err));
    }
}

static void make(struct site *s, double work) {
    lsched_error err = LSCHED_ERROR_INIT;
    static const char text[] =
        "return { api = 1, name = 'p', placement = 'spread', pipeline = { 'allocate', 'consolidate' "
        "},\n  params = { consolidate_work = 20000 } }";
    lsched_param param = {.key = LSCHED_TEXT("consolidate_work"), .number = work};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = &param;
    opts.n_params = 1;
    lsched_cluster_opts cluster = LSCHED_CLUSTER_OPTS_INIT;
    cluster.verify_every_plan = 1;
    OK(lsched_cluster_create(&cluster, &s->c, &err));
    cache_check_on(s->c);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), (lsched_text){text, sizeof text - 1}, &opts,
                          &err));
    add_nodes(s);
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = LSCHED_TEXT("q");
    lsched_id id;
    OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    submit(s);
}

static uint32_t tasks_in(const struct site *s, uint32_t states, lsched_task_info *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        while (n < TASKS_MAX && lsched_tasks_next(s->c, 0, s->node[i], &cursor, &t, NULL) == 1)
            if (states >> t.state & 1) out[n++] = t;
    }
    return n;
}

static void report(struct site *s, const lsched_task_info *t, uint32_t event) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = t->job;
    e.task_index = t->task_index;
    e.at_us = s->now;
    OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
}

/* Nodes with work that does not leave. */
static uint32_t nodes_in_use(const struct site *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        int stays = 0;
        while (lsched_tasks_next(s->c, 0, s->node[i], &cursor, &t, NULL) == 1)
            stays |= t.state != LSCHED_TASK_RELEASING;
        n += (uint32_t)stays;
    }
    return n;
}

/* One cycle; the host does as it is told. How many tasks move. */
static uint32_t cycle(struct site *s, uint32_t moves_max) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_task_info t[TASKS_MAX];
    lsched_plan *plan;
    uint32_t moves = 0;
    opts.now_us = s->now += MINUTE;
    opts.moves_max = moves_max;
    OK(lsched_schedule(s->c, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        moves += d->kind == LSCHED_DECIDE_MIGRATE;
        if (d->kind == LSCHED_DECIDE_EVICT)
            fail_msg("seed %llu: a task is stopped", (unsigned long long)seed_now);
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        if (d->kind != LSCHED_DECIDE_NOMINATE) OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
    }
    lsched_plan_destroy(plan);
    uint32_t n = tasks_in(s, 1u << LSCHED_TASK_CONFIRMED, t);
    for (uint32_t i = 0; i < n; i++) report(s, &t[i], LSCHED_EVENT_STARTED);
    return moves;
}

/* What was to stop has stopped, and starts where it goes. */
static void settle_down(struct site *s) {
    lsched_task_info t[TASKS_MAX];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t n = tasks_in(s, 1u << LSCHED_TASK_RELEASING, t);
        for (uint32_t j = 0; j < n; j++) report(s, &t[j], LSCHED_EVENT_FAILED);
        cycle(s, 0);
    }
}

static uint32_t running(const struct site *s) {
    lsched_task_info t[TASKS_MAX];
    return tasks_in(s, 1u << LSCHED_TASK_RUNNING, t);
}

/* What could start runs; then some jobs end, and those that wait are withdrawn: nobody waits. */
static void grow_sparse(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    cycle(s, 0);
    cycle(s, 0);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        int runs = 0;
        while (lsched_tasks_next(s->c, s->job[j], 0, &cursor, &t, NULL) == 1)
            runs |= t.state == LSCHED_TASK_RUNNING;
        if (!runs || s->ends[j]) OK(lsched_jobs_remove(s->c, &s->job[j], 1, NULL, NULL, &err));
    }
    settle_down(s);
}

struct tally {
    uint64_t moves, better, freed;
};

static void compare(struct chance *r, struct site *alone, struct site *planned, struct tally *all) {
    uint32_t moves_max = 1 + chance_below(r, 12);
    uint32_t before = nodes_in_use(alone), tasks = running(alone);
    assert_int_equal(before, nodes_in_use(planned));
    uint32_t one = cycle(alone, moves_max), both = cycle(planned, moves_max),
             by_one = nodes_in_use(alone), by_both = nodes_in_use(planned);
    if (one > moves_max || both > moves_max)
        fail_msg("seed %llu: %u and %u moves, %u allowed", (unsigned long long)seed_now, one, both,
                 moves_max);
    if (by_one > before || by_both > by_one || (both != one && by_both >= by_one))
        fail_msg("seed %llu: %u nodes in use; %u after %u moves, %u after %u planned ones",
                 (unsigned long long)seed_now, before, by_one, one, by_both, both);
    settle_down(planned);
    if (running(planned) != tasks || nodes_in_use(planned) > by_both)
        fail_msg("seed %llu: %u tasks ran on %u nodes, %u run on %u", (unsigned long long)seed_now,
                 tasks, by_both, running(planned), nodes_in_use(planned));
    all->moves += both;
    all->freed += before - by_both;
    all->better += by_both < by_one;
}

static void test_moves_free_nodes(void **state) {
    (void)state;
    struct tally all = {0};
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site alone, planned;
        draw(&alone, &r);
        planned = alone;
        make(&alone, 0);
        make(&planned, 20000);
        grow_sparse(&alone);
        grow_sparse(&planned);
        compare(&r, &alone, &planned, &all);
        lsched_cluster_destroy(alone.c);
        lsched_cluster_destroy(planned.c);
    }
    print_message("seeds %llu .. +%llu: %llu moves free %llu nodes, planning more %llu times\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)all.moves, (unsigned long long)all.freed,
                  (unsigned long long)all.better);
    if (rounds > 100) assert_true(all.better > 0);
}

int main(void) {
    first_seed = chance_variable("LSCHED_TEST_SEED", 1);
    rounds = chance_variable("LSCHED_TEST_ROUNDS", 300);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves_free_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
