/*
 * No job that a plan over time can describe sleeps while the plan would say something else of it.
 * On random clusters, with wide and narrow jobs of known and unknown run times, each of the actions
 * that plan over time runs a cycle after each random event: nodes are cordoned, join, leave and
 * change their size, work ends, fails or gets another estimate or time limit, jobs come and go,
 * change their priority or are held, and the policy changes. Then two copies of the cluster run the
 * same cycle again, the second one with all bundles woken by force that wait for a change. Both
 * make the same decisions, and in both the same jobs have a planned start, at the same time.
 *
 * The copies have read no node before, and the cluster itself keeps the nodes over time from cycle to
 * cycle. In each of its cycles it makes the same plan as a copy, and each job waits for the same.
 * A job that gives way to planned work waits until a time: with nothing to wait for, it would sleep
 * beside idle nodes.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "engine/state/cluster.h"
#include "model/jobs/bundle.h"
#include "property/chance.h"
#include "support/report_all.h"
#include "support/settle.h"

#define JOBS_MAX  60u
#define NODES_MAX 6u
#define STEPS     50u
#define SHAPES    6u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)

struct work {
    char name[16];
    lsched_id id;
    int64_t length, limit, start; /* length and limit 0: unknown; start -1: the job waits */
    uint32_t tasks;
    int is_there;
};

struct site {
    lsched_cluster *c;
    struct chance chance;
    struct chance
        exclusive; /* of racks and exclusive levels alone, so that seeds keep their meaning */
    int has_exclusive;
    int64_t now;
    uint32_t n_nodes, n_queues, n_jobs, policy;
    int runs_over; /* work is not ended in time, so planned starts move without an event */
    lsched_id node[NODES_MAX];
    uint32_t shape_tasks[SHAPES], shape_kinds[SHAPES];
    int64_t shape_gpus[SHAPES], shape_cpu[SHAPES];
    struct work job[JOBS_MAX];
    const char *event;
    uint32_t step;
};

static uint64_t seed_now, first_seed, rounds, starts, planned, unplanned, woken, compared;
static struct site site;

#define OK(call)                                                                               \
    do {                                                                                       \
        int64_t ok_code = (call);                                                              \
        if (ok_code < 0)                                                                       \
            fail_msg("seed %llu, step %u, %s: %s: %lld %s", (unsigned long long)seed_now,      \
                     (unsigned)site.step, site.event, #call, (long long)ok_code, err.message); \
    } while (0)

/* ---- the world ---- */

static const char *const policies[] = {
    "order = 'fifo', pipeline = { 'backfill' }",
    "order = 'fifo', pipeline = { 'ts-dpbp' }",
    "order = 'fifo', pipeline = { 'backfill' }, params = { backfill_reservations = 0 }",
    "order = 'fifo', pipeline = { 'backfill' }, params = { backfill_order = 2 }",
    "order = 'fifo', pipeline = { 'backfill' }, params = { backfill_order = 0 }",
    "pipeline = { 'ts-dpbp' }, params = { ts_window = 100 }",
    "order = 'fifo', pipeline = { 'ts-dpbp', 'allocate' }, params = { ts_work = 0 }",
    "pipeline = { 'drain', 'backfill', 'evict-stale-gangs' }",
    "order = 'fifo', pipeline = { 'allocate' }"};

static void load_policy(struct site *s, uint32_t which) {
    lsched_error err = LSCHED_ERROR_INIT;
    char text[300];
    s->policy = which;
    snprintf(text, sizeof text, "return { api = 1, name = 'p', fair_share = 'fifo', %s }",
             policies[which]);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
}

static void add_node(struct site *s, uint32_t i) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[16];
    snprintf(name, sizeof name, "n%u-%u", (unsigned)i, (unsigned)s->step);
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * chance_between(&s->chance, 8, 32)};
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    devices.count = 1 + chance_below(&s->chance, 8);
    devices.model = LSCHED_TEXT("gpu");
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = lsched_cstr(name);
    node.devices = &devices;
    node.n_devices = 1;
    node.capacity = &cpu;
    node.n_capacity = 1;
    lsched_label rack = {LSCHED_TEXT("rack"), LSCHED_TEXT("a")};
    if (chance_one_in(&s->exclusive, 2)) rack.value = LSCHED_TEXT("b");
    node.labels = &rack;
    node.n_labels = s->has_exclusive ? 1 : 0;
    OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &s->node[i], NULL, &err));
}

