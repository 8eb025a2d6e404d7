/*
 * bench_searches.c -- what a cycle costs when searches for work to stop or to move find nothing.
 *
 * table  1,000 nodes are full and 8 queues have equal shares. One task ends, and one waiting job
 *        takes its place. For all other waiting jobs the policy seeks victims in vain. Jobs differ
 *        in queue and shape; there are lcm(8, shapes) bundles.
 * gangs  200 nodes, 160 waiting gangs and guaranteed-quota, which moves work, too. First one job
 *        ends, then the tasks that were placed start, then nothing happens.
 *
 * `fresh` is the baseline of the same run: a clone without caches, whose searches share nothing.
 * Times are CPU times of the thread; steps are visited entries.
 *
 *   bench_searches [POLICY-FOLDER [POLICY [SHAPES]]]
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "engine/state/cache_check.h"
#include "engine/state/cluster.h"

enum { NODES = 1000, QUEUES = 8, GANG_NODES = 200, GANGS = 160, EVENTS_MAX = 40 };

struct figures {
    double ms[EVENTS_MAX];
    uint64_t steps, tried, decisions;
    int n;
};

struct world {
    lsched_cluster *c;
    lsched_error err;
    int64_t now;
    uint32_t moves_max;
    uint64_t random;
    lsched_id running[32768];
    size_t n_running;
    struct figures warm, fresh;
};

static uint32_t below(struct world *w, uint32_t n) {
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((w->random >> 33) % n);
}

static void open_world(struct world *w, const char *folder, const char *policy) {
    static char text[1 << 16];
    char path[512];
    memset(w, 0, sizeof *w);
    w->err = (lsched_error)LSCHED_ERROR_INIT;
    w->now = INT64_C(1700000000000000);
    w->random = 1;
    bench_check(lsched_cluster_create(NULL, &w->c, &w->err), &w->err, "create");
    snprintf(path, sizeof path, "%s/%s.lua", folder, policy);
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "%s: not found\n", path);
        exit(1);
    }
    size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    bench_check(
        lsched_policy_load(w->c, lsched_cstr(policy), (lsched_text){text, len}, NULL, &w->err),
        &w->err, "policy");
}

static void note(struct figures *f, double ms, const lsched_plan *plan) {
    lsched_plan_info i = {.size = sizeof i};
    lsched_plan_get(plan, &i, NULL);
    if (f->n < EVENTS_MAX) f->ms[f->n++] = ms;
    f->steps += i.steps;
    f->tried += i.jobs_tried;
    f->decisions += i.decisions;
}

static lsched_plan *cycle(struct world *w, lsched_cluster *c, struct figures *f) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = w->now;
    opts.moves_max = w->moves_max;
    double t0 = 1e3 * bench_seconds();
    bench_check(lsched_schedule(c, &opts, &plan, &w->err), &w->err, "schedule");
    if (f) note(f, 1e3 * bench_seconds() - t0, plan);
    return plan;
}

/* One cycle of a clone that remembers nothing, then one cycle of the cluster. */
static lsched_plan *both_cycles(struct world *w) {
    lsched_cluster *copy = NULL;
    bench_check(lsched_cluster_clone(w->c, &copy, &w->err), &w->err, "clone");
    cluster_drop_caches(copy);
    cache_check_search_cold(copy);
    lsched_plan *plan = cycle(w, copy, &w->fresh);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
    return cycle(w, w->c, &w->warm);
}

static void report(struct world *w, lsched_id job, uint32_t task, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = task;
    bench_check(lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &w->err), &w->err, "report");
}

/* Everything that is placed starts. Everything that is stopped is gone at once. */
static size_t obey(struct world *w, const lsched_plan *plan) {
    size_t placed = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE)
            report(w, d->job, d->task_index, LSCHED_EVENT_FAILED);
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        report(w, d->job, d->task_index, LSCHED_EVENT_STARTED);
        if (d->task_index == 0 && w->n_running < sizeof w->running / sizeof *w->running)
            w->running[w->n_running++] = d->job;
        placed++;
    }
    return placed;
}

