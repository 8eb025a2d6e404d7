/*
 * A job array equals its elements as jobs. Two clusters get the same events: in one, arrays are
 * arrays, in the other, each element is a job of its own that has the name of the element.
 * Pipelines, quotas, limits, priorities, elements of several tasks, evictions, planned starts,
 * expiries, refusals, failures, updates, holds and removals are random. After each cycle, the
 * decisions of both are equal, by the names of jobs and nodes, and so are the numbers of jobs, the
 * use, the demand, the shares and the counters of each queue. The same holds for what would start.
 * The cluster with arrays is saved and loaded, and verified after each cycle; a held or changed
 * array stands for the elements that have not begun.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS replay.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "property/chance.h"
#include "property/seeded_step.h"
#include "support/cluster_copy.h"

#define SECOND ((int64_t)1000000)

enum {
    STEPS = 120,
    QUEUES = 3,
    NODES_MAX = 5,
    OBJECTS = 60,
    ROWS = 400,
    LINE = 160,
    ROUNDS = 80,
    COUNTERS = 8
};

struct object { /* an array, or a plain job if count is 0 */
    char name[16];
    uint32_t count;
    int is_over;
};

struct lines {
    char at[ROWS][LINE];
    uint32_t n;
};

struct twins {
    struct chance chance;
    uint64_t seed;
    uint32_t step;
    lsched_error err;
    lsched_cluster *c[2]; /* with arrays, and with jobs */
    int64_t now;
    uint32_t nodes;
    struct object object[OBJECTS];
    uint32_t n_objects;
    struct lines lines[2];
    uint64_t before[QUEUES][COUNTERS]; /* counted with arrays, before the last copy */
    uint64_t places, evicts, arrays, ended, failed, refused, updates, removed, whole, gangs, asked;
};

static const char *const queue_names[QUEUES] = {"qa", "qb", "qc"};

/* ---- worlds ---- */

static const char *const pipelines[] = {
    "pipeline = { 'allocate' }",
    "pipeline = { 'allocate', 'reclaim' }",
    "pipeline = { 'allocate', 'reclaim', 'preempt' }",
    "pipeline = { 'allocate', 'preempt', 'consolidate' }",
    "pipeline = { 'allocate', 'reclaim', 'preempt', 'evict-overdue' }",
    "pipeline = { 'backfill' }, params = { backfill_reservations = 0 }",
    "pipeline = { 'backfill' }, params = { backfill_reservations = 1 }",
    ("pipeline = { 'reclaim', 'backfill' }, "
     "params = { backfill_reservations = 2, backfill_order = 2 }"),
    "pipeline = { 'backfill' }, params = { backfill_order = 0, backfill_firm = 2 }",
    "pipeline = { 'ts-dpbp' }",
    "pipeline = { 'reclaim', 'ts-dpbp' }",
};
enum { PIPELINES = sizeof pipelines / sizeof pipelines[0] };
static const char *const shares[] = {"", "fair_share = 'quota',", "fair_share = 'drf',",
                                     "fair_share = 'fifo',"};
static const char *const orders[] = {"", "order = 'fifo',", "order = 'shortest-first',",
                                     "order = 'deadline',"};

static void policy(struct twins *t) {
    struct chance *c = &t->chance;
    char text[400];
    snprintf(text, sizeof text, "return { api = 1, name = 'p', %s %s %s }",
             shares[chance_below(c, 4)], orders[chance_below(c, 4)],
             pipelines[chance_below(c, PIPELINES)]);
    for (int i = 0; i < 2; i++)
        CHECK(t,
              lsched_policy_load(t->c[i], LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &t->err) ==
                  LSCHED_OK,
              text);
}

static void add_nodes(struct twins *t) {
    char name[NODES_MAX][8];
    lsched_node_desc n[NODES_MAX];
    lsched_amount cpu[NODES_MAX];
    t->nodes = 1 + chance_below(&t->chance, NODES_MAX);
    for (uint32_t i = 0; i < t->nodes; i++) {
        snprintf(name[i], sizeof name[i], "n%u", i);
        cpu[i] = (lsched_amount){LSCHED_CPU, 0, chance_between(&t->chance, 1, 5) * 1000};
        n[i] = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
        n[i].name = lsched_cstr(name[i]);
        n[i].capacity = &cpu[i];
        n[i].n_capacity = 1;
    }
    for (int i = 0; i < 2; i++)
        CHECK(t,
              lsched_nodes_add(t->c[i], n, t->nodes, sizeof n[0], NULL, NULL, NULL, &t->err) ==
                  (int32_t)t->nodes,
              "nodes");
}

