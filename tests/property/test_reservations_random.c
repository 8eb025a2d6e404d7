/*
 * test_reservations_random.c -- no task of others starts on a node that it could still hold in a
 * window of a reservation, no work of a holder stops in its window for a job of others, and each
 * job that a node could take starts.
 *
 * The outside model knows for each node who holds it, and the list of its windows, written out one
 * by one. After each cycle it compares each start, each nomination and each eviction with the list,
 * and in worlds that neither plan nor evict each waiting job with each node that has room. In
 * between, reservations are made, changed and ended, and the run continues with a clone or with a
 * cluster that was saved and loaded, whose plans are those of the original. Every cycle is verified.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one world.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/plans.h>
#include <libsched/policies.h>
#include <libsched/reservations.h>

#include "api/calls/skip_check.h"
#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "support/settle.h"

enum { NODES = 4, JOBS = 48, WINDOWS = 1024, CORES = 4, QUEUES = 4, WORLDS = 160, STEPS = 30 };
#define MINUTE INT64_C(60000000)

/* the queue above each queue; org is above a and b, and o stands alone */
static const char *const queue_name[QUEUES] = {"org", "a", "b", "o"};
static const uint32_t queue_above[QUEUES] = {QUEUES, 0, 0, QUEUES};

enum { PLAIN, PLANS, BACKFILLS, EVICTS, KINDS };

struct window {
    int64_t from, to;
};

struct held_node {
    uint32_t holder; /* index of the queue; QUEUES: the node is in no reservation */
    uint32_t n;
    struct window window[WINDOWS];
};

struct held_job {
    lsched_id id;
    uint32_t queue;
    int64_t runs, cores; /* runs 0: unknown */
};

struct reserved_world {
    struct chance chance;
    uint64_t seed;
    uint32_t step, kind;
    lsched_cluster *c;
    lsched_error err;
    lsched_id node[NODES];
    struct held_node held[NODES];
    struct held_job job[JOBS];
    uint32_t n_jobs;
    int64_t now;
    uint64_t starts, waits, windows, spared, evicted;
};

#define CHECK(w, condition, ...)                                                                 \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            print_error("seed %llu step %u: %s: %s\n", (unsigned long long)(w)->seed, (w)->step, \
                        #condition, (w)->err.message);                                           \
            fail_msg(__VA_ARGS__);                                                               \
        }                                                                                        \
    } while (0)

/* ---- the model ---- */

static int is_within(uint32_t queue, uint32_t top) {
    while (queue != QUEUES && queue != top) queue = queue_above[queue];
    return queue == top && top != QUEUES;
}

static int is_barred(const struct reserved_world *w, uint32_t n, const struct held_job *job,
                     int64_t at) {
    const struct held_node *h = &w->held[n];
    if (is_within(job->queue, h->holder)) return 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (h->window[i].to > at && (job->runs == 0 || h->window[i].from < at + job->runs))
            return 1;
    return 0;
}

static int is_open(const struct reserved_world *w, uint32_t n) {
    const struct held_node *h = &w->held[n];
    for (uint32_t i = 0; i < h->n; i++)
        if (h->window[i].from <= w->now && w->now < h->window[i].to) return 1;
    return 0;
}

static uint32_t node_at(const struct reserved_world *w, lsched_id id) {
    uint32_t n = 0;
    while (w->node[n] != id) n++;
    return n;
}

static const struct held_job *job_at(const struct reserved_world *w, lsched_id id) {
    uint32_t j = 0;
    while (w->job[j].id != id) j++;
    return &w->job[j];
}

/* ---- changes ---- */

/* Makes a reservation of one node, changes it, or ends it. The node's name is that of its
 * reservation. */
static void change_reservation(struct reserved_world *w) {
    struct chance *c = &w->chance;
    uint32_t n = chance_below(c, NODES);
    struct held_node *h = &w->held[n];
    char name[8];
    snprintf(name, sizeof name, "n%u", n);
    lsched_text of = lsched_cstr(name);
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    h->n = 0;
    h->holder = QUEUES;
    if (chance_one_in(c, 4)) {
        CHECK(w, lsched_reservations_remove(w->c, &of, 1, &opts, NULL, &w->err) >= 0, "end");
        return;
    }
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name = of;
    d.node_names = &of;
    d.n_node_names = 1;
    h->holder = chance_below(c, QUEUES);
    d.queue_name = lsched_cstr(queue_name[h->holder]);
    d.start_us = w->now + chance_between(c, -60, 200) * MINUTE;
    if (d.start_us < 0) d.start_us = 0;
    d.end_us = w->now + chance_between(c, 1, 60) * MINUTE;
    if (d.end_us <= d.start_us) d.end_us = d.start_us + chance_between(c, 1, 120) * MINUTE;
    int64_t takes = d.end_us - d.start_us;
    d.every_us = chance_one_in(c, 2) ? 0 : takes + chance_between(c, 1, 300) * MINUTE;
    CHECK(w, lsched_reservations_set(w->c, &d, 1, sizeof d, NULL, NULL, &w->err) == 1, "set");
    for (uint32_t i = 0; i < (d.every_us ? (uint32_t)WINDOWS : 1u); i++)
        h->window[h->n++] = (struct window){d.start_us + i * d.every_us, d.end_us + i * d.every_us};
    w->windows++;
}

