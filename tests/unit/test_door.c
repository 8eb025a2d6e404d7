/*
 * test_door.c -- every change enters through the door as a struct call; whoever watches the door has seen everything. A day of calls is
 * recorded as the records come, and played back on a new cluster: the image must be the same, slots and all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "api/door/door.h"
#include "support/job_priority.h"
#include "support/settle.h"

enum { CALLS_MAX = 128, NODES = 6, JOBS = 12 };

struct recorded {
    struct call call;
    lsched_schedule_opts opts;
    lsched_id ids[JOBS];
    lsched_settlement settlements[JOBS];
    lsched_job_update updates[JOBS];
    char name[64];
};

struct tape {
    struct recorded r[CALLS_MAX];
    size_t n;
};

/* Elements and names of this test are static, so a record may point at them; what lives on the stack is copied. */
static void record(void *user, const struct call *call) {
    struct tape *t = user;
    assert_true(t->n < CALLS_MAX);
    struct recorded *r = &t->r[t->n++];
    r->call = *call;
    if (call->kind->op == CALL_SCHEDULE) r->opts = *(const lsched_schedule_opts *)call->elements;
    if (call->kind->op == CALL_POLICY_LOAD)
        snprintf(r->name, sizeof r->name, "%s", (const char *)call->second);
    if (call->kind->op == CALL_SETTLE) {
        memcpy(r->settlements, call->elements, call->n * sizeof r->settlements[0]);
    }
    if (call->kind->op == CALL_JOBS_REMOVE || call->kind->op == CALL_NODES_REMOVE)
        memcpy(r->ids, call->elements, call->n * sizeof r->ids[0]);
    if (call->kind->op == CALL_JOBS_UPDATE)
        memcpy(r->updates, call->elements, call->n * sizeof r->updates[0]);
}

static void play(lsched_cluster *c, struct recorded *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    const struct call *k = &r->call;
    int64_t rc = 0;
    switch (k->kind->op) {
    case CALL_RESOURCE_ADD: rc = lsched_resource_add(c, LSCHED_TEXT("licence"), &err); break;
    case CALL_NODES_ADD:
        rc = lsched_nodes_add(c, k->elements, k->n, k->elem_size, NULL, NULL, NULL, &err);
        break;
    case CALL_NODES_UPDATE:
        rc = lsched_nodes_update(c, k->elements, k->n, k->elem_size, NULL, NULL, &err);
        break;
    case CALL_NODES_REMOVE: rc = lsched_nodes_remove(c, r->ids, k->n, NULL, NULL, &err); break;
    case CALL_QUEUES_ADD:
        rc = lsched_queues_add(c, k->elements, k->n, k->elem_size, NULL, NULL, NULL, &err);
        break;
    case CALL_JOBS_SUBMIT:
        rc = lsched_jobs_submit(c, k->elements, k->n, k->elem_size, NULL, NULL, NULL, &err);
        break;
    case CALL_JOBS_REMOVE: rc = lsched_jobs_remove(c, r->ids, k->n, NULL, NULL, &err); break;
    case CALL_JOBS_UPDATE:
        rc = lsched_jobs_update(c, r->updates, k->n, sizeof r->updates[0], NULL, NULL, &err);
        break;
    case CALL_POLICY_LOAD:
        rc = lsched_policy_load(c, lsched_cstr(r->name), (lsched_text){NULL, 0}, NULL, &err);
        break;
    case CALL_SETTLE:
        rc = lsched_settle(c, r->settlements, k->n, sizeof r->settlements[0], NULL, NULL, NULL,
                           &err);
        break;
    case CALL_SCHEDULE:
        rc = lsched_schedule(c, &r->opts, &plan, &err);
        lsched_plan_destroy(plan);
        break;
    default: fail_msg("a call of kind %u was recorded and cannot be played", k->kind->op);
    }
    if (rc < 0) fail_msg("call of kind %u: %s", k->kind->op, err.message);
}

static lsched_node_desc nodes[NODES];
static lsched_job_desc jobs[JOBS];
static lsched_group_desc groups[JOBS];
static char names[NODES + JOBS][8];
static const lsched_amount capacity[] = {{LSCHED_CPU, 0, 8000}};
static const lsched_amount request[] = {{LSCHED_CPU, 0, 3000}};
static lsched_queue_desc queue;
static lsched_node_update cordon;

