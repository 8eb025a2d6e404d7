/* What jobs wait for before their first start: what the change feed tells, what is read back, the
 * errors of calls, and another clock. docs/semantics.md 30 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_empty.h"

static uint64_t cursor;

#define SECOND INT64_C(1000000)

static lsched_id submit(const char *name, const lsched_job_desc *more) {
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = *more, plain = api_job(name, &group, 1);
    lsched_id id = 0;
    group.min_count = 1;
    job.name = plain.name;
    job.queue = plain.queue;
    job.queue_name = plain.queue_name;
    job.groups = &group;
    job.n_groups = 1;
    MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static lsched_id submit_plain(const char *name) {
    const lsched_job_desc none = LSCHED_JOB_DESC_INIT;
    return submit(name, &none);
}

static lsched_id submit_after(const char *name, lsched_id on, uint32_t after, uint32_t on_never) {
    lsched_dependency d = LSCHED_DEPENDENCY_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    d.job = on;
    d.after = after;
    job.dependencies = &d;
    job.n_dependencies = 1;
    job.on_never = on_never;
    return submit(name, &job);
}

static void cycle_at(int64_t now_us) {
    world.now_us = now_us;
    MUST(api_cycle(world.cluster, now_us, NULL));
    MUST(lsched_verify(world.cluster, NULL, &err));
}

static lsched_job_info info_of(lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    MUST(lsched_job_get(world.cluster, job, &info, &err));
    return info;
}

/* Expects the next change of a job in the feed. */
static void expect_change(uint32_t kind, uint32_t because, lsched_id job) {
    lsched_change c = {.size = sizeof c};
    assert_int_equal(lsched_changes_next(world.cluster, &cursor, &c, &err), 1);
    assert_string_equal(lsched_change_name(c.kind), lsched_change_name(kind));
    assert_string_equal(lsched_because_name(c.because), lsched_because_name(because));
    assert_int_equal(c.job, job);
}

static void expect_no_change(void) {
    lsched_change c = {.size = sizeof c};
    assert_int_equal(lsched_changes_next(world.cluster, &cursor, &c, &err), 0);
}

static void the_feed_tells_what_a_cycle_does(void **unused) {
    (void)unused;
    lsched_job_desc timed = LSCHED_JOB_DESC_INIT;
    lsched_id first = submit_plain("first"),
              stays = submit_after("stays", first, LSCHED_AFTER_SUCCESS, LSCHED_ON_NEVER_WAIT),
              goes = submit_after("goes", first, LSCHED_AFTER_SUCCESS, LSCHED_ON_NEVER_REMOVE),
              then = submit_after("then", goes, LSCHED_AFTER_END, LSCHED_ON_NEVER_WAIT);
    timed.begin_us = world.now_us + 30 * SECOND;
    lsched_id later = submit("late", &timed);
    timed.expires_us = timed.begin_us + 20 * SECOND;
    lsched_id over = submit("over", &timed);
    lsched_job_hold hold = LSCHED_JOB_HOLD_INIT;
    hold.job = over;
    MUST(lsched_jobs_hold(world.cluster, &hold, 1, sizeof hold, NULL, NULL, &err));
    cycle_at(world.now_us + SECOND);
    cursor = lsched_changes_end(world.cluster);
    MUST(lsched_jobs_remove(world.cluster, &first, 1, NULL, NULL, &err));
    expect_no_change();
    cycle_at(world.now_us + SECOND);
    expect_change(LSCHED_CHANGE_NEVER, LSCHED_BECAUSE_DEPENDENCY, stays);
    expect_change(LSCHED_CHANGE_ENDED, LSCHED_BECAUSE_DEPENDENCY, goes);
    expect_change(LSCHED_CHANGE_READY, LSCHED_BECAUSE_DEPENDENCY, then);
    expect_no_change();
    cycle_at(timed.begin_us);
    expect_change(LSCHED_CHANGE_READY, LSCHED_BECAUSE_TIME, later);
    expect_change(LSCHED_CHANGE_READY, LSCHED_BECAUSE_TIME, over);
    cycle_at(timed.expires_us + SECOND);
    expect_change(LSCHED_CHANGE_ENDED, LSCHED_BECAUSE_TIME, over);
    expect_no_change();
    assert_int_equal(info_of(stays).dependencies_never, 1);
    assert_int_equal(info_of(later).tasks_placed, 1);
}

