/*
 * What people are told of the tables `speeds` and `contention` of a policy: lsched_policy_misfits
 * names what nothing in the cluster has, and lsched_explain the kind and the numbers that count
 * where a job is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/told.h"

#define POLICY(text) "policy: {name: p, text: 'return { api = 1, " text " }'}\n"
#define SPEED \
    "speed = { train = { [\"H100-80GB\"] = 3, [\"A100-80G\"] = 1.5 }, serve = { T4 = 1 } }"
#define NODES                                                      \
    "nodes:\n"                                                     \
    "  - {name: a, cpu: 64, gpus: {count: 8, model: A100-80GB}}\n" \
    "  - {name: h, cpu: 64, gpus: {count: 8, model: H100-80GB}}\n" \
    "  - {name: t, cpu: 64, gpus: {count: 2, model: T4}}\n"        \
    "  - {name: c, cpu: 64}\n"
#define QUEUE      "queues: [{name: q}]\n"
#define JOBS(text) QUEUE "jobs:\n" text
#define TRAIN      "  - {name: j, queue: q, tasks: {count: 2, gpu: 8, work_kind: train}}\n"
#define SERVE      "  - {name: s, queue: q, tasks: {gpu: 1, work_kind: serve}}\n"

#define UNKNOWN(kind, near)                                                                      \
    "a job names the kind of work '" kind "', which no table of the policy has (there is '" near \
    "'): its tasks count as those that name no kind\n"

static void misfits(const char *scenario, const char *text) {
    char got[4000];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = told_begin(scenario);
    int64_t n = lsched_policy_misfits(cluster, NULL, 0, &err);
    assert_int_equal(lsched_policy_misfits(cluster, got, sizeof got, &err), n);
    assert_string_equal(got, text);
    assert_int_equal(n, strlen(text));
    lsched_cluster_destroy(cluster);
}

static void line(const char *scenario, const char *job, const char *label, const char *rest) {
    lsched_cluster *cluster = told_begin(scenario);
    told_line(cluster, job, label, rest);
    lsched_cluster_destroy(cluster);
}

/* ---- names that nothing has ---- */

static void a_model_that_no_node_has(void **unused) {
    (void)unused;
    misfits(
        POLICY("speeds = { " SPEED " }") NODES JOBS(TRAIN SERVE),
        "speeds.speed names the model 'A100-80G', which no node has (there is 'A100-80GB'): write "
        "models as the nodes do; a device whose model has no number counts as 1.0\n");
    misfits(POLICY("speeds = { speed = { train = { B = 1, T4 = 2, C = 3, [\"A100-80GB\"] = 1, "
                   "[\"H100-80GB\"] = 2 } } }") NODES JOBS(TRAIN),
            "speeds.speed names the model 'B' and 1 more, which no node has: write models as the "
            "nodes do; a device whose model has no number counts as 1.0\n");
}

static void a_kind_that_no_job_has(void **unused) {
    (void)unused;
    misfits(
        POLICY("contention = { max = 1.2, slowdown = { trian = { trian = 1.5 }, serve = {} } }")
            NODES JOBS(TRAIN),
        "contention.slowdown names the kind of work 'serve' and 1 more, which no job names (there "
        "is 'train'): write kinds as work_kind of the jobs does\n" UNKNOWN("train", "trian"));
    misfits(
        POLICY("speeds = { speed = { training = { T4 = 2 }, serve = { T4 = 2 } } }")
            NODES JOBS(TRAIN SERVE),
        "speeds.speed names the kind of work 'training', which no job names (there is 'train'): "
        "write kinds as work_kind of the jobs does\n" UNKNOWN("train", "training"));
}

static void a_kind_that_no_table_has(void **unused) {
    (void)unused;
    /* one table is enough, and the first of several kinds is told */
    misfits(POLICY("contention = { max = 1.2, slowdown = { train = { train = 1.5 } } }, "
                   "speeds = { speed = { serve = { T4 = 2 } } }") NODES JOBS(TRAIN SERVE),
            "");
    misfits(POLICY("speeds = { speed = { train = { T4 = 2 } } }") NODES JOBS(
                TRAIN SERVE "  - {name: x, queue: q, tasks: {gpu: 1, work_kind: sevre}}\n"
                            "  - {name: y, queue: q, tasks: {gpu: 1, work_kind: rain}}\n"),
            UNKNOWN("rain", "train"));
}

static void what_fits_is_not_told(void **unused) {
    (void)unused;
    misfits(NODES JOBS(TRAIN), "");
    misfits(POLICY("speeds = { speed = { train = { T4 = 2 } } }") NODES JOBS(TRAIN), "");
    /* tasks of the kind `others` name nothing; and a cluster that is still empty has no misfits */
    misfits(POLICY("speeds = { others = \"misc\", speed = { misc = { T4 = 2 }, train = {} } }")
                NODES JOBS(TRAIN),
            "");
    misfits(POLICY("contention = { max = 1.1, slowdown = { x = { x = 2 } } }, speeds = { " SPEED
                   " }") QUEUE,
            "");
}

