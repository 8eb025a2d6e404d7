/* test_api_bad_input.c -- wrong calls: the code says which kind of mistake, the message names the
 * element, and the image is as before. */
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
#include "support/refused.h"
#include "support/job_priority.h"
#include "support/settle.h"
#include "support/queue_update.h"

#define TOO_LARGE (LSCHED_AMOUNT_MAX + 1)

static int setup(void **state) {
    struct api_world *w = calloc(1, sizeof *w);
    *state = w;
    return w && api_world_make(w, NULL) == LSCHED_OK ? 0 : -1;
}

static int teardown(void **state) {
    struct api_world *w = *state;
    api_world_drop(w);
    free(w);
    return 0;
}

/* A batch of three whose middle element is bad: it alone is marked. */
static void only_the_second_is_marked(const int32_t status[3], const lsched_error *err) {
    assert_int_equal(status[0], LSCHED_OK);
    assert_true(status[1] < 0);
    assert_int_equal(status[2], LSCHED_OK);
    assert_int_equal(err->index, 1);
}

static int32_t add_node(struct api_world *w, lsched_node_desc bad, lsched_error *err) {
    lsched_node_desc nodes[] = {api_node("good-1"), bad, api_node("good-2")};
    int32_t status[3] = {1, 1, 1};
    int32_t code = lsched_nodes_add(w->cluster, nodes, 3, sizeof nodes[0], NULL, NULL, status, err);
    if (code < 0) only_the_second_is_marked(status, err);
    return code;
}

static int32_t add_queue(struct api_world *w, lsched_queue_desc bad, lsched_error *err) {
    lsched_queue_desc queues[] = {api_queue("good-1", NULL), bad, api_queue("good-2", "good-1")};
    int32_t status[3] = {1, 1, 1};
    int32_t code =
        lsched_queues_add(w->cluster, queues, 3, sizeof queues[0], NULL, NULL, status, err);
    if (code < 0) only_the_second_is_marked(status, err);
    return code;
}

static int32_t add_job(struct api_world *w, lsched_job_desc bad, lsched_error *err) {
    lsched_group_desc one = api_group(1);
    lsched_job_desc jobs[] = {api_job("good-1", &one, 1), bad, api_job("good-2", &one, 1)};
    int32_t status[3] = {1, 1, 1};
    int32_t code = lsched_jobs_submit(w->cluster, jobs, 3, sizeof jobs[0], NULL, NULL, status, err);
    if (code < 0) only_the_second_is_marked(status, err);
    return code;
}

static int32_t add_group(struct api_world *w, lsched_group_desc bad, lsched_error *err) {
    return add_job(w, api_job("bad", &bad, 1), err);
}

static int32_t settle_one(struct api_world *w, lsched_id decision, lsched_outcome outcome,
                          lsched_error *err) {
    return settle_each(w->cluster, &decision, &outcome, 1, NULL, err);
}

static int32_t report_one(struct api_world *w, lsched_id job, uint32_t task, uint32_t event,
                          lsched_error *err) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = job;
    e.task_index = task;
    e.event = event;
    return lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, err);
}

static int32_t import_one(struct api_world *w, lsched_task_import import, lsched_error *err) {
    return lsched_tasks_import(w->cluster, &import, 1, sizeof import, NULL, NULL, err);
}

static int32_t schedule_at(struct api_world *w, int64_t now_us, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now_us;
    lsched_plan *plan = NULL;
    int32_t code = lsched_schedule(w->cluster, &opts, &plan, err);
    assert_true((code < 0) == (plan == NULL));
    lsched_plan_destroy(plan);
    return code;
}

/* ---- ids ------------------------------------------------------------------------------------- */

