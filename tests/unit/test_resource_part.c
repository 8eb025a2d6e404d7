/* Quota kinds that count devices of one model, through the public calls: what they charge, where
 * their limits hold, what a job does that may take another model, who wakes when, and that
 * copies and other orders of arrival mean the same. */
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

#include "support/api_world.h"
#include "support/fault_alloc.h"
#include "support/queue_update.h"

#define START INT64_C(1700000000000000)

static lsched_cluster *cluster;
static int32_t h100, a100;
static lsched_id top, left, right;
static int64_t now_us;

static lsched_text text_of(const char *s) {
    return (lsched_text){s, s ? strlen(s) : 0};
}

static void ok(int64_t rc, const lsched_error *err) {
    if (rc < 0) print_message("%" PRId64 " %s\n", rc, err->message);
    assert_true(rc >= 0);
}

/* ---- the world: top with left and right; nodes are added by each test ---- */

static int32_t try_kind(lsched_cluster *c, const char *name, const char *model, lsched_error *err) {
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.name = lsched_cstr(name), part.model = lsched_cstr(model);
    return lsched_resource_add_part(c, &part, err);
}

static const char *rack = "r0"; /* of nodes and, where it has a required level, for jobs */
static const char *required;

static lsched_id add_node(lsched_cluster *c, const char *name, uint32_t n_h100, uint32_t n_a100) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount capacity = {LSCHED_CPU, 0, 64000};
    lsched_device_desc devices[2];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_id id;
    uint32_t n = 0;
    for (int i = 0; i < 2; i++) {
        if ((i ? n_a100 : n_h100) == 0) continue;
        lsched_init(&devices[n], sizeof devices[n]);
        devices[n].count = i ? n_a100 : n_h100;
        devices[n].model = text_of(i ? "A100" : "H100-80GB");
        devices[n++].share_mode = LSCHED_SHARING_FRACTION;
    }
    node.name = text_of(name);
    node.capacity = &capacity;
    node.n_capacity = 1;
    node.labels = &(lsched_label){text_of("rack"), text_of(rack)};
    node.n_labels = 1;
    node.devices = devices;
    node.n_devices = n;
    ok(lsched_nodes_add(c, &node, 1, sizeof node, NULL, &id, NULL, &err), &err);
    return id;
}

static lsched_queue_desc queue_with(const char *name, const char *parent,
                                    const lsched_amount *limit, uint32_t n) {
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = text_of(name);
    d.parent_name = text_of(parent);
    d.limit = limit;
    d.n_limit = n;
    return d;
}

static lsched_id add_queue(lsched_cluster *c, const char *name, const char *parent) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_desc d = queue_with(name, parent, NULL, 0);
    lsched_id id;
    ok(lsched_queues_add(c, &d, 1, sizeof d, NULL, &id, NULL, &err), &err);
    return id;
}

static void set_limit(lsched_cluster *c, lsched_id queue, int32_t kind, int64_t milli) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount limit = {(uint32_t)kind, 0, milli};
    lsched_queue_desc d = queue_with(NULL, NULL, &limit, 1);
    ok(queue_update_all(c, queue, &d, &err), &err);
}

/* tasks of gpu milli each, all or nothing; model NULL: any. */
static lsched_id submit(lsched_cluster *c, const char *name, const char *queue, uint32_t tasks,
                        int64_t milli, const char *model) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_GPU, 0, milli}};
    lsched_text allowed = text_of(model);
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id;
    group.max_count = tasks;
    group.request = request;
    group.n_request = 2;
    group.device_models = &allowed;
    group.n_device_models = model != NULL;
    group.required_level = text_of(required);
    job.name = text_of(name);
    job.queue_name = text_of(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = now_us;
    ok(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err), &err);
    return id;
}

/* One cycle, verified; the hash of its plan. */
static uint64_t cycle(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = now_us += 1000;
    opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    ok(lsched_schedule(c, &opts, &plan, &err), &err);
    ok(lsched_plan_get(plan, &info, NULL), &err);
    ok(lsched_verify(c, NULL, &err), &err);
    lsched_plan_destroy(plan);
    return info.plan_hash;
}

static uint32_t placed(lsched_cluster *c, lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    assert_int_equal(lsched_job_get(c, job, &info, NULL), LSCHED_OK);
    return info.tasks_placed;
}

