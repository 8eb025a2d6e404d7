/*
 * No wait outlives its cause: each event that can end a wait lets the job be tried in the next cycle.
 *
 * Random worlds are small and dense: jobs with terms about other jobs, levels, alternatives,
 * several groups, supplies and models wait beside limits of queues and of device models,
 * allowances, taints, absences and refusals. So one job often has several causes to wait, of which
 * its reason names one. Events of every kind follow, one at a time. Before each cycle, all parked
 * bundles of a copy are woken by force: the copy decides about no task that the cluster leaves
 * waiting. The table counts, for each wait code and each event, how often a job that waited with
 * the code was decided about in the cycle after the event.
 *
 * Three differences are counted, and are no faults: a gang whose seats depend on the order of the
 * search finds some (docs/semantics.md, 7); work is stopped, because the copy seeks victims again;
 * both clusters start what the other does not, because the jobs that are awake decide in which
 * order queues take turns.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; LSCHED_TEST_SHOW=1 shows its world and what is refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/door/args.h"
#include "engine/state/cache_check.h"
#include "model/jobs/bundle.h"
#include "property/random_checks.h"
#include "support/reasons_world.h"

enum { CODES = 64, STEPS = 14, DECISIONS = 64 };
/* 2026-01-05T08:00Z; the step of a failure is the second after it */
#define BEGIN_US INT64_C(1767600000000000)

struct cures {
    struct where at;
    struct chance chance, exclusive;
    struct rw_text text;
    uint32_t n_nodes, n_jobs, gpus[4 * STEPS]; /* of each node */
    int any_order[4 * STEPS]; /* of each job: 1 if its tasks find seats in any order or in none */
    uint32_t app;             /* of the latest job; 2: none */
    int lends;                /* 1: a world about what owners lend */
    int has_exclusive;        /* 1: some tasks have an exclusive level */
    int64_t at_s;
    struct {
        uint32_t kind;
        int64_t at_s;
        size_t from, to; /* what the event does, in the text */
    } event[STEPS];
    uint64_t worlds, no_lua, ended, refused, cycles, decisions, gangs, stops, orders;
};

typedef void put_event(struct cures *r);

static int one_in(struct cures *r, uint32_t n) {
    return chance_one_in(&r->chance, n);
}

static uint32_t below(struct cures *r, uint32_t n) {
    return chance_below(&r->chance, n);
}

#define PUT(r, ...) rw_put(&(r)->text, __VA_ARGS__)

static const char *const apps[] = {"db", "web"};
static const char *const racks[] = {"a", "b"};
static const char *const models[] = {"A100", "H100"};
static const char *const leaf_queues[] = {"q", "o"};

/* ---- the world ---- */

static void put_node(struct cures *r) {
    static const uint32_t gpus[] = {0, 2, 4, 4};
    uint32_t n = r->gpus[r->n_nodes] = gpus[below(r, 4)];
    PUT(r, "{name: n%u, cpu: %u, memory: 64Gi, labels: {rack: %s}", r->n_nodes++, 2 + below(r, 10),
        racks[below(r, 2)]);
    if (n) PUT(r, ", gpus: {count: %u, model: %s}", n, models[below(r, 2)]);
    if (one_in(r, 6)) PUT(r, ", taints: \"hot=x:no-start\"");
    if (one_in(r, 6)) PUT(r, ", tasks_max: %u", 1 + below(r, 3));
    if (one_in(r, 8)) PUT(r, ", cordoned: true");
    PUT(r, "}");
}

static void put_limits(struct cures *r) {
    if (one_in(r, 4)) PUT(r, ", cpu: %u", 1 + below(r, 20));
    if (one_in(r, 4)) PUT(r, ", gpu: %u", below(r, 12));
    for (int m = 0; m < 2; m++)
        if (one_in(r, 2)) PUT(r, ", \"gpu:%c\": %u", "AH"[m], below(r, 4));
}

