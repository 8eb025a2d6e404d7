/* The life of an eviction as a host sees it: plans, settling, reports, imports, losses, copies;
 * and the whole of it with each allocation failing once, which changes nothing but the call that
 * met it. docs/semantics.md has the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/fault_alloc.h"
#include "support/settle.h"

#define SECOND INT64_C(1000000)

/* Two nodes of 8 GPUs; queue "own" is guaranteed all, queue "lent" nothing. */
struct host {
    lsched_cluster *c;
    struct fault_alloc memory;
    int64_t now_us;
    lsched_id node[2], own, lent;
    lsched_plan *plan;
    lsched_error err;
};

static struct host host;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, host.err.message);
    assert_true(code >= 0);
}

static int32_t add_nodes(struct host *h) {
    lsched_amount capacity[] = {{LSCHED_CPU, 0, 64000}, {LSCHED_MEMORY, 0, INT64_C(1) << 40}};
    lsched_device_desc device = LSCHED_DEVICE_DESC_INIT;
    lsched_node_desc nodes[2] = {LSCHED_NODE_DESC_INIT, LSCHED_NODE_DESC_INIT};
    device.count = 8;
    device.model = LSCHED_TEXT("H100");
    for (int i = 0; i < 2; i++) {
        nodes[i].name = i ? LSCHED_TEXT("n2") : LSCHED_TEXT("n1");
        nodes[i].capacity = capacity;
        nodes[i].n_capacity = 2;
        nodes[i].devices = &device;
        nodes[i].n_devices = 1;
    }
    return lsched_nodes_add(h->c, nodes, 2, sizeof nodes[0], NULL, h->node, NULL, &h->err);
}

static int32_t add_queues(struct host *h) {
    lsched_amount quota = {LSCHED_GPU, 0, 16000};
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    lsched_id ids[2];
    queues[0].name = LSCHED_TEXT("own");
    queues[0].quota = &quota;
    queues[0].n_quota = 1;
    queues[1].name = LSCHED_TEXT("lent");
    int32_t rc = lsched_queues_add(h->c, queues, 2, sizeof queues[0], NULL, ids, NULL, &h->err);
    if (rc >= 0) h->own = ids[0], h->lent = ids[1];
    return rc;
}

static int32_t load_policy(struct host *h) {
    static const char text[] =
        "return { api = 1, name = 'evicts', fair_share = 'quota', placement = 'binpack',\n"
        "  pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs' } }";
    return lsched_policy_load(h->c, LSCHED_TEXT("evicts"), (lsched_text){text, sizeof text - 1},
                              NULL, &h->err);
}

static int32_t submit(struct host *h, const char *name, int own, uint32_t max, uint32_t min,
                      uint32_t gpus, lsched_id *id) {
    lsched_amount request[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_GPU, 0, gpus * 1000}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.max_count = max;
    group.min_count = min;
    group.request = request;
    group.n_request = 2;
    job.name = (lsched_text){name, strlen(name)};
    job.queue_name = own ? LSCHED_TEXT("own") : LSCHED_TEXT("lent");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = h->now_us;
    return lsched_jobs_submit(h->c, &job, 1, sizeof job, NULL, id, NULL, &h->err);
}

static int32_t cycle_at(struct host *h, int64_t now_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan_destroy(h->plan);
    h->plan = NULL;
    int32_t rc = lsched_schedule(h->c, &opts, &h->plan, &h->err);
    if (rc >= 0) h->now_us = now_us;
    return rc;
}

static int32_t cycle(struct host *h) {
    return cycle_at(h, h->now_us + SECOND);
}

static uint32_t count(uint32_t kind) {
    uint32_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(host.plan); i++)
        n += lsched_plan_at(host.plan, i)->kind == kind;
    return n;
}

static const lsched_decision *first(uint32_t kind) {
    for (size_t i = 0; i < lsched_plan_size(host.plan); i++)
        if (lsched_plan_at(host.plan, i)->kind == kind) return lsched_plan_at(host.plan, i);
    fail_msg("no decision of kind %u", kind);
    return NULL;
}

