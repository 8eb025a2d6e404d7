/*
 * test_flat_memory_long.c -- memory stays flat over 10^7 submit-run-finish rounds at constant load. Each round submits jobs of changing shapes
 * and name lengths, runs them and ends them, some badly; after a warm-up the bytes that the library holds may not grow any more.
 * 10^6 rounds by default; LSCHED_TEST_SCALE (percent) scales them: 1000 is the full form of 10^7.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

enum { NODES = 16, LOAD = 64, BATCH = 16 };

static lsched_cluster *cluster;

static void add_world(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount capacity[] = {{LSCHED_CPU, 0, 64000}, {LSCHED_MEMORY, 0, (int64_t)64 << 30}};
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    gpus.count = 8;
    gpus.model = LSCHED_TEXT("A100");
    gpus.share_mode = LSCHED_SHARING_FRACTION;
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = capacity;
        d.n_capacity = 2;
        d.devices = &gpus;
        d.n_devices = 1;
        assert_int_equal(lsched_nodes_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err), 1);
    }
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", i);
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        q.name = lsched_cstr(name);
        assert_int_equal(lsched_queues_add(cluster, &q, 1, sizeof q, NULL, NULL, NULL, &err), 1);
    }
}

/* Jobs of 40 shapes, names of 8 to 40 bytes; every seventh is a gang of two. */
static void submit(uint64_t first) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_desc jobs[BATCH];
    lsched_group_desc groups[BATCH];
    lsched_amount request[BATCH][2];
    char names[BATCH][64], queues[BATCH][8];
    for (int i = 0; i < BATCH; i++) {
        uint64_t id = first + (uint64_t)i;
        int n = snprintf(names[i], sizeof names[i], "%08" PRIx64 "%.*s", id, (int)(id % 33),
                         "................................");
        request[i][0] = (lsched_amount){LSCHED_CPU, 0, 500 + (int64_t)(id % 20) * 100};
        request[i][1] = (lsched_amount){LSCHED_GPU, 0, id % 2 ? 250 : 1000};
        lsched_init(&groups[i], sizeof groups[i]);
        groups[i].request = request[i];
        groups[i].n_request = 2;
        groups[i].max_count = id % 7 == 0 ? 2 : 1;
        lsched_init(&jobs[i], sizeof jobs[i]);
        jobs[i].name = (lsched_text){names[i], (uint64_t)n};
        snprintf(queues[i], sizeof queues[i], "q%d", (int)(id % 3));
        jobs[i].queue_name = lsched_cstr(queues[i]);
        jobs[i].groups = &groups[i];
        jobs[i].n_groups = 1;
        jobs[i].submit_us = (int64_t)id;
    }
    if (lsched_jobs_submit(cluster, jobs, BATCH, sizeof jobs[0], NULL, NULL, NULL, &err) != BATCH)
        fail_msg("submit: %s", err.message);
}

/* Start what the plan places and end it at once; every 50th fails first and comes back. */
static uint64_t run(int64_t now, uint64_t *count) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = now;
    if (lsched_schedule(cluster, &opts, &plan, &err) != LSCHED_OK)
        fail_msg("schedule: %s", err.message);
    size_t n = lsched_plan_size(plan);
    for (int step = 0; step < 2; step++)
        for (size_t i = 0; i < n; i++) {
            const lsched_decision *d = lsched_plan_at(plan, i);
            lsched_task_event e = LSCHED_TASK_EVENT_INIT;
            e.event = LSCHED_EVENT_STARTED;
            if (step == 1) e.event = ++*count % 50 == 0 ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
            e.job = d->job;
            e.task_index = d->task_index;
            if (lsched_tasks_report(cluster, &e, 1, sizeof e, NULL, NULL, &err) != 1)
                fail_msg("report: %s", err.message);
        }
    lsched_plan_destroy(plan);
    return n;
}

static uint64_t held(void) {
    lsched_cluster_stats s = {.size = sizeof s};
    assert_int_equal(lsched_cluster_stats_get(cluster, &s, NULL), LSCHED_OK);
    return s.memory_bytes;
}

static void memory_stays_flat(void **unused) {
    (void)unused;
    const char *scale = getenv("LSCHED_TEST_SCALE");
    uint64_t rounds = 1000000, ended = 0, id = 0, count = 0, warm = 0, peak = 0;
    if (scale) rounds = (uint64_t)(atof(scale) * 10000);
    if (rounds < 20000) rounds = 20000;
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    add_world();
    for (int64_t now = 1; ended < rounds; now++) {
        submit(id);
        id += BATCH;
        ended += run(now, &count);
        uint64_t now_held = held();
        if (ended >= rounds / 2 && now_held > peak)
            peak = now_held;
        else if (ended >= rounds / 10 && now_held > warm)
            warm = now_held;
    }
    print_message("%" PRIu64 " rounds: %" PRIu64 " bytes at most in the first half, %" PRIu64
                  " in the second\n",
                  ended, warm, peak);
    assert_true(peak <= warm + warm / 50);
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_verify(cluster, NULL, &err) != LSCHED_OK) fail_msg("%s", err.message);
    lsched_cluster_destroy(cluster);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_stays_flat)};
    return cmocka_run_group_tests_name("flat memory", tests, NULL, NULL);
}