static void add_queues(struct twins *t) {
    struct chance *c = &t->chance;
    lsched_queue_desc q[QUEUES];
    lsched_amount quota[QUEUES], limit[QUEUES];
    for (uint32_t i = 0; i < QUEUES; i++) {
        q[i] = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
        q[i].name = lsched_cstr(queue_names[i]);
        quota[i] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 0, 4) * 1000};
        limit[i] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 2, 9) * 1000};
        if (chance_one_in(c, 2)) q[i].quota = &quota[i], q[i].n_quota = 1;
        if (chance_one_in(c, 3)) q[i].limit = &limit[i], q[i].n_limit = 1;
        if (chance_one_in(c, 4)) q[i].jobs_max = 1 + chance_below(c, 5);
        if (chance_one_in(c, 3)) q[i].reclaim_min_runtime_us = 20 * SECOND;
    }
    for (int i = 0; i < 2; i++)
        CHECK(t,
              lsched_queues_add(t->c[i], q, QUEUES, sizeof q[0], NULL, NULL, NULL, &t->err) ==
                  QUEUES,
              "queues");
}

static void make(struct twins *t) {
    for (int i = 0; i < 2; i++)
        CHECK(t, lsched_cluster_create(NULL, &t->c[i], &t->err) == LSCHED_OK, "create");
    policy(t);
    add_nodes(t);
    add_queues(t);
    t->now = SECOND;
}

/* ---- jobs and elements ---- */

static uint32_t digits(uint32_t count) {
    uint32_t n = 1;
    for (uint32_t last = count - 1; last > 9; last /= 10) n++;
    return n;
}

static void element_name(const struct object *o, uint32_t i, char out[32]) {
    snprintf(out, 32, "%s#%0*u", o->name, (int)digits(o->count), i);
}

static void name_of(const struct twins *t, int side, lsched_id id, char *out, size_t size) {
    size_t n = 0;
    const char *name = id ? lsched_name(t->c[side], id, &n) : "";
    snprintf(out, size, "%.*s", (int)n, name ? name : "");
}

static lsched_id find(const struct twins *t, int side, const char *name) {
    return lsched_find(t->c[side], LSCHED_KIND_JOB, lsched_cstr(name));
}

static void submit(struct twins *t) {
    struct chance *c = &t->chance;
    if (t->n_objects == OBJECTS) return;
    struct object *o = &t->object[t->n_objects++];
    /* names are in another order than submissions, and one can be between elements of another */
    snprintf(o->name, sizeof o->name, "%c%u%s", 'a' + (int)chance_below(c, 4), t->n_objects,
             chance_one_in(c, 4) ? "#0x" : "");
    o->count = chance_one_in(c, 2) ? 1 + chance_below(c, chance_one_in(c, 3) ? 110 : 12) : 0;
    lsched_amount cpu = {LSCHED_CPU, 0, chance_between(c, 1, 2) * 1000};
    lsched_label label = {LSCHED_TEXT("k"), LSCHED_TEXT("v")};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = &cpu;
    g.n_request = 1;
    g.max_count = chance_one_in(c, 4) ? 1 + chance_below(c, 3) : 1;
    g.min_count = 1 + chance_below(c, g.max_count);
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.queue_name = lsched_cstr(queue_names[chance_below(c, QUEUES)]);
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.priority = (int32_t)chance_below(c, 3);
    d.submit_us = chance_one_in(c, 2) ? t->now : SECOND;
    if (chance_one_in(c, 2)) d.duration_us = chance_between(c, 1, 60) * SECOND;
    if (chance_one_in(c, 6)) d.time_limit_us = chance_between(c, 61, 120) * SECOND;
    if (chance_one_in(c, 6)) d.deadline_us = t->now + chance_between(c, 1, 60) * SECOND;
    if (chance_one_in(c, 8)) d.flags |= LSCHED_JOB_NON_PREEMPTIBLE;
    if (chance_one_in(c, 8)) d.flags |= LSCHED_JOB_NEVER_PREEMPTS;
    if (chance_one_in(c, 4)) d.retries_max = 1 + chance_below(c, 3), d.backoff_us = 5 * SECOND;
    if (chance_one_in(c, 4)) d.disruptions_max = 1;
    if (chance_one_in(c, 4)) d.labels = &label, d.n_labels = 1;
    if (chance_one_in(c, 6)) d.begin_us = t->now + chance_between(c, 1, 20) * SECOND;
    if (chance_one_in(c, 6)) d.expires_us = t->now + chance_between(c, 21, 80) * SECOND;
    t->arrays += o->count > 0;
    t->gangs += o->count > 0 && g.max_count > 1;
    for (int i = 0; i < 2; i++) {
        d.name = lsched_cstr(o->name);
        d.array_count = i == 0 ? o->count : 0;
        for (uint32_t e = 0; e < (i == 0 || o->count == 0 ? 1 : o->count); e++) {
            char name[32];
            element_name(o, e, name);
            if (i == 1 && o->count) d.name = lsched_cstr(name);
            CHECK(t, lsched_jobs_submit(t->c[i], &d, 1, sizeof d, NULL, NULL, NULL, &t->err) == 1,
                  "submit");
        }
    }
}

