/*
 * test_adopt.c -- lsched_adopt(): which plans can be adopted, what becomes of a group when each
 * kind of thing has changed, and what adopted decisions are afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"
#include "support/settle.h"

static struct api_world world;
static lsched_error err;
static lsched_cluster *copy;
static lsched_plan *from, *to;
static lsched_id job; /* "new": two tasks of one GPU, which the clone places */

static lsched_id submit(lsched_cluster *c, const char *name, uint32_t tasks, int32_t priority) {
    lsched_group_desc group = api_group(tasks);
    lsched_job_desc desc = api_job(name, &group, 1);
    lsched_id id = 0;
    desc.priority = priority;
    assert_int_equal(lsched_jobs_submit(c, &desc, 1, sizeof desc, NULL, &id, NULL, &err), 1);
    return id;
}

static lsched_plan *schedule(lsched_cluster *c) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = ++world.now_us;
    assert_int_equal(lsched_schedule(c, &opts, &plan, &err), LSCHED_OK);
    return plan;
}

static void clone_and_plan(void) {
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    from = schedule(copy);
}

static int set_up(void **state) {
    (void)state;
    err = (lsched_error)LSCHED_ERROR_INIT;
    copy = NULL;
    from = to = NULL;
    if (api_world_make(&world, NULL) != LSCHED_OK) return -1;
    (void)lsched_jobs_remove(world.cluster, &world.later, 1, NULL, NULL, NULL);
    job = submit(world.cluster, "new", 2, 0);
    clone_and_plan();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    lsched_plan_destroy(from);
    lsched_plan_destroy(to);
    lsched_cluster_destroy(copy);
    api_world_drop(&world);
    return 0;
}

static int32_t adopt(uint32_t flags) {
    lsched_adopt_opts opts = LSCHED_ADOPT_OPTS_INIT;
    opts.flags = flags;
    int32_t rc = lsched_adopt(world.cluster, from, &opts, &to, &err);
    if (rc == LSCHED_OK) assert_int_equal(lsched_verify(world.cluster, to, &err), LSCHED_OK);
    return rc;
}

/* The plan has one group, which was dropped for this reason. */
static void dropped(uint32_t result, lsched_id object) {
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_adopted_group_size(to), 1);
    const lsched_adopted_group *g = lsched_adopted_group_at(to, 0);
    assert_string_equal(lsched_adopt_result_name(g->result), lsched_adopt_result_name(result));
    assert_int_equal(g->object, object);
    assert_int_equal(g->group, 0);
    assert_int_equal(g->count, 2);
    assert_int_equal(lsched_plan_size(to), 0);
    assert_int_equal(lsched_adopted_id(to, 0) + lsched_adopted_id(to, 1), 0);
}

/* ---- adopted decisions ---- */

static void test_adopted_decisions_are_open_and_can_be_settled(void **state) {
    (void)state;
    lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
    uint64_t meaning = api_meaning(copy);
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 2);
    assert_int_equal(lsched_adopted_group_at(to, 0)->result, LSCHED_ADOPTION_APPLIED);
    assert_null(lsched_adopted_group_at(to, 1));
    for (size_t i = 0; i < 2; i++) {
        lsched_id id = lsched_adopted_id(to, i);
        assert_int_equal(lsched_plan_at(to, i)->id, id);
        assert_int_equal(lsched_plan_at(to, i)->node, lsched_plan_at(from, i)->node);
        assert_int_equal(lsched_decision_state(world.cluster, id, &err), LSCHED_DECISION_PROPOSED);
    }
    /* nothing waits, so the state means the same as after a cycle of its own */
    assert_true(api_meaning(world.cluster) == meaning);
    lsched_id id = lsched_adopted_id(to, 0);
    assert_int_equal(settle_each(world.cluster, &id, &confirmed, 1, NULL, &err), LSCHED_OK);
    assert_int_equal(lsched_adopted_id(to, 2), 0);
    assert_int_equal(lsched_adopted_group_size(from), 0);
}

static void test_plan_outlives_its_clone(void **state) {
    (void)state;
    lsched_cluster_destroy(copy);
    copy = NULL;
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 2);
}