static int64_t used(lsched_cluster *c, lsched_id queue, int32_t kind) {
    int64_t amount = -1;
    assert_int_equal(lsched_queue_amount(c, queue, (uint32_t)kind, &amount, NULL, NULL, NULL),
                     LSCHED_OK);
    return amount;
}

/* Is every proposed task of the job on this node. */
static int is_on(lsched_cluster *c, lsched_id job, lsched_id node) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    int n = 0;
    while (lsched_tasks_next(c, job, 0, &cursor, &t, NULL) == 1) {
        if (t.node != node) return 0;
        n++;
    }
    return n > 0;
}

static void end_task(lsched_cluster *c, lsched_id job, uint32_t index) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_event events[2] = {
        {.size = sizeof *events, .event = LSCHED_EVENT_STARTED, .job = job, .task_index = index},
        {.size = sizeof *events, .event = LSCHED_EVENT_ENDED, .job = job, .task_index = index}};
    ok(lsched_tasks_report(c, events, 2, sizeof *events, NULL, NULL, &err), &err);
}

static lsched_waiting why(lsched_cluster *c, lsched_id job, const char *part) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting w = {.size = sizeof w};
    char buf[1024];
    ok(lsched_explain(c, job, buf, sizeof buf, &w, &err), &err);
    if (!strstr(buf, part)) print_message("expected \"%s\" in \"%s\"\n", part, buf);
    assert_non_null(strstr(buf, part));
    return w;
}

static int setup(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    now_us = START;
    cluster = NULL;
    ok(lsched_cluster_create(NULL, &cluster, &err), &err);
    h100 = try_kind(cluster, "gpu:H100", "H100-80GB", &err);
    a100 = try_kind(cluster, "gpu:A100", "A100", &err);
    ok(h100, &err);
    ok(a100, &err);
    top = add_queue(cluster, "top", NULL);
    left = add_queue(cluster, "left", "top");
    right = add_queue(cluster, "right", "top");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    lsched_cluster_destroy(cluster);
    return 0;
}

/* ---- names and lists ---- */

static void kinds_have_names_and_numbers(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    assert_int_equal(h100, LSCHED_RESOURCE_KINDS_MAX);
    assert_int_equal(a100, LSCHED_RESOURCE_KINDS_MAX + 1);
    assert_int_equal(lsched_resource_find(cluster, LSCHED_TEXT("gpu:A100"), NULL), a100);
    assert_string_equal(lsched_resource_name(cluster, (uint32_t)h100), "gpu:H100");
    assert_null(lsched_resource_name(cluster, (uint32_t)a100 + 1));
    assert_null(lsched_resource_name(cluster, 15)); /* between the two sorts */
    assert_int_equal(try_kind(cluster, "gpu:H100", "H100-80GB", &err), h100);
    assert_int_equal(try_kind(cluster, "gpu:H100", "H100-96GB", &err), LSCHED_E_EXISTS);
    assert_non_null(strstr(err.message, "gpu:H100"));
    assert_int_equal(try_kind(cluster, "cpu", "H100-80GB", &err), LSCHED_E_EXISTS);
    assert_int_equal(lsched_resource_add(cluster, LSCHED_TEXT("gpu:H100"), &err), LSCHED_E_EXISTS);
    assert_int_equal(try_kind(cluster, "", "H100-80GB", &err), LSCHED_E_INVAL);
    assert_int_equal(try_kind(cluster, "x", "", &err), LSCHED_E_INVAL);
    for (int i = a100 + 1; i < LSCHED_RESOURCE_KINDS_MAX + LSCHED_RESOURCE_PARTS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", i);
        assert_int_equal(try_kind(cluster, name, name, &err), i);
    }
    assert_int_equal(try_kind(cluster, "more", "more", &err), LSCHED_E_LIMIT);
    lsched_amount last = {127, 0, 5000}, past = {128, 0, 5000};
    lsched_queue_desc d = queue_with(NULL, NULL, &last, 1);
    ok(queue_update_all(cluster, left, &d, &err), &err);
    ok(lsched_verify(cluster, NULL, &err), &err);
    d.limit = &past;
    assert_int_equal(queue_update_all(cluster, left, &d, &err), LSCHED_E_KEY);
}

