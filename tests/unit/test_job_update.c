/* Updates of jobs as a host makes them: which fields change when, what an update without a change leaves as it was, batches with bad
 * elements, and that a job after an update is like a job that was submitted so. docs/semantics.md 24 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"

static struct {
    struct api_world w;
    lsched_plan *plan;
    lsched_error err;
} t;

static int begin(void **unused) {
    (void)unused;
    memset(&t, 0, sizeof t);
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    int32_t rc = api_world_make(&t.w, NULL);
    lsched_id jobs[] = {t.w.busy, t.w.open, t.w.later};
    return rc < 0 || lsched_jobs_remove(t.w.cluster, jobs, 3, NULL, NULL, NULL) < 0;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(t.plan);
    api_world_drop(&t.w);
    return 0;
}

static lsched_id submit(const char *name, uint32_t count, uint32_t min) {
    lsched_group_desc group = api_group(count);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    group.min_count = min;
    assert_int_equal(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err),
                     1);
    return id;
}

static void cycle(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = t.w.now_us += 1000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    if (lsched_schedule(t.w.cluster, &opts, &t.plan, &t.err) < 0) fail_msg("%s", t.err.message);
}

static uint64_t hash(uint32_t which) {
    uint64_t h = 0;
    assert_int_equal(lsched_cluster_hash(t.w.cluster, which, &h, NULL), LSCHED_OK);
    return h;
}

static lsched_job_info info_of(lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    assert_int_equal(lsched_job_get(t.w.cluster, job, &info, NULL), LSCHED_OK);
    return info;
}

static int32_t update(const lsched_job_update *u) {
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    int32_t rc = lsched_jobs_update(t.w.cluster, u, 1, sizeof *u, NULL, NULL, &t.err);
    assert_int_equal(lsched_verify(t.w.cluster, NULL, NULL), LSCHED_OK);
    return rc;
}

static int32_t set_counts(lsched_id job, uint32_t max, uint32_t min) {
    lsched_group_count n = LSCHED_GROUP_COUNT_INIT;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    n.max_count = max;
    n.min_count = min;
    u.job = job;
    u.set = LSCHED_JOB_SET_COUNTS;
    u.counts = &n;
    u.n_counts = 1;
    return update(&u);
}

static void an_unchanged_update_leaves_every_byte(void **unused) {
    (void)unused;
    lsched_id job = submit("same", 40, 40);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_group_desc group = api_group(40);
    cycle();
    assert_int_equal(info_of(job).parked, 1);
    uint64_t image = hash(LSCHED_HASH_IMAGE);
    u.job = job;
    u.set = LSCHED_JOB_SET_AGAIN - 1 - LSCHED_JOB_SET_COUNTS - LSCHED_JOB_SET_QUEUE;
    lsched_job_desc same = api_job("same", &group, 1);
    u.priority = same.priority;
    u.tag = same.tag;
    u.groups = &group;
    u.n_groups = 1;
    assert_int_equal(update(&u), 1);
    assert_int_equal(set_counts(job, 40, 40), 1);
    u.set = LSCHED_JOB_SET_QUEUE;
    u.queue = info_of(job).queue;
    assert_int_equal(update(&u), 1);
    assert_int_equal(info_of(job).parked, 1);
    assert_true(hash(LSCHED_HASH_IMAGE) == image);
}

/* The meaning of the state is the same, whether a job was submitted so or changed afterwards. */
static void a_changed_job_is_like_one_that_was_submitted_so(void **unused) {
    (void)unused;
    lsched_label label = {LSCHED_TEXT("app"), LSCHED_TEXT("web")};
    lsched_group_desc group = api_group(3);
    lsched_job_desc job = api_job("j", &group, 1);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_id id = 0;
    job.labels = u.labels = &label;
    job.n_labels = u.n_labels = 1;
    job.duration_us = u.duration_us = 60000000;
    job.deadline_us = u.deadline_us = t.w.now_us + 900000000;
    job.time_limit_us = u.time_limit_us = 120000000;
    job.retries_max = u.retries_max = 4;
    job.backoff_us = u.backoff_us = 1000000;
    job.disruptions_max = u.disruptions_max = 2;
    job.disruption_window_us = u.disruption_window_us = 5000000;
    job.priority = u.priority = 3;
    job.tag = u.tag = 77;
    assert_int_equal(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err),
                     1);
    uint64_t wanted = hash(LSCHED_HASH_MEANING);
    assert_int_equal(lsched_jobs_remove(t.w.cluster, &id, 1, NULL, NULL, &t.err), 1);
    assert_int_equal(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err),
                     1);
    assert_true(hash(LSCHED_HASH_MEANING) == wanted);
    assert_int_equal(lsched_jobs_remove(t.w.cluster, &id, 1, NULL, NULL, &t.err), 1);
    u.job = submit("j", 5, 2);
    u.set = (LSCHED_JOB_SET_AGAIN - 1) & ~(uint32_t)(LSCHED_JOB_SET_QUEUE | LSCHED_JOB_SET_COUNTS);
    u.groups = &group;
    u.n_groups = 1;
    assert_int_equal(update(&u), 1);
    assert_true(hash(LSCHED_HASH_MEANING) == wanted);
}