static void test_clone_of_a_clone(void **state) {
    (void)state;
    lsched_cluster *second = NULL;
    lsched_plan_destroy(from);
    (void)lsched_cluster_destroy(copy);
    copy = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &second, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_clone(second, &copy, &err), LSCHED_OK);
    lsched_cluster_destroy(second);
    from = schedule(copy);
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 2);
}

/* ---- groups that are dropped ---- */

static void test_job_gone(void **state) {
    (void)state;
    assert_int_equal(lsched_jobs_remove(world.cluster, &job, 1, NULL, NULL, &err), 1);
    dropped(LSCHED_ADOPTION_JOB_GONE, job);
}

static void test_node_gone(void **state) {
    (void)state;
    lsched_id node = lsched_plan_at(from, 0)->node;
    lsched_id on[] = {world.busy, world.open};
    assert_int_equal(lsched_jobs_remove(world.cluster, on, 2, NULL, NULL, &err), 2);
    assert_int_equal(lsched_nodes_remove(world.cluster, &node, 1, NULL, NULL, &err), 1);
    dropped(LSCHED_ADOPTION_NODE_GONE, node);
}

static void test_node_closed(void **state) {
    (void)state;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = lsched_plan_at(from, 0)->node;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_CORDONED;
    assert_int_equal(lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    dropped(LSCHED_ADOPTION_NODE_CLOSED, u.node);
}

static void test_room_taken(void **state) {
    (void)state;
    lsched_id node = lsched_plan_at(from, 0)->node;
    lsched_group_desc group = api_group(1);
    lsched_amount all[] = {{LSCHED_GPU, 0, 6000}};
    lsched_job_desc desc = api_job("big", &group, 1);
    lsched_id big = 0;
    group.request = all, group.n_request = 1;
    assert_int_equal(
        lsched_jobs_submit(world.cluster, &desc, 1, sizeof desc, NULL, &big, NULL, &err), 1);
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    t.job = big, t.node = node, t.start_us = world.now_us;
    assert_int_equal(lsched_tasks_import(world.cluster, &t, 1, sizeof t, NULL, NULL, &err), 1);
    dropped(LSCHED_ADOPTION_ROOM, node);
}

static void test_job_that_the_policy_refuses(void **state) {
    (void)state;
    const char *text = "return { api = 1, name = 'p',\n"
                       "  admit = function(job) return job.name ~= 'new', 'no' end }";
    assert_int_equal(
        lsched_policy_load(world.cluster, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err),
        LSCHED_OK);
    dropped(LSCHED_ADOPTION_JOB_WAITS, job);
}

/* Work of 4 GPUs runs on each of two nodes with 8, and a job of 8 is entitled to one of them. */
static void make_two_nodes(lsched_id guests[2]) {
    static const char *const names[] = {"guest-0", "guest-1"}, *const nodes[] = {"a-0", "a-1"};
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    lsched_amount quota = {LSCHED_GPU, 0, 16000}, four = {LSCHED_GPU, 0, 4000};
    const char *text = "return { api = 1, name = 'p', fair_share = 'quota',\n"
                       "  pipeline = { 'allocate', 'reclaim' } }";
    assert_int_equal(
        lsched_policy_load(world.cluster, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err), 0);
    for (int i = 0; i < 2; i++) {
        lsched_node_update closed = LSCHED_NODE_UPDATE_INIT;
        closed.node = world.nodes[i];
        closed.set = LSCHED_NODE_SET_STATE, closed.state = LSCHED_NODE_CORDONED;
        assert_int_equal(
            lsched_nodes_update(world.cluster, &closed, 1, sizeof closed, NULL, NULL, &err), 1);
    }
    gpus.count = 8, gpus.model = LSCHED_TEXT("H100-80GB");
    queues[0].name = LSCHED_TEXT("own"), queues[1].name = LSCHED_TEXT("guest");
    queues[0].quota = &quota, queues[0].n_quota = 1;
    assert_int_equal(
        lsched_queues_add(world.cluster, queues, 2, sizeof *queues, NULL, NULL, NULL, &err), 2);
    for (int i = 0; i < 2; i++) {
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        lsched_group_desc group = api_group(1);
        lsched_job_desc desc = api_job(names[i], &group, 1);
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        node.name = lsched_cstr(nodes[i]);
        node.devices = &gpus, node.n_devices = 1, node.device_elem_size = sizeof gpus;
        assert_int_equal(
            lsched_nodes_add(world.cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err), 1);
        group.request = &four, group.n_request = 1;
        desc.queue_name = LSCHED_TEXT("guest"), desc.queue = 0;
        assert_int_equal(
            lsched_jobs_submit(world.cluster, &desc, 1, sizeof desc, NULL, &guests[i], NULL, &err),
            1);
        t.job = guests[i], t.node_name = node.name, t.start_us = world.now_us;
        assert_int_equal(lsched_tasks_import(world.cluster, &t, 1, sizeof t, NULL, NULL, &err), 1);
    }
}

static void test_moved_job_is_held(void **state) {
    (void)state;
    lsched_id guests[2];
    lsched_group_desc group = api_group(1);
    lsched_job_desc desc = api_job("big", &group, 1);
    lsched_amount all = {LSCHED_GPU, 0, 8000};
    lsched_plan_destroy(from);
    lsched_cluster_destroy(copy);
    copy = NULL;
    lsched_plan_destroy(schedule(world.cluster)); /* "new" has its places in both */
    make_two_nodes(guests);
    group.request = &all, group.n_request = 1;
    desc.queue_name = LSCHED_TEXT("own"), desc.queue = 0;
    assert_int_equal(
        lsched_jobs_submit(world.cluster, &desc, 1, sizeof desc, NULL, NULL, NULL, &err), 1);
    clone_and_plan();
    lsched_job_hold hold = LSCHED_JOB_HOLD_INIT;
    for (size_t i = 0; i < lsched_plan_size(from); i++)
        if (lsched_plan_at(from, i)->kind == LSCHED_DECIDE_MIGRATE)
            hold.job = lsched_plan_at(from, i)->job;
    assert_int_not_equal(hold.job, 0);
    assert_int_equal(lsched_jobs_hold(world.cluster, &hold, 1, sizeof hold, NULL, NULL, &err), 1);
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_adopted_group_size(to), 1);
    assert_int_equal(lsched_adopted_group_at(to, 0)->result, LSCHED_ADOPTION_JOB_WAITS);
    assert_int_equal(lsched_adopted_group_at(to, 0)->object, hold.job);
    assert_int_equal(lsched_plan_size(to), 0);
}

