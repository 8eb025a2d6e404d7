/*
 * test_readback.c -- what a host reads back: open decisions with their content, also after a load;
 * why each waiting job waits, job by job; the difference between its lists and the cluster.
 * tests/property/test_changes_random.c compares open decisions with those of plans after each call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_alloc.h"
#include "support/settle.h"
#include "support/api_case.h"

struct saved {
    uint8_t *data;
    size_t n;
};

static int32_t append(void *user, const void *data, size_t n) {
    struct saved *s = user;
    s->data = realloc(s->data, s->n + n);
    if (!s->data) return -1;
    memcpy(s->data + s->n, data, n);
    s->n += n;
    return 0;
}

/* ---- decisions ---- */

static void a_decision_is_read_back(void **state) {
    (void)state;
    lsched_decision d = {.size = sizeof d}, next = {.size = sizeof next};
    uint64_t cursor = 0;
    assert_int_equal(lsched_decision_get(world.cluster, world.proposed, &d, &err), LSCHED_OK);
    assert_true(d.id == world.proposed && d.job == world.open && d.task_index == 0);
    assert_int_equal(d.kind, LSCHED_DECIDE_PLACE);
    assert_int_equal(d.state, LSCHED_DECISION_PROPOSED);
    assert_true(d.proposed_us == world.now_us && d.node && d.group);
    assert_int_equal(lsched_decisions_next(world.cluster, &cursor, &next, &err), 1);
    assert_memory_equal(&d, &next, sizeof d);
    assert_int_equal(lsched_decisions_next(world.cluster, &cursor, &next, &err), 0);
    assert_int_equal(lsched_decisions_next(world.cluster, &cursor, &next, &err), 0);
    lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    assert_true(settle_each(world.cluster, &world.proposed, &yes, 1, NULL, &err) >= 0);
    assert_int_equal(lsched_decision_get(world.cluster, world.proposed, &d, &err), LSCHED_OK);
    assert_int_equal(d.state, LSCHED_DECISION_CONFIRMED);
    assert_int_equal(lsched_decision_get(world.cluster, world.gone_decision, &d, &err),
                     LSCHED_E_STALE);
    assert_int_equal(lsched_decision_get(world.cluster, world.open, &d, &err), LSCHED_E_KIND);
}

static void a_plan_shows_the_same(void **state) {
    (void)state;
    lsched_group_desc group = api_group(3);
    lsched_job_desc job = api_job("three", &group, 1);
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    assert_true(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err) >=
                0);
    opts.now_us = world.now_us + 1;
    assert_int_equal(lsched_schedule(world.cluster, &opts, &plan, &err), LSCHED_OK);
    assert_true(lsched_plan_size(plan) >= 3);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *told = lsched_plan_at(plan, i);
        lsched_decision d = {.size = sizeof d};
        assert_int_equal(lsched_decision_get(world.cluster, told->id, &d, &err), LSCHED_OK);
        assert_memory_equal(told, &d, sizeof d);
    }
    lsched_plan_destroy(plan);
}