static void put_queue(struct cures *r, const char *name, const char *parent) {
    PUT(r, "  - {name: %s", name);
    if (parent) PUT(r, ", parent: %s", parent);
    if (one_in(r, 3)) {
        PUT(r, ", limit: {memory: 900Gi");
        put_limits(r);
        PUT(r, "}");
    }
    if (one_in(r, 2)) PUT(r, ", quota: {gpu: %u, cpu: %u}", below(r, 5), below(r, 9));
    if (one_in(r, 4)) PUT(r, ", lend_limit: {gpu: %u}", below(r, 3));
    if (one_in(r, 6)) PUT(r, ", jobs_max: %u", 1 + below(r, 4));
    PUT(r, "}\n");
}

static void put_term(struct cures *r) {
    uint32_t app = below(r, 2);
    PUT(r, "%s: {app: %s}", one_in(r, 4) ? "apart" : "near", apps[app]);
    if (app == r->app) r->any_order[r->n_jobs - 1] = 0;
    if (one_in(r, 3)) PUT(r, ", level: rack");
}

static void put_devices(struct cures *r) {
    switch (below(r, 6)) {
    case 0: return;
    case 1:
    case 2:
        PUT(r, ", alternatives: [{gpus: %u, models: A100}, {gpus: %u}", 1 + below(r, 6),
            1 + below(r, 5));
        if (one_in(r, 2)) PUT(r, ", {gpus: %u, models: H100}", 1 + below(r, 6));
        PUT(r, "]");
        r->any_order[r->n_jobs - 1] = 0;
        return;
    case 3: PUT(r, ", gpu: %u, models: %s", 1 + below(r, 2), models[below(r, 2)]); return;
    default: PUT(r, ", gpu: %u", 1 + below(r, 3));
    }
}

/* A spread, or a level of the topology; in one of four worlds, some tasks want places for their job
 * alone, drawn from numbers of their own. */
static void put_places(struct cures *r) {
    static const char *const levels[] = {"node", "rack"};
    int bound = one_in(r, 4);
    uint32_t most = bound ? 1 + below(r, 2) : 0;
    int spread = bound && one_in(r, 2), required = bound && !spread;
    int alone = r->has_exclusive && chance_one_in(&r->exclusive, 3);
    if (bound) r->any_order[r->n_jobs - 1] = 0;
    if (spread) PUT(r, ", topology_spread: {level: rack, max: %u}", most);
    if (!required && !alone) return;
    PUT(r, ", topology: {%s%s", required ? "required: rack" : "", required && alone ? ", " : "");
    if (alone) PUT(r, "exclusive: %s", levels[chance_below(&r->exclusive, 2)]);
    PUT(r, "}");
}

static void put_tasks(struct cures *r) {
    uint32_t count = one_in(r, 2) ? 1 : 1 + below(r, 3);
    PUT(r, "{count: %u", count);
    if (count > 1 && one_in(r, 2)) PUT(r, ", min: %u", one_in(r, 2) ? 0 : 1 + below(r, count));
    PUT(r, ", cpu: %u", 1 + below(r, 3));
    put_devices(r);
    if (one_in(r, 2)) {
        PUT(r, ", job_affinity: [{");
        put_term(r);
        PUT(r, "}]");
    }
    if (one_in(r, 5)) PUT(r, ", supplies: {tokens: %u}", 1 + below(r, 3));
    put_places(r);
    if (one_in(r, 6)) PUT(r, ", max_tasks_per_node: 1");
    if (one_in(r, 5)) PUT(r, ", tolerations: \"hot\"");
    if (one_in(r, 8)) PUT(r, ", select: {rack: %s}", racks[below(r, 2)]);
    PUT(r, "}");
}

static void put_job_head(struct cures *r) {
    r->app = one_in(r, 2) ? below(r, 2) : 2;
    r->any_order[r->n_jobs] = 1;
    PUT(r, "{name: j%u, queue: %s, priority: %u", r->n_jobs++, leaf_queues[below(r, 2)],
        below(r, 3));
    if (r->app < 2) PUT(r, ", labels: {app: %s}", apps[r->app]);
    if (one_in(r, 2)) PUT(r, ", duration: %us", 600 * (1 + below(r, 30)));
    if (one_in(r, 8)) PUT(r, ", preemptible: false");
    if (one_in(r, 6)) PUT(r, ", retries: {max: 2, backoff: 30s}");
}

