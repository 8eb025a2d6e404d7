/*
 * share "quota" through the public calls: what queues have a right to, and that cycles hand out
 * just that while all want more; users of a queue; what is asked of it before and after a cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#define GPU INT64_C(1000)

static lsched_cluster *cluster;
static lsched_plan *plan;
static int64_t created_us;

static void must(int32_t code, const lsched_error *err) {
    if (code < 0) fail_msg("%d %s", code, err->message);
}

static void use_policy(const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    must(lsched_policy_load(cluster, LSCHED_TEXT("test"), lsched_cstr(text), NULL, &err), &err);
}

static int start(void **state) {
    (void)state;
    created_us = 0;
    plan = NULL;
    if (lsched_cluster_create(NULL, &cluster, NULL) < 0) return -1;
    use_policy("return { api = 1, name = 'q', fair_share = 'quota' }");
    return 0;
}

static int end(void **state) {
    (void)state;
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    return 0;
}

static void add_node(const char *name, uint32_t gpus) {
    const lsched_amount capacity = {LSCHED_CPU, 0, 64000};
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    devices.count = gpus;
    devices.model = LSCHED_TEXT("H100");
    node.name = lsched_cstr(name);
    node.capacity = &capacity;
    node.n_capacity = 1;
    node.devices = &devices;
    node.n_devices = 1;
    must(lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err), &err);
}

static void add_queue(const char *name, const char *parent, int64_t quota, int64_t weight,
                      uint32_t flags) {
    const lsched_amount quotas = {LSCHED_GPU, 0, quota * GPU};
    const lsched_amount weights = {LSCHED_ANY_RESOURCE, 0, weight * 1000};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    queue.name = lsched_cstr(name);
    queue.parent_name = lsched_cstr(parent);
    queue.quota = &quotas;
    queue.n_quota = 1;
    queue.weight_milli = &weights;
    queue.n_weight = 1;
    queue.flags = flags;
    queue.created_us = ++created_us;
    must(lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), &err);
}

/* `n` jobs of one GPU and one core; the tag is the last letter of the name. */
static void submit(const char *queue, const char *name, const char *user, int32_t priority,
                   uint32_t n) {
    const lsched_amount request[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_GPU, 0, GPU}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    group.request = request;
    group.n_request = 2;
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.priority = priority;
    job.user = lsched_cstr(user);
    job.tag = (uint64_t)name[strlen(name) - 1];
    for (uint32_t i = 0; i < n; i++) {
        char text[32] = {0};
        strcpy(text, name);
        text[strlen(name)] = (char)('0' + i / 10);
        text[strlen(name) + 1] = (char)('0' + i % 10);
        job.name = lsched_cstr(text);
        must(lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err);
    }
}

static void schedule(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.now_us = 1000000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan_destroy(plan);
    plan = NULL;
    must(lsched_schedule(cluster, &opts, &plan, &err), &err);
}

static lsched_queue_share share_of(const char *queue, uint32_t kind) {
    lsched_queue_share share;
    lsched_error err = LSCHED_ERROR_INIT;
    memset(&share, 0, sizeof share);
    share.size = sizeof share;
    lsched_id id = lsched_find(cluster, LSCHED_KIND_QUEUE, lsched_cstr(queue));
    must(lsched_queue_share_get(cluster, id, kind, &share, &err), &err);
    return share;
}

static void assert_right(const char *queue, int64_t used, int64_t guarantee, int64_t fair_share) {
    lsched_queue_share share = share_of(queue, LSCHED_GPU);
    assert_int_equal(share.used, used * GPU);
    assert_int_equal(share.guarantee, guarantee * GPU);
    assert_int_equal(share.fair_share, fair_share * GPU);
}

static void assert_order(const char *letters) {
    char found[64] = "";
    size_t n = lsched_plan_size(plan);
    assert_true(n < sizeof found);
    for (size_t i = 0; i < n; i++) found[i] = (char)lsched_plan_at(plan, i)->job_tag;
    assert_string_equal(found, letters);
}

/* Fair shares are 3 and 5. Within the guarantees of 2: 1/5 before 1/3 before 2/5 before 2/3; then
 * 3/5, 4/5, and 3/3 before 5/5 as a is older. */
static void test_cycles_hand_out_fair_shares(void **state) {
    (void)state;
    add_node("n", 8);
    add_queue("a", NULL, 2, 1, 0);
    add_queue("b", NULL, 2, 3, 0);
    submit("a", "a", NULL, 0, 20);
    submit("b", "b", NULL, 0, 20);
    schedule();
    assert_order("bababbab");
    assert_right("a", 3, 2, 3);
    assert_right("b", 5, 2, 5);
    lsched_queue_share cores = share_of("a", LSCHED_CPU); /* nobody has a quota of cores */
    assert_int_equal(cores.guarantee, LSCHED_UNLIMITED);
    assert_int_equal(cores.fair_share, 20000);
}

/* A cap it is not: idle GPUs go to a queue without quota and weight. */
static void test_idle_devices_go_to_anyone(void **state) {
    (void)state;
    add_node("n", 8);
    add_queue("a", NULL, 4, 1, 0);
    add_queue("z", NULL, 0, 0, 0);
    submit("z", "z", NULL, 9, 20);
    submit("a", "a", NULL, 0, 3);
    schedule();
    assert_order("aaazzzzz");
    assert_right("z", 5, 0, 0);
    assert_right("a", 3, 4, 3);
}

static void test_tree_and_over_subscription(void **state) {
    (void)state;
    add_node("n", 8);
    add_queue("a", NULL, 4, 1, 0);
    add_queue("a1", "a", 4, 1, 0);
    add_queue("a2", "a", 4, 1, 0); /* 8 promised of 4 */
    add_queue("b", NULL, 4, 1, 0);
    submit("a1", "x", NULL, 0, 9);
    submit("b", "b", NULL, 0, 9);
    schedule();
    assert_right("a", 4, 4, 4);
    assert_right("a1", 4, 2, 4);
    assert_right("a2", 0, 2, 0);
    assert_right("b", 4, 4, 4);
    assert_int_equal(share_of("a1", LSCHED_GPU).quota, 4 * GPU);
}

/* Between users of a queue: priority first, then who uses less. */
static void test_users(void **state) {
    (void)state;
    add_node("n", 6);
    add_queue("team", NULL, 6, 1, LSCHED_QUEUE_PER_USER);
    submit("team", "ann-a", "ann", 0, 5);
    submit("team", "bob-b", "bob", 0, 5);
    submit("team", "eve-e", "eve", 0, 1);
    submit("team", "ann-A", "ann", 7, 2);
    schedule();
    size_t n = lsched_plan_size(plan);
    char found[16] = "";
    for (size_t i = 0; i < n; i++) found[i] = (char)lsched_plan_at(plan, i)->job_tag;
    assert_int_equal(n, 6);
    assert_memory_equal(found, "AA", 2); /* urgent, whoever asks */
    assert_int_equal(share_of("team/ann", LSCHED_GPU).used + share_of("team/bob", LSCHED_GPU).used +
                         share_of("team/eve", LSCHED_GPU).used,
                     6 * GPU);
    assert_int_equal(share_of("team/eve", LSCHED_GPU).used, 1 * GPU);
    assert_in_range(share_of("team/bob", LSCHED_GPU).used, 2 * GPU, 3 * GPU);
}

int main(void) {
#define IN_CLUSTER(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        IN_CLUSTER(test_cycles_hand_out_fair_shares),
        IN_CLUSTER(test_idle_devices_go_to_anyone),
        IN_CLUSTER(test_tree_and_over_subscription),
        IN_CLUSTER(test_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