static void test_job_runs_already(void **state) {
    (void)state;
    lsched_plan_destroy(schedule(world.cluster));
    dropped(LSCHED_ADOPTION_JOB_CHANGED, job);
}

static void test_limit(void **state) {
    (void)state;
    lsched_amount limit = {LSCHED_GPU, 0, 3000};
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.queue = world.research;
    u.set = LSCHED_QUEUE_SET_LIMIT;
    u.limit = &limit, u.n_limit = 1;
    assert_int_equal(lsched_queues_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    dropped(LSCHED_ADOPTION_LIMIT, world.research);
}

static void test_budget(void **state) {
    (void)state;
    lsched_schedule_opts schedule_opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_adopt_opts opts = LSCHED_ADOPT_OPTS_INIT;
    schedule_opts.now_us = ++world.now_us;
    schedule_opts.decisions_max = 1;
    opts.schedule = &schedule_opts;
    assert_int_equal(lsched_adopt(world.cluster, from, &opts, &to, &err), LSCHED_OK);
    assert_int_equal(lsched_adopted_group_at(to, 0)->result, LSCHED_ADOPTION_BUDGET);
    assert_int_equal(lsched_plan_size(to), 0);
}

static void test_object_of_the_clone_only(void **state) {
    (void)state;
    lsched_plan_destroy(from);
    lsched_plan_destroy(schedule(world.cluster)); /* "new" has its places in both */
    lsched_cluster_destroy(copy);
    copy = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    submit(copy, "theirs", 2, 0);
    from = schedule(copy);
    assert_int_equal(lsched_plan_size(from), 2);
    dropped(LSCHED_ADOPTION_NOT_SHARED, 0);
}

static void test_same_id_for_another_job(void **state) {
    (void)state;
    lsched_plan_destroy(from);
    lsched_plan_destroy(schedule(world.cluster));
    lsched_cluster_destroy(copy);
    copy = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    lsched_id theirs = submit(copy, "theirs", 2, 0);
    assert_int_equal(submit(world.cluster, "ours", 2, 0), theirs);
    from = schedule(copy);
    dropped(LSCHED_ADOPTION_NOT_SHARED, 0);
}

/* Room for one of two jobs is left; the one that arrives later has the greater priority. */
static void fill_up(void) {
    lsched_amount all[] = {{LSCHED_GPU, 0, 6000}};
    lsched_plan_destroy(from);
    lsched_cluster_destroy(copy);
    copy = NULL;
    for (int i = 0; i < 2; i++) {
        lsched_group_desc group = api_group(1);
        lsched_job_desc desc = api_job(i ? "fill-1" : "fill-0", &group, 1);
        group.request = all, group.n_request = 1;
        desc.priority = 5;
        assert_int_equal(
            lsched_jobs_submit(world.cluster, &desc, 1, sizeof desc, NULL, NULL, NULL, &err), 1);
    }
    clone_and_plan();
}

static void test_claim_of_a_job_that_arrived(void **state) {
    (void)state;
    fill_up();
    lsched_id first = submit(world.cluster, "first", 2, 9);
    assert_int_equal(adopt(0), LSCHED_OK);
    uint32_t claimed = 0;
    for (size_t i = 0; i < lsched_adopted_group_size(to); i++) {
        const lsched_adopted_group *g = lsched_adopted_group_at(to, i);
        if (g->result != LSCHED_ADOPTION_CLAIM) continue;
        assert_int_equal(g->object, first);
        claimed++;
    }
    assert_int_equal(claimed, 1);
    /* the next cycle gives it the room */
    lsched_plan *next = schedule(world.cluster);
    assert_int_equal(lsched_plan_at(next, 0)->job, first);
    lsched_plan_destroy(next);
}

static void test_claim_can_be_passed_over(void **state) {
    (void)state;
    fill_up();
    submit(world.cluster, "first", 2, 9);
    assert_int_equal(adopt(LSCHED_ADOPT_UNFAIR_OK), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), lsched_plan_size(from));
}

