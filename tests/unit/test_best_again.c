/* engine/actions/best_again.h: a node that is the best one again is found without the index, and it is the node that the
 * index has. Each world is scheduled twice: in one cluster, each answer is compared with an index that is up to date;
 * the other cluster must make the same plans, and brings its indexes up to date more seldom than it places tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "engine/state/cluster.h"
#include "property/chance.h"

enum { NODES = 48, RACK = 8, QUEUES = 3, CYCLES = 6, JOBS = 5 };

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

static void add_nodes(lsched_cluster *c, struct chance *at) {
    static const lsched_text level = LSCHED_TEXT_INIT("rack");
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    t.name = LSCHED_TEXT("fabric");
    t.levels = &level;
    t.n_levels = 1;
    must(lsched_topologies_add(c, &t, 1, sizeof t, NULL, NULL, NULL, &err));
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16], rack[16];
        lsched_amount capacity[2] = {{LSCHED_CPU, 0, 32000}, {LSCHED_MEMORY, 0, (int64_t)1 << 36}};
        lsched_label label = {LSCHED_TEXT("rack"), lsched_cstr(rack)};
        lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
        lsched_node_desc n = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%02u", i);
        snprintf(rack, sizeof rack, "r%u", i / RACK);
        gpus.count = 2u << chance_below(at, 3);
        gpus.model = LSCHED_TEXT("H100");
        gpus.share_mode = LSCHED_SHARING_FRACTION;
        n.name = lsched_cstr(name);
        n.capacity = capacity;
        n.n_capacity = 2;
        n.labels = &label;
        n.n_labels = 1;
        n.devices = &gpus;
        n.n_devices = chance_one_in(at, 5) ? 0 : 1;
        must(lsched_nodes_add(c, &n, 1, sizeof n, NULL, NULL, NULL, &err));
    }
    for (uint32_t q = 0; q < QUEUES; q++) {
        char name[8];
        lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
        snprintf(name, sizeof name, "q%u", q);
        d.name = lsched_cstr(name);
        must(lsched_queues_add(c, &d, 1, sizeof d, NULL, NULL, NULL, &err));
    }
}

static void submit(lsched_cluster *c, struct chance *at, uint32_t cycle, uint32_t number) {
    char name[24], queue[8];
    static const int64_t milli[] = {0, 300, 1000, 2000};
    int64_t gpu = milli[chance_below(at, 4)];
    lsched_amount request[2] = {{LSCHED_CPU, 0, 500 * (1 + (int64_t)chance_below(at, 4))},
                                {LSCHED_GPU, 0, gpu}};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc j = LSCHED_JOB_DESC_INIT;
    snprintf(name, sizeof name, "j%u-%u", cycle, number);
    snprintf(queue, sizeof queue, "q%u", (unsigned)chance_below(at, QUEUES));
    g.request = request;
    g.n_request = gpu ? 2 : 1;
    g.max_count = 1 + chance_below(at, 24);
    if (chance_one_in(at, 2)) g.preferred_level = LSCHED_TEXT("rack");
    j.name = lsched_cstr(name);
    j.queue_name = lsched_cstr(queue);
    j.groups = &g;
    j.n_groups = 1;
    j.submit_us = cycle * 100 + number;
    must(lsched_jobs_submit(c, &j, 1, sizeof j, NULL, NULL, NULL, &err));
}

struct run {
    uint64_t hashes[CYCLES], placed, updates;
};

static void play(const char *policy, uint64_t seed, int checked, struct run *run) {
    struct chance at = {0};
    lsched_cluster *c = NULL;
    at.state = seed;
    memset(run, 0, sizeof *run);
    must(lsched_cluster_create(NULL, &c, &err));
    must(lsched_policy_load(c, lsched_cstr(policy), (lsched_text){NULL, 0}, NULL, &err));
    c->check_caches = NULL;
    if (checked) cache_check_on(c);
    add_nodes(c, &at);
    for (uint32_t i = 0; i < CYCLES; i++) {
        lsched_plan *plan = NULL;
        lsched_plan_info info = {.size = sizeof info};
        lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
        opts.now_us = 1000000 * (i + 1);
        for (uint32_t j = 0; j < JOBS; j++) submit(c, &at, i, j);
        must(lsched_schedule(c, &opts, &plan, &err));
        lsched_plan_get(plan, &info, NULL);
        run->hashes[i] = info.plan_hash;
        run->placed += info.decisions;
        lsched_plan_destroy(plan);
    }
    run->updates = c->search.sync;
    must(lsched_verify(c, NULL, &err));
    lsched_cluster_destroy(c);
}

static void equal_to_the_index(void **state) {
    static const char *const policies[] = {"binpack",    "best-fit", "spread",
                                           "first-fit",  "fgd",      "least-fragmentation",
                                           "least-peak", "drf"};
    (void)state;
    for (uint32_t p = 0; p < sizeof policies / sizeof policies[0]; p++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            struct run warm, checked;
            play(policies[p], seed, 0, &warm);
            play(policies[p], seed, 1, &checked);
            assert_true(warm.placed > 50);
            for (uint32_t i = 0; i < CYCLES; i++)
                assert_int_equal(warm.hashes[i], checked.hashes[i]);
            if (p == 0) assert_true(warm.updates < checked.updates);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_to_the_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
