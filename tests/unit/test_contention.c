/*
 * test_contention.c -- tables of slow-downs: what the verifier says of damaged ones, what of a plan
 * whose tasks are beside each other under a stricter table, that a table that comes and goes leaves
 * nothing behind, and that each call applies whole or changes nothing when memory runs out.
 */
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
#include "model/devices/contention.h"
#include "model/image/state.h"
#include "model/shapes/shape.h"
#include "support/fault_alloc.h"
#include "support/model_world.h"
#include "support/verify_refused.h"

static struct model_world world;
#define K (&world.k)

static struct contention_table table_of(uint32_t most, uint16_t milli) {
    struct contention_table t;
    memset(&t, 0, sizeof t);
    t.n = 2;
    t.most = most;
    t.others = 1;
    memcpy(t.name[0], "serve", 5);
    memcpy(t.name[1], "train", 5);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) t.milli[a][b] = milli;
    contention_table_bar(&t);
    return t;
}

static int32_t follow(const struct contention_table *t) {
    if (undo_begin(K) != LSCHED_OK) return LSCHED_E_NOMEM;
    int32_t rc = contention_follow(K, t);
    undo_end(K);
    return rc;
}

static int open_world(void **unused) {
    struct contention_table t = table_of(1200, 1100);
    (void)unused;
    return world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK ||
           follow(&t) != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

/* Returns a node that has CROWD rows and a task on its first device. */
static uint32_t crowded_node(uint32_t *row) {
    for (uint32_t n = 0; n < table_rows(K, T_NODE); n++) {
        uint32_t first = row_is_live(K, T_NODE, n) ? K->c[C_NODE_CROWD_FIRST].u32[n] : NO_ROW;
        for (uint32_t i = 0; first != NO_ROW && i < 2u * K->c[C_NODE_N_DEVICES].u8[n]; i++) {
            *row = first + i;
            if (K->c[C_CROWD_COUNT].u32[*row]) return n;
        }
    }
    fail_msg("no task shares a device");
    return NO_ROW;
}

static void counts_that_are_wrong_are_found(void **unused) {
    uint32_t row = NO_ROW, node = crowded_node(&row);
    (void)unused;
    verify_sound(K);
    K->c[C_CROWD_COUNT].u32[row]++;
    verify_refused(K, "of the kind 'serve' and");
    K->c[C_CROWD_COUNT].u32[row]--;
    K->c[C_CROWD_COMING].i32[row]--;
    verify_refused(K, "of the kind 'serve' and");
    K->c[C_CROWD_COMING].i32[row]++;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(contention_node_drop(K, node), LSCHED_OK);
    undo_end(K);
    verify_refused(K, "has no rows that count kinds of work");
}

static void kinds_that_are_wrong_are_found(void **unused) {
    uint32_t shape = 0, odd;
    char name[41] = "a name of forty bytes that no kind has..";
    struct task_spec t = {.n_request = 1, .request = {{LSCHED_TEXT("cpu"), 1000}}};
    struct bytes b;
    (void)unused;
    while (!row_is_live(K, T_SHAPE, shape)) shape++;
    K->c[C_SHAPE_WORK].u8[shape] = 2;
    verify_refused(K, "WORK is not its kind by the table in force");
    K->c[C_SHAPE_WORK].u8[shape] = 1;
    verify_sound(K);
    t.work = (lsched_text){name, 40};
    bytes_init(&b, K->alloc);
    shape_encode_task(&b, &t);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(shape_get(K, b.p, b.n, &odd), LSCHED_OK);
    undo_end(K);
    bytes_close(&b);
    verify_refused(K, "its kind of work has no name, or a long one");
}

static void tables_that_are_wrong_are_found(void **unused) {
    struct contention_table t = table_of(500, 1100);
    uint64_t was = meta(K, M_CONTENTION);
    (void)unused;
    assert_int_equal(follow(&t), LSCHED_OK);
    verify_refused(K, "the table of slow-downs is not one that a policy can have");
    t = table_of(1200, 1100);
    t.avoid = CONTENTION_MILLI_MAX + 1;
    assert_int_equal(follow(&t), LSCHED_OK);
    verify_refused(K, "the table of slow-downs is not one that a policy can have");
    t = table_of(1200, 1100);
    t.milli[1][0] = 999;
    assert_int_equal(follow(&t), LSCHED_OK);
    verify_refused(K, "the table of slow-downs is not one that a policy can have");
    t = table_of(1200, 1100);
    t.name[1][0] = 'a';
    assert_int_equal(follow(&t), LSCHED_OK);
    verify_refused(K, "the table of slow-downs is not one that a policy can have");
    t = table_of(1200, 1300);
    t.barred[1] = 0;
    assert_int_equal(follow(&t), LSCHED_OK);
    verify_refused(K, "the table of slow-downs is not one that a policy can have");
    assert_int_equal(follow(NULL), LSCHED_OK);
    verify_sound(K);
    set_meta(K, M_CONTENTION, table_rows(K, T_TEXT) + 1ull);
    verify_refused(K, "the table of slow-downs has no text");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    set_meta(K, M_CONTENTION, text_new(K, "ab", 2) + 1ull);
    undo_end(K);
    verify_refused(K, "the table of slow-downs has 2 bytes");
    (void)was;
}

/* A table that came and went leaves the state that was before, except for numbers that only rise. */
static void a_table_that_goes_leaves_nothing(void **unused) {
    (void)unused;
    assert_int_equal(follow(NULL), LSCHED_OK);
    verify_sound(K);
    assert_int_equal(meta(K, M_CONTENTION), 0);
    for (uint32_t s = 0; s < table_rows(K, T_SHAPE); s++)
        assert_int_equal(K->c[C_SHAPE_WORK].u8[s], 0);
    for (uint32_t n = 0; n < table_rows(K, T_NODE); n++)
        if (row_is_live(K, T_NODE, n)) assert_int_equal(K->c[C_NODE_CROWD_FIRST].u32[n], NO_ROW);
}

/* ---- through the public calls ---- */

static const char lax[] =
    "return { api = 1, contention = { max = 2, slowdown = { serve = { train = 1.3 }, train = {} } } }";
static const char strict[] =
    "return { api = 1, contention = { max = 1.2, avoid = 1, slowdown = { serve = { train = 1.3 }, train = {} } "
    "} }";

struct step {
    lsched_cluster *c;
    lsched_id node, job; /* what was added last */
    lsched_plan *plan;
    lsched_error err;
};

static int32_t load(struct step *s, const char *text) {
    return lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &s->err);
}