static void nodes_without_a_price(void **unused) {
    (void)unused;
#define PRICED POLICY("speeds = { prefer = \"price\", speed = { train = { H100 = 3, T4 = 1 } } }")
#define H      "nodes:\n  - {name: h, cpu: 64, price: 24, gpus: {count: 8, model: H100}}\n"
#define T      "  - {name: t, cpu: 64, gpus: {count: 8, model: T4}}\n"
    misfits(
        PRICED H T JOBS(TRAIN),
        "speeds.prefer is 'price', and 1 node with devices has no price, such as 't' with devices "
        "of 'T4', so that it comes before the 1 node with one: state the price of each node\n");
    misfits(
        PRICED H T "  - {name: s, cpu: 1, gpus: 1}\n  - {name: c, cpu: 64}\n" JOBS(TRAIN),
        "speeds.prefer is 'price', and 2 nodes with devices have no price, such as 's' with "
        "devices of 'gpu', so that they come before the 1 node with one: state the price of each node\n");
    misfits(
        POLICY("speeds = { prefer = \"price\", speed = { train = { T4 = 1 } } }") "nodes:\n" T JOBS(
            TRAIN),
        "speeds.prefer is 'price', and no node with devices has a price, so that speeds alone "
        "count: state the prices, or write prefer = \"speed\"\n");
    misfits(POLICY("speeds = { speed = { train = { H100 = 3, T4 = 1 } } }") H T JOBS(TRAIN), "");
#undef PRICED
#undef H
#undef T
}

static void wrong_calls_are_refused(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = told_begin(NODES QUEUE);
    assert_int_equal(lsched_policy_misfits(NULL, NULL, 0, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_policy_misfits(cluster, NULL, 1, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_policy_misfits(cluster, NULL, 0, NULL), 0);
    lsched_cluster_destroy(cluster);
}

/* ---- what counted for a placement ---- */

static void the_kind_and_its_speeds(void **unused) {
    (void)unused;
    line(POLICY("speeds = { " SPEED " }") NODES JOBS(TRAIN), "j", "speeds",
         "work of kind 'train' has 3 on H100-80GB, 1 on models without a number");
    line(POLICY("speeds = { prefer = \"price\", others = \"serve\", " SPEED " }")
             NODES JOBS("  - {name: j, queue: q, tasks: {gpu: 2}}\n"),
         "j", "speeds",
         "work of kind 'serve' (speeds.others) has 1 on T4; the speed for the price of a device "
         "counts");
    line(POLICY("speeds = { " SPEED " }") NODES JOBS("  - {name: j, queue: q, tasks: {gpu: 2}}\n"),
         "j", "speeds", NULL);
    line(POLICY("speeds = { " SPEED " }")
             NODES JOBS("  - {name: j, queue: q, tasks: {gpu: 9, work_kind: train}}\n"),
         "j", "speeds", NULL);
}

static void the_kinds_beside_it(void **unused) {
    (void)unused;
#define SLOW \
    "slowdown = { train = { train = 1.6, serve = 1.1 }, serve = { train = 1.3, serve = 1.05 } }"
#define SHARED "nodes: [{name: n, cpu: 64, gpus: {count: 1, model: T4, sharing: fraction}}]\n"
#define TWO                                                                \
    JOBS("  - {name: s, queue: q, tasks: {gpu: 0.25, work_kind: serve}}\n" \
         "  - {name: t, queue: q, tasks: {gpu: 0.25, work_kind: train}}\n")
    line(POLICY("contention = { avoid = 1.1, " SLOW " }") SHARED TWO, "s", "neighbours",
         "work of kind 'serve' takes 1.3 times as long beside 'train', which takes 1.1");
    line(POLICY("contention = { max = 1.3, " SLOW " }") SHARED JOBS(
             "  - {name: s, queue: q, tasks: {count: 2, gpu: 0.25, work_kind: serve}}\n"),
         "s", "neighbours", "work of kind 'serve' takes 1.05 times as long beside 'serve'");
    line(POLICY("contention = { max = 1.2, " SLOW " }") SHARED TWO, "s", "neighbours",
         "work of kind 'serve' has no work of a kind beside it");
    line(POLICY("contention = { " SLOW " }") SHARED TWO, "s", "neighbours", NULL);
#undef SLOW
#undef SHARED
#undef TWO
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_that_no_node_has), cmocka_unit_test(a_kind_that_no_job_has),
        cmocka_unit_test(a_kind_that_no_table_has), cmocka_unit_test(what_fits_is_not_told),
        cmocka_unit_test(nodes_without_a_price),    cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(the_kind_and_its_speeds),  cmocka_unit_test(the_kinds_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