static void describe(void) {
    for (int i = 0; i < NODES; i++) {
        lsched_init(&nodes[i], sizeof nodes[i]);
        names[i][0] = 'n', names[i][1] = (char)('a' + i);
        nodes[i].name = (lsched_text){names[i], 2};
        nodes[i].capacity = capacity;
        nodes[i].n_capacity = 1;
    }
    for (int i = 0; i < JOBS; i++) {
        lsched_init(&groups[i], sizeof groups[i]);
        groups[i].request = request;
        groups[i].n_request = 1;
        groups[i].max_count = (uint32_t)(i % 4 + 1);
        lsched_init(&jobs[i], sizeof jobs[i]);
        names[NODES + i][0] = 'j', names[NODES + i][1] = (char)('a' + i);
        jobs[i].name = (lsched_text){names[NODES + i], 2};
        jobs[i].queue_name = LSCHED_TEXT("q");
        jobs[i].groups = &groups[i];
        jobs[i].n_groups = 1;
        jobs[i].priority = i % 3;
    }
    lsched_init(&queue, sizeof queue);
    queue.name = LSCHED_TEXT("q");
    cordon = (lsched_node_update)LSCHED_NODE_UPDATE_INIT;
    cordon.set = LSCHED_NODE_SET_STATE;
    cordon.name = LSCHED_TEXT("nb");
    cordon.state = LSCHED_NODE_CORDONED;
}

static void schedule_and_settle(lsched_cluster *c, int64_t now, int reject_every) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_id ids[JOBS];
    lsched_outcome how[JOBS];
    size_t n = 0;
    opts.now_us = now;
    assert_int_equal(lsched_schedule(c, &opts, &plan, &err), LSCHED_OK);
    for (size_t i = 0; i < lsched_plan_size(plan) && n < JOBS; i++) {
        ids[n] = lsched_plan_at(plan, i)->id;
        how[n++] =
            i % (size_t)reject_every == 0 ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        if (how[n - 1] == LSCHED_OUTCOME_REJECTED) break; /* it may withdraw the ones after it */
    }
    lsched_plan_destroy(plan);
    if (n) assert_int_equal(settle_each(c, ids, how, n, NULL, &err), LSCHED_OK);
}

static void a_day(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    assert_true(lsched_resource_add(c, LSCHED_TEXT("licence"), &err) > 0);
    assert_int_equal(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), 1);
    assert_int_equal(lsched_nodes_add(c, nodes, NODES - 1, sizeof nodes[0], NULL, NULL, NULL, &err),
                     NODES - 1);
    assert_int_equal(lsched_jobs_submit(c, jobs, JOBS - 4, sizeof jobs[0], NULL, NULL, NULL, &err),
                     JOBS - 4);
    schedule_and_settle(c, 1, 3);
    assert_int_equal(
        lsched_policy_load(c, LSCHED_TEXT("spread"), (lsched_text){NULL, 0}, NULL, &err),
        LSCHED_OK);
    assert_int_equal(lsched_nodes_update(c, &cordon, 1, sizeof cordon, NULL, NULL, &err), 1);
    assert_int_equal(
        lsched_jobs_submit(c, jobs + JOBS - 4, 4, sizeof jobs[0], NULL, NULL, NULL, &err), 4);
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("ji")),
              node = lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("na"));
    assert_int_equal(job_priority_set(c, job, 9, &err), 1);
    schedule_and_settle(c, 2, 2);
    assert_int_equal(lsched_nodes_remove(c, &node, 1, NULL, NULL, &err), 1);
    assert_int_equal(
        lsched_nodes_add(c, nodes + NODES - 1, 1, sizeof nodes[0], NULL, NULL, NULL, &err), 1);
    schedule_and_settle(c, 3, 5);
    job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("jc"));
    assert_int_equal(lsched_jobs_remove(c, &job, 1, NULL, NULL, &err), 1);
    schedule_and_settle(c, 4, 7);
}

static uint64_t image(const lsched_cluster *c) {
    uint64_t h = 0;
    assert_int_equal(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &h, NULL), LSCHED_OK);
    return h;
}

static void what_was_recorded_replays_to_the_same_image(void **unused) {
    (void)unused;
    static struct tape tape;
    lsched_cluster *a = NULL, *b = NULL;
    describe();
    assert_int_equal(lsched_cluster_create(NULL, &a, NULL), LSCHED_OK);
    assert_int_equal(lsched_cluster_create(NULL, &b, NULL), LSCHED_OK);
    uint64_t empty = image(b);
    door_watch(a, record, &tape);
    a_day(a);
    assert_true(tape.n >= 16);
    for (size_t i = 0; i < tape.n; i++) play(b, &tape.r[i]);
    assert_true(image(b) != empty);
    assert_true(image(a) == image(b));
    lsched_cluster_destroy(a);
    lsched_cluster_destroy(b);
}