static int32_t settle(struct host *h, lsched_id id, lsched_outcome how, uint64_t *withdrawn) {
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    int32_t rc = settle_each(h->c, &id, &how, 1, &report, &h->err);
    if (withdrawn) *withdrawn = report.n_withdrawn;
    return rc;
}

static int32_t confirm_all(struct host *h) {
    lsched_id ids[64];
    lsched_outcome how[64];
    size_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(h->plan) && n < 64; i++) {
        ids[n] = lsched_plan_at(h->plan, i)->id;
        how[n++] = LSCHED_OUTCOME_CONFIRMED;
    }
    return settle_each(h->c, ids, how, n, NULL, &h->err);
}

static int32_t report(struct host *h, lsched_id job, uint32_t index, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = job;
    e.task_index = index;
    e.event = event;
    return lsched_tasks_report(h->c, &e, 1, sizeof e, NULL, NULL, &h->err);
}

/* Tasks on a node in a state. */
static uint32_t on_node(lsched_id node, uint32_t state) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    uint32_t n = 0;
    while (lsched_tasks_next(host.c, 0, node, &cursor, &t, NULL) == 1) n += t.state == state;
    return n;
}

static uint32_t everywhere(uint32_t state) {
    return on_node(host.node[0], state) + on_node(host.node[1], state);
}

static int64_t used(lsched_id queue) {
    int64_t amount = -1;
    assert_true(lsched_queue_amount(host.c, queue, LSCHED_GPU, &amount, NULL, NULL, NULL) >= 0);
    return amount;
}

static uint64_t image(const lsched_cluster *c) {
    uint64_t hash = 0;
    assert_true(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash, NULL) >= 0);
    return hash;
}

static void expect_sound(void) {
    must(lsched_verify(host.c, NULL, &host.err));
}

static int open_host(void **unused) {
    (void)unused;
    host = (struct host){.now_us = INT64_C(1700000000000000), .err = LSCHED_ERROR_INIT};
    must(lsched_cluster_create(NULL, &host.c, &host.err));
    must(add_nodes(&host));
    must(add_queues(&host));
    must(load_policy(&host));
    return 0;
}

static int close_host(void **unused) {
    (void)unused;
    lsched_plan_destroy(host.plan);
    lsched_cluster_destroy(host.c);
    return 0;
}

/* "borrows": tasks of queue lent that run; at most 16 GPUs. */
static lsched_id borrow(uint32_t max, uint32_t min, uint32_t gpus) {
    lsched_id job;
    must(submit(&host, "borrows", 0, max, min, gpus, &job));
    must(cycle(&host));
    must(confirm_all(&host));
    for (uint32_t i = 0; i < max; i++) must(report(&host, job, i, LSCHED_EVENT_STARTED));
    return job;
}

/* "wants": of queue own, gangs of all their tasks; evicts in the next cycle. */
static lsched_id want(uint32_t tasks, uint32_t gpus) {
    lsched_id job;
    must(submit(&host, "wants", 1, tasks, tasks, gpus, &job));
    must(cycle(&host));
    return job;
}

/* ---- one after the other ---- */

