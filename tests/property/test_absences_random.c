/*
 * test_absences_random.c -- no task starts that can run into an absence of its node, and each job
 * that a node could take in time starts.
 *
 * The outside model knows for each node the list of all its absences, written out one by one, and
 * for each job its longest run time. After each cycle it compares each placement with the list, and
 * each waiting job with each node that has room. A third of the worlds plans over time; there, the
 * planned starts are compared with the list instead. Every cycle is verified. LSCHED_TEST_SEED and
 * LSCHED_TEST_ROUNDS=1 replay one world.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/plans.h>
#include <libsched/policies.h>

#include "property/chance.h"

enum { NODES = 4, JOBS = 40, WINDOWS = 1024, CORES = 4 };
#define MINUTE INT64_C(60000000)

struct window {
    int64_t from, to;
};

struct absent_world {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    lsched_id node[NODES], job[JOBS];
    struct window window[NODES][WINDOWS];
    uint32_t n_windows[NODES], n_jobs;
    int64_t runs[JOBS]; /* 0: unknown */
    int64_t cores[JOBS];
    int is_limited[JOBS];
    int64_t now;
};

/* Writes out the absences of a node, and returns its fields in *d. */
static void random_absence(struct absent_world *w, uint32_t n, int64_t *leaves, int64_t *back,
                           int64_t *every) {
    struct chance *c = &w->chance;
    *leaves = *back = *every = 0;
    w->n_windows[n] = 0;
    if (chance_one_in(c, 4)) return;
    *leaves = chance_between(c, 0, 300) * MINUTE;
    if (chance_one_in(c, 6) && *leaves) {
        w->window[n][w->n_windows[n]++] = (struct window){*leaves, INT64_MAX};
        return;
    }
    *back = *leaves + chance_between(c, 1, 120) * MINUTE;
    *every = chance_one_in(c, 2) ? 0 : *back - *leaves + chance_between(c, 1, 300) * MINUTE;
    for (uint32_t i = 0; i < (*every ? (uint32_t)WINDOWS : 1u); i++)
        w->window[n][w->n_windows[n]++] = (struct window){*leaves + i * *every, *back + i * *every};
}

/* True if work that starts at the time `at` can be on the node while it is away. */
static int is_barred_at(const struct absent_world *w, uint32_t n, int64_t runs, int64_t at) {
    for (uint32_t i = 0; i < w->n_windows[n]; i++) {
        const struct window *x = &w->window[n][i];
        if (x->to > at && (runs == 0 || x->from < at + runs)) return 1;
    }
    return 0;
}

static int is_barred(const struct absent_world *w, uint32_t n, int64_t runs) {
    return is_barred_at(w, n, runs, w->now);
}

static void add_nodes(struct absent_world *w) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = CORES * 1000};
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", n);
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = &cores;
        d.n_capacity = 1;
        random_absence(w, n, &d.leaves_us, &d.back_us, &d.leaves_every_us);
        int32_t rc = lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &w->node[n], NULL, &err);
        if (rc != 1) fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
    }
}

static void change_node(struct absent_world *w) {
    uint32_t n = chance_below(&w->chance, NODES);
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w->node[n];
    u.set = LSCHED_NODE_SET_ABSENCE;
    random_absence(w, n, &u.leaves_us, &u.back_us, &u.leaves_every_us);
    int32_t rc = lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err);
    if (rc != 1) fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
}

static void add_job(struct absent_world *w) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 1000 + 1000 * chance_below(&w->chance, 2)};
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t j = w->n_jobs++;
    char name[8];
    snprintf(name, sizeof name, "j%u", j);
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.name = LSCHED_TEXT("t");
    g.max_count = 1;
    g.request = &cores;
    g.n_request = 1;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    int64_t limit = chance_between(&w->chance, 1, 200) * MINUTE;
    if (!chance_one_in(&w->chance, 3)) d.duration_us = chance_between(&w->chance, 1, 200) * MINUTE;
    /* an estimate above the limit is not admitted */
    if (chance_one_in(&w->chance, 3)) d.time_limit_us = d.duration_us + limit;
    w->cores[j] = cores.amount;
    w->runs[j] = d.time_limit_us ? d.time_limit_us : d.duration_us;
    w->is_limited[j] = d.time_limit_us != 0;
    int32_t rc = lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &w->job[j], NULL, &err);
    if (rc != 1) fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
}

/* Compares the plan with the model, and counts what starts. */
static uint32_t check_plan(struct absent_world *w, const lsched_plan *plan) {
    uint32_t starts = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        uint32_t n = 0, j = 0;
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        while (w->node[n] != d->node) n++;
        while (w->job[j] != d->job) j++;
        if (is_barred(w, n, w->runs[j]))
            fail_msg("seed %llu: at %lld, j%u starts on n%u and can run into an absence",
                     (unsigned long long)w->seed, (long long)w->now, j, n);
        starts++;
    }
    return starts;
}

/* A planned start is not in an absence, and no absence ends unseen. Returns how many starts are
 * planned. */