static void a_description_has_what_a_job_waits_for(void **unused) {
    (void)unused;
    lsched_id first = submit_plain("first"), second = submit_plain("second");
    lsched_dependency needs[2] = {LSCHED_DEPENDENCY_INIT, LSCHED_DEPENDENCY_INIT};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    needs[0].job = first;
    needs[0].after = LSCHED_AFTER_END;
    needs[1].name = lsched_cstr("second");
    needs[1].after = LSCHED_AFTER_FAILURE;
    needs[1].delay_us = 7 * SECOND;
    job.begin_us = world.now_us + 30 * SECOND;
    job.expires_us = world.now_us + 90 * SECOND;
    job.dependencies = needs;
    job.n_dependencies = 2;
    job.on_never = LSCHED_ON_NEVER_REMOVE;
    lsched_id id = submit("waits", &job);
    /* what has happened is not waited for any more, also before a cycle tells it */
    MUST(lsched_jobs_remove(world.cluster, &first, 1, NULL, NULL, &err));
    lsched_description *d = NULL;
    MUST(lsched_describe(world.cluster, id, &d, &err));
    const lsched_job_desc *back = lsched_description_job(d);
    assert_non_null(back);
    assert_int_equal(back->begin_us, job.begin_us);
    assert_int_equal(back->expires_us, job.expires_us);
    assert_int_equal(back->on_never, LSCHED_ON_NEVER_REMOVE);
    assert_int_equal(back->n_dependencies, 1);
    assert_int_equal(back->dependencies[0].after, LSCHED_AFTER_FAILURE);
    assert_int_equal(back->dependencies[0].delay_us, 7 * SECOND);
    assert_int_equal(back->dependencies[0].name.len, 6);
    lsched_description_destroy(d);
    assert_int_equal(info_of(second).tasks_wanted, 1);
}

static lsched_id submit_delayed(const char *name, lsched_id on, uint32_t after) {
    lsched_dependency d = LSCHED_DEPENDENCY_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    d.job = on;
    d.after = after;
    d.delay_us = 50 * SECOND;
    job.dependencies = &d;
    job.n_dependencies = 1;
    return submit(name, &job);
}

/* A delay that runs and what can never happen are described with the time of the event. A job that
 * is submitted from the description waits as long, and with the same text, though no other exists. */
static void a_description_has_what_became_of_a_dependency(void **unused) {
    (void)unused;
    static const uint32_t cases[][2] = {{LSCHED_AFTER_END, LSCHED_WAIT_BEGIN},
                                        {LSCHED_AFTER_FAILURE, LSCHED_WAIT_BEGIN},
                                        {LSCHED_AFTER_SUCCESS, LSCHED_WAIT_DEPENDENCY_NEVER},
                                        {LSCHED_AFTER_START, LSCHED_WAIT_DEPENDENCY_NEVER}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char texts[2][400];
        lsched_waiting why[2] = {{.size = sizeof why[0]}, {.size = sizeof why[0]}};
        lsched_id first = submit_plain("first");
        lsched_id job = submit_delayed("waits", first, cases[i][0]);
        lsched_description *d = NULL;
        MUST(lsched_jobs_remove(world.cluster, &first, 1, NULL, NULL, &err));
        MUST(lsched_describe(world.cluster, job, &d, &err));
        assert_int_equal(lsched_description_job(d)->n_dependencies, 1);
        cycle_at(world.now_us + SECOND);
        for (int32_t again = 0; again < 2; again++) {
            MUST(lsched_waiting_get(world.cluster, job, &why[again], &err));
            MUST(lsched_explain(world.cluster, job, texts[again], sizeof texts[0], NULL, &err));
            MUST(lsched_jobs_remove(world.cluster, &job, 1, NULL, NULL, &err));
            if (again) break;
            MUST(lsched_jobs_submit(world.cluster, lsched_description_job(d), 1, 0, NULL, &job,
                                    NULL, &err));
            cycle_at(world.now_us);
        }
        assert_int_equal(why[0].code, cases[i][1]);
        assert_int_equal(why[1].code, why[0].code);
        assert_int_equal(why[1].until_us, why[0].until_us);
        assert_string_equal(texts[1], texts[0]);
        lsched_description_destroy(d);
    }
}

