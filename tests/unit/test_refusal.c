/*
 * What the host rejects is not offered again at once, by the public calls: how often a shape is
 * tried that every node refuses, that others are placed as ever, that a queue has so many refusals
 * and no more, and that copies of a cluster remember the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "base/limits.h"
#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"
#include "model/jobs/refusal.h"
#include "support/settle.h"

#define SECOND ((int64_t)1000000)

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static void add_nodes(lsched_cluster *c, uint32_t n, int64_t cores) {
    lsched_amount cpu = {LSCHED_CPU, 0, cores * 1000};
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%05u", i);
        d.name = text(name);
        d.capacity = &cpu;
        d.n_capacity = 1;
        assert_int_equal(lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, &err), 1);
    }
}

static lsched_cluster *cluster_of(uint32_t nodes, int64_t cores) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    add_nodes(c, nodes, cores);
    for (int i = 0; i < 2; i++) {
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        q.name = text(i ? "other" : "q");
        assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err), 1);
    }
    return c;
}

static lsched_id submit(lsched_cluster *c, const char *name, const char *queue, int64_t cpu) {
    lsched_amount need = {LSCHED_CPU, 0, cpu};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id id = 0;
    g.min_count = g.max_count = 1;
    g.request = &need;
    g.n_request = 1;
    d.name = text(name);
    d.queue_name = text(queue);
    d.groups = &g;
    d.n_groups = 1;
    assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, &id, NULL, &err), 1);
    return id;
}

static lsched_plan *cycle(lsched_cluster *c, int64_t now) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    o.now_us = now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    int32_t rc = lsched_schedule(c, &o, &plan, &err);
    if (rc < 0) print_error("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
    return plan;
}

static int32_t settle(lsched_cluster *c, lsched_id decision, lsched_outcome how, const char *why) {
    lsched_settlement s = {sizeof s, how, decision, text(why), NULL};
    int32_t rc = lsched_settle(c, &s, 1, sizeof s, NULL, NULL, NULL, NULL);
    return rc < 0 ? rc : LSCHED_OK;
}

/* One cycle of a host that rejects places of one job and takes all others: how many it rejected. */
static uint32_t round_of(lsched_cluster *c, int64_t now, lsched_id bad, const char *why,
                         uint64_t *taken, uint64_t *steps) {
    lsched_plan *plan = cycle(c, now);
    lsched_plan_info info = {.size = sizeof info};
    uint32_t rejected = 0;
    assert_int_equal(lsched_plan_get(plan, &info, NULL), LSCHED_OK);
    if (steps) *steps = info.steps;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        int is_bad = d->job == bad;
        rejected += (uint32_t)is_bad;
        *taken += !is_bad;
        assert_int_equal(
            settle(c, d->id, is_bad ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED, why),
            LSCHED_OK);
    }
    lsched_plan_destroy(plan);
    return rejected;
}

/* The host calls when it is told to, and every second with new work of another shape. */
static void five_thousand_nodes_are_tried_ten_times_in_a_minute(void **unused) {
    (void)unused;
    lsched_cluster *c = cluster_of(5000, 4);
    lsched_id bad = submit(c, "bad", "q", 2000);
    uint32_t tries = 0, cycles = 0;
    uint64_t taken = 0, jobs = 0, steps = 0, warm = 0;
    for (int64_t now = 0; now < 60 * SECOND;) {
        uint64_t before = taken;
        uint32_t rejected = round_of(c, now, bad, "taint", &taken, &steps);
        assert_int_equal(taken - before, jobs - before); /* others are placed in the same cycle */
        if (rejected == 0 && cycles > 20 && steps > warm) warm = steps;
        tries += rejected;
        cycles++;
        int64_t wake = lsched_next_wake(c), tick = now / SECOND * SECOND + SECOND;
        if (wake <= now) continue;
        now = wake < tick ? wake : tick;
        if (now != tick) continue;
        char name[24];
        snprintf(name, sizeof name, "good%llu", (unsigned long long)jobs++);
        submit(c, name, "q", 1000);
    }
    print_message("5,000 nodes, 60 s: %u tries of the refused job, %llu others placed at once, "
                  "%u cycles, at most %llu steps in a cycle without a try\n",
                  tries, (unsigned long long)taken, cycles, (unsigned long long)warm);
    assert_in_range(tries, 3, 10);
    assert_true(taken >= 58);
    assert_true(warm < 500); /* it walks neither the nodes nor the refusals */
    lsched_cluster_destroy(c);
}

