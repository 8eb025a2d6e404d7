/* Claims through the public door: what is refused and leaves nothing behind, what selectors say of classes that come later, and that kept
 * answers are checked when a cluster is loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "model/shapes/device_selector.h"

static lsched_cluster *cluster;
static lsched_error err;

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static int32_t add_node(const char *name, const char *model, const lsched_label *attributes,
                        uint32_t n) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    gpus.count = 4;
    gpus.model = text(model);
    gpus.memory_bytes = (int64_t)40 << 30;
    gpus.attributes = attributes;
    gpus.n_attributes = n;
    node.name = text(name);
    node.devices = &gpus;
    node.n_devices = 1;
    return lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err);
}

static int32_t submit(const char *name, const lsched_device_request *requests, uint32_t n) {
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.device_requests = requests;
    group.n_device_requests = n;
    job.name = text(name);
    job.queue_name = text("q");
    job.groups = &group;
    job.n_groups = 1;
    return lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err);
}

static int32_t submit_selector(const char *name, const char *selector) {
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    r.selector = text(selector);
    return submit(name, &r, 1);
}

static int make_cluster(void **unused) {
    (void)unused;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    err = (lsched_error)LSCHED_ERROR_INIT;
    queue.name = text("q");
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.verify_every_plan = 1;
    return lsched_cluster_create(&opts, &cluster, &err) ||
           lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0;
}

static int drop_cluster(void **unused) {
    (void)unused;
    lsched_cluster_destroy(cluster);
    cluster = NULL;
    return 0;
}

static uint64_t image(void) {
    uint64_t hash = 0;
    assert_int_equal(lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &hash, NULL), LSCHED_OK);
    return hash;
}

/* Tasks that the next cycle places. */
static uint32_t place(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    static int64_t now = 0;
    opts.now_us = now += 1000000;
    if (lsched_schedule(cluster, &opts, &plan, &err) < 0) fail_msg("%s", err.message);
    uint32_t n = (uint32_t)lsched_plan_size(plan);
    lsched_plan_destroy(plan);
    return n;
}

static void expect_refused(int32_t rc, int32_t code, const char *words, uint64_t before) {
    if (rc != code || !strstr(err.message, words))
        fail_msg("%d '%s', not %d '%s'", rc, err.message, code, words);
    assert_int_equal(image(), before);
}

static void test_refused_requests(void **unused) {
    (void)unused;
    static lsched_device_request many[LSCHED_ALTERNATIVES_MAX + 1];
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    lsched_text names[LIMIT_MATCHES_PER_TASK + 1];
    assert_true(add_node("n", "A100", NULL, 0) >= 0);
    uint64_t before = image();
    for (uint32_t i = 0; i <= LSCHED_ALTERNATIVES_MAX; i++)
        many[i] = (lsched_device_request)LSCHED_DEVICE_REQUEST_INIT;
    for (uint32_t i = 0; i <= LIMIT_MATCHES_PER_TASK; i++) names[i] = text("model");
    expect_refused(submit("x", many, LSCHED_ALTERNATIVES_MAX + 1), LSCHED_E_LIMIT,
                   "it has 9 device requests, which is more than the 8 alternatives", before);
    expect_refused(submit("x", NULL, 1), LSCHED_E_NULL, "device_requests is NULL", before);
    r.match = names;
    r.n_match = LIMIT_MATCHES_PER_TASK + 1;
    expect_refused(submit("x", &r, 1), LSCHED_E_LIMIT, "more than 8 of match", before);
    r.match = NULL;
    r.n_match = 1;
    expect_refused(submit("x", &r, 1), LSCHED_E_NULL, "match is NULL", before);
    r.n_match = 0;
    r.isolation = 3;
    expect_refused(submit("x", &r, 1), LSCHED_E_INVAL, "isolation 3; expected 0 to 2", before);
    r.isolation = 0;
    r.share_milli = 1001;
    expect_refused(submit("x", &r, 1), LSCHED_E_RANGE,
                   "the share of a device is 1001 milli-GPU; expected 1 to 1000", before);
    r.share_milli = 500;
    r.mig_profile = text("3g.20gb");
    expect_refused(
        submit("x", &r, 1), LSCHED_E_INVAL,
        "the MIG profile '3g.20gb' defines share, memory and SMs; they must not be given, too",
        before);
}