static void only_quotas_and_limits_know_them(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount amounts[] = {{(uint32_t)h100, 0, 2000}, {(uint32_t)h100, 0, 2000}};
    lsched_queue_desc d = queue_with("q", NULL, NULL, 0);
    (void)state;
    d.weight_milli = amounts;
    d.n_weight = 1;
    assert_int_equal(lsched_queues_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err),
                     LSCHED_E_UNSUPPORTED);
    assert_non_null(strstr(
        err.message, "'gpu:H100' is a resource part; it is allowed in quotas and limits only"));
    d.n_weight = 0;
    d.lend_limit = amounts;
    d.n_lend_limit = 1;
    assert_int_equal(lsched_queues_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err),
                     LSCHED_E_UNSUPPORTED);
    d.n_lend_limit = 0;
    d.quota = amounts;
    d.n_quota = 2;
    assert_int_equal(lsched_queues_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    d.n_quota = 1;
    lsched_id q;
    ok(lsched_queues_add(cluster, &d, 1, sizeof d, NULL, &q, NULL, &err), &err);
    int64_t quota = 0, limit = 0;
    assert_int_equal(lsched_queue_amount(cluster, q, (uint32_t)h100, NULL, &quota, &limit, NULL),
                     0);
    assert_int_equal(quota, 2000);
    assert_true(limit == LSCHED_UNLIMITED);
    ok(lsched_queues_remove(cluster, &q, 1, NULL, NULL, &err), &err);
    lsched_node_desc node = api_node("n1");
    node.capacity = amounts;
    node.n_capacity = 1;
    assert_int_equal(lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err),
                     LSCHED_E_UNSUPPORTED);
    lsched_group_desc group = api_group(1);
    group.request = amounts;
    group.n_request = 1;
    lsched_job_desc job = api_job("j", &group, 1);
    job.queue_name = text_of("left");
    assert_int_equal(lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     LSCHED_E_UNSUPPORTED);
    ok(lsched_verify(cluster, NULL, &err), &err);
}

/* Getters of an amount tell a kind that is unknown from a resource part, of which they have none. */
static void other_getters_do_not_know_them(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t queues = 0;
    lsched_id n, q = lsched_next(cluster, LSCHED_KIND_QUEUE, &queues);
    lsched_node_desc node = api_node("n1");
    const uint32_t kinds[] = {(uint32_t)h100, 9};
    const int32_t codes[] = {LSCHED_E_UNSUPPORTED, LSCHED_E_KEY};
    const lsched_amount price = {LSCHED_GPU, 0, 1000};
    lsched_allowance_desc a = LSCHED_ALLOWANCE_DESC_INIT;
    (void)state;
    ok(lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, &n, NULL, &err), &err);
    a.queue = q;
    a.amount_micro = 1000000;
    a.price = &price;
    a.n_price = 1;
    ok(lsched_allowances_set(cluster, &a, 1, sizeof a, NULL, NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        int64_t x;
        lsched_queue_share share = LSCHED_QUEUE_SHARE_INIT;
        assert_int_equal(lsched_node_amount(cluster, n, kinds[i], &x, &x, &err), codes[i]);
        assert_int_equal(lsched_queue_share_get(cluster, q, kinds[i], &share, &err), codes[i]);
        assert_int_equal(lsched_foreign_amount(cluster, n, kinds[i], &err), codes[i]);
        assert_int_equal(lsched_allowance_price(cluster, q, kinds[i], &x, &err), codes[i]);
        assert_int_equal(err.code, codes[i]);
    }
}

/* ---- limits ---- */

static void a_leaf_keeps_its_limit(void **state) {
    (void)state;
    add_node(cluster, "h1", 4, 0);
    set_limit(cluster, left, h100, 2500);
    lsched_id a = submit(cluster, "a", "left", 2, 1000, NULL),
              b = submit(cluster, "b", "left", 1, 1000, "H100-80GB"),
              c = submit(cluster, "c", "left", 1, 500, "H100-80GB"),
              d = submit(cluster, "d", "right", 1, 1000, NULL);
    cycle(cluster);
    assert_int_equal(placed(cluster, a), 2);
    assert_int_equal(placed(cluster, b), 0);
    assert_int_equal(placed(cluster, c), 1); /* what is left is enough for a part */
    assert_int_equal(placed(cluster, d), 1);
    assert_int_equal(used(cluster, left, h100), 2500);
    assert_int_equal(used(cluster, right, h100), 1000);
    assert_int_equal(used(cluster, top, h100), 3500);
    assert_int_equal(used(cluster, top, a100), 0);
    lsched_waiting w = why(cluster, b, "queue left may use 2.5 gpu:H100 and uses 2.5 gpu:H100");
    assert_int_equal(w.code, LSCHED_WAIT_LIMIT);
    assert_int_equal(w.kind, h100);
    assert_true(w.limiting_queue == left);
    assert_int_equal(w.need, 1000);
    assert_int_equal(w.have, 0); /* as it is now, after c, and not when it was tried */
}

