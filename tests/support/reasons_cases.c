/* reasons_cases.c -- see reasons_cases.h. */
#include "support/reasons_cases.h"

#include <stdio.h>
#include <string.h>

static int64_t pick(struct chance *c, int64_t low, int64_t high) {
    return chance_between(c, low, high);
}

static void policy(struct rw *w, const char *text) {
    snprintf(w->policy, sizeof w->policy, "%s", text);
}

static void quota_policy(struct rw *w) {
    policy(w, "policy: guaranteed-quota\n");
}

/* Nodes with 8 GPUs, or 4. */
static void some_nodes(struct chance *c, struct rw *w, uint32_t most) {
    uint32_t n = 1 + chance_below(c, most);
    for (uint32_t i = 0; i < n; i++) {
        struct rw_node *node =
            rw_add_node(w, chance_one_in(c, 3) ? 4 : 8, pick(c, 16, 64), pick(c, 32, 128));
        node->has[RW_LICENCE] = pick(c, 1, 4);
    }
}

static struct rw_job *waiter(struct rw *w, const char *queue, int64_t gpu_milli, int64_t cpu,
                             int64_t bytes) {
    struct rw_job *j = rw_add_job(w, "j", queue, -1);
    j->needs[LSCHED_GPU] = gpu_milli;
    j->needs[LSCHED_CPU] = cpu;
    j->needs[LSCHED_MEMORY] = bytes;
    return j;
}

/* A job on each node that leaves less than something of what the waiting one will need. */
static void fill_nodes(struct chance *c, struct rw *w, const char *queue) {
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        char name[RW_NAME];
        struct rw_node *n = &w->node[i];
        snprintf(name, sizeof name, "x%u", i);
        struct rw_job *x = rw_add_job(w, name, queue, (int)i);
        for (int r = 1; r < RW_KINDS; r++) {
            int64_t unit = r == LSCHED_MEMORY ? INT64_C(1) << 30 : r == RW_LICENCE ? 1 : 1000;
            int64_t all = n->has[r] / unit;
            x->needs[r] = all > 0 && chance_one_in(c, 2) ? pick(c, 0, all) * unit : 0;
        }
        if (!x->needs[LSCHED_CPU]) x->needs[LSCHED_CPU] = 1000;
        if (chance_one_in(c, 3)) x->duration_s = (int)pick(c, 1, 4) * 3000;
    }
}

static void room(struct chance *c, struct rw *w) {
    some_nodes(c, w, 4);
    rw_add_queue(w, "q");
    fill_nodes(c, w, "q");
    struct rw_job *j =
        waiter(w, "q", pick(c, 0, 8) * 1000, pick(c, 1, 40) * 1000, pick(c, 1, 64) << 30);
    if (chance_one_in(c, 3)) j->needs[RW_LICENCE] = pick(c, 1, 3);
    if (chance_one_in(c, 4)) w->node[0].cordoned = 1;
    if (chance_one_in(c, 6)) w->node[w->n_nodes - 1].tasks_max = 1;
}

static void pieces(struct chance *c, struct rw *w) {
    struct rw_node *n = rw_add_node(w, 4, 32, 64);
    n->shared = 1;
    rw_add_queue(w, "q");
    for (int i = 0; i < 4; i++) {
        char name[RW_NAME];
        snprintf(name, sizeof name, "x%d", i);
        rw_add_job(w, name, "q", 0)->needs[LSCHED_GPU] = pick(c, 5, 9) * 100;
    }
    waiter(w, "q", chance_one_in(c, 2) ? pick(c, 3, 9) * 100 : pick(c, 1, 2) * 1000, 1000, 0);
}

static void never(struct chance *c, struct rw *w) {
    some_nodes(c, w, 4);
    rw_add_queue(w, "q");
    struct rw_job *j =
        waiter(w, "q", pick(c, 0, 8) * 1000, pick(c, 1, 16) * 1000, INT64_C(1) << 30);
    switch (chance_below(c, 6)) {
    case 0: j->needs[LSCHED_CPU] = pick(c, 65, 200) * 1000; break;
    case 1: j->needs[LSCHED_MEMORY] = pick(c, 129, 900) << 30; break;
    case 2: j->needs[RW_LICENCE] = pick(c, 5, 9); break;
    case 3: j->needs[LSCHED_GPU] = pick(c, 9, 16) * 1000; break;
    case 4: snprintf(j->zone, sizeof j->zone, "%s", chance_one_in(c, 2) ? "A" : "ab"); break;
    default:
        for (uint32_t i = 0; i < w->n_nodes; i++) snprintf(w->node[i].model, RW_NAME, "H100-80GB");
        snprintf(j->model, sizeof j->model, "%s", chance_one_in(c, 2) ? "H100" : "h100-80gb");
        if (!j->needs[LSCHED_GPU]) j->needs[LSCHED_GPU] = 1000;
        break;
    }
    if (chance_one_in(c, 4)) j->needs[LSCHED_MEMORY] = pick(c, 129, 900) << 30;
}

