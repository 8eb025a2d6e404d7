/* test_amount_bounds.c -- the largest amounts: every call takes 2^62 and refuses more with
 * E_RANGE, and a job that asks for such an amount is told that it never fits. No sum of such
 * amounts overflows, also where nodes are charged less than queues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/readback.h>
#include <libsched/resizes.h>
#include <libsched/supplies.h>

#include "support/api_world.h"
#include "support/told.h"

static struct api_world w;
static uint32_t token; /* a resource kind that no node has */
static lsched_error err = LSCHED_ERROR_INIT;

static int set_up(void **state) {
    (void)state;
    memset(&w, 0, sizeof w);
    int32_t rc = api_world_make(&w, NULL);
    int32_t kind = rc < 0 ? rc : lsched_resource_add(w.cluster, LSCHED_TEXT("token"), NULL);
    token = (uint32_t)kind;
    return kind < 0;
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&w);
    return 0;
}

/* ---- the calls ---- */

static int32_t of_a_new_node(int64_t amount) {
    lsched_amount a = {token, 0, amount};
    lsched_node_desc node = api_node("new");
    node.capacity = &a, node.n_capacity = 1;
    return lsched_nodes_add(w.cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err);
}

static int32_t of_a_node(int64_t amount) {
    lsched_amount a = {token, 0, amount};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w.nodes[0], u.set = LSCHED_NODE_SET_CAPACITY;
    u.capacity = &a, u.n_capacity = 1;
    return lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err);
}

/* Gives a new queue the amount in the list at `list`, whose length is at `n`. */
static int32_t of_a_queue(int64_t amount, size_t list, size_t n) {
    lsched_amount a = {token, 0, amount};
    const lsched_amount *one = &a;
    const uint32_t count = 1;
    lsched_queue_desc d = api_queue("new", NULL);
    d.flags = LSCHED_QUEUE_PER_USER | LSCHED_QUEUE_PER_GROUP;
    memcpy((char *)&d + list, &one, sizeof one);
    memcpy((char *)&d + n, &count, sizeof count);
    return lsched_queues_add(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err);
}

#define OF_A_QUEUE(list)                                             \
    static int32_t of_##list(int64_t amount) {                       \
        return of_a_queue(amount, offsetof(lsched_queue_desc, list), \
                          offsetof(lsched_queue_desc, n_##list));    \
    }
OF_A_QUEUE(quota)
OF_A_QUEUE(limit)
OF_A_QUEUE(lend_limit)
OF_A_QUEUE(user_limit)
OF_A_QUEUE(group_limit)

static int32_t of_a_weight(int64_t amount) {
    return of_a_queue(amount, offsetof(lsched_queue_desc, weight_milli),
                      offsetof(lsched_queue_desc, n_weight));
}

static int32_t submit(lsched_group_desc *g) {
    lsched_job_desc d = api_job("new", g, 1);
    return lsched_jobs_submit(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err);
}

static int32_t of_a_request(int64_t amount) {
    lsched_amount a = {token, 0, amount};
    lsched_group_desc g = api_group(1);
    g.request = &a, g.n_request = 1;
    return submit(&g);
}

/* Two tasks that ask for the amount together. */
static int32_t of_two_requests(int64_t amount) {
    lsched_amount half[] = {{token, 0, amount / 2}, {token, 0, amount - amount / 2}};
    lsched_group_desc g[] = {LSCHED_GROUP_DESC_INIT, api_group(1), api_group(1)};
    for (uint32_t i = 0; i < 2; i++) {
        g[1 + i].parent = 0;
        g[1 + i].request = &half[i], g[1 + i].n_request = 1;
    }
    lsched_job_desc d = api_job("new", g, 3);
    return lsched_jobs_submit(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err);
}

static int32_t of_device_memory(int64_t amount) {
    lsched_group_desc g = api_group(1);
    g.gpu_memory_bytes = amount;
    return submit(&g);
}

static int32_t of_a_supply(int64_t amount) {
    lsched_supply_desc d = LSCHED_SUPPLY_DESC_INIT;
    d.name = LSCHED_TEXT("ansys"), d.amount = amount;
    return lsched_supplies_add(w.cluster, &d, 1, sizeof d, NULL, NULL, &err);
}

static int32_t of_a_place(int64_t amount) {
    lsched_supply_update u = LSCHED_SUPPLY_UPDATE_INIT;
    int32_t rc = of_a_supply(1);
    if (rc < 0) return rc;
    u.supply = LSCHED_TEXT("ansys"), u.set = LSCHED_SUPPLY_SET_AMOUNT, u.amount = amount;
    return lsched_supplies_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err);
}

static int32_t of_a_sample(int64_t amount) {
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    s.job = w.busy, s.kind = LSCHED_GPU, s.amount = amount;
    return lsched_usage_report(w.cluster, &s, 1, sizeof s, NULL, NULL, &err);
}