static void errors_name_the_cure(void **unused) {
    (void)unused;
    lsched_id first = submit_plain("first"), gone = submit_plain("gone");
    lsched_dependency many[LSCHED_DEPENDENCIES_MAX + 1];
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    MUST(lsched_jobs_remove(world.cluster, &gone, 1, NULL, NULL, &err));
    memset(many, 0, sizeof many);
    for (uint32_t i = 0; i <= LSCHED_DEPENDENCIES_MAX; i++)
        many[i] = (lsched_dependency){.size = sizeof many[i], .job = first};
    u.job = first;
    u.set = LSCHED_JOB_SET_DEPENDENCIES;
    u.dependencies = many;
    u.n_dependencies = LSCHED_DEPENDENCIES_MAX + 1;
    const struct {
        uint32_t n, after, on_never;
        lsched_id job;
        int64_t delay_us;
        const lsched_dependency *list;
        int32_t rc;
        const char *text;
    } cases[] = {
        {65, 0, 0, first, 0, many, LSCHED_E_LIMIT, "65 dependencies; at most 64"},
        {1, 0, 0, first, 0, many, LSCHED_E_CYCLE, "the job would wait for itself"},
        {1, 0, 0, gone, 0, many, LSCHED_E_STALE, ""},
        {1, 9, 0, first, 0, many, LSCHED_E_INVAL, "unknown event 9"},
        {1, 0, 7, first, 0, many, LSCHED_E_INVAL, "on_never is 7"},
        {1, 0, 0, first, -1, many, LSCHED_E_RANGE, "delay_us"},
        {1, 0, 0, first, 0, NULL, LSCHED_E_NULL, "dependencies is NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        many[0].job = cases[i].job;
        many[0].after = cases[i].after;
        many[0].delay_us = cases[i].delay_us;
        u.n_dependencies = cases[i].n;
        u.dependencies = cases[i].list;
        u.on_never = cases[i].on_never;
        assert_int_equal(lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                         cases[i].rc);
        if (!strstr(err.message, cases[i].text)) fail_msg("%zu: %s", i, err.message);
    }
    MUST(lsched_verify(world.cluster, NULL, &err));
}

static void what_happened_has_no_id(void **unused) {
    (void)unused;
    lsched_dependency d = LSCHED_DEPENDENCY_INIT;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_id other = submit_plain("other");
    u.job = submit_plain("waits");
    u.set = LSCHED_JOB_SET_DEPENDENCIES;
    u.dependencies = &d;
    u.n_dependencies = 1;
    const struct {
        lsched_id job;
        const char *name;
        uint32_t after;
        int32_t rc;
        int64_t happened_us;
        const char *text;
    } cases[] = {
        {other, "gone", LSCHED_AFTER_END, LSCHED_E_INVAL, 5, "expected its name alone"},
        {0, "gone", LSCHED_AFTER_END, LSCHED_E_INVAL, LSCHED_NEVER_US, "but each job ends"},
        {0, "", LSCHED_AFTER_END, LSCHED_E_INVAL, 5, "name"},
        {0, "gone", LSCHED_AFTER_END, LSCHED_E_RANGE, -5, "happened_us"},
        {0, "gone", LSCHED_AFTER_START, 1, LSCHED_NEVER_US, ""},
        {0, "gone", LSCHED_AFTER_START, 1, LSCHED_NEVER_US, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        d.job = cases[i].job;
        d.name = lsched_cstr(cases[i].name);
        d.after = cases[i].after;
        d.happened_us = cases[i].happened_us;
        int32_t rc = lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err);
        if (rc != cases[i].rc || (rc < 0 && !strstr(err.message, cases[i].text)))
            fail_msg("%zu: %d, %s", i, rc, err.message);
        MUST(lsched_verify(world.cluster, NULL, &err));
    }
    assert_int_equal(info_of(u.job).dependencies_never, 1);
}

static void a_clock_that_is_set_back_keeps_the_distances(void **unused) {
    (void)unused;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id first = submit_plain("first");
    lsched_dependency d = LSCHED_DEPENDENCY_INIT;
    cycle_at(world.now_us + SECOND);
    MUST(api_report(world.cluster, first, LSCHED_EVENT_STARTED));
    d.job = first;
    d.after = LSCHED_AFTER_START;
    d.delay_us = 50 * SECOND;
    job.dependencies = &d;
    job.n_dependencies = 1;
    lsched_id delayed = submit("delayed", &job);
    job = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    job.begin_us = world.now_us + 40 * SECOND;
    job.expires_us = world.now_us + 60 * SECOND;
    lsched_id begins = submit("begins", &job);
    cycle_at(world.now_us + SECOND);
    int64_t to = world.now_us - 1000 * SECOND;
    MUST(lsched_clock_set(world.cluster, to, &err));
    MUST(lsched_verify(world.cluster, NULL, &err));
    assert_int_equal(info_of(begins).begin_us, to + 39 * SECOND);
    assert_int_equal(info_of(begins).expires_us, to + 59 * SECOND);
    cycle_at(to + 38 * SECOND);
    assert_int_equal(info_of(begins).tasks_placed, 0);
    cycle_at(to + 39 * SECOND);
    assert_int_equal(info_of(begins).tasks_placed, 1);
    assert_int_equal(info_of(delayed).tasks_placed, 0);
    cycle_at(to + 50 * SECOND);
    assert_int_equal(info_of(delayed).tasks_placed, 1);
}

/* A confirmed task can end without a report of its start: the job has started all the same. */
static void a_job_that_ends_without_a_start_has_started(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("pair", &group, 1);
    lsched_id pair = 0;
    group.min_count = 1;
    MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &pair, NULL, &err));
    lsched_id follows = submit_after("follows", pair, LSCHED_AFTER_START, LSCHED_ON_NEVER_WAIT);
    cycle_at(world.now_us + SECOND);
    lsched_id decision = 0;
    uint64_t at = 0;
    lsched_decision d = {.size = sizeof d};
    while (!decision && lsched_decisions_next(world.cluster, &at, &d, &err) == 1)
        if (d.job == pair && d.task_index == 0) decision = d.id;
    lsched_settlement confirm = LSCHED_SETTLEMENT_INIT;
    confirm.decision = decision;
    confirm.outcome = LSCHED_OUTCOME_CONFIRMED;
    MUST(lsched_settle(world.cluster, &confirm, 1, sizeof confirm, NULL, NULL, NULL, &err));
    MUST(api_report(world.cluster, pair, LSCHED_EVENT_ENDED));
    cycle_at(world.now_us + SECOND);
    lsched_id second = submit_after("second", pair, LSCHED_AFTER_START, LSCHED_ON_NEVER_WAIT);
    cycle_at(world.now_us + SECOND);
    assert_int_equal(info_of(follows).tasks_placed, 1);
    assert_int_equal(info_of(second).tasks_placed, 1);
}

