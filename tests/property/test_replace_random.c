/*
 * New places for what is stopped, in small random worlds of one-GPU tasks: jobs are trees of up to
 * three levels with minimums of tasks and of sub-groups, some with tasks that wait. One job that
 * asks for several GPUs on one node, once or a few times, wants room by preempt, reclaim, both of
 * them, or consolidate; or a node drains. As every task is as large as every other, room is a
 * number, and this file counts:
 *   - nobody is stopped who could go on elsewhere: when a group of decisions is done, no job that
 *     it cost its minimum could have that on the room that is left, no sub-group that a job lost
 *     could stand there, and no task of a group that stands has room there;
 *   - consolidation serves the job if and only if there is as much room as it needs and nodes that
 *     could hold it;
 *   - every plan passes verification.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "property/chance.h"
#include "property/policy_cluster.h"

#define NODES  4u
#define GPUS   4u
#define JOBS   6u
#define GROUPS 7u
#define NONE   UINT32_MAX
#define MINUTE INT64_C(60000000)

enum { BY_PREEMPT, BY_RECLAIM, BY_BOTH, BY_CONSOLIDATE, BY_DRAIN, WAYS };

struct job {
    lsched_id id;
    uint32_t n, parent[GROUPS], children[GROUPS], min[GROUPS]; /* children first is never asked */
    uint32_t count[GROUPS], base[GROUPS], runs[GROUPS];        /* of a leaf */
    uint32_t lost[GROUPS];                                     /* by the plan: stopped */
};

struct world {
    uint64_t seed;
    struct chance chance;
    lsched_cluster *c;
    int64_t now_us;
    uint32_t way, n_nodes, n_jobs, want_gpus, want_tasks;
    lsched_id node[NODES], want;
    uint32_t size[NODES], free[NODES]; /* free: what the plan leaves of it, so far */
    int drains[NODES];
    struct job job[JOBS];
};

struct tally {
    uint64_t served, stopped, moved, partly, waits;
};

static void must(const struct world *w, int32_t rc, const lsched_error *err) {
    if (rc < 0) fail_msg("seed %llu: %d %s", (unsigned long long)w->seed, rc, err->message);
}

/* ---- building ---- */

static void add_nodes(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        char name[] = {'n', (char)('0' + i), 0};
        lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        w->size[i] = w->free[i] = 1 + chance_below(&w->chance, GPUS);
        devices.count = w->size[i];
        devices.model = LSCHED_TEXT("H100");
        d.name = lsched_cstr(name);
        d.devices = &devices;
        d.n_devices = 1;
        must(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &w->node[i], NULL, &err), &err);
    }
}

static void add_queues(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount quota = {LSCHED_GPU, 0, (int64_t)w->want_gpus * w->want_tasks * 1000};
    for (uint32_t i = 0; i < 2; i++) {
        lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
        d.name = lsched_cstr(i ? "wants" : "holds");
        d.quota = &quota;
        d.n_quota = i;
        must(w, lsched_queues_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &err), &err);
    }
}

static uint32_t room_left(const struct world *w) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->n_nodes; i++) sum += w->free[i];
    return sum;
}

/* One leaf; leaves below the root; or the first of them with leaves of its own. */
static void draw_tree(struct world *w, struct job *j) {
    struct chance *c = &w->chance;
    uint32_t base = 0;
    memset(j, 0, sizeof *j);
    j->n = 1;
    uint32_t wide = chance_one_in(c, 2) ? 0 : 1 + chance_below(c, 3);
    uint32_t deep = wide && chance_one_in(c, 3) ? 1 + chance_below(c, 2) : 0;
    for (uint32_t i = 0; i < deep; i++) j->parent[2 + i] = 1;
    j->children[1] = deep;
    j->n = 1 + deep + (deep ? 1 : 0);
    for (uint32_t i = deep ? 1 : 0; i < wide; i++) j->parent[j->n++] = 0;
    if (wide) j->children[0] = wide;
    for (uint32_t g = 0; g < j->n; g++) {
        j->base[g] = base;
        if (j->children[g]) {
            j->min[g] = chance_one_in(c, 2) ? j->children[g] : 1 + chance_below(c, j->children[g]);
            continue;
        }
        j->count[g] = 1 + chance_below(c, 3);
        j->min[g] = chance_one_in(c, 3) ? j->count[g] : 1 + chance_below(c, j->count[g]);
        j->runs[g] = chance_one_in(c, 4) ? j->min[g] : j->count[g];
        base += j->count[g];
    }
}