static int32_t of_a_resize(int64_t amount) {
    lsched_amount a = {LSCHED_MEMORY, 0, amount};
    lsched_task_resize r = LSCHED_TASK_RESIZE_INIT;
    r.job = w.busy, r.request = &a, r.n_request = 1;
    return lsched_tasks_resize(w.cluster, &r, 1, sizeof r, NULL, NULL, &err);
}

static void every_call_has_one_bound(void **state) {
    static const struct {
        const char *name;
        int32_t (*give)(int64_t amount);
        int unlimited; /* 1 if LSCHED_UNLIMITED is allowed, too */
    } calls[] = {
        {"a new node", of_a_new_node, 0},
        {"a node", of_a_node, 0},
        {"quota", of_quota, 1},
        {"limit", of_limit, 1},
        {"lend_limit", of_lend_limit, 1},
        {"user_limit", of_user_limit, 1},
        {"group_limit", of_group_limit, 1},
        {"weight", of_a_weight, 0},
        {"a request", of_a_request, 0},
        {"two requests", of_two_requests, 0},
        {"device memory", of_device_memory, 0},
        {"a supply", of_a_supply, 1},
        {"a place", of_a_place, 1},
        {"a sample", of_a_sample, 0},
        {"a resize", of_a_resize, 0},
    };
    const int64_t amounts[] = {LSCHED_AMOUNT_MAX - 1, LSCHED_AMOUNT_MAX, LSCHED_AMOUNT_MAX + 1,
                               INT64_MAX};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t a = 0; a < sizeof amounts / sizeof *amounts; a++) {
            int good = amounts[a] <= LSCHED_AMOUNT_MAX ||
                       (amounts[a] == LSCHED_UNLIMITED && calls[i].unlimited);
            if (set_up(state)) fail_msg("%s", "no world");
            int32_t rc = calls[i].give(amounts[a]);
            if (good ? rc < 0 : rc != LSCHED_E_RANGE)
                fail_msg("%s, %lld: %d %s", calls[i].name, (long long)amounts[a], (int)rc,
                         err.message);
            if (lsched_verify(w.cluster, NULL, &err) < 0 ||
                api_cycle(w.cluster, w.now_us + 1, NULL) < 0)
                fail_msg("%s, %lld: %s", calls[i].name, (long long)amounts[a], err.message);
            tear_down(state);
        }
}

/* ---- what the job is told ---- */

#define CLUSTER                                                        \
    "resources: [token, wide]\n"                                       \
    "nodes:\n"                                                         \
    "  - {name: \"n[0-1]\", cpu: 64, memory: 1Ti, token: 8}\n"         \
    "  - {name: w, cpu: 64, memory: 1Gi, wide: 2305843009213693952}\n" \
    "queues: [{name: org}, {name: q, parent: org}, {name: l, limit: {memory: 1Pi}}]\n"

static uint32_t why_waits(const char *queue, const char *tasks) {
    char scenario[1000];
    lsched_waiting record = {.size = sizeof record};
    snprintf(scenario, sizeof scenario, CLUSTER "jobs: [{name: j, queue: %s, tasks: {%s}}]\n",
             queue, tasks);
    lsched_cluster *cluster = told_begin(scenario);
    lsched_id job = lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("j"));
    int32_t rc = lsched_waiting_get(cluster, job, &record, &err);
    if (rc < 0) fail_msg("%s: %s", tasks, err.message);
    assert_true(lsched_verify(cluster, NULL, &err) >= 0);
    lsched_cluster_destroy(cluster);
    return record.code;
}

static void a_job_that_is_too_large_never_fits(void **state) {
    (void)state;
    static const char *const kinds[] = {"memory", "token"};
    static const char *const amounts[] = {"4611686018427387902", "4611686018427387903",
                                          "4611686018427387904"};
    char tasks[200];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t a = 0; a < sizeof amounts / sizeof *amounts; a++) {
            snprintf(tasks, sizeof tasks, "%s: %s", kinds[i], amounts[a]);
            if (why_waits("q", tasks) != LSCHED_WAIT_NEVER_FITS)
                fail_msg("%s: %s", tasks, lsched_wait_name(why_waits("q", tasks)));
        }
    assert_int_equal(why_waits("q", "count: 4, memory: 1Ei"), LSCHED_WAIT_NEVER_FITS);
    assert_int_equal(why_waits("q", "count: 2, memory: 2305843009213693952"),
                     LSCHED_WAIT_NEVER_FITS);
    assert_int_equal(why_waits("q", "count: 2, memory: 0, wide: 2305843009213693952"),
                     LSCHED_WAIT_GANG);
}

/* A limit that the queue has is still the reason. */
static void a_limit_stays_the_reason(void **state) {
    (void)state;
    assert_int_equal(why_waits("l", "memory: 4611686018427387904"), LSCHED_WAIT_LIMIT);
    assert_int_equal(why_waits("l", "count: 4, memory: 1Pi"), LSCHED_WAIT_LIMIT);
}