static void gang(struct chance *c, struct rw *w) {
    uint32_t n = 2 + chance_below(c, 3);
    for (uint32_t i = 0; i < n; i++) rw_add_node(w, 8, pick(c, 16, 64), pick(c, 32, 128));
    rw_add_queue(w, "q");
    if (chance_one_in(c, 2)) {
        struct rw_job *x = rw_add_job(w, "x0", "q", 0);
        x->needs[LSCHED_GPU] = pick(c, 1, 8) * 1000;
        x->duration_s = 7200;
    }
    struct rw_job *j =
        waiter(w, "q", pick(c, 1, 8) * 1000, pick(c, 1, 16) * 1000, pick(c, 1, 32) << 30);
    j->count = 2 + (int)chance_below(c, 10);
    j->min = chance_one_in(c, 2) ? j->count : 2 + (int)chance_below(c, (uint32_t)j->count - 1);
}

static void limit(struct chance *c, struct rw *w) {
    int64_t used = pick(c, 0, 6), top = used + pick(c, 0, 3), need = top - used + pick(c, 1, 3);
    int r = chance_one_in(c, 2) ? LSCHED_GPU : LSCHED_CPU;
    rw_add_node(w, 16, 64, 64);
    struct rw_queue *q = rw_add_queue(w, "top");
    struct rw_queue *leaf = rw_add_queue(w, "q");
    snprintf(leaf->parent, RW_NAME, "top");
    (chance_one_in(c, 2) ? q : leaf)->limit[r] = top * 1000;
    if (used) {
        struct rw_job *x = rw_add_job(w, "x0", "q", 0);
        x->needs[r] = used * 1000;
        if (chance_one_in(c, 2)) x->duration_s = 7200;
    }
    struct rw_job *j = rw_add_job(w, "j", "q", -1);
    j->needs[r] = need * 1000;
    if (chance_one_in(c, 4)) quota_policy(w);
}

static void limit_hook(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    snprintf(w->policy, sizeof w->policy,
             "policy:\n  text: |\n    return { api = 1, limit = function(queue, now)\n"
             "      if calendar.in_window(now, \"07:00\", \"%02d:00\", 1) then\n"
             "        return { gpu = %d }, calendar.next(now, \"%02d:00\", 1) end\n"
             "      return nil, calendar.next(now, \"07:00\", 1)\n    end }\n",
             18, (int)pick(c, 1, 4), 18);
    waiter(w, "q", pick(c, 5, 8) * 1000, 1000, 0);
}

static void admit(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    snprintf(w->policy, sizeof w->policy,
             "policy:\n  text: |\n    return { api = 1, admit = function(job, queue, now)\n"
             "      return job.priority >= %d, \"needs priority %d\"\n    end }\n",
             5, 5);
    waiter(w, "q", pick(c, 1, 8) * 1000, 1000, 0);
}

static void filter(struct chance *c, struct rw *w) {
    some_nodes(c, w, 3);
    rw_add_queue(w, "q");
    policy(w, "policy:\n  text: |\n    return { api = 1, filter = function(job, node)\n"
              "      return node.labels.zone == \"b\"\n    end }\n");
    waiter(w, "q", pick(c, 1, 4) * 1000, 1000, 0);
}

static void policy_fails(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    policy(w, "policy:\n  text: |\n    return { api = 1, admit = function(job, queue)\n"
              "      if job.name == \"j\" then return 7 end\n      return true\n    end }\n");
    waiter(w, "q", pick(c, 1, 8) * 1000, 1000, 0);
}

static void budget(struct chance *c, struct rw *w) {
    some_nodes(c, w, 4);
    rw_add_queue(w, "q");
    struct rw_job *j = waiter(w, "q", 1000, 1000, 0);
    j->count = 4;
    snprintf(w->schedule, sizeof w->schedule, "schedule: {work_budget: %d}\n", (int)pick(c, 1, 3));
}