/* A confirmation is a promise. A host that takes back each of them is asked no more often for it,
 * and a start is the proof. */
static void what_is_confirmed_and_then_rejected_is_not_tried_on(void **unused) {
    (void)unused;
    lsched_cluster *c = cluster_of(100, 4);
    lsched_id bad = submit(c, "bad", "q", 2000);
    uint32_t tries = 0, cycles = 0;
    for (int64_t now = 0; now < 60 * SECOND; cycles++) {
        lsched_plan *plan = cycle(c, now);
        for (size_t i = 0; i < lsched_plan_size(plan); i++, tries++) {
            lsched_id id = lsched_plan_at(plan, i)->id;
            assert_int_equal(settle(c, id, LSCHED_OUTCOME_CONFIRMED, ""), LSCHED_OK);
            assert_int_equal(settle(c, id, LSCHED_OUTCOME_REJECTED, "taint"), LSCHED_OK);
        }
        lsched_plan_destroy(plan);
        if (lsched_next_wake(c) > now) now = lsched_next_wake(c);
    }
    assert_in_range(tries, 3, 10);
    assert_in_range(cycles, 3, 20);
    uint32_t row = (uint32_t)bad;
    assert_int_equal(c->k.c[C_COST_REJECTS].u32[c->k.c[C_JOB_COST].u32[row]], tries);
    while (lsched_next_wake(c) < LSCHED_NEVER_US) { /* now it starts */
        lsched_plan *plan = cycle(c, lsched_next_wake(c));
        size_t n = lsched_plan_size(plan);
        lsched_plan_destroy(plan);
        if (n) break;
    }
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    e.job = bad;
    e.event = LSCHED_EVENT_STARTED;
    assert_int_equal(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), 1);
    assert_int_equal(c->k.c[C_COST_REJECTS].u32[c->k.c[C_JOB_COST].u32[row]], 0);
    lsched_cluster_destroy(c);
}

/* A host that names another reason for each node is not spared by that. */
static void a_reason_for_each_node_does_not_open_them_all(void **unused) {
    (void)unused;
    lsched_cluster *c = cluster_of(100, 4);
    lsched_id bad = submit(c, "bad", "q", 2000);
    uint32_t tries = 0;
    uint64_t taken = 0;
    for (int64_t now = 0; now < 60 * SECOND;) {
        char why[16];
        snprintf(why, sizeof why, "r%u", tries);
        tries += round_of(c, now, bad, why, &taken, NULL);
        int64_t wake = lsched_next_wake(c);
        if (wake > now) now = wake;
    }
    assert_in_range(tries, 3, 10);
    lsched_cluster_destroy(c);
}

static void a_queue_has_so_many_refusals_and_forgets_its_own(void **unused) {
    (void)unused;
    enum { SHAPES = 700 };
    lsched_cluster *c = cluster_of(1, 100000);
    lsched_id mine = submit(c, "mine", "other", 5);
    uint64_t taken = 0;
    round_of(c, 0, mine, "x", &taken, NULL);
    lsched_id *jobs = calloc(SHAPES, sizeof *jobs);
    for (uint32_t i = 0; i < SHAPES; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%04u", i);
        jobs[i] = submit(c, name, "q", 10 + i);
    }
    lsched_plan *plan = cycle(c, SECOND);
    assert_int_equal(lsched_plan_size(plan), SHAPES);
    for (size_t i = 0; i < SHAPES; i++)
        assert_int_equal(settle(c, lsched_plan_at(plan, i)->id, LSCHED_OUTCOME_REJECTED, "y"),
                         LSCHED_OK);
    lsched_plan_destroy(plan);
    assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
    plan = cycle(c, 2 * SECOND);
    /* two rows for each shape: those beyond the bound are forgotten and tried again */
    assert_int_equal(lsched_plan_size(plan), SHAPES - LIMIT_REFUSALS_PER_QUEUE / 2);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        assert_true(lsched_plan_at(plan, i)->job != mine);
    lsched_plan_destroy(plan);
    plan = cycle(c, 10 * SECOND);
    assert_int_equal(lsched_plan_size(plan), 1); /* the other queue's own, when its time has come */
    lsched_plan_destroy(plan);
    free(jobs);
    lsched_cluster_destroy(c);
}

