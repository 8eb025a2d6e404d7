/* Claims beside tasks that have to keep apart from them: an import takes the place, whoever of the two it is that keeps apart; one that
 * is stopping is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

static lsched_cluster *cluster;
static lsched_error err;
static int64_t now;

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static void good(int32_t rc) {
    if (rc < 0) fail_msg("%d: %s", rc, err.message);
}

static int make_cluster(void **unused) {
    (void)unused;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount room = {LSCHED_CPU, 0, 4000};
    err = (lsched_error)LSCHED_ERROR_INIT;
    now = 1000000;
    queue.name = text("q");
    node.name = text("n");
    node.capacity = &room;
    node.n_capacity = 1;
    return lsched_cluster_create(NULL, &cluster, &err) ||
           lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0 ||
           lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0;
}

static int drop_cluster(void **unused) {
    (void)unused;
    lsched_cluster_destroy(cluster);
    cluster = NULL;
    return 0;
}

/* A job of one task; apart: the app that it may not be beside, NULL. */
static lsched_id submit(const char *name, int64_t cpu, const char *apart) {
    lsched_amount request = {LSCHED_CPU, 0, cpu};
    lsched_label own = {text("app"), text(name)}, other = {text("app"), text(apart ? apart : "")};
    lsched_job_affinity term = {.labels = &other, .n_labels = 1, .apart = 1};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &request;
    group.n_request = 1;
    group.job_affinities = &term;
    group.n_job_affinities = apart ? 1 : 0;
    job.name = text(name);
    job.queue_name = text("q");
    job.labels = &own;
    job.n_labels = 1;
    job.groups = &group;
    job.n_groups = 1;
    good(lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static void import(lsched_id job, uint32_t state) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = job;
    m.node_name = text("n");
    m.start_us = now;
    m.state = state;
    good(lsched_tasks_import(cluster, &m, 1, sizeof m, NULL, NULL, &err));
}

/* It ended, and is gone with its job. */
static void gone(lsched_id job) {
    lsched_task_event v = LSCHED_TASK_EVENT_INIT;
    v.job = job;
    v.event = LSCHED_EVENT_FAILED;
    good(lsched_tasks_report(cluster, &v, 1, sizeof v, NULL, NULL, &err));
    good(lsched_jobs_remove(cluster, &job, 1, NULL, NULL, &err));
}

/* The kind of decision that the next cycle has about the job; UINT32_MAX: none. */
static uint32_t next_kind(lsched_id job) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    uint32_t kind = UINT32_MAX;
    opts.now_us = now += 1000000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    good(lsched_schedule(cluster, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        if (lsched_plan_at(plan, i)->job == job) kind = lsched_plan_at(plan, i)->kind;
    lsched_plan_destroy(plan);
    return kind;
}

static lsched_id claim_of_b(const char *b_apart, lsched_id *leaves) {
    *leaves = submit("x", 4000, NULL);
    import(*leaves, LSCHED_TASK_RELEASING);
    lsched_id b = submit("b", 3000, b_apart);
    assert_int_equal(next_kind(b), LSCHED_DECIDE_NOMINATE);
    return b;
}

static void an_import_withdraws(const char *b_apart, const char *a_apart, int stays) {
    lsched_id x, b = claim_of_b(b_apart, &x), a = submit("a", 1000, a_apart);
    import(a, LSCHED_TASK_RUNNING);
    gone(x);
    assert_int_equal(next_kind(b), stays ? LSCHED_DECIDE_PLACE : UINT32_MAX);
    if (stays) return;
    gone(a);
    assert_int_equal(next_kind(b), LSCHED_DECIDE_PLACE);
}

static void a_claim_goes_that_keeps_apart(void **unused) {
    (void)unused;
    an_import_withdraws("a", NULL, 0);
}

static void a_claim_goes_that_is_kept_apart_from(void **unused) {
    (void)unused;
    an_import_withdraws(NULL, "b", 0);
}

static void a_claim_stays_beside_others(void **unused) {
    (void)unused;
    an_import_withdraws("c", "d", 1);
}

static void what_is_stopping_is_waited_for(void **unused) {
    (void)unused;
    lsched_id x, b = claim_of_b("a", &x), a = submit("a", 1000, NULL);
    import(a, LSCHED_TASK_RELEASING);
    gone(x);
    assert_int_equal(next_kind(b), UINT32_MAX);
    gone(a);
    assert_int_equal(next_kind(b), LSCHED_DECIDE_PLACE);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, make_cluster, drop_cluster)
    const struct CMUnitTest tests[] = {
        CASE(a_claim_goes_that_keeps_apart),
        CASE(a_claim_goes_that_is_kept_apart_from),
        CASE(a_claim_stays_beside_others),
        CASE(what_is_stopping_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