static void topology(struct chance *c, struct rw *w) {
    uint32_t n = 2 + chance_below(c, 3);
    for (uint32_t i = 0; i < n; i++) rw_add_node(w, 8, 32, 64);
    rw_add_queue(w, "q");
    struct rw_job *j = waiter(w, "q", pick(c, 4, 8) * 1000, 1000, 0);
    j->count = (int)n;
    j->required_rack = 1;
}

static void firm_quota(struct chance *c, struct rw *w) {
    int64_t quota = pick(c, 1, 6);
    rw_add_node(w, 16, 64, 64);
    quota_policy(w);
    rw_add_queue(w, "q")->quota[LSCHED_GPU] = quota * 1000;
    rw_add_queue(w, "o");
    struct rw_job *j = waiter(w, "q", (quota + pick(c, 1, 4)) * 1000, 0, 0);
    j->firm = 1;
}

static void backoff(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 32, 64);
    rw_add_queue(w, "q");
    struct rw_job *j = waiter(w, "q", pick(c, 1, 8) * 1000, 1000, 0);
    j->retries = 1 + (int)chance_below(c, 2);
    j->backoff_s = (int)pick(c, 20, 90);
    snprintf(w->events, sizeof w->events, "  - {at: 10s, fail: j}\n");
    w->last_s = 10;
    if (chance_one_in(c, 2) && j->retries == 1) {
        w->last_s = 210;
        snprintf(w->events, sizeof w->events,
                 "  - {at: 10s, fail: j}\n  - {at: 200s}\n  - {at: 210s, fail: j}\n");
    }
}

/* The host rejects the job once, or by as many nodes as it takes until it is set aside. */
static void refused(struct chance *c, struct rw *w) {
    uint32_t times = 1 + chance_below(c, 3), nodes = 1 + chance_below(c, 3);
    const char *why = chance_one_in(c, 2) ? "{job: j, reason: image}" : "j";
    size_t n = 0;
    if (nodes < times) times = nodes;
    for (uint32_t i = 0; i < times; i++) rw_add_node(w, 8, 32, 64);
    rw_add_queue(w, "q");
    waiter(w, "q", pick(c, 1, 8) * 1000, 1000, 0);
    w->manual = 1;
    for (uint32_t i = 0; i < times; i++)
        n += (size_t)snprintf(w->events + n, sizeof w->events - n,
                              "  - {at: %us, settle: {reject: %s}}\n  - {at: %us}\n", 2 * i + 1,
                              why, 2 * i + 2);
    w->last_s = (int)(2 * times);
}

static void jobs(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 32, 64);
    int most = 1 + (int)chance_below(c, 3);
    rw_add_queue(w, "q")->jobs_max = most;
    for (int i = 0; i < most; i++) {
        char name[RW_NAME];
        snprintf(name, sizeof name, "x%d", i);
        struct rw_job *x = rw_add_job(w, name, "q", 0);
        x->needs[LSCHED_GPU] = 1000;
        if (chance_one_in(c, 2)) x->duration_s = 7200 + i;
    }
    waiter(w, "q", 1000, 1000, 0);
}

static void lending(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    quota_policy(w);
    struct rw_queue *o = rw_add_queue(w, "o");
    o->quota[LSCHED_GPU] = pick(c, 3, 8) * 1000;
    o->lend[LSCHED_GPU] = pick(c, 0, 2) * 1000;
    rw_add_queue(w, "q");
    waiter(w, "q", pick(c, 6, 8) * 1000, 1000, 0);
}

static void leaving(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    quota_policy(w);
    rw_add_queue(w, "o")->quota[LSCHED_GPU] = 8000;
    rw_add_queue(w, "q");
    struct rw_job *j = rw_add_job(w, "j", "q", 0);
    j->needs[LSCHED_GPU] = pick(c, 4, 8) * 1000;
    w->manual = 1;
    rw_add_job(w, "own", "o", -1)->needs[LSCHED_GPU] = 8000;
    snprintf(w->events, sizeof w->events,
             "  - {at: 1s, settle: {confirm: all}, schedule: false}\n");
    w->last_s = 1;
}

static void nominated(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    quota_policy(w);
    rw_add_queue(w, "q")->quota[LSCHED_GPU] = 8000;
    rw_add_queue(w, "o");
    rw_add_job(w, "x0", "o", 0)->needs[LSCHED_GPU] = pick(c, 2, 8) * 1000;
    waiter(w, "q", 8000, 0, 0);
    w->manual = 1;
}