/* A started job whose expiry is over waits with the reason of its gate, also after a cycle. */
static void an_expiry_that_is_over_leaves_the_reason(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("pair", &group, 1);
    lsched_dependency needs[2] = {LSCHED_DEPENDENCY_INIT, LSCHED_DEPENDENCY_INIT};
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_job_desc later = LSCHED_JOB_DESC_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    group.min_count = 2;
    MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &u.job, NULL, &err));
    later.begin_us = world.now_us + 500 * SECOND;
    needs[0].job = submit("one", &later);
    needs[1].job = submit("two", &later);
    cycle_at(world.now_us + SECOND);
    static const uint32_t events[][2] = {{0, LSCHED_EVENT_STARTED},
                                         {1, LSCHED_EVENT_STARTED},
                                         {0, LSCHED_EVENT_ENDED},
                                         {1, LSCHED_EVENT_FAILED}};
    e.job = u.job;
    for (size_t i = 0; i < 4; i++) {
        e.task_index = events[i][0];
        e.event = events[i][1];
        MUST(lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err));
    }
    u.set = LSCHED_JOB_SET_DEPENDENCIES | LSCHED_JOB_SET_EXPIRY;
    u.expires_us = world.now_us + 10 * SECOND;
    u.dependencies = needs;
    u.n_dependencies = 2;
    MUST(lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
    cycle_at(world.now_us + SECOND);
    MUST(lsched_jobs_remove(world.cluster, &needs[0].job, 1, NULL, NULL, &err));
    cycle_at(world.now_us + 10 * SECOND);
    cycle_at(world.now_us + SECOND);
}