/* ---- jobs that nodes could hold, and queues could not ---- */

#define DAY_US INT64_C(86400000000)

/* Submits jobs that each ask their queue for `amount` of memory, and nodes for little: the demand
 * of the day is known. */
static void submit_daily(lsched_cluster *c, const char *queue, int64_t amount, uint32_t jobs,
                         uint32_t tasks) {
    lsched_demand_step step[1] = {LSCHED_INIT(lsched_demand_step)};
    step[0].kind = LSCHED_MEMORY, step[0].amount = 1 << 30;
    lsched_amount a = {LSCHED_MEMORY, 0, amount};
    lsched_group_desc g = api_group(tasks);
    g.request = &a, g.n_request = 1;
    g.demand = step, g.n_demand = 1, g.demand_period_us = DAY_US;
    for (uint32_t j = 0; j < jobs; j++) {
        char name[20];
        snprintf(name, sizeof name, "j%u", j);
        lsched_job_desc d = api_job(name, &g, 1);
        d.queue_name = lsched_cstr(queue);
        int32_t rc = lsched_jobs_submit(c, &d, 1, sizeof d, NULL, NULL, NULL, &err);
        if (rc < 0) fail_msg("%s", err.message);
    }
}

/* Checks that the queue and the queue above it use at most 2^62. */
static void check_use(lsched_cluster *c, const char *queue) {
    int64_t used, quota, limit;
    const char *const names[] = {queue, "org"};
    if (lsched_verify(c, NULL, &err) < 0) fail_msg("%s", err.message);
    for (size_t i = 0; i < 2; i++) {
        lsched_id id = lsched_find(c, LSCHED_KIND_QUEUE, lsched_cstr(names[i]));
        assert_int_equal(lsched_queue_amount(c, id, LSCHED_MEMORY, &used, &quota, &limit, &err),
                         LSCHED_OK);
        if (used < 0 || used > LSCHED_AMOUNT_MAX)
            fail_msg("%s uses %lld", names[i], (long long)used);
    }
}

/* Runs three cycles, and returns how many of the tasks run then. */
static uint32_t play_daily(const char *queue, int64_t amount, uint32_t jobs, uint32_t tasks) {
    lsched_cluster *c = told_begin(CLUSTER);
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    uint32_t runs = 0;
    submit_daily(c, queue, amount, jobs, tasks);
    for (int i = 0; i < 3; i++) {
        lsched_plan *plan;
        o.now_us = INT64_C(1893456000000000) + i * INT64_C(60000000);
        if (lsched_schedule(c, &o, &plan, &err) < 0) fail_msg("%s", err.message);
        runs += (uint32_t)lsched_plan_size(plan);
        lsched_plan_destroy(plan);
        check_use(c, queue);
    }
    lsched_cluster_destroy(c);
    return runs;
}

/* The nodes could hold the job, so its queue is the reason. */
static void a_daily_job_is_told_of_its_queue(void **state) {
    (void)state;
    lsched_cluster *c = told_begin(CLUSTER);
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    submit_daily(c, "q", LSCHED_AMOUNT_MAX, 1, 1);
    o.now_us = INT64_C(1893456000000000);
    lsched_plan *plan;
    assert_int_equal(lsched_schedule(c, &o, &plan, &err), LSCHED_OK);
    lsched_plan_destroy(plan);
    lsched_waiting record =
        told_waits(c, "j0",
                   "no queue may use 4294967296 GiB memory or more, and queue q uses 0 GiB memory; "
                   "the job needs 4294967296 GiB memory more");
    assert_int_equal(record.code, LSCHED_WAIT_LIMIT);
    assert_true(record.have < record.need);
    lsched_cluster_destroy(c);
}

static void no_use_of_a_queue_overflows(void **state) {
    (void)state;
    assert_int_equal(play_daily("q", LSCHED_AMOUNT_MAX, 3, 1), 0);
    for (int64_t part = 1; part <= 5; part++) {
        int64_t amount = LSCHED_AMOUNT_MAX / part;
        /* the use of a queue stays below 2^62 */
        uint32_t fits = (uint32_t)((LSCHED_AMOUNT_MAX - 1) / amount);
        assert_int_equal(play_daily("q", amount - 1, 8, 1), part);
        assert_int_equal(play_daily("q", amount, 8, 1), fits < 8 ? fits : 8);
        for (uint32_t tasks = 2; tasks <= (uint32_t)part; tasks++)
            assert_int_equal(play_daily("q", amount, 8, tasks), fits / tasks * tasks);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_has_one_bound),
        cmocka_unit_test(a_job_that_is_too_large_never_fits),
        cmocka_unit_test(a_limit_stays_the_reason),
        cmocka_unit_test(a_daily_job_is_told_of_its_queue),
        cmocka_unit_test(no_use_of_a_queue_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
