/* test_device_words.c -- sets of devices as words and in the short form: the functions on sets, and
 * every call into which a set goes or from which it comes. What does not fit into the short form is
 * never cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"
#include "support/settle.h"

/* ---- functions on sets ---- */

static void test_mask(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t mask = 7;
    for (uint32_t i = 0; i < 128; i++) {
        uint64_t words[LSCHED_DEVICE_WORDS] = {5, 0};
        words[i / 64] |= (uint64_t)1 << i % 64;
        int32_t n = lsched_device_mask(words, &mask, &err);
        if (i < 32) {
            assert_int_equal(n, i == 0 || i == 2 ? 2 : 3);
            assert_int_equal(mask, 5u | 1u << i);
            continue;
        }
        assert_int_equal(n, LSCHED_E_RANGE);
        assert_int_equal(mask, 0);
        assert_non_null(strstr(err.message, "lsched_device_list"));
    }
    assert_int_equal(lsched_device_mask((uint64_t[]){0, 0}, &mask, &err), 0);
    assert_int_equal(lsched_device_mask(NULL, &mask, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_device_mask((uint64_t[]){0, 0}, NULL, &err), LSCHED_E_NULL);
}

static void test_list(void **unused) {
    (void)unused;
    uint64_t words[LSCHED_DEVICE_WORDS] = {UINT64_C(1) << 3 | UINT64_C(1) << 63, 1 | UINT64_C(1)
                                                                                         << 63};
    uint32_t at[4] = {9, 9, 9, 9};
    assert_int_equal(lsched_device_list(words, at, 4, NULL), 4);
    assert_int_equal(at[0], 3);
    assert_int_equal(at[1], 63);
    assert_int_equal(at[2], 64);
    assert_int_equal(at[3], 127);
    at[2] = at[3] = 9;
    assert_int_equal(lsched_device_list(words, at, 2, NULL), 4);
    assert_int_equal(at[2], 9);
    assert_int_equal(lsched_device_list(words, NULL, 0, NULL), 4);
    assert_int_equal(lsched_device_list(words, NULL, 1, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_device_list(NULL, at, 1, NULL), LSCHED_E_NULL);
}

/* ---- calls ---- */

struct ground {
    lsched_cluster *c;
    lsched_id node, job;
};

static void open_ground(struct ground *g, uint32_t devices, uint32_t need) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_device_desc gpus = {.size = sizeof gpus, .count = devices, .model = LSCHED_TEXT("A")};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_group_desc tasks = LSCHED_GROUP_DESC_INIT;
    lsched_amount gpu = {LSCHED_GPU, 0, (int64_t)need * 1000};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(lsched_cluster_create(&opts, &g->c, &err), LSCHED_OK);
    node.name = LSCHED_TEXT("n");
    node.devices = &gpus;
    node.n_devices = 1;
    assert_int_equal(lsched_nodes_add(g->c, &node, 1, sizeof node, NULL, &g->node, NULL, &err), 1);
    queue.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(g->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), 1);
    tasks.request = &gpu;
    tasks.n_request = 1;
    job.name = LSCHED_TEXT("j");
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &tasks;
    job.n_groups = 1;
    if (lsched_jobs_submit(g->c, &job, 1, sizeof job, NULL, &g->job, NULL, &err) != 1)
        fail_msg("%s", err.message);
}

static int32_t import(struct ground *g, uint32_t mask, const uint64_t *words, lsched_error *err) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = g->job;
    m.node = g->node;
    m.device_mask = mask;
    memcpy(m.device_words, words, sizeof m.device_words);
    return lsched_tasks_import(g->c, &m, 1, sizeof m, NULL, NULL, err);
}

static void read_task(struct ground *g, lsched_task_info *t) {
    uint64_t cursor = 0;
    *t = (lsched_task_info){.size = sizeof *t};
    assert_int_equal(lsched_tasks_next(g->c, g->job, 0, &cursor, t, NULL), 1);
}