static void a_refused_call_is_not_recorded(void **unused) {
    (void)unused;
    static struct tape tape;
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    describe();
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    door_watch(c, record, &tape);
    assert_int_equal(lsched_jobs_submit(c, jobs, 1, sizeof jobs[0], NULL, NULL, NULL, &err),
                     LSCHED_E_NOENT);
    assert_int_equal(tape.n, 0);
    lsched_cluster_destroy(c);
}

/* ---- callbacks do not re-enter ---- */

struct intruder {
    lsched_cluster *c;
    int32_t got[6], calls;
};

static int32_t intrude(void *user, const void *bytes, size_t n) {
    struct intruder *i = user;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_cluster *copy = NULL;
    lsched_id job = lsched_find(i->c, LSCHED_KIND_JOB, LSCHED_TEXT("ja"));
    (void)bytes, (void)n;
    opts.now_us = INT64_C(1) << 50;
    i->got[0] =
        lsched_jobs_submit(i->c, &jobs[JOBS - 1], 1, sizeof jobs[0], NULL, NULL, NULL, &err);
    i->got[1] = lsched_jobs_remove(i->c, &job, 1, NULL, NULL, &err);
    i->got[2] = lsched_schedule(i->c, &opts, &plan, &err);
    i->got[3] = lsched_cluster_clone(i->c, &copy, &err);
    i->got[4] = lsched_clock_set(i->c, 5, &err);
    i->got[5] = lsched_policy_load(i->c, LSCHED_TEXT("fifo"), (lsched_text){NULL, 0}, NULL, &err);
    i->calls++;
    return 0;
}

static void intrude_by_watch(void *user, const struct call *call) {
    (void)call;
    intrude(user, NULL, 0);
}

static int32_t refuse_to_write(void *user, const void *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    return 7;
}

static void callbacks_may_not_change_the_cluster(void **state) {
    (void)state;
    struct intruder i = {NULL, {0}, 0};
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t before = 0, after = 0;
    describe();
    assert_int_equal(lsched_cluster_create(NULL, &i.c, &err), LSCHED_OK);
    assert_int_equal(lsched_queues_add(i.c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), 1);
    assert_int_equal(lsched_jobs_submit(i.c, jobs, 2, sizeof jobs[0], NULL, NULL, NULL, &err), 2);
    lsched_cluster_hash(i.c, LSCHED_HASH_IMAGE, &before, NULL);
    assert_int_equal(lsched_cluster_save(i.c, intrude, &i, &err), LSCHED_OK);
    lsched_cluster_hash(i.c, LSCHED_HASH_IMAGE, &after, NULL);
    assert_true(i.calls > 0 && before == after);
    for (int n = 0; n < 6; n++) assert_int_equal(i.got[n], LSCHED_E_BUSY);
    door_watch(i.c, intrude_by_watch, &i);
    memset(i.got, 0, sizeof i.got);
    assert_int_equal(lsched_nodes_add(i.c, nodes, 1, sizeof nodes[0], NULL, NULL, NULL, &err), 1);
    for (int n = 0; n < 6; n++) assert_int_equal(i.got[n], LSCHED_E_BUSY);
    door_watch(i.c, NULL, NULL);
    assert_int_equal(lsched_cluster_save(i.c, refuse_to_write, NULL, &err), LSCHED_E_STATE);
    assert_non_null(strstr(err.message, "returned 7"));
    assert_int_equal(lsched_jobs_submit(i.c, jobs + 2, 1, sizeof jobs[0], NULL, NULL, NULL, &err),
                     1);
    lsched_cluster_destroy(i.c);
}

/* A message says of which element it speaks: also where the name is a letter that the message has
 * anyway; and it says so once. */
static void a_message_names_its_element_once(void **unused) {
    static const char *const letters[] = {"a", "n", "queue", "job", "b"};
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)unused;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        char quoted[16];
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        q.name = lsched_cstr(letters[i]);
        q.reclaim_min_runtime_us = -1;
        snprintf(quoted, sizeof quoted, "'%s'", letters[i]);
        assert_true(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err) < 0);
        const char *at = strstr(err.message, quoted);
        assert_non_null(at);
        assert_null(strstr(at + 1, quoted));
    }
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_may_not_change_the_cluster),
        cmocka_unit_test(what_was_recorded_replays_to_the_same_image),
        cmocka_unit_test(a_refused_call_is_not_recorded),
        cmocka_unit_test(a_message_names_its_element_once)};
    return cmocka_run_group_tests_name("door", tests, NULL, NULL);
}
