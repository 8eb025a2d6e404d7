/*
 * Exclusive levels on clusters that change: gangs, jobs of two groups of which one has the level,
 * imports and starts that break the rule, evictions that are confirmed or rejected, nodes that go,
 * and clones that take the cluster's place. After each call, every pair of tasks that the public
 * walk over tasks tells is judged here, without the library's code: no task stands in the place of
 * a task of another job that has the place for itself, except what the host itself has put there;
 * nothing starts there before all others are gone; and no task with the level is outside the tree.
 *
 * After each cycle, the first waiting job of one task does not wait if all that is in some place
 * that it could have is running work of lower priority, on any node of the place.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#include "api/calls/skip_check.h"
#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "support/settle.h"

enum { NODES = 9, RACKS = 3, JOBS = 24, TASKS = 8, STEPS = 40, SEEN = 512 };
enum { SHARED, BY_NODE, BY_RACK };
#define MINUTE INT64_C(60000000)

struct job {
    int live, was_imported, has_failed;
    lsched_id id;
    uint32_t queue, n_groups, count[2], min[2], level[2];
    int32_t priority;
    int64_t cpu;
    int one_rack;
};

/* A task as the public walk tells it. */
struct seen {
    uint32_t job, task, group, state, node;
};

struct world {
    uint64_t seed;
    struct chance chance;
    lsched_cluster *c;
    int64_t now;
    uint32_t next_name, n_seen;
    int calm;     /* no decision is rejected */
    int reclaims; /* two queues with guarantees take work from each other; otherwise priorities do */
    lsched_id ids[NODES], queues[2];
    int64_t cpu[NODES];
    struct job jobs[JOBS];
    struct seen seen[SEEN];
    uint64_t places, evictions, elsewhere, waited, imports;
};

static void wrong(const struct world *w, const char *what, uint32_t a, uint32_t b) {
    fprintf(stderr, "seed %llu, minute %lld: %s: %u, %u\n", (unsigned long long)w->seed,
            (long long)(w->now / MINUTE), what, a, b);
    fail();
}

static void must(const struct world *w, int64_t rc, const lsched_error *err, const char *call) {
    if (rc >= 0) return;
    fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, call, err->message);
    fail();
}

/* ---- what is there --------------------------------------------------------------------------- */

/* The last rack of nodes is outside the tree. */
static uint32_t rack_of(uint32_t node) {
    return node < NODES - 1 ? node % RACKS : RACKS;
}

static int same_place(uint32_t level, uint32_t a, uint32_t b) {
    return a == b || (level == BY_RACK && rack_of(a) < RACKS && rack_of(a) == rack_of(b));
}

static uint32_t index_of(const struct world *w, lsched_id job) {
    uint32_t i = 0;
    while (i < JOBS && !(w->jobs[i].live && w->jobs[i].id == job)) i++;
    if (i == JOBS) wrong(w, "an unknown job", (uint32_t)job, 0);
    return i;
}

static void look(struct world *w) {
    w->n_seen = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        lsched_task_info t = {.size = sizeof t};
        lsched_error err = LSCHED_ERROR_INIT;
        uint64_t cursor = 0;
        int32_t rc = 0;
        while (w->ids[n] && (rc = lsched_tasks_next(w->c, 0, w->ids[n], &cursor, &t, &err)) == 1)
            if (t.state != LSCHED_TASK_DONE)
                w->seen[w->n_seen++] =
                    (struct seen){index_of(w, t.job), t.task_index, t.group_index, t.state, n};
        must(w, rc, &err, "tasks_next");
    }
}

static uint32_t level_of(const struct world *w, const struct seen *s) {
    const struct job *j = &w->jobs[s->job];
    return j->level[j->n_groups > 1 ? s->group - 1 : 0];
}

/* Tasks of jobs of which the host has put one somewhere itself may be anywhere: whether such a task
 * stands where the host put it is not always known here, because evictions of it can be undone. */
static int is_excused(const struct world *w, const struct seen *s) {
    return w->jobs[s->job].was_imported;
}

static void judge(struct world *w) {
    look(w);
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const struct seen *a = &w->seen[i];
        uint32_t level = level_of(w, a);
        if (level == SHARED || is_excused(w, a) || a->state == LSCHED_TASK_RELEASING) continue;
        if (level == BY_RACK && rack_of(a->node) == RACKS)
            wrong(w, "a task with a level is outside the tree", a->job, a->node);
        for (uint32_t x = 0; x < w->n_seen; x++) {
            const struct seen *b = &w->seen[x];
            if (b->job == a->job || is_excused(w, b) || !same_place(level, a->node, b->node))
                continue;
            if (b->state == LSCHED_TASK_RELEASING && a->state == LSCHED_TASK_NOMINATED) continue;
            fprintf(stderr, "task %u of j %u: state %u on n%u; task %u of j %u: state %u on n%u\n",
                    a->task, a->job, a->state, a->node, b->task, b->job, b->state, b->node);
            wrong(w, "a task of another job is in an exclusive place", a->job, b->job);
        }
    }
}

