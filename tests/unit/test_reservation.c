/*
 * test_reservation.c -- reservations through the public calls: what is refused and changes nothing,
 * what getters say, that the cost of a job does not grow with the reservations of others, and
 * damaged states and plans, each of which the verifier names.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"
#include "model/reservations/reservation.h"
#include "model/store/intern.h"
#include "support/api_world.h"
#include "support/settle.h"

#define HOUR INT64_C(3600000000)

static struct api_world w;
static lsched_error err;
#define K (&w.cluster->k)

static int open_world(void **unused) {
    (void)unused;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return api_world_make(&w, NULL);
}

static int close_world(void **unused) {
    (void)unused;
    api_world_drop(&w);
    return 0;
}

/* A window of two hours that begins in an hour, on n2, for research. */
static lsched_reservation_desc terms(const char *name) {
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue = w.research;
    d.nodes = &w.nodes[1];
    d.n_nodes = 1;
    d.start_us = w.now_us + HOUR;
    d.end_us = w.now_us + 3 * HOUR;
    return d;
}

static int32_t set(const lsched_reservation_desc *d) {
    err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_reservations_set(w.cluster, d, 1, sizeof *d, NULL, NULL, &err);
}

static int32_t end(const char *name, uint32_t flags) {
    lsched_text text = lsched_cstr(name);
    const lsched_batch_opts opts = {sizeof opts, flags};
    int32_t status = 0;
    err = (lsched_error)LSCHED_ERROR_INIT;
    int32_t rc = lsched_reservations_remove(w.cluster, &text, 1, &opts, &status, &err);
    return flags && rc == 0 ? status : rc;
}

static void refused(lsched_reservation_desc d, int32_t code, const char *part) {
    uint64_t before = api_image(w.cluster);
    assert_int_equal(set(&d), code);
    if (!strstr(err.message, part)) fail_msg("%s", err.message);
    assert_int_equal(api_image(w.cluster), before);
}

