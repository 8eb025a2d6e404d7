/* What searches for devices that match cost a cycle: on nodes where such a search is long, the cycle
 * pays for its steps, a small budget ends the cycle and not the job, and a kept index changes
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/indexes/search.h"
#include "support/model_world.h"

enum { NODES = 6, VALUES = 12, NARROW = 8, FEW = 6, DEVICES = 96, NEED = 11, SECOND = 1000000 };

static lsched_cluster *cluster;
static lsched_error err;
static uint32_t seed;

static uint32_t roll(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Each device has a pair of values: the NARROW first values of `a` go with the FEW first ones of
 * `b`, and the others with all. So FEW + VALUES - NARROW devices can be together, one less than
 * NEED. No number of colours shows it, and the search gives up. */
static void add_node(uint32_t i) {
    static lsched_device_desc devices[DEVICES];
    static lsched_label labels[DEVICES][2];
    static char value[VALUES][8];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    char name[16];
    snprintf(name, sizeof name, "n%u", i);
    for (uint32_t v = 0; v < VALUES; v++) snprintf(value[v], sizeof value[v], "v%u", v);
    for (uint32_t d = 0, a = 0, b = 0; d < DEVICES; d++) {
        devices[d] = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
        labels[d][0] = (lsched_label){LSCHED_TEXT("a"), lsched_cstr(value[a])};
        labels[d][1] = (lsched_label){LSCHED_TEXT("b"), lsched_cstr(value[b])};
        if (++b == (a < NARROW ? FEW : VALUES)) {
            b = 0;
            a++;
        }
        devices[d].count = 1;
        devices[d].model = LSCHED_TEXT("m");
        devices[d].attributes = labels[d];
        devices[d].n_attributes = 2;
    }
    lsched_label host = {LSCHED_TEXT("host"), lsched_cstr(name)}; /* each node has its own class */
    node.labels = &host;
    node.n_labels = 1;
    node.name = lsched_cstr(name);
    node.devices = devices;
    node.n_devices = DEVICES;
    if (lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
}

/* Submits a job whose task asks for `need` devices: that differ in both attributes, or any. */
static lsched_id submit(const char *name, uint32_t need, int distinct) {
    static const lsched_text names[2] = {{"a", 1}, {"b", 1}};
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id;
    r.devices = need;
    r.distinct = names;
    r.n_distinct = distinct ? 2 : 0;
    group.device_requests = &r;
    group.n_device_requests = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    if (lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, &id, NULL, &err) < 0)
        fail_msg("%s", err.message);
    return id;
}

static int make_cluster(void **unused) {
    (void)unused;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    err = (lsched_error)LSCHED_ERROR_INIT;
    queue.name = LSCHED_TEXT("q");
    opts.verify_every_plan = 1;
    seed = 7;
    if (lsched_cluster_create(&opts, &cluster, &err) ||
        lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0)
        return 1;
    for (uint32_t i = 0; i < NODES; i++) add_node(i);
    return 0;
}

static int drop_cluster(void **unused) {
    (void)unused;
    lsched_cluster_destroy(cluster);
    cluster = NULL;
    return 0;
}

static lsched_plan_info cycle(lsched_cluster *c, int64_t now, uint64_t budget) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = now * SECOND;
    opts.work_budget = budget;
    if (lsched_schedule(c, &opts, &plan, &err) < 0) fail_msg("%s", err.message);
    lsched_plan_get(plan, &info, NULL);
    lsched_plan_destroy(plan);
    return info;
}

static lsched_job_info job_of(lsched_cluster *c, lsched_id id) {
    lsched_job_info info = {.size = sizeof info};
    assert_int_equal(lsched_job_get(c, id, &info, NULL), LSCHED_OK);
    return info;
}

static void explain_has(lsched_id job, const char *words) {
    char told[4096];
    assert_true(lsched_explain(cluster, job, told, sizeof told, NULL, &err) > 0);
    if (!strstr(told, words)) fail_msg("no '%s' in: %s", words, told);
}

/* The cycle pays for the steps on all nodes, once: not again for the second job of the shape. */
static void test_pays(void **unused) {
    (void)unused;
    lsched_id one = submit("one", NEED, 1);
    lsched_plan_info info = cycle(cluster, 1, 0);
    assert_int_equal(info.decisions, 0);
    uint64_t units = NODES * (LIMIT_MATCH_STEPS / SEARCH_MATCH_STEPS);
    if (info.steps < NODES * LIMIT_MATCH_STEPS)
        fail_msg("%llu steps, %llu work units", (unsigned long long)info.steps,
                 (unsigned long long)info.work_spent);
    if (info.work_spent < units || info.work_spent > units + 8)
        fail_msg("%llu work units, not about %llu", (unsigned long long)info.work_spent,
                 (unsigned long long)units);
    explain_has(one, "on 6 nodes the search for such devices gave up after 8192 steps");
    submit("two", NEED, 1);
    uint64_t again = cycle(cluster, 2, 0).work_spent;
    assert_true(again <= units + 8);
}