static void an_inner_queue_keeps_its_limit(void **state) {
    (void)state;
    add_node(cluster, "h1", 8, 0);
    set_limit(cluster, top, h100, 4000);
    set_limit(cluster, left, h100, 4000);
    lsched_id a = submit(cluster, "a", "left", 3, 1000, NULL), b, c;
    cycle(cluster);
    b = submit(cluster, "b", "right", 2, 1000, NULL);
    c = submit(cluster, "c", "right", 1, 1000, NULL);
    cycle(cluster);
    assert_int_equal(placed(cluster, a), 3);
    assert_int_equal(placed(cluster, b), 0);
    assert_int_equal(placed(cluster, c), 1);
    lsched_waiting w = why(cluster, b, "queue top may use 4 gpu:H100 and uses 4 gpu:H100; ");
    assert_true(w.limiting_queue == top);
    end_task(cluster, a, 0);
    assert_true(lsched_next_wake(cluster) <= now_us);
    cycle(cluster);
    assert_int_equal(placed(cluster, b), 0); /* two are needed, one came back */
    end_task(cluster, a, 1);
    cycle(cluster);
    assert_int_equal(placed(cluster, b), 2);
    assert_int_equal(used(cluster, top, h100), 4000);
}

/* A job that may take any model takes the other one, and waits for room there as well as for the
 * limit. */
static void other_models_are_taken(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    lsched_id h1 = add_node(cluster, "a-h", 6, 0), a1 = add_node(cluster, "b-a", 0, 2);
    set_limit(cluster, left, h100, 2000);
    lsched_id a = submit(cluster, "a", "left", 2, 1000, "H100-80GB");
    cycle(cluster);
    lsched_id b = submit(cluster, "b", "left", 1, 2000, NULL);
    cycle(cluster);
    assert_true(is_on(cluster, a, h1));
    assert_true(is_on(cluster, b, a1));
    assert_int_equal(used(cluster, left, a100), 2000);
    lsched_id c = submit(cluster, "c", "left", 1, 1000, NULL);
    cycle(cluster);
    assert_int_equal(why(cluster, c, "queue left may use 2 gpu:H100").code, LSCHED_WAIT_LIMIT);
    assert_true(lsched_next_wake(cluster) > now_us);
    end_task(cluster, b, 0); /* room on the other model */
    cycle(cluster);
    assert_true(is_on(cluster, c, a1));
    lsched_id d = submit(cluster, "d", "left", 1, 2000, NULL);
    cycle(cluster);
    assert_int_equal(placed(cluster, d), 0);
    set_limit(cluster, left, h100, LSCHED_UNLIMITED); /* no node gained room */
    assert_true(lsched_next_wake(cluster) <= now_us);
    cycle(cluster);
    assert_true(is_on(cluster, d, h1));
    lsched_id e = submit(cluster, "e", "left", 1, 2000, NULL);
    set_limit(cluster, left, h100, 0);
    cycle(cluster);
    assert_int_equal(why(cluster, e, "may use 0 gpu:H100").code, LSCHED_WAIT_LIMIT);
    add_node(cluster, "c-a", 0, 2); /* a new node of the other model */
    cycle(cluster);
    assert_int_equal(placed(cluster, e), 1);
    ok(lsched_verify(cluster, NULL, &err), &err);
}

/* A gang that is split by a limit: some of it on one model, the rest on the other, or nothing of
 * it. */
