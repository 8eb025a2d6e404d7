/* growth_world.h -- worlds of size n whose cost must not grow by the square, each with the steps
 * (model/store/steps.h) of the call in question. Header only: a test holds the growth, a benchmark
 * prints it. */
#ifndef LSCHED_TESTS_GROWTH_WORLD_H
#define LSCHED_TESTS_GROWTH_WORLD_H

#include <libsched/libsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/state/cluster.h"
#include "settle.h"

struct growth_world {
    lsched_cluster *c;
    lsched_error err;
    int64_t now_us;
};

static inline void growth_must(struct growth_world *w, int32_t rc) {
    if (rc >= 0) return;
    fprintf(stderr, "growth: %s: %s\n", lsched_error_name(rc), w->err.message);
    abort();
}

static inline void growth_open(struct growth_world *w) {
    static const char policy[] =
        "return {api=1, name='r', fair_share='quota', pipeline={'allocate','reclaim'}}";
    *w = (struct growth_world){NULL, LSCHED_ERROR_INIT, 1000000};
    growth_must(w, lsched_cluster_create(NULL, &w->c, &w->err));
    growth_must(w, lsched_policy_load(w->c, LSCHED_TEXT("r"),
                                      (lsched_text){policy, sizeof policy - 1}, NULL, &w->err));
}

/* Adds n nodes; each costs `price` micro-units an hour more than the one before. */
static inline void growth_priced_nodes(struct growth_world *w, uint32_t n, int64_t cores,
                                       int64_t price) {
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        lsched_amount cpu = {LSCHED_CPU, 0, cores * 1000};
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%u", i);
        d.name = lsched_cstr(name);
        d.capacity = &cpu;
        d.n_capacity = 1;
        d.price_micro_per_hour = (int64_t)(i + 1) * price;
        growth_must(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
    }
}

static inline void growth_nodes(struct growth_world *w, uint32_t n, int64_t cores) {
    growth_priced_nodes(w, n, cores, 0);
}

/* parent: NULL for none; limit: -1 for none. */
static inline void growth_tree_queue(struct growth_world *w, const char *name, const char *parent,
                                     int64_t quota_cores, int64_t limit_cores) {
    lsched_amount quota = {LSCHED_CPU, 0, quota_cores * 1000},
                  limit = {LSCHED_CPU, 0, limit_cores * 1000};
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = lsched_cstr(name);
    if (parent) d.parent_name = lsched_cstr(parent);
    d.quota = &quota;
    d.n_quota = 1;
    d.limit = &limit;
    d.n_limit = limit_cores >= 0;
    growth_must(w, lsched_queues_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
}

static inline void growth_queue(struct growth_world *w, const char *name, int64_t cores) {
    growth_tree_queue(w, name, NULL, cores, -1);
}

/* A job of one core, of a user of its own. */
static inline void growth_user_job(struct growth_world *w, const char *name, const char *queue) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    g.request = &cpu;
    g.n_request = 1;
    d.name = d.user = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.groups = &g;
    d.n_groups = 1;
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
}

/* A gang of so many tasks; app and other: its label, and that of jobs that it must not be beside, or
 * NULL. */
static inline lsched_id growth_job(struct growth_world *w, const char *name, const char *queue,
                                   uint32_t tasks, int64_t cores, const char *other) {
    lsched_amount cpu = {LSCHED_CPU, 0, cores * 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_label own = {LSCHED_TEXT("app"), lsched_cstr(name)},
                 of = {LSCHED_TEXT("app"), lsched_cstr(other)};
    lsched_job_affinity term = {.n_labels = 1, .apart = 1, .level = LSCHED_TEXT("node")};
    lsched_id id;
    term.labels = &of;
    g.max_count = tasks;
    g.request = &cpu;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.groups = &g;
    d.n_groups = 1;
    if (other) {
        d.labels = &own;
        d.n_labels = 1;
        g.job_affinities = &term;
        g.n_job_affinities = 1;
    }
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &id, NULL, &w->err));
    return id;
}

static inline uint64_t growth_steps(const struct growth_world *w) {
    return *w->c->k.steps;
}

/* One cycle; its decisions are confirmed and its places start. Returns how many steps the cycle
 * took. */
static inline uint64_t growth_cycle(struct growth_world *w) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = w->now_us += 1000000;
    growth_must(w, lsched_schedule(w->c, &opts, &plan, &w->err));
    growth_must(w, lsched_plan_get(plan, &info, NULL));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        growth_must(w, settle_each(w->c, &d->id, &yes, 1, NULL, &w->err));
        e.job = d->job;
        e.task_index = d->task_index;
        e.event = LSCHED_EVENT_STARTED;
        if (d->kind == LSCHED_DECIDE_PLACE)
            growth_must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &w->err));
    }
    lsched_plan_destroy(plan);
    return info.steps;
}