/* With a small budget the job stays in line, other jobs go on, and after a few cycles that saved
 * their units the job has been tried. No cycle takes more than its units and the saved ones. */
static void test_goes_on(void **unused) {
    (void)unused;
    lsched_id hard = submit("hard", NEED, 1), plain = submit("plain", 2, 0);
    uint64_t given = 0, spent = 0, partial = 0;
    int64_t now = 0;
    do {
        lsched_plan_info info = cycle(cluster, ++now, 8);
        given += 8;
        spent += info.work_spent;
        partial += (info.flags & LSCHED_PLAN_PARTIAL) != 0;
        assert_true(spent <= 2 * given);
        assert_true(now < 60);
    } while (job_of(cluster, plain).tasks_placed == 0);
    assert_true(partial >= 3);
    assert_int_equal(job_of(cluster, hard).tasks_placed, 0);
    explain_has(hard, "gave up after 8192 steps");
}

static void expect_alike(const lsched_cluster *other) {
    uint64_t a, b;
    assert_int_equal(lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &a, NULL), LSCHED_OK);
    assert_int_equal(lsched_cluster_hash(other, LSCHED_HASH_IMAGE, &b, NULL), LSCHED_OK);
    assert_int_equal(a, b);
}

/* A clone begins without indexes. It spends the same, and decides the same. */
static void test_kept_index(void **unused) {
    (void)unused;
    for (uint32_t round = 0; round < 24; round++) {
        static const uint64_t budgets[] = {0, 3, 20, 60, 200};
        char name[16];
        lsched_cluster *cold = NULL;
        snprintf(name, sizeof name, "j%u", round);
        submit(name, 2 + roll(NEED), round % 3 != 0);
        uint64_t budget = budgets[roll(5)];
        assert_int_equal(lsched_cluster_clone(cluster, &cold, &err), LSCHED_OK);
        lsched_plan_info a = cycle(cluster, round + 1, budget), b = cycle(cold, round + 1, budget);
        assert_int_equal(a.work_spent, b.work_spent);
        assert_int_equal(a.decisions, b.decisions);
        assert_int_equal(a.flags, b.flags);
        expect_alike(cold);
        lsched_cluster_destroy(cold);
    }
}

/* A hook scores nodes, and each answer costs instructions. A cycle that has too few units for the
 * searches executes no hook, whether the answers are known or not. */
static void test_hooks_wait_for_the_searches(void **unused) {
    (void)unused;
    static const char policy[] =
        "return { api = 1, name = 'p', placement = 'binpack', pipeline = {'allocate'},\n"
        "  score = function(job, node) local x = 0; for i = 1, 200 do x = x + i end\n"
        "    return node.gpu_free + x * 0 end }";
    for (uint32_t round = 0; round < 60; round++) {
        lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
        lsched_cluster *cold = NULL;
        drop_cluster(NULL);
        assert_int_equal(make_cluster(NULL), 0);
        /* about the instructions of one, one and a half and two fillings of an index */
        opts.instructions_per_cycle = (uint64_t[]){3700, 5000, 7400}[round % 3];
        assert_int_equal(
            lsched_policy_load(cluster, LSCHED_TEXT("p"), lsched_cstr(policy), &opts, &err),
            LSCHED_OK);
        submit("first", 9, 1);
        cycle(cluster, 1, 0);
        submit("any", 2, 0);
        submit("second", 9, 1);
        assert_int_equal(lsched_cluster_clone(cluster, &cold, &err), LSCHED_OK);
        uint64_t budget = 1 + round / 3;
        lsched_plan_info a = cycle(cluster, 2, budget), b = cycle(cold, 2, budget);
        assert_int_equal(a.flags, b.flags);
        assert_int_equal(a.policy_instructions, b.policy_instructions);
        expect_alike(cold);
        lsched_cluster_destroy(cold);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pays, make_cluster, drop_cluster),
        cmocka_unit_test_setup_teardown(test_goes_on, make_cluster, drop_cluster),
        cmocka_unit_test_setup_teardown(test_kept_index, make_cluster, drop_cluster),
        cmocka_unit_test_setup_teardown(test_hooks_wait_for_the_searches, make_cluster,
                                        drop_cluster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
