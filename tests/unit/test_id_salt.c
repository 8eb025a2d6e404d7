/* test_id_salt.c -- ids of two clusters of one process. With different salts, no call takes an id of the other cluster; images,
 * hashes and plans do not depend on the salt, a clone has the salt of its source, and a saved state is read with any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"

static void make(struct api_world *w, uint64_t salt) {
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    o.id_salt = salt;
    o.verify_every_plan = 1;
    assert_int_equal(api_world_make(w, &o), 0);
}

/* The ids of all kinds that a world has. */
enum { IDS = 9 };
static void ids_of(const struct api_world *w, lsched_id *ids) {
    const lsched_id all[IDS] = {w->topology, w->nodes[0], w->nodes[1], w->org,     w->research,
                                w->product,  w->busy,     w->open,     w->proposed};
    memcpy(ids, all, sizeof all);
}

static void salt_changes_ids_and_nothing_else(void **state) {
    struct api_world plain, salted;
    lsched_id a[IDS], b[IDS];
    (void)state;
    make(&plain, 0), make(&salted, 7);
    ids_of(&plain, a), ids_of(&salted, b);
    for (int i = 0; i < IDS; i++) {
        assert_int_equal(a[i] >> 60, b[i] >> 60); /* the kind stays */
        assert_true((a[i] ^ b[i]) == (a[0] ^ b[0]) && a[i] != b[i]);
        assert_true((uint32_t)(a[i] ^ b[i]) != 0 && (a[i] ^ b[i]) >> 32 != 0);
    }
    assert_true(api_image(plain.cluster) == api_image(salted.cluster));
    assert_true(api_meaning(plain.cluster) == api_meaning(salted.cluster));
    api_world_drop(&plain), api_world_drop(&salted);
}

static void expect_foreign(int32_t rc, const lsched_error *err) {
    assert_int_equal(rc, LSCHED_E_STALE);
    assert_non_null(strstr(err->message, "no longer exists, or the id is of another cluster"));
}

/* Salts that differ in one bit are as good as any: both worlds have the same rows and generations. */
static void ids_of_another_cluster_are_refused(void **state) {
    struct api_world w, other;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)state;
    make(&w, 1), make(&other, 2);
    uint64_t before = api_image(w.cluster);
    lsched_job_desc job = api_job("stray", NULL, 0);
    lsched_group_desc group = api_group(1);
    job.groups = &group, job.n_groups = 1, job.queue = other.research;
    job.queue_name = (lsched_text){NULL, 0};
    expect_foreign(lsched_jobs_submit(w.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                   &err);
    expect_foreign(lsched_nodes_remove(w.cluster, other.nodes, 1, NULL, NULL, &err), &err);
    expect_foreign(lsched_queues_remove(w.cluster, &other.product, 1, NULL, NULL, &err), &err);
    expect_foreign(lsched_jobs_remove(w.cluster, &other.busy, 1, NULL, NULL, &err), &err);
    expect_foreign((int32_t)lsched_explain(w.cluster, other.later, NULL, 0, NULL, &err), &err);
    lsched_queue_share share = LSCHED_QUEUE_SHARE_INIT;
    expect_foreign(lsched_queue_share_get(w.cluster, other.research, LSCHED_GPU, &share, &err),
                   &err);
    assert_int_equal(lsched_decision_state(w.cluster, other.proposed, NULL), LSCHED_E_STALE);
    size_t len;
    assert_null(lsched_name(w.cluster, other.org, &len));
    lsched_job_info info = {.size = sizeof info};
    assert_int_equal(lsched_job_get(w.cluster, other.busy, &info, NULL), LSCHED_E_STALE);
    assert_int_equal(lsched_job_get(w.cluster, w.busy, &info, NULL), LSCHED_OK);
    assert_true(info.queue == w.research || info.queue == w.product);
    /* an id of another kind is still called one */
    assert_int_equal(lsched_job_get(w.cluster, w.nodes[0], &info, NULL), LSCHED_E_KIND);
    assert_true(api_image(w.cluster) == before);
    api_world_drop(&w), api_world_drop(&other);
}

/* Every id that comes out goes in again: names, iteration, tasks, plans, reasons to wait. */
static void own_ids_are_taken_everywhere(void **state) {
    static const uint32_t kinds[] = {LSCHED_KIND_NODE, LSCHED_KIND_QUEUE, LSCHED_KIND_JOB};
    struct api_world w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    size_t len;
    (void)state;
    make(&w, 0xfeedfacecafebeefu);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t cursor = 0;
        for (lsched_id id; (id = lsched_next(w.cluster, kinds[i], &cursor)) != 0;) {
            const char *name = lsched_name(w.cluster, id, &len);
            assert_non_null(name);
        }
    }
    lsched_task_info task = {.size = sizeof task};
    uint64_t cursor = 0;
    assert_int_equal(lsched_tasks_next(w.cluster, w.open, 0, &cursor, &task, NULL), 1);
    assert_true(task.job == w.open && task.decision == w.proposed);
    assert_non_null(lsched_name(w.cluster, task.node, &len));
    o.now_us = w.now_us, o.flags = LSCHED_SCHEDULE_ALL_WAITING | LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(w.cluster, &o, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_verify(w.cluster, plan, &err), LSCHED_OK);
    assert_true(lsched_plan_waiting_size(plan) > 0);
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        const lsched_waiting *r = lsched_plan_waiting_at(plan, i);
        char text[400], again[400];
        lsched_waiting copy = {.size = sizeof copy};
        assert_non_null(lsched_name(w.cluster, r->job, &len));
        assert_non_null(lsched_name(w.cluster, r->queue, &len));
        assert_true(lsched_waiting_text(w.cluster, r, text, sizeof text, NULL) > 0);
        assert_true(lsched_explain(w.cluster, r->job, again, sizeof again, &copy, &err) > 0);
        assert_true(copy.job == r->job && copy.queue == r->queue);
    }
    lsched_plan_destroy(plan);
    api_world_drop(&w);
}