/* A queue has rows for fewer nodes than refuse: that all refuse is what it remembers longest. */
static void many_nodes_do_not_open_them_all(void **unused) {
    (void)unused;
    enum { NODES = LIMIT_REFUSALS_PER_QUEUE };
    lsched_cluster *c = cluster_of(NODES, 1);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%u", i);
        submit(c, name, "q", 1000);
    }
    lsched_plan *plan = cycle(c, 0);
    assert_int_equal(lsched_plan_size(plan), NODES);
    for (uint32_t i = 0; i < NODES; i++)
        assert_int_equal(settle(c, lsched_plan_at(plan, i)->id, LSCHED_OUTCOME_REJECTED, "x"),
                         LSCHED_OK);
    lsched_plan_destroy(plan);
    plan = cycle(c, SECOND);
    assert_int_equal(lsched_plan_size(plan), 0);
    lsched_plan_destroy(plan);
    plan = cycle(c, 10 * SECOND);
    assert_int_equal(lsched_plan_size(plan), 1);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
}

struct saved {
    unsigned char *p;
    size_t n;
};

static int32_t take_bytes(void *user, const void *p, size_t n) {
    struct saved *b = user;
    b->p = realloc(b->p, b->n + n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

static uint64_t plan_hash(lsched_cluster *c, int64_t now) {
    lsched_plan *plan = cycle(c, now);
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    lsched_plan_destroy(plan);
    return info.plan_hash ^ (uint64_t)info.next_wake_us;
}

static void copies_remember_the_same(void **unused) {
    (void)unused;
    lsched_cluster *c = cluster_of(5, 4), *copy = NULL, *loaded = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id bad = submit(c, "bad", "q", 4000);
    uint64_t taken = 0;
    submit(c, "next", "q", 4000);
    for (int i = 0; i < 2; i++) round_of(c, i, bad, "x", &taken, NULL);
    for (int64_t now = 10; now < 200 * SECOND; now += 7 * SECOND) {
        struct saved b = {NULL, 0};
        assert_int_equal(lsched_cluster_clone(c, &copy, &err), LSCHED_OK);
        assert_int_equal(lsched_cluster_save(c, take_bytes, &b, &err), LSCHED_OK);
        assert_int_equal(lsched_cluster_load(NULL, b.p, b.n, &loaded, &err), LSCHED_OK);
        uint64_t hash = plan_hash(copy, now);
        assert_int_equal(plan_hash(loaded, now), hash);
        lsched_cluster_destroy(loaded);
        free(b.p);
        round_of(c, now, bad, "x", &taken, NULL);
    }
    lsched_cluster_destroy(copy);
    lsched_cluster_destroy(c);
}

/* What is refused of a batch does not hang on its order, nor on what stands beside it. */
static void the_order_of_a_batch_means_nothing(void **unused) {
    (void)unused;
    uint64_t meaning[2] = {0, 0};
    for (int turn = 0; turn < 2; turn++) {
        lsched_cluster *c = cluster_of(6, 4);
        for (int i = 0; i < 6; i++) {
            char name[8];
            snprintf(name, sizeof name, "j%d", i);
            submit(c, name, "q", 4000);
        }
        lsched_plan *plan = cycle(c, SECOND);
        lsched_id ids[6];
        lsched_outcome how[6];
        for (int i = 0; i < 6; i++) {
            int at = turn ? 5 - i : i;
            ids[at] = lsched_plan_at(plan, (size_t)i)->id;
            how[at] = i % 3 == 1 ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
        }
        assert_int_equal(settle_each(c, ids, how, 6, NULL, NULL), LSCHED_OK);
        lsched_plan_destroy(plan);
        assert_int_equal(lsched_cluster_hash(c, LSCHED_HASH_MEANING, &meaning[turn], NULL),
                         LSCHED_OK);
        lsched_cluster_destroy(c);
    }
    assert_int_equal(meaning[0], meaning[1]);
}

static void a_reason_has_a_bound(void **unused) {
    (void)unused;
    char why[LIMIT_REFUSAL_REASON_BYTES + 2];
    memset(why, 'x', sizeof why);
    why[sizeof why - 1] = '\0';
    lsched_cluster *c = cluster_of(1, 4);
    submit(c, "j", "q", 1000);
    lsched_plan *plan = cycle(c, 0);
    lsched_id id = lsched_plan_at(plan, 0)->id;
    uint64_t before = 0, after = 0;
    lsched_plan_destroy(plan);
    lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &before, NULL);
    assert_int_equal(settle(c, id, LSCHED_OUTCOME_REJECTED, why), LSCHED_E_RANGE);
    lsched_settlement s = {sizeof s, LSCHED_OUTCOME_REJECTED, id, {NULL, 5}, NULL};
    assert_int_equal(lsched_settle(c, &s, 1, sizeof s, NULL, NULL, NULL, NULL), LSCHED_E_NULL);
    lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &after, NULL);
    assert_int_equal(before, after);
    why[LIMIT_REFUSAL_REASON_BYTES] = '\0';
    assert_int_equal(settle(c, id, LSCHED_OUTCOME_REJECTED, why), LSCHED_OK);
    lsched_cluster_destroy(c);
}