static void add_racks(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text level = LSCHED_TEXT("rack");
    lsched_topology_desc racks = {.size = sizeof racks, .n_levels = 1};
    racks.name = LSCHED_TEXT("net");
    racks.levels = &level;
    OK(lsched_topologies_add(s->c, &racks, 1, sizeof racks, NULL, NULL, NULL, &err));
}

static void make(struct site *s, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    memset(s, 0, sizeof *s);
    s->chance.state = seed;
    s->exclusive.state = seed ^ 0xe8c1;
    s->has_exclusive = chance_one_in(&s->exclusive, 2);
    s->event = "begin";
    s->now = START;
    s->n_nodes = 1 + chance_below(&s->chance, NODES_MAX);
    s->n_queues = chance_one_in(&s->chance, 2) ? 1 : 2;
    s->runs_over = chance_one_in(&s->chance, 4);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.verify_every_plan = 1;
    OK(lsched_cluster_create(&opts, &s->c, &err));
    cache_check_on(s->c);
    if (s->has_exclusive) add_racks(s);
    for (uint32_t i = 0; i < s->n_nodes; i++) add_node(s, i);
    for (uint32_t i = 0; i < SHAPES; i++) {
        static const int64_t gpus[] = {1, 1, 2, 2, 4, 8};
        s->shape_tasks[i] = chance_one_in(&s->chance, 2) ? 1 : 1 + chance_below(&s->chance, 4);
        s->shape_gpus[i] = gpus[chance_below(&s->chance, 6)];
        s->shape_cpu[i] = chance_between(&s->chance, 1, 4);
        s->shape_kinds[i] = chance_one_in(&s->chance, 3) ? 2 : 1;
    }
    for (uint32_t q = 0; q < s->n_queues; q++) {
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = q ? LSCHED_TEXT("q1") : LSCHED_TEXT("q0");
        lsched_id id;
        OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    }
    load_policy(s, chance_below(&s->chance, 8));
}

/* ---- events ---- */

static int64_t some_length(struct site *s) {
    return chance_one_in(&s->chance, 4) ? 0 : chance_between(&s->chance, 1, 24) * HOUR / 4;
}

static void submit(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t shape = chance_below(&s->chance, SHAPES);
    if (s->n_jobs == JOBS_MAX) return;
    struct work *w = &s->job[s->n_jobs];
    snprintf(w->name, sizeof w->name, "j%02u", (unsigned)s->n_jobs++);
    w->tasks = s->shape_tasks[shape];
    w->length = some_length(s);
    w->limit = chance_one_in(&s->chance, 4) ? chance_between(&s->chance, 12, 24) * HOUR / 2 : 0;
    lsched_amount request[] = {{LSCHED_GPU, 0, 1000 * s->shape_gpus[shape]},
                               {LSCHED_CPU, 0, 1000 * s->shape_cpu[shape]}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = w->tasks;
    group.request = request;
    group.n_request = s->shape_kinds[shape];
    if (s->has_exclusive && chance_one_in(&s->exclusive, 4)) {
        int is_node = chance_one_in(&s->exclusive, 3);
        group.exclusive_level = is_node ? LSCHED_TEXT("node") : LSCHED_TEXT("rack");
    }
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(w->name);
    job.queue_name =
        s->n_queues == 2 && chance_one_in(&s->chance, 2) ? LSCHED_TEXT("q1") : LSCHED_TEXT("q0");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = s->now;
    job.priority = chance_one_in(&s->chance, 5) ? (int32_t)chance_below(&s->chance, 3) : 0;
    job.duration_us = w->length;
    job.time_limit_us = w->limit;
    OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &w->id, NULL, &err));
    w->start = -1;
    w->is_there = 1;
}

static void submit_some(struct site *s) {
    for (uint32_t n = 1 + chance_below(&s->chance, 4); n > 0; n--) submit(s);
}

static void report(struct site *s, struct work *w, uint32_t event, int64_t at) {
    lsched_error err = LSCHED_ERROR_INIT;
    OK(report_all(s->c, w->id, w->tasks, event, at, &err));
}

/* Returns a job that runs (runs 1) or waits, NULL if none was drawn. */
static struct work *some_job(struct site *s, int runs) {
    for (int i = 0; i < 20 && s->n_jobs; i++) {
        struct work *w = &s->job[chance_below(&s->chance, s->n_jobs)];
        if (w->is_there && (w->start >= 0) == runs) return w;
    }
    return NULL;
}