static void test_job_of_lower_rank_makes_no_claim(void **state) {
    (void)state;
    fill_up();
    submit(world.cluster, "last", 2, -1);
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), lsched_plan_size(from));
}

/* ---- plans that cannot be adopted ---- */

static void refused(int32_t code, const char *part) {
    uint64_t image = api_image(world.cluster);
    to = NULL;
    assert_int_equal(lsched_adopt(world.cluster, from, NULL, &to, &err), code);
    if (!strstr(err.message, part)) fail_msg("%s", err.message);
    assert_null(to);
    assert_true(api_image(world.cluster) == image);
}

static void test_plan_of_the_cluster_itself(void **state) {
    (void)state;
    lsched_plan_destroy(from);
    from = schedule(world.cluster);
    refused(LSCHED_E_INVAL, "made for this cluster");
}

static void test_plan_of_another_cluster(void **state) {
    (void)state;
    struct api_world other;
    lsched_cluster *theirs = NULL;
    assert_int_equal(api_world_make(&other, NULL), LSCHED_OK);
    assert_int_equal(lsched_cluster_clone(other.cluster, &theirs, &err), LSCHED_OK);
    lsched_plan_destroy(from);
    from = schedule(theirs);
    refused(LSCHED_E_INVAL, "no clone of this one");
    lsched_cluster_destroy(theirs);
    api_world_drop(&other);
}

static void test_plan_of_the_original(void **state) {
    (void)state;
    lsched_plan_destroy(from);
    from = schedule(world.cluster);
    lsched_plan *none = NULL;
    assert_int_equal(lsched_adopt(copy, from, NULL, &none, &err), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "original of this cluster"));
}

