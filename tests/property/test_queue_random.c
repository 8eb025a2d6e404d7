/*
 * Random queues, users, gangs and events: what queues count agrees with a count from outside, rules
 * that were in force all along were kept, and a clone and a loaded image say the same of every
 * queue.
 *
 * Quotas, limits and numbers of nodes stay as they began, so "at most so many jobs" and "firm
 * minimums within the guarantee" hold after every cycle, not only for what the cycle placed. The
 * verifier, which counts demand, core, holders and holds anew, runs after every event.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "property/chance.h"
#include "support/queue_world.h"

enum { QUEUES = 9, JOBS = 60, EVENTS = 120 };

static struct queue_world world;
static struct chance chance;
static uint32_t evictions, n_jobs, jobs_max[QUEUES];
static int may_choose;                 /* gangs that need some of their groups */
static int has_guarantees, has_choice; /* a firm gang that lost a group may stand by another one */
static char names[JOBS * 4][8];

/* A tree of three levels; every leaf may be divided by users or groups. */
static void make_queues(void) {
    static const char *const name[QUEUES] = {"r0", "r1", "r2", "c0", "c1", "c2", "d0", "d1", "d2"};
    static const char *const parent[QUEUES] = {NULL, NULL, NULL, "r0", "r0",
                                               "r1", "c0", "c0", "c2"};
    for (uint32_t i = 0; i < QUEUES; i++) {
        int leaf = i == 2 || i == 4 || i >= 6;
        struct queue_form f = {.name = name[i], .parent = parent[i]};
        f.quota = (int)chance_below(&chance, 9);
        if (chance_one_in(&chance, 3)) f.limit = 2 + (int)chance_below(&chance, 12);
        if (chance_one_in(&chance, 3)) f.lend = LENDS((int)chance_below(&chance, 4));
        if (chance_one_in(&chance, 3)) f.jobs_max = 1 + chance_below(&chance, 5);
        if (leaf) f.flags = chance_below(&chance, 4);
        if (f.flags) f.user_limit = (int)chance_below(&chance, 5);
        if (f.flags) f.user_jobs_max = chance_below(&chance, 3);
        jobs_max[i] = f.jobs_max;
        assert_int_equal(queue_world_queue(&world, f), 1);
    }
}

/* A leaf, or a root over three leaves of which some are needed. */
static void submit_one(void) {
    static const char *const leaf[] = {"r2", "c1", "d0", "d1", "d2"};
    static const char *const user[] = {"ada", "bob", NULL};
    static const char *const group[] = {"maths", NULL};
    static const lsched_amount request[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_GPU, 0, 1000}};
    if (n_jobs == sizeof names / sizeof names[0]) return;
    lsched_group_desc g[4];
    uint32_t n = chance_one_in(&chance, 3) ? 4 : 1;
    int firm = chance_one_in(&chance, 2), choice = may_choose && chance_one_in(&chance, 2);
    for (uint32_t i = 0; i < n; i++) {
        lsched_init(&g[i], sizeof g[i]);
        if (n > 1 && i == 0) {
            g[i].min_groups = choice ? 1 + chance_below(&chance, 2) : 0;
            has_choice |= firm && choice;
            continue;
        }
        g[i].max_count = 1 + chance_below(&chance, 5);
        g[i].min_count = chance_below(&chance, g[i].max_count + 1);
        if (chance_one_in(&chance, 4)) g[i].min_count = LSCHED_MIN_NONE;
        g[i].request = request;
        g[i].n_request = 1 + chance_below(&chance, 2);
    }
    snprintf(names[n_jobs], sizeof names[0], "j%u", n_jobs);
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(names[n_jobs]);
    d.queue_name = lsched_cstr(leaf[chance_below(&chance, 5)]);
    d.user = lsched_cstr(user[chance_below(&chance, 3)]);
    d.user_group = lsched_cstr(group[chance_below(&chance, 2)]);
    d.groups = g;
    d.n_groups = n;
    d.priority = (int32_t)chance_below(&chance, 3);
    d.flags = firm ? LSCHED_JOB_NON_PREEMPTIBLE : 0;
    d.submit_us = world.now_us;
    int32_t code = lsched_jobs_submit(world.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &world.err);
    if (code < 0) print_message("%s\n", world.err.message);
    assert_int_equal(code, 1);
    n_jobs++;
}

static lsched_id some_job(void) {
    if (n_jobs == 0) return 0;
    return queue_world_id(&world, LSCHED_KIND_JOB, names[chance_below(&chance, n_jobs)]);
}

/* Some task of the job ends, well or not. */
static void end_a_task(lsched_id job) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    uint32_t skip = chance_below(&chance, 4);
    while (job && lsched_tasks_next(world.cluster, job, 0, &cursor, &t, NULL) == 1) {
        int leaves = t.state == LSCHED_TASK_RELEASING;
        if ((t.state != LSCHED_TASK_RUNNING && !leaves) || skip-- > 0) continue;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = job;
        e.task_index = t.task_index;
        e.event = leaves || chance_one_in(&chance, 3) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
        e.at_us = world.now_us += chance_below(&chance, 1000000);
        assert_true(lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &world.err) >=
                    0);
        return;
    }
}

/* ---- what must be true ---- */