static void add_job(struct reserved_world *w) {
    struct chance *c = &w->chance;
    struct held_job *job = &w->job[w->n_jobs];
    char name[8];
    snprintf(name, sizeof name, "j%u", w->n_jobs++);
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 1000 + 1000 * chance_below(c, 4)};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.name = LSCHED_TEXT("t");
    g.max_count = 1;
    g.request = &cores;
    g.n_request = 1;
    job->queue = 1 + chance_below(c, 3);
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue_name[job->queue]);
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.priority = (int32_t)chance_below(c, 3);
    if (!chance_one_in(c, 4)) d.duration_us = chance_between(c, 1, 200) * MINUTE;
    job->cores = cores.amount;
    job->runs = d.duration_us;
    CHECK(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &job->id, NULL, &w->err) == 1, "add");
}

struct bytes {
    char *p;
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct bytes *b = user;
    b->p = realloc(b->p, b->n + n);
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

/* Lets the cycles of the cluster compare their caches and skipped searches with cold ones. */
static void watch(struct reserved_world *w) {
    if (w->seed % 8 < 4) cache_check_on(w->c);
    skip_check_on(w->c, chance_skips());
}

/* The run continues with a copy. */
static void replace_cluster(struct reserved_world *w) {
    lsched_cluster *other = NULL;
    uint64_t before, after;
    CHECK(w, lsched_cluster_hash(w->c, LSCHED_HASH_MEANING, &before, &w->err) >= 0, "hash");
    if (chance_one_in(&w->chance, 2)) {
        CHECK(w, lsched_cluster_clone(w->c, &other, &w->err) == LSCHED_OK, "clone");
    } else {
        struct bytes b = {NULL, 0};
        CHECK(w, lsched_cluster_save(w->c, append, &b, &w->err) == LSCHED_OK, "save");
        CHECK(w, lsched_cluster_load(NULL, b.p, b.n, &other, &w->err) == LSCHED_OK, "load");
        free(b.p);
    }
    CHECK(w, lsched_cluster_hash(other, LSCHED_HASH_MEANING, &after, &w->err) >= 0, "hash");
    CHECK(w, before == after, "the copy means something else");
    lsched_cluster_destroy(w->c);
    w->c = other;
    watch(w);
}

/* ---- what a cycle may do ---- */

static void check_plan(struct reserved_world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        uint32_t n = node_at(w, d->node);
        const struct held_job *job = job_at(w, d->job);
        uint64_t starts = d->kind == LSCHED_DECIDE_PLACE, waits = d->kind == LSCHED_DECIDE_NOMINATE;
        if (starts || waits)
            CHECK(w, !is_barred(w, n, job, waits && d->at_us > w->now ? d->at_us : w->now),
                  "%.1s starts on n%u in a window of another queue", queue_name[job->queue], n);
        w->starts += starts;
        if (d->kind != LSCHED_DECIDE_EVICT || !d->for_job) continue;
        uint32_t other = job_at(w, d->for_job)->queue, holder = w->held[n].holder;
        w->evicted++;
        CHECK(w, !is_open(w, n) || !is_within(job->queue, holder) || is_within(other, holder),
              "work of %.1s stops on n%u in its window", queue_name[job->queue], n);
    }
}

static void check_waiting(struct reserved_world *w, int may_start) {
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        lsched_job_info job = {.size = sizeof job};
        if (!w->job[j].id || lsched_job_get(w->c, w->job[j].id, &job, NULL) != LSCHED_OK ||
            job.tasks_placed)
            continue;
        w->waits++;
        for (uint32_t n = 0; may_start && n < NODES; n++) {
            lsched_node_info node = {.size = sizeof node};
            CHECK(w, lsched_node_get(w->c, w->node[n], &node, NULL) == LSCHED_OK, "node");
            CHECK(w, node.cpu_free_milli < w->job[j].cores || is_barred(w, n, &w->job[j], w->now),
                  "j%u waits although n%u can take it", j, n);
        }
    }
}

/* A reservation exists as long as the model has a window of it that is not over. */
static void check_list(struct reserved_world *w) {
    lsched_reservation_info r = LSCHED_RESERVATION_INFO_INIT;
    for (uint32_t n = 0; n < NODES; n++) {
        const struct held_node *h = &w->held[n];
        char name[8];
        uint32_t i = 0;
        snprintf(name, sizeof name, "n%u", n);
        while (i < h->n && h->window[i].to <= w->now) i++;
        int32_t rc = lsched_reservation_get(w->c, lsched_cstr(name), &r, &w->err);
        CHECK(w, rc == (i < h->n ? LSCHED_OK : LSCHED_E_NOENT), "n%u: %d", n, rc);
        CHECK(w, rc || (r.next_start_us == h->window[i].from && r.next_end_us == h->window[i].to),
              "n%u: another window is next", n);
    }
}