static void a_gang_is_split_by_a_limit(void **state) {
    (void)state;
    add_node(cluster, "h1", 4, 0);
    add_node(cluster, "x1", 0, 2);
    set_limit(cluster, left, h100, 3000);
    lsched_id a = submit(cluster, "a", "left", 6, 1000, NULL);
    cycle(cluster);
    assert_int_equal(placed(cluster, a), 0);
    lsched_waiting w = why(cluster, a, "queue left may use 3 gpu:H100 and uses 0 gpu:H100; ");
    assert_int_equal(w.need, 4000); /* with the three that fitted */
    assert_int_equal(w.have, 3000);
    assert_int_equal(used(cluster, left, h100), 0);
    lsched_id b = submit(cluster, "b", "left", 5, 1000, NULL);
    cycle(cluster);
    assert_int_equal(placed(cluster, b), 5);
    assert_int_equal(used(cluster, left, h100), 3000);
    assert_int_equal(used(cluster, left, a100), 2000);
}

/* Of two racks the limit closes one, and the other has no whole device. The last one tried gives the
 * reason, but the limit would cure it as well. */
static void a_limit_behind_another_reason(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text level = text_of("rack");
    lsched_topology_desc site = {
        .size = sizeof site, .n_levels = 1, .name = text_of("site"), .levels = &level};
    (void)state;
    ok(lsched_topologies_add(cluster, &site, 1, sizeof site, NULL, NULL, NULL, &err), &err);
    rack = "r1";
    lsched_id h1 = add_node(cluster, "h1", 1, 0);
    rack = "r2";
    add_node(cluster, "x1", 0, 4);
    rack = "r0";
    set_limit(cluster, left, h100, 0);
    lsched_id halves[4];
    for (int i = 0; i < 4; i++) {
        char name[] = {'a', (char)('0' + i), 0};
        halves[i] = submit(cluster, name, "right", 1, 600, "A100");
    }
    cycle(cluster);
    for (int i = 0; i < 4; i++) assert_int_equal(placed(cluster, halves[i]), 1);
    required = "rack";
    lsched_id b = submit(cluster, "b", "left", 1, 1000, NULL);
    required = NULL;
    cycle(cluster);
    assert_int_equal(why(cluster, b, "no rack has room").code, LSCHED_WAIT_TOPOLOGY);
    set_limit(cluster, left, h100, 1000);
    cycle(cluster);
    assert_true(is_on(cluster, b, h1));
}

/* On a node with both models a task takes as many devices of each as the limits allow. */
static void devices_are_chosen_within_limits(void **state) {
    (void)state;
    lsched_id mixed = add_node(cluster, "mixed", 2, 2);
    set_limit(cluster, left, h100, 1000);
    lsched_id a = submit(cluster, "a", "left", 1, 3000, NULL),
              b = submit(cluster, "b", "left", 1, 1000, NULL);
    cycle(cluster);
    assert_true(is_on(cluster, a, mixed));
    assert_int_equal(used(cluster, left, h100), 1000);
    assert_int_equal(used(cluster, left, a100), 2000);
    assert_int_equal(placed(cluster, b), 0);
    lsched_id c = submit(cluster, "c", "right", 1, 1000, NULL);
    cycle(cluster);
    assert_int_equal(placed(cluster, c), 1);
}

static void kinds_may_overlap_and_come_late(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    add_node(cluster, "h1", 8, 0);
    lsched_id a = submit(cluster, "a", "left", 3, 1000, NULL);
    cycle(cluster);
    int32_t fast = try_kind(cluster, "fast", "H100-80GB", &err);
    ok(fast, &err);
    assert_int_equal(used(cluster, left, fast), 3000); /* what is held is charged */
    assert_int_equal(used(cluster, top, fast), 3000);
    set_limit(cluster, left, fast, 4000);
    lsched_id b = submit(cluster, "b", "left", 2, 1000, NULL);
    cycle(cluster);
    assert_int_equal(why(cluster, b, "4 fast and uses 3 fast").kind, fast);
    end_task(cluster, a, 0);
    cycle(cluster);
    assert_int_equal(placed(cluster, b), 2);
    ok(lsched_jobs_remove(cluster, &a, 1, NULL, NULL, &err), &err);
    assert_int_equal(used(cluster, left, fast), 2000);
    assert_int_equal(used(cluster, left, h100), 2000);
    ok(lsched_verify(cluster, NULL, &err), &err);
}