/* ---- the cluster ----------------------------------------------------------------------------- */

static void add_node(struct world *w, uint32_t i) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    char name[16], rack[8];
    snprintf(name, sizeof name, "n%u", i);
    snprintf(rack, sizeof rack, "r%u", rack_of(i));
    const lsched_label label = {LSCHED_TEXT("rack"), lsched_cstr(rack)};
    w->cpu[i] = 1000 * chance_between(&w->chance, 2, 5);
    const lsched_amount cpu = {LSCHED_CPU, 0, w->cpu[i]};
    d.name = lsched_cstr(name);
    d.capacity = &cpu;
    d.n_capacity = 1;
    d.labels = &label;
    d.n_labels = rack_of(i) < RACKS;
    must(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &w->ids[i], NULL, &err), &err,
         "nodes_add");
}

static void make(struct world *w) {
    static const char priorities[] =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }";
    static const char guarantees[] =
        "return { api = 1, name = 'q', fair_share = 'quota', pipeline ="
        " { 'allocate', 'consolidate', 'reclaim', 'preempt' } }";
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    const lsched_text level = LSCHED_TEXT("rack");
    opts.verify_every_plan = 1;
    w->reclaims = chance_one_in(&w->chance, 2);
    w->calm = chance_one_in(&w->chance, 2);
    must(w, lsched_cluster_create(&opts, &w->c, &err), &err, "create");
    cache_check_on(w->c);
    skip_check_on(w->c, chance_skips());
    must(w,
         lsched_policy_load(w->c, LSCHED_TEXT("p"),
                            lsched_cstr(w->reclaims ? guarantees : priorities), NULL, &err),
         &err, "policy");
    topology.name = LSCHED_TEXT("site");
    topology.levels = &level;
    topology.n_levels = 1;
    must(w, lsched_topologies_add(w->c, &topology, 1, sizeof topology, NULL, NULL, NULL, &err),
         &err, "topologies_add");
    for (uint32_t q = 0; q < 2; q++) {
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        const lsched_amount quota = {LSCHED_CPU, 0, 1000 * chance_between(&w->chance, 4, 14)};
        queue.name = lsched_cstr(q ? "q1" : "q0");
        queue.quota = &quota;
        queue.n_quota = (uint32_t)w->reclaims;
        must(w, lsched_queues_add(w->c, &queue, 1, sizeof queue, NULL, &w->queues[q], NULL, &err),
             &err, "queues_add");
    }
    for (uint32_t i = 0; i < NODES; i++) add_node(w, i);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void choose_job(struct world *w, struct job *j) {
    memset(j, 0, sizeof *j);
    j->queue = w->reclaims ? chance_below(&w->chance, 2) : 0;
    j->priority = (int32_t)chance_below(&w->chance, 4);
    j->cpu = 1000 * chance_between(&w->chance, 1, 2);
    j->n_groups = chance_one_in(&w->chance, 4) ? 2 : 1;
    j->one_rack = chance_one_in(&w->chance, 3);
    for (uint32_t g = 0; g < j->n_groups; g++) {
        j->count[g] = chance_one_in(&w->chance, 2) ? 1 : 1 + chance_below(&w->chance, TASKS / 2);
        j->min[g] =
            chance_one_in(&w->chance, 3) ? 1 + chance_below(&w->chance, j->count[g]) : j->count[g];
        j->level[g] = chance_one_in(&w->chance, 2) ? SHARED : 1 + chance_below(&w->chance, 2);
    }
}

/* The level stands at the leaf group, or at the root if all leaf groups have it. */
static void submit(struct world *w) {
    static const char *const levels[] = {"", "node", "rack"};
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = 0;
    int at_root = chance_one_in(&w->chance, 2);
    while (i < JOBS && w->jobs[i].live) i++;
    if (i == JOBS) return;
    struct job *j = &w->jobs[i];
    choose_job(w, j);
    char name[16];
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_group_desc g[3];
    const lsched_amount cpu = {LSCHED_CPU, 0, j->cpu};
    uint32_t leaves = j->n_groups > 1 ? 1 : 0;
    for (uint32_t x = 0; x < 3; x++) g[x] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    for (uint32_t x = 0; x < j->n_groups; x++) {
        lsched_group_desc *leaf = &g[leaves + x];
        leaf->max_count = j->count[x];
        leaf->min_count = j->min[x];
        leaf->request = &cpu;
        leaf->n_request = 1;
        if (j->n_groups == 1 || !at_root || j->level[0] != j->level[1])
            leaf->exclusive_level = lsched_cstr(levels[j->level[x]]);
    }
    if (j->n_groups > 1 && at_root && j->level[0] == j->level[1])
        g[0].exclusive_level = lsched_cstr(levels[j->level[0]]);
    if (j->one_rack) g[0].required_level = LSCHED_TEXT("rack");
    snprintf(name, sizeof name, "j%u", w->next_name++);
    d.name = lsched_cstr(name);
    d.queue = w->queues[j->queue];
    d.priority = j->priority;
    d.groups = g;
    d.n_groups = leaves + j->n_groups;
    d.group_elem_size = sizeof g[0];
    must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &j->id, NULL, &err), &err, "submit");
    j->live = 1;
}

