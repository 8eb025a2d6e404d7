/* A cycle that the budget stops while it gives jobs new starts that lost their firm starts
 * (firm_plans.h) promises nothing that contradicts a firm start which stands. What always holds:
 * while nothing happens, no cycle takes a start that a cycle before it made firm.
 *
 * Each world has a node with work that time limits end, beside work that can outlast its estimate,
 * and jobs that wait for it. Many more jobs wait for another node, so that a question about firm
 * starts costs whole work units. One cycle makes all starts firm. Then the time limit of running
 * work grows, so that starts are lost, and cycles with small budgets follow. LSCHED_TEST_SEED and
 * LSCHED_TEST_ROUNDS=1 replay one seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/changes.h>
#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "property/chance.h"

enum { CORES = 48, JOBS_MOST = 6, FILL = 300, CYCLES_MOST = 40, BUDGET_MOST = 12, WORLDS = 60 };
#define MINUTE INT64_C(60000000)

/* A job that waits for the node n. firm: its start if that is firm, else LSCHED_NEVER_US. lost: 1 if
 * the job has lost a firm start. */
struct wait {
    lsched_id id;
    int64_t cores, length, firm;
    int lost;
};

struct world {
    lsched_cluster *c;
    lsched_id grows;
    struct wait job[JOBS_MOST];
    uint32_t n, licence, names;
    uint64_t cursor, seed;
};

static lsched_error err = LSCHED_ERROR_INIT;
static uint64_t first_seed, rounds, stopped, losses;

static void must(int64_t code) {
    if (code < 0) print_message("%lld %s\n", (long long)code, err.message);
    assert_true(code >= 0);
}