static void a_load_needs_no_database(void **state) {
    (void)state;
    struct saved s = {NULL, 0};
    lsched_cluster *loaded = NULL;
    lsched_decision a = {.size = sizeof a}, b = {.size = sizeof b};
    uint64_t cursor = 0, other = 0;
    assert_int_equal(lsched_cluster_save(world.cluster, append, &s, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_load(NULL, s.data, s.n, &loaded, &err), LSCHED_OK);
    while (lsched_decisions_next(world.cluster, &cursor, &a, &err) == 1) {
        assert_int_equal(lsched_decisions_next(loaded, &other, &b, &err), 1);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_int_equal(lsched_decisions_next(loaded, &other, &b, &err), 0);
    lsched_cluster_destroy(loaded);
    free(s.data);
}

static void a_cursor_at_a_settled_decision_says_so(void **state) {
    (void)state;
    lsched_decision d = {.size = sizeof d};
    uint64_t cursor = world.proposed;
    lsched_outcome no = LSCHED_OUTCOME_REJECTED;
    assert_true(settle_each(world.cluster, &world.proposed, &no, 1, NULL, &err) >= 0);
    assert_int_equal(lsched_decisions_next(world.cluster, &cursor, &d, &err), LSCHED_E_STATE);
    assert_non_null(strstr(err.message, "begin again"));
    cursor = 0;
    assert_int_equal(lsched_decisions_next(world.cluster, &cursor, &d, &err), 0);
}

/* ---- waiting jobs ---- */

static void each_job_of_a_bundle_has_the_reason(void **state) {
    (void)state;
    lsched_group_desc group = api_group(500); /* more than there is */
    lsched_id ids[3];
    lsched_job_desc jobs[3] = {api_job("big-1", &group, 1), api_job("big-2", &group, 1),
                               api_job("big-3", &group, 1)};
    assert_true(lsched_jobs_submit(world.cluster, jobs, 3, sizeof jobs[0], NULL, ids, NULL, &err) >=
                0);
    lsched_waiting w = {.size = sizeof w};
    assert_int_equal(lsched_waiting_get(world.cluster, ids[1], &w, &err), 0); /* not tried yet */
    assert_int_equal(w.code, LSCHED_WAIT_NONE);
    assert_true(api_cycle(world.cluster, world.now_us + 1, NULL) >= 0);
    char first[256], text[256];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lsched_waiting_get(world.cluster, ids[i], &w, &err), 1);
        assert_true(w.job == ids[i] && w.code != LSCHED_WAIT_NONE && w.jobs >= 3);
        assert_true(lsched_waiting_text(world.cluster, &w, text, sizeof text, NULL) > 0);
        if (i == 0) memcpy(first, text, sizeof first);
        assert_string_equal(first, text);
    }
    assert_int_equal(lsched_waiting_get(world.cluster, world.busy, &w, &err), 0);
    assert_int_equal(w.code, LSCHED_WAIT_NONE);
    uint64_t cursor = 0, seen = 0, all = 0;
    while (lsched_waiting_next(world.cluster, &cursor, &w, &err) == 1) {
        all++;
        for (int i = 0; i < 3; i++) seen += w.job == ids[i];
    }
    assert_int_equal(seen, 3);
    assert_true(all >= 3);
    assert_int_equal(lsched_waiting_get(world.cluster, world.gone_job, &w, &err), LSCHED_E_STALE);
}

/* ---- lists ---- */

static void lists_are_compared(void **state) {
    (void)state;
    lsched_text names[] = {{"n2", 2}, {"n3", 2}, {"n2", 2}, {"n3", 2}, {"", 0}};
    int32_t status[5];
    lsched_id ids[5], extra[4] = {0};
    uint64_t image = api_image(world.cluster);
    lsched_sync_report r = {
        .size = sizeof r, .status = status, .ids = ids, .extra = extra, .extra_capacity = 4};
    assert_int_equal(lsched_sync(world.cluster, LSCHED_KIND_NODE, names, 5, &r, &err), LSCHED_OK);
    static const int32_t want[] = {LSCHED_OK, LSCHED_E_NOENT, LSCHED_E_EXISTS, LSCHED_E_EXISTS,
                                   LSCHED_E_INVAL};
    assert_memory_equal(status, want, sizeof want);
    assert_true(ids[0] == world.nodes[1] && ids[1] == 0 && ids[2] == world.nodes[1]);
    assert_true(r.n_missing == 1 && r.n_duplicates == 2 && r.n_extra == 1);
    assert_true(extra[0] == world.nodes[0]);
    lsched_sync_report bare = {.size = sizeof bare};
    assert_int_equal(lsched_sync(world.cluster, LSCHED_KIND_JOB, NULL, 0, &bare, &err), LSCHED_OK);
    assert_true(bare.n_extra == 3 && bare.n_missing == 0);
    assert_int_equal(lsched_sync(world.cluster, LSCHED_KIND_DECISION, NULL, 0, &bare, &err),
                     LSCHED_E_INVAL);
    bare.extra_capacity = 1;
    assert_int_equal(lsched_sync(world.cluster, LSCHED_KIND_JOB, NULL, 0, &bare, &err),
                     LSCHED_E_NULL);
    assert_true(api_image(world.cluster) == image);
}