static uint32_t size_of(const struct job *j) {
    return j->count[0] + j->count[1];
}

static void remove_job(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct job *j = &w->jobs[chance_below(&w->chance, JOBS)];
    if (!j->live) return;
    must(w, lsched_jobs_remove(w->c, &j->id, 1, NULL, NULL, &err), &err, "jobs_remove");
    j->live = 0;
}

/* One task ends by a failure, or one that is to stop is gone. */
static void lose_tasks(struct world *w) {
    look(w);
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const struct seen s = w->seen[i];
        int stops = s.state == LSCHED_TASK_RELEASING;
        if (s.state != LSCHED_TASK_RUNNING && !stops) continue;
        if (!chance_one_in(&w->chance, stops ? 2 : 12)) continue;
        lsched_error err = LSCHED_ERROR_INIT;
        const lsched_task_event e = {.size = sizeof e,
                                     .event = LSCHED_EVENT_FAILED,
                                     .job = w->jobs[s.job].id,
                                     .task_index = s.task};
        must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
        if (stops) continue;
        w->jobs[s.job].has_failed = 1;
    }
}

/* The host puts a task of a job that holds nothing somewhere, whatever the levels say. */
static void import(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(&w->chance, JOBS), node = chance_below(&w->chance, NODES);
    struct job *j = &w->jobs[i];
    look(w);
    for (uint32_t x = 0; x < w->n_seen; x++)
        if (w->seen[x].job == i) return;
    if (!j->live || !w->ids[node]) return;
    const lsched_task_import t = {.size = sizeof t,
                                  .job = j->id,
                                  .task_index = chance_below(&w->chance, size_of(j)),
                                  .node = w->ids[node],
                                  .start_us = w->now};
    must(w, lsched_tasks_import(w->c, &t, 1, sizeof t, NULL, NULL, &err), &err, "import");
    j->was_imported = 1;
    w->imports++;
}

static void swap_node(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t n = chance_below(&w->chance, NODES);
    must(w, lsched_nodes_remove(w->c, &w->ids[n], 1, NULL, NULL, &err), &err, "nodes_remove");
    add_node(w, n);
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static int32_t answer(struct world *w, const lsched_plan *plan) {
    lsched_id ids[256];
    lsched_outcome outcomes[256];
    size_t n = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    int rejects = !w->calm && chance_one_in(&w->chance, 6);
    for (size_t i = 0; i < lsched_plan_size(plan) && n < 256; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_NOMINATE) continue;
        ids[n] = d->id;
        outcomes[n++] = rejects && chance_one_in(&w->chance, 3) ? LSCHED_OUTCOME_REJECTED
                                                                : LSCHED_OUTCOME_CONFIRMED;
    }
    for (size_t i = 0; i < n; i++) {
        lsched_settlement s = {sizeof s, outcomes[i], ids[i], {NULL, 0}, NULL};
        lsched_batch_opts opts = {.size = sizeof opts, .flags = LSCHED_BATCH_IDEMPOTENT};
        /* a rejection before can have withdrawn this decision */
        (void)lsched_settle(w->c, &s, 1, sizeof s, &opts, NULL, NULL, &err);
        judge(w);
    }
    return LSCHED_OK;
}

static void start_all(struct world *w) {
    look(w);
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const struct seen s = w->seen[i];
        lsched_error err = LSCHED_ERROR_INIT;
        if (s.state != LSCHED_TASK_CONFIRMED || chance_one_in(&w->chance, 5)) continue;
        lsched_task_event e = {.size = sizeof e,
                               .event = LSCHED_EVENT_STARTED,
                               .job = w->jobs[s.job].id,
                               .task_index = s.task};
        uint32_t other = chance_below(&w->chance, NODES);
        if (chance_one_in(&w->chance, 20)) e.node = w->ids[other];
        must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err, "started");
        if (!e.node || other == s.node) continue;
        w->jobs[s.job].was_imported = 1;
        w->elsewhere++;
    }
}