static void test_requests_beside_amounts(void **unused) {
    (void)unused;
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    const lsched_amount gpu = {LSCHED_GPU, 0, 1000};
    uint64_t before = image();
    group.device_requests = &r;
    group.n_device_requests = 1;
    group.request = &gpu;
    group.n_request = 1;
    job.name = text("x");
    job.queue_name = text("q");
    job.groups = &group;
    job.n_groups = 1;
    expect_refused(
        lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err), LSCHED_E_INVAL,
        "a group with device requests must not also have a gpu amount, devices, device memory or "
        "models",
        before);
}

static void test_refused_selectors(void **unused) {
    (void)unused;
    static const lsched_label attributes[] = {{{"driver", 6}, {"535", 3}}};
    assert_true(add_node("n", "A100", attributes, 1) >= 0);
    uint64_t before = image();
    expect_refused(submit_selector("x", "device.attributes.divrer > 3"), LSCHED_E_KEY,
                   "did you mean 'driver'?", before);
    assert_int_equal(err.line, 1);
    assert_int_equal(err.column, 19);
    expect_refused(submit_selector("x", "device.attributes.driver == 'x' or\n device.memry > 1"),
                   LSCHED_E_KEY, "selector:2:9: device has no field 'memry'", before);
    assert_int_equal(err.line, 2);
    expect_refused(submit_selector("x", "device.attributes.driver > device.model"), LSCHED_E_TYPE,
                   "on a device of model 'A100'", before);
}

/* With nobody to ask any attribute may be meant. */
static void test_no_devices_yet(void **unused) {
    (void)unused;
    static const lsched_label attributes[] = {{{"driver", 6}, {"535", 3}}};
    assert_true(submit_selector("x", "device.attributes.driver >= 535") >= 0);
    assert_int_equal(place(), 0);
    assert_true(add_node("without", "A100", NULL, 0) >= 0);
    assert_int_equal(place(), 0);
    assert_true(add_node("with", "A100", attributes, 1) >= 0);
    assert_int_equal(place(), 1);
}

/* A class on which the selector fails is excluded; the node comes all the same. */
static void test_later_class_of_another_type(void **unused) {
    (void)unused;
    static const lsched_label number[] = {{{"driver", 6}, {"500", 3}}},
                              word[] = {{{"driver", 6}, {"rolling", 7}}};
    static char told[8192];
    assert_true(add_node("old", "T4", number, 1) >= 0);
    assert_true(submit_selector("x", "device.memory > 1 and device.attributes.driver >= 535") >= 0);
    assert_true(add_node("odd", "A100", word, 1) >= 0);
    assert_int_equal(place(), 0);
    lsched_id job = lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("x"));
    assert_true(lsched_explain(cluster, job, told, sizeof told, NULL, &err) >= 0);
    if (!strstr(told, "0 of 8 could serve; 8 excluded by device.attributes.driver >= 535 (on 4 "
                      "its evaluation fails because of a wrong type)"))
        fail_msg("%s", told);
}

