/*
 * test_would_start.c -- each answer of lsched_would_start on a small cluster, what a described job is told, and wrong arguments.
 * tests/property/test_would_start_random.c has the properties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"

static struct api_world world;
static lsched_error err;
static lsched_would_start_answer answer;
static lsched_waiting waiting;

static int32_t ask_with(lsched_id job, const lsched_job_desc *desc,
                        const lsched_would_start_opts *opts) {
    uint64_t image = api_image(world.cluster);
    err = (lsched_error)LSCHED_ERROR_INIT;
    answer = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    memset(&waiting, 0, sizeof waiting);
    waiting.size = sizeof waiting;
    answer.waiting = &waiting;
    int32_t rc = lsched_would_start(world.cluster, job, desc, opts, &answer, &err);
    assert_int_equal(api_image(world.cluster), image);
    return rc;
}

static int32_t ask(lsched_id job, const lsched_job_desc *desc) {
    return ask_with(job, desc, NULL);
}

static int set_up(void **state) {
    (void)state;
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static void a_described_job_starts_now_on_the_devices_of_the_plan(void **state) {
    (void)state;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("new", &group, 1);
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    opts.flags = LSCHED_WOULD_START_PLAN;
    assert_int_equal(ask_with(0, &job, &opts), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NOW);
    assert_int_equal(answer.tasks, 2);
    assert_int_equal(answer.victims, 0);
    assert_int_equal(answer.at_us, world.now_us);
    assert_int_equal(answer.code, LSCHED_WAIT_NONE);
    assert_int_equal(lsched_plan_size(answer.plan), 2);
    for (size_t i = 0; i < 2; i++) {
        const lsched_decision *d = lsched_plan_at(answer.plan, i);
        assert_int_equal(d->kind, LSCHED_DECIDE_PLACE);
        assert_int_equal(d->id, 0);
        assert_int_equal(d->job, 0);
        assert_true(d->node == world.nodes[0] || d->node == world.nodes[1]);
        assert_int_equal(__builtin_popcount(d->device_mask), 1);
    }
    lsched_plan_destroy(answer.plan);
    assert_int_equal(lsched_find(world.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("new")), 0);
}

static void a_waiting_job_is_told_why_it_never_starts(void **state) {
    (void)state;
    lsched_group_desc group = api_group(40);
    lsched_job_desc job = api_job("huge", &group, 1);
    assert_int_equal(ask(0, &job), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NEVER);
    assert_int_equal(answer.at_us, LSCHED_NEVER_US);
    assert_int_equal(waiting.code, answer.code);
    assert_int_equal(waiting.job, 0);
    assert_null(answer.plan);
}

/* The next cycle removes the job: it is told so, with no change that would help. */
static void check_removed(lsched_id job, const lsched_job_desc *desc, int64_t now, uint32_t code) {
    lsched_offer offer = LSCHED_OFFER_INIT;
    lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    uint64_t image = api_image(world.cluster);
    cycle.now_us = now;
    opts.schedule = &cycle;
    opts.flags = LSCHED_WOULD_START_PLAN;
    assert_int_equal(ask_with(job, desc, &opts), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NEVER);
    assert_int_equal(answer.code, code);
    assert_int_equal(answer.at_us, LSCHED_NEVER_US);
    assert_true(answer.ends_job == 0 && answer.tasks == 0 && answer.victims == 0);
    assert_int_equal(lsched_plan_size(answer.plan), 0);
    lsched_plan_destroy(answer.plan);
    assert_int_equal(waiting.code, code);
    assert_int_equal(waiting.job, job);
    assert_int_equal(waiting.queue, world.research);
    assert_int_equal(waiting.starts_us, LSCHED_NEVER_US);
    answer = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    answer.offer = &offer;
    assert_int_equal(lsched_would_start(world.cluster, job, desc, &opts, &answer, &err), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NEVER);
    assert_int_equal(offer.change, LSCHED_OFFER_NONE);
    assert_int_equal(offer.tried, 0);
    lsched_plan_destroy(answer.plan);
    assert_int_equal(api_image(world.cluster), image);
}