static void numbers_of_tasks_follow_the_tasks(void **unused) {
    (void)unused;
    lsched_id job = submit("grows", 3, 1);
    cycle();
    uint32_t placed = info_of(job).tasks_placed;
    assert_int_equal(placed, 3);
    assert_int_equal(set_counts(job, 20, 3), 1); /* large jobs find their tasks by an index */
    cycle();
    placed = info_of(job).tasks_placed;
    assert_true(placed > 3);
    assert_int_equal(set_counts(job, placed - 1, 0), LSCHED_E_STATE);
    assert_non_null(strstr(t.err.message, "had a place"));
    assert_int_equal(set_counts(job, 30, 30), LSCHED_E_STATE);
    assert_int_equal(set_counts(job, placed, 0), 1);
    assert_int_equal(info_of(job).tasks_wanted, placed);
    assert_int_equal(set_counts(job, 2, 0), LSCHED_E_RANGE);
    assert_int_equal(set_counts(job, 0, LSCHED_MIN_NONE), 1);
    assert_int_equal(info_of(job).tasks_min, 0);
    assert_int_equal(lsched_jobs_remove(t.w.cluster, &job, 1, NULL, NULL, &t.err), 1);
}

static void a_job_is_complete_with_the_tasks_that_it_had(void **unused) {
    (void)unused;
    lsched_id job = submit("elastic", 40, 1), none = submit("none", 40, 40), gone = 0;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    lsched_cluster_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    int32_t status = 7;
    assert_int_equal(lsched_cluster_stats_get(t.w.cluster, &before, NULL), LSCHED_OK);
    cycle();
    assert_true(info_of(job).tasks_placed > 1);
    assert_int_equal(lsched_jobs_complete(t.w.cluster, &job, 1, NULL, NULL, &t.err),
                     LSCHED_E_STATE); /* only proposed */
    e.event = LSCHED_EVENT_STARTED;
    e.job = job;
    assert_int_equal(lsched_tasks_report(t.w.cluster, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    assert_int_equal(lsched_jobs_complete(t.w.cluster, &job, 1, NULL, NULL, &t.err), 1);
    assert_int_equal(lsched_verify(t.w.cluster, NULL, &t.err), LSCHED_OK);
    assert_int_equal(lsched_find(t.w.cluster, LSCHED_KIND_JOB, lsched_cstr("elastic")), 0);
    assert_int_equal(lsched_cluster_stats_get(t.w.cluster, &after, NULL), LSCHED_OK);
    assert_int_equal(after.tasks_placed, before.tasks_placed);
    assert_int_equal(after.decisions_open, before.decisions_open);
    assert_int_equal(lsched_jobs_complete(t.w.cluster, &job, 1, NULL, NULL, &t.err),
                     LSCHED_E_STALE);
    opts.flags = LSCHED_BATCH_IDEMPOTENT;
    assert_int_equal(lsched_jobs_complete(t.w.cluster, &job, 1, &opts, &status, &t.err), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    assert_int_equal(lsched_jobs_complete(t.w.cluster, &none, 1, NULL, NULL, &t.err),
                     LSCHED_E_STATE);
    assert_non_null(strstr(t.err.message, "remove it instead"));
    assert_int_equal(lsched_jobs_complete(t.w.cluster, &gone, 1, NULL, NULL, &t.err),
                     LSCHED_E_KIND);
}

static void bad_updates_are_named(void **unused) {
    (void)unused;
    lsched_id job = submit("bad", 2, 2);
    lsched_job_update u[2] = {LSCHED_JOB_UPDATE_INIT, LSCHED_JOB_UPDATE_INIT};
    lsched_group_count n = LSCHED_GROUP_COUNT_INIT;
    int32_t status[2] = {1, 1};
    u[0].name = LSCHED_TEXT("bad");
    u[0].set = LSCHED_JOB_SET_PRIORITY;
    u[0].priority = 8;
    u[1].job = job;
    u[1].set = 1u << 31;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    assert_int_equal(lsched_jobs_update(t.w.cluster, u, 2, sizeof u[0], &opts, status, &t.err),
                     LSCHED_E_INVAL);
    assert_int_equal(status[1], LSCHED_E_INVAL);
    assert_int_equal(info_of(job).priority, 0);
    opts.flags = LSCHED_BATCH_PARTIAL;
    assert_int_equal(lsched_jobs_update(t.w.cluster, u, 2, sizeof u[0], &opts, status, &t.err), 1);
    assert_int_equal(info_of(job).priority, 8);
    opts.flags = 64;
    assert_int_equal(lsched_jobs_update(t.w.cluster, u, 1, sizeof u[0], &opts, NULL, &t.err),
                     LSCHED_E_INVAL);
    u[1].set = LSCHED_JOB_SET_COUNTS | LSCHED_JOB_SET_GROUPS;
    assert_int_equal(update(&u[1]), LSCHED_E_INVAL);
    u[1].set = LSCHED_JOB_SET_COUNTS;
    u[1].counts = &n;
    u[1].n_counts = 1;
    n.group = 1;
    assert_int_equal(update(&u[1]), LSCHED_E_RANGE);
    n.group = 0;
    n.min_groups = 1;
    assert_int_equal(update(&u[1]), LSCHED_E_INVAL);
    u[1].set = LSCHED_JOB_SET_DISRUPTIONS;
    u[1].disruption_window_us = 5;
    assert_int_equal(update(&u[1]), LSCHED_E_INVAL);
    u[1].set = LSCHED_JOB_SET_RETRIES;
    u[1].backoff_us = -1;
    assert_int_equal(update(&u[1]), LSCHED_E_RANGE);
    u[1].set = LSCHED_JOB_SET_RELEASE;
    u[1].release_us = -1;
    assert_int_equal(update(&u[1]), LSCHED_E_RANGE);
    u[1].set = LSCHED_JOB_SET_CHECKPOINT;
    u[1].checkpoint_us = -1;
    assert_int_equal(update(&u[1]), LSCHED_E_RANGE);
    assert_int_equal(lsched_jobs_remove(t.w.cluster, &job, 1, NULL, NULL, &t.err), 1);
    u[1].set = LSCHED_JOB_SET_TAG;
    assert_int_equal(update(&u[1]), LSCHED_E_STALE);
    assert_int_equal(update(&u[0]), LSCHED_E_NOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_unchanged_update_leaves_every_byte, begin, end),
        cmocka_unit_test_setup_teardown(a_changed_job_is_like_one_that_was_submitted_so, begin,
                                        end),
        cmocka_unit_test_setup_teardown(numbers_of_tasks_follow_the_tasks, begin, end),
        cmocka_unit_test_setup_teardown(a_job_is_complete_with_the_tasks_that_it_had, begin, end),
        cmocka_unit_test_setup_teardown(bad_updates_are_named, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
