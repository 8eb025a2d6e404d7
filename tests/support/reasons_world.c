/* reasons_world.c -- see reasons_world.h. */
#include "support/reasons_world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rw_put(struct rw_text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    size_t room = t->n < sizeof t->p ? sizeof t->p - t->n : 0;
    int n = vsnprintf(room ? t->p + t->n : NULL, room, format, ap);
    va_end(ap);
    if (n > 0) t->n += (size_t)n;
}

/* ---- making ---- */

struct rw_node *rw_add_node(struct rw *w, int64_t gpus, int64_t cores, int64_t gib) {
    struct rw_node *n = &w->node[w->n_nodes];
    memset(n, 0, sizeof *n);
    snprintf(n->name, sizeof n->name, "n%u", w->n_nodes++);
    n->has[LSCHED_GPU] = gpus * 1000;
    n->has[LSCHED_CPU] = cores * 1000;
    n->has[LSCHED_MEMORY] = gib << 30;
    snprintf(n->zone, sizeof n->zone, "a");
    snprintf(n->rack, sizeof n->rack, "r%u", w->n_nodes % 2);
    return n;
}

struct rw_queue *rw_add_queue(struct rw *w, const char *name) {
    struct rw_queue *q = &w->queue[w->n_queues++];
    memset(q, 0, sizeof *q);
    snprintf(q->name, sizeof q->name, "%s", name);
    for (int r = 0; r < RW_KINDS; r++) q->quota[r] = q->limit[r] = q->lend[r] = -1;
    return q;
}

struct rw_job *rw_add_job(struct rw *w, const char *name, const char *queue, int node) {
    struct rw_job *j = &w->job[w->n_jobs++];
    memset(j, 0, sizeof *j);
    snprintf(j->name, sizeof j->name, "%s", name);
    snprintf(j->queue, sizeof j->queue, "%s", queue);
    j->count = 1;
    j->min = -1;
    j->since_s = 3600;
    j->on[0] = node;
    j->n_on = node >= 0;
    return j;
}

#define FIND(list, count, kind)                                                        \
    struct kind *rw_find_##list(struct rw *w, const char *name, size_t len) {          \
        for (uint32_t i = 0; i < w->count; i++)                                        \
            if (strlen(w->list[i].name) == len && !memcmp(w->list[i].name, name, len)) \
                return &w->list[i];                                                    \
        return NULL;                                                                   \
    }
FIND(node, n_nodes, rw_node)
FIND(queue, n_queues, rw_queue)
FIND(job, n_jobs, rw_job)

/* ---- writing ---- */

static const char *const kinds[RW_KINDS] = {"", "cpu", "memory", "gpu", "licence"};

static void put_amount(struct rw_text *t, const char *before, int r, int64_t amount) {
    rw_put(t, "%s%s: %" PRId64 "%s", before, kinds[r], amount,
           r == LSCHED_CPU || r == LSCHED_GPU ? "m" : "");
}

static void put_amounts(struct rw_text *t, const char *key, const int64_t *amount) {
    int said = 0;
    for (int r = 1; r < RW_KINDS; r++) {
        if (amount[r] < 0) continue;
        if (!said) rw_put(t, ", %s: {", key);
        put_amount(t, said++ ? ", " : "", r, amount[r]);
    }
    if (said) rw_put(t, "}");
}

static void put_capacity(struct rw_text *t, const struct rw_node *n) {
    for (int r = 1; r < RW_KINDS; r++)
        if (r != LSCHED_GPU && n->has[r]) put_amount(t, ", ", r, n->has[r]);
}

void rw_put_node_update(struct rw_text *t, const struct rw_node *n) {
    rw_put(t, "{name: %s", n->name);
    put_capacity(t, n);
    rw_put(t, ", labels: {zone: %s, rack: %s}}", n->zone, n->rack);
}

void rw_put_node(struct rw_text *t, const struct rw_node *n) {
    rw_put(t, "{name: %s", n->name);
    put_capacity(t, n);
    rw_put(t, ", labels: {zone: %s, rack: %s}", n->zone, n->rack);
    if (n->has[LSCHED_GPU]) {
        rw_put(t, ", gpus: {count: %" PRId64, n->has[LSCHED_GPU] / 1000);
        if (n->model[0]) rw_put(t, ", model: %s", n->model);
        if (n->shared) rw_put(t, ", sharing: fraction");
        rw_put(t, "}");
    }
    if (n->cordoned) rw_put(t, ", cordoned: true");
    if (n->tasks_max) rw_put(t, ", tasks_max: %d", n->tasks_max);
    if (n->back_s) rw_put(t, ", leaves: %ds, back: %ds", n->leaves_s, n->back_s);
    rw_put(t, "}");
}

void rw_put_queue(struct rw_text *t, const struct rw_queue *q) {
    rw_put(t, "{name: %s", q->name);
    put_amounts(t, "quota", q->quota);
    put_amounts(t, "limit", q->limit);
    put_amounts(t, "lend_limit", q->lend);
    if (q->jobs_max) rw_put(t, ", jobs_max: %d", q->jobs_max);
    if (q->reclaim_min_s) rw_put(t, ", reclaim_min_runtime: %ds", q->reclaim_min_s);
    if (q->preempt_min_s) rw_put(t, ", preempt_min_runtime: %ds", q->preempt_min_s);
    if (q->delay_s) rw_put(t, ", preemption_delay: %ds", q->delay_s);
}

