/* test_wrong_uses_more.c -- wrong uses that need several calls, several elements or a second cluster:
 * each is refused with the code of its kind of mistake, the message has the words of the cure, and the
 * cluster is as before. The single calls are in test_wrong_uses.c. */
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

/* `use` names the wrong use in the list of those that an engineer tried on the first version. */
#define WRONG(use, code, cure, call)             \
    do {                                         \
        print_message("           %s\n", use);   \
        REFUSED(w, LSCHED_E_##code, cure, call); \
    } while (0)

static int32_t add_job(const lsched_job_desc *d, size_t n, int32_t *status, lsched_error *err) {
    return lsched_jobs_submit(w->cluster, d, n, sizeof *d, NULL, NULL, status, err);
}

static int32_t settle(const lsched_settlement *s, size_t n, lsched_error *err) {
    return lsched_settle(w->cluster, s, n, sizeof *s, NULL, NULL, NULL, err);
}

static void descriptions(void **state) {
    (void)state;
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("j", &g, 1), twins[2];
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    WRONG("a level that no topology has", KEY, "topology 'site' has no level 'rakc'",
          (g.required_level = LSCHED_TEXT("rakc"), add_job(&j, 1, NULL, &err)));
    g.required_level = lsched_cstr(NULL);
    r.selector = LSCHED_TEXT("device.memroy > 3");
    g.n_request = 0, g.device_requests = &r, g.n_device_requests = 1;
    WRONG("a selector with a typo", KEY, "did you mean 'memory'?", add_job(&j, 1, NULL, &err));
    g.n_device_requests = 0;
    WRONG("a name of 299 bytes", INVAL, "expected at most 255",
          (j.name = (lsched_text){long_name, 299}, add_job(&j, 1, NULL, &err)));
    j.name = LSCHED_TEXT("same");
    g = api_group(1);
    twins[0] = twins[1] = j;
    int32_t status[2];
    WRONG("two jobs of one name in a batch", EXISTS, "same", add_job(twins, 2, status, &err));
    assert_int_equal(status[1], LSCHED_E_EXISTS);
    WRONG("job_desc.reserved_zero = 5", INVAL, "was the struct set to zero?",
          (j.reserved_zero = 5, add_job(&j, 1, NULL, &err)));
    j.reserved_zero = 0;
    lsched_node_desc d = api_node("x");
    lsched_device_desc many = LSCHED_DEVICE_DESC_INIT;
    many.model = LSCHED_TEXT("H100-80GB"), d.devices = &many, d.n_devices = 1;
    WRONG("129 devices", LIMIT, "more than 128 devices",
          (many.count = LSCHED_DEVICES_PER_NODE_MAX + 1,
           lsched_nodes_add(w->cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err)));
}

static void updates_and_options(void **state) {
    (void)state;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    lsched_cluster *other = NULL;
    u.name = LSCHED_TEXT("n1"), u.set = 1u << 30;
    WRONG("node_update.set with an unknown bit", INVAL, "expected LSCHED_NODE_SET_*",
          lsched_nodes_update(w->cluster, &u, 1, sizeof u, NULL, NULL, &err));
    u.set = LSCHED_NODE_SET_STATE, u.reserved_zero = 9;
    WRONG("node_update.reserved_zero = 9", INVAL, "was the struct set to zero?",
          lsched_nodes_update(w->cluster, &u, 1, sizeof u, NULL, NULL, &err));
    e.job = w->busy, e.event = LSCHED_EVENT_ENDED, e.reserved_zero = 9;
    WRONG("task_event.reserved_zero = 9", INVAL, "was the struct set to zero?",
          lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, &err));
    WRONG("cluster_opts.reserved_zero = 3", INVAL, "was the struct set to zero?",
          (o.reserved_zero = 3, lsched_cluster_create(&o, &other, &err)));
    WRONG("clone into itself", INVAL, "pass a pointer to NULL for a new clone",
          lsched_cluster_clone(w->cluster, &w->cluster, &err));
}

