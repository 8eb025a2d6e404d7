/* lsched_settle_plan: it does what lsched_settle does with the same answers, late answers are no error, nominations and
 * checkpoints are left out where all is confirmed, and a call without memory changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "support/fault_alloc.h"

enum { DECISIONS = 16 };

static struct fault_alloc memory;
static lsched_cluster *c;
static lsched_plan *plan;
static lsched_error err;
static lsched_outcome outcomes[DECISIONS];
static int32_t status[DECISIONS];

/* Two guests give way to a gang, whose tasks are nominated; a guest writes a checkpoint before; two other gangs and a
 * single job start. */
static const char world[] =
    "start: 2026-01-05T08:00Z\n"
    "policy:\n"
    "  text: |\n"
    "    return { api = 1, name = 'g', fair_share = 'quota', pipeline = { 'allocate', 'reclaim' } }\n"
    "nodes:\n"
    "  - {name: x, gpus: 2}\n"
    "  - {name: y, gpus: 2}\n"
    "  - {name: z, cpu: 8}\n"
    "queues:\n"
    "  - {name: a, quota: {gpu: 4}}\n"
    "  - {name: b}\n"
    "jobs:\n"
    "  - {name: g0, queue: b, running_on: x, running_since: -1h, tasks: {gpu: 2}}\n"
    "  - {name: g1, queue: b, running_on: y, running_since: -1h, checkpoint_time: 1m, tasks: {gpu: 2}}\n"
    "  - {name: gang, queue: a, tasks: {count: 2, gpu: 2}}\n"
    "  - {name: left, queue: b, tasks: {count: 2, cpu: 1}}\n"
    "  - {name: right, queue: b, tasks: {count: 2, cpu: 1}}\n"
    "  - {name: single, queue: b, tasks: {cpu: 1}}\n";

/* Returns a cluster that is the world after its first cycle, and the plan of the cycle. */
static lsched_cluster *world_of(lsched_plan **made) {
    lsched_allocator hooks = fault_hooks(&memory);
    lsched_cluster_opts opts = {.size = sizeof opts, .allocator = &hooks};
    lsched_schedule_opts cycle = {.size = sizeof cycle, .now_us = INT64_C(1767600000000000)};
    lsched_cluster *of = NULL;
    cycle.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT;
    if (lsched_cluster_create(&opts, &of, &err) < 0 ||
        lsched_scenario_add(NULL, lsched_cstr(world), LSCHED_TEXT("world"), of, &err) < 0 ||
        lsched_schedule(of, &cycle, made, &err) < 0)
        fail_msg("%s", err.message);
    return of;
}

static int begin(void **unused) {
    (void)unused;
    memory = (struct fault_alloc){0};
    err = (lsched_error)LSCHED_ERROR_INIT;
    c = world_of(&plan);
    return lsched_plan_size(plan) > DECISIONS;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
    assert_true(memory.live_blocks == 0 && memory.wrong_sizes == 0);
    return 0;
}

static uint64_t image(const lsched_cluster *of) {
    uint64_t hash = 0;
    assert_int_equal(lsched_cluster_hash(of, LSCHED_HASH_IMAGE, &hash, NULL), LSCHED_OK);
    return hash;
}

static lsched_id job_of(const char *name) {
    return lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(name));
}

/* The first decision of a kind about a job, or about any if the name is NULL. */
static size_t decision_of(uint32_t kind, const char *job) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == kind && (!job || d->job == job_of(job))) return i;
    }
    fail_msg("the plan has no decision %u", kind);
    return 0;
}

/* Confirms what is due, and leaves out what needs another answer. */
static void test_a_plan_is_confirmed(void **unused) {
    size_t confirmed = 0;
    (void)unused;
    decision_of(LSCHED_DECIDE_EVICT, "g0");
    decision_of(LSCHED_DECIDE_NOMINATE, "gang");
    decision_of(LSCHED_DECIDE_CHECKPOINT, "g1");
    int32_t n = lsched_settle_plan(c, plan, NULL, status, &err);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        int due = d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_EVICT;
        assert_int_equal(status[i], due ? LSCHED_OK : LSCHED_UNCHANGED);
        assert_int_equal(lsched_decision_state(c, d->id, NULL),
                         due ? LSCHED_DECISION_CONFIRMED : LSCHED_DECISION_PROPOSED);
        confirmed += due ? 1 : 0;
    }
    assert_int_equal(n, confirmed);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
    /* Again: nothing is left to do, which is no error. */
    uint64_t before = image(c);
    assert_true(lsched_settle_plan(c, plan, NULL, status, &err) >= 0);
    assert_int_equal(status[decision_of(LSCHED_DECIDE_PLACE, NULL)], LSCHED_UNCHANGED);
    assert_true(image(c) == before);
}

/* For all answers to the decisions: the state, the codes and the count are those of lsched_settle. */
static void test_it_is_a_batch_of_settlements(void **unused) {
    const lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT};
    size_t n = lsched_plan_size(plan), all = 1;
    (void)unused;
    for (size_t i = 0; i < n; i++) all *= 3;
    for (size_t answer = 0; answer < all; answer += 37) { /* 37: every digit takes each value */
        lsched_cluster *one, *other;
        lsched_plan *own, *theirs;
        lsched_settlement batch[DECISIONS];
        int32_t codes[DECISIONS];
        size_t left = answer, m = 0, k = 0;
        for (size_t i = 0; i < n; i++, left /= 3) {
            outcomes[i] = (lsched_outcome)(left % 3);
            if (outcomes[i])
                batch[m++] = (lsched_settlement){.size = sizeof batch[0],
                                                 .outcome = outcomes[i],
                                                 .decision = lsched_plan_at(plan, i)->id};
        }
        one = world_of(&own);
        other = world_of(&theirs);
        assert_true(image(one) == image(c));
        assert_int_equal(lsched_settle_plan(one, own, outcomes, status, &err),
                         lsched_settle(other, batch, m, sizeof batch[0], &opts, NULL, codes, NULL));
        assert_true(image(one) == image(other));
        for (size_t i = 0; i < n; i++)
            assert_int_equal(status[i], outcomes[i] ? codes[k++] : LSCHED_UNCHANGED);
        lsched_plan_destroy(own);
        lsched_plan_destroy(theirs);
        lsched_cluster_destroy(one);
        lsched_cluster_destroy(other);
    }
}