static void put_terms(struct rw_text *t, const struct rw_job *j) {
    if (j->apart[0] && j->near[0])
        rw_put(t, ", job_affinity: [{apart: {app: %s}}, {near: {app: %s}}]", j->apart, j->near);
    else if (j->apart[0])
        rw_put(t, ", job_affinity: [{apart: {app: %s}}]", j->apart);
    else if (j->near[0])
        rw_put(t, ", job_affinity: [{near: {app: %s}}]", j->near);
}

void rw_put_job(struct rw_text *t, const struct rw *w, const struct rw_job *j) {
    rw_put(t, "{name: %s, queue: %s, priority: %d", j->name, j->queue, j->priority);
    if (j->firm) rw_put(t, ", preemptible: false");
    if (j->never_preempts) rw_put(t, ", preempts: false");
    if (j->duration_s) rw_put(t, ", duration: %ds", j->duration_s);
    if (j->limit_s) rw_put(t, ", time_limit: %ds", j->limit_s);
    if (j->more[0]) rw_put(t, ", %s", j->more);
    if (j->retries) rw_put(t, ", retries: {max: %d, backoff: %ds}", j->retries, j->backoff_s);
    if (j->app[0]) rw_put(t, ", labels: {app: %s}", j->app);
    if (j->required_rack) rw_put(t, ", topology: {required: rack}");
    if (j->n_on) rw_put(t, ", running_since: -%ds, running_on: [", j->since_s);
    for (int i = 0; i < j->n_on; i++) rw_put(t, "%s%s", i ? ", " : "", w->node[j->on[i]].name);
    if (j->n_on) rw_put(t, "]");
    rw_put(t, ", tasks: {count: %d", j->count);
    if (j->min >= 0) rw_put(t, ", min: %d", j->min);
    if (j->members) rw_put(t, ", members: %d", j->members);
    if (j->tokens) rw_put(t, ", supplies: {tokens: %d}", j->tokens);
    for (int r = 1; r < RW_KINDS; r++)
        if (j->needs[r]) put_amount(t, ", ", r, j->needs[r]);
    if (j->zone[0]) rw_put(t, ", select: {zone: %s}", j->zone);
    if (j->model[0]) rw_put(t, ", models: %s", j->model);
    put_terms(t, j);
    rw_put(t, "}}");
}

static void put_world(struct rw_text *t, const struct rw *w, const char *event) {
    rw_put(t, "start: 2026-01-05T08:00Z\nresources: [licence]\ntopology: [rack]\n");
    rw_put(t, "cluster: {verify: true}\n%s%s", w->policy, w->schedule);
    if (w->manual) rw_put(t, "settle: manual\n");
    rw_put(t, "nodes:\n");
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        rw_put(t, "  - ");
        rw_put_node(t, &w->node[i]);
        rw_put(t, "\n");
    }
    if (w->tokens && w->tokens_rack[0])
        rw_put(
            t,
            "supplies: {tokens: unlimited}\nupdate_supplies: [{supply: tokens, at: {rack: %s}, amount: %d}]\n",
            w->tokens_rack, w->tokens - 1);
    else if (w->tokens)
        rw_put(t, "supplies: {tokens: %d}\n", w->tokens - 1);
    if (w->allowed)
        rw_put(t, "allowances: {q: {price: {cpu: 1}, amount: %d, period: 10h}}\n", w->allowed - 1);
    rw_put(t, "queues:\n");
    for (uint32_t i = 0; i < w->n_queues; i++) { /* parents come first */
        rw_put(t, "  - ");
        rw_put_queue(t, &w->queue[i]);
        rw_put(t, w->queue[i].parent[0] ? ", parent: %s}\n" : "}\n", w->queue[i].parent);
    }
    rw_put(t, "jobs:\n");
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        rw_put(t, "  - ");
        rw_put_job(t, w, &w->job[i]);
        rw_put(t, "\n");
    }
    if (w->events[0] || event[0]) rw_put(t, "events:\n%s%s", w->events, event);
}

lsched_cluster *rw_play(const struct rw *w, const char *event, lsched_error *err) {
    static struct rw_text t; /* large; tests have one thread */
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    t.n = 0;
    put_world(&t, w, event);
    if (chance_variable("LSCHED_TEST_SHOW", 0)) printf("%s----\n", t.p);
    int32_t rc =
        lsched_scenario_parse(NULL, (lsched_text){t.p, t.n}, LSCHED_TEXT("world"), &scenario, err);
    if (rc >= 0) rc = lsched_cluster_create(NULL, &cluster, err);
    opts.flags = LSCHED_RUN_NO_CHECKS;
    if (rc >= 0) rc = lsched_scenario_run(scenario, cluster, &opts, &report, err);
    lsched_scenario_destroy(scenario);
    if (rc >= 0) return cluster;
    lsched_cluster_destroy(cluster);
    return NULL;
}
