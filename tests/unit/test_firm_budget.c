/* The cost of firm starts (backfill_firm = 1) is charged to the work budget: n jobs wait for one
 * node, one after the other, beside work that can outlast its estimate. The work units of the cycle
 * that makes n firm starts grow no faster than n^2 log n. A cycle spends no more than its budget,
 * and cycles with small budgets make the firm starts that one cycle without a budget makes: each
 * goes on where the one before it stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/readback.h>

enum { FEW = 64, MANY = 4 * FEW, BUDGET = 6 };
#define MINUTE INT64_C(60000000)

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int64_t code) {
    if (code < 0) print_message("%lld %s\n", (long long)code, err.message);
    assert_true(code >= 0);
}

static lsched_id submit(lsched_cluster *c, uint32_t number, int64_t cores, int64_t length,
                        int64_t limit) {
    char name[16];
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * cores};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &cpu;
    group.n_request = 1;
    group.max_count = 1;
    snprintf(name, sizeof name, "j%06u", (unsigned)number);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = (int64_t)number + 1;
    job.duration_us = length;
    job.time_limit_us = limit;
    must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static void run(lsched_cluster *c, lsched_id job) {
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    task.job = job;
    task.start_us = MINUTE;
    task.node_name = LSCHED_TEXT("n");
    must(lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err));
}

/* A node of 40 cores: one run leaves room for nothing, the other one can outlast its estimate. Each
 * of the n jobs that wait has room beside the latter. */
static lsched_cluster *make(uint32_t n) {
    lsched_cluster *c;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 40000};
    must(lsched_cluster_create(NULL, &c, &err));
    must(lsched_policy_load(c, LSCHED_TEXT("p"),
                            LSCHED_TEXT("return { api = 1, name = 'p', order = 'fifo', fair_share "
                                        "= 'fifo', pipeline = { 'backfill' }, params = { "
                                        "backfill_reservations = 0, backfill_firm = 1 } }"),
                            NULL, &err));
    queue.name = LSCHED_TEXT("q");
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    node.name = LSCHED_TEXT("n");
    node.capacity = &cpu;
    node.n_capacity = 1;
    must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err));
    run(c, submit(c, 0, 32, 60 * MINUTE, 60 * MINUTE));
    run(c, submit(c, 1, 8, 30 * MINUTE, 0));
    for (uint32_t i = 0; i < n; i++) submit(c, i + 2, 32, 20 * MINUTE, 20 * MINUTE);
    return c;
}

/* Makes one cycle. Returns the work units that it spent. */
static uint64_t cycle(lsched_cluster *c, uint64_t budget, uint32_t *flags) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = 2 * MINUTE;
    opts.work_budget = budget;
    must(lsched_schedule(c, &opts, &plan, &err));
    must(lsched_plan_get(plan, &info, &err));
    assert_int_equal(info.decisions, 0);
    lsched_plan_destroy(plan);
    *flags = info.flags;
    return info.work_spent;
}

/* Returns the time until which the start of the job is firm. */
static int64_t firm_at(lsched_cluster *c, uint32_t number) {
    char name[16];
    lsched_waiting why = {.size = sizeof why};
    snprintf(name, sizeof name, "j%06u", (unsigned)number);
    lsched_id id = lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(name));
    must(lsched_waiting_get(c, id, &why, &err));
    return why.firm_us;
}

static uint32_t count_firm(lsched_cluster *c, uint32_t n) {
    uint32_t firm = 0;
    for (uint32_t i = 0; i < n; i++) firm += firm_at(c, i + 2) != LSCHED_NEVER_US;
    return firm;
}

static uint64_t units_of(uint32_t n) {
    uint32_t flags;
    lsched_cluster *c = make(n);
    uint64_t spent = cycle(c, 0, &flags);
    assert_int_equal(count_firm(c, n), n);
    lsched_cluster_destroy(c);
    return spent;
}

static void test_work_grows_with_the_square(void **state) {
    (void)state;
    uint64_t few = units_of(FEW), many = units_of(MANY);
    print_message("%d firm starts of a node: %llu work units, %d: %llu\n", FEW,
                  (unsigned long long)few, MANY, (unsigned long long)many);
    assert_true(few > FEW / 8);
    assert_true(many > 4 * few && many <= 17 * few);
}

static void test_small_budgets_go_on(void **state) {
    uint32_t cycles = 0, firm = 0, flags = LSCHED_PLAN_PARTIAL, ignored;
    (void)state;
    lsched_cluster *whole = make(FEW), *parts = make(FEW);
    cycle(whole, 0, &ignored);
    for (; (flags & LSCHED_PLAN_PARTIAL) && cycles < 4 * FEW; cycles++) {
        uint64_t spent = cycle(parts, BUDGET, &flags);
        uint32_t now = count_firm(parts, FEW);
        assert_true(spent <= BUDGET || now > firm);
        assert_true(now >= firm);
        firm = now;
    }
    print_message("%d firm starts with %d work units for a cycle: %u cycles\n", FEW, BUDGET,
                  (unsigned)cycles);
    assert_true(cycles > 2 && !(flags & LSCHED_PLAN_PARTIAL));
    for (uint32_t i = 0; i < FEW; i++) assert_true(firm_at(parts, i + 2) == firm_at(whole, i + 2));
    lsched_cluster_destroy(whole);
    lsched_cluster_destroy(parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_grows_with_the_square),
                                       cmocka_unit_test(test_small_budgets_go_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