static void rest(struct world *w) {
    for (int i = 0; i < 8; i++) {
        lsched_plan *plan = cycle(w, w->c, NULL);
        size_t n = obey(w, plan);
        lsched_plan_destroy(plan);
        if (n == 0) break;
    }
    w->warm = w->fresh = (struct figures){.n = 0};
}

/* All tasks of some job end whose tasks all run. */
static void end_job(struct world *w) {
    while (w->n_running > 0) {
        size_t at = below(w, (uint32_t)w->n_running);
        lsched_id job = w->running[at];
        w->running[at] = w->running[--w->n_running];
        lsched_job_info info = {.size = sizeof info};
        if (lsched_job_get(w->c, job, &info, NULL) < 0 || info.tasks_running != info.tasks_wanted)
            continue;
        for (uint32_t t = 0; t < info.tasks_wanted; t++) report(w, job, t, LSCHED_EVENT_ENDED);
        return;
    }
}

/* Prints the rows of the cycles that were measured since the last call. */
static void tell(struct world *w, const char *what) {
    struct figures *warm = &w->warm, *fresh = &w->fresh;
    char name[64];
    if (warm->n == 0 || fresh->n == 0) return;
    double n = warm->n, ms = rows_median(warm->ms, (uint32_t)warm->n),
           fresh_ms = rows_median(fresh->ms, (uint32_t)fresh->n);
    snprintf(name, sizeof name, "%s.p50", what);
    rows_put(name, "ms", ms, "searches that share nothing", fresh_ms);
    snprintf(name, sizeof name, "%s.max", what);
    rows_put(name, "ms", warm->ms[warm->n - 1], "searches that share nothing",
             fresh->ms[fresh->n - 1]);
    snprintf(name, sizeof name, "%s.steps", what);
    rows_put(name, "steps", (double)warm->steps / n, "searches that share nothing",
             (double)fresh->steps / n);
    rows_note("%s: %.0f jobs tried, %.1f decisions a cycle", what, (double)warm->tried / n,
              (double)warm->decisions / n);
    w->warm = w->fresh = (struct figures){.n = 0};
}

/* ---- single tasks ---- */

static void add_single_jobs(struct world *w, uint32_t first, uint32_t n, uint32_t shapes) {
    for (uint32_t i = first; i < first + n; i++) {
        char name[32], queue[16];
        snprintf(name, sizeof name, "job-%010u", i);
        snprintf(queue, sizeof queue, "queue-%u", i % QUEUES);
        lsched_amount request[2] = {{LSCHED_CPU, 0, 4000 + 5 * (int64_t)(i % shapes)},
                                    {LSCHED_GPU, 0, 1000}};
        lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
        g.request = request;
        g.n_request = 2;
        lsched_job_desc d = LSCHED_JOB_DESC_INIT;
        d.name = lsched_cstr(name);
        d.queue_name = lsched_cstr(queue);
        d.groups = &g;
        d.n_groups = 1;
        d.submit_us = w->now + i;
        bench_check(lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err), &w->err,
                    "submit");
    }
}

static void table(const char *folder, const char *policy, uint32_t shapes) {
    static struct world w;
    char what[64];
    open_world(&w, folder, policy);
    bench_add_nodes(w.c, NODES, 0);
    bench_add_queues(w.c, QUEUES);
    add_single_jobs(&w, 0, NODES * 8, shapes);
    rest(&w);
    add_single_jobs(&w, NODES * 8, 4000, shapes);
    w.now += INT64_C(3600000000);
    rest(&w);
    int events = shapes >= 1000 ? 5 : 20;
    for (int i = 0; i < events; i++) {
        w.now += 1000;
        end_job(&w);
        lsched_plan *plan = both_cycles(&w);
        obey(&w, plan);
        lsched_plan_destroy(plan);
    }
    snprintf(what, sizeof what, "%s.%u_shapes", policy, shapes);
    tell(&w, what);
    lsched_cluster_destroy(w.c);
}

