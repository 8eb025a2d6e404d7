/* The undo records that the removal of a job writes, against the room that job_remove_room() makes:
 * a job with as many groups, selectors and dependencies as a job can have. A write past the room is
 * a write past the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cluster.h"
#include "model/dependencies/gate.h"
#include "model/jobs/job.h"
#include "model/jobs/losses.h"
#include "model/shapes/shape.h"
#include "model/store/undo.h"
#include "support/api_world.h"

enum { GROUPS = 64, SELECTORS = 8, NEEDS = 64, NAME = 80 };

static struct api_world world;
static lsched_error err;

#define MUST(call)                                                              \
    do {                                                                        \
        if ((call) < 0) fail_msg("%s:%d: %s", __FILE__, __LINE__, err.message); \
    } while (0)

static int begin(void **unused) {
    (void)unused;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return api_world_make(&world, NULL) < 0;
}

static int end(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

/* Each group asks for another amount and other labels, so that it has a shape of its own. */
static void make_groups(lsched_group_desc *groups, lsched_amount *amounts,
                        lsched_selector (*selectors)[SELECTORS], lsched_text *values) {
    groups[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT; /* contains the others */
    for (uint32_t g = 1; g < GROUPS; g++) {
        groups[g] = api_group(1);
        amounts[g] = (lsched_amount){LSCHED_CPU, 0, 1000 + g};
        groups[g].request = &amounts[g];
        groups[g].n_request = 1;
        groups[g].min_count = 1;
        groups[g].selectors = selectors[g];
        groups[g].n_selectors = SELECTORS;
        for (uint32_t s = 0; s < SELECTORS; s++) {
            selectors[g][s] = (lsched_selector)LSCHED_SELECTOR_INIT;
            selectors[g][s].key = values[s];
            selectors[g][s].values = &values[g % SELECTORS];
            selectors[g][s].n_values = 1;
        }
    }
}

static lsched_id submit_wide(const lsched_dependency *needs, uint32_t n) {
    static lsched_group_desc groups[GROUPS];
    static lsched_amount amounts[GROUPS];
    static lsched_selector selectors[GROUPS][SELECTORS];
    static char words[SELECTORS][NAME];
    lsched_text values[SELECTORS];
    for (int s = 0; s < SELECTORS; s++) {
        snprintf(words[s], sizeof words[s], "a-long-word-of-a-label-that-is-number-%d", s);
        values[s] = lsched_cstr(words[s]);
    }
    make_groups(groups, amounts, selectors, values);
    lsched_job_desc job = api_job("wide", groups, GROUPS);
    lsched_id id = 0;
    job.dependencies = needs;
    job.n_dependencies = n;
    MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

/* Submits jobs to wait for, and with over = 1 removes them when the wide job waits for them. */
static lsched_id submit_waiting(int over) {
    static char names[NEEDS][NAME];
    lsched_dependency needs[NEEDS];
    lsched_id jobs[NEEDS];
    for (uint32_t i = 0; i < NEEDS; i++) {
        snprintf(names[i], sizeof names[i], "a-job-with-a-long-name-that-the-other-waits-for-%u",
                 i);
        lsched_group_desc group = api_group(1);
        lsched_job_desc job = api_job(names[i], &group, 1);
        job.begin_us = world.now_us + 1000000 * (int64_t)(i + 1); /* in the heap */
        MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &jobs[i], NULL, &err));
        needs[i] = (lsched_dependency)LSCHED_DEPENDENCY_INIT;
        needs[i].job = jobs[i];
        needs[i].after = LSCHED_AFTER_END;
        needs[i].delay_us = 1000000 + i;
    }
    lsched_id id = submit_wide(needs, NEEDS);
    if (over) MUST(lsched_jobs_remove(world.cluster, jobs, NEEDS, NULL, NULL, &err));
    return id;
}

static void expect_room(lsched_id id) {
    struct columns *k = &world.cluster->k;
    uint32_t job = (uint32_t)id;
    assert_int_equal(undo_begin(k), LSCHED_OK);
    size_t mark = undo_mark(k);
    assert_int_equal(tasks_drop_all(k, job, NULL, NULL), LSCHED_OK);
    assert_int_equal(job_remove_room(k, job), LSCHED_OK);
    size_t before = k->undo_n, room = k->undo_cap - before;
    size_t said = LIMIT_UNDO_SPARE + jobshape_drop_records(k, k->c[C_JOB_SHAPE].u32[job]) +
                  gate_drop_records(k, gate_row(k, job));
    assert_true(said <= room);
    job_remove(k, job);
    print_message("%zu records, room for %zu\n", k->undo_n - before, said);
    assert_true(k->undo_n - before <= said / 2); /* half of it is for changes to come */
    undo_rollback(k, mark);
    undo_end(k);
    MUST(lsched_verify(world.cluster, NULL, &err));
}

static void a_job_with_many_groups_has_room(void **unused) {
    (void)unused;
    expect_room(submit_wide(NULL, 0));
}

/* The bundle of a parked job holds the shape, too. */
static void a_job_that_is_parked_has_room(void **unused) {
    (void)unused;
    lsched_id id = submit_wide(NULL, 0);
    MUST(api_cycle(world.cluster, world.now_us, NULL));
    expect_room(id);
}

static void a_job_that_waits_for_many_has_room(void **unused) {
    (void)unused;
    expect_room(submit_waiting(0));
}

static void a_job_that_waited_for_many_has_room(void **unused) {
    (void)unused;
    expect_room(submit_waiting(1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_job_with_many_groups_has_room),
        TEST(a_job_that_is_parked_has_room),
        TEST(a_job_that_waits_for_many_has_room),
        TEST(a_job_that_waited_for_many_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