static void put_job(struct cures *r) {
    put_job_head(r);
    if (one_in(r, 6)) {
        r->any_order[r->n_jobs - 1] = 0;
        PUT(r, ", groups: [{name: one, cpu: %u, gpu: 1}, {name: two, cpu: %u, job_affinity: [{",
            1 + below(r, 2), 1 + below(r, 3));
        put_term(r);
        PUT(r, "}]}]}");
        return;
    }
    PUT(r, ", tasks: ");
    put_tasks(r);
    PUT(r, "}");
}

static void put_running_job(struct cures *r) {
    uint32_t node = below(r, r->n_nodes);
    put_job_head(r);
    PUT(r, ", running_since: -10s, running_on: n%u, tasks: {cpu: %u, gpu: %u}}", node,
        1 + below(r, 2), below(r, 1 + (r->gpus[node] < 2 ? r->gpus[node] : 2)));
}

static void put_policy(struct cures *r) {
#define QUOTA "fair_share = 'quota', pipeline = "
    static const char moves[] = QUOTA "{ 'allocate' }, quota = function(queue, now) "
                                      "return { gpu = math.floor(now / 3600) % 3 * 4 } end";
    static const char *const ways[] = {QUOTA "{ 'allocate' }",
                                       "fair_share = 'drf', pipeline = { 'allocate' }",
                                       QUOTA "{ 'allocate', 'reclaim', 'preempt' }",
                                       QUOTA "{ 'preempt', 'reclaim', 'allocate' }",
                                       "fair_share = 'drf', pipeline = { 'preempt' }",
                                       moves,
                                       "fair_share = 'drf', pipeline = { 'backfill' }"};
    PUT(r, "policy: {name: p, text: \"return { api = 1, %s }\"}",
        ways[below(r, sizeof ways / sizeof *ways)]);
}

static void put_world(struct cures *r) {
    uint32_t n = 2 + below(r, 4);
    PUT(r, "start: 2026-01-05T08:00Z\ntopology: [rack]\ncluster: {verify: true}\n"
           "resource_parts: {\"gpu:A\": A100, \"gpu:H\": H100}\n");
    PUT(r, "supplies: {tokens: %u}\n", below(r, 6));
    if (one_in(r, 3))
        PUT(r, "allowances: {q: {price: {gpu: 1}, amount: %u, period: 10h, unknown: 1h}}\n",
            below(r, 20));
    put_policy(r);
    PUT(r, "\nnodes:\n");
    for (uint32_t i = 0; i < n; i++) {
        PUT(r, "  - ");
        put_node(r);
        PUT(r, "\n");
    }
    PUT(r, "queues:\n");
    put_queue(r, "top", NULL);
    put_queue(r, "q", "top");
    put_queue(r, "o", "top");
    PUT(r, "jobs:\n");
    for (uint32_t i = 1 + below(r, 4); i > 0; i--) {
        PUT(r, "  - ");
        put_running_job(r);
        PUT(r, "\n");
    }
    for (uint32_t i = 1 + below(r, 4); i > 0; i--) {
        PUT(r, "  - ");
        put_job(r);
        PUT(r, "\n");
    }
    PUT(r, "events:\n");
}

/* ---- worlds about lending ---- */

/* The quota of each queue is another one in each minute, without an event. */
static void put_lending_policy(struct cures *r) {
    static const char *const pipelines[] = {"{ 'allocate' }", "{ 'backfill' }",
                                            "{ 'allocate', 'reclaim' }"};
    PUT(r,
        "policy: {name: p, text: \"return { api = 1, fair_share = 'quota', pipeline = %s, "
        "quota = function(queue, now) local n = queue.name == 'o' and %u or %u "
        "return { gpu = math.floor(now / 60 + n) %% %u * n } end }\"}",
        pipelines[below(r, 3)], 2 + below(r, 4), below(r, 4), 2 + below(r, 3));
}

