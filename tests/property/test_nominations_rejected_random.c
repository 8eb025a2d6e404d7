/*
 * A host that rejects nominations for room that comes free. In random small clusters under policies that
 * stop work for others, it settles what it is offered at once and calls when it is told to:
 *   - a claim that it rejected is not offered to the job again on that node within the shortest
 *     back-off;
 *   - it has few cycles to do in a minute, however it settles the evictions of a rejected claim:
 *     with the claim, by confirming them while the work goes on, or by carrying them out;
 *   - where rejecting left all as it was, something is offered again within the longest back-off;
 *   - nobody is stopped for a job for whom enough room comes free where its claim was rejected.
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
#include <libsched/scenario.h>

#include "property/chance.h"
#include "support/settle.h"

#define SECOND ((int64_t)1000000)
#define FIRST  (10 * SECOND)  /* the shortest back-off */
#define MOST   (640 * SECOND) /* the longest */

enum { NODES = 5, OWNERS = 4, CYCLES_MAX = 150, KEYS = 1024 };
enum how { WITH_CLAIM, CONFIRM_ONLY, CARRY_OUT, HOWS };

struct rejected { /* the latest time of a job on a node */
    lsched_id job, node;
    int64_t at;
};

struct world {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    enum how how;
    int64_t begin, now;
    uint32_t n, rejections, cycles, places, spared;
    uint32_t nodes, gpus, tasks[OWNERS], size[OWNERS]; /* GPUs of a node, of a task */
    struct rejected rejected[KEYS];
};

static const char *const pipelines[] = {"\"allocate\", \"reclaim\", \"preempt\"",
                                        "\"allocate\", \"preempt\", \"reclaim\"",
                                        "\"allocate\", \"consolidate\", \"reclaim\", \"preempt\""};

static void put(char **at, char *end, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(*at, (size_t)(end - *at), format, list);
    va_end(list);
    assert_true(n >= 0 && n < end - *at);
    *at += n;
}

/* Guests hold most of the cluster; owners have guarantees, or priority in the guests' queue. */
static void write_world(struct world *w, char *text, size_t cap) {
    struct chance *r = &w->chance;
    char *at = text, *end = text + cap;
    uint32_t nodes = 1 + chance_below(r, NODES), gpus = 1 + chance_below(r, 4);
    put(&at, end,
        "start: 2026-01-05T08:00Z\npolicy:\n  name: p\n  text: |\n"
        "    return { api = 1, name = \"p\", fair_share = \"quota\", pipeline = { %s } }\n",
        pipelines[chance_below(r, 3)]);
    put(&at, end, "settle: manual\nnodes:\n  - {name: \"n[0-%u]\", gpus: %u}\nqueues:\n", nodes - 1,
        gpus);
    w->nodes = nodes;
    w->gpus = gpus;
    put(&at, end, "  - name: top\n%s    children:\n      - {name: a, quota: {gpu: %u}}\n",
        chance_one_in(r, 3) ? "    limit: {gpu: 4}\n" : "", nodes * gpus);
    put(&at, end, "      - {name: b}\njobs:\n");
    for (uint32_t i = 0; i < nodes * gpus; i++)
        if (!chance_one_in(r, 6))
            put(&at, end,
                "  - {name: guest%u, queue: b, priority: 0, running_on: n%u, running_since: -1h, "
                "tasks: {gpu: 1}}\n",
                i, i / gpus);
    for (uint32_t i = 0, n = 1 + chance_below(r, OWNERS); i < n; i++) {
        uint32_t gang = w->tasks[i] = chance_one_in(r, 3) ? 2 : 1;
        put(&at, end, "  - {name: owner%u, queue: %s, priority: %u, tasks: {count: %u, gpu: %u}}\n",
            i, chance_one_in(r, 4) ? "b" : "a", 1 + chance_below(r, 3), gang,
            w->size[i] = 1 + chance_below(r, gpus));
    }
}

static void must(const struct world *w, int64_t code, const lsched_error *err) {
    if (code < 0) fail_msg("seed %llu: %s", (unsigned long long)w->seed, err->message);
}