static lsched_id submit_waiting(const lsched_job_desc *job) {
    lsched_id id = 0;
    assert_int_equal(lsched_jobs_submit(world.cluster, job, 1, sizeof *job, NULL, &id, NULL, &err),
                     1);
    return id;
}

static void a_job_whose_expiry_has_come_never_starts(void **state) {
    (void)state;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("expires", &group, 1);
    job.expires_us = world.now_us + 10;
    check_removed(0, &job, world.now_us + 10, LSCHED_WAIT_NONE);
    lsched_id id = submit_waiting(&job);
    assert_int_equal(ask(id, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NOW); /* the expiry has not come yet */
    check_removed(id, NULL, world.now_us + 10, LSCHED_WAIT_NONE);
    check_removed(id, NULL, world.now_us + 11, LSCHED_WAIT_NONE);
    /* also if its placement is proposed */
    assert_true(api_cycle(world.cluster, world.now_us + 1, NULL) >= 0);
    check_removed(id, NULL, world.now_us + 10, LSCHED_WAIT_NONE);
    assert_true(api_cycle(world.cluster, world.now_us + 10, NULL) >= 0);
    assert_int_equal(ask(id, NULL), LSCHED_E_STALE);
}

static void a_job_that_goes_with_its_dependency_never_starts(void **state) {
    (void)state;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("goes", &group, 1), next = api_job("follows", &group, 1);
    lsched_dependency after = LSCHED_DEPENDENCY_INIT, of_next = LSCHED_DEPENDENCY_INIT;
    after.job = world.later;
    job.dependencies = &after;
    job.n_dependencies = 1;
    job.on_never = LSCHED_ON_NEVER_REMOVE;
    lsched_id id = submit_waiting(&job);
    of_next.job = id;
    next.dependencies = &of_next;
    next.n_dependencies = 1;
    next.on_never = LSCHED_ON_NEVER_REMOVE;
    lsched_id follower = submit_waiting(&next);
    assert_int_equal(ask(follower, NULL), LSCHED_OK);
    assert_int_equal(answer.code, LSCHED_WAIT_DEPENDENCY);
    assert_int_equal(lsched_jobs_remove(world.cluster, &world.later, 1, NULL, NULL, &err), 1);
    check_removed(id, NULL, world.now_us, LSCHED_WAIT_DEPENDENCY_NEVER);
    check_removed(follower, NULL, world.now_us, LSCHED_WAIT_DEPENDENCY_NEVER);
    lsched_job_desc third = api_job("third", &group, 1);
    of_next.job = follower;
    third.dependencies = &of_next;
    third.n_dependencies = 1;
    third.on_never = LSCHED_ON_NEVER_REMOVE;
    check_removed(0, &third, world.now_us, LSCHED_WAIT_DEPENDENCY_NEVER);
}

/* The number of a resource part is larger than that of each resource kind. */
static void the_limit_of_a_resource_part_is_offered(void **state) {
    (void)state;
    lsched_resource_part part = {.size = sizeof part, .name = LSCHED_TEXT("of-h100")};
    part.model = LSCHED_TEXT("H100-80GB");
    int32_t number = lsched_resource_add_part(world.cluster, &part, &err);
    assert_true(number >= LSCHED_RESOURCE_KINDS_MAX);
    lsched_amount most = {(uint32_t)number, 0, 0};
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.queue = world.research, u.set = LSCHED_QUEUE_SET_LIMIT;
    u.limit = &most, u.n_limit = 1;
    assert_int_equal(lsched_queues_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("new", &group, 1);
    lsched_offer offer = LSCHED_OFFER_INIT;
    answer = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    answer.offer = &offer;
    assert_int_equal(lsched_would_start(world.cluster, 0, &job, NULL, &answer, &err), LSCHED_OK);
    assert_int_equal(answer.code, LSCHED_WAIT_LIMIT);
    assert_int_equal(offer.change, LSCHED_OFFER_LIMIT);
    assert_int_equal(offer.kind, number);
    assert_int_equal(offer.object, world.research);
    assert_int_equal(offer.was, 0);
    assert_int_equal(offer.amount % 1000, 0);
}

/* An offer of the caller is checked like every other update of a queue. */
static void an_offer_beyond_all_amounts_is_refused(void **unused) {
    (void)unused;
    static const int64_t wrong[] = {-2, LSCHED_UNLIMITED - 1, INT64_C(1) << 62 | 1};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t change = LSCHED_OFFER_LIMIT; change <= LSCHED_OFFER_QUOTA; change++) {
            lsched_offer offer = LSCHED_OFFER_INIT;
            offer.change = change;
            offer.object = world.research;
            offer.kind = LSCHED_CPU;
            offer.amount = wrong[i];
            if (change != LSCHED_OFFER_LIMIT && change != LSCHED_OFFER_QUOTA) continue;
            uint64_t image = api_image(world.cluster);
            assert_int_equal(lsched_offer_apply(world.cluster, &offer, &err), LSCHED_E_RANGE);
            assert_non_null(strstr(err.message, "expected 0 to 4611686018427387904"));
            assert_int_equal(api_image(world.cluster), image);
        }
}

/* ---- places for one job ---- */

static lsched_id submit_in(const char *name, const char *rack) {
    lsched_selector in = LSCHED_SELECTOR_INIT;
    const lsched_text value = lsched_cstr(rack);
    lsched_group_desc group = api_group(1);
    in.key = LSCHED_TEXT("rack"), in.values = &value, in.n_values = 1;
    group.selectors = &in, group.n_selectors = 1;
    lsched_job_desc job = api_job(name, &group, 1);
    return submit_waiting(&job);
}

static void expect_rule(lsched_id job, const char *part) {
    char text[600] = "";
    assert_int_equal(ask(job, NULL), LSCHED_OK);
    assert_true(answer.start == LSCHED_START_LATER || answer.start == LSCHED_START_NEVER);
    assert_int_equal(answer.code, LSCHED_WAIT_RULES);
    assert_true(lsched_waiting_text(world.cluster, &waiting, text, sizeof text, &err) > 0);
    if (!strstr(text, part)) fail_msg("expected \"%s\", found \"%s\"", part, text);
}

/* While others are in both racks, the job is told that it wants one for itself. It starts in the rack
 * that comes free, and then others are told who has that rack. */
static void a_rack_for_one_job_is_asked_about(void **state) {
    (void)state;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("alone", &group, 1);
    lsched_id left = submit_in("left", "r1"), right = submit_in("right", "r2"),
              gone[] = {world.busy, world.open, right};
    group.exclusive_level = LSCHED_TEXT("rack");
    assert_true(left != 0 && api_cycle(world.cluster, ++world.now_us, NULL) >= 0);
    lsched_id alone = submit_waiting(&job);
    expect_rule(alone, "only to a rack without tasks of other jobs");
    assert_int_equal(lsched_jobs_remove(world.cluster, gone, 3, NULL, NULL, &err), 3);
    opts.flags = LSCHED_WOULD_START_PLAN;
    assert_int_equal(ask_with(alone, NULL, &opts), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NOW);
    assert_int_equal(lsched_plan_size(answer.plan), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(lsched_plan_at(answer.plan, i)->node, world.nodes[1]);
    lsched_plan_destroy(answer.plan);
    assert_true(api_cycle(world.cluster, ++world.now_us, NULL) >= 0);
    assert_int_equal(ask(alone, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_HAS_PLACES);
    expect_rule(submit_in("guest", "r2"), "alone shares its place with no other job");
}

static void a_job_that_runs_has_its_places(void **state) {
    (void)state;
    assert_int_equal(ask(world.busy, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_HAS_PLACES);
    assert_int_equal(ask(world.open, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_HAS_PLACES);
}

/* Fills both nodes with jobs of known length; a further job starts when the first of them ends. */
static void a_job_behind_others_is_told_when_and_behind_whom(void **state) {
    (void)state;
    lsched_group_desc group = api_group(8);
    lsched_job_desc job = api_job("behind", &group, 1);
    lsched_group_desc all = api_group(14);
    lsched_job_desc first = api_job("first", &all, 1);
    lsched_id id = 0, placed;
    first.duration_us = INT64_C(600000000);
    assert_int_equal(
        lsched_jobs_submit(world.cluster, &first, 1, sizeof first, NULL, &id, NULL, &err), 1);
    assert_true(api_cycle(world.cluster, world.now_us, &placed) >= 0);
    assert_true(placed != 0);
    assert_int_equal(ask(0, &job), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_LATER);
    assert_int_equal(answer.ends_job, id);
    assert_true(answer.at_us > world.now_us && answer.at_us < LSCHED_NEVER_US);
    assert_int_equal(answer.at_us, waiting.starts_us);
}

/* What should be gone since some time, and is still there, goes at no known time. */
static void a_start_after_work_that_is_overdue_has_no_time(void **state) {
    (void)state;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("leaves", &group, 1);
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    const int64_t minute = INT64_C(60000000);
    assert_int_equal(
        lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &task.job, NULL, &err), 1);
    task.node = world.nodes[0];
    task.state = LSCHED_TASK_RELEASING;
    task.start_us = world.now_us;
    task.release_us = world.now_us + minute;
    assert_int_equal(lsched_tasks_import(world.cluster, &task, 1, sizeof task, NULL, NULL, &err),
                     1);
    assert_int_equal(ask(task.job, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_LATER);
    assert_int_equal(answer.at_us, task.release_us);
    world.now_us += 2 * minute;
    assert_true(api_cycle(world.cluster, world.now_us, NULL) >= 0);
    assert_int_equal(ask(task.job, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_LATER);
    assert_int_equal(answer.at_us, LSCHED_NEVER_US);
}

#define MINUTE INT64_C(60000000)

/* Makes a job run on all GPUs that are left. Its estimate is told when it runs, because a job whose
 * estimate is above its limit does not start. Returns its id. */
static lsched_id fills_all(int64_t estimate, int64_t limit) {
    lsched_group_desc all = api_group(14);
    lsched_job_desc job = api_job("fills", &all, 1);
    all.min_count = 14;
    job.time_limit_us = limit;
    lsched_id id = submit_waiting(&job);
    assert_true(api_cycle(world.cluster, world.now_us, NULL) >= 0);
    for (uint32_t i = 0; i < 14; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = id;
        e.task_index = i;
        if (lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err) != 1)
            fail_msg("task %u: %s", i, err.message);
    }
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = id;
    u.set = LSCHED_JOB_SET_DURATION;
    u.duration_us = estimate;
    assert_true(lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err) >= 0);
    return id;
}

/* The first certain end of a running job is named, and never a time that has passed. */
static void the_first_end_of_a_running_job_is_named(void **state) {
    static const struct {
        int64_t estimate, limit, asked, named;
    } cases[] = {{120, 60, 0, 60}, {60, 120, 0, 60},   {0, 60, 0, 60},
                 {60, 0, 0, 60},   {60, 120, 90, 120}, /* the estimate is over, the limit is not */
                 {60, 0, 90, -1}};                     /* nothing is known */
    lsched_group_desc group = api_group(8);
    lsched_job_desc job = api_job("behind", &group, 1);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t began = world.now_us;
        lsched_id id = fills_all(cases[i].estimate * MINUTE, cases[i].limit * MINUTE);
        lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
        cycle.now_us = began + cases[i].asked * MINUTE;
        opts.schedule = &cycle;
        assert_int_equal(ask_with(0, &job, &opts), LSCHED_OK);
        assert_int_equal(answer.start, LSCHED_START_LATER);
        int known = cases[i].named >= 0;
        assert_int_equal(answer.at_us, known ? began + cases[i].named * MINUTE : LSCHED_NEVER_US);
        assert_int_equal(answer.ends_job, known ? id : 0);
        assert_int_equal(lsched_jobs_remove(world.cluster, &id, 1, NULL, NULL, &err), 1);
    }
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("new", &group, 1);
    lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    assert_int_equal(ask(0, NULL), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "got none"));
    assert_int_equal(ask(world.later, &job), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "got both"));
    assert_int_equal(ask(world.gone_job, NULL), LSCHED_E_STALE);
    assert_int_equal(ask(world.nodes[0], NULL), LSCHED_E_KIND);
    opts.flags = 8;
    assert_int_equal(ask_with(world.later, NULL, &opts), LSCHED_E_INVAL);
    opts.flags = 0;
    opts.schedule = &cycle;
    cycle.now_us = 1;
    assert_int_equal(ask_with(world.later, NULL, &opts), LSCHED_E_TIME);
    cycle.now_us = world.now_us;
    cycle.work_budget = 5;
    assert_int_equal(ask_with(world.later, NULL, &opts), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "work_budget"));
    job = api_job("busy", &group, 1);
    assert_int_equal(ask(0, &job), LSCHED_E_EXISTS);
    assert_int_equal(lsched_would_start(NULL, world.busy, NULL, NULL, &answer, &err),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_would_start(world.cluster, world.busy, NULL, NULL, NULL, &err),
                     LSCHED_E_NULL);
    answer.size = 4;
    assert_int_equal(lsched_would_start(world.cluster, world.busy, NULL, NULL, &answer, &err),
                     LSCHED_E_SIZE);
}

