/* test_lost_quota.c -- lsched_queue_warnings about quotas that guarantee nothing because the
 * queue above has none: the words, and in random trees that each such quota has a warning, and
 * that the advice of all warnings helps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "property/chance.h"
#include "support/told.h"

#define HEAD "policy: guaranteed-quota\nnodes: [{name: \"n[0-1]\", cpu: 64, gpus: 8}]\nqueues:\n"

static void warnings_of(const char *scenario, char text[4000]) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *cluster = told_begin(scenario);
    int64_t n = lsched_queue_warnings(cluster, text, 4000, &err);
    if (n < 0 || n >= 4000) fail_msg("%d %s", (int)n, err.message);
    lsched_cluster_destroy(cluster);
}

static void says(const char *scenario, const char *want) {
    char text[4000];
    warnings_of(scenario, text);
    assert_string_equal(text, want);
}

static void a_parent_without_a_quota_is_named(void **state) {
    (void)state;
    says(
        HEAD "  - {name: org}\n"
             "  - {name: a, parent: org, quota: {gpu: 8}}\n"
             "  - {name: b, parent: org, quota: {gpu: 4}}\n",
        "queue org has no quota of gpu, so that the quotas of the 2 queues below it guarantee nothing; give it a "
        "quota of 12 GPUs\n");
    says(
        HEAD "  - {name: top}\n"
             "  - {name: org, parent: top}\n"
             "  - {name: a, parent: org, quota: {cpu: 8}}\n",
        "queue org has no quota of cpu, so that the quota of queue a below it guarantees nothing; give it "
        "a quota of 8 cores, and also the queue above it that has none\n");
    says(
        HEAD "  - {name: org, limit: {gpu: 6}}\n"
             "  - {name: a, parent: org, quota: {gpu: unlimited}}\n",
        "queue org has no quota of gpu, so that the quota of queue a below it guarantees nothing; give it a quota "
        "of 6 GPUs\n");
    says(
        HEAD "  - {name: org}\n"
             "  - {name: a, parent: org, quota: {gpu: unlimited}}\n",
        "queue org has no quota of gpu, so that the quota of queue a below it guarantees nothing; give it a "
        "quota\n");
}

/* A quota that is only scaled down, one that a limit takes, one of a resource part, and policies
 * that need no quota above or guarantee nothing anywhere. */
static void nothing_is_said_of_other_causes(void **state) {
    (void)state;
    says(HEAD "  - {name: org, quota: {gpu: 1}}\n"
              "  - {name: a, parent: org, quota: {gpu: 8}}\n",
         "");
    says(HEAD "  - {name: org, limit: {gpu: 0}}\n"
              "  - {name: a, parent: org, quota: {gpu: 8}}\n",
         "");
    says(HEAD "  - {name: org}\n"
              "  - {name: a, parent: org, quota: {gpu: 8}, limit: {gpu: 0}}\n",
         "");
    says("policy: cohort\n"
         "nodes: [{name: n, cpu: 64, gpus: 8}]\n"
         "queues: [{name: org}, {name: a, parent: org, quota: {gpu: 8}}]\n",
         "");
    says("policy: drf\n"
         "nodes: [{name: n, cpu: 64, gpus: 8}]\n"
         "queues: [{name: org}, {name: a, parent: org, quota: {gpu: 8}}]\n",
         "");
}

/* ---- random trees ---- */

enum { QUEUES = 9, ROUNDS = 400 };

struct tree {
    uint32_t n, parent[QUEUES]; /* its own number: none */
    uint32_t quota[QUEUES];
};

static lsched_cluster *cluster_of(const struct tree *t) {
    char text[2000] = HEAD;
    size_t len = strlen(text);
    for (uint32_t q = 0; q < t->n; q++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "  - {name: q%u", q);
        if (t->parent[q] != q)
            len += (size_t)snprintf(text + len, sizeof text - len, ", parent: q%u", t->parent[q]);
        if (t->quota[q])
            len +=
                (size_t)snprintf(text + len, sizeof text - len, ", quota: {gpu: %u}", t->quota[q]);
        len += (size_t)snprintf(text + len, sizeof text - len, "}\n");
    }
    return told_begin(text);
}

static int64_t guarantee_of(const lsched_cluster *cluster, uint32_t q) {
    char name[16];
    lsched_queue_share share = LSCHED_QUEUE_SHARE_INIT;
    snprintf(name, sizeof name, "q%u", q);
    lsched_id id = lsched_find(cluster, LSCHED_KIND_QUEUE, lsched_cstr(name));
    assert_true(lsched_queue_share_get(cluster, id, LSCHED_GPU, &share, NULL) >= 0);
    return share.guarantee;
}

/* The number of the queue that the line names in "queue q0/q3 has no quota". */
static uint32_t named(const char *line) {
    const char *end = strstr(line, " has no quota");
    assert_non_null(end);
    while (end[-1] >= '0' && end[-1] <= '9') end--;
    return (uint32_t)strtoul(end, NULL, 10);
}

/* Follows one line: raises the quota of the queue that it names. */
static void follow(struct tree *t, const char *line) {
    uint32_t q = named(line);
    const char *amount = strstr(line, "give it a quota of ");
    assert_non_null(amount);
    assert_int_equal(t->quota[q], 0);
    t->quota[q] = (uint32_t)strtoul(amount + strlen("give it a quota of "), NULL, 10);
}

static void check_round(struct tree *t) {
    char text[4000];
    int names[QUEUES] = {0};
    lsched_cluster *cluster = cluster_of(t);
    assert_true(lsched_queue_warnings(cluster, text, sizeof text, NULL) >= 0);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) names[named(line)] = 1;
    for (uint32_t q = 0; q < t->n; q++) {
        uint32_t p = t->parent[q];
        if (p == q || t->quota[q] == 0) continue;
        /* a quota below a queue without one has a warning; no other quota has */
        if (names[p] != (t->quota[p] == 0)) fail_msg("q%u below q%u", q, p);
        if (names[p]) assert_int_equal(guarantee_of(cluster, q), 0);
    }
    lsched_cluster_destroy(cluster);
}

static void random_trees(void **state) {
    (void)state;
    for (uint32_t round = 0; round < chance_rounds(ROUNDS); round++) {
        struct chance c = {chance_seed(1) + round};
        struct tree t = {.n = 2 + chance_below(&c, QUEUES - 1)};
        for (uint32_t q = 0; q < t.n; q++) {
            t.parent[q] = q && !chance_one_in(&c, 4) ? chance_below(&c, q) : q;
            t.quota[q] = chance_one_in(&c, 2) ? 1 + chance_below(&c, 4) : 0;
        }
        check_round(&t);
        for (uint32_t step = 0;; step++) {
            char text[4000];
            lsched_cluster *cluster = cluster_of(&t);
            assert_true(lsched_queue_warnings(cluster, text, sizeof text, NULL) >= 0);
            int done = text[0] == 0;
            for (uint32_t q = 0; done && q < t.n; q++)
                if (t.quota[q] && guarantee_of(cluster, q) == 0 &&
                    (t.parent[q] == q || t.quota[t.parent[q]] == 0))
                    fail_msg("seed %u: q%u is guaranteed nothing", round + 1, q);
            lsched_cluster_destroy(cluster);
            if (done) break;
            if (step > QUEUES) fail_msg("round %u: the advice has no end: %s", round, text);
            follow(&t, text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parent_without_a_quota_is_named),
        cmocka_unit_test(nothing_is_said_of_other_causes),
        cmocka_unit_test(random_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