static void an_import_beyond_a_limit_is_marked(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    add_node(cluster, "h1", 4, 0);
    set_limit(cluster, top, h100, 1000);
    lsched_id a = submit(cluster, "a", "left", 2, 1000, NULL);
    lsched_task_import tasks[2];
    for (uint32_t i = 0; i < 2; i++)
        tasks[i] = (lsched_task_import){.size = sizeof tasks[i],
                                        .task_index = i,
                                        .job = a,
                                        .node_name = text_of("h1"),
                                        .start_us = START};
    ok(lsched_tasks_import(cluster, tasks, 2, sizeof tasks[0], NULL, NULL, &err), &err);
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    uint32_t marked = 0;
    while (lsched_tasks_next(cluster, a, 0, &cursor, &t, NULL) == 1) {
        assert_int_equal(t.imported_excess, t.task_index);
        marked += t.imported_excess;
    }
    assert_int_equal(marked, 1);
    assert_int_equal(used(cluster, top, h100), 2000);
    lsched_id b = submit(cluster, "b", "right", 1, 500, NULL);
    cycle(cluster);
    assert_int_equal(why(cluster, b, "may use 1 gpu:H100 and uses 2 gpu:H100").have, -1000);
}

/* ---- copies, order, memory ---- */

struct saved {
    unsigned char *p;
    size_t n;
};

static int32_t keep_bytes(void *user, const void *bytes, size_t n) {
    struct saved *s = user;
    s->p = realloc(s->p, s->n + n);
    if (!s->p) return -1;
    memcpy(s->p + s->n, bytes, n);
    s->n += n;
    return 0;
}

static void copies_plan_the_same(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *clone = NULL, *loaded = NULL;
    struct saved bytes = {NULL, 0};
    (void)state;
    add_node(cluster, "h1", 4, 0);
    add_node(cluster, "x1", 0, 4);
    set_limit(cluster, top, h100, 2000);
    lsched_id a = submit(cluster, "a", "left", 1, 1000, NULL);
    submit(cluster, "b", "right", 4, 1000, "H100-80GB");
    cycle(cluster);
    end_task(cluster, a, 0);
    submit(cluster, "c", "right", 6, 1000, NULL);
    ok(lsched_cluster_clone(cluster, &clone, &err), &err);
    ok(lsched_cluster_save(cluster, keep_bytes, &bytes, &err), &err);
    ok(lsched_cluster_load(NULL, bytes.p, bytes.n, &loaded, &err), &err);
    free(bytes.p);
    assert_true(api_image(clone) == api_image(cluster) && api_image(loaded) == api_image(cluster));
    int64_t now = now_us;
    uint64_t hash = cycle(cluster);
    now_us = now;
    assert_true(cycle(clone) == hash);
    now_us = now;
    assert_true(cycle(loaded) == hash);
    assert_string_equal(lsched_resource_name(loaded, (uint32_t)h100), "gpu:H100");
    assert_true(api_meaning(loaded) == api_meaning(cluster));
    lsched_cluster_destroy(clone);
    lsched_cluster_destroy(loaded);
}

static void order_of_arrival_means_nothing(void **state) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *other = NULL;
    (void)state;
    add_node(cluster, "h1", 4, 0);
    add_node(cluster, "x1", 0, 4);
    set_limit(cluster, left, h100, 1000);
    submit(cluster, "a", "left", 1, 2000, NULL);
    submit(cluster, "b", "left", 1, 1000, "H100-80GB");
    submit(cluster, "c", "left", 1, 1000, "H100-80GB");
    uint64_t hash = cycle(cluster);
    now_us = START;
    ok(lsched_cluster_create(NULL, &other, &err), &err);
    add_queue(other, "top", NULL);
    add_queue(other, "right", "top");
    lsched_id l = add_queue(other, "left", "top");
    add_node(other, "x1", 0, 4);
    ok(try_kind(other, "gpu:A100", "A100", &err), &err);
    int32_t kind = try_kind(other, "gpu:H100", "H100-80GB", &err);
    assert_int_not_equal(kind, h100);
    add_node(other, "h1", 4, 0);
    set_limit(other, l, kind, 0);
    set_limit(other, l, kind, 1000);
    submit(other, "c", "left", 1, 1000, "H100-80GB");
    submit(other, "b", "left", 1, 1000, "H100-80GB");
    submit(other, "a", "left", 1, 2000, NULL);
    assert_true(cycle(other) == hash);
    assert_true(api_meaning(other) == api_meaning(cluster));
    /* A row that says nothing any more means nothing. */
    set_limit(other, l, kind, LSCHED_UNLIMITED);
    set_limit(cluster, left, h100, LSCHED_UNLIMITED);
    set_limit(cluster, right, a100, 1000);
    set_limit(cluster, right, a100, LSCHED_UNLIMITED);
    assert_true(api_meaning(other) == api_meaning(cluster));
    lsched_cluster_destroy(other);
}

