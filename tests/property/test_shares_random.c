/* Random hosts whose devices are shared in every mode, with memory, limits, SMs, isolation, orders, queues' limits and collisions: after each
 * cycle the verifier counts everything anew, no device is given beyond what it has, and a copy goes on as the original. LSCHED_TEST_SEED and
 * LSCHED_TEST_ROUNDS choose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include "support/settle.h"

#define GIB   (INT64_C(1) << 30)
#define NODES 4u
#define JOBS  96u

struct host {
    lsched_cluster *c;
    uint64_t random;
    int64_t now;
    lsched_id nodes[NODES], jobs[JOBS];
    uint32_t n_jobs, names, devices[NODES];
    uint64_t decisions[10], cycles, copies, collisions;
    lsched_error err;
};

static uint32_t draw(struct host *h, uint32_t n) {
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((h->random >> 33) % n);
}

static void must(const struct host *h, int32_t code) {
    if (code < 0) print_message("%d %s\n", (int)code, h->err.message);
    assert_true(code >= 0);
}

static void add_nodes(struct host *h) {
    static const int64_t memories[] = {0, 16 * GIB, 24 * GIB, 80 * GIB};
    static const uint32_t overs[] = {0, 1000, 1300, 2000},
                          modes[] = {LSCHED_SHARING_WHOLE, LSCHED_SHARING_FRACTION,
                                     LSCHED_SHARING_MPS, LSCHED_SHARING_TIME_SLICE};
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        lsched_amount cpu = {LSCHED_CPU, 0, 64000};
        lsched_device_desc d[2] = {LSCHED_DEVICE_DESC_INIT, LSCHED_DEVICE_DESC_INIT};
        lsched_node_desc n = LSCHED_NODE_DESC_INIT;
        h->devices[i] = 0;
        for (uint32_t j = 0; j < 2; j++) {
            d[j].count = 1 + draw(h, 2);
            d[j].model = draw(h, 2) ? (lsched_text){"A", 1} : (lsched_text){"B", 1};
            d[j].memory_bytes = memories[draw(h, 4)];
            d[j].sm_count = draw(h, 2) ? 20 + draw(h, 113) : 0;
            d[j].share_mode = modes[draw(h, 4)];
            if (d[j].share_mode > LSCHED_SHARING_WHOLE && d[j].memory_bytes)
                d[j].memory_overcommit_milli = overs[draw(h, 4)];
            h->devices[i] += d[j].count;
        }
        n.name = (lsched_text){name, (size_t)snprintf(name, sizeof name, "n%u", i)};
        n.capacity = &cpu;
        n.n_capacity = 1;
        n.devices = d;
        n.n_devices = 2;
        must(h, lsched_nodes_add(h->c, &n, 1, sizeof n, NULL, &h->nodes[i], NULL, &h->err));
    }
}

static void add_queues(struct host *h) {
    lsched_amount limit = {LSCHED_GPU, 0, 1500 + draw(h, 3000)},
                  quota = {LSCHED_GPU, 0, 1000 + draw(h, 4000)};
    lsched_queue_desc q[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    q[0].name = (lsched_text){"p", 1};
    q[1].name = (lsched_text){"q", 1};
    q[0].limit = &limit;
    q[0].n_limit = 1;
    q[1].quota = &quota;
    q[1].n_quota = 1;
    must(h, lsched_queues_add(h->c, q, 2, sizeof q[0], NULL, NULL, NULL, &h->err));
}

static void submit(struct host *h) {
    static const lsched_text model = {"A", 1};
    char name[16];
    lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc j = LSCHED_JOB_DESC_INIT;
    if (h->n_jobs == JOBS) return;
    if (draw(h, 2)) r.share_milli = 1 + draw(h, draw(h, 4) ? 500 : 1000);
    if (draw(h, 2)) r.memory_bytes = 1 + (int64_t)draw(h, 30) * GIB;
    if ((r.memory_bytes || r.share_milli) && draw(h, 2))
        r.memory_limit_bytes = r.memory_bytes + (int64_t)draw(h, 40) * GIB;
    if (draw(h, 3) == 0) r.sm_count = 1 + draw(h, 60);
    if (draw(h, 4) == 0) r.isolation = draw(h, 3);
    r.order = draw(h, 3);
    if (draw(h, 4) == 0) r.devices = 2;
    if (draw(h, 5) == 0) r.models = &model, r.n_models = 1;
    g.max_count = 1 + draw(h, 3);
    g.min_count = draw(h, 2) ? g.max_count : 1;
    g.device_requests = &r;
    g.n_device_requests = 1;
    g.device_request_elem_size = sizeof r;
    j.name = (lsched_text){name, (size_t)snprintf(name, sizeof name, "j%u", h->names++)};
    j.queue_name = draw(h, 2) ? (lsched_text){"p", 1} : (lsched_text){"q", 1};
    j.priority = (int32_t)draw(h, 4);
    j.flags = draw(h, 4) ? 0 : LSCHED_JOB_NON_PREEMPTIBLE;
    j.groups = &g;
    j.n_groups = 1;
    must(h, lsched_jobs_submit(h->c, &j, 1, sizeof j, NULL, &h->jobs[h->n_jobs], NULL, &h->err));
    h->n_jobs++;
}

static void end_some(struct host *h) {
    for (uint32_t i = 0; i < h->n_jobs;) {
        lsched_task_info info = {.size = sizeof info};
        uint64_t cursor = 0;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        if (!lsched_name(h->c, h->jobs[i], NULL)) {
            h->jobs[i] = h->jobs[--h->n_jobs];
            continue;
        }
        if (draw(h, 4) == 0 && lsched_tasks_next(h->c, h->jobs[i], 0, &cursor, &info, NULL) == 1 &&
            (info.state == LSCHED_TASK_RUNNING || info.state == LSCHED_TASK_RELEASING)) {
            e.event = draw(h, 2) ? LSCHED_EVENT_ENDED : LSCHED_EVENT_FAILED;
            e.job = info.job;
            e.task_index = info.task_index;
            must(h, lsched_tasks_report(h->c, &e, 1, sizeof e, NULL, NULL, &h->err));
        }
        i++;
    }
}

static void collide(struct host *h) {
    lsched_collision c = LSCHED_COLLISION_INIT;
    uint32_t node = draw(h, NODES);
    c.node = h->nodes[node];
    c.device = draw(h, h->devices[node]);
    c.need_bytes = draw(h, 2) ? (int64_t)draw(h, 40) * GIB : 0;
    must(h, lsched_collisions_report(h->c, &c, 1, sizeof c, NULL, NULL, &h->err));
    h->collisions++;
}

/* Most are confirmed; what is placed starts, what is to stop stops, now or never. */
static void settle(struct host *h, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = draw(h, 6) ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        h->decisions[d->kind]++;
        if (lsched_decision_state(h->c, d->id, NULL) != LSCHED_DECISION_PROPOSED || draw(h, 8) == 0)
            continue;
        must(h, settle_each(h->c, &d->id, &how, 1, NULL, &h->err));
        if (how != LSCHED_OUTCOME_CONFIRMED || draw(h, 4) == 0) continue;
        e.event = d->kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
        e.job = d->job;
        e.task_index = d->task_index;
        if (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_EVICT ||
            d->kind == LSCHED_DECIDE_MIGRATE)
            must(h, lsched_tasks_report(h->c, &e, 1, sizeof e, NULL, NULL, &h->err));
    }
}