static void several_elements(void **state) {
    (void)state;
    lsched_settlement s[2] = {
        {.size = sizeof s[0], .outcome = LSCHED_OUTCOME_CONFIRMED, .decision = w->proposed}};
    s[1] = s[0];
    WRONG("one decision twice in a batch", STATE, "name it once", settle(s, 2, &err));
    lsched_group_desc g = api_group(2);
    lsched_job_desc j = api_job("pair", &g, 1);
    lsched_id job, found[2] = {0, 0};
    assert_int_equal(lsched_jobs_submit(w->cluster, &j, 1, sizeof j, NULL, &job, NULL, NULL), 1);
    assert_int_equal(api_cycle(w->cluster, w->now_us + 1000000, NULL), LSCHED_OK);
    lsched_decision d = {.size = sizeof d};
    int n = 0;
    for (uint64_t at = 0; lsched_decisions_next(w->cluster, &at, &d, NULL) == 1;)
        if (d.job == job && n < 2) found[n++] = d.id;
    assert_int_equal(n, 2);
    s[0].decision = found[0], s[0].outcome = LSCHED_OUTCOME_REJECTED, s[1].decision = found[1];
    WRONG("reject one and confirm another member of a gang", STATE,
          "report REJECTED for this decision, too", settle(s, 2, &err));
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_STARTED, e.job = w->open;
    assert_int_equal(lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, NULL), 1);
    s[1].decision = w->proposed;
    WRONG("settle after STARTED", STALE, "it was carried out", settle(&s[1], 1, &err));
}

static void another_cluster(void **state) {
    (void)state;
    struct api_world other;
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    o.id_salt = 7;
    assert_int_equal(api_world_make(&other, &o), 0);
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("j", &g, 1);
    j.queue_name = lsched_cstr(NULL), j.queue = other.research;
    WRONG("the queue id of another cluster", STALE, "no longer exists", add_job(&j, 1, NULL, &err));
    lsched_settlement s = {
        .size = sizeof s, .outcome = LSCHED_OUTCOME_CONFIRMED, .decision = other.proposed};
    WRONG("the decision of another cluster", STALE, "no longer exists", settle(&s, 1, &err));
    lsched_schedule_opts so = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    j.queue = 0, j.queue_name = LSCHED_TEXT("research");
    assert_int_equal(lsched_jobs_submit(other.cluster, &j, 1, sizeof j, NULL, NULL, NULL, NULL), 1);
    so.now_us = other.now_us + 1000000;
    assert_int_equal(lsched_schedule(other.cluster, &so, &plan, NULL), LSCHED_OK);
    WRONG("verify with a plan of another cluster", VERIFY, "verify a plan right after its cycle",
          lsched_verify(w->cluster, plan, &err));
    assert_true(lsched_plan_size(plan) > 0);
    assert_null(lsched_plan_at(plan, 99));
    lsched_plan_destroy(plan);
    api_world_drop(&other);
}

static int32_t removes(void *user, const void *bytes, size_t n) {
    (void)bytes, (void)n;
    return lsched_jobs_remove(w->cluster, user, 1, NULL, NULL, NULL) == LSCHED_E_BUSY ? 7 : 0;
}

static void callbacks_times_and_loads(void **state) {
    (void)state;
    lsched_cluster *c = NULL;
    WRONG("the callback of a save calls the cluster", STATE, "returned 7",
          lsched_cluster_save(w->cluster, removes, &w->busy, &err));
    WRONG("load of no bytes", NULL, "bytes is NULL", lsched_cluster_load(NULL, NULL, 0, &c, &err));
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    WRONG("a cycle before the latest one", TIME, "lsched_clock_set sets it back",
          (o.now_us = w->now_us - 1, lsched_schedule(w->cluster, &o, &plan, &err)));
    WRONG("a policy with a syntax error", SYNTAX, "mine:1:17: '}' expected",
          lsched_policy_load(w->cluster, LSCHED_TEXT("mine"), LSCHED_TEXT("return { api = 1"), NULL,
                             &err));
    WRONG("a hook that names no field", KEY, "did you mean 'waiting'?",
          lsched_policy_load(w->cluster, LSCHED_TEXT("mine"),
                             LSCHED_TEXT("return { api = 1, name = 'x', priority = function(job) "
                                         "return job.wating end }"),
                             NULL, &err));
    lsched_job_info info = {.size = 0};
    WRONG("job_get with size 0", SIZE, "set it to sizeof of the struct",
          lsched_job_get(w->cluster, w->busy, &info, &err));
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = w->later, m.node_name = LSCHED_TEXT("n1"), m.device_mask = 3;
    WRONG("import of two devices for a task of one", RANGE, "names 2 devices (0-1); the task has 1",
          lsched_tasks_import(w->cluster, &m, 1, sizeof m, NULL, NULL, &err));
    assert_null(lsched_resource_name(w->cluster, 77));
}

