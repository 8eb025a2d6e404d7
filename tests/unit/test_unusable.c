/*
 * lsched_queue_warnings: guarantees that jobs of whole GPUs can never use, in words; and where
 * nothing is said. tests/property/test_unusable_random.c checks the numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "support/told.h"

#define QUOTA "policy: guaranteed-quota\n"
/* 8 GPUs that are whole, on two nodes, and 8 that are cut */
#define MIXED                                                                    \
    "nodes:\n"                                                                   \
    "  - {name: a, cpu: 64, gpus: {count: 4, model: H100-80GB, memory: 80Gi}}\n" \
    "  - {name: b, cpu: 64, gpus: {count: 4, model: H100-80GB, memory: 80Gi}}\n" \
    "  - {name: m, cpu: 64, gpus: {count: 8, model: H100-80GB, memory: 80Gi, sharing: mig}}\n"

static void says(const char *scenario, const char *text) {
    char got[4000];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = told_begin(scenario);
    int64_t n = lsched_queue_warnings(cluster, NULL, 0, &err);
    if (n < 0) fail_msg("%d %s", (int)n, err.message);
    assert_int_equal(lsched_queue_warnings(cluster, got, sizeof got, &err), n);
    assert_string_equal(got, text);
    assert_int_equal(n, strlen(text));
    lsched_cluster_destroy(cluster);
}

static void a_queue_whose_gangs_need_whole_gpus(void **state) {
    (void)state;
    says(
        QUOTA MIXED "queues: [{name: q, quota: {gpu: 12}}]\n"
                    "jobs: [{name: j, queue: q, tasks: {count: 2, gpu: 2}}]\n",
        "queue q is guaranteed 12 GPUs and can use at most 8: its jobs take whole GPUs, 2 or more on one node, "
        "4 or more at once, and 8 of the 16 GPUs are whole and of a model that they take (at most 4 on one "
        "node: a); lower the guarantee to 8 GPUs, or provide 4 more whole GPUs of such a model on nodes of "
        "2 or more\n");
    says(
        QUOTA MIXED "queues: [{name: q, quota: {gpu: 8}}]\n"
                    "jobs: [{name: j, queue: q, tasks: {gpu: 8}}]\n",
        "queue q is guaranteed 8 GPUs and can use at most 0: its jobs take whole GPUs, 8 or more on one node, "
        "and 8 of the 16 GPUs are whole and of a model that they take (at most 4 on one node: a); lower the "
        "guarantee to 0 GPUs, or provide 8 more whole GPUs of such a model on nodes of 8 or more\n");
}

static void a_model_that_there_is_too_little_of(void **state) {
    (void)state;
    says(
        QUOTA "nodes:\n"
              "  - {name: a, cpu: 64, gpus: {count: 2, model: A100-40GB}}\n"
              "  - {name: h, cpu: 64, gpus: {count: 8, model: H100-80GB}}\n"
              "queues: [{name: q, quota: {gpu: 3}}]\n"
              "jobs: [{name: j, queue: q, tasks: {gpu: 1, models: A100-40GB}}]\n",
        "queue q is guaranteed 3 GPUs and can use at most 2: its jobs take whole GPUs, and 2 of the 10 GPUs "
        "are whole and of a model that they take (at most 2 on one node: a); lower the guarantee to 2 GPUs, "
        "or provide 1 more whole GPU of such a model\n");
}

/* Slices use what whole tasks cannot; a guarantee of all GPUs there are, and more, is as it should
 * be. */
static void nothing_is_said_of_what_can_be_used(void **state) {
    (void)state;
    says(
        QUOTA MIXED
        "queues: [{name: q, quota: {gpu: 12}}]\n"
        "jobs: [{name: j, queue: q, tasks: {gpu: 4}}, {name: s, queue: q, tasks: {count: 32, mig: 1g.10gb}}]\n",
        "");
    says(QUOTA MIXED "queues: [{name: q, quota: {gpu: 16}}]\n"
                     "jobs: [{name: s, queue: q, tasks: {mig: 1g.10gb}}]\n",
         "");
    says(QUOTA
         "nodes: [{name: a, cpu: 64, gpus: {count: 8, model: H100-80GB}}]\n"
         "queues: [{name: q, quota: {gpu: 100}}, {name: r, quota: {gpu: 8}}]\n"
         "jobs: [{name: j, queue: q, tasks: {gpu: 8}}, {name: k, queue: r, tasks: {gpu: 8}}]\n",
         "");
    says("policy: drf\n" MIXED "queues: [{name: q, quota: {gpu: 12}}]\n"
         "jobs: [{name: j, queue: q, tasks: {count: 2, gpu: 4}}]\n",
         "");
    says(QUOTA MIXED "queues: [{name: q, quota: {gpu: 12}}]\n", "");
}

