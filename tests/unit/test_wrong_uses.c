/* test_wrong_uses.c -- wrong uses of the interface that a host makes: each is refused with the code
 * of its kind of mistake, the message has the words of the cure, and the cluster is as before. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/refused.h"

static struct api_world world, *w = &world;

static int set_up(void **state) {
    (void)state;
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

#define WRONG(code, cure, call) REFUSED(w, LSCHED_E_##code, cure, call)

static int32_t add_node(const lsched_node_desc *d, size_t elem_size, lsched_error *err) {
    return lsched_nodes_add(w->cluster, d, 1, elem_size, NULL, NULL, NULL, err);
}

static int32_t add_job(const lsched_job_desc *d, size_t elem_size, lsched_error *err) {
    return lsched_jobs_submit(w->cluster, d, 1, elem_size, NULL, NULL, NULL, err);
}

static int32_t add_queue(const lsched_queue_desc *d, lsched_error *err) {
    return lsched_queues_add(w->cluster, d, 1, sizeof *d, NULL, NULL, NULL, err);
}

static int32_t report(lsched_id job, uint32_t task, uint32_t event, int64_t at, lsched_error *err) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = job, e.task_index = task, e.event = event, e.at_us = at;
    return lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, err);
}

static int32_t settle(lsched_id decision, lsched_outcome outcome, lsched_error *err) {
    lsched_settlement s = {.size = sizeof s, .outcome = outcome, .decision = decision};
    return lsched_settle(w->cluster, &s, 1, sizeof s, NULL, NULL, NULL, err);
}

static void pointers_and_sizes(void **state) {
    (void)state;
    lsched_cluster *c = w->cluster;
    lsched_node_desc d = api_node("x");
    WRONG(NULL, "out is NULL", lsched_cluster_create(NULL, NULL, &err));
    WRONG(NULL, "cluster is NULL", lsched_nodes_add(NULL, &d, 1, sizeof d, NULL, NULL, NULL, &err));
    WRONG(NULL, "1 elements, but its pointer is NULL",
          lsched_nodes_add(c, NULL, 1, sizeof d, NULL, NULL, NULL, &err));
    WRONG(SIZE, "was it set?", (d.size = 3, add_node(&d, sizeof d, &err)));
    WRONG(SIZE, "was it set?", (d.size = 0, add_node(&d, sizeof d, &err)));
    WRONG(SIZE, "was it set?", (d.size = 0, add_node(&d, 0, &err)));
    d.size = sizeof d;
    WRONG(SIZE, "at most the stride of the batch", add_node(&d, 32, &err));
    WRONG(SIZE, "pass sizeof of the element's struct", add_node(&d, sizeof d + 1, &err));
    WRONG(SIZE, "pass sizeof of the element's struct", add_node(&d, sizeof d + 4, &err));
    struct {
        lsched_node_desc known;
        char more[64];
    } newer = {api_node("x"), {0}};
    newer.known.size = sizeof newer, newer.more[3] = 1;
    WRONG(SIZE, "or use a newer library", add_node(&newer.known, sizeof newer, &err));
    lsched_batch_opts opts = {3, 0};
    WRONG(SIZE, "batch options", lsched_nodes_add(c, &d, 1, sizeof d, &opts, NULL, NULL, &err));
    opts = (lsched_batch_opts){sizeof opts, 64};
    WRONG(INVAL, "LSCHED_BATCH_IDEMPOTENT",
          lsched_nodes_add(c, &d, 1, sizeof d, &opts, NULL, NULL, &err));
}

static void nodes(void **state) {
    (void)state;
    lsched_node_desc d = api_node("x");
    lsched_amount a[2] = {{LSCHED_CPU, 0, 1}, {LSCHED_CPU, 0, 2}};
    WRONG(INVAL, "expected a name", (d.name = lsched_cstr(NULL), add_node(&d, sizeof d, &err)));
    WRONG(INVAL, "expected a name", (d.name = lsched_cstr(""), add_node(&d, sizeof d, &err)));
    WRONG(NULL, "the text is NULL",
          (d.name = (lsched_text){NULL, 4}, add_node(&d, sizeof d, &err)));
    WRONG(EXISTS, "'n1' exists already; take another name",
          (d.name = LSCHED_TEXT("n1"), add_node(&d, sizeof d, &err)));
    d.name = LSCHED_TEXT("y"), d.capacity = a, d.n_capacity = 2;
    WRONG(INVAL, "one amount for each kind", add_node(&d, sizeof d, &err));
    WRONG(KEY, "lsched_resource_add", (a[1].kind = 9, add_node(&d, sizeof d, &err)));
    WRONG(INVAL, "follows from the devices",
          (a[1].kind = LSCHED_GPU, add_node(&d, sizeof d, &err)));
    a[1].kind = LSCHED_MEMORY, a[1].reserved_zero = 5;
    WRONG(INVAL, "was the struct set to zero?", add_node(&d, sizeof d, &err));
    d.n_capacity = 0;
    WRONG(INVAL, "ready, cordoned or draining", (d.state = 9, add_node(&d, sizeof d, &err)));
}

static void devices(void **state) {
    (void)state;
    lsched_node_desc d = api_node("y");
    lsched_device_desc g = LSCHED_DEVICE_DESC_INIT;
    d.devices = &g, d.n_devices = 1;
    g.count = 8;
    WRONG(INVAL, "device model: expected a name", add_node(&d, sizeof d, &err));
    g.model = LSCHED_TEXT("RTX4090"), g.share_mode = LSCHED_SHARING_MIG;
    WRONG(NOENT, "name one with mig_table", add_node(&d, sizeof d, &err));
    g.share_mode = 9;
    WRONG(INVAL, "LSCHED_SHARING_*", add_node(&d, sizeof d, &err));
    WRONG(NULL, "devices is NULL", (d.devices = NULL, add_node(&d, sizeof d, &err)));
    lsched_text levels[2] = {LSCHED_TEXT("zone"), LSCHED_TEXT("zone")};
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    t.name = LSCHED_TEXT("t"), t.levels = levels, t.n_levels = 2;
    WRONG(INVAL, "name each level once",
          lsched_topologies_add(w->cluster, &t, 1, sizeof t, NULL, NULL, NULL, &err));
}

static void jobs(void **state) {
    (void)state;
    lsched_amount a = {LSCHED_GPU, 0, 1500};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = &a, g.n_request = 1;
    lsched_job_desc j = api_job("j", &g, 1);
    WRONG(RANGE, "say over how many devices they are shared", add_job(&j, sizeof j, &err));
    WRONG(RANGE, "1000 is one device", (a.amount = 4, add_job(&j, sizeof j, &err)));
    WRONG(RANGE, "expected 0 to", (a.amount = -1, add_job(&j, sizeof j, &err)));
    WRONG(RANGE, "LSCHED_UNLIMITED is for limits",
          (a.amount = LSCHED_UNLIMITED, add_job(&j, sizeof j, &err)));
    a.amount = 1000;
    WRONG(NOENT, "did you mean 'research'?",
          (j.queue_name = LSCHED_TEXT("reserch"), add_job(&j, sizeof j, &err)));
    WRONG(INVAL, "by id or by name",
          (j.queue_name = lsched_cstr(NULL), add_job(&j, sizeof j, &err)));
    j.queue_name = LSCHED_TEXT("research");
    WRONG(RANGE, "0 groups; expected 1 to", (j.n_groups = 0, add_job(&j, sizeof j, &err)));
    j.n_groups = 1;
    WRONG(RANGE, "the minimum is 5 members, but the group has 1",
          (g.min_count = 5, add_job(&j, sizeof j, &err)));
    g.min_count = 0;
    WRONG(INVAL, "expected LSCHED_JOB_*", (j.flags = 1u << 20, add_job(&j, sizeof j, &err)));
    j.flags = 0;
    WRONG(RANGE, "deadline_us is -3", (j.deadline_us = -3, add_job(&j, sizeof j, &err)));
    j.deadline_us = 0;
    WRONG(RANGE, "backoff_us", (j.backoff_us = INT64_MAX, add_job(&j, sizeof j, &err)));
    j.backoff_us = 0;
    WRONG(KIND, "expected the id of a queue, got",
          (j.queue = w->nodes[0], add_job(&j, sizeof j, &err)));
    j.queue = 0;
    WRONG(INVAL, "NUL byte", (j.name = (lsched_text){"e\0f", 3}, add_job(&j, sizeof j, &err)));
    j.name = LSCHED_TEXT("k");
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    g.n_request = 0, g.device_requests = &r, g.n_device_requests = 1;
    r.mig_profile = LSCHED_TEXT("2g.20gbb");
    WRONG(KEY, "did you mean '2g.20gb'?", add_job(&j, sizeof j, &err));
}

static void queues(void **state) {
    (void)state;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = q.parent_name = LSCHED_TEXT("r");
    WRONG(CYCLE, "its own ancestor", add_queue(&q, &err));
    q.parent_name = LSCHED_TEXT("research");
    WRONG(BUSY, "jobs are in leaf queues only", add_queue(&q, &err));
    WRONG(BUSY, "move or remove them first",
          lsched_queues_remove(w->cluster, &w->research, 1, NULL, NULL, &err));
    WRONG(INVAL, "was the struct set to zero?", (q.reserved_zero = 7, add_queue(&q, &err)));
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.name = LSCHED_TEXT("prodct");
    WRONG(NOENT, "did you mean 'product'?",
          lsched_queues_update(w->cluster, &u, 1, sizeof u, NULL, NULL, &err));
    u.name = LSCHED_TEXT("product"), u.set = 1u << 30;
    WRONG(INVAL, "expected LSCHED_QUEUE_SET_*",
          lsched_queues_update(w->cluster, &u, 1, sizeof u, NULL, NULL, &err));
}

static void decisions(void **state) {
    (void)state;
    WRONG(INVAL, "LSCHED_OUTCOME_CONFIRMED", settle(w->proposed, 7, &err));
    WRONG(KIND, "expected the id of a decision", settle(w->busy, LSCHED_OUTCOME_CONFIRMED, &err));
    WRONG(STALE, "forget it: it was carried out, rejected or withdrawn",
          settle(w->gone_decision, LSCHED_OUTCOME_CONFIRMED, &err));
    WRONG(STATE, "LSCHED_OUTCOME_REJECTED instead",
          report(w->open, 0, LSCHED_EVENT_FAILED, 0, &err));
    assert_int_equal(settle(w->proposed, LSCHED_OUTCOME_CONFIRMED, NULL), 1);
    WRONG(STATE, "LSCHED_BATCH_IDEMPOTENT accepts that",
          settle(w->proposed, LSCHED_OUTCOME_CONFIRMED, &err));
}

static void reports(void **state) {
    (void)state;
    WRONG(STATE, "LSCHED_BATCH_IDEMPOTENT", report(w->busy, 0, LSCHED_EVENT_STARTED, 0, &err));
    WRONG(INVAL, "LSCHED_EVENT_*", report(w->busy, 0, 9, 0, &err));
    WRONG(RANGE, "task 99 does not exist", report(w->busy, 99, LSCHED_EVENT_ENDED, 0, &err));
    WRONG(STATE, "if it runs, import it with lsched_tasks_import",
          report(w->later, 0, LSCHED_EVENT_ENDED, 0, &err));
    WRONG(STATE, "if it runs, import it with lsched_tasks_import",
          report(w->later, 0, LSCHED_EVENT_STARTED, 0, &err));
    WRONG(STATE, "LSCHED_BATCH_IDEMPOTENT", report(w->later, 0, LSCHED_EVENT_FAILED, 0, &err));
    WRONG(STATE, "report LSCHED_EVENT_STARTED first if it ran",
          report(w->open, 0, LSCHED_EVENT_ENDED, 0, &err));
    WRONG(RANGE, "expected microseconds", report(w->busy, 0, LSCHED_EVENT_ENDED, -5, &err));
    WRONG(TIME, "in microseconds",
          report(w->busy, 0, LSCHED_EVENT_ENDED, INT64_C(1700000000000000000), &err));
    lsched_usage_sample u = LSCHED_USAGE_SAMPLE_INIT;
    u.job = w->busy, u.kind = LSCHED_GPU, u.amount = -4;
    WRONG(RANGE, "amount -4; expected 0 to",
          lsched_usage_report(w->cluster, &u, 1, sizeof u, NULL, NULL, &err));
    u.job = w->later, u.amount = 4;
    WRONG(STATE, "if it runs, import it",
          lsched_usage_report(w->cluster, &u, 1, sizeof u, NULL, NULL, &err));
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = w->later, m.node_name = LSCHED_TEXT("n3");
    WRONG(NOENT, "did you mean 'n",
          lsched_tasks_import(w->cluster, &m, 1, sizeof m, NULL, NULL, &err));
    m.job = w->busy, m.node_name = LSCHED_TEXT("n1");
    WRONG(STATE, "LSCHED_BATCH_IDEMPOTENT accepts an import of its place",
          lsched_tasks_import(w->cluster, &m, 1, sizeof m, NULL, NULL, &err));
    m.job = w->later, m.device_mask = 1u << 12;
    WRONG(RANGE, "no device 12; it has 8 devices",
          lsched_tasks_import(w->cluster, &m, 1, sizeof m, NULL, NULL, &err));
}

static void ids(void **state) {
    (void)state;
    lsched_cluster *c = w->cluster;
    lsched_id zero = 0, odd = 42;
    WRONG(STALE, "lsched_find returns the present id",
          lsched_jobs_remove(c, &w->gone_job, 1, NULL, NULL, &err));
    WRONG(KIND, "was it never set?", lsched_jobs_remove(c, &zero, 1, NULL, NULL, &err));
    WRONG(KIND, "the id of no object", lsched_jobs_remove(c, &odd, 1, NULL, NULL, &err));
    WRONG(KIND, "the id of a node", lsched_explain(c, w->nodes[0], NULL, 0, NULL, &err));
    WRONG(INVAL, "expected a name", lsched_resource_add(c, LSCHED_TEXT(""), &err));
    lsched_job_info info = {.size = 0};
    WRONG(SIZE, "set it to sizeof of the struct", lsched_job_get(c, w->busy, &info, &err));
}

static int32_t returns_7(void *user, const void *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    return 7;
}

static void saving_and_loading(void **state) {
    (void)state;
    lsched_cluster *c = NULL;
    WRONG(STATE, "returned 7: the image is not complete; expected 0",
          lsched_cluster_save(w->cluster, returns_7, NULL, &err));
    WRONG(NULL, "write is NULL", lsched_cluster_save(w->cluster, NULL, NULL, &err));
    WRONG(CORRUPT, "expected at least the 64 bytes",
          lsched_cluster_load(NULL, "rubb", 4, &c, &err));
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    WRONG(INVAL, "expected 0 or 1",
          (o.verify_every_plan = 77, lsched_cluster_create(&o, &c, &err)));
    assert_null(c);
}

static void cycles_and_policies(void **state) {
    (void)state;
    lsched_cluster *c = w->cluster;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = w->now_us;
    WRONG(INVAL, "expected LSCHED_SCHEDULE_*",
          (o.flags = 1u << 9, lsched_schedule(c, &o, &plan, &err)));
    o.flags = 0;
    WRONG(NULL, "plan is NULL", lsched_schedule(c, &o, NULL, &err));
    WRONG(NULL, "options is NULL", lsched_schedule(c, NULL, &plan, &err));
    WRONG(RANGE, "expected microseconds", (o.now_us = -1, lsched_schedule(c, &o, &plan, &err)));
    WRONG(INVAL, "lacks 1 << LSCHED_DECIDE_PLACE",
          (o.now_us = w->now_us, o.decision_kinds = 1u << LSCHED_DECIDE_EVICT,
           lsched_schedule(c, &o, &plan, &err)));
    WRONG(INVAL, "unknown bits",
          (o.decision_kinds = UINT32_MAX, lsched_schedule(c, &o, &plan, &err)));
    lsched_param p = {LSCHED_TEXT("saturation"), {NULL, 0}, NAN};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = &p, opts.n_params = 1;
    const lsched_text none = {NULL, 0}, name = LSCHED_TEXT("guaranteed-quota");
    WRONG(TYPE, "finite number", lsched_policy_load(c, name, none, &opts, &err));
    p = (lsched_param){LSCHED_TEXT("saturatoin"), {NULL, 0}, 1.5};
    WRONG(KEY, "did you mean 'saturation'?", lsched_policy_load(c, name, none, &opts, &err));
    WRONG(NOENT, "did you mean 'guaranteed-quota'?",
          lsched_policy_load(c, LSCHED_TEXT("guaranted-quota"), none, NULL, &err));
}

/* An error record that was not set up does not make a good call fail. */
static void a_record_without_size_is_absent(void **state) {
    (void)state;
    static lsched_error err;
    lsched_cluster *c = NULL;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    assert_int_equal(lsched_jobs_remove(c, &w->gone_job, 1, NULL, NULL, &err), LSCHED_E_STALE);
    assert_int_equal(err.code, 0);
    lsched_cluster_destroy(c);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(pointers_and_sizes),
        TEST(nodes),
        TEST(devices),
        TEST(jobs),
        TEST(queues),
        TEST(decisions),
        TEST(reports),
        TEST(ids),
        TEST(saving_and_loading),
        TEST(cycles_and_policies),
        TEST(a_record_without_size_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
