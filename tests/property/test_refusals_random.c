/*
 * A host with rules of its own, which the library does not know, rejects what they forbid. In
 * random small clusters:
 *   - what a node rejected for a shape of a queue is not offered to it again within the shortest
 *   back-off, unless the host took such a
 *     task there, changed the node or set a priority;
 *   - shapes that the host never rejected are placed wherever there is room, in the same cycle, and
 *   so is nobody's who waits for no reason; - a clone and a loaded copy plan the same, and tell the
 *   same next time; - when the rules end, a host that calls at the times that it is told gets all
 *   placed: no wake-up is lost, and no wait lasts longer than
 *     the longest back-off of a job.
 * The book of what was rejected is kept here, by names and numbers of this test alone.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS replay.
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

#include "property/chance.h"
#include "support/job_priority.h"

#define SECOND ((int64_t)1000000)
#define FIRST  (10 * SECOND)   /* the shortest back-off */
#define MOST   (1280 * SECOND) /* the longest, of a job */

enum { NODES = 6, QUEUES = 2, SHAPES = 4, JOBS = 60, STEPS = 60, CORES = 40 };
static const char *const classes[] = {"", "image", "net"};

struct job {
    lsched_id id;
    uint32_t queue, shape, tasks;
    int live, bad; /* the host rejects it everywhere, until the rules end */
};

struct host {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    lsched_id node[NODES];
    int64_t now, told; /* of the library: of the latest cycle */
    uint32_t n_jobs;
    struct job job[JOBS];
    uint32_t rule[QUEUES][SHAPES][NODES];    /* 0: takes it; else 1 + class */
    int64_t rejected[QUEUES][SHAPES][NODES]; /* when, -1: not, or it is over */
    uint32_t ever[QUEUES][SHAPES];           /* something of it was rejected */
    uint64_t places, rejections, cycles, late;
};

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static int64_t need_of(uint32_t shape) {
    return 1000 + 500 * (int64_t)shape;
}

static void must(const struct host *h, int64_t code, const lsched_error *err) {
    if (code < 0) fail_msg("seed %llu: %s", (unsigned long long)h->seed, err->message);
}

static void begin(struct host *h, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    memset(h, 0, sizeof *h);
    h->seed = h->chance.state = seed;
    must(h, lsched_cluster_create(NULL, &h->c, &err), &err);
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        lsched_amount cpu = {LSCHED_CPU, 0, (int64_t)CORES * 1000};
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%u", n);
        d.name = text(name);
        d.capacity = &cpu;
        d.n_capacity = 1;
        must(h, lsched_nodes_add(h->c, &d, 1, sizeof d, NULL, &h->node[n], NULL, &err), &err);
    }
    for (uint32_t q = 0; q < QUEUES; q++) {
        lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
        d.name = text(q ? "b" : "a");
        must(h, lsched_queues_add(h->c, &d, 1, sizeof d, NULL, NULL, NULL, &err), &err);
        for (uint32_t s = 0; s < SHAPES; s++)
            for (uint32_t n = 0; n < NODES; n++) h->rejected[q][s][n] = -1;
    }
}

static void submit(struct host *h) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[16];
    if (h->n_jobs == JOBS) return;
    struct job *j = &h->job[h->n_jobs];
    j->queue = chance_below(&h->chance, QUEUES);
    j->shape = chance_below(&h->chance, SHAPES);
    j->tasks = chance_one_in(&h->chance, 4) ? 2 + chance_below(&h->chance, 2) : 1;
    j->bad = chance_one_in(&h->chance, 8);
    lsched_amount cpu = {LSCHED_CPU, 0, need_of(j->shape)};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    g.min_count = g.max_count = j->tasks;
    g.request = &cpu;
    g.n_request = 1;
    snprintf(name, sizeof name, "j%02u", chance_below(&h->chance, 10) * 100 + h->n_jobs++);
    d.name = text(name);
    d.queue_name = text(j->queue ? "b" : "a");
    d.priority = (int32_t)chance_below(&h->chance, 3);
    d.groups = &g;
    d.n_groups = 1;
    must(h, lsched_jobs_submit(h->c, &d, 1, sizeof d, NULL, &j->id, NULL, &err), &err);
    j->live = 1;
}

