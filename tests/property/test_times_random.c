/*
 * test_times_random.c -- whatever times an orchestrator names, the state stays sound.
 *
 * Every field that is a time or a duration gets values at the edges of what doors let in and beyond,
 * in random calls of every kind that has one; the clock is set back and forth in between. Whatever
 * is accepted, the verifier accepts, the time of the next cycle is one that a cycle may have, what
 * is saved loads again, and the copy plans as its original. Whatever is refused changes nothing.
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
#include "support/settle.h"
#include "support/queue_update.h"

enum { NODES = 3, QUEUES = 3, STEPS = 120 };
#define EDGE (INT64_C(1) << 61)

static const char policy_text[] =
    "return { api = 1, name = 'all', fair_share = 'quota',\n"
    "  pipeline = { 'evict-overdue', 'allocate', 'consolidate', 'reclaim', 'preempt', 'drain',\n"
    "    'evict-stale-gangs' },\n"
    "  usage = function() return { half_life = 86400 } end }";

struct image {
    char *bytes;
    size_t n, cap;
};

struct world {
    lsched_cluster *c;
    struct chance chance;
    uint64_t seed;
    int64_t now;
    uint32_t named, accepted, refused;
    lsched_error err;
};

#define GOOD(w, rc)                                                                           \
    do {                                                                                      \
        int32_t good_rc = (rc);                                                               \
        if (good_rc < 0)                                                                      \
            fail_msg("LSCHED_TEST_SEED=%llu: %s: %s: %s", (unsigned long long)(w)->seed, #rc, \
                     lsched_error_name(good_rc), (w)->err.message);                           \
    } while (0)

static int64_t any_time(struct world *w) {
    static const int64_t edges[] = {0,          1,        -1,       EDGE,      EDGE - 1,
                                    EDGE + 1,   2 * EDGE, -EDGE,    INT64_MAX, INT64_MIN,
                                    3600000000, 60000000, -60000000};
    switch (chance_below(&w->chance, 4)) {
    case 0: return edges[chance_below(&w->chance, sizeof edges / sizeof edges[0])];
    case 1: return w->now + chance_between(&w->chance, -100000000, 100000000);
    case 2: return w->now + LSCHED_REPORT_AHEAD_US + (int64_t)chance_below(&w->chance, 3) - 1;
    default: return chance_between(&w->chance, 0, 600000000);
    }
}

/* Mostly none, so that many calls are accepted. */
static int64_t some_time(struct world *w) {
    return chance_one_in(&w->chance, 3) ? any_time(w) : 0;
}

static uint64_t image_of(struct world *w) {
    uint64_t hash = 0;
    lsched_cluster_hash(w->c, LSCHED_HASH_IMAGE, &hash, NULL);
    return hash;
}

/* A host that follows the time is not refused: it is one that a cycle may have, or never. */
static void wake_is_a_time(struct world *w) {
    int64_t wake = lsched_next_wake(w->c);
    if (wake != LSCHED_NEVER_US && (wake < 0 || wake > EDGE))
        fail_msg("LSCHED_TEST_SEED=%llu: the next cycle is at %lld, which no cycle may have",
                 (unsigned long long)w->seed, (long long)wake);
}

static void sound(struct world *w, uint64_t before, int64_t rc) {
    wake_is_a_time(w);
    if (rc >= 0) {
        w->accepted++;
        GOOD(w, lsched_verify(w->c, NULL, &w->err));
        return;
    }
    w->refused++;
    if (image_of(w) != before)
        fail_msg("LSCHED_TEST_SEED=%llu: a refused call changed the state: %s",
                 (unsigned long long)w->seed, w->err.message);
}

static lsched_queue_desc a_queue(struct world *w, char *name, uint32_t i) {
    static const lsched_amount quotas[] = {{LSCHED_CPU, 0, 4000}, {LSCHED_CPU, 0, 0}};
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    snprintf(name, 16, "q%u", i);
    q.name = lsched_cstr(name);
    q.quota = &quotas[i & 1];
    q.n_quota = 1;
    q.reclaim_min_runtime_us = some_time(w);
    q.preempt_min_runtime_us = some_time(w);
    q.preemption_delay_us = some_time(w);
    q.created_us = some_time(w);
    return q;
}

