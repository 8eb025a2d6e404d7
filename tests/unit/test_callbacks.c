/*
 * test_callbacks.c -- every public function inside every callback of its cluster: calls that only
 * read work, all other calls are refused, and neither changes a decision, a cache or a byte.
 *
 * tests/abi/callbacks.def has a row for each function. Two equal worlds go through the same calls.
 * In one of them each callback makes all calls of the table. The callbacks are those of a cycle
 * (trace), of an adoption (trace), of a saved image, of metrics, and of algorithms of the host,
 * which also run when a question is asked, when a policy is loaded and when a cluster is destroyed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/adopt.h>
#include <libsched/algorithm.h>
#include <libsched/changes.h>
#include <libsched/clock.h>
#include <libsched/counters.h>
#include <libsched/descriptions.h>
#include <libsched/device_health.h>
#include <libsched/foreign_use.h>
#include <libsched/job_life.h>
#include <libsched/policies.h>
#include <libsched/readback.h>
#include <libsched/resizes.h>
#include <libsched/scenario.h>
#include <libsched/updates.h>
#include <libsched/what_if.h>

#include "support/api_world.h"

enum { TEXT_BYTES = 4096 };

/* What the calls of the table get. */
struct intruder {
    lsched_cluster *cluster; /* NULL: the callbacks make no calls */
    lsched_id node, queue, job, decision;
    int no_interrupt;
    uint64_t callbacks;
    uint64_t cursor[1];
    lsched_description *description[1];
    lsched_cluster *copy[1];
    lsched_plan *plan, *adopted[1];
    lsched_scenario *scenario;
    const lsched_algorithm *algorithm;
    const lsched_resource_part *part;
    lsched_write_fn write;
    double value;
    char text[TEXT_BYTES];
};

static struct intruder intruder;
static lsched_error err;

static int32_t write_nothing(void *user, const void *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    return 0;
}

/* ---- the table ---- */

#define NEW(type)             (&(type){.size = (uint32_t)sizeof(type)})
#define BATCH(call, type)     call(c, NEW(type), 1, 0, NULL, NULL, NULL)
#define BATCH_IDS(call, type) call(c, NEW(type), 1, 0, NULL, NULL, NULL, NULL)

#define FREE(name)
#define CALL(class, name, expression)                                 \
    static int name##_inside(lsched_cluster *c, struct intruder *x) { \
        (void)c, (void)x;                                             \
        return expression;                                            \
    }
#include "abi/callbacks.def"

#define FREE(name)
#define CALL(class, name, expression) {#name, name##_inside},
static const struct {
    const char *name;
    int (*call)(lsched_cluster *c, struct intruder *x);
} calls[] = {
#include "abi/callbacks.def"
};

static void intrude(void) {
    struct intruder *x = &intruder;
    int wrong = 0;
    if (!x->cluster) return;
    x->callbacks++;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        x->cursor[0] = 0;
        if (!calls[i].call(x->cluster, x)) {
            print_error("%s is not what callbacks.def says\n", calls[i].name);
            wrong++;
        }
        lsched_description_destroy(x->description[0]);
        x->description[0] = NULL;
    }
    if (wrong) fail_msg("%d calls in callback %llu", wrong, (unsigned long long)x->callbacks);
}

/* ---- callbacks ---- */

static void trace(void *user, const lsched_trace_record *record) {
    (void)user, (void)record;
    intrude();
}

static int32_t write_and_intrude(void *user, const void *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    intrude();
    return 0;
}

static int32_t create(const lsched_algorithm_env *env, void **self, lsched_error *e) {
    (void)env, (void)e;
    *self = NULL;
    intrude();
    return LSCHED_OK;
}

static void destroy(const lsched_algorithm_env *env, void *self) {
    (void)env, (void)self;
    intrude();
}

static int32_t prepare(void *self, const lsched_view *view) {
    (void)self, (void)view;
    intrude();
    return LSCHED_OK;
}

static int32_t score(void *self, const lsched_view *view, const lsched_task_shape *task,
                     const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self, (void)view, (void)task;
    for (size_t i = 0; i < n; i++) scores[i] = -(int64_t)nodes[i];
    intrude();
    return LSCHED_OK;
}

static int32_t devices(void *self, const lsched_view *view, const lsched_task_shape *task,
                       uint32_t node, uint64_t *device_words) {
    (void)self, (void)view, (void)node;
    device_words[0] = (UINT64_C(1) << task->gpu_devices) - 1;
    intrude();
    return LSCHED_OK;
}

static const lsched_place_ops place = {
    .size = sizeof place, .prepare = prepare, .score = score, .devices = devices};
static const lsched_algorithm mine = {.size = sizeof mine,
                                      .api = LSCHED_ALGORITHM_API,
                                      .role = LSCHED_ROLE_PLACE,
                                      .name = "mine",
                                      .create = create,
                                      .destroy = destroy,
                                      .place = &place};
static const lsched_algorithm another = {.size = sizeof another,
                                         .api = LSCHED_ALGORITHM_API,
                                         .role = LSCHED_ROLE_PLACE,
                                         .name = "another",
                                         .place = &place};
static const lsched_resource_part part = {
    .size = sizeof part, .name = LSCHED_TEXT_INIT("part"), .model = LSCHED_TEXT_INIT("H100-80GB")};

/* ---- two equal worlds ---- */