static int32_t add_node_of(struct step *s, uint32_t devices) {
    lsched_device_desc d = LSCHED_DEVICE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 64000};
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    d.count = devices;
    d.model = LSCHED_TEXT("X");
    d.share_mode = LSCHED_SHARING_MPS;
    n.name = LSCHED_TEXT("n");
    n.capacity = &cpu;
    n.n_capacity = 1;
    n.devices = &d;
    n.n_devices = 1;
    return lsched_nodes_add(s->c, &n, 1, sizeof n, NULL, &s->node, NULL, &s->err);
}

static int32_t add_node(struct step *s) {
    return add_node_of(s, 2);
}

static int32_t add_queue(struct step *s) {
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = LSCHED_TEXT("q");
    return lsched_queues_add(s->c, &q, 1, sizeof q, NULL, NULL, NULL, &s->err);
}

static int32_t submit(struct step *s, const char *name, const char *kind) {
    lsched_amount request = {LSCHED_GPU, 0, 250};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc j = LSCHED_JOB_DESC_INIT;
    g.request = &request;
    g.n_request = 1;
    g.work_kind = lsched_cstr(kind);
    j.name = lsched_cstr(name);
    j.queue_name = LSCHED_TEXT("q");
    j.groups = &g;
    j.n_groups = 1;
    return lsched_jobs_submit(s->c, &j, 1, sizeof j, NULL, &s->job, NULL, &s->err);
}

/* Books a task of the job that was submitted last on the first device. */
static int32_t import(struct step *s) {
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    t.job = s->job;
    t.node = s->node;
    t.device_mask = 1;
    t.start_us = 1000000;
    return lsched_tasks_import(s->c, &t, 1, sizeof t, NULL, NULL, &s->err);
}

static int32_t schedule(struct step *s) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_destroy(s->plan);
    s->plan = NULL;
    o.now_us = 1000000;
    return lsched_schedule(s->c, &o, &s->plan, &s->err);
}

static void a_plan_beside_a_barred_task_is_found(void **unused) {
    struct step s = {.err = LSCHED_ERROR_INIT};
    struct contention_table t = table_of(1200, 1300);
    (void)unused;
    assert_int_equal(lsched_cluster_create(NULL, &s.c, &s.err), LSCHED_OK);
    assert_true(load(&s, lax) >= 0 && add_node(&s) >= 0 && add_queue(&s) >= 0);
    assert_true(submit(&s, "a", "serve") >= 0 && submit(&s, "b", "train") >= 0);
    assert_int_equal(schedule(&s), LSCHED_OK);
    assert_int_equal(lsched_plan_size(s.plan), 2);
    assert_int_equal(lsched_verify(s.c, s.plan, &s.err), LSCHED_OK);
    assert_int_equal(undo_begin(&s.c->k), LSCHED_OK);
    assert_int_equal(contention_follow(&s.c->k, &t), LSCHED_OK);
    undo_end(&s.c->k);
    assert_int_equal(lsched_verify(s.c, s.plan, &s.err), LSCHED_E_VERIFY);
    assert_non_null(strstr(s.err.message, "one is slowed down to 1300 thousandths"));
    lsched_plan_destroy(s.plan);
    lsched_cluster_destroy(s.c);
}

/* Of the proposals on the device of a task that runs, those end that the table bars from it, and no
 * others, also if something else bars the task. */