static void end_one(struct site *s) {
    struct work *w = some_job(s, 1);
    if (!w) return;
    int fails = chance_one_in(&s->chance, 4);
    report(s, w, fails ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED, s->now);
    w->start = -1;
    w->is_there = fails;
}

static void update_job(struct site *s, uint32_t set, int runs) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = some_job(s, runs);
    if (!w) return;
    if (set == LSCHED_JOB_SET_DURATION) w->length = some_length(s);
    if (set == LSCHED_JOB_SET_TIME_LIMIT)
        w->limit = chance_one_in(&s->chance, 3) ? 0 : chance_between(&s->chance, 1, 48) * HOUR / 4;
    lsched_job_update u = {.size = sizeof u, .job = w->id, .set = set};
    u.duration_us = w->length;
    u.time_limit_us = w->limit;
    u.priority = (int32_t)chance_below(&s->chance, 3);
    OK(lsched_jobs_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
}

static void change_duration(struct site *s) {
    update_job(s, LSCHED_JOB_SET_DURATION, !chance_one_in(&s->chance, 3));
}

static void change_limit(struct site *s) {
    update_job(s, LSCHED_JOB_SET_TIME_LIMIT, !chance_one_in(&s->chance, 3));
}

static void change_priority(struct site *s) {
    update_job(s, LSCHED_JOB_SET_PRIORITY, 0);
}

static void remove_job(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = some_job(s, chance_one_in(&s->chance, 2));
    if (!w) return;
    OK(lsched_jobs_remove(s->c, &w->id, 1, NULL, NULL, &err));
    w->is_there = 0;
}

static void hold_job(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = some_job(s, 0);
    if (!w) return;
    lsched_job_hold h = {.size = sizeof h, .job = w->id};
    h.until_us = chance_one_in(&s->chance, 3) ? 0 : s->now + HOUR;
    OK(lsched_jobs_hold(s->c, &h, 1, sizeof h, NULL, NULL, &err));
}

static void update_node(struct site *s, uint32_t set) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(&s->chance, s->n_nodes);
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * chance_between(&s->chance, 4, 40)};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    if (!s->node[i]) return;
    u.node = s->node[i];
    u.set = set;
    u.state = chance_one_in(&s->chance, 2) ? LSCHED_NODE_READY : LSCHED_NODE_CORDONED;
    u.capacity = &cpu;
    u.n_capacity = 1;
    u.tasks_max = chance_one_in(&s->chance, 2) ? 0 : 1 + chance_below(&s->chance, 6);
    OK(lsched_nodes_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
}

static void cordon(struct site *s) {
    update_node(s, LSCHED_NODE_SET_STATE);
}

static void resize_node(struct site *s) {
    update_node(s, LSCHED_NODE_SET_CAPACITY);
}

static void bound_node(struct site *s) {
    update_node(s, LSCHED_NODE_SET_TASKS_MAX);
}

/* A node leaves, with its tasks, or a node joins. */
static void replace_node(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(&s->chance, NODES_MAX);
    if (!s->node[i]) {
        add_node(s, i);
        if (i >= s->n_nodes) s->n_nodes = i + 1;
        return;
    }
    uint64_t cursor = 0;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        lsched_task_info t = {.size = sizeof t};
        int there = 0;
        for (cursor = 0; w->is_there && w->start >= 0 &&
                         lsched_tasks_next(s->c, w->id, 0, &cursor, &t, NULL) == 1;)
            there |= t.node == s->node[i];
        if (there) return; /* only an empty node leaves */
    }
    OK(lsched_nodes_remove(s->c, &s->node[i], 1, NULL, NULL, &err));
    s->node[i] = 0;
}

static void change_policy(struct site *s) {
    load_policy(s, chance_below(&s->chance, sizeof policies / sizeof *policies));
}

static void pass_time(struct site *s) {
    s->now += chance_between(&s->chance, 1, 60) * 60000000;
}

static const struct {
    const char *name;
    uint32_t weight;
    void (*run)(struct site *s);
} events[] = {{"submit", 16, submit_some},
              {"end", 8, end_one},
              {"duration", 8, change_duration},
              {"time limit", 6, change_limit},
              {"priority", 3, change_priority},
              {"remove", 4, remove_job},
              {"hold", 2, hold_job},
              {"cordon", 8, cordon},
              {"capacity", 5, resize_node},
              {"tasks_max", 3, bound_node},
              {"node", 4, replace_node},
              {"policy", 3, change_policy},
              {"time", 8, pass_time}};