static void held(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    policy(
        w,
        "policy:\n  text: |\n    return { api = 1, pipeline = { \"evict-overdue\", \"allocate\" } }\n");
    struct rw_job *j = rw_add_job(w, "j", "q", 0);
    j->needs[LSCHED_GPU] = pick(c, 1, 8) * 1000;
    j->limit_s = 3000;
    snprintf(w->events, sizeof w->events, "  - {at: 10s}\n");
    w->last_s = 10;
}

static void host_hold(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    waiter(w, "q", pick(c, 1, 8) * 1000, 0, 0);
    w->manual = 1;
    snprintf(w->events, sizeof w->events, "  - {at: 10s, hold: [{name: j%s}]}\n",
             chance_one_in(c, 2) ? ", until: 50s" : "");
    w->last_s = 10;
}

/* The job waits for its begin, for another job that runs, or for one that ended otherwise. */
static void gate(struct chance *c, struct rw *w) {
    uint32_t which = chance_below(c, 3);
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    rw_add_job(w, "x", "q", 0)->needs[LSCHED_GPU] = 1000;
    struct rw_job *j = waiter(w, "q", pick(c, 1, 7) * 1000, 0, 0);
    snprintf(j->more, sizeof j->more, "%s",
             which == 0   ? "begin: 50s"
             : which == 1 ? "after: [x]"
                          : "after: {job: x, outcome: failure}");
    if (which < 2) return;
    snprintf(w->events, sizeof w->events, "  - {at: 10s, finish: x}\n");
    w->last_s = 10;
}

static void members(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    struct rw_job *j = rw_add_job(w, "j", "q", 0);
    j->needs[LSCHED_GPU] = 1000;
    j->count = (int)pick(c, 3, 8);
    j->min = (int)pick(c, 2, j->count);
    j->members = (int)pick(c, 1, j->min - 1);
}

/* Too little of a supply is left: of the whole cluster, or of the rack of the only node. */
static void supply(struct chance *c, struct rw *w) {
    int held = (int)pick(c, 0, 5), need = (int)pick(c, 1, 8);
    struct rw_node *n = rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    if (held) {
        struct rw_job *x = rw_add_job(w, "x", "q", 0);
        x->needs[LSCHED_CPU] = 1000;
        x->tokens = held;
    }
    waiter(w, "q", pick(c, 0, 4) * 1000, 1000, 0)->tokens = need;
    w->tokens = held + (int)pick(c, 0, need - 1) + 1;
    if (chance_one_in(c, 2)) memcpy(w->tokens_rack, n->rack, RW_NAME);
}

/* The only node leaves before the job surely ends, or is away. */
static void absence(struct chance *c, struct rw *w) {
    struct rw_node *n = rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    n->leaves_s = chance_one_in(c, 3) ? 0 : (int)pick(c, 20, 3600);
    n->back_s = n->leaves_s + (int)pick(c, 100, 7200);
    struct rw_job *j = waiter(w, "q", pick(c, 0, 8) * 1000, 1000, 0);
    if (chance_one_in(c, 2)) j->duration_s = n->leaves_s + (int)pick(c, 1, 3600);
}

/* The allowance of the queue suffices for the end of the period, or for the next one. */
static void allowance(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    struct rw_job *j = waiter(w, "q", pick(c, 0, 4) * 1000, 1000, 0);
    if (chance_one_in(c, 2)) j->duration_s = (int)pick(c, 4, 9) * 3600;
    w->allowed = 1 + (int)pick(c, 1, 3);
}

static void rules(struct chance *c, struct rw *w) {
    uint32_t n = 1 + chance_below(c, 3);
    int apart = chance_one_in(c, 2);
    for (uint32_t i = 0; i < n; i++) rw_add_node(w, 8, 32, 64);
    rw_add_queue(w, "q");
    for (uint32_t i = 0; apart && i < n; i++) {
        char name[RW_NAME];
        snprintf(name, sizeof name, "x%u", i);
        struct rw_job *x = rw_add_job(w, name, "q", (int)i);
        x->needs[LSCHED_GPU] = 1000;
        snprintf(x->app, RW_NAME, "db");
    }
    struct rw_job *j = waiter(w, "q", pick(c, 1, 4) * 1000, 1000, 0);
    snprintf(apart ? j->apart : j->near, RW_NAME, "db");
}