/* ---- cycles ---- */

static int line_before(const void *a, const void *b) {
    return strcmp(a, b);
}

static void put_decision(struct twins *t, int side, const lsched_decision *d) {
    struct lines *l = &t->lines[side];
    char job[64] = "", node[16] = "", by[64] = "", to[16] = "";
    CHECK(t, l->n < ROWS, "too many decisions for the test");
    name_of(t, side, d->job, job, sizeof job);
    name_of(t, side, d->node, node, sizeof node);
    name_of(t, side, d->for_job, by, sizeof by);
    name_of(t, side, d->to_node, to, sizeof to);
    snprintf(l->at[l->n++], LINE, "%s/%u kind %u on %s to %s because %u for %s cost %lld", job,
             d->task_index, d->kind, node, to, d->reason, by, (long long)d->cost);
    if (side == 0) {
        t->places += d->kind == LSCHED_DECIDE_PLACE;
        t->evicts += d->kind == LSCHED_DECIDE_EVICT;
    }
}

static void compare_lines(struct twins *t) {
    for (int i = 0; i < 2; i++) qsort(t->lines[i].at, t->lines[i].n, LINE, line_before);
    for (uint32_t i = 0; i < t->lines[0].n || i < t->lines[1].n; i++) {
        const char *a = i < t->lines[0].n ? t->lines[0].at[i] : "-",
                   *b = i < t->lines[1].n ? t->lines[1].at[i] : "-";
        if (strcmp(a, b) != 0) print_error("array: %s\njobs:  %s\n", a, b);
        CHECK(t, strcmp(a, b) == 0, "a decision about an array differs");
    }
}

static lsched_id queue_id(const struct twins *t, int side, uint32_t q) {
    return lsched_find(t->c[side], LSCHED_KIND_QUEUE, lsched_cstr(queue_names[q]));
}

/* Adds what was counted of jobs and tasks. The changes are not equal: an array has its own. */
static void count(struct twins *t, int side, uint32_t q, uint64_t sum[COUNTERS]) {
    lsched_queue_counters n = {.size = sizeof n};
    CHECK(t, lsched_queue_counters_get(t->c[side], queue_id(t, side, q), &n, &t->err) == LSCHED_OK,
          "counters");
    const uint64_t of[COUNTERS] = {n.submitted, n.removed, n.confirmed, n.rejected,
                                   n.started,   n.ended,   n.failed,    n.stopped};
    for (int i = 0; i < COUNTERS; i++) sum[i] += of[i];
}

static void compare_counters(struct twins *t, uint32_t q) {
    uint64_t sum[2][COUNTERS] = {{0}};
    memcpy(sum[0], t->before[q], sizeof sum[0]);
    for (int i = 0; i < 2; i++) count(t, i, q, sum[i]);
    CHECK(t, memcmp(sum[0], sum[1], sizeof sum[0]) == 0, "counters differ");
}