static void put_lending_tasks(struct cures *r) {
    r->any_order[r->n_jobs - 1] = 0;
    switch (below(r, 4)) {
    case 0:
        PUT(r, "groups: [{name: one, cpu: %u, gpu: %u}, {name: two, cpu: %u, gpu: %u, models: %s}]",
            1 + below(r, 2), 1 + below(r, 3), 1 + below(r, 9), 1 + below(r, 2),
            models[below(r, 2)]);
        return;
    case 1: PUT(r, "tasks: {cpu: 1, gpu_memory: %uGi}", 5 + 5 * below(r, 8)); return;
    default:
        PUT(r, "tasks: {cpu: %u, alternatives: [{gpus: %u, models: A100}, {gpus: %u, models: H100}",
            1 + below(r, 4), 1 + below(r, 4), 1 + below(r, 4));
        if (one_in(r, 3)) PUT(r, ", {gpus: %u}", 1 + below(r, 3));
        PUT(r, "]}");
    }
}

static void put_lending_job(struct cures *r) {
    r->app = 2;
    PUT(r, "{name: j%u, queue: %s, ", r->n_jobs++, one_in(r, 4) ? "o" : "q");
    if (one_in(r, 4)) PUT(r, "preemptible: false, ");
    put_lending_tasks(r);
    PUT(r, "}");
}

static void put_lending_world(struct cures *r) {
    PUT(r, "start: 2026-01-05T08:00Z\ncluster: {verify: true}\n");
    put_lending_policy(r);
    PUT(r, "\nnodes:\n");
    for (r->n_nodes = 0; r->n_nodes < 2; r->n_nodes++) {
        r->gpus[r->n_nodes] = 4;
        PUT(r,
            "  - {name: n%u, cpu: %u, gpus: {count: 4, model: %s, memory: %uGi, sharing: "
            "fraction}}\n",
            r->n_nodes, 4 + below(r, 8), models[r->n_nodes], 40 + 40 * r->n_nodes);
    }
    PUT(r, "queues:\n  - {name: o, lend_limit: {gpu: %u}}\n  - {name: q%s}\njobs:\n", below(r, 2),
        one_in(r, 3) ? ", lend_limit: {gpu: 0}" : "");
    for (uint32_t i = below(r, 3); i > 0; i--)
        PUT(r, "  - {name: j%u, queue: %s, running_on: n%u, tasks: {cpu: 1, gpu: %u}}\n",
            r->n_jobs++, leaf_queues[below(r, 2)], below(r, 2), 1 + below(r, 2));
    for (uint32_t i = 1 + below(r, 3); i > 0; i--) {
        PUT(r, "  - ");
        put_lending_job(r);
        PUT(r, "\n");
    }
    PUT(r, "events:\n");
}

/* ---- events ---- */