static void evicted_confirmed_stopped_placed(void **unused) {
    (void)unused;
    lsched_id borrows = borrow(16, 1, 1), wants = want(1, 8);
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 8);
    assert_int_equal(count(LSCHED_DECIDE_NOMINATE), 1);
    const lsched_decision *d = first(LSCHED_DECIDE_EVICT);
    assert_int_equal(d->reason, LSCHED_FOR_RECLAIM);
    assert_true(d->for_job == wants && d->to_node == 0 && d->cost > 0);
    assert_true(d->at_us == host.now_us + 30 * SECOND);
    assert_true(first(LSCHED_DECIDE_NOMINATE)->group == d->group);
    assert_int_equal(everywhere(LSCHED_TASK_RELEASING), 8);
    assert_int_equal(used(host.own), 8000);
    assert_int_equal(used(host.lent), 8000);
    expect_sound();
    must(confirm_all(&host));
    must(cycle(&host));
    assert_int_equal(lsched_plan_size(host.plan), 0); /* they still run */
    for (uint32_t i = 0; i < 16; i++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        int leaves = 0;
        while (lsched_tasks_next(host.c, borrows, 0, &cursor, &t, NULL) == 1)
            leaves |= t.task_index == i && t.state == LSCHED_TASK_RELEASING;
        if (leaves) must(report(&host, borrows, i, LSCHED_EVENT_FAILED));
    }
    expect_sound();
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_PLACE), 1);
    assert_true(first(LSCHED_DECIDE_PLACE)->job == wants);
    must(confirm_all(&host));
    must(report(&host, wants, 0, LSCHED_EVENT_STARTED));
    must(cycle(&host));
    assert_int_equal(lsched_plan_size(host.plan),
                     0); /* what was evicted waits, and evicts nobody */
    expect_sound();
}

static void refused_evictions_leave_all_as_it_was(void **unused) {
    (void)unused;
    borrow(2, 2, 8);
    uint64_t withdrawn;
    lsched_id wants;
    must(submit(&host, "wants", 1, 1, 1, 8, &wants));
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 2); /* a gang goes whole */
    must(settle(&host, first(LSCHED_DECIDE_EVICT)->id, LSCHED_OUTCOME_REJECTED, &withdrawn));
    assert_int_equal(withdrawn, 2); /* the other one, and the claim */
    assert_int_equal(everywhere(LSCHED_TASK_RUNNING), 2);
    assert_int_equal(used(host.own), 0);
    assert_int_equal(used(host.lent), 16000);
    expect_sound();
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 0); /* left alone for the grace */
    must(cycle_at(&host, host.now_us + 121 * SECOND));
    must(settle(&host, first(LSCHED_DECIDE_NOMINATE)->id, LSCHED_OUTCOME_REJECTED, &withdrawn));
    assert_int_equal(withdrawn, 2); /* both evictions: nobody needs the room */
    assert_int_equal(everywhere(LSCHED_TASK_RUNNING), 2);
    assert_int_equal(used(host.own), 0);
    expect_sound();
}

static void it_may_end_before_it_stops(void **unused) {
    (void)unused;
    lsched_id borrows = borrow(2, 1, 8), wants = want(1, 8);
    uint32_t index = first(LSCHED_DECIDE_EVICT)->task_index;
    must(confirm_all(&host));
    must(report(&host, borrows, index, LSCHED_EVENT_ENDED));
    lsched_job_info info = {.size = sizeof info};
    must(lsched_job_get(host.c, borrows, &info, NULL));
    assert_int_equal(info.tasks_done, 1); /* it is not started again */
    expect_sound();
    must(cycle(&host));
    assert_true(first(LSCHED_DECIDE_PLACE)->job == wants);
    must(report(&host, borrows, 1 - index, LSCHED_EVENT_ENDED));
    assert_int_equal(lsched_find(host.c, LSCHED_KIND_JOB, LSCHED_TEXT("borrows")),
                     0); /* all done: gone */
    expect_sound();
}

static void a_job_that_is_removed_frees_what_it_left(void **unused) {
    (void)unused;
    lsched_id borrows = borrow(2, 1, 8);
    want(1, 8);
    must(confirm_all(&host));
    must(lsched_jobs_remove(host.c, &borrows, 1, NULL, NULL, &host.err));
    assert_int_equal(everywhere(LSCHED_TASK_RELEASING), 0);
    expect_sound();
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_PLACE), 1);
}