/* n gangs of so many tasks of one core, which a cycle starts. */
static inline void growth_running(struct growth_world *w, const char *queue, uint32_t n,
                                  uint32_t tasks) {
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%u", i);
        growth_job(w, name, queue, tasks, 1, NULL);
    }
    growth_cycle(w);
}

/* A queue that may have so many cores, with one below it that they are guaranteed to, and a
 * guest. */
static inline void growth_limited(struct growth_world *w, uint32_t cores) {
    growth_tree_queue(w, "top", NULL, cores, cores);
    growth_tree_queue(w, "own", "top", cores, -1);
    growth_tree_queue(w, "guest", "top", 0, -1);
}

/* Four nodes with n tasks each, in gangs of four; a job reclaims a node. The comparison of the units
 * of a node costs the square of their number up to VICTIM_UNITS_MAX, which n = 1024 exceeds. */
static inline uint64_t growth_gangs(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 4, n);
    growth_queue(&w, "own", 4 * (int64_t)n);
    growth_queue(&w, "guest", 0);
    growth_running(&w, "guest", n, 4);
    growth_job(&w, "big", "own", 1, n, NULL);
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* A gang of n tasks is evicted, and its tasks are reported gone, the last one first. */
static inline uint64_t growth_reports(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 1, n);
    growth_queue(&w, "own", n);
    growth_queue(&w, "guest", 0);
    lsched_id gang = growth_job(&w, "gang", "guest", n, 1, NULL);
    growth_cycle(&w);
    growth_job(&w, "big", "own", 1, n, NULL);
    growth_cycle(&w);
    uint64_t before = growth_steps(&w);
    for (uint32_t i = n; i-- > 0;) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = gang;
        e.task_index = i;
        e.event = LSCHED_EVENT_FAILED;
        growth_must(&w, lsched_tasks_report(w.c, &e, 1, sizeof e, NULL, NULL, &w.err));
    }
    uint64_t steps = growth_steps(&w) - before + n; /* a report is a step */
    lsched_cluster_destroy(w.c);
    return steps;
}

/* n tasks run below a parent's limit; a job of a sibling needs all of it, so that each of them
 * goes. */
static inline uint64_t growth_victims(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 16, n);
    growth_limited(&w, n);
    growth_running(&w, "guest", n, 1);
    growth_job(&w, "big", "own", 1, n, NULL);
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* n tasks are told to stop for one claim, and nobody has settled that; another claim is lost. */
static inline uint64_t growth_needless(uint32_t n) {
    struct growth_world w;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    growth_open(&w);
    growth_nodes(&w, 16, n);
    growth_limited(&w, n + 1);
    growth_running(&w, "guest", n + 1, 1);
    growth_job(&w, "big", "own", 1, n, NULL);
    lsched_id lost = growth_job(&w, "lost", "own", 1, 1, NULL);
    opts.now_us = w.now_us += 1000000;
    growth_must(&w, lsched_schedule(w.c, &opts, &plan, &w.err));
    lsched_plan_destroy(plan);
    growth_must(&w, lsched_jobs_remove(w.c, &lost, 1, NULL, NULL, &w.err));
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* n queues below one, each with a job, and room for half of them; one more cycle, in which all that
 * wait look for victims again. */
static inline uint64_t growth_waiting(uint32_t n, const char *share) {
    char policy[128];
    struct growth_world w;
    growth_open(&w);
    int len = snprintf(policy, sizeof policy,
                       "return {api=1, name='r', fair_share='%s', "
                       "pipeline={'allocate','reclaim','preempt'}}",
                       share);
    growth_must(&w, lsched_policy_load(w.c, LSCHED_TEXT("r"), (lsched_text){policy, (size_t)len},
                                       NULL, &w.err));
    growth_nodes(&w, 1, n);
    growth_tree_queue(&w, "top", NULL, 0, -1);
    for (uint32_t i = 0; i < n; i++) {
        char name[16], queue[16];
        snprintf(queue, sizeof queue, "q%u", i);
        growth_tree_queue(&w, queue, "top", 1, -1);
        snprintf(name, sizeof name, "j%u", i);
        growth_job(&w, name, queue, 1, 2, NULL);
    }
    growth_cycle(&w);
    w.now_us += 60000000;
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

static inline uint64_t growth_waiting_drf(uint32_t n) {
    return growth_waiting(n, "drf");
}

static inline uint64_t growth_waiting_quota(uint32_t n) {
    return growth_waiting(n, "quota");
}

/* n users of one queue wait for room that others hold within their guarantee. */
static inline uint64_t growth_users(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 16, 4);
    growth_queue(&w, "own", 64);
    growth_running(&w, "own", 64, 1);
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = LSCHED_TEXT("users");
    d.flags = LSCHED_QUEUE_PER_USER;
    growth_must(&w, lsched_queues_add(w.c, &d, 1, sizeof d, NULL, NULL, NULL, &w.err));
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "u%u", i);
        growth_user_job(&w, name, "users");
    }
    growth_cycle(&w);
    w.now_us += 60000000;
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* n jobs, each with a label of its own and a term about another's. */
static inline uint64_t growth_terms(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 16, n);
    growth_queue(&w, "q", 0);
    for (uint32_t i = 0; i < n; i++) {
        char name[16], other[16];
        snprintf(name, sizeof name, "a%u", i);
        snprintf(other, sizeof other, "a%u", (i * 7 + 1) % n);
        growth_job(&w, name, "q", 1, 1, other);
    }
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* A job of one core with two labels, of which one is everybody's, and a term about both of
 * another's. */