static void put_finish(struct cures *r) {
    PUT(r, ", finish: j%u", below(r, r->n_jobs));
}
static void put_fail(struct cures *r) {
    PUT(r, ", fail: j%u", below(r, r->n_jobs));
}
static void put_remove_job(struct cures *r) {
    PUT(r, ", remove_jobs: [j%u]", below(r, r->n_jobs));
}
static void put_submit(struct cures *r) {
    PUT(r, ", submit: [");
    if (r->lends)
        put_lending_job(r);
    else
        put_job(r);
    PUT(r, "]");
}
/* A neighbour on any node: a job whose labels the terms of others name. */
static void put_neighbour(struct cures *r) {
    PUT(r, ", submit: [");
    put_running_job(r);
    PUT(r, "]");
}
static void put_limit(struct cures *r) {
    static const char *const names[] = {"top", "q", "o"};
    PUT(r, ", update_queues: [{name: %s, limit: {memory: 900Gi", names[below(r, 3)]);
    put_limits(r);
    PUT(r, "}}]");
}
static void put_quota(struct cures *r) {
    PUT(r, ", update_queues: [{name: %s, quota: {gpu: %u, cpu: %u}}]", leaf_queues[below(r, 2)],
        below(r, 8), below(r, 16));
}
static void put_lend(struct cures *r) {
    PUT(r, ", update_queues: [{name: %s, lend_limit: {gpu: %u}}]", leaf_queues[below(r, 2)],
        below(r, 8));
}
static void put_jobs_max(struct cures *r) {
    PUT(r, ", update_queues: [{name: %s, jobs_max: %u}]", leaf_queues[below(r, 2)],
        1 + below(r, 5));
}
static void put_capacity(struct cures *r) {
    PUT(r, ", update_nodes: [{name: n%u, cpu: %u}]", below(r, r->n_nodes), 1 + below(r, 16));
}
static void put_labels(struct cures *r) {
    PUT(r, ", update_nodes: [{name: n%u, labels: {rack: %s}}]", below(r, r->n_nodes),
        racks[below(r, 2)]);
}
static void put_taints(struct cures *r) {
    PUT(r, ", update_nodes: [{name: n%u, taints: [%s]}]", below(r, r->n_nodes),
        one_in(r, 3) ? "\"hot=x:no-start\"" : "");
}
static void put_tasks_max(struct cures *r) {
    PUT(r, ", update_nodes: [{name: n%u, tasks_max: %u}]", below(r, r->n_nodes), 1 + below(r, 4));
}
static void put_absence(struct cures *r) {
    uint32_t node = below(r, r->n_nodes);
    int64_t from = r->at_s + 60 * (int64_t)below(r, 200);
    PUT(r, ", update_nodes: [{name: n%u, leaves: %" PRId64 "s, back: %" PRId64 "s}]", node, from,
        from + 60 + 60 * (int64_t)below(r, 200));
}
static void put_cordon(struct cures *r) {
    PUT(r, ", %s: [n%u]", one_in(r, 3) ? "cordon" : "uncordon", below(r, r->n_nodes));
}
static void put_add_node(struct cures *r) {
    PUT(r, ", add_nodes: [");
    put_node(r);
    PUT(r, "]");
}
static void put_remove_node(struct cures *r) {
    PUT(r, ", remove_nodes: [n%u]", below(r, r->n_nodes));
}
static void put_health(struct cures *r) {
    PUT(r, ", update_devices: [{node: n%u, device: %u, health: %s}]", below(r, r->n_nodes),
        below(r, 2), one_in(r, 2) ? "ok" : "failed");
}
static void put_foreign(struct cures *r) {
    PUT(r, ", foreign_use: [{node: n%u, cpu: %u}]", below(r, r->n_nodes), below(r, 6));
}
static void put_supply(struct cures *r) {
    PUT(r, ", update_supplies: [{supply: tokens, amount: %u}]", below(r, 10));
}
static void put_allowance(struct cures *r) {
    PUT(r, ", allowances: {q: {price: {gpu: 1}, amount: %u, period: 10h, unknown: 1h}}",
        below(r, 30));
}
static void put_other_policy(struct cures *r) {
    PUT(r, ", ");
    put_policy(r);
}
static void put_priority(struct cures *r) {
    PUT(r, ", update_jobs: [{name: j%u, priority: %u}]", below(r, r->n_jobs), below(r, 5));
}
static void put_job_labels(struct cures *r) {
    PUT(r, ", update_jobs: [{name: j%u, labels: {app: %s}}]", below(r, r->n_jobs),
        apps[below(r, 2)]);
}
static void put_hold(struct cures *r) {
    if (one_in(r, 2))
        PUT(r, ", hold: [{name: j%u}]", below(r, r->n_jobs));
    else
        PUT(r, ", release: [j%u]", below(r, r->n_jobs));
}
/* What the cycle of this event starts, the host rejects. */
static void put_reject(struct cures *r) {
    PUT(r, ", settle: {reject: placements}");
}
static void put_nothing(struct cures *r) {
    (void)r;
}