/* Once, at the queue where it begins. */
static void a_tree_says_it_once(void **state) {
    (void)state;
    static const char leaf[] =
        "queue x is guaranteed 3 GPUs, and its jobs can start on 2 of them: they take whole GPUs, 2 or more on one "
        "node; a start beyond that waits for the queue's fair share; smaller jobs could start on the rest\n";
    says(QUOTA MIXED
         "queues: [{name: root, quota: {gpu: 3}}, {name: x, parent: root, quota: {gpu: 3}}]\n"
         "jobs: [{name: j, queue: x, tasks: {gpu: 2}}]\n",
         leaf);
}

static void queues_that_cannot_all_have_theirs(void **state) {
    (void)state;
    says(
        QUOTA MIXED
        "queues: [{name: p, quota: {gpu: 8}}, {name: q, quota: {gpu: 4}}, {name: s, quota: {gpu: 4}}]\n"
        "jobs:\n"
        "  - {name: j, queue: p, tasks: {count: 2, gpu: 4}}\n"
        "  - {name: k, queue: q, tasks: {gpu: 4}}\n"
        "  - {name: l, queue: s, tasks: {mig: 1g.10gb}}\n",
        "2 queues whose jobs take whole GPUs are guaranteed 12 GPUs together and can use at most 8 at the "
        "same time: 8 of the 16 GPUs are whole and of a model that they take (at most 4 on one node: a); "
        "lower their guarantees, or provide 4 GPUs more that are whole\n");
}

#define WHOLE "nodes: [{name: \"n[0-2]\", cpu: 64, gpus: 8}]\n"
#define STARTS_8(quota)                                                  \
    "queue q is guaranteed " quota                                       \
    " GPUs, and its jobs can start on 8 of them: they take whole GPUs, " \
    "8 or more on one node; a start beyond that waits for the queue's fair share; "

/* The fair share depends on the guarantee, so it is not to be lowered; raised only where that is
 * guaranteed. */
static void beyond_the_guarantee_there_is_the_fair_share(void **state) {
    (void)state;
    says(QUOTA WHOLE "queues: [{name: q, quota: {gpu: 12}}, {name: r, quota: {gpu: 4}}]\n"
                     "jobs: [{name: \"j-[0-2]\", queue: q, tasks: {gpu: 8}}]\n",
         STARTS_8("12") "raise the guarantee to 16 GPUs\n");
    says(QUOTA WHOLE "queues: [{name: q, quota: {gpu: 12}}, {name: r, quota: {gpu: 12}}]\n"
                     "jobs: [{name: \"j-[0-2]\", queue: q, tasks: {gpu: 8}}]\n",
         STARTS_8("12") "smaller jobs could start on the rest\n");
    says(QUOTA WHOLE
         "queues: [{name: p, quota: {gpu: 12}, children: [{name: q, quota: {gpu: 12}}]}]\n"
         "jobs: [{name: \"j-[0-2]\", queue: q, tasks: {gpu: 8}}]\n",
         STARTS_8("12") "smaller jobs could start on the rest\n");
    says(
        QUOTA WHOLE "queues: [{name: q, quota: {gpu: 12}, limit: {gpu: 12}}]\n"
                    "jobs: [{name: \"j-[0-2]\", queue: q, tasks: {gpu: 8}}]\n",
        "queue q is guaranteed 12 GPUs and can use at most 8: its jobs take whole GPUs, 8 or more on one node, "
        "and its limit is 12 GPUs; lower the guarantee to 8 GPUs\n");
}

/* Tasks that come one by one fill what gangs leave; what a parent scales is not to be cured at the
 * queue. */
static void nothing_is_said_where_tasks_come_singly_or_a_parent_scales(void **state) {
    (void)state;
    says(QUOTA WHOLE "queues: [{name: q, quota: {gpu: 4}}]\n"
                     "jobs: [{name: e, queue: q, tasks: {count: 4, min: 0, gpu: 1}},\n"
                     "       {name: g, queue: q, tasks: {count: 2, gpu: 8}}]\n",
         "");
    says(QUOTA WHOLE
         "queues: [{name: p, quota: {gpu: 8}, children: [{name: a, quota: {gpu: 8}},\n"
         "                                              {name: b, quota: {gpu: 4}}]}]\n"
         "jobs: [{name: g, queue: a, tasks: {gpu: 8}}, {name: s, queue: b, tasks: {gpu: 1}}]\n",
         "");
}

static void bad_arguments_are_refused(void **state) {
    (void)state;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = told_begin(QUOTA MIXED);
    assert_int_equal(lsched_queue_warnings(NULL, NULL, 0, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_queue_warnings(cluster, NULL, 1, &err), LSCHED_E_NULL);
    lsched_cluster_destroy(cluster);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_whose_gangs_need_whole_gpus),
        cmocka_unit_test(a_model_that_there_is_too_little_of),
        cmocka_unit_test(nothing_is_said_of_what_can_be_used),
        cmocka_unit_test(a_tree_says_it_once),
        cmocka_unit_test(queues_that_cannot_all_have_theirs),
        cmocka_unit_test(beyond_the_guarantee_there_is_the_fair_share),
        cmocka_unit_test(nothing_is_said_where_tasks_come_singly_or_a_parent_scales),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