static inline void growth_team_job(struct growth_world *w, const char *name, const char *other,
                                   uint32_t apart) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_label own[2] = {{LSCHED_TEXT("all"), LSCHED_TEXT("us")},
                           {LSCHED_TEXT("app"), lsched_cstr(name)}},
                 of[2] = {{LSCHED_TEXT("all"), LSCHED_TEXT("us")},
                          {LSCHED_TEXT("app"), lsched_cstr(other)}};
    lsched_job_affinity term = {.n_labels = 2, .apart = apart, .level = LSCHED_TEXT("node")};
    term.labels = of;
    term.weight = apart ? 0 : 1;
    g.request = &cpu;
    g.n_request = 1;
    g.job_affinities = &term;
    g.n_job_affinities = 1;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.labels = own;
    d.n_labels = 2;
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
}

/* n nodes, and n jobs with terms about two labels, of which one is everybody's; each comes in a
 * cycle of its own. */
static inline uint64_t growth_term_pairs(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 8, n);
    growth_queue(&w, "q", 0);
    uint64_t steps = 0;
    for (uint32_t i = 0; i < n; i++) {
        char name[16], other[16];
        snprintf(name, sizeof name, "a%u", i);
        snprintf(other, sizeof other, "a%u", (i * 7 + 1) % n);
        growth_team_job(&w, name, other, i % 2);
        steps += growth_cycle(&w);
    }
    lsched_cluster_destroy(w.c);
    return steps;
}

/* Adds nodes of so many cores, in racks of `each` nodes. */
static inline void growth_racks(struct growth_world *w, uint32_t nodes, uint32_t each,
                                int64_t cores) {
    const lsched_text level = LSCHED_TEXT("rack");
    lsched_topology_desc site = LSCHED_TOPOLOGY_DESC_INIT;
    site.name = LSCHED_TEXT("site");
    site.levels = &level;
    site.n_levels = 1;
    growth_must(w, lsched_topologies_add(w->c, &site, 1, sizeof site, NULL, NULL, NULL, &w->err));
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16], rack[16];
        const lsched_amount cpu = {LSCHED_CPU, 0, cores * 1000};
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%u", i);
        snprintf(rack, sizeof rack, "r%u", i / each);
        const lsched_label label = {level, lsched_cstr(rack)};
        d.name = lsched_cstr(name);
        d.capacity = &cpu;
        d.n_capacity = d.n_labels = 1;
        d.labels = &label;
        growth_must(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
    }
}

/* A gang of tasks of one core that shares its racks with no other job. */
static inline void growth_alone(struct growth_world *w, const char *name, const char *queue,
                                uint32_t tasks) {
    const lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    g.max_count = tasks;
    g.request = &cpu;
    g.n_request = 1;
    g.exclusive_level = LSCHED_TEXT("rack");
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.groups = &g;
    d.n_groups = 1;
    growth_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err));
}