static const struct {
    const char *name;
    uint32_t weight;
    put_event *put;
} kinds[] = {{"finish", 8, put_finish},
             {"fail", 3, put_fail},
             {"remove job", 3, put_remove_job},
             {"submit", 6, put_submit},
             {"neighbour", 20, put_neighbour},
             {"limit", 6, put_limit},
             {"quota", 4, put_quota},
             {"lend", 3, put_lend},
             {"jobs max", 3, put_jobs_max},
             {"capacity", 5, put_capacity},
             {"labels", 5, put_labels},
             {"taints", 4, put_taints},
             {"tasks max", 3, put_tasks_max},
             {"absence", 4, put_absence},
             {"cordon", 4, put_cordon},
             {"add node", 2, put_add_node},
             {"remove node", 2, put_remove_node},
             {"health", 4, put_health},
             {"foreign", 3, put_foreign},
             {"supply", 5, put_supply},
             {"allowance", 4, put_allowance},
             {"policy", 2, put_other_policy},
             {"priority", 3, put_priority},
             {"job labels", 3, put_job_labels},
             {"hold", 3, put_hold},
             {"reject", 3, put_reject},
             {"time", 6, put_nothing}};
enum { FINISH = 0, SUBMIT = 3, KINDS = sizeof kinds / sizeof kinds[0] };

/* How often a job that waited with the code was decided about in the cycle after the event. */
static uint64_t cured[CODES][KINDS];

/* In worlds about lending, most events are that time goes by. */
static uint32_t draw_event(struct cures *r) {
    static const uint8_t about_lending[] = {SUBMIT, FINISH, KINDS - 1, KINDS - 1, KINDS - 1};
    uint32_t total = 0, i = 0;
    if (r->lends) return about_lending[below(r, sizeof about_lending)];
    while (i < KINDS) total += kinds[i++].weight;
    uint32_t drawn = below(r, total);
    for (i = 0; drawn >= kinds[i].weight; i++) drawn -= kinds[i].weight;
    return i;
}

static void put_events(struct cures *r) {
    for (uint32_t s = 0; s < STEPS; s++) {
        uint32_t i = draw_event(r);
        r->at_s += one_in(r, 4) ? 60 * (1 + (int64_t)below(r, 240)) : 1 + (int64_t)below(r, 40);
        PUT(r, "  - {at: %" PRId64 "s", r->at_s);
        r->event[s].kind = i;
        r->event[s].at_s = r->at_s;
        r->event[s].from = r->text.n;
        PUT(r, ", partial: true");
        kinds[i].put(r);
        r->event[s].to = r->text.n;
        PUT(r, "}\n");
        if (one_in(r, 2)) PUT(r, "  - {at: %" PRId64 "s}\n", ++r->at_s);
    }
}

/* Leaves out what the event in that line of the text does: the library has refused it. Returns 0 if
 * there is no event. */
static int leave_out(struct cures *r, uint32_t line) {
    const char *p = r->text.p;
    for (uint32_t i = 1; i < line && p; i++) p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
    for (uint32_t i = 0; p && i < STEPS; i++) {
        size_t at = (size_t)(p - r->text.p);
        if (at > r->event[i].from || strcspn(p, "\n") + at < r->event[i].to) continue;
        memset(r->text.p + r->event[i].from, ' ', r->event[i].to - r->event[i].from);
        r->event[i].kind = KINDS - 1;
        return 1;
    }
    return 0;
}

/* The kind of the event at that time. */
static uint32_t kind_at(const struct cures *r, int64_t now_us) {
    for (uint32_t i = 0; i < STEPS; i++)
        if (BEGIN_US + r->event[i].at_s * 1000000 == now_us) return r->event[i].kind;
    return KINDS - 1;
}

/* ---- the comparison ---- */

struct decided {
    uint32_t n;
    lsched_decision d[DECISIONS];
};

static void decide(struct cures *r, const lsched_cluster *c, const lsched_schedule_opts *opts,
                   int cold, struct decided *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    lsched_plan *plan = NULL;
    CHECK(&r->at, lsched_cluster_clone(c, &copy, &err) >= 0, "%s", err.message);
    if (cold) cache_check_wake_all(copy);
    CHECK(&r->at, lsched_schedule(copy, opts, &plan, &err) >= 0, "%s", err.message);
    out->n = (uint32_t)lsched_plan_size(plan);
    CHECK(&r->at, out->n <= DECISIONS, "%u decisions", out->n);
    for (uint32_t i = 0; i < out->n; i++) out->d[i] = *lsched_plan_at(plan, i);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
}