static void a_job_cannot_wait_for_itself(void **unused) {
    (void)unused;
    lsched_dependency d = LSCHED_DEPENDENCY_INIT;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("alone", &group, 1);
    d.name = job.name;
    d.after = LSCHED_AFTER_SUCCESS;
    job.dependencies = &d;
    job.n_dependencies = 1;
    assert_int_equal(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     LSCHED_E_CYCLE);
    assert_non_null(strstr(err.message, "dependency 0 names the job itself"));
}

static int64_t waits_until(lsched_id job) {
    lsched_waiting why = {.size = sizeof why};
    assert_int_equal(lsched_waiting_get(world.cluster, job, &why, &err), 1);
    return why.until_us;
}

static void report_at(lsched_id job, uint32_t event, int64_t at_us) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = job;
    e.event = event;
    e.at_us = at_us;
    MUST(lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err));
}

/* The first start of a job is remembered while the job exists: what a job that names it later waits
 * for does not depend on the jobs that named it before, nor on whether it runs now. */
static void a_start_does_not_depend_on_other_followers(void **unused) {
    (void)unused;
    for (int32_t others = 0; others < 2; others++) {
        lsched_id first = submit_plain("first"), other = 0;
        if (others) other = submit_after("other", first, LSCHED_AFTER_START, LSCHED_ON_NEVER_WAIT);
        cycle_at(world.now_us + SECOND);
        int64_t began = world.now_us;
        report_at(first, LSCHED_EVENT_STARTED, began);
        cycle_at(began + SECOND);
        if (others) MUST(lsched_jobs_remove(world.cluster, &other, 1, NULL, NULL, &err));
        report_at(first, LSCHED_EVENT_FAILED, world.now_us);
        cycle_at(began + 20 * SECOND);
        lsched_id waits = submit_delayed("waits", first, LSCHED_AFTER_START);
        cycle_at(began + 21 * SECOND);
        assert_int_equal(waits_until(waits), began + 50 * SECOND);
        report_at(first, LSCHED_EVENT_STARTED, world.now_us);
        lsched_id runs = submit_delayed("runs", first, LSCHED_AFTER_START);
        cycle_at(began + 22 * SECOND);
        assert_int_equal(waits_until(runs), began + 50 * SECOND);
        cycle_at(began + 49 * SECOND);
        assert_int_equal(info_of(waits).tasks_placed, 0);
        cycle_at(began + 50 * SECOND);
        assert_int_equal(info_of(waits).tasks_placed, 1);
        assert_int_equal(info_of(runs).tasks_placed, 1);
        lsched_id gone[] = {first, waits, runs};
        MUST(lsched_jobs_remove(world.cluster, gone, 3, NULL, NULL, &err));
    }
}

/* A job that started before it came to the cluster: the start is described, it ends the expiry, and
 * it must be a time that a report can state. */
static void a_first_start_comes_with_the_job(void **unused) {
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_description *d = NULL;
    (void)unused;
    const int64_t now = world.now_us + SECOND, started = now - 60 * SECOND;
    cycle_at(now);
    job.first_start_us = started;
    job.expires_us = now + 100 * SECOND;
    lsched_id ran = submit("ran", &job), waits = submit_after("waits", ran, LSCHED_AFTER_START, 0);
    assert_int_equal(info_of(ran).first_start_us, started);
    assert_int_equal(info_of(ran).expires_us, 0);
    MUST(lsched_describe(world.cluster, ran, &d, &err));
    assert_int_equal(lsched_description_job(d)->first_start_us, started);
    lsched_description_destroy(d);
    MUST(lsched_describe(world.cluster, waits, &d, &err));
    assert_int_equal(lsched_description_job(d)->first_start_us, 0);
    assert_int_equal(lsched_description_job(d)->n_dependencies, 0); /* it is met */
    lsched_description_destroy(d);
    const struct {
        int64_t at;
        int32_t code;
    } wrong[] = {{-1, LSCHED_E_RANGE}, {now + 2 * LSCHED_REPORT_AHEAD_US, LSCHED_E_TIME}};
    for (size_t i = 0; i < 2; i++) {
        lsched_group_desc group = api_group(1);
        job = api_job("wrong", &group, 1);
        job.first_start_us = wrong[i].at;
        assert_int_equal(
            lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
            wrong[i].code);
        assert_non_null(strstr(err.message, "first_start_us"));
    }
}