static int32_t append(void *user, const void *bytes, size_t n) {
    struct saved {
        char *bytes;
        size_t n;
    } *s = user;
    s->bytes = realloc(s->bytes, s->n + n);
    if (!s->bytes) return 1;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return 0;
}

static void refused(lsched_cluster *by, const lsched_plan *of) {
    uint64_t before = image(by);
    for (size_t i = 0; i < DECISIONS; i++) outcomes[i] = LSCHED_OUTCOME_REJECTED;
    assert_int_equal(lsched_settle_plan(by, of, NULL, status, &err), LSCHED_E_INVAL);
    assert_int_equal(lsched_settle_plan(by, of, outcomes, NULL, &err), LSCHED_E_INVAL);
    assert_int_equal(err.code, LSCHED_E_INVAL);
    assert_true(image(by) == before);
}

/* Ids of equal clusters are equal, and name other decisions: no cluster answers the plan of
 * another one, whether it is a stranger, a clone, an original, or a copy that was saved and
 * loaded. */
static void test_a_plan_of_another_cluster_is_refused(void **unused) {
    const lsched_schedule_opts cycle = {.size = sizeof cycle, .now_us = INT64_C(1767600060000000)};
    struct {
        char *bytes;
        size_t n;
    } saved = {NULL, 0};
    lsched_cluster *clone = NULL, *loaded = NULL, *stranger;
    lsched_plan *of_clone = NULL, *of_stranger, *adopted = NULL;
    (void)unused;
    stranger = world_of(&of_stranger);
    assert_true(lsched_plan_at(of_stranger, 0)->id == lsched_plan_at(plan, 0)->id);
    refused(c, of_stranger);
    refused(stranger, plan);
    assert_int_equal(lsched_cluster_clone(c, &clone, &err), LSCHED_OK);
    refused(clone, plan);
    assert_int_equal(lsched_cluster_save(c, append, &saved, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_load(NULL, saved.bytes, saved.n, &loaded, &err), LSCHED_OK);
    refused(loaded, plan);
    assert_int_equal(lsched_schedule(clone, &cycle, &of_clone, &err), LSCHED_OK);
    refused(c, of_clone);
    /* what the original makes of it is a plan of the original */
    assert_int_equal(lsched_adopt(c, of_clone, NULL, &adopted, &err), LSCHED_OK);
    assert_true(lsched_settle_plan(c, adopted, NULL, NULL, &err) >= 0);
    assert_true(lsched_settle_plan(c, plan, NULL, NULL, &err) > 0);
    free(saved.bytes);
    lsched_plan_destroy(adopted);
    lsched_plan_destroy(of_clone);
    lsched_plan_destroy(of_stranger);
    lsched_cluster_destroy(stranger);
    lsched_cluster_destroy(loaded);
    lsched_cluster_destroy(clone);
}

/* What was withdrawn since has its code, and the record of the error names its place in the plan. */
static void test_late_answers_are_no_error(void **unused) {
    lsched_id gone = job_of("right");
    size_t first = decision_of(LSCHED_DECIDE_PLACE, "right"),
           other = decision_of(LSCHED_DECIDE_PLACE, "left");
    (void)unused;
    assert_int_equal(lsched_jobs_remove(c, &gone, 1, NULL, NULL, &err), 1);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        outcomes[i] = i == first || i == other ? LSCHED_OUTCOME_CONFIRMED : 0;
    assert_int_equal(lsched_settle_plan(c, plan, outcomes, status, &err), 1);
    assert_int_equal(status[first], LSCHED_E_STALE);
    assert_int_equal(status[other], LSCHED_OK);
    assert_int_equal(err.index, first);
    /* A bad outcome is told in the same way, and the status is not needed. */
    outcomes[first] = 0, outcomes[other] = 9;
    assert_int_equal(lsched_settle_plan(c, plan, outcomes, NULL, &err), 0);
    assert_int_equal(err.code, LSCHED_E_INVAL);
    assert_int_equal(err.index, other);
    assert_int_equal(lsched_settle_plan(NULL, plan, NULL, NULL, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_settle_plan(c, NULL, NULL, NULL, &err), LSCHED_E_NULL);
}

static void test_without_memory_nothing_changes(void **unused) {
    uint64_t before = image(c);
    int32_t n = LSCHED_E_NOMEM;
    (void)unused;
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        outcomes[i] = i % 3 ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
    for (uint64_t at = 1; n == LSCHED_E_NOMEM; at++) {
        memory.fail_at = memory.calls + at;
        n = lsched_settle_plan(c, plan, outcomes, status, &err);
        memory.fail_at = 0;
        if (n != LSCHED_E_NOMEM) continue;
        assert_int_equal(err.code, LSCHED_E_NOMEM);
        assert_true(image(c) == before);
    }
    assert_true(n > 0);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_plan_is_confirmed, begin, end),
        cmocka_unit_test_setup_teardown(test_it_is_a_batch_of_settlements, begin, end),
        cmocka_unit_test_setup_teardown(test_a_plan_of_another_cluster_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_late_answers_are_no_error, begin, end),
        cmocka_unit_test_setup_teardown(test_without_memory_nothing_changes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