/* The verifier checks decisions behind the salt: a right plan is right, and a wrong one is found. */
static void verifier_reads_salted_plans(void **state) {
    struct api_world w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    size_t len;
    (void)state;
    make(&w, 3);
    o.now_us = w.now_us;
    lsched_id first = 0;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("late", &group, 1);
    lsched_id id;
    assert_true(lsched_jobs_submit(w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err) >= 0);
    assert_int_equal(lsched_schedule(w.cluster, &o, &plan, &err), LSCHED_OK);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        first = d->id;
        assert_int_equal(lsched_decision_state(w.cluster, d->id, NULL), LSCHED_DECISION_PROPOSED);
        assert_non_null(lsched_name(w.cluster, d->job, &len));
        assert_non_null(lsched_name(w.cluster, d->node, &len));
    }
    assert_true(first != 0);
    assert_int_equal(lsched_verify(w.cluster, plan, &err), LSCHED_OK);
    assert_true(lsched_jobs_remove(w.cluster, &id, 1, NULL, NULL, &err) >= 0);
    assert_int_equal(lsched_verify(w.cluster, plan, &err), LSCHED_E_VERIFY);
    lsched_plan_destroy(plan);
    api_world_drop(&w);
}

struct bytes_of {
    char *p;
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct bytes_of *b = user;
    b->p = realloc(b->p, b->n + n);
    if (!b->p) return 1;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

static void clone_keeps_the_salt_and_load_takes_one(void **state) {
    struct api_world w, plain;
    lsched_cluster *copy = NULL, *loaded = NULL;
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    struct bytes_of b = {NULL, 0};
    (void)state;
    make(&w, 5), make(&plain, 0);
    assert_int_equal(lsched_cluster_clone(w.cluster, &copy, NULL), LSCHED_OK);
    assert_int_equal(lsched_decision_state(copy, w.proposed, NULL), LSCHED_DECISION_PROPOSED);
    /* into a cluster that had another salt */
    assert_int_equal(lsched_cluster_clone(plain.cluster, &copy, NULL), LSCHED_OK);
    assert_int_equal(lsched_decision_state(copy, w.proposed, NULL), LSCHED_E_STALE);
    assert_int_equal(lsched_decision_state(copy, plain.proposed, NULL), LSCHED_DECISION_PROPOSED);
    assert_int_equal(lsched_cluster_save(w.cluster, append, &b, NULL), LSCHED_OK);
    assert_int_equal(lsched_cluster_load(&o, b.p, b.n, &loaded, NULL), LSCHED_OK);
    assert_int_equal(lsched_decision_state(loaded, plain.proposed, NULL), LSCHED_DECISION_PROPOSED);
    lsched_cluster_destroy(loaded);
    o.id_salt = 5;
    assert_int_equal(lsched_cluster_load(&o, b.p, b.n, &loaded, NULL), LSCHED_OK);
    assert_int_equal(lsched_decision_state(loaded, w.proposed, NULL), LSCHED_DECISION_PROPOSED);
    free(b.p);
    lsched_cluster_destroy(loaded), lsched_cluster_destroy(copy);
    api_world_drop(&w), api_world_drop(&plain);
}

/* The report of a settled batch names decisions of the cluster, and a gang's other decision can be rejected by its own id. */
static void settle_reports_own_ids(void **state) {
    struct api_world w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_settlement no = {.size = sizeof no, .outcome = LSCHED_OUTCOME_REJECTED};
    lsched_id taken[8];
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    (void)state;
    make(&w, 9);
    report.withdrawn = taken, report.withdrawn_capacity = 8;
    uint64_t cursor = 0, decisions = 0;
    lsched_task_info task = {.size = sizeof task};
    lsched_id of_gang[8];
    while (lsched_tasks_next(w.cluster, w.open, 0, &cursor, &task, NULL) == 1 && decisions < 8)
        if (task.decision) of_gang[decisions++] = task.decision;
    no.decision = of_gang[0];
    assert_true(lsched_settle(w.cluster, &no, 1, sizeof no, NULL, &report, NULL, &err) >=
                LSCHED_OK);
    assert_true(report.n_withdrawn < decisions);
    for (uint64_t i = 0; i < report.n_withdrawn; i++) {
        int known = 0;
        for (uint64_t j = 1; j < decisions; j++) known |= taken[i] == of_gang[j];
        assert_true(known);
    }
    /* what the removal of a node changes is told with ids of the API, too */
    lsched_change change = {.size = sizeof change};
    uint64_t at = lsched_changes_end(w.cluster), told = 0;
    assert_true(lsched_nodes_remove(w.cluster, w.nodes, 2, NULL, NULL, &err) >= 0);
    for (; lsched_changes_next(w.cluster, &at, &change, &err) == 1; told++) {
        assert_true(change.cause == w.nodes[0] || change.cause == w.nodes[1]);
        assert_true(change.job == w.busy || change.job == w.open || change.job == w.later);
        assert_true(change.node == change.cause);
        assert_true(change.queue == w.research || change.queue == w.product);
    }
    assert_true(told > 0);
    api_world_drop(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(salt_changes_ids_and_nothing_else),
        cmocka_unit_test(ids_of_another_cluster_are_refused),
        cmocka_unit_test(own_ids_are_taken_everywhere),
        cmocka_unit_test(verifier_reads_salted_plans),
        cmocka_unit_test(clone_keeps_the_salt_and_load_takes_one),
        cmocka_unit_test(settle_reports_own_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