/* A report that comes late states when the event happened, and delays count from there. */
static void delays_count_from_the_time_of_the_report(void **unused) {
    (void)unused;
    lsched_id first = submit_plain("first"), second = submit_plain("second");
    lsched_id started = submit_delayed("started", first, LSCHED_AFTER_START),
              ended = submit_delayed("ended", first, LSCHED_AFTER_SUCCESS),
              removed = submit_delayed("removed", second, LSCHED_AFTER_FAILURE);
    cycle_at(world.now_us + SECOND);
    int64_t from = world.now_us;
    cycle_at(from + 40 * SECOND);
    report_at(first, LSCHED_EVENT_STARTED, from + 3 * SECOND);
    report_at(first, LSCHED_EVENT_ENDED, from + 9 * SECOND);
    MUST(lsched_jobs_remove(world.cluster, &second, 1, NULL, NULL, &err));
    cycle_at(from + 41 * SECOND);
    assert_int_equal(waits_until(started), from + 53 * SECOND);
    assert_int_equal(waits_until(ended), from + 59 * SECOND);
    assert_int_equal(waits_until(removed), from + 90 * SECOND);
}

/* Reports of the tasks of one job can come in another order than their ends. */
static void a_success_is_not_before_the_last_end(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(2);
    lsched_job_desc desc = api_job("two", &group, 1);
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    MUST(lsched_jobs_submit(world.cluster, &desc, 1, sizeof desc, NULL, &e.job, NULL, &err));
    lsched_id waits = submit_delayed("waits", e.job, LSCHED_AFTER_SUCCESS);
    cycle_at(world.now_us + SECOND);
    int64_t from = world.now_us;
    cycle_at(from + 100 * SECOND);
    static const int64_t ends[] = {100 * SECOND, 50 * SECOND};
    for (uint32_t task = 0; task < 2; task++) {
        e.task_index = task;
        e.event = LSCHED_EVENT_STARTED;
        e.at_us = from;
        MUST(lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err));
    }
    for (uint32_t task = 0; task < 2; task++) {
        e.task_index = task;
        e.event = LSCHED_EVENT_ENDED;
        e.at_us = from + ends[task];
        MUST(lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err));
    }
    cycle_at(from + 101 * SECOND);
    assert_int_equal(waits_until(waits), from + 150 * SECOND);
}

static void a_job_that_has_started_does_not_expire(void **unused) {
    (void)unused;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = submit_plain("runs");
    cycle_at(world.now_us + SECOND);
    report_at(u.job, LSCHED_EVENT_STARTED, world.now_us);
    report_at(u.job, LSCHED_EVENT_FAILED, world.now_us);
    u.set = LSCHED_JOB_SET_EXPIRY;
    u.expires_us = world.now_us + 2 * SECOND;
    MUST(lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
    assert_int_equal(info_of(u.job).expires_us, 0);
    cycle_at(world.now_us + 3 * SECOND);
    assert_int_equal(info_of(u.job).expires_us, 0);
}

static void import_task(lsched_id job) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = job;
    m.node_name = lsched_cstr("n1");
    m.start_us = world.now_us;
    MUST(lsched_tasks_import(world.cluster, &m, 1, sizeof m, NULL, NULL, &err));
}

static int32_t depend_again(lsched_id job, const lsched_dependency *needs, uint32_t n) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = job;
    u.set = LSCHED_JOB_SET_DEPENDENCIES;
    u.dependencies = needs;
    u.n_dependencies = n;
    return lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err);
}

/* An update that says what is so already changes nothing, in whatever state the dependencies are,
 * and whether the job runs or not. */