static void test_attributes(void **unused) {
    (void)unused;
    static lsched_label many[LSCHED_ATTRIBUTES_MAX + 1];
    static char keys[LSCHED_ATTRIBUTES_MAX + 1][8];
    uint64_t before = image();
    for (uint32_t i = 0; i <= LSCHED_ATTRIBUTES_MAX; i++) {
        keys[i][0] = (char)('a' + i / 26);
        keys[i][1] = (char)('a' + i % 26);
        many[i] = (lsched_label){{keys[i], 2}, {"v", 1}};
    }
    expect_refused(add_node("n", "A100", many, LSCHED_ATTRIBUTES_MAX + 1), LSCHED_E_LIMIT,
                   "a device has 33 attributes; at most 32 are allowed", before);
    many[5].key = many[6].key;
    expect_refused(add_node("n", "A100", many, LSCHED_ATTRIBUTES_MAX), LSCHED_E_INVAL,
                   "is given twice", before);
    many[5].key = text("numa");
    expect_refused(add_node("n", "A100", many, LSCHED_ATTRIBUTES_MAX), LSCHED_E_INVAL,
                   "'numa', because every device has an attribute of this name already", before);
    many[5].key = text("zz");
    assert_true(add_node("n", "A100", many, LSCHED_ATTRIBUTES_MAX) >= 0);
}

struct saved {
    char bytes[1 << 20];
    size_t n;
};

static int32_t keep(void *user, const void *bytes, size_t n) {
    struct saved *s = user;
    if (n > sizeof s->bytes - s->n) return 1;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return 0;
}

static void test_answers_are_checked_at_load(void **unused) {
    (void)unused;
    static struct saved saved;
    lsched_cluster *loaded = NULL;
    assert_true(add_node("n", "A100", NULL, 0) >= 0);
    assert_true(submit_selector("x", "device.memory > 1") >= 0);
    saved.n = 0;
    assert_int_equal(lsched_cluster_save(cluster, keep, &saved, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_load(NULL, saved.bytes, saved.n, &loaded, &err), LSCHED_OK);
    lsched_cluster_destroy(loaded);
    struct columns *k = &cluster->k;
    assert_int_equal(selector_answer(k, 0, k->c[C_DEVICE_CLASS].u16[0]), SELECTOR_TAKES);
    assert_int_equal(device_selector_put_answer(k, 0, k->c[C_DEVICE_CLASS].u16[0], SELECTOR_PART),
                     LSCHED_OK);
    saved.n = 0;
    assert_int_equal(lsched_cluster_save(cluster, keep, &saved, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_load(NULL, saved.bytes, saved.n, &loaded, &err),
                     LSCHED_E_CORRUPT);
    assert_non_null(
        strstr(err.message,
               "the stored result of the selector 'device.memory > 1' differs from its value now"));
}

/* Many classes: the block of answers grows, and every class keeps its own. */
static void test_many_classes(void **unused) {
    (void)unused;
    enum { N = 300 };
    assert_true(
        submit_selector("x", "device.attributes['n'] == 170 or device.attributes['n'] == 7") >= 0);
    for (int i = 0; i < N; i++) {
        char name[16], value[8];
        snprintf(name, sizeof name, "n%d", i);
        snprintf(value, sizeof value, "%d", i);
        const lsched_label a[] = {{{"n", 1}, text(value)}};
        assert_true(add_node(name, "A100", a, 1) >= 0);
    }
    uint32_t takes = 0;
    for (uint32_t d = 0; d < N; d++) takes += selector_answer(&cluster->k, 0, d) == SELECTOR_TAKES;
    assert_int_equal(takes, 2);
    assert_int_equal(place(), 1);
    const lsched_id ids[] = {lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("x"))};
    assert_int_equal(lsched_jobs_remove(cluster, ids, 1, NULL, NULL, &err), 1);
    assert_int_equal(table_live(&cluster->k, T_SELECTOR), 0);
    assert_int_equal(place(), 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_cluster, drop_cluster)
    const struct CMUnitTest tests[] = {TEST(test_refused_requests),
                                       TEST(test_requests_beside_amounts),
                                       TEST(test_refused_selectors),
                                       TEST(test_no_devices_yet),
                                       TEST(test_later_class_of_another_type),
                                       TEST(test_attributes),
                                       TEST(test_answers_are_checked_at_load),
                                       TEST(test_many_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