/* Does as the plan says, and ends some of what runs. */
static void obey(struct reserved_world *w, const lsched_plan *plan) {
    const lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        lsched_id id = lsched_plan_at(plan, i)->id;
        if (lsched_decision_state(w->c, id, NULL) == LSCHED_DECISION_PROPOSED)
            CHECK(w, settle_each(w->c, &id, &yes, 1, NULL, &w->err) >= 0, "settle");
    }
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        if (!w->job[j].id || lsched_tasks_next(w->c, w->job[j].id, 0, &cursor, &t, NULL) != 1)
            continue;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = w->job[j].id;
        e.event = t.state == LSCHED_TASK_RELEASING ? LSCHED_EVENT_FAILED : LSCHED_EVENT_STARTED;
        if (t.state == LSCHED_TASK_RUNNING && chance_one_in(&w->chance, 6)) {
            CHECK(w, lsched_jobs_remove(w->c, &w->job[j].id, 1, NULL, NULL, &w->err) == 1, "end");
            w->job[j].id = 0;
        } else if (t.state == LSCHED_TASK_CONFIRMED ||
                   (t.state == LSCHED_TASK_RELEASING && chance_one_in(&w->chance, 2))) {
            CHECK(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &w->err) == 1, "event");
        }
    }
}

static void make_world(struct reserved_world *w) {
    static const char *const policy[KINDS] = {
        [PLAIN] = "return { api = 1, name = 'p', pipeline = { 'allocate' } }",
        [PLANS] = "return { api = 1, name = 'p', pipeline = { 'ts-dpbp' } }",
        [BACKFILLS] = "return { api = 1, name = 'p', pipeline = { 'backfill' }, "
                      "params = { backfill_firm = 2 } }",
        [EVICTS] = "return { api = 1, name = 'p', fair_share = 'quota', "
                   "pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt' } }"};
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = CORES * 1000};
    CHECK(w, lsched_cluster_create(NULL, &w->c, &w->err) == LSCHED_OK, "create");
    CHECK(w,
          lsched_policy_load(w->c, LSCHED_TEXT("p"), lsched_cstr(policy[w->kind]), NULL, &w->err) ==
              LSCHED_OK,
          "policy");
    for (uint32_t q = 0; q < QUEUES; q++) {
        lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
        d.name = lsched_cstr(queue_name[q]);
        if (queue_above[q] != QUEUES) d.parent_name = lsched_cstr(queue_name[queue_above[q]]);
        d.quota = &cores;
        d.n_quota = w->kind == EVICTS && q > 0;
        CHECK(w, lsched_queues_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err) == 1, "queue");
    }
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", n);
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = &cores;
        d.n_capacity = 1;
        w->held[n].holder = QUEUES;
        CHECK(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &w->node[n], NULL, &w->err) == 1,
              "node");
    }
    watch(w);
}

static void run_world(struct reserved_world *w, uint64_t seed) {
    w->seed = seed;
    w->chance.state = seed ^ 0x5e5e7;
    w->kind = (uint32_t)(seed % KINDS);
    w->n_jobs = 0;
    w->now = 0;
    w->err = (lsched_error)LSCHED_ERROR_INIT;
    memset(w->held, 0, sizeof w->held);
    make_world(w);
    for (w->step = 0; w->step < STEPS; w->step++) {
        lsched_plan *plan = NULL;
        w->now += chance_between(&w->chance, 0, 40) * MINUTE;
        if (w->step && chance_one_in(&w->chance, 12)) replace_cluster(w);
        for (uint32_t n = chance_below(&w->chance, 5); n > 0 && w->n_jobs < JOBS; n--) add_job(w);
        lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
        o.now_us = w->now;
        o.flags = LSCHED_SCHEDULE_VERIFY;
        CHECK(w, lsched_schedule(w->c, &o, &plan, &w->err) == LSCHED_OK, "schedule");
        check_plan(w, plan);
        check_waiting(w, w->kind == PLAIN);
        check_list(w);
        obey(w, plan);
        lsched_plan_destroy(plan);
        if (chance_one_in(&w->chance, 3)) change_reservation(w);
    }
    lsched_cluster_destroy(w->c);
}

static void no_window_is_used_by_others(void **unused) {
    (void)unused;
    static struct reserved_world w;
    uint64_t seed = chance_seed(1), n = chance_rounds(WORLDS);
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) run_world(&w, seed + i);
    print_message("%llu starts, %llu jobs that waited for a cycle, %llu reservations, %llu stops\n",
                  (unsigned long long)w.starts, (unsigned long long)w.waits,
                  (unsigned long long)w.windows, (unsigned long long)w.evicted);
    assert_true(chance_enough(w.starts, 4000, WORLDS));
    assert_true(chance_enough(w.evicted, 200, WORLDS));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_window_is_used_by_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