static lsched_plan *cycle(struct host *h, lsched_cluster *c) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = h->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    o.decisions_max = draw(h, 5) ? 0 : 3;
    uint64_t before = h->random;
    int32_t rc = lsched_schedule(c, &o, &plan, &h->err);
    h->random = before;
    must(h, rc);
    return plan;
}

static void step(struct host *h) {
    h->now += INT64_C(1000000) * (1 + draw(h, 100));
    for (uint32_t n = draw(h, 4); n > 0; n--) submit(h);
    end_some(h);
    if (draw(h, 2)) collide(h);
    lsched_cluster *copy = NULL;
    uint64_t random = h->random, a, b;
    if (draw(h, 4) == 0) must(h, lsched_cluster_clone(h->c, &copy, &h->err));
    h->random = random;
    lsched_plan *plan = cycle(h, h->c);
    if (copy) {
        h->random = random;
        lsched_plan *other = cycle(h, copy);
        must(h, lsched_cluster_hash(h->c, LSCHED_HASH_MEANING, &a, NULL));
        must(h, lsched_cluster_hash(copy, LSCHED_HASH_MEANING, &b, NULL));
        assert_true(a == b && lsched_plan_size(plan) == lsched_plan_size(other));
        lsched_plan_destroy(other);
        lsched_cluster_destroy(copy);
        h->copies++;
    }
    h->cycles++;
    settle(h, plan);
    lsched_plan_destroy(plan);
    must(h, lsched_verify(h->c, NULL, &h->err));
}

static const char *const policies[] = {
    NULL,
    "return { api = 1, pipeline = { 'allocate', 'reclaim', 'preempt', 'consolidate', 'evict-stale-gangs' }, fair_share = 'quota' }",
    "return { api = 1, pipeline = { 'allocate', 'preempt' }, eviction = { collision = 'swap' } }",
    "return { api = 1, pipeline = { 'allocate', 'reclaim', 'preempt' }, fair_share = 'quota', eviction = { collision = 'evict' } }"};

static uint64_t from_environment(const char *name, uint64_t other) {
    const char *s = getenv(name);
    return s ? strtoull(s, NULL, 10) : other;
}

static void every_count_is_right(void **unused) {
    uint64_t first = from_environment("LSCHED_TEST_SEED", 1),
             rounds = from_environment("LSCHED_TEST_ROUNDS", 60);
    uint64_t kinds[10] = {0}, cycles = 0, copies = 0;
    (void)unused;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct host h = {.random = seed, .now = 1000000, .err = LSCHED_ERROR_INIT};
        const char *policy = policies[seed % 4];
        if (getenv("LSCHED_TEST_SHOW")) print_message("seed %llu\n", (unsigned long long)seed);
        must(&h, lsched_cluster_create(NULL, &h.c, &h.err));
        if (policy)
            must(&h,
                 lsched_policy_load(h.c, LSCHED_TEXT("random"), lsched_cstr(policy), NULL, &h.err));
        add_nodes(&h);
        add_queues(&h);
        for (int i = 0; i < 40; i++) step(&h);
        for (int i = 0; i < 10; i++) kinds[i] += h.decisions[i];
        cycles += h.cycles;
        copies += h.copies;
        lsched_cluster_destroy(h.c);
    }
    print_message(
        "%llu cycles, %llu copies; placed %llu, nominated %llu, evicted %llu, moved %llu, "
        "swapped out %llu, paused %llu, resumed %llu\n",
        (unsigned long long)cycles, (unsigned long long)copies,
        (unsigned long long)kinds[LSCHED_DECIDE_PLACE],
        (unsigned long long)kinds[LSCHED_DECIDE_NOMINATE],
        (unsigned long long)kinds[LSCHED_DECIDE_EVICT],
        (unsigned long long)kinds[LSCHED_DECIDE_MIGRATE],
        (unsigned long long)kinds[LSCHED_DECIDE_SUSPEND],
        (unsigned long long)kinds[LSCHED_DECIDE_PAUSE],
        (unsigned long long)kinds[LSCHED_DECIDE_RESUME]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_count_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