/* What a world has become: its bytes, and what its cycles spent. */
struct outcome {
    uint64_t image, steps, work, plan, saved;
    int32_t start;
};

static void load_policy(lsched_cluster *c) {
    assert_int_equal(lsched_policy_load(c, LSCHED_TEXT("p"),
                                        LSCHED_TEXT("return { api = 1, name = 'p', fair_share = "
                                                    "'drf', placement = 'mine', pipeline = "
                                                    "{ 'allocate', 'drain', 'reclaim' } }"),
                                        NULL, &err),
                     LSCHED_OK);
}

static void add_plan(struct outcome *o, lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    o->steps += info.steps;
    o->work += info.work_spent;
    o->plan = o->plan * 31 + info.plan_hash;
}

static void aim(const struct api_world *w) {
    struct intruder *x = &intruder;
    x->node = w->nodes[0];
    x->queue = w->research;
    x->job = w->busy;
    x->decision = w->proposed;
    x->algorithm = &another;
    x->part = &part;
    x->write = write_nothing;
    x->no_interrupt = 1; /* an interrupt would end the cycle */
}

static lsched_plan *plan_of(lsched_cluster *c, int64_t now_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = now_us;
    opts.trace = trace;
    if (lsched_schedule(c, &opts, &plan, &err) != LSCHED_OK) fail_msg("%s", err.message);
    return plan;
}

static void submit(const struct api_world *w, const char *name) {
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job(name, &group, 1);
    assert_int_equal(lsched_jobs_submit(w->cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     1);
}

/* Loads a policy, runs a cycle, asks, adopts the plan of a clone, saves and writes metrics. */
static void go_through(struct api_world *w, struct outcome *o) {
    lsched_cluster *c = w->cluster, *clone = NULL;
    lsched_adopt_opts how = {.size = sizeof how};
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    load_policy(c);
    submit(w, "first");
    lsched_plan *plan = plan_of(c, ++w->now_us);
    assert_true(lsched_plan_size(plan) > 0);
    add_plan(o, plan);
    lsched_plan_destroy(plan);
    assert_int_equal(lsched_would_start(c, w->later, NULL, NULL, &answer, &err), LSCHED_OK);
    o->start = (int32_t)answer.start;
    submit(w, "second");
    assert_int_equal(lsched_cluster_clone(c, &clone, &err), LSCHED_OK);
    struct intruder kept = intruder; /* the clone is another cluster */
    intruder.cluster = NULL;
    plan = plan_of(clone, ++w->now_us);
    intruder = kept;
    opts.now_us = ++w->now_us;
    opts.trace = trace;
    how.schedule = &opts;
    lsched_plan *adopted = NULL;
    if (lsched_adopt(c, plan, &how, &adopted, &err) < 0) fail_msg("%s", err.message);
    assert_true(lsched_plan_size(adopted) > 0);
    add_plan(o, adopted);
    lsched_plan_destroy(adopted);
    lsched_plan_destroy(plan);
    intruder.cluster = NULL;
    lsched_cluster_destroy(clone);
    intruder.cluster = kept.cluster;
    assert_int_equal(lsched_cluster_save(c, write_and_intrude, &o->saved, &err), LSCHED_OK);
    assert_int_equal(
        lsched_metrics_write(c, LSCHED_METRICS_QUEUES, write_and_intrude, &o->saved, &err),
        LSCHED_OK);
    load_policy(c);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
    o->image = api_image(c);
}

static void worlds_with_and_without(uint64_t salted) {
    struct outcome quiet = {0}, loud = {0};
    lsched_cluster_opts with = LSCHED_CLUSTER_OPTS_INIT;
    lsched_scenario *scenario = NULL;
    assert_int_equal(lsched_scenario_parse(NULL, LSCHED_TEXT("nodes: [{name: x}]\n"),
                                           LSCHED_TEXT("x"), &scenario, &err),
                     LSCHED_OK);
    with.id_salt = salted;
    for (int loudly = 0; loudly < 2; loudly++) {
        struct api_world w;
        memset(&intruder, 0, sizeof intruder);
        assert_int_equal(api_world_make(&w, &with), LSCHED_OK);
        assert_int_equal(lsched_algorithm_register(w.cluster, &mine, &err), LSCHED_OK);
        aim(&w);
        lsched_cluster *clone = NULL;
        assert_int_equal(lsched_cluster_clone(w.cluster, &clone, &err), LSCHED_OK);
        intruder.plan = plan_of(clone, w.now_us);
        intruder.scenario = scenario;
        intruder.cluster = loudly ? w.cluster : NULL;
        go_through(&w, loudly ? &loud : &quiet);
        api_world_drop(&w); /* calls destroy() of the algorithm */
        lsched_plan_destroy(intruder.plan);
        lsched_cluster_destroy(clone);
        assert_true(!loudly || intruder.callbacks > 40);
    }
    lsched_scenario_destroy(scenario);
    assert_int_equal(quiet.plan, loud.plan);
    assert_int_equal(quiet.work, loud.work);
    assert_int_equal(quiet.steps, loud.steps);
    assert_int_equal(quiet.start, loud.start);
    assert_int_equal(quiet.image, loud.image);
}

static void callbacks_change_nothing(void **unused) {
    (void)unused;
    worlds_with_and_without(0);
    worlds_with_and_without(UINT64_C(0x5eed));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(callbacks_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