static void claims_go_with_their_job_and_evictions_with_claims(void **unused) {
    (void)unused;
    borrow(2, 1, 8);
    lsched_id wants = want(1, 8);
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 1);
    lsched_id eviction = first(LSCHED_DECIDE_EVICT)->id;
    must(lsched_jobs_remove(host.c, &wants, 1, NULL, NULL, &host.err));
    expect_sound();
    must(cycle(&host)); /* nobody needs what nobody has agreed to stop */
    assert_int_equal(lsched_decision_state(host.c, eviction, NULL), LSCHED_E_STALE);
    assert_int_equal(lsched_plan_withdrawn_size(host.plan), 1);
    assert_true(lsched_plan_withdrawn_at(host.plan, 0) == eviction);
    assert_int_equal(everywhere(LSCHED_TASK_RUNNING), 2);
    expect_sound();
}

static void nodes_go_with_what_leaves_and_what_is_claimed(void **unused) {
    (void)unused;
    lsched_id borrows = borrow(2, 1, 8);
    want(1, 8);
    lsched_id node = first(LSCHED_DECIDE_EVICT)->node;
    must(confirm_all(&host));
    must(lsched_nodes_remove(host.c, &node, 1, NULL, NULL, &host.err));
    expect_sound();
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    uint32_t n = 0;
    while (lsched_tasks_next(host.c, borrows, 0, &cursor, &t, NULL) == 1) n += t.state != 0;
    assert_int_equal(n, 1);
    must(cycle(&host)); /* and now the other node has to serve */
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 1);
    expect_sound();
}

static void what_does_not_stop_is_stuck(void **unused) {
    (void)unused;
    lsched_id borrows = borrow(2, 1, 8), wants = want(1, 8);
    lsched_id stuck_node = first(LSCHED_DECIDE_EVICT)->node;
    uint32_t index = first(LSCHED_DECIDE_EVICT)->task_index;
    lsched_id claim = first(LSCHED_DECIDE_NOMINATE)->id;
    must(confirm_all(&host));
    must(cycle_at(&host, host.now_us + 151 * SECOND)); /* 30 s to stop, 120 s of grace */
    assert_int_equal(lsched_plan_withdrawn_size(host.plan), 1);
    assert_true(lsched_plan_withdrawn_at(host.plan, 0) == claim);
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 1); /* the other one has to go */
    assert_true(first(LSCHED_DECIDE_NOMINATE)->job == wants &&
                first(LSCHED_DECIDE_NOMINATE)->node != stuck_node);
    expect_sound();
    must(report(&host, borrows, index, LSCHED_EVENT_FAILED));
    expect_sound();
}

static void room_that_came_late_but_in_time_is_taken(void **unused) {
    (void)unused;
    lsched_id borrows = borrow(2, 1, 8), wants = want(1, 8);
    uint32_t index = first(LSCHED_DECIDE_EVICT)->task_index;
    must(confirm_all(&host));
    must(report(&host, borrows, index, LSCHED_EVENT_FAILED));
    must(cycle_at(&host, host.now_us + 3600 * SECOND)); /* the host looks once an hour */
    assert_int_equal(count(LSCHED_DECIDE_PLACE), 1);
    assert_true(first(LSCHED_DECIDE_PLACE)->job == wants);
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 0);
}

static void what_was_told_to_stop_before_is_imported(void **unused) {
    (void)unused;
    lsched_id job, wants;
    must(submit(&host, "old", 0, 2, 1, 8, &job));
    for (uint32_t i = 0; i < 2; i++) {
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        t.job = job;
        t.task_index = i;
        t.node = host.node[i];
        t.state = i ? LSCHED_TASK_RELEASING : LSCHED_TASK_RUNNING;
        t.start_us = host.now_us - 3600 * SECOND;
        t.release_us = i ? host.now_us + 20 * SECOND : 0;
        must(lsched_tasks_import(host.c, &t, 1, sizeof t, NULL, NULL, &host.err));
        expect_sound();
    }
    assert_int_equal(used(host.lent), 8000);
    must(submit(&host, "wants", 1, 1, 1, 8, &wants));
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_EVICT), 0); /* room comes anyway */
    assert_int_equal(count(LSCHED_DECIDE_NOMINATE), 1);
    assert_true(first(LSCHED_DECIDE_NOMINATE)->node == host.node[1]);
    must(confirm_all(&host));
    must(report(&host, job, 1, LSCHED_EVENT_FAILED));
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_PLACE), 1);
    expect_sound();
}