/* ---- gangs ---- */

static void add_gang(struct world *w, uint32_t i, uint32_t tasks, int64_t gpus) {
    char name[32], queue[16];
    snprintf(name, sizeof name, "gang-%06u", i);
    snprintf(queue, sizeof queue, "team-%u", below(w, 4));
    lsched_amount request[2] = {{LSCHED_CPU, 0, 2000 * gpus}, {LSCHED_GPU, 0, 1000 * gpus}};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = request;
    g.n_request = 2;
    g.max_count = tasks;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.groups = &g;
    d.n_groups = 1;
    d.priority = (int32_t)below(w, 3);
    d.submit_us = w->now + i;
    bench_check(lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err), &w->err,
                "submit");
}

static void add_team(struct world *w, uint32_t i) {
    char name[16];
    lsched_amount quota = {LSCHED_GPU, 0, GANG_NODES * 2 * 1000};
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    snprintf(name, sizeof name, "team-%u", i);
    q.name = lsched_cstr(name);
    q.quota = &quota;
    q.n_quota = 1;
    bench_check(lsched_queues_add(w->c, &q, 1, sizeof q, NULL, NULL, NULL, &w->err), &w->err,
                "queues");
}

/* Small and large work fills the nodes, and a tenth of it ends again. Then the gangs come. */
static void fill_for_gangs(struct world *w) {
    static const int64_t gpus[] = {1, 1, 2, 4};
    uint32_t n = 0;
    bench_add_nodes(w->c, GANG_NODES, 0);
    for (uint32_t i = 0; i < 4; i++) add_team(w, i);
    for (; n < 500; n++) add_gang(w, n, 1 + below(w, 4), gpus[below(w, 4)]);
    rest(w);
    for (size_t i = w->n_running / 10; i > 0; i--) end_job(w);
    for (uint32_t i = 0; i < GANGS; i++, n++) add_gang(w, n, 2 + below(w, 7), 8);
    w->now += INT64_C(3600000000);
    rest(w);
}

static void gangs(const char *folder, uint32_t moves_max) {
    static struct world w;
    open_world(&w, folder, "guaranteed-quota");
    w.moves_max = moves_max;
    fill_for_gangs(&w);
    for (int i = 0; i < 12; i++) {
        w.now += 1000000;
        end_job(&w);
        lsched_plan *plan = both_cycles(&w);
        obey(&w, plan);
        lsched_plan_destroy(plan);
    }
    tell(&w, moves_max ? "160_gangs_16_moves.job_ended" : "160_gangs.job_ended");
    for (int i = 0; i < 12; i++) {
        w.now += 1000000;
        lsched_plan *plan = both_cycles(&w);
        lsched_plan_destroy(plan);
    }
    tell(&w, moves_max ? "160_gangs_16_moves.no_event" : "160_gangs.no_event");
    lsched_cluster_destroy(w.c);
}

int main(int argc, char **argv) {
    static const char *const policies[] = {"drf", "guaranteed-quota", "cohort", "day-night-quotas",
                                           "notebooks"};
    static const uint32_t shapes[] = {1, 10, 100, 1000};
    argc = rows_open("searches", argc, argv);
    const char *folder = argc > 1 ? argv[1] : "policies", *only = argc > 2 ? argv[2] : NULL;
    uint32_t one = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    rows_note("%d nodes, %d queues; CPU time of a cycle after one event", NODES, QUEUES);
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            if ((!only || strcmp(only, policies[p]) == 0) && (!one || one == shapes[s]))
                table(folder, policies[p], shapes[s]);
    if (only && strcmp(only, "gangs") != 0) return 0;
    gangs(folder, 0);
    gangs(folder, 16);
    return 0;
}