static uint32_t jobs_that_hold(lsched_id queue) {
    uint64_t cursor = 0;
    uint32_t n = 0;
    for (lsched_id j; (j = lsched_next(world.cluster, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_job_info info = {.size = sizeof info};
        assert_int_equal(lsched_job_get(world.cluster, j, &info, NULL), 0);
        lsched_id q = info.queue;
        while (q && q != queue) {
            lsched_queue_info up = {.size = sizeof up};
            assert_int_equal(lsched_queue_get(world.cluster, q, &up, NULL), 0);
            q = up.parent;
        }
        n += q == queue && info.tasks_placed > 0;
    }
    return n;
}

static void check_rules(void) {
    static const char *const name[QUEUES] = {"r0", "r1", "r2", "c0", "c1", "c2", "d0", "d1", "d2"};
    for (uint32_t i = 0; i < QUEUES; i++) {
        lsched_queue_share s = queue_world_share(&world, name[i]);
        assert_true(s.used_core >= 0 && s.used_core <= s.used && s.used <= s.demand);
        if (has_guarantees && !has_choice) assert_true(s.used_core <= s.guarantee);
        assert_true(s.hold >= 0 && s.decayed_ppm >= 0);
        if (!jobs_max[i]) continue;
        lsched_id q = queue_world_id(&world, LSCHED_KIND_QUEUE, name[i]);
        assert_true(jobs_that_hold(q) <= jobs_max[i]);
    }
}

static int32_t keep(void *user, const void *bytes, size_t n) {
    struct {
        size_t n;
        char bytes[1 << 20];
    } *to = user;
    if (to->n + n > sizeof to->bytes) return 1;
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    return 0;
}

/* What a copy says of every queue is what this one says. */
static void check_copy(lsched_cluster *copy) {
    uint64_t cursor = 0;
    for (lsched_id q; (q = lsched_next(world.cluster, LSCHED_KIND_QUEUE, &cursor)) != 0;) {
        lsched_queue_share a = {.size = sizeof a}, b = {.size = sizeof b};
        assert_int_equal(lsched_queue_share_get(world.cluster, q, LSCHED_GPU, &a, NULL), 0);
        assert_int_equal(lsched_queue_share_get(copy, q, LSCHED_GPU, &b, NULL), 0);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_int_equal(lsched_verify(copy, NULL, &world.err), 0);
    lsched_cluster_destroy(copy);
}

static void check_copies(void) {
    static struct {
        size_t n;
        char bytes[1 << 20];
    } image;
    lsched_cluster *copy = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, NULL), 0);
    check_copy(copy);
    image.n = 0;
    copy = NULL;
    assert_int_equal(lsched_cluster_save(world.cluster, keep, &image, NULL), 0);
    assert_int_equal(lsched_cluster_load(NULL, image.bytes, image.n, &copy, NULL), 0);
    check_copy(copy);
}

/* ---- rounds ---- */

static void one_event(void) {
    switch (chance_below(&chance, 6)) {
    case 0:
    case 1: submit_one(); break;
    case 2: end_a_task(some_job()); break;
    case 3: {
        lsched_id job = some_job();
        if (job && chance_one_in(&chance, 3))
            assert_true(lsched_jobs_remove(world.cluster, &job, 1, NULL, NULL, &world.err) >= 0);
        break;
    }
    case 4:
        if (chance_one_in(&chance, 4)) world.now_us += 31 * QUEUE_WORLD_S; /* a refresh */
        break;
    default: queue_world_cycle(&world); check_rules();
    }
    int32_t code = lsched_verify(world.cluster, NULL, &world.err);
    if (code != LSCHED_OK) print_message("%s\n", world.err.message);
    assert_int_equal(code, LSCHED_OK);
}

static void one_round(uint64_t seed) {
#define EVICTS "pipeline = { 'allocate', 'reclaim', 'preempt', 'consolidate', 'evict-stale-gangs' }"
    static const char *const policies[] = {
        "return { api = 1, name = 'p', fair_share = 'quota' }",
        "return { api = 1, name = 'p', fair_share = 'drf', usage = { half_life = 100 } }",
        "return { api = 1, name = 'p', fair_share = 'quota', usage = { half_life = 50, window = "
        "333, weight = 2.0 } }",
        "return { api = 1, name = 'p', fair_share = 'quota', " EVICTS " }",
        "return { api = 1, name = 'p', fair_share = 'quota', " EVICTS
        ", usage = { half_life = 50 } }"};
#undef EVICTS
    chance.state = seed;
    n_jobs = 0;
    has_choice = 0;
    may_choose = chance_one_in(&chance, 2);
    queue_world_open(&world, 1 + chance_below(&chance, 4), 1 + chance_below(&chance, 8), NULL);
    uint32_t policy = chance_below(&chance, 5);
    has_guarantees = policy != 1;
    queue_world_policy(&world, policies[policy]);
    make_queues();
    for (uint32_t i = 0; i < EVENTS; i++) one_event();
    check_copies();
    evictions += world.evictions;
    queue_world_close(&world);
}

static void queues_count_what_there_is(void **unused) {
    (void)unused;
    uint64_t seed = chance_variable("LSCHED_TEST_SEED", 1),
             rounds = chance_variable("LSCHED_TEST_ROUNDS", 60);
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)rounds);
    for (uint64_t i = 0; i < rounds; i++) {
        print_message("seed %llu\n", (unsigned long long)(seed + i));
        one_round(seed + i);
    }
    print_message("%u evictions\n", evictions);
    assert_true(evictions > 0 || rounds < 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(queues_count_what_there_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