static void submit(struct world *w, struct job *j, char *name) {
    lsched_group_desc g[GROUPS];
    lsched_amount request = {LSCHED_GPU, 0, 1000};
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < j->n; i++) {
        lsched_init(&g[i], sizeof g[i]);
        g[i].parent = j->parent[i];
        if (j->children[i]) {
            g[i].min_groups = j->min[i];
            continue;
        }
        g[i].max_count = j->count[i];
        g[i].min_count = j->min[i];
        g[i].request = &request;
        g[i].n_request = 1;
    }
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("holds");
    d.groups = g;
    d.n_groups = j->n;
    d.priority = (int32_t)chance_below(&w->chance, 3);
    d.submit_us = w->now_us - MINUTE;
    must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &j->id, NULL, &err), &err);
}

static uint32_t node_with_room(struct world *w) {
    uint32_t at = chance_below(&w->chance, w->n_nodes);
    for (uint32_t i = 0; i < w->n_nodes; i++, at = (at + 1) % w->n_nodes)
        if (w->free[at]) return at;
    return NONE;
}

/* Its tasks of the greatest indexes run, so that some of lower ones may wait. */
static void run(struct world *w, struct job *j) {
    for (uint32_t g = 0; g < j->n; g++)
        for (uint32_t i = j->count[g] - j->runs[g]; i < j->count[g]; i++) {
            lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
            lsched_error err = LSCHED_ERROR_INIT;
            uint32_t node = node_with_room(w);
            t.job = j->id;
            t.task_index = j->base[g] + i;
            t.node = w->node[node];
            t.start_us = w->now_us - MINUTE * (int64_t)(1 + chance_below(&w->chance, 3));
            must(w, lsched_tasks_import(w->c, &t, 1, sizeof t, NULL, NULL, &err), &err);
            w->free[node]--;
        }
}

static void add_jobs(struct world *w) {
    uint32_t most = 2 + chance_below(&w->chance, JOBS - 1);
    for (uint32_t tries = 0; tries < 20 && w->n_jobs < most && room_left(w); tries++) {
        struct job *j = &w->job[w->n_jobs];
        char name[] = {'r', (char)('a' + w->n_jobs), 0};
        uint32_t runs = 0;
        draw_tree(w, j);
        for (uint32_t g = 0; g < j->n; g++) runs += j->runs[g];
        if (runs > room_left(w)) continue;
        submit(w, j, name);
        run(w, j);
        w->n_jobs++;
    }
}

static void add_waiting(struct world *w) {
    lsched_amount request = {LSCHED_GPU, 0, (int64_t)w->want_gpus * 1000};
    lsched_group_desc g;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    if (w->way == BY_DRAIN) return;
    lsched_init(&g, sizeof g);
    g.max_count = g.min_count = w->want_tasks;
    g.request = &request;
    g.n_request = 1;
    d.name = LSCHED_TEXT("want");
    d.queue_name = lsched_cstr(w->way == BY_RECLAIM ? "wants" : "holds");
    d.groups = &g;
    d.n_groups = 1;
    d.priority = 10;
    d.submit_us = w->now_us;
    must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &w->want, NULL, &err), &err);
}

static void drain_one(struct world *w) {
    uint32_t i = chance_below(&w->chance, w->n_nodes);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    if (w->way != BY_DRAIN) return;
    u.node = w->node[i];
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_DRAINING;
    must(w, lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err), &err);
    w->drains[i] = 1;
}