/* ---- what the verifier says of refusals ---- */

/* Equal jobs, one for each of n nodes, of which so many are rejected: the plan. */
static lsched_plan *rejected_on(lsched_cluster **c, uint32_t nodes, uint32_t rejects) {
    *c = cluster_of(nodes, 1);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%u", i);
        submit(*c, name, "q", 1000);
    }
    lsched_plan *plan = cycle(*c, 0);
    assert_int_equal(lsched_plan_size(plan), nodes);
    for (uint32_t i = 0; i < rejects; i++)
        assert_int_equal(settle(*c, lsched_plan_at(plan, i)->id, LSCHED_OUTCOME_REJECTED, "x"),
                         LSCHED_OK);
    return plan;
}

static void expect_said(int32_t rc, const lsched_error *err, const char *part) {
    if (rc != LSCHED_E_VERIFY || !strstr(err->message, part))
        fail_msg("expected \"%s\", found %d, \"%s\"", part, rc, err->message);
}

static void expect_plan_refused(lsched_cluster *c, const lsched_decision *d, const char *part) {
    lsched_error err = LSCHED_ERROR_INIT;
    expect_said(verify_plan(&c->k, d, 1, sizeof *d, &err), &err, part);
}

static uint32_t head_row(const struct columns *k) {
    for (uint32_t r = 0; r < table_rows(k, T_REFUSAL); r++)
        if (row_is_live(k, T_REFUSAL, r) && k->c[C_REFUSAL_NODE].u32[r] == NO_ROW) return r;
    fail_msg("no head");
    return NO_ROW;
}

static void a_place_that_is_refused_is_found(void **unused) {
    (void)unused;
    lsched_cluster *c;
    lsched_plan *plan = rejected_on(&c, 4, 3);
    const lsched_decision *last = lsched_plan_at(plan, 3);
    struct columns *k = &c->k;
    expect_plan_refused(c, last, "all nodes refuse such tasks");
    lsched_plan_destroy(cycle(c, 10 * SECOND)); /* one goes first, and it is not the last */
    assert_int_equal(k->c[C_REFUSAL_STATE].u8[head_row(k)], REFUSAL_PROBE);
    expect_plan_refused(c, last, "all nodes refused such tasks, so only the decision group");
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
    plan = rejected_on(&c, 4, 0);
    k = &c->k;
    assert_int_equal(undo_begin(k), LSCHED_OK); /* a refusal of a place that stays */
    for (uint32_t d = 0; d < table_rows(k, T_DECISION); d++)
        assert_int_equal(refusal_note(k, d, text("x")), LSCHED_OK);
    undo_end(k);
    expect_plan_refused(c, lsched_plan_at(plan, 0), "its node refuses such tasks");
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
}

static void a_head_without_nodes_is_found(void **unused) {
    (void)unused;
    lsched_cluster *c;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan_destroy(rejected_on(&c, 2, 1));
    struct columns *k = &c->k;
    uint32_t head = head_row(k);
    k->c[C_REFUSAL_COUNT].u32[head] = 1; /* so that it stays when its node is forgotten */
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        assert_int_equal(undo_begin(k), LSCHED_OK);
        assert_int_equal(refusals_forget_node(k, node), LSCHED_OK);
        undo_end(k);
    }
    k->c[C_REFUSAL_COUNT].u32[head] = 0;
    expect_said(verify_state(k, &err), &err, "but records no refusal");
    lsched_cluster_destroy(c);
}