static int64_t submit(struct world *w) {
    lsched_amount request = {LSCHED_CPU, 0, 1000 * (1 + (int64_t)chance_below(&w->chance, 4))};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc j = LSCHED_JOB_DESC_INIT;
    lsched_toleration t = {.any_value = 1, .effect = LSCHED_TAINT_STOP};
    char name[16], queue[16];
    int64_t *const fields[] = {&j.submit_us,       &j.duration_us,          &j.deadline_us,
                               &j.restart_cost_us, &j.checkpoint_period_us, &j.preemption_delay_us,
                               &j.stale_grace_us,  &j.backoff_us,           &j.time_limit_us,
                               &j.checkpoint_us};
    snprintf(name, sizeof name, "j%u", w->named++);
    snprintf(queue, sizeof queue, "q%u", chance_below(&w->chance, QUEUES));
    g.request = &request;
    g.n_request = 1;
    g.max_count = 1 + chance_below(&w->chance, 3);
    g.min_count = 1 + chance_below(&w->chance, g.max_count);
    t.key = LSCHED_TEXT("broken");
    t.stop_after_us = some_time(w);
    if (chance_one_in(&w->chance, 2)) g.tolerations = &t, g.n_tolerations = 1;
    j.name = lsched_cstr(name);
    j.queue_name = lsched_cstr(queue);
    j.groups = &g;
    j.n_groups = 1;
    j.priority = (int32_t)chance_below(&w->chance, 3);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (chance_one_in(&w->chance, 4)) *fields[i] = any_time(w);
    if (chance_one_in(&w->chance, 4)) {
        j.disruption_window_us = any_time(w);
        j.disruptions_max = 1;
    }
    return lsched_jobs_submit(w->c, &j, 1, sizeof j, NULL, NULL, NULL, &w->err);
}

static lsched_id any_job(struct world *w) {
    uint64_t cursor = 0;
    lsched_id found = 0, id;
    for (uint32_t n = 1; (id = lsched_next(w->c, LSCHED_KIND_JOB, &cursor)) != 0; n++)
        if (chance_one_in(&w->chance, n)) found = id;
    return found;
}

static int64_t report(struct world *w) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = any_job(w);
    e.event = 1 + chance_below(&w->chance, 3);
    while (e.job && lsched_tasks_next(w->c, e.job, 0, &cursor, &t, NULL) == 1) {
        e.task_index = t.task_index;
        if (t.state == LSCHED_TASK_PROPOSED || t.state == LSCHED_TASK_CONFIRMED)
            e.event = LSCHED_EVENT_STARTED;
        if (chance_one_in(&w->chance, 2)) break;
    }
    e.at_us = some_time(w);
    return lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &w->err);
}

static int64_t import(struct world *w) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = any_job(w);
    m.node_name = LSCHED_TEXT("n1");
    m.start_us = some_time(w);
    m.release_us = some_time(w);
    m.state = chance_one_in(&w->chance, 2) ? LSCHED_TASK_RELEASING : 0;
    return lsched_tasks_import(w->c, &m, 1, sizeof m, NULL, NULL, &w->err);
}

static int64_t usage(struct world *w) {
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    s.job = any_job(w);
    s.kind = LSCHED_CPU;
    s.amount = 1;
    s.at_us = any_time(w);
    return lsched_usage_report(w->c, &s, 1, sizeof s, NULL, NULL, &w->err);
}

static int64_t taint(struct world *w) {
    lsched_taint t = {.effect = LSCHED_TAINT_STOP, .key = LSCHED_TEXT("broken")};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.set = LSCHED_NODE_SET_TAINTS | LSCHED_NODE_SET_STATE;
    u.name = LSCHED_TEXT("n2");
    u.taints = &t;
    u.n_taints = chance_below(&w->chance, 2);
    u.state = chance_one_in(&w->chance, 4) ? LSCHED_NODE_DRAINING : LSCHED_NODE_READY;
    return lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &w->err);
}

static int64_t settle(struct world *w) {
    lsched_id id = 0;
    uint64_t cursor = 0;
    lsched_outcome how =
        chance_one_in(&w->chance, 3) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
    for (uint32_t n = 1; n < 8; n++) {
        lsched_id next = lsched_next(w->c, LSCHED_KIND_DECISION, &cursor);
        if (next && chance_one_in(&w->chance, n)) id = next;
    }
    return settle_each(w->c, &id, &how, 1, NULL, &w->err);
}

static int64_t update_queue(struct world *w) {
    char name[16];
    lsched_queue_desc q = a_queue(w, name, chance_below(&w->chance, QUEUES));
    lsched_id id = lsched_find(w->c, LSCHED_KIND_QUEUE, lsched_cstr(name));
    return queue_update_all(w->c, id, &q, &w->err);
}

/* The clock goes back to times of days, so that a round does not end at the last time there is. */
static int64_t set_clock(struct world *w) {
    int64_t to = chance_one_in(&w->chance, 2) ? any_time(w)
                                              : chance_between(&w->chance, 0, INT64_C(1) << 52);
    int32_t rc = lsched_clock_set(w->c, to, &w->err);
    if (rc >= 0) w->now = to;
    return rc;
}