/* The code with which the job of a decision was parked; CODES: it was not. */
static uint32_t code_of(const lsched_cluster *c, lsched_id job) {
    const struct columns *k = &c->k;
    uint32_t row;
    if (arg_id(k, job, LSCHED_KIND_JOB, &row, NULL) != LSCHED_OK) return CODES;
    uint32_t b = k->c[C_JOB_BUNDLE].u32[row];
    if (b == NO_ROW || k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED) return CODES;
    return k->c[C_BUNDLE_CODE].u8[b];
}

/* The first decision of one plan that the other has not; NULL: each has those of the other. The node
 * is left out: an action that plans over time plans for one more job if that job wakes. */
static const lsched_decision *missing(const struct decided *a, const struct decided *b) {
    for (uint32_t i = 0; i < a->n; i++) {
        const lsched_decision *x = &a->d[i];
        uint32_t j = 0;
        while (j < b->n && (b->d[j].kind != x->kind || b->d[j].job != x->job ||
                            b->d[j].task_index != x->task_index))
            j++;
        if (j == b->n) return x;
    }
    return NULL;
}

/* True if the plan starts several tasks of the job, whose seats depend on the order of the search. */
static int is_gang(const struct cures *r, const lsched_cluster *c, const struct decided *all,
                   lsched_id job) {
    const char *name = lsched_name(c, job, NULL); /* "j7" */
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n; i++) n += all->d[i].job == job;
    return n > 1 && !(name && r->any_order[strtoul(name + 1, NULL, 10)]);
}

/* True if the plan stops or moves work. */
static int stops(const struct decided *all) {
    for (uint32_t i = 0; i < all->n; i++)
        if (all->d[i].kind != LSCHED_DECIDE_PLACE) return 1;
    return 0;
}

static void show(const char *what, const lsched_cluster *c, const struct decided *all) {
    for (uint32_t i = 0; i < all->n; i++) {
        const lsched_decision *d = &all->d[i];
        const char *job = lsched_name(c, d->job, NULL), *node = lsched_name(c, d->node, NULL);
        printf("# %s: %s %s/%u on %s\n", what, lsched_decision_kind_name(d->kind), job ? job : "?",
               d->task_index, node ? node : "?");
    }
}

static int32_t before_cycle(void *user, const lsched_cluster *c, const lsched_schedule_opts *opts) {
    static struct decided warm, cold; /* large; tests have one thread */
    struct cures *r = user;
    uint32_t kind = kind_at(r, opts->now_us);
    r->at.step = (uint32_t)((opts->now_us - BEGIN_US) / 1000000);
    r->at.event = kinds[kind].name;
    decide(r, c, opts, 0, &warm);
    decide(r, c, opts, 1, &cold);
    const lsched_decision *d = missing(&cold, &warm);
    if (d && missing(&warm, &cold)) {
        r->orders++;
    } else if (d && is_gang(r, c, &cold, d->job)) {
        r->gangs++;
    } else if (d && (stops(&cold) || stops(&warm))) {
        r->stops++;
    } else if (d) {
        const char *name = lsched_name(c, d->job, NULL);
        if (chance_variable("LSCHED_TEST_SHOW", 0)) {
            printf("%s", r->text.p);
            show("as it is", c, &warm);
            show("all woken", c, &cold);
        }
        CHECK(&r->at, 0, "%s, which waits with code %u: it is decided about only if all wake",
              name ? name : "?", code_of(c, d->job));
    }
    for (uint32_t i = 0; i < warm.n; i++) {
        uint32_t code = code_of(c, warm.d[i].job);
        if (code < CODES) cured[code][kind]++;
    }
    r->cycles++;
    r->decisions += warm.n;
    return 0;
}