/* Each of n racks has room and belongs to one job; one more job finds the rack that is left. */
static inline uint64_t growth_exclusive(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_racks(&w, n + 1, 1, 2);
    growth_queue(&w, "q", 0);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%u", i);
        growth_alone(&w, name, "q", 1);
    }
    growth_cycle(&w);
    growth_alone(&w, "last", "q", 1);
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* A rack of eight nodes has n tasks of 64 gangs, which all go for one job that wants the rack. */
static inline uint64_t growth_exclusive_victims(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_racks(&w, 8, 8, n / 8);
    growth_queue(&w, "own", n);
    growth_queue(&w, "guest", 0);
    growth_running(&w, "guest", 64, n / 64);
    growth_alone(&w, "big", "own", 8);
    uint64_t steps = growth_cycle(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* The policy's text anew. */
static inline void growth_policy(struct growth_world *w, const char *text) {
    growth_must(w, lsched_policy_load(w->c, LSCHED_TEXT("r"), lsched_cstr(text), NULL, &w->err));
}

/* One cycle whose decisions nobody settles. */
static inline uint64_t growth_unsettled(struct growth_world *w) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = w->now_us += 1000000;
    growth_must(w, lsched_schedule(w->c, &opts, &plan, &w->err));
    growth_must(w, lsched_plan_get(plan, &info, NULL));
    lsched_plan_destroy(plan);
    return info.steps;
}

static inline uint64_t growth_drain_of(uint32_t n, uint64_t (*begin)(struct growth_world *w)) {
    struct growth_world w;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    growth_open(&w);
    growth_policy(&w, "return {api=1, name='r', pipeline={'allocate','drain'}}");
    growth_nodes(&w, 1, n);
    growth_queue(&w, "q", 0);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%u", i);
        growth_job(&w, name, "q", 1, 1, NULL);
    }
    begin(&w);
    u.node = lsched_find(w.c, LSCHED_KIND_NODE, LSCHED_TEXT("n0"));
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_DRAINING;
    growth_must(&w, lsched_nodes_update(w.c, &u, 1, sizeof u, NULL, NULL, &w.err));
    uint64_t steps = growth_unsettled(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* A node that drains has n places that nobody has settled: all are withdrawn. */
static inline uint64_t growth_drained(uint32_t n) {
    return growth_drain_of(n, growth_unsettled);
}

/* n jobs run on a node that drains: each has its turn. */
static inline uint64_t growth_drain_turns(uint32_t n) {
    return growth_drain_of(n, growth_cycle);
}

/* n jobs run on a node each, and one that grows from a task to n takes the room of all. */
static inline uint64_t growth_elastic(uint32_t n) {
    struct growth_world w;
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    growth_open(&w);
    growth_nodes(&w, n, 1);
    growth_queue(&w, "lends", 0);
    growth_queue(&w, "owns", n);
    growth_running(&w, "lends", n, 1);
    g.max_count = n;
    g.min_count = 1;
    g.request = &cpu;
    g.n_request = 1;
    d.name = LSCHED_TEXT("grows");
    d.queue_name = LSCHED_TEXT("owns");
    d.groups = &g;
    d.n_groups = 1;
    growth_must(&w, lsched_jobs_submit(w.c, &d, 1, sizeof d, NULL, NULL, NULL, &w.err));
    uint64_t steps = growth_unsettled(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* n gangs of two lost a task each, and are stopped when their grace is over. */
static inline uint64_t growth_stale(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_policy(&w, "return {api=1, name='r', pipeline={'evict-stale-gangs'},\n"
                      "        eviction={stale_grace_seconds=10}}");
    growth_nodes(&w, 2, 2 * (int64_t)n);
    growth_queue(&w, "q", 0);
    lsched_id *jobs = malloc(n * sizeof *jobs);
    if (!jobs) abort();
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%u", i);
        jobs[i] = growth_job(&w, name, "q", 2, 1, NULL);
    }
    growth_policy(&w, "return {api=1, name='r', pipeline={'allocate','evict-stale-gangs'},\n"
                      "        eviction={stale_grace_seconds=10}}");
    growth_cycle(&w);
    growth_policy(&w, "return {api=1, name='r', pipeline={'evict-stale-gangs'},\n"
                      "        eviction={stale_grace_seconds=10}}");
    for (uint32_t i = 0; i < n; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = jobs[i];
        e.event = LSCHED_EVENT_FAILED;
        growth_must(&w, lsched_tasks_report(w.c, &e, 1, sizeof e, NULL, NULL, &w.err));
    }
    free(jobs);
    w.now_us += 60000000;
    uint64_t steps = growth_unsettled(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

/* Somebody within its guarantee waits for young work to grow old, and n users, who have none, ask
 * for room beside it. */
static inline uint64_t growth_owed(uint32_t n) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 1, 4);
    growth_queue(&w, "owner", 4);
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = LSCHED_TEXT("guest");
    d.reclaim_min_runtime_us = INT64_C(600000000);
    growth_must(&w, lsched_queues_add(w.c, &d, 1, sizeof d, NULL, NULL, NULL, &w.err));
    d.name = LSCHED_TEXT("users");
    d.flags = LSCHED_QUEUE_PER_USER;
    growth_must(&w, lsched_queues_add(w.c, &d, 1, sizeof d, NULL, NULL, NULL, &w.err));
    growth_job(&w, "first", "guest", 1, 3, NULL);
    growth_cycle(&w);
    growth_job(&w, "big", "owner", 1, 4, NULL);
    growth_cycle(&w);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "u%u", i);
        growth_user_job(&w, name, "users");
    }
    uint64_t steps = growth_unsettled(&w);
    lsched_cluster_destroy(w.c);
    return steps;
}

#endif