static void an_update_that_is_sent_again_changes_nothing(void **unused) {
    (void)unused;
    lsched_id first = submit_plain("first"), second = submit_plain("second");
    lsched_dependency needs[2] = {LSCHED_DEPENDENCY_INIT, LSCHED_DEPENDENCY_INIT};
    needs[0].job = first;
    needs[0].after = LSCHED_AFTER_START;
    needs[0].delay_us = 50 * SECOND;
    needs[1].job = second;
    lsched_id placed = submit_plain("placed"), waits = submit_plain("waits");
    MUST(depend_again(placed, needs, 2));
    MUST(depend_again(waits, needs, 1));
    import_task(placed);
    cycle_at(world.now_us + SECOND);
    int64_t began = world.now_us;
    report_at(first, LSCHED_EVENT_STARTED, began);
    for (int32_t i = 0; i < 2; i++) { /* before the next cycle, and after it */
        MUST(depend_again(placed, needs, 2));
        MUST(depend_again(waits, needs, 1));
        cycle_at(world.now_us + SECOND);
        assert_int_equal(info_of(placed).dependencies, 1);
        assert_int_equal(waits_until(waits), began + 50 * SECOND);
    }
    assert_int_equal(depend_again(placed, needs, 1), LSCHED_E_STATE);
    cycle_at(began + 50 * SECOND);
    assert_int_equal(info_of(waits).tasks_placed, 1);
    MUST(depend_again(waits, needs, 1));
    assert_int_equal(depend_again(waits, needs, 2), LSCHED_E_STATE);
    assert_int_equal(info_of(waits).tasks_placed, 1);
}

struct image {
    unsigned char bytes[1u << 20];
    size_t n;
};

static int32_t image_write(void *user, const void *bytes, size_t n) {
    struct image *to = user;
    if (n > sizeof to->bytes - to->n) return -1;
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    return 0;
}

/* The world goes on with what a saved image has. */
static void save_and_load(void) {
    static struct image image;
    lsched_cluster *to = NULL;
    image.n = 0;
    MUST(lsched_cluster_save(world.cluster, image_write, &image, &err));
    MUST(lsched_cluster_load(NULL, image.bytes, image.n, &to, &err));
    lsched_cluster_destroy(world.cluster);
    world.cluster = to;
}

static int exists(lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    return lsched_job_get(world.cluster, job, &info, NULL) == LSCHED_OK;
}

/* A job that is to be removed stays while it holds a place, whether its dependency fails before the
 * import or after it, and goes with its last place. */
static void a_job_is_removed_after_its_last_place(void **unused) {
    (void)unused;
    for (int32_t early = 0; early < 2; early++)
        for (int32_t loads = 0; loads < 2; loads++) {
            lsched_id first = submit_plain("first"),
                      goes =
                          submit_after("goes", first, LSCHED_AFTER_SUCCESS, LSCHED_ON_NEVER_REMOVE),
                      then = submit_after("then", goes, LSCHED_AFTER_FAILURE, LSCHED_ON_NEVER_WAIT);
            if (early) MUST(lsched_jobs_remove(world.cluster, &first, 1, NULL, NULL, &err));
            import_task(goes);
            if (!early) MUST(lsched_jobs_remove(world.cluster, &first, 1, NULL, NULL, &err));
            cycle_at(world.now_us + SECOND);
            assert_int_equal(info_of(goes).dependencies_never, 1);
            assert_int_equal(info_of(goes).tasks_running, 1);
            if (loads) save_and_load();
            cycle_at(world.now_us + SECOND);
            assert_true(exists(goes));
            cursor = lsched_changes_end(world.cluster);
            MUST(api_report(world.cluster, goes, LSCHED_EVENT_FAILED));
            if (loads) save_and_load();
            cycle_at(world.now_us + SECOND);
            assert_false(exists(goes));
            assert_int_equal(info_of(then).dependencies, 0);
            MUST(lsched_jobs_remove(world.cluster, &then, 1, NULL, NULL, &err));
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_feed_tells_what_a_cycle_does),
        TEST(a_description_has_what_a_job_waits_for),
        TEST(a_description_has_what_became_of_a_dependency),
        TEST(what_happened_has_no_id),
        TEST(a_first_start_comes_with_the_job),
        TEST(errors_name_the_cure),
        TEST(a_clock_that_is_set_back_keeps_the_distances),
        TEST(a_job_that_ends_without_a_start_has_started),
        TEST(an_expiry_that_is_over_leaves_the_reason),
        TEST(a_job_cannot_wait_for_itself),
        TEST(a_start_does_not_depend_on_other_followers),
        TEST(delays_count_from_the_time_of_the_report),
        TEST(a_success_is_not_before_the_last_end),
        TEST(a_job_that_has_started_does_not_expire),
        TEST(an_update_that_is_sent_again_changes_nothing),
        TEST(a_job_is_removed_after_its_last_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