static void rules_anew(struct host *h) {
    uint32_t q = chance_below(&h->chance, QUEUES), s = chance_below(&h->chance, SHAPES - 1);
    uint32_t all = chance_below(&h->chance, 4); /* of shape SHAPES - 1 nothing is ever rejected */
    for (uint32_t n = 0; n < NODES; n++)
        h->rule[q][s][n] = all == 0                         ? 2
                           : chance_one_in(&h->chance, all) ? 1 + chance_below(&h->chance, 3)
                                                            : 0;
}

static void change_node(struct host *h) {
    uint32_t n = chance_below(&h->chance, NODES);
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_label label = {text("x"), text(chance_one_in(&h->chance, 2) ? "1" : "2")};
    u.node = h->node[n];
    u.set = LSCHED_NODE_SET_LABELS;
    u.labels = &label;
    u.n_labels = 1;
    must(h, lsched_nodes_update(h->c, &u, 1, sizeof u, NULL, NULL, &err), &err);
    for (uint32_t q = 0; q < QUEUES; q++)
        for (uint32_t s = 0; s < SHAPES; s++) h->rejected[q][s][n] = -1;
}

static void change_job(struct host *h) {
    struct job *j = h->n_jobs ? &h->job[chance_below(&h->chance, h->n_jobs)] : NULL;
    int32_t priority = (int32_t)chance_below(&h->chance, 3);
    if (!j || !j->live) return;
    if (!chance_one_in(&h->chance, 3)) {
        job_priority_set(h->c, j->id, priority, NULL);
        return;
    }
    lsched_jobs_remove(h->c, &j->id, 1, NULL, NULL, NULL);
    j->live = 0;
}

/* ---- cycles ---- */

static struct job *job_of(struct host *h, lsched_id id) {
    for (uint32_t i = 0; i < h->n_jobs; i++)
        if (h->job[i].id == id) return &h->job[i];
    return NULL;
}

static uint32_t node_of(const struct host *h, lsched_id id) {
    uint32_t n = 0;
    while (n < NODES && h->node[n] != id) n++;
    return n;
}

static uint64_t sum_of(lsched_cluster *c, int64_t now, const struct host *h) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    o.now_us = now;
    must(h, lsched_schedule(c, &o, &plan, &err), &err);
    lsched_plan_get(plan, &info, NULL);
    lsched_plan_destroy(plan);
    return info.plan_hash * 31 + (uint64_t)info.next_wake_us;
}

struct bytes {
    unsigned char *p;
    size_t n;
};

static int32_t take_bytes(void *user, const void *p, size_t n) {
    struct bytes *b = user;
    b->p = realloc(b->p, b->n + n);
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

static uint64_t of_copies(struct host *h) {
    lsched_cluster *copy = NULL, *loaded = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    struct bytes b = {NULL, 0};
    must(h, lsched_cluster_clone(h->c, &copy, &err), &err);
    must(h, lsched_cluster_save(h->c, take_bytes, &b, &err), &err);
    must(h, lsched_cluster_load(NULL, b.p, b.n, &loaded, &err), &err);
    uint64_t sum = sum_of(copy, h->now, h);
    if (sum != sum_of(loaded, h->now, h))
        fail_msg("seed %llu: a loaded copy plans otherwise", (unsigned long long)h->seed);
    lsched_cluster_destroy(copy);
    lsched_cluster_destroy(loaded);
    free(b.p);
    return sum;
}

/* Of a shape that was never rejected nobody waits while some node has room for it. */
static void check_others(struct host *h) {
    int64_t most = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        int64_t free_amount = 0;
        lsched_node_amount(h->c, h->node[n], LSCHED_CPU, NULL, &free_amount, NULL);
        if (free_amount > most) most = free_amount;
    }
    for (uint32_t i = 0; i < h->n_jobs; i++) {
        const struct job *j = &h->job[i];
        lsched_job_info info = {.size = sizeof info};
        if (!j->live || j->tasks > 1 || h->ever[j->queue][j->shape] || most < need_of(j->shape))
            continue;
        if (lsched_job_get(h->c, j->id, &info, NULL) >= 0 && info.tasks_placed == 0)
            fail_msg("seed %llu: a job of a shape that nobody rejected waits for a node with room",
                     (unsigned long long)h->seed);
    }
}

static void check_one(struct host *h, const lsched_decision *d) {
    const struct job *j = job_of(h, d->job);
    uint32_t n = node_of(h, d->node);
    int64_t rejected = h->rejected[j->queue][j->shape][n];
    if (rejected >= 0 && h->now - rejected < FIRST)
        fail_msg("seed %llu: node n%u is asked again after %lld us", (unsigned long long)h->seed, n,
                 (long long)(h->now - rejected));
    h->places++;
}