static void what_is_wrong_is_refused_and_changes_nothing(void **unused) {
    (void)unused;
    lsched_reservation_desc d = terms("r");
    assert_int_equal(set(&d), 1);
#define WITH(change, code, part)                \
    do {                                        \
        lsched_reservation_desc x = terms("s"); \
        x.nodes = &w.nodes[0];                  \
        change;                                 \
        refused(x, code, part);                 \
    } while (0)
    WITH(x.name = LSCHED_TEXT(""), LSCHED_E_INVAL, "name");
    WITH(x.queue = 0, LSCHED_E_INVAL, "it has no holder");
    WITH((x.queue = 0, x.queue_name = LSCHED_TEXT("none")), LSCHED_E_NOENT, "none");
    WITH(x.queue = w.gone_queue, LSCHED_E_STALE, "");
    WITH(x.user = LSCHED_TEXT("ann"), LSCHED_E_STATE, "");
    WITH(x.nodes = &w.gone_node, LSCHED_E_STALE, "");
    WITH(x.nodes = NULL, LSCHED_E_NULL, "reservation 's': a list of nodes or labels is NULL");
    WITH(x.n_nodes = 0, LSCHED_E_INVAL, "it has no node");
    WITH(x.nodes = &w.nodes[1], LSCHED_E_STATE, "node 'n2' is in reservation 'r'");
    WITH(x.end_us = x.start_us, LSCHED_E_RANGE, "expected a window that ends after it starts");
    WITH(x.end_us = x.start_us - 1, LSCHED_E_RANGE, "expected a window that ends after it starts");
    WITH(x.start_us = -1, LSCHED_E_RANGE, "start_us is -1; expected 0 to 2^61");
    WITH(x.end_us = INT64_MAX, LSCHED_E_RANGE, "end_us");
    WITH(x.every_us = -1, LSCHED_E_RANGE, "every_us");
    WITH(x.every_us = 2 * HOUR, LSCHED_E_RANGE, "expected a longer period");
    WITH((x.every_us = HOUR, x.end_us = 0), LSCHED_E_RANGE, "must have an end");
    WITH((x.start_us = 0, x.end_us = 0), LSCHED_E_RANGE, "must have a start after");
    WITH((x.start_us = 1, x.end_us = w.now_us), LSCHED_E_RANGE,
         "expected a window that is not over");
    const lsched_amount gpus = {LSCHED_GPU, 0, 7999};
    lsched_queue_update q = LSCHED_QUEUE_UPDATE_INIT;
    q.queue = w.org;
    q.set = LSCHED_QUEUE_SET_LIMIT;
    q.limit = &gpus;
    q.n_limit = 1;
    assert_int_equal(lsched_queues_update(w.cluster, &q, 1, sizeof q, NULL, NULL, &err), 1);
    WITH(x.every_us = 0, LSCHED_E_LIMIT,
         "its nodes have 8000 of kind 'gpu', and the limit of queue 'org' is 7999");
#undef WITH
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w.nodes[1];
    u.set = LSCHED_NODE_SET_ABSENCE;
    assert_int_equal(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_STATE);
    assert_non_null(strstr(err.message, "is in reservation 'r', which says when it is away"));
    u.node = w.nodes[0];
    u.leaves_us = w.now_us + HOUR;
    assert_int_equal(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    d = terms("s");
    d.nodes = &w.nodes[0];
    refused(d, LSCHED_E_STATE, "node 'n1' has an absence");
    assert_int_equal(lsched_queues_remove(w.cluster, &w.research, 1, NULL, NULL, &err),
                     LSCHED_E_BUSY);
    assert_non_null(strstr(err.message, "queue 'research' holds reservation 'r'"));
}

static void getters_say_what_was_set(void **unused) {
    (void)unused;
    lsched_reservation_desc d = terms("r");
    d.every_us = 24 * HOUR;
    d.tag = 7;
    assert_int_equal(set(&d), 1);
    lsched_reservation_info i = LSCHED_RESERVATION_INFO_INIT;
    assert_int_equal(lsched_reservation_get(w.cluster, d.name, &i, &err), LSCHED_OK);
    assert_int_equal(i.queue, w.research);
    assert_int_equal(i.n_nodes, 1);
    assert_int_equal(i.tag, 7);
    assert_int_equal(i.start_us, d.start_us);
    assert_int_equal(i.end_us, d.end_us);
    assert_int_equal(i.every_us, d.every_us);
    assert_int_equal(i.next_start_us, d.start_us);
    assert_int_equal(i.next_end_us, d.end_us);
    uint64_t cursor = 0;
    lsched_id node = 0;
    assert_int_equal(lsched_reservations_next(w.cluster, &cursor, &i, &err), 1);
    assert_int_equal(i.name.len, 1);
    assert_int_equal(lsched_reservations_next(w.cluster, &cursor, &i, &err), 0);
    cursor = 0;
    assert_int_equal(lsched_reservation_nodes_next(w.cluster, d.name, &cursor, &node, &err), 1);
    assert_int_equal(node, w.nodes[1]);
    assert_int_equal(lsched_reservation_nodes_next(w.cluster, d.name, &cursor, &node, &err), 0);
    /* the window is no absence of the node's own */
    lsched_node_info n = {.size = sizeof n};
    assert_int_equal(lsched_node_get(w.cluster, w.nodes[1], &n, &err), LSCHED_OK);
    assert_true(n.leaves_us == 0 && n.back_us == 0 && n.leaves_every_us == 0);
    /* a day later, the next window is that of the day */
    assert_true(api_cycle(w.cluster, w.now_us + 24 * HOUR, NULL) >= 0);
    assert_int_equal(lsched_reservation_get(w.cluster, d.name, &i, &err), LSCHED_OK);
    assert_int_equal(i.next_start_us, d.start_us + 24 * HOUR);
    assert_int_equal(end("r", 0), 1);
    assert_int_equal(end("r", 0), LSCHED_E_NOENT);
    assert_int_equal(end("r", LSCHED_BATCH_IDEMPOTENT), LSCHED_UNCHANGED);
    assert_int_equal(lsched_reservation_get(w.cluster, d.name, &i, &err), LSCHED_E_NOENT);
    assert_int_equal(lsched_reservation_nodes_next(w.cluster, d.name, &cursor, &node, &err),
                     LSCHED_E_NOENT);
}

/* Labels choose nodes; a call that sets a reservation again replaces its nodes and its holder. */
static void setting_again_replaces_all(void **unused) {
    (void)unused;
    const lsched_label rack = {LSCHED_TEXT("rack"), LSCHED_TEXT("r1")};
    lsched_reservation_desc d = terms("r");
    assert_int_equal(set(&d), 1);
    d.n_nodes = 0;
    d.labels = &rack;
    d.n_labels = 1;
    d.queue = w.product;
    assert_int_equal(set(&d), 1);
    assert_int_equal(table_live(K, T_RESERVATION), 1);
    uint64_t cursor = 0;
    lsched_id node = 0;
    assert_int_equal(lsched_reservation_nodes_next(w.cluster, d.name, &cursor, &node, &err), 1);
    assert_int_equal(node, w.nodes[0]);
    assert_int_equal(lsched_reservation_nodes_next(w.cluster, d.name, &cursor, &node, &err), 0);
    assert_int_equal(meta(K, M_ABSENCES), 1);
    if (verify_state(K, &err) != LSCHED_OK) fail_msg("%s", err.message);
    /* it ends with its last node */
    assert_int_equal(lsched_nodes_remove(w.cluster, &w.nodes[0], 1, NULL, NULL, &err), 1);
    assert_int_equal(table_live(K, T_RESERVATION), 0);
    assert_int_equal(meta(K, M_ABSENCES), 0);
}

static void there_is_a_bound(void **unused) {
    (void)unused;
    enum { MORE = LSCHED_RESERVATIONS_MAX + 1 };
    static char names[MORE][8];
    for (uint32_t i = 0; i < MORE; i++) {
        snprintf(names[i], sizeof names[i], "m%u", i);
        lsched_node_desc n = LSCHED_NODE_DESC_INIT;
        n.name = lsched_cstr(names[i]);
        lsched_id id;
        assert_int_equal(lsched_nodes_add(w.cluster, &n, 1, sizeof n, NULL, &id, NULL, &err), 1);
        lsched_reservation_desc d = terms(names[i]);
        d.nodes = &id;
        int32_t rc = set(&d);
        assert_int_equal(rc, i < LSCHED_RESERVATIONS_MAX ? 1 : LSCHED_E_LIMIT);
    }
    /* one that exists can still be changed */
    lsched_reservation_desc d = terms("m0");
    d.nodes = NULL;
    d.n_nodes = 0;
    d.node_names = &d.name;
    d.n_node_names = 1;
    assert_int_equal(set(&d), 1);
    if (verify_state(K, &err) != LSCHED_OK) fail_msg("%s", err.message);
}

static uint64_t steps_of(uint32_t queue) {
    uint64_t before = *K->steps;
    (void)reservation_held(K, queue);
    return *K->steps - before;
}

/* A queue that holds nothing pays nothing for the reservations of others, and a holder pays one
 * step for each reservation. */
static void cost_grows_for_holders_alone(void **unused) {
    (void)unused;
    uint32_t research = (uint32_t)w.research, product = (uint32_t)w.product;
    assert_int_equal(steps_of(research), 0);
    for (uint32_t i = 0; i < 64; i++) {
        char name[8];
        snprintf(name, sizeof name, "m%u", i);
        lsched_node_desc n = LSCHED_NODE_DESC_INIT;
        n.name = lsched_cstr(name);
        lsched_id id;
        assert_int_equal(lsched_nodes_add(w.cluster, &n, 1, sizeof n, NULL, &id, NULL, &err), 1);
        lsched_reservation_desc d = terms(name);
        d.nodes = &id;
        assert_int_equal(set(&d), 1);
        assert_int_equal(steps_of(product), 0);
        assert_int_equal(reservation_held(K, product), 0);
        assert_int_equal(steps_of(research), i + 1);
        assert_true(reservation_held(K, research) != 0);
    }
}

/* ---- damage ---- */

static void expect_refused(const char *part) {
    err = (lsched_error)LSCHED_ERROR_INIT;
    assert_int_equal(verify_state(K, &err), LSCHED_E_VERIFY);
    if (!strstr(err.message, part)) fail_msg("%s", err.message);
}

static uint32_t reserve(const char *name, lsched_id node) {
    lsched_reservation_desc d = terms(name);
    d.nodes = &node;
    assert_int_equal(set(&d), 1);
    return reservation_find(K, (lsched_text){name, strlen(name)});
}

static void damaged_rows_are_found(void **unused) {
    (void)unused;
    uint32_t r = reserve("r", w.nodes[1]), n = (uint32_t)w.nodes[1], q = (uint32_t)w.research;
    if (verify_state(K, &err) != LSCHED_OK) fail_msg("%s", err.message);
    K->c[C_RESERVATION_UNTIL].i64[r]++;
    expect_refused("is away at other times than reservation \"r\" says");
    K->c[C_RESERVATION_UNTIL].i64[r]--;
    K->c[C_RESERVATION_NODES].u32[r]++;
    expect_refused("says that it has 2 nodes; 1 are in it");
    K->c[C_RESERVATION_NODES].u32[r]--;
    K->c[C_NODE_RESERVATION].u32[n] = NO_ROW;
    expect_refused("says that it has 1 nodes; 0 are in it");
    K->c[C_NODE_RESERVATION].u32[n] = r;
    K->c[C_QUEUE_RESERVATIONS].u32[q] = 3;
    expect_refused("says that it holds 3 reservations; it holds 1");
    K->c[C_QUEUE_RESERVATIONS].u32[q] = 1;
    /* two of one name: the text of the second becomes that of the first, with its sum */
    uint32_t other = reserve("s", w.nodes[0]), text = K->c[C_RESERVATION_NAME].u32[other];
    memcpy(&K->c[C_TEXT_WORD].u64[text + 1], "r", 1);
    K->c[C_TEXT_WORD].u64[text] = (uint64_t)text_hash_of((const uint8_t *)"r", 1) << 32 | 1;
    expect_refused("two reservations are called reservation \"r\"");
}

/* ---- damaged plans ---- */

static lsched_decision plan[4];

/* Adds a job of the whole node, and runs a cycle. Returns the number of its decisions. */
static size_t cycle_with(lsched_cluster *c, const char *name, const char *queue, int64_t now) {
    const lsched_amount cores = {LSCHED_CPU, 0, 4000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = api_job(name, &g, 1);
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *made = NULL;
    g.max_count = 1;
    g.request = &cores;
    g.n_request = 1;
    job.queue_name = lsched_cstr(queue);
    job.duration_us = HOUR;
    job.release_us = HOUR / 6;
    opts.now_us = now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), 1);
    assert_int_equal(lsched_schedule(c, &opts, &made, &err), LSCHED_OK);
    size_t n = lsched_plan_size(made);
    assert_true(n <= sizeof plan / sizeof plan[0]);
    for (size_t i = 0; i < n; i++) plan[i] = *lsched_plan_at(made, i);
    lsched_plan_destroy(made);
    return n;
}

