/* Pools and parts of kinds, through the public calls: what is refused and changes nothing, the
 * bounds, that a part made late counts what runs, and that equal clusters mean the same whatever
 * came first. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#define START INT64_C(1700000000000000)

static lsched_cluster *cluster;

static lsched_text text_of(const char *s) {
    return (lsched_text){s, s ? strlen(s) : 0};
}

static int setup(void **unused) {
    (void)unused;
    return lsched_cluster_create(NULL, &cluster, NULL) < 0;
}

static int teardown(void **unused) {
    (void)unused;
    lsched_cluster_destroy(cluster);
    return 0;
}

static int32_t add_pool(const char *name, const char *value, lsched_error *err) {
    lsched_label label = {text_of("tier"), text_of(value)};
    lsched_pool_desc pool = LSCHED_POOL_DESC_INIT;
    pool.name = text_of(name);
    pool.labels = &label;
    pool.n_labels = 1;
    return lsched_pools_add(cluster, &pool, 1, sizeof pool, NULL, NULL, err);
}

static int32_t add_part(uint32_t kind, const char *name, const char *model, const char *pool,
                        lsched_error *err) {
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.kind = kind;
    part.name = text_of(name);
    part.model = text_of(model);
    part.pool = text_of(pool);
    return lsched_resource_add_part(cluster, &part, err);
}

static void add_node(const char *name, const char *tier) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount capacity = {LSCHED_CPU, 0, 64000};
    lsched_label label = {text_of("tier"), text_of(tier)};
    lsched_device_desc devices = {.size = sizeof devices, .count = 4, .model = text_of("H100")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = text_of(name);
    node.capacity = &capacity;
    node.n_capacity = 1;
    node.labels = &label;
    node.n_labels = 1;
    node.devices = &devices;
    node.n_devices = 1;
    assert_int_equal(lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err), 1);
}

static lsched_id add_queue(const char *name) {
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    lsched_id id;
    d.name = text_of(name);
    assert_int_equal(lsched_queues_add(cluster, &d, 1, sizeof d, NULL, &id, NULL, NULL), 1);
    return id;
}

static int64_t now_us = START;

/* One task of two GPUs and four cores, placed where there is room. */
static void run_job(const char *name, const char *queue) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request[] = {{LSCHED_GPU, 0, 2000}, {LSCHED_CPU, 0, 4000}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    group.max_count = group.min_count = 1;
    group.request = request;
    group.n_request = 2;
    job.name = text_of(name);
    job.queue_name = text_of(queue);
    job.groups = &group;
    job.n_groups = 1;
    assert_int_equal(lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err), 1);
    opts.now_us = now_us += 1000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(cluster, &opts, &plan, &err), 0);
    lsched_plan_destroy(plan);
}

static int64_t used(lsched_id queue, int32_t kind) {
    int64_t amount = -1;
    assert_int_equal(lsched_queue_amount(cluster, queue, (uint32_t)kind, &amount, NULL, NULL, NULL),
                     0);
    return amount;
}

static uint64_t hash(void) {
    uint64_t h = 0;
    assert_int_equal(lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &h, NULL), 0);
    return h;
}