static void begin(struct world *w, uint64_t seed) {
    static char text[16384];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *s = NULL;
    memset(w, 0, sizeof *w);
    w->seed = w->chance.state = seed;
    w->how = (enum how)chance_below(&w->chance, HOWS);
    write_world(w, text, sizeof text);
    must(w, lsched_scenario_parse(NULL, lsched_cstr(text), (lsched_text){NULL, 0}, &s, &err), &err);
    must(w, lsched_cluster_create(NULL, &w->c, &err), &err);
    must(w, lsched_scenario_apply(s, w->c, NULL, &err), &err);
    lsched_scenario_destroy(s);
    w->begin = w->now = INT64_C(1767600000) * SECOND;
}

/* ---- the host ---- */

static struct rejected *rejected_at(struct world *w, const lsched_decision *d) {
    uint32_t i = 0;
    while (i < w->n && (w->rejected[i].job != d->job || w->rejected[i].node != d->node)) i++;
    assert_true(i < KEYS);
    if (i == w->n) w->rejected[w->n++] = (struct rejected){d->job, d->node, -MOST};
    return &w->rejected[i];
}

/* 0: it went with one that was rejected before. */
static int settle(struct world *w, const lsched_decision *d, lsched_outcome how) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = settle_each(w->c, &d->id, &how, 1, NULL, &err);
    if (rc != LSCHED_E_STALE) must(w, rc, &err);
    return rc >= 0;
}

static void report(struct world *w, const lsched_decision *d, uint32_t what) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = d->job;
    e.task_index = d->task_index;
    e.event = what;
    e.at_us = w->now;
    must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err);
}

static void check_claim(struct world *w, const lsched_decision *d) {
    struct rejected *r = rejected_at(w, d);
    if (w->how != CARRY_OUT && w->now - r->at < FIRST)
        fail_msg("seed %llu: a claim on the node is offered again after %lld us",
                 (unsigned long long)w->seed, (long long)(w->now - r->at));
}

static void reject_claim(struct world *w, const lsched_decision *d) {
    if (!settle(w, d, LSCHED_OUTCOME_REJECTED)) return;
    rejected_at(w, d)->at = w->now;
    w->rejections++;
}

/* ---- room that comes free ---- */

struct room {
    lsched_id node[NODES];
    int32_t later[NODES]; /* GPUs that are idle when all that leaves is gone */
    int comes[NODES];     /* something leaves */
};

/* NODES: a guest, with one task of one GPU. */
static uint32_t owner_of(const struct world *w, lsched_id job) {
    const char *name = lsched_name(w->c, job, NULL);
    return strncmp(name, "owner", 5) == 0 ? (uint32_t)(name[5] - '0') : NODES;
}

static int32_t size_of(const struct world *w, lsched_id job) {
    uint32_t owner = owner_of(w, job);
    return owner == NODES ? 1 : (int32_t)w->size[owner];
}

/* What was told to stop is stuck after minutes, and a world lasts one. */
static void read_room(const struct world *w, struct room *r) {
    memset(r, 0, sizeof *r);
    for (uint32_t at = 0; at < w->nodes; at++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        char name[4] = {'n', (char)('0' + at)};
        r->node[at] = lsched_find(w->c, LSCHED_KIND_NODE, (lsched_text){name, 2});
        assert_true(r->node[at] != 0);
        r->later[at] = (int32_t)w->gpus;
        while (lsched_tasks_next(w->c, 0, r->node[at], &cursor, &t, NULL) == 1) {
            int leaves = t.state == LSCHED_TASK_RELEASING;
            r->comes[at] |= leaves;
            if (!leaves) r->later[at] -= size_of(w, t.job);
        }
    }
}

/* Claims of the job were rejected just now; all of it fits when what leaves is gone, beside what
 * the plan gives to others. */