static uint32_t check_times(const struct absent_world *w, const lsched_plan *plan) {
    uint32_t planned = 0;
    lsched_plan_info info = {.size = sizeof info};
    assert_int_equal(lsched_plan_get(plan, &info, NULL), LSCHED_OK);
    for (uint32_t n = 0; n < NODES && lsched_plan_waiting_size(plan); n++)
        for (uint32_t v = 0; v < w->n_windows[n]; v++)
            if (w->window[n][v].to > w->now && info.next_wake_us > w->window[n][v].to)
                fail_msg("seed %llu: at %lld, nobody wakes when n%u is back",
                         (unsigned long long)w->seed, (long long)w->now, n);
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        const lsched_waiting *r = lsched_plan_waiting_at(plan, i);
        if (r->code != LSCHED_WAIT_PLANNED || !r->plan_node) continue;
        uint32_t n = 0, j = 0;
        while (w->node[n] != r->plan_node) n++;
        while (w->job[j] != r->job) j++;
        if (w->is_limited[j]) continue; /* a plan takes the estimate */
        if (is_barred_at(w, n, w->runs[j], r->until_us))
            fail_msg("seed %llu: at %lld, the start of j%u on n%u is planned into an absence",
                     (unsigned long long)w->seed, (long long)w->now, j, n);
        planned++;
    }
    return planned;
}

/* Prints what the library says of a job that should not wait. */
static void tell_why(const struct absent_world *w, uint32_t j) {
    char text[4000] = "";
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_explain(w->c, w->job[j], text, sizeof text, NULL, &err);
    print_message("%s\n", text);
    for (uint32_t i = 0; i < NODES; i++)
        print_message("n%u: first absence %lld to %lld of %u; j runs %lld\n", i,
                      (long long)w->window[i][0].from, (long long)w->window[i][0].to,
                      w->n_windows[i], (long long)w->runs[j]);
}

/* Each job that waits finds no node that has room and stays long enough. */
static uint32_t check_waiting(const struct absent_world *w) {
    uint32_t waits = 0;
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        lsched_job_info job = {.size = sizeof job};
        if (!w->job[j] || lsched_job_get(w->c, w->job[j], &job, NULL) != LSCHED_OK ||
            job.tasks_placed)
            continue;
        waits++;
        for (uint32_t n = 0; n < NODES; n++) {
            lsched_node_info node = {.size = sizeof node};
            assert_int_equal(lsched_node_get(w->c, w->node[n], &node, NULL), LSCHED_OK);
            if (node.cpu_free_milli < w->cores[j] || is_barred(w, n, w->runs[j])) continue;
            tell_why(w, j);
            fail_msg("seed %llu: at %lld, j%u waits although n%u can take it",
                     (unsigned long long)w->seed, (long long)w->now, j, n);
        }
    }
    return waits;
}

/* Confirms and starts what the plan places, and ends some of what runs. */
static void obey(struct absent_world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement s = LSCHED_SETTLEMENT_INIT;
        s.decision = d->id;
        s.outcome = LSCHED_OUTCOME_CONFIRMED;
        assert_int_equal(lsched_settle(w->c, &s, 1, sizeof s, NULL, NULL, NULL, NULL), 1);
    }
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        if (!w->job[j] || !chance_one_in(&w->chance, 4)) continue;
        lsched_job_info job = {.size = sizeof job};
        if (lsched_job_get(w->c, w->job[j], &job, NULL) != LSCHED_OK || !job.tasks_placed) continue;
        assert_int_equal(lsched_jobs_remove(w->c, &w->job[j], 1, NULL, NULL, NULL), 1);
        w->job[j] = 0;
    }
}

static void run_world(uint64_t seed, uint32_t *starts, uint32_t *waits, uint32_t *planned) {
    static struct absent_world w;
    lsched_error err = LSCHED_ERROR_INIT;
    memset(&w, 0, sizeof w);
    w.seed = seed;
    w.chance.state = seed ^ 0xab5e9ce;
    assert_int_equal(lsched_cluster_create(NULL, &w.c, &err), LSCHED_OK);
    int plans = seed % 3 == 0; /* a job can wait while others have reserved the room */
    if (plans) {
        lsched_text none = {NULL, 0};
        assert_int_equal(lsched_policy_load(w.c, LSCHED_TEXT("plan-ahead"), none, NULL, &err),
                         LSCHED_OK);
    }
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(w.c, &q, 1, sizeof q, NULL, NULL, NULL, &err), 1);
    add_nodes(&w);
    for (uint32_t step = 0; step < 30; step++) {
        lsched_plan *plan;
        w.now += chance_between(&w.chance, 0, 40) * MINUTE;
        if (chance_one_in(&w.chance, 5)) change_node(&w);
        for (uint32_t n = chance_below(&w.chance, 4); n > 0 && w.n_jobs < JOBS; n--) add_job(&w);
        lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
        o.now_us = w.now;
        o.flags = LSCHED_SCHEDULE_VERIFY;
        if (lsched_schedule(w.c, &o, &plan, &err) != LSCHED_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
        *starts += check_plan(&w, plan);
        *planned += check_times(&w, plan);
        if (!plans) *waits += check_waiting(&w);
        obey(&w, plan);
        lsched_plan_destroy(plan);
    }
    lsched_cluster_destroy(w.c);
}

static void no_task_can_run_into_an_absence(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(1), n = chance_rounds(600);
    uint32_t starts = 0, waits = 0, planned = 0;
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) run_world(seed + i, &starts, &waits, &planned);
    print_message("%u starts, %u jobs that waited for a cycle, %u planned starts\n", starts, waits,
                  planned);
    if (n > 10) assert_true(starts > 0 && waits > 0 && planned > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_task_can_run_into_an_absence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