static void compare_queues(struct twins *t) {
    for (uint32_t q = 0; q < QUEUES; q++) {
        lsched_queue_info info[2];
        lsched_queue_share share[2];
        for (int i = 0; i < 2; i++) {
            lsched_id id = queue_id(t, i, q);
            info[i] = (lsched_queue_info){.size = sizeof info[i]};
            share[i] = (lsched_queue_share){.size = sizeof share[i]};
            CHECK(t, lsched_queue_get(t->c[i], id, &info[i], &t->err) == LSCHED_OK, "queue");
            CHECK(t,
                  lsched_queue_share_get(t->c[i], id, LSCHED_CPU, &share[i], &t->err) == LSCHED_OK,
                  "share");
        }
        CHECK(t, info[0].jobs == info[1].jobs, "numbers of jobs differ");
        CHECK(t, info[0].jobs_pending == info[1].jobs_pending, "numbers of waiting jobs differ");
        CHECK(t, memcmp(&share[0], &share[1], sizeof share[0]) == 0, "shares differ");
        compare_counters(t, q);
    }
}

/* Answers a decision in both clusters, by its name. */
static void settle_all(struct twins *t, lsched_plan *const plan[2]) {
    uint64_t state = chance_word(&t->chance);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < lsched_plan_size(plan[side]); i++) {
            const lsched_decision *d = lsched_plan_at(plan[side], i);
            char job[64] = "";
            struct chance own = {state};
            if (lsched_decision_state(t->c[side], d->id, NULL) < 0) continue;
            name_of(t, side, d->job, job, sizeof job);
            for (const char *p = job; *p; p++) own.state = own.state * 31 + (uint64_t)*p;
            own.state += d->task_index + d->kind * 77u;
            int refuses = chance_one_in(&own, 9);
            lsched_settlement s = {sizeof s,
                                   refuses ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED,
                                   d->id,
                                   {NULL, 0},
                                   NULL};
            if (d->kind == LSCHED_DECIDE_NOMINATE && !refuses) continue;
            (void)lsched_settle(t->c[side], &s, 1, sizeof s, NULL, NULL, NULL, NULL);
            t->refused += (uint64_t)refuses;
        }
}

static void cycle(struct twins *t) {
    lsched_plan *plan[2];
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    o.now_us = t->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    for (int i = 0; i < 2; i++) {
        CHECK(t, lsched_schedule(t->c[i], &o, &plan[i], &t->err) >= 0, "schedule");
        t->lines[i].n = 0;
        for (size_t d = 0; d < lsched_plan_size(plan[i]); d++)
            put_decision(t, i, lsched_plan_at(plan[i], d));
    }
    compare_lines(t);
    compare_queues(t);
    settle_all(t, plan);
    for (int i = 0; i < 2; i++) lsched_plan_destroy(plan[i]);
}

/* ---- events ---- */

/* Reports an event of tasks by a number that follows from their names. */
static void report(struct twins *t, uint32_t event, uint32_t one_in) {
    uint64_t state = chance_word(&t->chance);
    for (int side = 0; side < 2; side++) {
        static lsched_task_event list[ROWS];
        uint32_t n = 0;
        uint64_t jobs = 0;
        for (lsched_id j; (j = lsched_next(t->c[side], LSCHED_KIND_JOB, &jobs)) != 0;) {
            uint64_t cursor = 0;
            lsched_task_info task = {.size = sizeof task};
            char name[64] = "";
            name_of(t, side, j, name, sizeof name);
            while (lsched_tasks_next(t->c[side], j, 0, &cursor, &task, NULL) == 1) {
                struct chance own = {state + task.task_index};
                for (const char *p = name; *p; p++) own.state = own.state * 31 + (uint64_t)*p;
                int starts = task.state == LSCHED_TASK_CONFIRMED;
                if (starts != (event == LSCHED_EVENT_STARTED) || !chance_one_in(&own, one_in))
                    continue;
                if (!starts && task.state != LSCHED_TASK_RUNNING &&
                    task.state != LSCHED_TASK_RELEASING)
                    continue;
                list[n++] = (lsched_task_event){.size = sizeof list[0],
                                                .event = event,
                                                .job = j,
                                                .task_index = task.task_index,
                                                .at_us = t->now};
            }
        }
        for (uint32_t i = 0; i < n; i++)
            (void)lsched_tasks_report(t->c[side], &list[i], 1, sizeof list[0], NULL, NULL, NULL);
        if (side == 0) *(event == LSCHED_EVENT_FAILED ? &t->failed : &t->ended) += n;
    }
}

/* Calls `apply` for the object, and in the cluster with jobs for each element that has not begun in
 * the other one. */