/* ---- cycles ---- */

static int64_t end_of(const struct work *w) {
    int64_t length = w->length ? w->length : LSCHED_NEVER_US;
    if (w->limit && w->limit < length) length = w->limit;
    return length == LSCHED_NEVER_US ? length : w->start + length;
}

/* Ends all work that has run as long as it was expected to. */
static void end_in_time(struct site *s) {
    for (uint32_t j = 0; j < s->n_jobs && !s->runs_over; j++) {
        struct work *w = &s->job[j];
        if (!w->is_there || w->start < 0 || end_of(w) > s->now) continue;
        report(s, w, LSCHED_EVENT_ENDED, s->now);
        w->start = -1;
        w->is_there = 0;
    }
}

static lsched_waiting waits_of(struct site *s, lsched_cluster *c, uint32_t j) {
    lsched_error err = LSCHED_ERROR_INIT;
    char why[512];
    lsched_waiting w = {.size = sizeof w};
    OK(lsched_explain(c, s->job[j].id, why, sizeof why, &w, &err));
    return w;
}

/* Runs the cycle also on a copy, which is destroyed, and compares both plans and all waits. */
static lsched_plan *schedule_warm_and_cold(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *copy = NULL;
    lsched_plan *plan = NULL, *cold = NULL;
    lsched_plan_info info = {.size = sizeof info}, info_cold = {.size = sizeof info};
    opts.now_us = s->now;
    OK(lsched_cluster_clone(s->c, &copy, &err));
    OK(lsched_schedule(copy, &opts, &cold, &err));
    OK(lsched_schedule(s->c, &opts, &plan, &err));
    OK(lsched_plan_get(plan, &info, &err));
    OK(lsched_plan_get(cold, &info_cold, &err));
    if (info.plan_hash != info_cold.plan_hash)
        fail_msg("seed %llu, step %u, %s: %zu decisions, and %zu of a cold planner (%s)",
                 (unsigned long long)seed_now, (unsigned)s->step, s->event, lsched_plan_size(plan),
                 lsched_plan_size(cold), policies[s->policy]);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        if (!s->job[j].is_there || s->job[j].start >= 0) continue;
        lsched_waiting a = waits_of(s, s->c, j), b = waits_of(s, copy, j);
        if (a.code != b.code || a.until_us != b.until_us || a.plan_node != b.plan_node ||
            a.plan_job != b.plan_job)
            fail_msg("seed %llu, step %u, %s: %s waits until +%lld s, and until +%lld s for a cold "
                     "planner (%s)",
                     (unsigned long long)seed_now, (unsigned)s->step, s->event, s->job[j].name,
                     (long long)((a.until_us - START) / 1000000),
                     (long long)((b.until_us - START) / 1000000), policies[s->policy]);
        if (a.code == LSCHED_WAIT_PLANNED && a.until_us == LSCHED_NEVER_US)
            fail_msg(
                "seed %llu, step %u, %s: %s waits for planned work that starts at no time (%s)",
                (unsigned long long)seed_now, (unsigned)s->step, s->event, s->job[j].name,
                policies[s->policy]);
        compared++;
    }
    lsched_plan_destroy(cold);
    lsched_cluster_destroy(copy);
    return plan;
}

static void run_cycle(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = schedule_warm_and_cold(s);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        for (uint32_t j = 0; j < s->n_jobs; j++) {
            if (!s->job[j].is_there || s->job[j].id != d->job || s->job[j].start >= 0) continue;
            s->job[j].start = s->now;
            report(s, &s->job[j], LSCHED_EVENT_STARTED, s->now);
            starts++;
        }
    }
    lsched_plan_destroy(plan);
}

/* What a copy of the cluster decides in a cycle at this moment. */
struct outcome {
    size_t n;
    lsched_decision decision[64];
    lsched_waiting waits[JOBS_MAX];
};

/* Wakes all bundles that wait for a change. Those that wait for a time of their own, such as held
 * jobs, stay parked. */
static void wake_all(lsched_cluster *c) {
    struct columns *k = &c->k;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++)
        if (row_is_live(k, T_BUNDLE, b) && k->c[C_BUNDLE_STATE].u8[b] == BUNDLE_PARKED &&
            k->c[C_BUNDLE_LIST].u8[b] != PARKED_UNTIL && k->c[C_BUNDLE_LIST].u8[b] != PARKED_NEVER)
            bundle_wake(k, b);
}