/* True if all tasks of the job that have a place run. Otherwise its work may not be stopped now. */
static int only_runs(const struct world *w, uint32_t job) {
    for (uint32_t i = 0; i < w->n_seen; i++)
        if (w->seen[i].job == job && w->seen[i].state != LSCHED_TASK_RUNNING) return 0;
    return 1;
}

/* True if the waiting job of one task could have a place on the node after work of lower priority
 * has left it, and nothing else is there. */
static int could_clear(const struct world *w, uint32_t job, uint32_t node) {
    const struct job *j = &w->jobs[job];
    if (w->cpu[node] < j->cpu || (j->level[0] == BY_RACK && rack_of(node) == RACKS) ||
        (j->one_rack && rack_of(node) == RACKS))
        return 0;
    for (uint32_t i = 0; i < w->n_seen; i++) {
        const struct seen *s = &w->seen[i];
        uint32_t level = level_of(w, s);
        if (!same_place(j->level[0], node, s->node) && s->node != node &&
            !(level != SHARED && same_place(level, node, s->node)))
            continue;
        if (!only_runs(w, s->job) || w->jobs[s->job].priority >= j->priority) return 0;
        /* what was put there can use more than the node has */
        if (w->jobs[s->job].was_imported) return 0;
    }
    return 1;
}

/* Asked of jobs that no action puts off: none that waits has at least the same priority. */
static void first_does_not_wait(struct world *w) {
    uint32_t first = JOBS, equal = 0;
    uint8_t placed[JOBS] = {0};
    look(w);
    for (uint32_t i = 0; i < w->n_seen; i++) placed[w->seen[i].job]++;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *j = &w->jobs[i];
        if (!j->live || placed[i] >= size_of(j)) continue;
        if (first == JOBS || j->priority > w->jobs[first].priority) first = i, equal = 0;
        equal += j->priority == w->jobs[first].priority;
    }
    if (first == JOBS || equal > 1 || size_of(&w->jobs[first]) != 1 || placed[first] ||
        w->jobs[first].has_failed)
        return;
    w->waited++;
    for (uint32_t n = 0; n < NODES; n++)
        if (could_clear(w, first, n)) {
            char why[512];
            lsched_explain(w->c, w->jobs[first].id, why, sizeof why, NULL, NULL);
            fprintf(stderr, "%s\n", why);
            wrong(w, "waits though all that is in its place could leave", first, n);
        }
}

static void cycle(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    opts.now_us = w->now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    must(w, lsched_schedule(w->c, &opts, &plan, &err), &err, "schedule");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        int stops = d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE;
        w->places += stops ? 0 : 1;
        w->evictions += stops ? 1 : 0;
    }
    judge(w);
    if (!w->reclaims && w->calm && lsched_plan_size(plan) == 0) first_does_not_wait(w);
    must(w, answer(w, plan), &err, "settle");
    lsched_plan_destroy(plan);
    start_all(w);
    judge(w);
}

static void step(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    w->now += MINUTE * chance_between(&w->chance, 0, 2);
    cycle(w);
    lose_tasks(w);
    judge(w);
    for (uint32_t n = chance_below(&w->chance, 4); n > 0; n--) submit(w);
    if (chance_one_in(&w->chance, 2)) remove_job(w);
    if (chance_one_in(&w->chance, 8)) import(w);
    if (chance_one_in(&w->chance, 15)) swap_node(w);
    judge(w);
    if (chance_one_in(&w->chance, 8)) {
        must(w, lsched_cluster_clone(w->c, &copy, &err), &err, "clone");
        lsched_cluster_destroy(w->c);
        w->c = copy;
        cache_check_on(w->c);
        skip_check_on(w->c, chance_skips());
    }
    cycle(w);
}

static void exclusive_places_hold(void **unused) {
    static struct world w;
    uint64_t seed = chance_seed(8117), places = 0, evictions = 0, waited = 0, elsewhere = 0,
             imports = 0;
    uint32_t rounds = chance_rounds(20);
    (void)unused;
    printf("seed %llu, %u rounds\n", (unsigned long long)seed, rounds);
    for (uint32_t r = 0; r < rounds; r++) {
        memset(&w, 0, sizeof w);
        w.seed = w.chance.state = seed + r;
        w.now = MINUTE;
        make(&w);
        for (int s = 0; s < STEPS; s++) step(&w);
        lsched_cluster_destroy(w.c);
        places += w.places;
        evictions += w.evictions;
        waited += w.waited;
        elsewhere += w.elsewhere;
        imports += w.imports;
    }
    printf("%llu places and claims, %llu evictions, %llu first jobs waited, %llu imports, "
           "%llu started elsewhere\n",
           (unsigned long long)places, (unsigned long long)evictions, (unsigned long long)waited,
           (unsigned long long)imports, (unsigned long long)elsewhere);
    assert_true(places > 0 && evictions > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exclusive_places_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