static void for_waiting(struct twins *t, const struct object *o,
                        int32_t (*apply)(struct twins *t, int side, lsched_id job, int64_t how),
                        int64_t how) {
    int32_t done = apply(t, 0, find(t, 0, o->name), how);
    if (o->count == 0) {
        CHECK(t, apply(t, 1, find(t, 1, o->name), how) == done, "a change of a job");
        return;
    }
    if (done != 1) return;
    t->updates++;
    for (uint32_t e = 0; e < o->count; e++) {
        char name[32];
        element_name(o, e, name);
        lsched_id twin = find(t, 1, name);
        if (find(t, 0, name) == 0 && twin) CHECK(t, apply(t, 1, twin, how) == 1, "a change");
    }
}

static int32_t set_priority(struct twins *t, int side, lsched_id job, int64_t how) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = job;
    u.set = LSCHED_JOB_SET_PRIORITY;
    u.priority = (int32_t)how;
    return (int32_t)lsched_jobs_update(t->c[side], &u, 1, sizeof u, NULL, NULL, NULL);
}

static int32_t set_duration(struct twins *t, int side, lsched_id job, int64_t how) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = job;
    u.set = LSCHED_JOB_SET_DURATION;
    u.duration_us = how * SECOND;
    return (int32_t)lsched_jobs_update(t->c[side], &u, 1, sizeof u, NULL, NULL, NULL);
}

static int32_t hold(struct twins *t, int side, lsched_id job, int64_t how) {
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    h.job = job;
    h.until_us = t->now + how * SECOND;
    return (int32_t)lsched_jobs_hold(t->c[side], &h, 1, sizeof h, NULL, NULL, NULL);
}

static void change(struct twins *t) {
    const struct object *o = &t->object[chance_below(&t->chance, t->n_objects)];
    int64_t how = (int64_t)chance_below(&t->chance, 3);
    if (find(t, 0, o->name) == 0) return;
    switch (chance_below(&t->chance, 3)) {
    case 0: for_waiting(t, o, set_priority, how); break;
    case 1: for_waiting(t, o, set_duration, how); break;
    default: for_waiting(t, o, hold, how + 1); break;
    }
}

/* Removes an array, and all of its jobs in the other cluster. */
static void remove_object(struct twins *t) {
    const struct object *o = &t->object[chance_below(&t->chance, t->n_objects)];
    lsched_id id = find(t, 0, o->name);
    if (id == 0) return;
    CHECK(t, lsched_jobs_remove(t->c[0], &id, 1, NULL, NULL, &t->err) == 1, "remove");
    t->removed += o->count > 0;
    for (uint32_t e = 0; e < (o->count ? o->count : 1); e++) {
        char name[32];
        element_name(o, e, name);
        lsched_id twin = find(t, 1, o->count ? name : o->name);
        if (twin) CHECK(t, lsched_jobs_remove(t->c[1], &twin, 1, NULL, NULL, &t->err) == 1, "twin");
    }
}

/* An array exists as long as one of its elements, and what it counts is what there is. */
static void check_arrays(struct twins *t) {
    for (uint32_t i = 0; i < t->n_objects; i++) {
        struct object *o = &t->object[i];
        lsched_array_info info = LSCHED_ARRAY_INFO_INIT;
        uint32_t left = 0, begun = 0;
        lsched_id id = find(t, 0, o->name);
        if (o->count == 0 || o->is_over) continue;
        for (uint32_t e = 0; e < o->count; e++) {
            char name[32];
            element_name(o, e, name);
            left += find(t, 1, name) != 0;
            begun += find(t, 0, name) != 0;
        }
        o->is_over = id == 0;
        t->whole += id == 0;
        CHECK(t, (id == 0) == (left == 0), "an array ends with its last element");
        if (id == 0) continue;
        CHECK(t, lsched_array_get(t->c[0], id, &info, &t->err) == LSCHED_OK, "array");
        CHECK(t, info.waiting + info.begun == left && info.begun == begun, "numbers of elements");
        CHECK(t, info.count == o->count && info.succeeded + info.failed == o->count - left,
              "numbers of elements that are over");
    }
}