static void planned(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    policy(w, "policy: plan-ahead\n");
    struct rw_job *x = rw_add_job(w, "x0", "q", 0);
    x->needs[LSCHED_GPU] = pick(c, 2, 8) * 1000;
    x->duration_s = 3600 + (int)pick(c, 1, 100) * 60;
    struct rw_job *j = waiter(w, "q", 8000, 0, 0);
    j->duration_s = 3600;
}

static void pipeline(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_queue(w, "q");
    policy(w, chance_one_in(c, 2)
                  ? "policy:\n  text: |\n    return { api = 1, pipeline = { \"evict-overdue\" } }\n"
                  : "policy:\n  text: |\n    return { api = 1, pipeline = function()\n"
                    "      return { \"evict-overdue\" } end }\n");
    waiter(w, "q", pick(c, 1, 8) * 1000, 1000, 0);
}

/* Two or three queues under guarantees; work of others and of the own queue fills the nodes. */
static void evictions(struct chance *c, struct rw *w) {
    uint32_t n = 1 + chance_below(c, 3);
    static const char *const names[] = {"q", "o", "p"};
    for (uint32_t i = 0; i < n; i++) rw_add_node(w, 8, 64, 64);
    quota_policy(w);
    if (chance_one_in(c, 4))
        policy(w, "policy: {name: guaranteed-quota, params: {evictions_per_hour: 1}}\n");
    if (chance_one_in(c, 5))
        policy(
            w,
            "policy: {name: v, text: \"return { api = 1, fair_share = 'quota', pipeline = {"
            "'allocate', 'reclaim', 'preempt'}, victim = function(job, candidate) return nil end }\"}\n");
    for (int i = 0; i < 3; i++) {
        struct rw_queue *q = rw_add_queue(w, names[i]);
        if (chance_one_in(c, 2)) q->quota[LSCHED_GPU] = pick(c, 0, 8) * 1000;
        if (chance_one_in(c, 5)) q->reclaim_min_s = (int)pick(c, 1, 120) * 60;
        if (chance_one_in(c, 5)) q->preempt_min_s = (int)pick(c, 1, 120) * 60;
        if (i == 0 && chance_one_in(c, 5)) q->delay_s = (int)pick(c, 1, 20) * 60;
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t left = 8;
        for (int k = 0; k < 2 && left > 0; k++) {
            char name[RW_NAME];
            snprintf(name, sizeof name, "x%u%d", i, k);
            struct rw_job *x = rw_add_job(w, name, names[chance_below(c, 3)], (int)i);
            int64_t gpus = k == 1 ? left : pick(c, 1, 8);
            x->needs[LSCHED_GPU] = gpus * 1000;
            left -= gpus;
            x->priority = (int)chance_below(c, 3);
            x->firm = chance_one_in(c, 3);
            x->since_s = (int)pick(c, 1, 100) * 60;
        }
    }
    struct rw_job *j = waiter(w, "q", pick(c, 1, 8) * 1000, 0, 0);
    j->priority = (int)chance_below(c, 3);
    j->never_preempts = chance_one_in(c, 6);
}

/* Two jobs are owed room of a guest, and the policy stops one task in an hour. */
static void rate(struct chance *c, struct rw *w) {
    rw_add_node(w, 8, 64, 64);
    rw_add_node(w, 8, 64, 64);
    policy(w, "policy: {name: guaranteed-quota, params: {evictions_per_hour: 1}}\n");
    rw_add_queue(w, "q")->quota[LSCHED_GPU] = 8000;
    rw_add_queue(w, "p")->quota[LSCHED_GPU] = 8000;
    rw_add_queue(w, "o");
    rw_add_job(w, "x0", "o", 0)->needs[LSCHED_GPU] = 8000;
    rw_add_job(w, "x1", "o", 1)->needs[LSCHED_GPU] = 8000;
    rw_add_job(w, "first", chance_one_in(c, 2) ? "p" : "q", -1)->needs[LSCHED_GPU] =
        pick(c, 1, 4) * 1000;
    w->job[2].priority = 5;
    waiter(w, "q", pick(c, 5, 8) * 1000, 0, 0);
}

reasons_maker *const reasons_makers[] = {
    room,    pieces,       never,     gang,      limit,      limit_hook, admit,
    filter,  policy_fails, budget,    topology,  firm_quota, backoff,    jobs,
    lending, leaving,      nominated, held,      host_hold,  members,    rules,
    planned, pipeline,     evictions, evictions, rate,       room,       refused,
    supply,  gate,         gate,      absence,   allowance};
const uint32_t reasons_n_makers = sizeof reasons_makers / sizeof reasons_makers[0];