static void an_import_ends_the_proposals_that_it_bars(void **unused) {
    (void)unused;
    for (int beside = 0; beside < 2; beside++) {
        struct step s = {.err = LSCHED_ERROR_INIT};
        assert_int_equal(lsched_cluster_create(NULL, &s.c, &s.err), LSCHED_OK);
        assert_true(load(&s, strict) >= 0 && add_node_of(&s, 1) >= 0 && add_queue(&s) >= 0);
        assert_int_equal(schedule(&s), LSCHED_OK);
        if (beside) assert_true(submit(&s, "runs", "serve") >= 0 && import(&s) >= 0);
        assert_true(submit(&s, "harmless", "no kind") >= 0);
        lsched_id harmless = s.job;
        assert_true(submit(&s, "barred", "serve") >= 0);
        assert_int_equal(schedule(&s), LSCHED_OK);
        assert_int_equal(lsched_plan_size(s.plan), 2);
        assert_true(submit(&s, "train", "train") >= 0 && import(&s) >= 0);
        for (size_t i = 0; i < 2; i++) {
            const lsched_decision *d = lsched_plan_at(s.plan, i);
            assert_int_equal(lsched_decision_state(s.c, d->id, NULL) == LSCHED_DECISION_PROPOSED,
                             d->job == harmless);
        }
        assert_int_equal(lsched_verify(s.c, NULL, &s.err), LSCHED_OK);
        lsched_plan_destroy(s.plan);
        lsched_cluster_destroy(s.c);
    }
}

static void a_kind_that_is_no_name_is_refused(void **unused) {
    struct step s = {.err = LSCHED_ERROR_INIT};
    (void)unused;
    assert_int_equal(lsched_cluster_create(NULL, &s.c, &s.err), LSCHED_OK);
    assert_true(add_queue(&s) >= 0);
    assert_true(submit(&s, "a", "0123456789012345678901234567890") >= 0);
    assert_int_equal(submit(&s, "b", "01234567890123456789012345678901"), LSCHED_E_INVAL);
    assert_non_null(strstr(s.err.message, "work_kind has at most 31 bytes"));
    lsched_cluster_destroy(s.c);
}

/* Repeats a call from the same state until memory suffices. Each failure leaves the state. */
static int32_t walk(struct fault_alloc *f, struct step *s, int32_t (*call)(struct step *),
                    uint64_t *failures) {
    uint64_t before, after;
    for (uint64_t n = 1;; n++) {
        assert_int_equal(lsched_cluster_hash(s->c, LSCHED_HASH_IMAGE, &before, NULL), LSCHED_OK);
        f->calls = 0;
        f->fail_at = n;
        int32_t rc = call(s);
        f->fail_at = 0;
        if (rc != LSCHED_E_NOMEM) return rc;
        ++*failures;
        assert_int_equal(lsched_cluster_hash(s->c, LSCHED_HASH_IMAGE, &after, NULL), LSCHED_OK);
        assert_true(before == after);
        if (lsched_verify(s->c, NULL, &s->err) != LSCHED_OK) fail_msg("%s", s->err.message);
    }
}

static int32_t load_lax(struct step *s) {
    return load(s, lax);
}
static int32_t load_strict(struct step *s) {
    return load(s, strict);
}
static int32_t submit_a(struct step *s) {
    return submit(s, "a", "serve");
}
static int32_t submit_b(struct step *s) {
    return submit(s, "b", "train");
}
static int32_t submit_c(struct step *s) {
    return submit(s, "c", "serve");
}

static void every_call_applies_whole_without_memory(void **unused) {
    int32_t (*const calls[])(struct step *) = {load_lax, add_node, add_queue,   submit_a,
                                               submit_b, schedule, load_strict, submit_c,
                                               schedule, load_lax, schedule};
    struct fault_alloc f = {0};
    lsched_allocator hooks = fault_hooks(&f);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    struct step s = {.err = LSCHED_ERROR_INIT};
    uint64_t failures = 0;
    (void)unused;
    opts.allocator = &hooks;
    assert_int_equal(lsched_cluster_create(&opts, &s.c, &s.err), LSCHED_OK);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        int32_t rc = walk(&f, &s, calls[i], &failures);
        if (rc < 0) fail_msg("call %zu: %d %s", i, rc, s.err.message);
    }
    assert_true(failures > 50);
    assert_true(meta(&s.c->k, M_CONTENTION) != 0);
    if (lsched_verify(s.c, NULL, &s.err) != LSCHED_OK) fail_msg("%s", s.err.message);
    print_message("%llu failed allocations\n", (unsigned long long)failures);
    lsched_plan_destroy(s.plan);
    lsched_cluster_destroy(s.c);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_that_are_wrong_are_found, open_world, close_world),
        cmocka_unit_test_setup_teardown(kinds_that_are_wrong_are_found, open_world, close_world),
        cmocka_unit_test_setup_teardown(tables_that_are_wrong_are_found, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_table_that_goes_leaves_nothing, open_world, close_world),
        cmocka_unit_test(a_plan_beside_a_barred_task_is_found),
        cmocka_unit_test(an_import_ends_the_proposals_that_it_bars),
        cmocka_unit_test(a_kind_that_is_no_name_is_refused),
        cmocka_unit_test(every_call_applies_whole_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