static void running_tasks_are_compared(void **state) {
    (void)state;
    lsched_task_ref refs[4];
    int32_t status[4];
    lsched_id extra[4] = {0};
    uint32_t extra_tasks[4] = {99};
    memset(refs, 0, sizeof refs);
    for (int i = 0; i < 4; i++) refs[i].size = sizeof refs[i];
    refs[0].job = world.open; /* proposed: the host has started it */
    refs[1].job_name = (lsched_text){"unknown", 7};
    refs[2].job_name = (lsched_text){"unknown", 7};
    refs[3].job_name = (lsched_text){"unknown", 7};
    refs[3].task_index = 1;
    lsched_sync_report r = {.size = sizeof r,
                            .status = status,
                            .extra = extra,
                            .extra_tasks = extra_tasks,
                            .extra_capacity = 4};
    assert_int_equal(lsched_sync_tasks(world.cluster, refs, 4, sizeof refs[0], &r, &err),
                     LSCHED_OK);
    static const int32_t want[] = {LSCHED_E_STATE, LSCHED_E_NOENT, LSCHED_E_EXISTS, LSCHED_E_NOENT};
    assert_memory_equal(status, want, sizeof want);
    assert_true(r.n_missing == 3 && r.n_duplicates == 1 && r.n_extra == 1);
    assert_true(extra[0] == world.busy && extra_tasks[0] == 0);
    refs[0].job = 0;
    refs[0].job_name = (lsched_text){"busy", 4};
    refs[1].job = world.busy;
    assert_int_equal(lsched_sync_tasks(world.cluster, refs, 2, sizeof refs[0], &r, &err),
                     LSCHED_OK);
    assert_true(status[0] == LSCHED_OK && status[1] == LSCHED_E_EXISTS && r.n_extra == 0);
}

/* Many names, in any order, some twice, some unknown: counted by hand. */
static void large_lists_are_compared(void **state) {
    (void)state;
    enum { JOBS = 300, LISTED = 700 };
    static char names[LISTED][16];
    static lsched_text list[LISTED];
    static int32_t status[LISTED];
    static int times[LISTED];
    lsched_group_desc group = api_group(1);
    uint64_t x = 1, known = 3, twice = 0, missing = 0;
    memset(times, 0, sizeof times);
    for (int i = 0; i < JOBS; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        lsched_job_desc d = api_job(name, &group, 1);
        assert_true(lsched_jobs_submit(world.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err) >=
                    0);
    }
    for (int i = 0; i < LISTED; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int which = (int)((x >> 33) % LISTED);
        snprintf(names[i], sizeof names[i], "j%d", which);
        list[i] = (lsched_text){names[i], strlen(names[i])};
        twice += times[which] > 0;
        missing += times[which] == 0 && which >= JOBS;
        known += times[which] == 0 && which < JOBS;
        times[which]++;
    }
    lsched_sync_report r = {.size = sizeof r, .status = status};
    assert_int_equal(lsched_sync(world.cluster, LSCHED_KIND_JOB, list, LISTED, &r, &err),
                     LSCHED_OK);
    assert_true(r.n_duplicates == twice && r.n_missing == missing);
    assert_true(r.n_extra == JOBS + 3 + 3 - known);
}

static void comparing_without_memory(void **state) {
    (void)state;
    struct fault_alloc faults = {0};
    lsched_allocator hooks = fault_hooks(&faults);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_text names[] = {{"n2", 2}, {"n3", 2}};
    int32_t rc = LSCHED_E_NOMEM;
    api_world_drop(&world);
    opts.allocator = &hooks;
    assert_int_equal(api_world_make(&world, &opts), LSCHED_OK);
    int64_t live = faults.live_blocks;
    for (uint64_t at = 1; rc == LSCHED_E_NOMEM; at++) {
        lsched_sync_report r = {.size = sizeof r};
        faults.calls = 0;
        faults.fail_at = at;
        rc = lsched_sync(world.cluster, LSCHED_KIND_NODE, names, 2, &r, &err);
        assert_true(faults.live_blocks == live && faults.wrong_sizes == 0);
    }
    faults.fail_at = 0;
    assert_int_equal(rc, LSCHED_OK);
    api_world_drop(&world);
    assert_int_equal(api_world_make(&world, NULL), LSCHED_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(a_decision_is_read_back),
                                       TEST(a_plan_shows_the_same),
                                       TEST(a_load_needs_no_database),
                                       TEST(a_cursor_at_a_settled_decision_says_so),
                                       TEST(each_job_of_a_bundle_has_the_reason),
                                       TEST(lists_are_compared),
                                       TEST(running_tasks_are_compared),
                                       TEST(large_lists_are_compared),
                                       TEST(comparing_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