static void an_interrupt_before_the_call_ends_the_next_cycle(void **state) {
    (void)state;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("new", &group, 1);
    assert_int_equal(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     1);
    cycle.now_us = world.now_us;
    lsched_interrupt(world.cluster);
    assert_int_equal(ask(world.later, NULL), LSCHED_OK);
    assert_int_equal(lsched_schedule(world.cluster, &cycle, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_get(plan, &info, NULL), LSCHED_OK);
    assert_true(info.flags & LSCHED_PLAN_INTERRUPTED);
    lsched_plan_destroy(plan);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* True if the ids name the same object: the first is an id of `salted`. */
static int same_object(lsched_cluster *salted, lsched_id id, lsched_id plain) {
    size_t n = 0, m = 0;
    if (!id || !plain) return id == plain;
    const char *a = lsched_name(salted, id, &n), *b = lsched_name(world.cluster, plain, &m);
    return a && b && n == m && memcmp(a, b, n) == 0 && id != plain;
}

static lsched_would_start_answer ask_salted(struct api_world *w, lsched_id job,
                                            const lsched_job_desc *desc, lsched_waiting *why,
                                            lsched_offer *offer) {
    lsched_would_start_answer a = LSCHED_WOULD_START_ANSWER_INIT;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    opts.flags = LSCHED_WOULD_START_PLAN;
    *why = (lsched_waiting){.size = sizeof *why};
    *offer = (lsched_offer)LSCHED_OFFER_INIT;
    a.waiting = why;
    a.offer = offer;
    assert_int_equal(lsched_would_start(w->cluster, job, desc, &opts, &a, &err), LSCHED_OK);
    return a;
}

static struct api_world salted;
static lsched_waiting why[2];
static lsched_offer offers[2];

static int set_up_salted(void **state) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.id_salt = 77;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return set_up(state) || api_world_make(&salted, &opts);
}

static int tear_down_salted(void **state) {
    api_world_drop(&salted);
    return tear_down(state);
}

/* Cordons both nodes and submits a job, which waits for one of them. */
static lsched_id waits_for_a_node(struct api_world *w) {
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("small", &group, 1);
    lsched_node_update u[2] = {LSCHED_NODE_UPDATE_INIT, LSCHED_NODE_UPDATE_INIT};
    lsched_id id = 0;
    for (int i = 0; i < 2; i++) {
        u[i].node = w->nodes[i];
        u[i].set = LSCHED_NODE_SET_STATE;
        u[i].state = LSCHED_NODE_CORDONED;
    }
    assert_int_equal(lsched_nodes_update(w->cluster, u, 2, sizeof *u, NULL, NULL, &err), 2);
    assert_int_equal(lsched_jobs_submit(w->cluster, &job, 1, 0, NULL, &id, NULL, &err), 1);
    return id;
}

static void ids_of_a_salted_cluster_are_written(void **state) {
    (void)state;
    lsched_id small = waits_for_a_node(&salted), twin = waits_for_a_node(&world);
    uint64_t image = api_image(salted.cluster);
    lsched_would_start_answer a = ask_salted(&salted, small, NULL, &why[0], &offers[0]),
                              b = ask_salted(&world, twin, NULL, &why[1], &offers[1]);
    assert_true(a.start == b.start && a.start != LSCHED_START_NOW && a.at_us == b.at_us);
    assert_true(same_object(salted.cluster, a.ends_job, b.ends_job));
    assert_true(same_object(salted.cluster, why[0].job, why[1].job));
    assert_true(same_object(salted.cluster, why[0].queue, why[1].queue));
    assert_true(offers[0].change == offers[1].change && offers[0].change != LSCHED_OFFER_NONE);
    assert_true(same_object(salted.cluster, offers[0].object, offers[1].object));
    assert_true(api_image(salted.cluster) == image);
    lsched_plan_destroy(a.plan);
    lsched_plan_destroy(b.plan);
    /* the offer works, and an id of the other cluster is refused */
    assert_int_equal(lsched_offer_apply(salted.cluster, &offers[0], &err), LSCHED_OK);
    a = ask_salted(&salted, small, NULL, &why[0], &offers[0]);
    assert_int_equal(a.start, LSCHED_START_NOW);
    lsched_plan_destroy(a.plan);
    lsched_would_start_answer none = LSCHED_WOULD_START_ANSWER_INIT;
    assert_int_equal(lsched_would_start(salted.cluster, twin, NULL, NULL, &none, &err),
                     LSCHED_E_STALE);
}

static void ids_of_a_salted_cluster_are_read(void **state) {
    (void)state;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("new", &group, 1);
    job.queue_name = (lsched_text){NULL, 0};
    job.queue = salted.research;
    lsched_would_start_answer a = ask_salted(&salted, 0, &job, &why[0], &offers[0]);
    assert_true(a.start == LSCHED_START_NOW && lsched_plan_size(a.plan) == 2);
    const lsched_decision *d = lsched_plan_at(a.plan, 0);
    assert_true(d->job == 0 && d->id == 0);
    assert_true(d->node == salted.nodes[0] || d->node == salted.nodes[1]);
    lsched_plan_destroy(a.plan);
    /* a description that is refused leaves the salt as it was */
    job.queue = world.research;
    lsched_would_start_answer none = LSCHED_WOULD_START_ANSWER_INIT;
    assert_true(lsched_would_start(salted.cluster, 0, &job, NULL, &none, &err) < 0);
    assert_int_equal(lsched_find(salted.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("later")),
                     salted.later);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_described_job_starts_now_on_the_devices_of_the_plan),
        TEST(a_waiting_job_is_told_why_it_never_starts),
        TEST(a_job_whose_expiry_has_come_never_starts),
        TEST(a_job_that_goes_with_its_dependency_never_starts),
        TEST(the_limit_of_a_resource_part_is_offered),
        TEST(an_offer_beyond_all_amounts_is_refused),
        TEST(a_rack_for_one_job_is_asked_about),
        TEST(a_job_that_runs_has_its_places),
        TEST(a_job_behind_others_is_told_when_and_behind_whom),
        TEST(a_start_after_work_that_is_overdue_has_no_time),
        TEST(the_first_end_of_a_running_job_is_named),
        TEST(wrong_arguments_are_named),
        TEST(an_interrupt_before_the_call_ends_the_next_cycle),
        cmocka_unit_test_setup_teardown(ids_of_a_salted_cluster_are_written, set_up_salted,
                                        tear_down_salted),
        cmocka_unit_test_setup_teardown(ids_of_a_salted_cluster_are_read, set_up_salted,
                                        tear_down_salted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