/* It has a place until it is gone, though it waits again. */
static void what_leaves_is_not_imported(void **unused) {
    (void)unused;
    lsched_id job;
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    must(submit(&host, "old", 0, 2, 1, 8, &job));
    t.job = job;
    t.node = host.node[0];
    t.state = LSCHED_TASK_RELEASING;
    t.start_us = host.now_us - 3600 * SECOND;
    t.release_us = host.now_us + 20 * SECOND;
    must(lsched_tasks_import(host.c, &t, 1, sizeof t, NULL, NULL, &host.err));
    for (int again = 0; again < 2; again++) {
        t.state = again ? LSCHED_TASK_RUNNING : LSCHED_TASK_RELEASING;
        assert_int_equal(lsched_tasks_import(host.c, &t, 1, sizeof t, NULL, NULL, &host.err),
                         LSCHED_E_STATE);
        assert_non_null(strstr(host.err.message, "is releasing: it cannot be imported"));
        expect_sound();
    }
    must(report(&host, job, 0, LSCHED_EVENT_FAILED));
    must(lsched_tasks_import(host.c, &t, 1, sizeof t, NULL, NULL, &host.err));
    expect_sound();
}

/* Two jobs of half a node run since 60 s on a node each, and a job of a whole node waits. One of
 * the two moves; returns this job when it has stopped and its new place is confirmed. */
static lsched_id move_one(lsched_id *wants, lsched_id *to) {
    lsched_id small[2];
    must(submit(&host, "a", 0, 1, 1, 4, &small[0]));
    must(submit(&host, "b", 0, 1, 1, 4, &small[1]));
    for (uint32_t i = 0; i < 2; i++) { /* half of each node */
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        t.job = small[i];
        t.node = host.node[i];
        t.start_us = host.now_us - 60 * SECOND;
        must(lsched_tasks_import(host.c, &t, 1, sizeof t, NULL, NULL, &host.err));
    }
    must(submit(&host, "wants", 0, 1, 1, 8, wants));
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_MIGRATE), 1);
    assert_int_equal(count(LSCHED_DECIDE_NOMINATE), 2);
    const lsched_decision *d = first(LSCHED_DECIDE_MIGRATE);
    assert_int_equal(d->reason, LSCHED_FOR_CONSOLIDATE);
    assert_true(d->to_node != 0 && d->to_node != d->node);
    lsched_id mover = d->job;
    *to = d->to_node;
    must(confirm_all(&host));
    expect_sound();
    must(report(&host, mover, 0, LSCHED_EVENT_FAILED));
    must(cycle(&host));
    assert_int_equal(count(LSCHED_DECIDE_PLACE), 2);
    must(confirm_all(&host));
    return mover;
}

static void a_move_is_a_stop_and_a_start(void **unused) {
    (void)unused;
    lsched_id wants, to, mover = move_one(&wants, &to);
    must(report(&host, mover, 0, LSCHED_EVENT_STARTED));
    must(report(&host, wants, 0, LSCHED_EVENT_STARTED));
    assert_int_equal(on_node(to, LSCHED_TASK_RUNNING), 2);
    expect_sound();
}

/* The run of a job that moves counts from its first start, also when the orchestrator starts the
 * job on another node than the planned one. */