static void settle_one(struct host *h, const lsched_decision *d) {
    struct job *j = job_of(h, d->job);
    uint32_t n = node_of(h, d->node), rule = h->rule[j->queue][j->shape][n];
    int64_t *rejected = &h->rejected[j->queue][j->shape][n];
    if (rule == 0 && j->bad) rule = 3;
    lsched_outcome how = rule ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
    lsched_text why = text(rule ? classes[rule - 1] : "");
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_settlement s = {sizeof s, how, d->id, why, NULL};
    int32_t code = lsched_settle(h->c, &s, 1, sizeof s, NULL, NULL, NULL, &err);
    if (code == LSCHED_E_STALE) return; /* it went with one that was rejected */
    must(h, code, &err);
    *rejected = rule ? h->now : -1;
    h->ever[j->queue][j->shape] |= rule != 0;
    h->rejections += rule != 0;
}

static void cycle(struct host *h) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    uint64_t same = of_copies(h);
    o.now_us = h->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    must(h, lsched_schedule(h->c, &o, &plan, &err), &err);
    lsched_plan_get(plan, &info, NULL);
    if (same != info.plan_hash * 31 + (uint64_t)info.next_wake_us)
        fail_msg("seed %llu: a clone plans otherwise", (unsigned long long)h->seed);
    check_others(h);
    h->cycles++;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) check_one(h, lsched_plan_at(plan, i));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) settle_one(h, lsched_plan_at(plan, i));
    lsched_plan_destroy(plan);
    must(h, lsched_verify(h->c, NULL, &err), &err);
}

static uint32_t waiting(const struct host *h) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->n_jobs; i++) {
        lsched_job_info info = {.size = sizeof info};
        if (h->job[i].live && lsched_job_get(h->c, h->job[i].id, &info, NULL) >= 0)
            n += info.tasks_placed < h->job[i].tasks;
    }
    return n;
}

/* The rules are over: the host calls when it is told to, and at no other time. */
static void check_all_start(struct host *h) {
    int64_t end = h->now + MOST;
    memset(h->rule, 0, sizeof h->rule);
    for (uint32_t i = 0; i < h->n_jobs; i++) h->job[i].bad = 0;
    for (uint32_t turns = 0; waiting(h); turns++) {
        int64_t wake = lsched_next_wake(h->c);
        char why[800] = "";
        for (uint32_t i = 0; i < h->n_jobs && wake > end; i++) {
            lsched_job_info info = {.size = sizeof info};
            if (h->job[i].live && lsched_job_get(h->c, h->job[i].id, &info, NULL) >= 0 &&
                info.tasks_placed == 0)
                lsched_explain(h->c, h->job[i].id, why, sizeof why, NULL, NULL);
        }
        if (wake > end || turns > 1000)
            fail_msg("seed %llu: the next time is in %lld s, and %u jobs wait: %s",
                     (unsigned long long)h->seed, (long long)(wake - h->now) / SECOND, waiting(h),
                     why);
        if (wake > h->now) h->now = wake;
        cycle(h);
    }
}

static void test_a_host_with_rules_of_its_own(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1), places = 0, rejections = 0, cycles = 0;
    uint32_t rounds = chance_rounds(30);
    struct host *h = malloc(sizeof *h);
    assert_non_null(h);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        begin(h, seed);
        for (int step = 0; step < STEPS; step++) {
            int64_t wake = lsched_next_wake(h->c);
            submit(h);
            if (chance_one_in(&h->chance, 3)) rules_anew(h);
            if (chance_one_in(&h->chance, 8)) change_node(h);
            if (chance_one_in(&h->chance, 8)) change_job(h);
            if (chance_one_in(&h->chance, 2) && wake > h->now && wake < h->now + MOST)
                h->now = wake;
            else
                h->now += chance_below(&h->chance, 20) * SECOND / 2;
            cycle(h);
        }
        check_all_start(h);
        places += h->places;
        rejections += h->rejections;
        cycles += h->cycles;
        lsched_cluster_destroy(h->c);
    }
    print_message("seeds %llu .. +%u: %llu cycles, %llu places, %llu rejected\n",
                  (unsigned long long)first, rounds, (unsigned long long)cycles,
                  (unsigned long long)places, (unsigned long long)rejections);
    assert_true(rejections > rounds);
    free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_host_with_rules_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