static void begin(struct world *w, uint64_t seed) {
    static const char *const pipeline[] = {"'preempt'", "'reclaim'", "'reclaim', 'preempt'",
                                           "'consolidate'", "'drain'"};
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->chance.state = seed;
    w->now_us = INT64_C(1700000000000000);
    w->way = chance_below(&w->chance, WAYS);
    w->n_nodes = 2 + chance_below(&w->chance, NODES - 1);
    w->want_gpus = 1 + chance_below(&w->chance, GPUS);
    w->want_tasks = chance_one_in(&w->chance, 2) ? 1 : 2 + chance_below(&w->chance, 2);
    w->c = policy_cluster(seed,
                          "return { api = 1, name = 'homes', fair_share = 'quota',\n"
                          "  placement = '%s', pipeline = { %s } }\n",
                          chance_one_in(&w->chance, 2) ? "spread" : "binpack", pipeline[w->way]);
    add_nodes(w);
    add_queues(w);
    add_jobs(w);
    add_waiting(w);
    drain_one(w);
}

/* ---- what the plan left ---- */

static uint32_t node_of(const struct world *w, lsched_id id) {
    for (uint32_t i = 0; i < w->n_nodes; i++)
        if (w->node[i] == id) return i;
    fail_msg("seed %llu: a node that is not there", (unsigned long long)w->seed);
    return 0;
}

static struct job *job_of(struct world *w, lsched_id id) {
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (w->job[j].id == id) return &w->job[j];
    return NULL;
}

static uint32_t leaf_of(const struct job *j, uint32_t index) {
    uint32_t g = 0;
    while (j->children[g] || index < j->base[g] || index >= j->base[g] + j->count[g]) g++;
    return g;
}

/* The group of decisions that begins here: room, what each leaf has, claims included, and lost.
 * Where it ends. */
static size_t carry_out(struct world *w, const lsched_plan *plan, size_t i, struct tally *t) {
    uint64_t group = lsched_plan_at(plan, i)->group;
    for (uint32_t j = 0; j < w->n_jobs; j++) memset(w->job[j].lost, 0, sizeof w->job[j].lost);
    for (; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->group != group) break;
        struct job *j = job_of(w, d->job);
        uint32_t node = node_of(w, d->node), gpus = j ? 1 : w->want_gpus;
        int stops = d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE;
        w->free[node] = stops ? w->free[node] + gpus : w->free[node] - gpus;
        t->moved += d->kind == LSCHED_DECIDE_MIGRATE;
        t->stopped += d->kind == LSCHED_DECIDE_EVICT;
        if (!j) continue;
        uint32_t leaf = leaf_of(j, d->task_index);
        j->runs[leaf] = stops ? j->runs[leaf] - 1 : j->runs[leaf] + 1;
        j->lost[leaf] += d->kind == LSCHED_DECIDE_EVICT;
    }
    for (uint32_t n = 0; n < w->n_nodes; n++)
        if (w->drains[n]) w->free[n] = 0;
    return i;
}

/* So many tasks of what it lost bring each group to its minimum; NONE: they do not suffice. */
static void count_needs(const struct job *j, uint32_t *need) {
    for (uint32_t g = j->n; g-- > 0;) {
        uint32_t lacks = j->min[g] > j->runs[g] ? j->min[g] - j->runs[g] : 0;
        need[g] = lacks > j->lost[g] ? NONE : lacks;
        if (j->children[g] == 0) continue;
        uint8_t used[GROUPS] = {0};
        need[g] = 0;
        for (uint32_t i = 0; i < j->min[g]; i++) {
            uint32_t best = NONE;
            for (uint32_t c = g + 1; c < j->n; c++)
                if (j->parent[c] == g && !used[c] && (best == NONE || need[c] < need[best]))
                    best = c;
            used[best] = 1;
            need[g] = need[best] == NONE || need[g] == NONE ? NONE : need[g] + need[best];
        }
    }
}