static void a_move_that_starts_elsewhere_keeps_its_age(void **unused) {
    (void)unused;
    lsched_id wants, to;
    int64_t since = host.now_us - 60 * SECOND;
    lsched_id mover = move_one(&wants, &to);
    lsched_job_info info = {.size = sizeof info};
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_STARTED;
    e.job = mover;
    e.node = to == host.node[0] ? host.node[1] : host.node[0];
    must(lsched_tasks_report(host.c, &e, 1, sizeof e, NULL, NULL, &host.err));
    expect_sound();
    must(lsched_job_get(host.c, mover, &info, &host.err));
    assert_int_equal(info.running_since_us, since);
}

/* ---- copies ---- */

struct bytes {
    uint8_t p[1 << 20];
    size_t n;
};

static int32_t keep(void *user, const void *p, size_t n) {
    struct bytes *b = user;
    if (b->n + n > sizeof b->p) return -1;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

static void copies_have_all_that_is_open(void **unused) {
    (void)unused;
    static struct bytes b;
    borrow(2, 1, 8);
    want(1, 8);
    must(settle(&host, first(LSCHED_DECIDE_EVICT)->id, LSCHED_OUTCOME_CONFIRMED, NULL));
    lsched_cluster *copy[2] = {NULL, NULL};
    b.n = 0;
    must(lsched_cluster_clone(host.c, &copy[0], &host.err));
    must(lsched_cluster_save(host.c, keep, &b, &host.err));
    must(lsched_cluster_load(NULL, b.p, b.n, &copy[1], &host.err));
    lsched_id claim = first(LSCHED_DECIDE_NOMINATE)->id;
    must(settle(&host, claim, LSCHED_OUTCOME_REJECTED, NULL));
    for (int i = 0; i < 2; i++) {
        struct host other = {.c = copy[i], .err = LSCHED_ERROR_INIT};
        must(settle(&other, claim, LSCHED_OUTCOME_REJECTED, NULL));
        assert_true(image(copy[i]) == image(host.c));
        lsched_cluster_destroy(copy[i]);
    }
}

/* ---- without memory ---- */

static int32_t step_create(struct host *h) {
    lsched_allocator hooks = fault_hooks(&h->memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    return lsched_cluster_create(&opts, &h->c, &h->err);
}

static int32_t step_borrow(struct host *h) {
    lsched_id id;
    return submit(h, "borrows", 0, 12, 1, 1, &id);
}

static int32_t step_want(struct host *h) {
    lsched_id id;
    return submit(h, "wants", 1, 2, 2, 8, &id);
}

/* Reports for all tasks of a state on the nodes, one batch. */
static int32_t report_all(struct host *h, uint32_t state, uint32_t event) {
    lsched_task_event e[32];
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        while (n < 32 && lsched_tasks_next(h->c, 0, h->node[i], &cursor, &t, NULL) == 1) {
            if (t.state != state) continue;
            e[n] = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
            e[n].job = t.job;
            e[n].task_index = t.task_index;
            e[n++].event = event;
        }
    }
    assert_true(n > 0);
    return lsched_tasks_report(h->c, e, n, sizeof e[0], NULL, NULL, &h->err);
}

static int32_t step_start(struct host *h) {
    return report_all(h, LSCHED_TASK_CONFIRMED, LSCHED_EVENT_STARTED);
}

static int32_t step_stop(struct host *h) {
    return report_all(h, LSCHED_TASK_RELEASING, LSCHED_EVENT_FAILED);
}

static int32_t step_reject(struct host *h) {
    for (size_t i = 0; i < lsched_plan_size(h->plan); i++) {
        const lsched_decision *d = lsched_plan_at(h->plan, i);
        if (d->kind == LSCHED_DECIDE_NOMINATE)
            return settle(h, d->id, LSCHED_OUTCOME_REJECTED, NULL);
    }
    fail();
    return 0;
}

static int32_t step_clone(struct host *h) {
    lsched_cluster *copy = NULL;
    int32_t rc = lsched_cluster_clone(h->c, &copy, &h->err);
    if (rc < 0) return rc;
    assert_true(image(copy) == image(h->c));
    lsched_cluster_destroy(h->c);
    h->c = copy;
    return rc;
}

static int32_t step_verify(struct host *h) {
    return lsched_verify(h->c, NULL, &h->err);
}

static int32_t step_lose(struct host *h) {
    return lsched_nodes_remove(h->c, &h->node[1], 1, NULL, NULL, &h->err);
}

static int32_t step_remove(struct host *h) {
    lsched_id id = lsched_find(h->c, LSCHED_KIND_JOB, LSCHED_TEXT("wants"));
    return lsched_jobs_remove(h->c, &id, 1, NULL, NULL, &h->err);
}

typedef int32_t (*step_fn)(struct host *h);
/* The node keeps off the task that was rejected for a while. */
static int32_t later_cycle(struct host *h) {
    return cycle_at(h, h->now_us + 11 * SECOND);
}

static const step_fn steps[] = {step_create, add_nodes,   add_queues,  load_policy, step_borrow,
                                cycle,       confirm_all, step_start,  step_want,   cycle,
                                step_reject, step_verify, later_cycle, confirm_all, step_clone,
                                step_stop,   cycle,       step_verify, confirm_all, step_start,
                                cycle,       step_lose,   cycle,       step_remove, cycle};

/* Runs all steps, the nth allocation failing; the image at the end. */
static uint64_t run_steps(uint64_t n, uint64_t *calls) {
    struct host h = {.now_us = INT64_C(1700000000000000), .err = LSCHED_ERROR_INIT};
    h.memory.fail_at = n;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        uint64_t before = h.c ? image(h.c) : 0;
        int64_t now_us = h.now_us;
        int32_t rc = steps[i](&h);
        if (rc >= 0) continue;
        if (rc != LSCHED_E_NOMEM || h.memory.failures == 0)
            fail_msg("allocation %llu, step %zu: %d %s", (unsigned long long)n, i, rc,
                     h.err.message);
        if (h.c && image(h.c) != before)
            fail_msg("allocation %llu, step %zu: something changed", (unsigned long long)n, i);
        h.memory.fail_at = 0;
        h.now_us = now_us;
        rc = steps[i](&h);
        if (rc < 0)
            fail_msg("allocation %llu, step %zu, again: %d %s", (unsigned long long)n, i, rc,
                     h.err.message);
    }
    uint64_t end = image(h.c);
    *calls = h.memory.calls;
    lsched_plan_destroy(h.plan);
    lsched_cluster_destroy(h.c);
    assert_int_equal(h.memory.live_blocks, 0);
    assert_int_equal(h.memory.wrong_sizes, 0);
    return end;
}