static void what_is_refused_changes_nothing(void **unused) {
    static const struct {
        uint32_t kind;
        const char *name, *model, *pool, *says;
        int32_t code;
    } bad[] = {
        {0, "x", NULL, "none", "no pool is called 'none'", LSCHED_E_NOENT},
        {0, "x", NULL, NULL, "resource 'x' says no part: expected a model, a MIG profile or a pool",
         LSCHED_E_INVAL},
        {LSCHED_CPU, "x", "H100", NULL,
         "resource 'x': only gpu has parts by model and by MIG profile; for other resources, "
         "name only a pool",
         LSCHED_E_INVAL},
        {LSCHED_CPU, "x", "H100", "spot",
         "resource 'x': only gpu has parts by model and by MIG profile; for other resources, "
         "name only a pool",
         LSCHED_E_INVAL},
        {9, "x", NULL, "spot", "kind 9 is unknown", LSCHED_E_KEY},
        {0, "gpu", NULL, "spot",
         "resource 'gpu' exists already, with another meaning than pool 'spot'", LSCHED_E_EXISTS},
        {0, "gpu:spot", "H100", "spot", "than model 'H100', pool 'spot'", LSCHED_E_EXISTS},
        {LSCHED_CPU, "gpu:spot", NULL, "spot",
         "resource 'gpu:spot' exists already, with another meaning than", LSCHED_E_EXISTS},
        {0, NULL, NULL, "spot", "name", LSCHED_E_INVAL},
    };
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(add_pool("spot", "spot", &err), 1);
    int32_t kind = add_part(0, "gpu:spot", NULL, "spot", &err);
    assert_true(kind >= LSCHED_RESOURCE_KINDS_MAX);
    uint64_t before = hash();
    assert_int_equal(add_part(LSCHED_GPU, "gpu:spot", NULL, "spot", &err), kind); /* the same */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(add_part(bad[i].kind, bad[i].name, bad[i].model, bad[i].pool, &err),
                         bad[i].code);
        if (!strstr(err.message, bad[i].says)) print_message("%s\n", err.message);
        assert_non_null(strstr(err.message, bad[i].says));
    }
    assert_int_equal(add_pool("spot", "other", &err), LSCHED_E_EXISTS);
    lsched_pool_desc pool = LSCHED_POOL_DESC_INIT;
    pool.name = text_of("all");
    assert_int_equal(lsched_pools_add(cluster, &pool, 1, sizeof pool, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    assert_non_null(
        strstr(err.message,
               "pool 'all': it has no labels; expected at least one label, by which its nodes are "
               "found"));
    lsched_label twice[] = {{text_of("a"), text_of("1")}, {text_of("a"), text_of("2")}};
    pool.labels = twice;
    pool.n_labels = 2;
    assert_int_equal(lsched_pools_add(cluster, &pool, 1, sizeof pool, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "pool 'all': label 'a' is given twice"));
    assert_true(hash() == before);
}

static void there_are_so_many_pools_and_no_more(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    char name[16];
    lsched_id queue = add_queue("q");
    add_node("n", "63");
    for (int i = 0; i < LSCHED_POOLS_MAX; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(add_pool(name, name, &err), 1);
    }
    uint64_t before = hash();
    assert_int_equal(add_pool("more", "more", &err), LSCHED_E_LIMIT);
    assert_non_null(strstr(err.message, "the cluster already has 64 pools, which is the maximum"));
    assert_true(hash() == before);
    int32_t last = add_part(0, "last", NULL, "63", &err),
            first = add_part(0, "0th", NULL, "0", &err);
    run_job("j", "q");
    assert_int_equal(used(queue, last), 2000);
    assert_int_equal(used(queue, first), 0);
}

static void a_part_that_comes_late_counts_what_runs(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id queue = add_queue("q");
    add_node("n", "spot");
    run_job("a", "q");
    assert_int_equal(add_pool("spot", "spot", &err), 1);
    assert_int_equal(add_pool("firm", "firm", &err), 1);
    int32_t gpu = add_part(0, "gpu:spot", NULL, "spot", &err),
            cpu = add_part(LSCHED_CPU, "cpu:spot", NULL, "spot", &err),
            both = add_part(0, "H100:spot", "H100", "spot", &err),
            other = add_part(0, "A100:spot", "A100", "spot", &err),
            firm = add_part(0, "gpu:firm", NULL, "firm", &err);
    assert_int_equal(used(queue, gpu), 2000);
    assert_int_equal(used(queue, cpu), 4000);
    assert_int_equal(used(queue, both), 2000);
    assert_int_equal(used(queue, other), 0);
    assert_int_equal(used(queue, firm), 0);
    run_job("b", "q");
    assert_int_equal(used(queue, gpu), 4000);
    assert_int_equal(used(queue, cpu), 8000);
    assert_int_equal(lsched_verify(cluster, NULL, &err), 0);
}

/* Pools before nodes or after them, in whatever order: the meaning is the same. */
static void what_came_first_does_not_matter(void **unused) {
    uint64_t meaning[2];
    (void)unused;
    for (int late = 0; late < 2; late++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_cluster *was = cluster;
        now_us = START;
        assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), 0);
        if (late) add_node("n", "spot");
        assert_int_equal(add_pool(late ? "firm" : "spot", late ? "firm" : "spot", &err), 1);
        assert_int_equal(add_pool(late ? "spot" : "firm", late ? "spot" : "firm", &err), 1);
        assert_true(add_part(0, "gpu:spot", NULL, "spot", &err) > 0);
        if (!late) add_node("n", "spot");
        add_queue("q");
        run_job("j", "q");
        assert_int_equal(lsched_cluster_hash(cluster, LSCHED_HASH_MEANING, &meaning[late], NULL),
                         0);
        lsched_cluster_destroy(cluster);
        cluster = was;
    }
    assert_true(meaning[0] == meaning[1]);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_refused_changes_nothing),
        TEST(there_are_so_many_pools_and_no_more),
        TEST(a_part_that_comes_late_counts_what_runs),
        TEST(what_came_first_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