static void kinds(void **state) {
    (void)state;
    char name[8];
    int32_t code = 1;
    for (int i = 0; code > 0 && i < 12; i++) {
        snprintf(name, sizeof name, "k%d", i);
        code = lsched_resource_add(w->cluster, lsched_cstr(name), NULL);
        assert_true(code > 0);
    }
    assert_int_equal(lsched_resource_add(w->cluster, LSCHED_TEXT("cpu"), NULL), LSCHED_CPU);
    WRONG("one resource kind too many", LIMIT, "at most 16 resource kinds",
          lsched_resource_add(w->cluster, LSCHED_TEXT("more"), &err));
}

/* A cluster without topologies, and without jobs and nodes. */
static void no_topology(void **state) {
    (void)state;
    struct api_world empty = {0}, *kept = w;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("j", &g, 1);
    lsched_slice slice = {LSCHED_TEXT(""), 2, 0};
    lsched_topology_desc t[2] = {LSCHED_TOPOLOGY_DESC_INIT, LSCHED_TOPOLOGY_DESC_INIT};
    lsched_text levels[2] = {LSCHED_TEXT("zone"), LSCHED_TEXT("rack")};
    assert_int_equal(lsched_cluster_create(NULL, &empty.cluster, NULL), LSCHED_OK);
    q.name = LSCHED_TEXT("research");
    assert_int_equal(lsched_queues_add(empty.cluster, &q, 1, sizeof q, NULL, NULL, NULL, NULL), 1);
    w = &empty;
    j.queue = 0, j.queue_name = LSCHED_TEXT("research");
    g.required_level = LSCHED_TEXT("rack");
    WRONG("a required level without a topology", KEY, "add one with lsched_topologies_add",
          add_job(&j, 1, NULL, &err));
    t[0].name = LSCHED_TEXT("site"), t[1].name = LSCHED_TEXT("network");
    for (int i = 0; i < 2; i++) t[i].levels = levels, t[i].n_levels = 2;
    assert_int_equal(lsched_topologies_add(w->cluster, t, 2, sizeof t[0], NULL, NULL, NULL, NULL),
                     2);
    WRONG("a level of one of two topologies", KEY, "name the topology, too: site, network",
          add_job(&j, 1, NULL, &err));
    g.topology = LSCHED_TEXT("sites");
    WRONG("a topology with a typo", KEY, "did you mean 'site'?", add_job(&j, 1, NULL, &err));
    g.topology = LSCHED_TEXT("power");
    WRONG("a topology that does not exist", KEY, "expected site, network",
          add_job(&j, 1, NULL, &err));
    g.topology = LSCHED_TEXT("site"), g.required_level = LSCHED_TEXT("datacentre");
    WRONG("a level that does not exist", KEY, "its levels are zone, rack",
          add_job(&j, 1, NULL, &err));
    g.required_level = lsched_cstr(NULL), g.slices = &slice, g.n_slices = 1;
    WRONG("a slice without a level", KEY, "set its `level` to a level of the topology",
          add_job(&j, 1, NULL, &err));
    lsched_cluster_destroy(empty.cluster);
    w = kept;
}

/* What a program asks for before it was added, or after it is gone. */
static void unknown(void **state) {
    (void)state;
    lsched_cluster *c = w->cluster;
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("early", &g, 1);
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    lsched_offer offer = LSCHED_OFFER_INIT;
    int64_t amount;
    j.queue_name = LSCHED_TEXT("later"), j.queue = 0;
    WRONG("a job before its queue", NOENT, "no queue is called 'later'; add it first",
          add_job(&j, 1, NULL, &err));
    task.job_name = LSCHED_TEXT("ended"), task.node_name = LSCHED_TEXT("n1");
    WRONG("a task of a job that is gone", NOENT, "it was never submitted, or it is gone",
          lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err));
    WRONG("a resource kind by a wrong name", NOENT, "there are cpu, memory, gpu",
          lsched_resource_find(c, LSCHED_TEXT("gpus"), &err));
    WRONG("a resource kind by a wrong number", KEY, "expected 1 to",
          lsched_node_amount(c, w->nodes[0], 99, &amount, NULL, &err));
    WRONG("an offer that nobody filled in", INVAL, "as in an offer that was found",
          lsched_offer_apply(c, &offer, &err));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(descriptions),
        TEST(updates_and_options),
        TEST(several_elements),
        TEST(another_cluster),
        TEST(callbacks_times_and_loads),
        TEST(kinds),
        TEST(no_topology),
        TEST(unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