static void a_refusal_without_a_head_is_found(void **unused) {
    (void)unused;
    lsched_cluster *c;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan_destroy(rejected_on(&c, 3, 2));
    struct columns *k = &c->k;
    k->c[C_REFUSAL_MEMBERS].u32[head_row(k)] = 1; /* it goes with the first of the two */
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (k->c[C_NODE_REFUSAL].u32[node] == NO_ROW) continue;
        assert_int_equal(undo_begin(k), LSCHED_OK);
        assert_int_equal(refusals_forget_node(k, node), LSCHED_OK);
        undo_end(k);
        break;
    }
    expect_said(verify_state(k, &err), &err, "has no head");
    lsched_cluster_destroy(c);
}

/* Refusals of a queue go with it; a queue of the same name has none, and others keep theirs. */
static void a_queue_that_goes_takes_its_refusals_along(void **unused) {
    (void)unused;
    lsched_cluster *c = cluster_of(1, 4);
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id kept = submit(c, "kept", "q", 1000);
    uint64_t taken = 0;
    assert_int_equal(round_of(c, 0, kept, "x", &taken, NULL), 1);
    for (uint32_t again = 0; again < 3; again++) {
        lsched_id job = submit(c, "gone", "other", 1000), queue = 0;
        /* the queue is new and remembers nothing */
        assert_int_equal(round_of(c, 1 + again, job, "y", &taken, NULL), 1);
        assert_int_equal(lsched_jobs_remove(c, &job, 1, NULL, NULL, &err), 1);
        queue = lsched_find(c, LSCHED_KIND_QUEUE, LSCHED_TEXT("other"));
        assert_int_equal(lsched_queues_remove(c, &queue, 1, NULL, NULL, &err), 1);
        assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
        lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
        q.name = text("other");
        assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, &err), 1);
    }
    assert_int_equal(round_of(c, 10, kept, "x", &taken, NULL), 0); /* still too early */
    assert_int_equal(taken, 0);
    lsched_cluster_destroy(c);
}

/* What is left of a wait is left of it after the clock was set back. */
static void refusals_move_back_with_the_clock(void **unused) {
    (void)unused;
    static const int64_t to[] = {1000 * SECOND, SECOND, 1999999 * SECOND};
    for (uint32_t i = 0; i < 3; i++) {
        lsched_cluster *c = cluster_of(1, 4);
        lsched_error err = LSCHED_ERROR_INIT;
        uint64_t taken = 0;
        int64_t now = 2000000 * SECOND;
        lsched_id job = submit(c, "job", "q", 1000);
        assert_int_equal(round_of(c, now, job, "x", &taken, NULL), 1);
        assert_int_equal(round_of(c, ++now, job, "x", &taken, NULL), 0); /* sees that it waits */
        int64_t left = lsched_next_wake(c) - now;
        assert_in_range(left, 1, 60 * SECOND);
        assert_int_equal(lsched_clock_set(c, to[i], &err), LSCHED_OK);
        assert_int_equal(round_of(c, to[i], job, "x", &taken, NULL), 0);
        assert_int_equal(lsched_next_wake(c), to[i] + left);
        assert_int_equal(round_of(c, to[i] + left - 1, job, "x", &taken, NULL), 0);
        assert_int_equal(round_of(c, to[i] + left, job, "x", &taken, NULL), 1);
        lsched_cluster_destroy(c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_thousand_nodes_are_tried_ten_times_in_a_minute),
        cmocka_unit_test(what_is_confirmed_and_then_rejected_is_not_tried_on),
        cmocka_unit_test(a_reason_for_each_node_does_not_open_them_all),
        cmocka_unit_test(a_queue_has_so_many_refusals_and_forgets_its_own),
        cmocka_unit_test(a_queue_that_goes_takes_its_refusals_along),
        cmocka_unit_test(refusals_move_back_with_the_clock),
        cmocka_unit_test(many_nodes_do_not_open_them_all),
        cmocka_unit_test(copies_remember_the_same),
        cmocka_unit_test(the_order_of_a_batch_means_nothing),
        cmocka_unit_test(a_reason_has_a_bound),
        cmocka_unit_test(a_place_that_is_refused_is_found),
        cmocka_unit_test(a_head_without_nodes_is_found),
        cmocka_unit_test(a_refusal_without_a_head_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