/* ---- memory runs out: every call fails cleanly or works, and in the end the image is that of
 * an undisturbed run ---- */

struct walk {
    struct fault_alloc memory;
    lsched_cluster *c;
    lsched_id job;
};

static int32_t walk_kind(struct walk *w) {
    return try_kind(w->c, "gpu:H100", "H100-80GB", NULL);
}
static int32_t walk_late(struct walk *w) {
    return try_kind(w->c, "late", "H100-80GB", NULL);
}
static int32_t walk_node(struct walk *w) {
    lsched_node_desc node = api_node("n1");
    return lsched_nodes_add(w->c, &node, 1, sizeof node, NULL, NULL, NULL, NULL);
}
static int32_t walk_queues(struct walk *w) {
    static const lsched_amount limit[] = {{LSCHED_RESOURCE_KINDS_MAX, 0, 3000}};
    lsched_queue_desc queues[] = {queue_with("org", NULL, limit, 1),
                                  queue_with("research", "org", NULL, 0)};
    return lsched_queues_add(w->c, queues, 2, sizeof queues[0], NULL, NULL, NULL, NULL);
}
static int32_t walk_job(struct walk *w) {
    lsched_group_desc group = api_group(5);
    group.min_count = 1;
    lsched_job_desc job = api_job("j", &group, 1);
    return lsched_jobs_submit(w->c, &job, 1, sizeof job, NULL, &w->job, NULL, NULL);
}
static int32_t walk_cycle(struct walk *w) {
    return api_cycle(w->c, START, NULL);
}
static int32_t walk_end(struct walk *w) {
    lsched_task_event e = {.size = sizeof e, .event = LSCHED_EVENT_STARTED, .job = w->job};
    return lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, NULL);
}
static int32_t walk_remove(struct walk *w) {
    return lsched_jobs_remove(w->c, &w->job, 1, NULL, NULL, NULL);
}

static uint64_t walk_all(struct walk *w, uint64_t fail_at) {
    static int32_t (*const steps[])(struct walk *) = {
        walk_kind, walk_node, walk_queues, walk_job, walk_cycle, walk_end, walk_late, walk_remove};
    lsched_allocator hooks = fault_hooks(&w->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.allocator = &hooks;
    assert_int_equal(lsched_cluster_create(&opts, &w->c, NULL), LSCHED_OK);
    w->memory.calls = 0;
    w->memory.fail_at = fail_at;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint64_t before = api_image(w->c);
        int32_t rc = steps[i](w);
        if (rc < 0) {
            assert_int_equal(rc, LSCHED_E_NOMEM);
            assert_true(api_image(w->c) == before);
            rc = steps[i](w);
        }
        assert_true(rc >= 0);
        if (steps[i] == walk_cycle) assert_int_equal(placed(w->c, w->job), 3);
    }
    w->memory.fail_at = 0;
    ok(lsched_verify(w->c, NULL, &err), &err);
    uint64_t image = api_image(w->c);
    lsched_cluster_destroy(w->c);
    assert_int_equal(w->memory.live_blocks, 0);
    assert_int_equal(w->memory.wrong_sizes, 0);
    return image;
}

static void every_allocation_may_fail(void **state) {
    struct walk w = {{0}, NULL, 0};
    (void)state;
    uint64_t image = walk_all(&w, 0), calls = w.memory.calls;
    assert_true(calls > 10);
    for (uint64_t n = 1; n <= calls; n++) {
        memset(&w, 0, sizeof w);
        assert_true(walk_all(&w, n) == image);
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(kinds_have_names_and_numbers),       TEST(only_quotas_and_limits_know_them),
        TEST(other_getters_do_not_know_them),     TEST(a_leaf_keeps_its_limit),
        TEST(an_inner_queue_keeps_its_limit),     TEST(other_models_are_taken),
        TEST(a_gang_is_split_by_a_limit),         TEST(a_limit_behind_another_reason),
        TEST(devices_are_chosen_within_limits),   TEST(kinds_may_overlap_and_come_late),
        TEST(an_import_beyond_a_limit_is_marked), TEST(copies_plan_the_same),
        TEST(order_of_arrival_means_nothing),     cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