/* A handle that becomes a clone of another cluster takes its earlier plans to nobody. */
static void test_plan_of_before_a_clone_into_the_handle(void **state) {
    (void)state;
    struct api_world other;
    assert_int_equal(api_world_make(&other, NULL), LSCHED_OK);
    assert_int_equal(lsched_cluster_clone(other.cluster, &world.cluster, &err), LSCHED_OK);
    refused(LSCHED_E_INVAL, "no clone of this one");
    api_world_drop(&other);
}

static void test_plan_of_a_question(void **state) {
    (void)state;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    lsched_plan_destroy(from);
    opts.flags = LSCHED_WOULD_START_PLAN;
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    assert_int_equal(lsched_would_start(copy, job, NULL, &opts, &answer, &err), LSCHED_OK);
    from = answer.plan;
    refused(LSCHED_E_INVAL, "lsched_would_start()");
}

static void test_plan_is_adopted_once(void **state) {
    (void)state;
    assert_int_equal(adopt(0), LSCHED_OK);
    lsched_plan_destroy(to);
    refused(LSCHED_E_STATE, "adopted before");
}

static void test_wrong_arguments(void **state) {
    (void)state;
    lsched_adopt_opts opts = LSCHED_ADOPT_OPTS_INIT;
    lsched_cluster *c = world.cluster;
    assert_int_equal(lsched_adopt(NULL, from, NULL, &to, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_adopt(c, NULL, NULL, &to, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_adopt(c, from, NULL, NULL, &err), LSCHED_E_NULL);
    opts.flags = 2;
    assert_int_equal(lsched_adopt(c, from, &opts, &to, &err), LSCHED_E_INVAL);
    assert_int_equal(lsched_adopted_group_size(NULL) + lsched_adopted_id(NULL, 0), 0);
    assert_null(lsched_adopted_group_at(NULL, 0));
    assert_string_equal(lsched_adopt_result_name(99), "unknown");
    for (uint32_t i = 0; i <= LSCHED_ADOPTION_BUDGET; i++)
        assert_string_not_equal(lsched_adopt_result_name(i), "unknown");
}

/* ---- hooks that failed in the clone ---- */

static lsched_id submit_gpus(const char *name, uint32_t tasks, int64_t milli, int32_t priority) {
    lsched_amount gpus = {LSCHED_GPU, 0, milli};
    lsched_group_desc group = api_group(tasks);
    lsched_job_desc desc = api_job(name, &group, 1);
    lsched_id id = 0;
    group.request = &gpus, group.n_request = 1;
    desc.priority = priority;
    assert_int_equal(
        lsched_jobs_submit(world.cluster, &desc, 1, sizeof desc, NULL, &id, NULL, &err), 1);
    return id;
}

static lsched_plan_info info_of(const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    assert_int_equal(lsched_plan_get(plan, &info, &err), LSCHED_OK);
    return info;
}

/* The hook `placement` fails for the job "bad", so a cycle places "halves" by the strategy of the
 * policy, which puts both halves on one GPU. For "halves" alone the hook does not fail, and would
 * give each half a GPU of its own. */
static void plan_with_a_failing_hook(void) {
    const char *text =
        "return { api = 1, name = 'p',\n"
        "  placement = function(job) return job.name == 'bad' and error('bad') or 'spread' end }";
    lsched_plan_destroy(from);
    lsched_cluster_destroy(copy);
    from = NULL, copy = NULL;
    lsched_plan_destroy(schedule(world.cluster)); /* "new" has its places in both */
    assert_int_equal(
        lsched_policy_load(world.cluster, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err), 0);
    submit_gpus("bad", 2, 8000, 9); /* only one node is free */
    submit_gpus("halves", 2, 500, 0);
    clone_and_plan();
    assert_int_equal(lsched_plan_size(from), 2);
    assert_int_equal(info_of(from).hooks_off, LSCHED_HOOK_PLACEMENT);
    assert_int_equal(lsched_plan_at(from, 0)->device_mask, lsched_plan_at(from, 1)->device_mask);
}

static void test_hook_that_failed_in_the_clone(void **state) {
    (void)state;
    plan_with_a_failing_hook();
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(lsched_plan_at(to, i)->device_mask, lsched_plan_at(from, i)->device_mask);
    assert_int_equal(info_of(to).hooks_off, LSCHED_HOOK_PLACEMENT);
    assert_true(info_of(to).flags & LSCHED_PLAN_POLICY_FAILED);
    assert_string_equal(lsched_plan_policy_error(to), lsched_plan_policy_error(from));
}

/* A policy that was loaded since has not failed. Its strategy chooses no devices for a task that can
 * have those of the plan. */
static void test_hook_of_another_policy(void **state) {
    (void)state;
    const char *text = "return { api = 1, name = 'p',\n"
                       "  placement = function(job) return 'spread' end }";
    plan_with_a_failing_hook();
    assert_int_equal(
        lsched_policy_load(world.cluster, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err), 0);
    assert_int_equal(adopt(0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 2);
    assert_int_equal(info_of(to).hooks_off, 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(lsched_plan_at(to, i)->device_mask, lsched_plan_at(from, i)->device_mask);
}

/* ---- memory ---- */

static void test_out_of_memory_changes_nothing(void **state) {
    (void)state;
    struct fault_alloc memory = {0};
    lsched_allocator hooks = fault_hooks(&memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    struct api_world starved;
    uint64_t refusals = 0;
    opts.allocator = &hooks;
    assert_int_equal(api_world_make(&starved, &opts), LSCHED_OK);
    lsched_plan_destroy(from);
    (void)submit(starved.cluster, "one", 2, 0);
    lsched_cluster_destroy(copy);
    copy = NULL;
    assert_int_equal(lsched_cluster_clone(starved.cluster, &copy, &err), LSCHED_OK);
    from = schedule(copy);
    uint64_t image = api_image(starved.cluster);
    int32_t rc = LSCHED_E_NOMEM;
    for (uint64_t at = 1; rc != LSCHED_OK; at++) {
        memory.fail_at = memory.calls + at;
        memory.fail_period = 1;
        rc = lsched_adopt(starved.cluster, from, NULL, &to, &err);
        memory.fail_at = memory.fail_period = 0;
        refusals += rc != LSCHED_OK;
        if (rc != LSCHED_OK) assert_int_equal(rc, LSCHED_E_NOMEM);
        if (rc != LSCHED_OK) assert_true(api_image(starved.cluster) == image);
        assert_true(at < 10000);
    }
    assert_true(refusals > 10);
    assert_int_equal(lsched_verify(starved.cluster, to, &err), LSCHED_OK);
    lsched_plan_destroy(from);
    lsched_plan_destroy(to);
    lsched_cluster_destroy(copy);
    from = to = NULL, copy = NULL;
    api_world_drop(&starved);
    assert_int_equal(memory.live_blocks, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(adopted_decisions_are_open_and_can_be_settled),
                                       TEST(plan_outlives_its_clone),
                                       TEST(clone_of_a_clone),
                                       TEST(job_gone),
                                       TEST(node_gone),
                                       TEST(node_closed),
                                       TEST(room_taken),
                                       TEST(job_that_the_policy_refuses),
                                       TEST(moved_job_is_held),
                                       TEST(job_runs_already),
                                       TEST(limit),
                                       TEST(budget),
                                       TEST(object_of_the_clone_only),
                                       TEST(same_id_for_another_job),
                                       TEST(claim_of_a_job_that_arrived),
                                       TEST(claim_can_be_passed_over),
                                       TEST(job_of_lower_rank_makes_no_claim),
                                       TEST(plan_of_the_cluster_itself),
                                       TEST(plan_of_another_cluster),
                                       TEST(plan_of_the_original),
                                       TEST(plan_of_before_a_clone_into_the_handle),
                                       TEST(plan_of_a_question),
                                       TEST(plan_is_adopted_once),
                                       TEST(wrong_arguments),
                                       TEST(hook_that_failed_in_the_clone),
                                       TEST(hook_of_another_policy),
                                       TEST(out_of_memory_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