static lsched_id submit(struct world *w, uint32_t kind, int64_t amount, int64_t length,
                        int64_t limit) {
    char name[16];
    lsched_amount a = {kind, 0, amount};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &a;
    group.n_request = 1;
    group.max_count = 1;
    snprintf(name, sizeof name, "j%06u", (unsigned)w->names++);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = (int64_t)w->names;
    job.duration_us = length * MINUTE;
    job.time_limit_us = limit * MINUTE;
    must(lsched_jobs_submit(w->c, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static lsched_id run(struct world *w, const char *node, uint32_t kind, int64_t amount,
                     int64_t length, int64_t limit) {
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    task.job = submit(w, kind, amount, length, limit);
    task.start_us = MINUTE;
    task.node_name = lsched_cstr(node);
    must(lsched_tasks_import(w->c, &task, 1, sizeof task, NULL, NULL, &err));
    return task.job;
}

static void add_node(struct world *w, const char *name, uint32_t kind, int64_t amount) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount a = {kind, 0, amount};
    node.name = lsched_cstr(name);
    node.capacity = &a;
    node.n_capacity = 1;
    must(lsched_nodes_add(w->c, &node, 1, sizeof node, NULL, NULL, NULL, &err));
}

static void make(struct world *w) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    must(lsched_cluster_create(NULL, &w->c, &err));
    must(lsched_policy_load(w->c, LSCHED_TEXT("p"),
                            LSCHED_TEXT("return { api = 1, name = 'p', order = 'fifo', fair_share "
                                        "= 'fifo', pipeline = { 'backfill' }, params = { "
                                        "backfill_reservations = 0, backfill_firm = 1 } }"),
                            NULL, &err));
    queue.name = LSCHED_TEXT("q");
    must(lsched_queues_add(w->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    int32_t licence = lsched_resource_add(w->c, LSCHED_TEXT("licence"), &err);
    must(licence);
    w->licence = (uint32_t)licence;
    add_node(w, "m", w->licence, 10);
    add_node(w, "n", LSCHED_CPU, 1000 * CORES);
    run(w, "m", w->licence, 1, 30, 0);
    run(w, "m", w->licence, 9, 60, 60);
}

static void wait_for(struct world *w, int64_t cores, int64_t length) {
    lsched_id id = submit(w, LSCHED_CPU, 1000 * cores, length, length);
    w->job[w->n++] = (struct wait){id, cores, length * MINUTE, LSCHED_NEVER_US, 0};
}

static void fill(struct world *w) {
    for (uint32_t i = 0; i < FILL; i++) submit(w, w->licence, 6, 1, 1);
}

/* Two jobs: the first one loses its start, and its next place is the room of the second one. */
static void make_pair(struct world *w) {
    make(w);
    run(w, "n", LSCHED_CPU, 8000, 30, 0);
    run(w, "n", LSCHED_CPU, 30000, 60, 60);
    w->grows = run(w, "n", LSCHED_CPU, 10000, 60, 60);
    wait_for(w, 39, 20);
    wait_for(w, 20, 20);
    fill(w);
}

static void make_any(struct world *w, struct chance *r) {
    make(w);
    run(w, "n", LSCHED_CPU, 8000, 30, 0);
    int64_t end = chance_one_in(r, 3) ? 70 : 60;
    run(w, "n", LSCHED_CPU, 28000, end, end);
    w->grows = run(w, "n", LSCHED_CPU, 12000, 60, 60);
    uint32_t n = 2 + chance_below(r, JOBS_MOST - 1);
    for (uint32_t i = 0; i < n; i++)
        wait_for(w, chance_between(r, 9, 40), 5 * chance_between(r, 1, 8));
    fill(w);
}

/* Makes one cycle. Returns 1 if the budget stopped it. */
static int cycle(struct world *w, uint64_t budget) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = 2 * MINUTE;
    opts.work_budget = budget;
    must(lsched_schedule(w->c, &opts, &plan, &err));
    must(lsched_plan_get(plan, &info, &err));
    lsched_plan_destroy(plan);
    return (info.flags & LSCHED_PLAN_PARTIAL) != 0;
}

static int is_firm(const struct wait *job) {
    return job->firm != LSCHED_NEVER_US;
}

/* Reads which starts are firm. The node must have room for all of them. */
static void read_firm(struct world *w, uint64_t budget) {
    for (uint32_t i = 0; i < w->n; i++) {
        lsched_waiting why = {.size = sizeof why};
        must(lsched_waiting_get(w->c, w->job[i].id, &why, &err));
        w->job[i].firm = why.firm_us;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t at = w->job[i].firm, cores = 0;
        for (uint32_t j = 0; j < w->n && is_firm(&w->job[i]); j++)
            if (is_firm(&w->job[j]) && w->job[j].firm <= at &&
                at - w->job[j].firm < w->job[j].length)
                cores += w->job[j].cores;
        if (cores > CORES)
            fail_msg("seed %llu, budget %llu: jobs with firm starts need %lld cores when job %u "
                     "starts",
                     (unsigned long long)w->seed, (unsigned long long)budget, (long long)cores,
                     (unsigned)i);
    }
}

/* Lets running work take longer. Each start that is firm now can be lost once. */
static void grow(struct world *w, int64_t limit) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = w->grows;
    u.set = LSCHED_JOB_SET_TIME_LIMIT | LSCHED_JOB_SET_DURATION;
    u.time_limit_us = u.duration_us = limit * MINUTE;
    must(lsched_jobs_update(w->c, &u, 1, sizeof u, NULL, NULL, &err));
    w->cursor = lsched_changes_end(w->c);
}

/* Reads what the latest cycle told: no job loses a start that a cycle made firm after a loss. */
static void read_losses(struct world *w, uint64_t budget) {
    lsched_change change = {.size = sizeof change};
    int32_t rc;
    while ((rc = lsched_changes_next(w->c, &w->cursor, &change, &err)) == 1) {
        if (change.kind != LSCHED_CHANGE_FIRM_LOST) continue;
        for (uint32_t i = 0; i < w->n; i++) {
            if (w->job[i].id != change.job) continue;
            if (w->job[i].lost && is_firm(&w->job[i]))
                fail_msg("seed %llu, budget %llu: job %u lost a new firm start because of %s",
                         (unsigned long long)w->seed, (unsigned long long)budget, (unsigned)i,
                         lsched_because_name(change.because));
            w->job[i].lost = 1;
            losses++;
        }
    }
    must(rc);
}

/* Makes cycles until one is not stopped, at most CYCLES_MOST. Returns 1 if one is not. */
static int go_on(struct world *w, uint64_t budget) {
    int partial = 1;
    for (uint32_t cycles = 0; partial && cycles < CYCLES_MOST; cycles++) {
        partial = cycle(w, budget);
        stopped += (uint64_t)partial;
        read_losses(w, budget);
        read_firm(w, budget);
    }
    return !partial;
}

static void test_a_stopped_cycle_keeps_firm_starts(void **state) {
    (void)state;
    for (uint64_t budget = 1; budget <= BUDGET_MOST; budget++) {
        struct world w = {.seed = 0};
        make_pair(&w);
        cycle(&w, 0);
        read_firm(&w, 0);
        assert_true(is_firm(&w.job[0]) && is_firm(&w.job[1]));
        grow(&w, 90);
        assert_true(go_on(&w, budget));
        assert_true(w.job[0].lost && !w.job[1].lost);
        assert_true(is_firm(&w.job[0]) && is_firm(&w.job[1]));
        lsched_cluster_destroy(w.c);
    }
}

static void test_random_worlds(void **state) {
    (void)state;
    stopped = losses = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        struct world w = {.seed = first_seed + i};
        struct chance r = {w.seed};
        make_any(&w, &r);
        cycle(&w, 0);
        read_firm(&w, 0);
        grow(&w, 60 + chance_between(&r, 1, 80));
        (void)go_on(&w, 1 + chance_below(&r, BUDGET_MOST));
        lsched_cluster_destroy(w.c);
    }
    print_message("%llu worlds: %llu firm starts lost, %llu cycles stopped\n",
                  (unsigned long long)rounds, (unsigned long long)losses,
                  (unsigned long long)stopped);
    assert_true(chance_enough(losses, 13, WORLDS) && chance_enough(stopped, 60, WORLDS));
}

int main(void) {
    first_seed = chance_seed(9400);
    rounds = chance_rounds(WORLDS);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_stopped_cycle_keeps_firm_starts),
                                       cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
