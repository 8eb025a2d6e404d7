/*
 * bench_claims.c -- which of 10,000 devices of 20 classes a claim may have: a selector that is new (parsed, checked, compiled, asked once per class), one that
 * is known (a byte per device), and, in the same run, the plain way: the same Lua function called for each device. Then the same through the
 * public door: submitting jobs with new selectors and with a known one.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "engine/state/cluster.h"
#include "lua/selector/lua_selector.h"
#include "model/shapes/device_selector.h"

enum { NODES = 1250, PER_NODE = 8, CLASSES = 20, ROUNDS = 200 };

static const char selector[] =
    "device.memory >= 40 and device.attributes.driver >= 535 and device.mode == 'whole'";

static lsched_cluster *build(void) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount capacity[] = {{LSCHED_CPU, 0, 96000}, {LSCHED_MEMORY, 0, (int64_t)1 << 40}};
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    for (uint32_t i = 0; i < NODES; i++) {
        char name[32], model[16], driver[16];
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
        uint32_t class = i % CLASSES;
        snprintf(name, sizeof name, "node-%u", i);
        snprintf(model, sizeof model, "gpu-%u", class);
        snprintf(driver, sizeof driver, "%u.%u", 515 + class * 2, class);
        const lsched_label attributes[] = {{LSCHED_TEXT("driver"), lsched_cstr(driver)},
                                           {LSCHED_TEXT("ecc"), LSCHED_TEXT("true")},
                                           {LSCHED_TEXT("fabric"), LSCHED_TEXT("nvswitch")},
                                           {LSCHED_TEXT("vendor"), LSCHED_TEXT("nvidia")}};
        gpus.count = PER_NODE;
        gpus.model = lsched_cstr(model);
        gpus.memory_bytes = (int64_t)(16 + 8 * class) << 30;
        gpus.sm_count = 108;
        gpus.attributes = attributes;
        gpus.n_attributes = 4;
        node.name = lsched_cstr(name);
        node.capacity = capacity;
        node.n_capacity = 2;
        node.devices = &gpus;
        node.n_devices = 1;
        bench_check(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err), &err,
                    "nodes_add");
    }
    bench_add_queues(c, 1);
    return c;
}

static void submit(lsched_cluster *c, const char *name, const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_device_request request = LSCHED_DEVICE_REQUEST_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    request.devices = 2;
    request.selector = lsched_cstr(text);
    group.device_requests = &request;
    group.n_device_requests = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("queue-0");
    job.groups = &group;
    job.n_groups = 1;
    bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err, "submit");
}

static struct selector_device class_of(const struct columns *k, uint32_t row,
                                       lsched_label *attributes) {
    struct reader r = reader_of(k, intern_text(k, T_DEVCLASS, row));
    struct selector_device d = {.model = reader_text(&r)};
    d.memory_bytes = reader_i64(&r);
    d.share_mode = reader_u32(&r) & 0xFF;
    d.sm_count = reader_u32(&r);
    reader_u32(&r);
    d.n_attributes = reader_u32(&r);
    d.attributes = attributes;
    for (uint32_t i = 0; i < d.n_attributes; i++) {
        attributes[i].key = reader_text(&r);
        attributes[i].value = reader_text(&r);
    }
    return d;
}

/* Devices whose class has this answer. */
static uint32_t look_up(const struct columns *k, const uint8_t *answers) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < table_rows(k, T_DEVICE); i++)
        n += answers[k->c[C_DEVICE_CLASS].u16[i]] == SELECTOR_TAKES;
    return n;
}

static uint32_t ask_classes(struct selectors *s, const struct columns *k, double *before_lookup) {
    uint8_t answers[CLASSES] = {0};
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(selector_begin(s, (lsched_text){selector, sizeof selector - 1}, NULL, &err), &err,
                "selector");
    for (uint32_t row = 0; row < CLASSES; row++) {
        struct selector_device d = class_of(k, row, attributes);
        bench_check(selector_ask(s, &d, &answers[row], &err), &err, "ask");
    }
    *before_lookup = bench_seconds();
    return look_up(k, answers);
}

static uint32_t ask_devices(struct selectors *s, const struct columns *k) {
    lsched_label attributes[LSCHED_ATTRIBUTES_MAX];
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t n = 0;
    for (uint32_t i = 0; i < table_rows(k, T_DEVICE); i++) {
        uint8_t answer = 0;
        struct selector_device d = class_of(k, k->c[C_DEVICE_CLASS].u16[i], attributes);
        bench_check(selector_ask(s, &d, &answer, &err), &err, "ask");
        n += answer == SELECTOR_TAKES;
    }
    return n;
}

/* As placement does: a look into the state for each device. */
static uint32_t look_at_devices(const struct columns *k, uint32_t shape) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < table_rows(k, T_DEVICE); i++)
        n += (uint32_t)device_selector_takes(k, shape, i);
    return n;
}

/* The best of all rounds: what else runs on the machine is not measured. */
static void keep_best(double *best, double seconds) {
    if (*best == 0 || seconds < *best) *best = seconds;
}

int main(int argc, char **argv) {
    rows_open("claims", argc, argv);
    lsched_cluster *c = build();
    struct columns *k = &c->k;
    struct selectors *s = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    double asked = 0, all = 0, each = 0, known = 0, fresh = 0, again = 0;
    uint32_t a = 0, b = 0, d = 0, shape = 0;
    bench_check(selectors_open(&c->alloc, &s, &err), &err, "open");
    for (int i = 0; i < ROUNDS; i++) {
        double t0 = bench_seconds(), t1;
        a = ask_classes(s, k, &t1);
        keep_best(&all, bench_seconds() - t0);
        keep_best(&asked, t1 - t0);
    }
    for (int i = 0; i < 5; i++) {
        double t0 = bench_seconds();
        b = ask_devices(s, k);
        keep_best(&each, bench_seconds() - t0);
    }
    selectors_close(s);
    for (int i = -1; i < ROUNDS; i++) {
        char name[16], text[128];
        snprintf(name, sizeof name, "job-%d", i);
        snprintf(text, sizeof text, "%s and device.memory >= %d", selector, i < 0 ? 100 : i % 100);
        double t0 = bench_seconds();
        submit(c, name, text);
        if (i >= 0) keep_best(i < 100 ? &fresh : &again, bench_seconds() - t0);
    }
    while (k->c[C_SHAPE_SELECTOR].u32[shape] == NO_ROW) shape++;
    for (int i = 0; i < ROUNDS; i++) {
        double t0 = bench_seconds();
        d = look_at_devices(k, shape);
        keep_best(&known, bench_seconds() - t0);
    }
    rows_note("%u devices of %d classes, a selector of three parts; %u devices may serve",
              table_rows(k, T_DEVICE), CLASSES, a);
    rows_put("new.classes", "us", asked * 1e6, "each device asked by itself", each * 1e6);
    rows_put("new.devices", "us", all * 1e6, "each device asked by itself", each * 1e6);
    rows_put("known.devices", "us", known * 1e6, "each device asked by itself", each * 1e6);
    rows_put("submit.new_selector", "us", fresh * 1e6, "a known selector", again * 1e6);
    lsched_cluster_destroy(c);
    if (a != b || d == 0) {
        fprintf(stderr, "the ways differ: %u and %u devices\n", a, b);
        return 1;
    }
    return 0;
}