static void check_job(const struct world *w, uint32_t at, struct tally *t) {
    const struct job *j = &w->job[at];
    uint32_t need[GROUPS], room = room_left(w), lost = 0, has = 0;
    count_needs(j, need);
    for (uint32_t g = 0; g < j->n; g++) {
        uint32_t up = j->parent[g];
        lost += j->lost[g];
        has += j->runs[g];
        int around = g == 0;
        if (g) {
            around = need[up] == 0;
            for (; up && around; up = j->parent[up]) around = need[j->parent[up]] == 0;
        }
        if (!around || need[g] == NONE) continue;
        int could = need[g] ? need[g] <= room : j->children[g] == 0 && j->lost[g] && room;
        if (could)
            fail_msg("seed %llu: way %u: %u of r%c group %u are stopped, and %u have room",
                     (unsigned long long)w->seed, w->way, j->lost[g], 'a' + at, g, room);
    }
    t->partly += lost && has;
}

static void print_world(const struct world *w, const lsched_plan *plan) {
    if (!getenv("LSCHED_TEST_PRINT")) return;
    print_message("way %u: want %u x %u\n", w->way, w->want_tasks, w->want_gpus);
    for (uint32_t i = 0; i < w->n_nodes; i++)
        print_message("  n%u: %u of %u free%s\n", i, w->free[i], w->size[i],
                      w->drains[i] ? ", drains" : "");
    for (uint32_t j = 0; j < w->n_jobs; j++)
        for (uint32_t g = 0; g < w->job[j].n; g++)
            print_message("  r%c group %u below %u: min %u of %u, runs %u\n", 'a' + j, g,
                          w->job[j].parent[g], w->job[j].min[g],
                          w->job[j].count[g] + w->job[j].children[g], w->job[j].runs[g]);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        size_t len;
        print_message("  kind %u of %s/%u on %s\n", d->kind, lsched_name(w->c, d->job, &len),
                      d->task_index, lsched_name(w->c, d->node, &len));
    }
}

/* ---- consolidation ---- */

static int could_be_served(const struct world *w) {
    uint32_t seats = 0;
    for (uint32_t i = 0; i < w->n_nodes; i++) seats += w->size[i] / w->want_gpus;
    return seats >= w->want_tasks && room_left(w) >= w->want_gpus * w->want_tasks;
}

static int is_served(const struct world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        if (lsched_plan_at(plan, i)->job == w->want) return 1;
    return 0;
}

static void run_seed(uint64_t seed, struct tally *t) {
    struct world w;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    begin(&w, seed);
    int could = could_be_served(&w);
    opts.now_us = w.now_us;
    must(&w, lsched_schedule(w.c, &opts, &plan, &err), &err);
    must(&w, lsched_verify(w.c, plan, &err), &err);
    print_world(&w, plan);
    int served = w.way != BY_DRAIN && is_served(&w, plan);
    t[w.way].served += (uint64_t)served;
    if (w.way == BY_CONSOLIDATE && served != could)
        fail_msg("seed %llu: %s though there %s room for it", (unsigned long long)seed,
                 served ? "served" : "waits", could ? "is" : "is no");
    for (size_t i = 0; i < lsched_plan_size(plan);) {
        i = carry_out(&w, plan, i, &t[w.way]);
        for (uint32_t j = 0; j < w.n_jobs; j++) check_job(&w, j, &t[w.way]);
    }
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(w.c);
}

static void nobody_stops_who_has_room_elsewhere(void **unused) {
    static const char *const what[] = {"preempt", "reclaim", "both", "consolidate", "drain"};
    struct tally t[WAYS] = {{0}};
    uint64_t first = chance_seed(1);
    uint32_t n = chance_rounds(3000);
    (void)unused;
    for (uint64_t seed = first; seed < first + n; seed++) run_seed(seed, t);
    print_message("%-12s %8s %8s %8s %8s\n", "", "served", "stopped", "moved", "partly");
    for (int i = 0; i < WAYS; i++)
        print_message("%-12s %8llu %8llu %8llu %8llu\n", what[i], (unsigned long long)t[i].served,
                      (unsigned long long)t[i].stopped, (unsigned long long)t[i].moved,
                      (unsigned long long)t[i].partly);
    for (int i = 0; i < WAYS && n >= 3000; i++)
        assert_true(t[i].moved > 10 && (i == BY_CONSOLIDATE || t[i].partly > 10));
    assert_int_equal(t[BY_CONSOLIDATE].stopped, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_stops_who_has_room_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