/* What the next cycle does for an array is what it does for its next element. */
static void ask(struct twins *t) {
    const struct object *o = &t->object[chance_below(&t->chance, t->n_objects)];
    lsched_array_info info = LSCHED_ARRAY_INFO_INIT;
    lsched_waiting waiting = {.size = sizeof waiting};
    lsched_would_start_answer a[2] = {LSCHED_WOULD_START_ANSWER_INIT,
                                      LSCHED_WOULD_START_ANSWER_INIT};
    lsched_id id = find(t, 0, o->name);
    char name[32];
    if (o->count == 0 || id == 0) return;
    CHECK(t, lsched_array_get(t->c[0], id, &info, &t->err) == LSCHED_OK, "array");
    if (info.waiting == 0) return;
    a[0].waiting = &waiting;
    CHECK(t, lsched_would_start(t->c[0], id, NULL, NULL, &a[0], &t->err) == LSCHED_OK, "ask");
    element_name(o, o->count - info.waiting, name);
    if (waiting.job && waiting.job != id) name_of(t, 0, waiting.job, name, sizeof name);
    id = find(t, 1, name);
    CHECK(t, lsched_would_start(t->c[1], id, NULL, NULL, &a[1], &t->err) == LSCHED_OK, "ask twin");
    int same = a[0].start == a[1].start && a[0].code == a[1].code && a[0].at_us == a[1].at_us &&
               a[0].tasks == a[1].tasks && a[0].victims == a[1].victims && a[0].cost == a[1].cost;
    for (int i = 0; !same && i < 2; i++)
        print_error("%s: start %u, code %u, at %lld\n", name, a[i].start, a[i].code,
                    (long long)a[i].at_us);
    CHECK(t, same, "what would start differs");
    t->asked++;
}

static void swap(struct twins *t) {
    lsched_cluster *other = NULL;
    for (uint32_t q = 0; q < QUEUES; q++) count(t, 0, q, t->before[q]); /* a copy counts anew */
    if (chance_one_in(&t->chance, 2)) {
        CHECK(t, lsched_cluster_clone(t->c[0], &other, &t->err) == LSCHED_OK, "clone");
    } else {
        CHECK(t, cluster_copy_by_image(t->c[0], &other, &t->err) == LSCHED_OK, "save and load");
    }
    lsched_cluster_destroy(t->c[0]);
    t->c[0] = other;
}

static void step(struct twins *t) {
    struct chance *c = &t->chance;
    uint32_t what = chance_below(c, 100);
    if (what < 20 || t->n_objects == 0)
        submit(t);
    else if (what < 26)
        change(t);
    else if (what < 28)
        remove_object(t);
    else if (what < 40)
        report(t, LSCHED_EVENT_ENDED, 3);
    else if (what < 46)
        report(t, LSCHED_EVENT_FAILED, 4);
    else if (what < 58)
        report(t, LSCHED_EVENT_STARTED, 1);
    else if (what < 60)
        swap(t);
    else if (what == 60)
        policy(t);
    else if (what < 64)
        ask(t);
    else {
        t->now += chance_between(c, 0, 15) * SECOND;
        cycle(t);
    }
    check_arrays(t);
}

int main(void) {
    uint64_t first = chance_seed(1), sum[11] = {0};
    static const uint64_t least[11] = {1300, 80, 500, 500, 250, 300, 120, 40, 70, 80, 60};
    uint32_t rounds = chance_rounds(ROUNDS);
    for (uint32_t r = 0; r < rounds; r++) {
        static struct twins t;
        memset(&t, 0, sizeof t);
        t.err = (lsched_error)LSCHED_ERROR_INIT;
        t.seed = first + r;
        t.chance.state = t.seed;
        make(&t);
        for (t.step = 0; t.step < STEPS; t.step++) step(&t);
        for (int i = 0; i < 2; i++) lsched_cluster_destroy(t.c[i]);
        const uint64_t of[11] = {t.places,  t.evicts,  t.arrays, t.ended, t.failed, t.refused,
                                 t.updates, t.removed, t.whole,  t.gangs, t.asked};
        for (int i = 0; i < 11; i++) sum[i] += of[i];
    }
    printf("%" PRIu64 " places, %" PRIu64 " evictions, %" PRIu64 " arrays, %" PRIu64
           " starts and ends, %" PRIu64 " failures, %" PRIu64 " refusals, %" PRIu64
           " changes of arrays, %" PRIu64 " removals, %" PRIu64 " arrays that ended, %" PRIu64
           " with elements of several tasks, %" PRIu64 " predictions\n",
           sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8], sum[9], sum[10]);
    for (int i = 0; i < 11; i++)
        if (!chance_enough(sum[i], least[i], ROUNDS)) return 1;
    return 0;
}