static void stale_id(void **state) {
    struct api_world *w = *state;
    int32_t priority = 5;
    lsched_queue_desc queue = api_queue("x", NULL), child = queue;
    lsched_group_desc one = api_group(1);
    lsched_job_desc job = api_job("x", &one, 1);
    child.parent = w->gone_queue;
    job.queue_name = (lsched_text){NULL, 0};
    job.queue = w->gone_queue;
    REFUSED(w, LSCHED_E_STALE, "",
            lsched_nodes_remove(w->cluster, &w->gone_node, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_STALE, "",
            lsched_queues_remove(w->cluster, &w->gone_queue, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_STALE, "", queue_update_all(w->cluster, w->gone_queue, &queue, &err));
    REFUSED(w, LSCHED_E_STALE, "",
            lsched_jobs_remove(w->cluster, &w->gone_job, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_STALE, "", job_priority_set(w->cluster, w->gone_job, priority, &err));
    REFUSED(w, LSCHED_E_STALE, "x", add_queue(w, child, &err));
    REFUSED(w, LSCHED_E_STALE, "x", add_job(w, job, &err));
    REFUSED(w, LSCHED_E_STALE, "", report_one(w, w->gone_job, 0, LSCHED_EVENT_STARTED, &err));
    REFUSED(w, LSCHED_E_STALE, "", settle_one(w, w->gone_decision, LSCHED_OUTCOME_CONFIRMED, &err));
    REFUSED(w, LSCHED_E_STALE, "", lsched_explain(w->cluster, w->gone_job, NULL, 0, NULL, &err));

    lsched_job_info info = {.size = sizeof info};
    size_t len = 7;
    assert_int_equal(lsched_job_get(w->cluster, w->gone_job, &info, NULL), LSCHED_E_STALE);
    assert_int_equal(lsched_decision_state(w->cluster, w->gone_decision, NULL), LSCHED_E_STALE);
    assert_null(lsched_name(w->cluster, w->gone_node, &len));
    assert_null(lsched_name(w->cluster, 0, &len));
}

/* A slot that is used again has another generation, so the old id never names the new object. */
static void stale_id_of_a_slot_that_is_used_again(void **state) {
    struct api_world *w = *state;
    for (int i = 0; i < 100; i++) {
        lsched_node_desc node = api_node("again");
        lsched_id id = 0;
        assert_int_equal(lsched_nodes_add(w->cluster, &node, 1, sizeof node, NULL, &id, NULL, NULL),
                         1);
        assert_true(id != w->gone_node);
        assert_true(lsched_nodes_remove(w->cluster, &id, 1, NULL, NULL, NULL) >= 0);
        REFUSED(w, LSCHED_E_STALE, "", lsched_nodes_remove(w->cluster, &id, 1, NULL, NULL, &err));
    }
}

static void id_of_another_kind(void **state) {
    struct api_world *w = *state;
    lsched_group_desc one = api_group(1);
    lsched_job_desc job = api_job("x", &one, 1);
    job.queue_name = (lsched_text){NULL, 0};
    job.queue = w->nodes[0];
    lsched_queue_desc child = api_queue("x", NULL);
    child.parent = w->busy;
    lsched_node_info info = {.size = sizeof info};
    REFUSED(w, LSCHED_E_KIND, "", lsched_nodes_remove(w->cluster, &w->busy, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_KIND, "",
            lsched_queues_remove(w->cluster, &w->nodes[0], 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_KIND, "",
            lsched_jobs_remove(w->cluster, &w->research, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_KIND, "x", add_job(w, job, &err));
    REFUSED(w, LSCHED_E_KIND, "x", add_queue(w, child, &err));
    REFUSED(w, LSCHED_E_KIND, "", settle_one(w, w->open, LSCHED_OUTCOME_CONFIRMED, &err));
    REFUSED(w, LSCHED_E_KIND, "", report_one(w, w->proposed, 0, LSCHED_EVENT_STARTED, &err));
    REFUSED(w, LSCHED_E_KIND, "", lsched_explain(w->cluster, w->nodes[0], NULL, 0, NULL, &err));
    assert_int_equal(lsched_node_get(w->cluster, w->busy, &info, NULL), LSCHED_E_KIND);
    assert_int_equal(lsched_decision_state(w->cluster, w->busy, NULL), LSCHED_E_KIND);
}

/* Any 64 bits are an id that some host may pass. */
static void ids_of_random_bits(void **state) {
    struct api_world *w = *state;
    const uint64_t image = api_image(w->cluster);
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        lsched_id id = i % 2 ? x : (x & 0x7000000000000003u) | (x >> 20 & 3) << 32;
        if (id == w->nodes[0] || id == w->nodes[1] || id == w->busy || id == w->open ||
            id == w->later || id == w->proposed || id == w->org || id == w->research ||
            id == w->product) {
            continue;
        }
        lsched_node_info node = {.size = sizeof node};
        assert_true(lsched_nodes_remove(w->cluster, &id, 1, NULL, NULL, NULL) < 0);
        assert_true(lsched_queues_remove(w->cluster, &id, 1, NULL, NULL, NULL) < 0);
        assert_true(lsched_jobs_remove(w->cluster, &id, 1, NULL, NULL, NULL) < 0);
        assert_true(settle_one(w, id, LSCHED_OUTCOME_CONFIRMED, NULL) < 0);
        assert_true(lsched_node_get(w->cluster, id, &node, NULL) < 0);
    }
    assert_true(api_image(w->cluster) == image);
}

/* ---- time and decisions ---------------------------------------------------------------------- */

static void time_that_runs_backwards(void **state) {
    struct api_world *w = *state;
    REFUSED(w, LSCHED_E_TIME, "", schedule_at(w, w->now_us - 1, &err));
    assert_int_equal(schedule_at(w, w->now_us, NULL), LSCHED_OK);
    REFUSED(w, LSCHED_E_RANGE, "", schedule_at(w, -1, &err));
    /* A late report is no error. */
    lsched_task_event late = LSCHED_TASK_EVENT_INIT;
    late.job = w->busy;
    late.event = LSCHED_EVENT_ENDED;
    late.at_us = w->now_us - 1000000;
    assert_true(lsched_tasks_report(w->cluster, &late, 1, sizeof late, NULL, NULL, NULL) >= 0);
}

static void settle_of_a_settled_decision(void **state) {
    struct api_world *w = *state;
    assert_true(settle_one(w, w->proposed, LSCHED_OUTCOME_CONFIRMED, NULL) >= 0);
    REFUSED(w, LSCHED_E_STATE, "", settle_one(w, w->proposed, LSCHED_OUTCOME_CONFIRMED, &err));
    assert_true(settle_one(w, w->proposed, LSCHED_OUTCOME_REJECTED, NULL) >= 0);
    REFUSED(w, LSCHED_E_STALE, "", settle_one(w, w->proposed, LSCHED_OUTCOME_REJECTED, &err));
    REFUSED(w, LSCHED_E_STALE, "", settle_one(w, w->proposed, LSCHED_OUTCOME_CONFIRMED, &err));
}

static void settle_of_one_decision_twice_in_a_batch(void **state) {
    struct api_world *w = *state;
    lsched_id ids[] = {w->proposed, w->proposed};
    lsched_outcome outcomes[] = {LSCHED_OUTCOME_CONFIRMED, LSCHED_OUTCOME_REJECTED};
    int32_t status[2] = {1, 1};
    lsched_settlement s[2] = {{.size = sizeof s[0], .outcome = outcomes[0], .decision = ids[0]},
                              {.size = sizeof s[0], .outcome = outcomes[1], .decision = ids[1]}};
    REFUSED(w, LSCHED_E_STATE, "",
            lsched_settle(w->cluster, s, 2, sizeof s[0], NULL, NULL, status, &err));
    assert_int_equal(status[0], LSCHED_OK);
    assert_int_equal(status[1], LSCHED_E_STATE);
}

/* Rejecting a member of a gang takes others along: who confirms one later is told which it was. */
static void settle_of_what_the_batch_withdrew(void **state) {
    struct api_world *w = *state;
    lsched_group_desc pair = api_group(2);
    lsched_job_desc gang = api_job("pair", &pair, 1);
    lsched_id ids[2], job[1];
    lsched_plan *plan = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    assert_int_equal(lsched_jobs_submit(w->cluster, &gang, 1, sizeof gang, NULL, job, NULL, NULL),
                     1);
    opts.now_us = w->now_us + 1;
    assert_int_equal(lsched_schedule(w->cluster, &opts, &plan, NULL), LSCHED_OK);
    size_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(plan) && n < 2; i++)
        if (lsched_plan_at(plan, i)->job == job[0]) ids[n++] = lsched_plan_at(plan, i)->id;
    lsched_plan_destroy(plan);
    assert_int_equal(n, 2);
    lsched_id batch[] = {w->proposed, ids[0], ids[1]};
    lsched_outcome outcomes[] = {LSCHED_OUTCOME_CONFIRMED, LSCHED_OUTCOME_REJECTED,
                                 LSCHED_OUTCOME_CONFIRMED};
    REFUSED(w, LSCHED_E_STATE, "withdrawn by element 1 of this batch, which rejects a member",
            settle_each(w->cluster, batch, outcomes, 3, NULL, &err));
    batch[2] = batch[0];
    REFUSED(w, LSCHED_E_STATE, "the decision occurs twice in the batch: also as element 0",
            settle_each(w->cluster, batch, outcomes, 3, NULL, &err));
    batch[2] = ids[1];
    outcomes[2] = LSCHED_OUTCOME_REJECTED;
    /* two equal answers are refused, too, also where answers that were given before are fine */
    const lsched_settlement same = {
        .size = sizeof same, .outcome = LSCHED_OUTCOME_REJECTED, .decision = w->proposed};
    const lsched_settlement twice[] = {same, same};
    for (uint32_t i = 0; i < 2; i++) {
        const lsched_batch_opts options = {sizeof options, i == 0 ? 0 : LSCHED_BATCH_IDEMPOTENT};
        REFUSED(w, LSCHED_E_STATE, "the decision occurs twice in the batch",
                lsched_settle(w->cluster, twice, 2, sizeof same, &options, NULL, NULL, &err));
    }
    assert_int_equal(settle_each(w->cluster, batch, outcomes, 3, NULL, NULL), LSCHED_OK);
}

static void settle_with_an_unknown_outcome(void **state) {
    struct api_world *w = *state;
    REFUSED(w, LSCHED_E_INVAL, "", settle_one(w, w->proposed, 0, &err));
    REFUSED(w, LSCHED_E_INVAL, "", settle_one(w, w->proposed, 3, &err));
}

static void report_of_a_task_that_is_not_there(void **state) {
    struct api_world *w = *state;
    REFUSED(w, LSCHED_E_STATE, "busy", report_one(w, w->busy, 0, LSCHED_EVENT_STARTED, &err));
    REFUSED(w, LSCHED_E_STATE, "later", report_one(w, w->later, 0, LSCHED_EVENT_ENDED, &err));
    REFUSED(w, LSCHED_E_STATE, "later", report_one(w, w->later, 3, LSCHED_EVENT_STARTED, &err));
    REFUSED(w, LSCHED_E_STATE, "open", report_one(w, w->open, 0, LSCHED_EVENT_ENDED, &err));
    REFUSED(w, LSCHED_E_STATE, "open", report_one(w, w->open, 0, LSCHED_EVENT_FAILED, &err));
    REFUSED(w, LSCHED_E_RANGE, "later", report_one(w, w->later, 40, LSCHED_EVENT_STARTED, &err));
    REFUSED(w, LSCHED_E_INVAL, "busy", report_one(w, w->busy, 0, 4, &err));
    REFUSED(w, LSCHED_E_INVAL, "busy", report_one(w, w->busy, 0, 0, &err));
}

static void import_that_cannot_be(void **state) {
    struct api_world *w = *state;
    lsched_task_import good = LSCHED_TASK_IMPORT_INIT, bad;
    good.job = w->later;
    good.node = w->nodes[1];
    REFUSED(
        w, LSCHED_E_NOENT, "nobody",
        (bad = good, bad.job = 0, bad.job_name = LSCHED_TEXT("nobody"), import_one(w, bad, &err)));
    REFUSED(w, LSCHED_E_NOENT, "nowhere",
            (bad = good, bad.node = 0, bad.node_name = LSCHED_TEXT("nowhere"),
             import_one(w, bad, &err)));
    REFUSED(w, LSCHED_E_STATE, "busy", (bad = good, bad.job = w->busy, import_one(w, bad, &err)));
    REFUSED(w, LSCHED_E_RANGE, "later",
            (bad = good, bad.task_index = 40, import_one(w, bad, &err)));
    REFUSED(w, LSCHED_E_RANGE, "later",
            (bad = good, bad.device_mask = 1u << 8, import_one(w, bad, &err)));
    assert_true(import_one(w, good, NULL) >= 0);
}

/* ---- NULL and sizes -------------------------------------------------------------------------- */

static void null_arguments(void **state) {
    struct api_world *w = *state;
    lsched_cluster *c = w->cluster;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = w->now_us;
    lsched_plan *plan = NULL;
    lsched_node_desc node = api_node("x");
    REFUSED(w, LSCHED_E_NULL, "", lsched_cluster_create(NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_cluster_clone(c, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_cluster_save(c, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "",
            lsched_nodes_add(NULL, &node, 1, sizeof node, NULL, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "",
            lsched_nodes_add(c, NULL, 1, sizeof node, NULL, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_nodes_remove(c, NULL, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "",
            lsched_queues_add(c, NULL, 1, sizeof(lsched_queue_desc), NULL, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "",
            lsched_jobs_submit(c, NULL, 1, sizeof(lsched_job_desc), NULL, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_jobs_update(c, NULL, 1, 80, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_schedule(NULL, &opts, &plan, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_schedule(c, NULL, &plan, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_schedule(c, &opts, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "",
            lsched_settle(c, NULL, 1, sizeof(lsched_settlement), NULL, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_INVAL, "",
            lsched_policy_load(c, (lsched_text){NULL, 0}, LSCHED_TEXT("return {}"), NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_explain(c, w->busy, NULL, 10, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_verify(NULL, NULL, &err));
    REFUSED(w, LSCHED_E_NULL, "", lsched_resource_add(c, (lsched_text){NULL, 3}, &err));
    assert_int_equal(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, NULL, NULL), LSCHED_E_NULL);
    assert_int_equal(lsched_cluster_hash(NULL, LSCHED_HASH_IMAGE, &(uint64_t){0}, NULL),
                     LSCHED_E_NULL);
    lsched_cluster_destroy(NULL);
    lsched_plan_destroy(NULL);
}

static void null_lists_inside_a_description(void **state) {
    struct api_world *w = *state;
    lsched_node_desc node = api_node("bad");
    REFUSED(w, LSCHED_E_NULL, "bad", (node.capacity = NULL, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_NULL, "bad",
            (node = api_node("bad"), node.labels = NULL, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_NULL, "bad",
            (node = api_node("bad"), node.devices = NULL, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_NULL, "bad", add_job(w, api_job("bad", NULL, 1), &err));
    lsched_group_desc group = api_group(1);
    REFUSED(w, LSCHED_E_NULL, "bad", (group.request = NULL, add_group(w, group, &err)));
    lsched_queue_desc queue = api_queue("bad", NULL);
    REFUSED(w, LSCHED_E_NULL, "bad", (queue.quota = NULL, add_queue(w, queue, &err)));
}

/* No record to fill is no reason to fail. */
static void a_null_record_is_fine(void **state) {
    struct api_world *w = *state;
    const uint64_t image = api_image(w->cluster);
    assert_int_equal(lsched_jobs_remove(w->cluster, &w->gone_job, 1, NULL, NULL, NULL),
                     LSCHED_E_STALE);
    assert_int_equal(lsched_nodes_add(w->cluster, NULL, 1, 8, NULL, NULL, NULL, NULL),
                     LSCHED_E_NULL);
    assert_true(api_image(w->cluster) == image);
}

static void wrong_struct_size(void **state) {
    struct api_world *w = *state;
    lsched_node_desc node = api_node("bad");
    REFUSED(w, LSCHED_E_SIZE, "", (node.size = 0, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_SIZE, "", (node.size = sizeof node + 8, add_node(w, node, &err)));
    struct {
        lsched_node_desc desc;
        uint64_t unknown;
    } newer = {api_node("bad"), 1};
    newer.desc.size = sizeof newer;
    REFUSED(w, LSCHED_E_SIZE, "",
            lsched_nodes_add(w->cluster, &newer.desc, 1, sizeof newer, NULL, NULL, NULL, &err));
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    REFUSED(w, LSCHED_E_SIZE, "", (opts.size = 3, lsched_schedule(w->cluster, &opts, &plan, &err)));
}

/* ---- names and places ------------------------------------------------------------------------ */

static void duplicate_name(void **state) {
    struct api_world *w = *state;
    lsched_group_desc one = api_group(1);
    static const lsched_text level = LSCHED_TEXT_INIT("zone");
    lsched_topology_desc topology = {
        .size = sizeof topology, .name = LSCHED_TEXT("site"), .levels = &level, .n_levels = 1};
    REFUSED(w, LSCHED_E_EXISTS, "n1", add_node(w, api_node("n1"), &err));
    REFUSED(w, LSCHED_E_EXISTS, "good-1", add_node(w, api_node("good-1"), &err));
    REFUSED(w, LSCHED_E_EXISTS, "research", add_queue(w, api_queue("research", NULL), &err));
    REFUSED(w, LSCHED_E_EXISTS, "good-1", add_queue(w, api_queue("good-1", NULL), &err));
    REFUSED(w, LSCHED_E_EXISTS, "later", add_job(w, api_job("later", &one, 1), &err));
    REFUSED(w, LSCHED_E_EXISTS, "good-1", add_job(w, api_job("good-1", &one, 1), &err));
    REFUSED(
        w, LSCHED_E_EXISTS, "site",
        lsched_topologies_add(w->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL, &err));
}

static void name_that_is_none(void **state) {
    struct api_world *w = *state;
    static char long_name[LSCHED_NAME_BYTES_MAX + 2];
    memset(long_name, 'x', LSCHED_NAME_BYTES_MAX + 1);
    lsched_node_desc node = api_node("x");
    REFUSED(w, LSCHED_E_INVAL, "", (node.name = (lsched_text){NULL, 0}, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_INVAL, "", (node.name = LSCHED_TEXT(""), add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_INVAL, "255",
            (node.name = lsched_cstr(long_name), add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_INVAL, "",
            (node.name.ptr = "a\0b", node.name.len = 3, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_NULL, "",
            (node.name.ptr = NULL, node.name.len = 3, add_node(w, node, &err)));
    long_name[LSCHED_NAME_BYTES_MAX] = 0;
    node.name = lsched_cstr(long_name);
    assert_int_equal(lsched_nodes_add(w->cluster, &node, 1, sizeof node, NULL, NULL, NULL, NULL),
                     1);
}

static void cycle_in_the_queue_tree(void **state) {
    struct api_world *w = *state;
    lsched_queue_desc ring[] = {api_queue("a", "c"), api_queue("b", "a"), api_queue("c", "b")};
    REFUSED(w, LSCHED_E_CYCLE, "",
            lsched_queues_add(w->cluster, ring, 3, sizeof ring[0], NULL, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_CYCLE, "self",
            (ring[0] = api_queue("self", "self"),
             lsched_queues_add(w->cluster, ring, 1, sizeof ring[0], NULL, NULL, NULL, &err)));
}

static void unknown_parent(void **state) {
    REFUSED((struct api_world *)*state, LSCHED_E_NOENT, "nowhere",
            add_queue(*state, api_queue("bad", "nowhere"), &err));
}

static void queue_tree_too_deep(void **state) {
    struct api_world *w = *state;
    static char names[LSCHED_QUEUE_DEPTH_MAX + 2][8];
    lsched_queue_desc queues[LSCHED_QUEUE_DEPTH_MAX + 2];
    for (int i = 0; i < LSCHED_QUEUE_DEPTH_MAX + 2; i++) {
        snprintf(names[i], sizeof names[i], "deep-%d", i % 100);
        queues[i] = api_queue(names[i], i ? names[i - 1] : NULL);
    }
    REFUSED(w, LSCHED_E_LIMIT, "deep-",
            lsched_queues_add(w->cluster, queues, LSCHED_QUEUE_DEPTH_MAX + 2, sizeof queues[0],
                              NULL, NULL, NULL, &err));
}

static void job_in_an_inner_queue(void **state) {
    struct api_world *w = *state;
    lsched_group_desc one = api_group(1);
    lsched_job_desc job = api_job("bad", &one, 1);
    job.queue_name = LSCHED_TEXT("org");
    REFUSED(w, LSCHED_E_STATE, "org", add_job(w, job, &err));
    job.queue_name = LSCHED_TEXT("nowhere");
    REFUSED(w, LSCHED_E_NOENT, "nowhere", add_job(w, job, &err));
    job.queue_name = (lsched_text){NULL, 0};
    REFUSED(w, LSCHED_E_INVAL, "bad", add_job(w, job, &err));
}

static void child_below_a_queue_with_jobs(void **state) {
    struct api_world *w = *state;
    REFUSED(w, LSCHED_E_BUSY, "bad", add_queue(w, api_queue("bad", "research"), &err));
}

static void removal_of_a_queue_that_is_used(void **state) {
    struct api_world *w = *state;
    lsched_id both[] = {w->org, w->product};
    REFUSED(w, LSCHED_E_BUSY, "research",
            lsched_queues_remove(w->cluster, &w->research, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_BUSY, "org",
            lsched_queues_remove(w->cluster, &w->org, 1, NULL, NULL, &err));
    REFUSED(w, LSCHED_E_BUSY, "org", lsched_queues_remove(w->cluster, both, 2, NULL, NULL, &err));
}

/* ---- gangs and topology ---------------------------------------------------------------------- */

static void group_minimum_above_its_size(void **state) {
    struct api_world *w = *state;
    lsched_group_desc leaf = api_group(4);
    REFUSED(w, LSCHED_E_RANGE, "bad", (leaf.min_count = 5, add_group(w, leaf, &err)));
    lsched_group_desc tree[] = {LSCHED_GROUP_DESC_INIT, api_group(1), api_group(1)};
    tree[0].min_groups = 3;
    REFUSED(w, LSCHED_E_RANGE, "bad", add_job(w, api_job("bad", tree, 3), &err));
}

static void groups_that_are_no_tree(void **state) {
    struct api_world *w = *state;
    lsched_group_desc tree[] = {LSCHED_GROUP_DESC_INIT, api_group(1), api_group(1)};
    REFUSED(w, LSCHED_E_RANGE, "bad", add_job(w, api_job("bad", tree, 0), &err));
    REFUSED(w, LSCHED_E_CYCLE, "bad",
            (tree[1].parent = 2, add_job(w, api_job("bad", tree, 3), &err)));
    REFUSED(w, LSCHED_E_CYCLE, "bad",
            (tree[1].parent = 1, add_job(w, api_job("bad", tree, 3), &err)));
    lsched_group_desc many[LSCHED_GROUPS_PER_JOB_MAX + 1];
    for (int i = 0; i <= LSCHED_GROUPS_PER_JOB_MAX; i++) many[i] = api_group(1);
    REFUSED(w, LSCHED_E_RANGE, "bad",
            add_job(w, api_job("bad", many, LSCHED_GROUPS_PER_JOB_MAX + 1), &err));
    REFUSED(w, LSCHED_E_LIMIT, "bad",
            (tree[1] = api_group(LSCHED_TASKS_PER_JOB_MAX + 1), add_group(w, tree[1], &err)));
}

static void unknown_topology_level(void **state) {
    struct api_world *w = *state;
    lsched_group_desc group = api_group(2);
    REFUSED(w, LSCHED_E_KEY, "row",
            (group.required_level = LSCHED_TEXT("row"), add_group(w, group, &err)));
    REFUSED(w, LSCHED_E_KEY, "row",
            (group = api_group(2), group.preferred_level = LSCHED_TEXT("row"),
             add_group(w, group, &err)));
    REFUSED(w, LSCHED_E_KEY, "moon",
            (group = api_group(2), group.topology = LSCHED_TEXT("moon"),
             group.required_level = LSCHED_TEXT("zone"), add_group(w, group, &err)));
}

static void topology_without_levels_or_with_too_many(void **state) {
    struct api_world *w = *state;
    lsched_text levels[LSCHED_TOPOLOGY_LEVELS_MAX + 1];
    static char names[LSCHED_TOPOLOGY_LEVELS_MAX + 1][4];
    for (int i = 0; i <= LSCHED_TOPOLOGY_LEVELS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "l%d", i);
        levels[i] = lsched_cstr(names[i]);
    }
    lsched_topology_desc topology = {
        .size = sizeof topology, .name = LSCHED_TEXT("bad"), .levels = levels};
    REFUSED(
        w, LSCHED_E_RANGE, "bad",
        lsched_topologies_add(w->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL, &err));
    topology.n_levels = LSCHED_TOPOLOGY_LEVELS_MAX + 1;
    REFUSED(
        w, LSCHED_E_RANGE, "bad",
        lsched_topologies_add(w->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL, &err));
    levels[1] = levels[0];
    topology.n_levels = 2;
    REFUSED(
        w, LSCHED_E_INVAL, "l0",
        lsched_topologies_add(w->cluster, &topology, 1, sizeof topology, NULL, NULL, NULL, &err));
}

/* ---- quantities ------------------------------------------------------------------------------ */

static void quantity_of_a_node_out_of_range(void **state) {
    struct api_world *w = *state;
    static const int64_t bad_amounts[] = {-1, INT64_MIN, TOO_LARGE, LSCHED_UNLIMITED};
    for (size_t i = 0; i < sizeof bad_amounts / sizeof bad_amounts[0]; i++) {
        lsched_amount bad = {LSCHED_MEMORY, 0, bad_amounts[i]};
        lsched_node_desc node = api_node("bad");
        node.capacity = &bad;
        node.n_capacity = 1;
        REFUSED(w, LSCHED_E_RANGE, "bad", add_node(w, node, &err));
        lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
        update.node = w->nodes[0];
        update.set = LSCHED_NODE_SET_CAPACITY;
        update.capacity = &bad;
        update.n_capacity = 1;
        REFUSED(w, LSCHED_E_RANGE, "n1",
                lsched_nodes_update(w->cluster, &update, 1, sizeof update, NULL, NULL, &err));
    }
    lsched_device_desc device = {
        .size = sizeof device, .model = LSCHED_TEXT("A100"), .memory_bytes = -1};
    lsched_node_desc node = api_node("bad");
    node.devices = &device;
    REFUSED(w, LSCHED_E_RANGE, "bad", add_node(w, node, &err));
    REFUSED(w, LSCHED_E_LIMIT, "bad",
            (device.memory_bytes = 0, device.count = LSCHED_DEVICES_PER_NODE_MAX + 1,
             add_node(w, node, &err)));
}

static void total_that_overflows(void **state) {
    struct api_world *w = *state;
    lsched_amount half = {LSCHED_MEMORY, 0, LSCHED_AMOUNT_MAX / 2 + 1};
    lsched_node_desc nodes[] = {api_node("half-1"), api_node("half-2")};
    nodes[0].capacity = nodes[1].capacity = &half;
    nodes[0].n_capacity = nodes[1].n_capacity = 1;
    REFUSED(w, LSCHED_E_RANGE, "half-",
            lsched_nodes_add(w->cluster, nodes, 2, sizeof nodes[0], NULL, NULL, NULL, &err));
    assert_int_equal(
        lsched_nodes_add(w->cluster, nodes, 1, sizeof nodes[0], NULL, NULL, NULL, NULL), 1);
    REFUSED(w, LSCHED_E_RANGE, "half-2",
            lsched_nodes_add(w->cluster, &nodes[1], 1, sizeof nodes[0], NULL, NULL, NULL, &err));
    lsched_group_desc group = api_group(3);
    group.request = &half;
    group.n_request = 1;
    REFUSED(w, LSCHED_E_RANGE, "bad", add_group(w, group, &err));
}

static void quantity_of_a_queue_out_of_range(void **state) {
    struct api_world *w = *state;
    static const int64_t bad_amounts[] = {-1, INT64_MIN, TOO_LARGE};
    for (size_t i = 0; i < sizeof bad_amounts / sizeof bad_amounts[0]; i++) {
        lsched_amount bad = {LSCHED_GPU, 0, bad_amounts[i]};
        lsched_queue_desc queue = api_queue("bad", NULL);
        REFUSED(w, LSCHED_E_RANGE, "bad", (queue.quota = &bad, add_queue(w, queue, &err)));
        REFUSED(w, LSCHED_E_RANGE, "bad",
                (queue = api_queue("bad", NULL), queue.limit = &bad, add_queue(w, queue, &err)));
        REFUSED(w, LSCHED_E_RANGE, "bad",
                (queue = api_queue("bad", NULL), queue.weight_milli = &bad, queue.n_weight = 1,
                 add_queue(w, queue, &err)));
        REFUSED(w, LSCHED_E_RANGE, "bad",
                (queue = api_queue("bad", NULL), queue.lend_limit = &bad, queue.n_lend_limit = 1,
                 add_queue(w, queue, &err)));
    }
    lsched_queue_desc queue = api_queue("bad", NULL);
    REFUSED(w, LSCHED_E_RANGE, "bad",
            (queue.reclaim_min_runtime_us = -1, add_queue(w, queue, &err)));
}

static void quantity_of_a_job_out_of_range(void **state) {
    struct api_world *w = *state;
    static const int64_t bad_amounts[] = {-1, INT64_MIN, TOO_LARGE, LSCHED_UNLIMITED};
    lsched_group_desc group;
    for (size_t i = 0; i < sizeof bad_amounts / sizeof bad_amounts[0]; i++) {
        lsched_amount bad = {LSCHED_CPU, 0, bad_amounts[i]};
        REFUSED(w, LSCHED_E_RANGE, "bad",
                (group = api_group(1), group.request = &bad, group.n_request = 1,
                 add_group(w, group, &err)));
    }
    lsched_amount odd = {LSCHED_GPU, 0, 1500};
    REFUSED(w, LSCHED_E_RANGE, "bad",
            (group = api_group(1), group.request = &odd, group.n_request = 1,
             add_group(w, group, &err)));
    group = api_group(1);
    lsched_job_desc job = api_job("bad", &group, 1);
    REFUSED(w, LSCHED_E_RANGE, "bad", (job.duration_us = -1, add_job(w, job, &err)));
    REFUSED(w, LSCHED_E_RANGE, "bad",
            (job.duration_us = 0, job.submit_us = INT64_MIN, add_job(w, job, &err)));
    REFUSED(w, LSCHED_E_RANGE, "bad", (job.submit_us = INT64_MAX, add_job(w, job, &err)));
    REFUSED(w, LSCHED_E_RANGE, "bad", (group.gpu_memory_bytes = -1, add_group(w, group, &err)));
}

static void kind_that_is_unknown_or_given_twice(void **state) {
    struct api_world *w = *state;
    lsched_amount list[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_CPU, 0, 2000}};
    lsched_node_desc node = api_node("bad");
    node.capacity = list;
    REFUSED(w, LSCHED_E_INVAL, "bad", add_node(w, node, &err));
    REFUSED(w, LSCHED_E_KEY, "bad", (list[1].kind = 9, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_KEY, "bad", (list[1].kind = UINT32_MAX, add_node(w, node, &err)));
    REFUSED(w, LSCHED_E_INVAL, "bad", (list[1].kind = LSCHED_GPU, add_node(w, node, &err)));
}

static void unknown_values(void **state) {
    struct api_world *w = *state;
    lsched_node_desc node = api_node("bad");
    REFUSED(w, LSCHED_E_INVAL, "bad", (node.state = 3, add_node(w, node, &err)));
    lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
    update.node = w->nodes[0];
    update.set = 1u << 31;
    REFUSED(w, LSCHED_E_INVAL, "n1",
            lsched_nodes_update(w->cluster, &update, 1, sizeof update, NULL, NULL, &err));
    lsched_group_desc one = api_group(1);
    lsched_job_desc job = api_job("bad", &one, 1);
    REFUSED(w, LSCHED_E_INVAL, "bad", (job.flags = 1u << 31, add_job(w, job, &err)));
    lsched_node_desc nodes[] = {api_node("good-1")};
    lsched_batch_opts flags = {sizeof flags, 1u << 31};
    REFUSED(w, LSCHED_E_INVAL, "LSCHED_BATCH_PARTIAL",
            lsched_nodes_add(w->cluster, nodes, 1, sizeof nodes[0], &flags, NULL, NULL, &err));
    uint64_t hash;
    assert_int_equal(lsched_cluster_hash(w->cluster, 2, &hash, NULL), LSCHED_E_INVAL);
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = w->now_us;
    REFUSED(w, LSCHED_E_INVAL, "",
            (opts.flags = 1u << 31, lsched_schedule(w->cluster, &opts, &plan, &err)));
}

static void too_many_resource_kinds(void **state) {
    struct api_world *w = *state;
    char name[8] = "";
    int32_t code = 0;
    for (int i = 0; i < LSCHED_RESOURCE_KINDS_MAX && code >= 0; i++) {
        snprintf(name, sizeof name, "kind-%d", i % 100);
        code = lsched_resource_add(w->cluster, lsched_cstr(name), NULL);
    }
    REFUSED(w, LSCHED_E_LIMIT, "16", lsched_resource_add(w->cluster, lsched_cstr(name), &err));
    assert_int_equal(lsched_resource_add(w->cluster, LSCHED_TEXT("gpu"), NULL), LSCHED_GPU);
    assert_int_equal(lsched_resource_find(w->cluster, LSCHED_TEXT("moon"), NULL), LSCHED_E_NOENT);
    REFUSED(w, LSCHED_E_INVAL, "", lsched_resource_add(w->cluster, LSCHED_TEXT(""), &err));
}

static int32_t add_model(lsched_cluster *c, lsched_text name, lsched_text model,
                         lsched_error *err) {
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.name = name, part.model = model;
    return lsched_resource_add_part(c, &part, err);
}

static void kind_of_a_model_in_the_wrong_place(void **state) {
    struct api_world *w = *state;
    lsched_cluster *c = w->cluster;
    int32_t kind = add_model(c, LSCHED_TEXT("of-h100"), LSCHED_TEXT("H100-80GB"), NULL);
    assert_true(kind >= LSCHED_RESOURCE_KINDS_MAX);
    lsched_amount one = {(uint32_t)kind, 0, 1000};
    lsched_node_desc node = api_node("bad");
    lsched_group_desc group = api_group(1);
    node.capacity = &one, node.n_capacity = 1;
    group.request = &one, group.n_request = 1;
    REFUSED(w, LSCHED_E_UNSUPPORTED, "bad", add_node(w, node, &err));
    REFUSED(w, LSCHED_E_UNSUPPORTED, "bad", add_group(w, group, &err));
    REFUSED(w, LSCHED_E_EXISTS, "of-h100",
            add_model(c, LSCHED_TEXT("of-h100"), LSCHED_TEXT("A100"), &err));
    REFUSED(w, LSCHED_E_EXISTS, "gpu", add_model(c, LSCHED_TEXT("gpu"), LSCHED_TEXT("A100"), &err));
    REFUSED(w, LSCHED_E_NULL, "", add_model(c, LSCHED_TEXT("x"), (lsched_text){NULL, 4}, &err));
    REFUSED(w, LSCHED_E_INVAL, "", add_model(c, LSCHED_TEXT("x"), LSCHED_TEXT(""), &err));
    REFUSED(w, LSCHED_E_INVAL, "says no part",
            add_model(c, LSCHED_TEXT("x"), lsched_cstr(""), &err));
    REFUSED(w, LSCHED_E_INVAL, "says no part",
            add_model(c, LSCHED_TEXT("x"), lsched_cstr(NULL), &err));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(stale_id),
        TEST(stale_id_of_a_slot_that_is_used_again),
        TEST(id_of_another_kind),
        TEST(ids_of_random_bits),
        TEST(time_that_runs_backwards),
        TEST(settle_of_a_settled_decision),
        TEST(settle_of_one_decision_twice_in_a_batch),
        TEST(settle_of_what_the_batch_withdrew),
        TEST(settle_with_an_unknown_outcome),
        TEST(report_of_a_task_that_is_not_there),
        TEST(import_that_cannot_be),
        TEST(null_arguments),
        TEST(null_lists_inside_a_description),
        TEST(a_null_record_is_fine),
        TEST(wrong_struct_size),
        TEST(duplicate_name),
        TEST(name_that_is_none),
        TEST(cycle_in_the_queue_tree),
        TEST(unknown_parent),
        TEST(queue_tree_too_deep),
        TEST(job_in_an_inner_queue),
        TEST(child_below_a_queue_with_jobs),
        TEST(removal_of_a_queue_that_is_used),
        TEST(group_minimum_above_its_size),
        TEST(groups_that_are_no_tree),
        TEST(unknown_topology_level),
        TEST(topology_without_levels_or_with_too_many),
        TEST(quantity_of_a_node_out_of_range),
        TEST(total_that_overflows),
        TEST(quantity_of_a_queue_out_of_range),
        TEST(quantity_of_a_job_out_of_range),
        TEST(kind_that_is_unknown_or_given_twice),
        TEST(unknown_values),
        TEST(too_many_resource_kinds),
        TEST(kind_of_a_model_in_the_wrong_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