static void every_allocation_may_fail(void **unused) {
    (void)unused;
    uint64_t calls, ignored, end = run_steps(0, &calls);
    const char *scale = getenv("LSCHED_TEST_SCALE");
    uint64_t step = scale && atoi(scale) > 100 ? 1 : calls / 400 + 1;
    print_message("%llu allocations, every %llu fails\n", (unsigned long long)calls,
                  (unsigned long long)step);
    for (uint64_t n = 1; n <= calls; n += step)
        if (run_steps(n, &ignored) != end)
            fail_msg("allocation %llu: another state at the end", (unsigned long long)n);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_host, close_host)
    const struct CMUnitTest tests[] = {
        TEST(evicted_confirmed_stopped_placed),
        TEST(refused_evictions_leave_all_as_it_was),
        TEST(it_may_end_before_it_stops),
        TEST(a_job_that_is_removed_frees_what_it_left),
        TEST(claims_go_with_their_job_and_evictions_with_claims),
        TEST(nodes_go_with_what_leaves_and_what_is_claimed),
        TEST(what_does_not_stop_is_stuck),
        TEST(room_that_came_late_but_in_time_is_taken),
        TEST(what_was_told_to_stop_before_is_imported),
        TEST(what_leaves_is_not_imported),
        TEST(a_move_is_a_stop_and_a_start),
        TEST(a_move_that_starts_elsewhere_keeps_its_age),
        TEST(copies_have_all_that_is_open),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