/* Plays the world. Returns the line of the event that the library refused, 0 if it refused none. */
static uint32_t play(struct cures *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    int32_t rc = lsched_scenario_parse(NULL, (lsched_text){r->text.p, r->text.n},
                                       LSCHED_TEXT("world"), &scenario, &err);
    if (rc < 0) printf("%s\n", r->text.p);
    CHECK(&r->at, rc >= 0, "%s", err.message);
    assert_int_equal(lsched_cluster_create(NULL, &cluster, NULL), LSCHED_OK);
    opts.flags = LSCHED_RUN_NO_CHECKS;
    opts.user = r;
    opts.before_cycle = before_cycle;
    rc = lsched_scenario_run(scenario, cluster, &opts, &report, &err);
    if (rc < 0 && chance_variable("LSCHED_TEST_SHOW", 0)) printf("ends: %s\n", err.message);
    lsched_scenario_destroy(scenario);
    lsched_cluster_destroy(cluster);
    r->no_lua += rc == LSCHED_E_NOLUA; /* the world is not played */
    return rc < 0 && rc != LSCHED_E_NOLUA ? err.line : 0;
}

static void run_seed(struct cures *r, uint64_t seed) {
    uint32_t line;
    r->at = (struct where){seed, 0, "begin"};
    r->chance.state = seed;
    r->exclusive.state = seed ^ 0xe8c1;
    r->has_exclusive = chance_one_in(&r->exclusive, 4);
    r->text.n = r->n_nodes = r->n_jobs = 0;
    r->at_s = 0;
    if (r->lends)
        put_lending_world(r);
    else
        put_world(r);
    put_events(r);
    while ((line = play(r)) != 0 && leave_out(r, line)) r->refused++;
    r->ended += line != 0;
    r->worlds++;
}

static uint32_t print_table(void) {
    uint32_t pairs = 0;
    for (uint32_t code = 0; code < CODES; code++) {
        const char *word = lsched_wait_name(code);
        uint64_t all = 0;
        for (uint32_t i = 0; i < KINDS; i++) {
            all += cured[code][i];
            pairs += cured[code][i] > 0;
        }
        if (!all) continue;
        print_message("%-10s", word ? word : "?");
        for (uint32_t i = 0; i < KINDS; i++)
            if (cured[code][i]) print_message(" %s %" PRIu64, kinds[i].name, cured[code][i]);
        print_message("\n");
    }
    return pairs;
}

/* Returns the number of pairs of a wait code and an event, UINT32_MAX if few seeds were played. */
static uint32_t play_seeds(int lends) {
    static struct cures r; /* large */
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(300);
    memset(&r, 0, sizeof r);
    memset(cured, 0, sizeof cured);
    r.lends = lends;
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(&r, seed);
    uint32_t pairs = print_table();
    print_message("seeds %" PRIu64 " .. +%u: %" PRIu64 " worlds, %" PRIu64
                  " events refused, %" PRIu64 " cycles, %" PRIu64
                  " decisions, %u pairs of a wait code and an event, %" PRIu64
                  " times a gang found seats only when it woke, %" PRIu64
                  " times work was stopped only then, %" PRIu64 " times the order was another\n",
                  first, rounds, r.worlds, r.refused, r.cycles, r.decisions, pairs, r.gangs,
                  r.stops, r.orders);
    assert_int_equal(r.ended, 0);
    return rounds >= 300 && !r.no_lua ? pairs : UINT32_MAX;
}

static void test_each_event_that_can_end_a_wait_lets_the_job_be_tried(void **state) {
    (void)state;
    assert_true(play_seeds(0) >= 25);
}

/* Quotas rise and fall with the time, and owners of idle room lend none of it to others: what one
 * alternative or group of a job waits for can be another part's lending, which its reason hides. */
static void test_a_quota_that_falls_lets_jobs_be_tried(void **state) {
    (void)state;
    uint32_t pairs = play_seeds(1);
    assert_true(pairs == UINT32_MAX || cured[LSCHED_WAIT_LENDING][KINDS - 1] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_event_that_can_end_a_wait_lets_the_job_be_tried),
        cmocka_unit_test(test_a_quota_that_falls_lets_jobs_be_tried)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