static int64_t cycle(struct world *w, lsched_cluster *c, const lsched_schedule_opts *opts,
                     uint64_t *hash) {
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    int32_t rc = lsched_schedule(c, opts, &plan, &w->err);
    if (rc >= 0) lsched_plan_get(plan, &info, NULL);
    *hash = info.plan_hash;
    lsched_plan_destroy(plan);
    if (rc == LSCHED_E_VERIFY || rc == LSCHED_E_POLICY) GOOD(w, rc);
    return rc;
}

static int32_t append(void *user, const void *bytes, size_t n) {
    struct image *m = user;
    if (m->n + n > m->cap) {
        m->cap = 2 * (m->n + n);
        m->bytes = realloc(m->bytes, m->cap);
        assert_non_null(m->bytes);
    }
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
    return 0;
}

static int64_t schedule(struct world *w) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    struct image m = {NULL, 0, 0};
    lsched_cluster *copy = NULL;
    uint64_t one = 0, other = 0;
    o.now_us = chance_one_in(&w->chance, 4) ? any_time(w)
                                            : w->now + (int64_t)chance_below(&w->chance, 100000000);
    o.release_us = some_time(w);
    if (chance_one_in(&w->chance, 2))
        o.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT;
    o.moves_max = 4;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    GOOD(w, lsched_cluster_save(w->c, append, &m, &w->err));
    GOOD(w, lsched_cluster_load(NULL, m.bytes, m.n, &copy, &w->err));
    int64_t rc = cycle(w, w->c, &o, &one), twin = cycle(w, copy, &o, &other);
    if (rc != twin || one != other)
        fail_msg("LSCHED_TEST_SEED=%llu: a saved copy plans %llx (%lld), its original %llx (%lld)",
                 (unsigned long long)w->seed, (unsigned long long)other, (long long)twin,
                 (unsigned long long)one, (long long)rc);
    lsched_cluster_destroy(copy);
    free(m.bytes);
    if (rc >= 0) w->now = o.now_us;
    return rc;
}

static void explain_all(struct world *w) {
    char text[2048];
    uint64_t cursor = 0;
    for (lsched_id id; (id = lsched_next(w->c, LSCHED_KIND_JOB, &cursor)) != 0;)
        assert_true(lsched_explain(w->c, id, text, sizeof text, NULL, &w->err) >= 0);
}

static void make(struct world *w) {
    static const lsched_amount capacity[] = {{LSCHED_CPU, 0, 6000}};
    static const char *const names[NODES] = {"n0", "n1", "n2"};
    GOOD(w, lsched_cluster_create(NULL, &w->c, &w->err));
    for (uint32_t i = 0; i < NODES; i++) {
        lsched_node_desc n = LSCHED_NODE_DESC_INIT;
        n.name = lsched_cstr(names[i]);
        n.capacity = capacity;
        n.n_capacity = 1;
        GOOD(w, lsched_nodes_add(w->c, &n, 1, sizeof n, NULL, NULL, NULL, &w->err));
    }
    for (uint32_t i = 0; i < QUEUES;) {
        char name[16];
        lsched_queue_desc q = a_queue(w, name, i);
        i += lsched_queues_add(w->c, &q, 1, sizeof q, NULL, NULL, NULL, &w->err) >= 0;
    }
}

static void round_of(uint64_t seed, uint32_t *accepted, uint32_t *refused) {
    static int64_t (*const calls[])(struct world *) = {
        submit,   submit, report, report, report, schedule,     schedule,
        schedule, settle, import, usage,  taint,  update_queue, set_clock};
    struct world w = {.seed = seed, .chance = {seed}, .err = LSCHED_ERROR_INIT};
    make(&w);
    w.now = chance_one_in(&w.chance, 2) ? 0 : INT64_C(1700000000000000);
    int32_t rc =
        lsched_policy_load(w.c, LSCHED_TEXT("all.lua"),
                           (lsched_text){policy_text, sizeof policy_text - 1}, NULL, &w.err);
    if (rc == LSCHED_E_NOLUA) skip();
    GOOD(&w, rc);
    for (int i = 0; i < STEPS; i++) {
        uint64_t before = image_of(&w);
        int64_t done = calls[chance_below(&w.chance, sizeof calls / sizeof calls[0])](&w);
        sound(&w, before, done);
    }
    explain_all(&w);
    lsched_cluster_destroy(w.c);
    *accepted += w.accepted;
    *refused += w.refused;
}

static void any_times_leave_a_sound_state(void **state) {
    (void)state;
    uint32_t accepted = 0, refused = 0;
    uint64_t first = chance_variable("LSCHED_TEST_SEED", 1), rounds = chance_rounds(60);
    for (uint64_t i = 0; i < rounds; i++) round_of(first + i, &accepted, &refused);
    assert_true(accepted > 0 && refused > 0);
    print_message("%u calls accepted, %u refused\n", accepted, refused);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_times_leave_a_sound_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