/* Reserves the node after the plan was made. The verifier then finds what the plan may not do. */
static void reserve_late(lsched_cluster *c, const char *queue, int64_t from, int64_t until,
                         size_t n, const char *part) {
    const lsched_text node = LSCHED_TEXT("n");
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    err = (lsched_error)LSCHED_ERROR_INIT;
    assert_int_equal(verify_plan(&c->k, plan, n, sizeof plan[0], &err), LSCHED_OK);
    d.name = LSCHED_TEXT("r");
    d.queue_name = lsched_cstr(queue);
    d.node_names = &node;
    d.n_node_names = 1;
    d.start_us = from;
    d.end_us = until;
    assert_int_equal(lsched_reservations_set(c, &d, 1, sizeof d, NULL, NULL, &err), 1);
    assert_int_equal(verify_plan(&c->k, plan, n, sizeof plan[0], &err), LSCHED_E_VERIFY);
    if (!strstr(err.message, part)) fail_msg("%s", err.message);
    assert_int_equal(lsched_reservations_remove(c, &d.name, 1, NULL, NULL, &err), 1);
}

static void damaged_plans_are_found(void **unused) {
    (void)unused;
    const lsched_amount cores = {LSCHED_CPU, 0, 4000};
    const lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    lsched_cluster *c = NULL;
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc q[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    n.name = LSCHED_TEXT("n");
    n.capacity = &cores;
    n.n_capacity = 1;
    q[0].name = LSCHED_TEXT("q");
    q[1].name = LSCHED_TEXT("o");
    q[1].quota = &cores;
    q[1].n_quota = 1;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    assert_int_equal(
        lsched_policy_load(c, LSCHED_TEXT("guaranteed-quota"), LSCHED_TEXT(""), NULL, &err),
        LSCHED_OK);
    assert_int_equal(lsched_nodes_add(c, &n, 1, sizeof n, NULL, NULL, NULL, &err), 1);
    assert_int_equal(lsched_queues_add(c, q, 2, sizeof q[0], NULL, NULL, NULL, &err), 2);

    assert_int_equal(cycle_with(c, "mine", "q", HOUR), 1);
    reserve_late(c, "o", HOUR, 9 * HOUR, 1,
                 "its node is reserved for others before the task surely ends");
    /* its room would be free after ten minutes, when the window is over */
    assert_true(settle_each(c, &plan[0].id, &yes, 1, NULL, &err) >= 0);
    e.job = plan[0].job;
    e.event = LSCHED_EVENT_STARTED;
    assert_int_equal(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), 1);
    assert_int_equal(cycle_with(c, "late", "o", 2 * HOUR), 2);
    reserve_late(c, "q", HOUR, 2 * HOUR + 1, 2,
                 "is stopped in a window that is reserved for its queue");
    lsched_cluster_destroy(c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_wrong_is_refused_and_changes_nothing),
        TEST(getters_say_what_was_set),
        TEST(setting_again_replaces_all),
        TEST(there_is_a_bound),
        TEST(cost_grows_for_holders_alone),
        TEST(damaged_rows_are_found),
        cmocka_unit_test(damaged_plans_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