/* Both forms go in, alone or together; they must agree. */
static void test_forms_agree(void **unused) {
    (void)unused;
    struct ground g;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_foreign_use use = LSCHED_FOREIGN_USE_INIT;
    lsched_task_info t;
    open_ground(&g, 8, 2);
    assert_int_equal(import(&g, 3, (uint64_t[]){5, 0}, &err), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "device_mask is 0x3 and device_words is 0x5"));
    assert_int_equal(import(&g, 0, (uint64_t[]){3, UINT64_C(1) << 63}, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "no device 127; it has 8 devices"));
    use.node = g.node;
    use.device_mask = 1;
    use.device_words[1] = 1;
    assert_int_equal(lsched_foreign_set(g.c, &use, 1, sizeof use, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    use.device_mask = 0;
    assert_int_equal(lsched_foreign_set(g.c, &use, 1, sizeof use, NULL, NULL, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(import(&g, 5, (uint64_t[]){5, 0}, &err), 1);
    read_task(&g, &t);
    assert_int_equal(t.device_mask, 5);
    assert_int_equal(t.device_words[0], 5);
    assert_int_equal(t.device_words[1], 0);
    lsched_cluster_destroy(g.c);
    open_ground(&g, 8, 2);
    assert_int_equal(import(&g, 0, (uint64_t[]){6, 0}, &err), 1);
    read_task(&g, &t);
    assert_int_equal(t.device_mask, 6);
    lsched_cluster_destroy(g.c);
}

/* A start at other devices than planned, given as words. */
static void test_start(void **unused) {
    (void)unused;
    struct ground g;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_task_info t;
    open_ground(&g, 8, 2);
    opts.now_us = 1000000;
    assert_int_equal(lsched_schedule(g.c, &opts, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_size(plan), 1);
    const lsched_decision *d = lsched_plan_at(plan, 0);
    assert_int_equal(d->device_mask, 3);
    assert_int_equal(d->device_words[0], 3);
    assert_int_equal(d->device_words[1], 0);
    e.event = LSCHED_EVENT_STARTED;
    e.job = g.job;
    e.device_mask = 3;
    e.device_words[0] = 0x30;
    const lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    assert_int_equal(settle_each(g.c, &d->id, &yes, 1, NULL, &err), LSCHED_OK);
    assert_int_equal(lsched_tasks_report(g.c, &e, 1, sizeof e, NULL, NULL, &err), LSCHED_E_INVAL);
    e.device_mask = 0;
    assert_int_equal(lsched_tasks_report(g.c, &e, 1, sizeof e, NULL, NULL, &err), 1);
    read_task(&g, &t);
    assert_int_equal(t.device_mask, 0x30);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(g.c);
}

/* A task on every third device of a wide node: tasks, decisions and both forms, and an older host. */
static void test_wide(void **unused) {
    (void)unused;
    struct ground g;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_info t;
    struct {
        lsched_task_info info;
        uint8_t behind[16];
    } old;
    uint64_t cursor = 0, words[LSCHED_DEVICE_WORDS] = {0};
    uint32_t mask = 7, n = 0;
    for (uint32_t i = 2; i < LSCHED_DEVICES_PER_NODE_MAX; i += 3, n++)
        words[i / 64] |= (uint64_t)1 << i % 64;
    open_ground(&g, LSCHED_DEVICES_PER_NODE_MAX, n);
    if (import(&g, 0, words, &err) != 1) fail_msg("%s", err.message);
    read_task(&g, &t);
    assert_int_equal(t.device_mask, 0);
    assert_int_equal(t.device_milli, 1000);
    assert_memory_equal(t.device_words, words, sizeof words);
    assert_int_equal(lsched_device_mask(t.device_words, &mask, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_device_list(t.device_words, NULL, 0, &err), n);
    /* a struct without device_words: an error, and the walk goes on */
    memset(&old, 0xA5, sizeof old);
    old.info.size = offsetof(lsched_task_info, device_words);
    assert_int_equal(lsched_tasks_next(g.c, g.job, 0, &cursor, &old.info, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "device_words"));
    assert_int_equal(lsched_tasks_next(g.c, g.job, 0, &cursor, &old.info, &err), 0);
    lsched_cluster_destroy(g.c);
}

/* A plan with a wide decision; the decision is read back, and the start without devices keeps it. */
static void test_wide_plan(void **unused) {
    (void)unused;
    struct ground g;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_decision back = {.size = sizeof back};
    lsched_task_info t;
    uint64_t cursor = 0;
    open_ground(&g, LSCHED_DEVICES_PER_NODE_MAX, 100);
    opts.now_us = 1000000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    if (lsched_schedule(g.c, &opts, &plan, &err) != LSCHED_OK) fail_msg("%s", err.message);
    const lsched_decision *d = lsched_plan_at(plan, 0);
    assert_int_equal(d->device_mask, 0);
    assert_int_equal(d->device_milli, 1000);
    assert_true(d->device_words[0] == UINT64_MAX && d->device_words[1] == (UINT64_C(1) << 36) - 1);
    assert_int_equal(lsched_decision_get(g.c, d->id, &back, &err), LSCHED_OK);
    assert_memory_equal(back.device_words, d->device_words, sizeof back.device_words);
    back.size = offsetof(lsched_decision, device_words);
    assert_int_equal(lsched_decision_get(g.c, d->id, &back, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_decisions_next(g.c, &cursor, &back, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_decisions_next(g.c, &cursor, &back, &err), 0);
    e.event = LSCHED_EVENT_STARTED;
    e.job = g.job;
    const lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    assert_int_equal(settle_each(g.c, &d->id, &yes, 1, NULL, &err), LSCHED_OK);
    e.numa_mask = 0;
    e.node = g.node; /* the node is named, and no devices: those of the plan */
    assert_int_equal(lsched_tasks_report(g.c, &e, 1, sizeof e, NULL, NULL, &err), 1);
    read_task(&g, &t);
    assert_memory_equal(t.device_words, d->device_words, sizeof t.device_words);
    assert_int_equal(lsched_verify(g.c, NULL, &err), LSCHED_OK);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(g.c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mask),        cmocka_unit_test(test_list),
        cmocka_unit_test(test_forms_agree), cmocka_unit_test(test_start),
        cmocka_unit_test(test_wide),        cmocka_unit_test(test_wide_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