static int has_room_to_come(struct world *w, const struct room *r, const lsched_plan *plan,
                            lsched_id job) {
    uint32_t owner = owner_of(w, job), seats = 0, comes = 0;
    if (owner == NODES) return 0;
    for (uint32_t at = 0; at < w->nodes; at++) {
        lsched_decision d = {.job = job, .node = r->node[at]};
        int32_t later = r->later[at];
        for (size_t i = 0; i < lsched_plan_size(plan); i++) {
            const lsched_decision *other = lsched_plan_at(plan, i);
            int takes = other->kind == LSCHED_DECIDE_PLACE || other->kind == LSCHED_DECIDE_NOMINATE;
            if (takes && other->node == d.node && other->job != job)
                later -= size_of(w, other->job);
        }
        if (!d.node || later < (int32_t)w->size[owner]) continue;
        seats += (uint32_t)later / w->size[owner];
        comes |= r->comes[at] && w->now - rejected_at(w, &d)->at < FIRST;
    }
    return comes && seats >= w->tasks[owner];
}

static void check_stops(struct world *w, const struct room *r, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if ((d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE) && d->for_job &&
            has_room_to_come(w, r, plan, d->for_job))
            fail_msg("seed %llu: work is stopped for owner%u, for which room comes free",
                     (unsigned long long)w->seed, owner_of(w, d->for_job));
    }
    for (uint32_t i = 0; i < w->n; i++)
        w->spared += (uint32_t)has_room_to_come(w, r, plan, w->rejected[i].job);
}

/* How many decisions the plan has. */
static size_t cycle(struct world *w) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    struct room before;
    o.now_us = w->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    read_room(w, &before);
    must(w, lsched_schedule(w->c, &o, &plan, &err), &err);
    if (w->how == CONFIRM_ONLY) check_stops(w, &before, plan);
    size_t n = lsched_plan_size(plan);
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_NOMINATE) check_claim(w, d);
        int stops = d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE;
        if (d->kind == LSCHED_DECIDE_PLACE || (stops && w->how != WITH_CLAIM))
            settle(w, d, LSCHED_OUTCOME_CONFIRMED);
        w->places += d->kind == LSCHED_DECIDE_PLACE;
        if (d->kind == LSCHED_DECIDE_PLACE) report(w, d, LSCHED_EVENT_STARTED);
        if (stops && w->how == CARRY_OUT) report(w, d, LSCHED_EVENT_FAILED);
    }
    for (size_t i = 0; i < n; i++)
        if (lsched_plan_at(plan, i)->kind == LSCHED_DECIDE_NOMINATE)
            reject_claim(w, lsched_plan_at(plan, i));
    lsched_plan_destroy(plan);
    must(w, lsched_verify(w->c, NULL, &err), &err);
    w->cycles++;
    return n;
}

static void until(struct world *w, int64_t end) {
    while (w->now < end) {
        cycle(w);
        if (w->cycles > CYCLES_MAX)
            fail_msg("seed %llu: %u cycles in %lld s", (unsigned long long)w->seed, w->cycles,
                     (long long)((w->now - w->begin) / SECOND));
        int64_t wake = lsched_next_wake(w->c);
        if (wake > w->now) w->now = wake;
    }
}

static void test_a_host_that_keeps_no_room(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1), rejections = 0, cycles = 0, spared = 0;
    uint32_t rounds = chance_rounds(300), again = 0;
    struct world *w = malloc(sizeof *w);
    assert_non_null(w);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        begin(w, seed);
        until(w, w->begin + 60 * SECOND);
        rejections += w->rejections;
        cycles += w->cycles;
        spared += w->spared;
        if (w->how == WITH_CLAIM && w->rejections && w->places == 0) {
            int64_t end = w->begin + 60 * SECOND + MOST;
            uint32_t before = w->rejections;
            while (w->rejections == before && w->places == 0 && w->now <= end) {
                cycle(w);
                int64_t wake = lsched_next_wake(w->c);
                if (wake > w->now) w->now = wake;
            }
            if (w->rejections == before && w->places == 0)
                fail_msg("seed %llu: no claim is offered any more", (unsigned long long)seed);
            again++;
        }
        lsched_cluster_destroy(w->c);
    }
    print_message("seeds %llu .. +%u: %llu claims rejected in %llu cycles of a minute each, %u "
                  "worlds offered some again; room came free for a job %llu times\n",
                  (unsigned long long)first, rounds, (unsigned long long)rejections,
                  (unsigned long long)cycles, again, (unsigned long long)spared);
    if (rounds >= 100)
        assert_true(rejections > rounds / 2 && again > rounds / 20 && spared > rounds / 2);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_host_that_keeps_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