static void decide(struct site *s, int forced, struct outcome *o) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *copy = NULL;
    lsched_plan *plan = NULL;
    opts.now_us = s->now;
    memset(o, 0, sizeof *o);
    OK(lsched_cluster_clone(s->c, &copy, &err));
    if (forced) wake_all(copy);
    OK(lsched_schedule(copy, &opts, &plan, &err));
    o->n = lsched_plan_size(plan);
    for (size_t i = 0; i < o->n && i < 64; i++) o->decision[i] = *lsched_plan_at(plan, i);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        char why[512];
        if (!s->job[j].is_there || s->job[j].start >= 0) continue;
        o->waits[j].size = sizeof o->waits[j];
        OK(lsched_explain(copy, s->job[j].id, why, sizeof why, &o->waits[j], &err));
    }
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
}

/* True if a second cycle in which nothing has changed must find the same starts. An action that
 * plans many starts begins with the nodes of the plan before, so it can find others. */
static int is_steady(const struct site *s) {
    return strstr(policies[s->policy], "'backfill'") && !strstr(policies[s->policy], "= 0");
}

static void check_same(struct site *s, const char *when) {
    static struct outcome as_is, forced;
    decide(s, 0, &as_is);
    decide(s, 1, &forced);
    for (size_t i = 0; (i < as_is.n || i < forced.n) && i < 64; i++)
        if (i >= as_is.n || i >= forced.n || as_is.decision[i].job != forced.decision[i].job ||
            as_is.decision[i].node != forced.decision[i].node)
            fail_msg("seed %llu, step %u, %s, %s: decision %zu differs of %zu and %zu (%s)",
                     (unsigned long long)seed_now, (unsigned)s->step, s->event, when, i, as_is.n,
                     forced.n, policies[s->policy]);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const lsched_waiting *a = &as_is.waits[j], *b = &forced.waits[j];
        int is_planned = b->code == LSCHED_WAIT_PLANNED && b->plan_node;
        planned += (uint64_t)is_planned;
        unplanned += b->code == LSCHED_WAIT_ROOM || b->code == LSCHED_WAIT_GANG;
        if (s->runs_over || (is_planned == (a->code == LSCHED_WAIT_PLANNED && a->plan_node) &&
                             (!is_planned || !is_steady(s) || a->until_us == b->until_us)))
            continue;
        fail_msg("seed %llu, step %u, %s, %s: %s waits with %s until +%lld s, all woken: %s until "
                 "+%lld s (%s)",
                 (unsigned long long)seed_now, (unsigned)s->step, s->event, when, s->job[j].name,
                 lsched_wait_name(a->code), (long long)((a->until_us - START) / 1000000),
                 lsched_wait_name(b->code), (long long)((b->until_us - START) / 1000000),
                 policies[s->policy]);
    }
    woken++;
}

static void test_none_sleeps(void **state) {
    (void)state;
    uint32_t total = 0;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) total += events[i].weight;
    for (uint64_t n = 0; n < rounds; n++) {
        struct site *s = &site;
        make(s, seed_now = first_seed + n);
        for (int i = 0; i < 8; i++) submit(s);
        for (s->step = 1; s->step <= STEPS; s->step++) {
            uint32_t drawn = chance_below(&s->chance, total);
            size_t i = 0;
            while (drawn >= events[i].weight) drawn -= events[i++].weight;
            s->event = events[i].name;
            events[i].run(s);
            end_in_time(s);
            check_same(s, "before the cycle");
            if (!chance_one_in(&s->chance, 4)) run_cycle(s);
            check_same(s, "after the cycle");
        }
        lsched_cluster_destroy(s->c);
    }
    print_message(
        "seeds %llu .. +%llu: %llu jobs started; at %llu times all jobs were woken, of "
        "which %llu had a planned start and %llu had none; %llu waits are those of a cold "
        "planner\n",
        (unsigned long long)first_seed, (unsigned long long)rounds, (unsigned long long)starts,
        (unsigned long long)woken, (unsigned long long)planned, (unsigned long long)unplanned,
        (unsigned long long)compared);
    assert_true(starts > 0 && (rounds < 20 || (planned > 0 && unplanned > 0)));
}

int main(void) {
    first_seed = chance_seed(1);
    rounds = chance_rounds(60);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none_sleeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
