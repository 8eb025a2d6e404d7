/*
 * Taints, terms about nodes and jobs, exclusive levels, bounds on tasks, nodes that drain: on
 * clusters that change, with tasks that come, end and take their time to stop, and clones that take
 * the cluster's place. A shadow of the cluster is kept outside the library. Each decision is
 * judged by it in the order of the plan: a place or a claim is where every rule allows it at that moment; a job of one task
 * is on a node of the best tier that has room; what is evicted or moved for a drain has to leave its node, or stands with what
 * has to. After each cycle no job of one task waits that could start somewhere.
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

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "support/settle.h"

enum { NODES = 10, JOBS = 40, TASKS = 3, STEPS = 60, RACKS = 3, TERMS = 2 };
#define MINUTE INT64_C(60000000)

enum { GONE, WAITS, PLACED, CLAIMS, LEAVES };
enum { EXCLUSIVE_NOWHERE, EXCLUSIVE_BY_NODE, EXCLUSIVE_BY_RACK };

struct node {
    int draining, cordoned;
    uint32_t rack; /* RACKS: outside the tree */
    int zone, gen, ssd;
    int64_t cpu;
    uint32_t tasks_max;
    uint32_t effects[2]; /* of taints hot and old: LSCHED_TAINT_* + 1, 0: none */
    int64_t since[2];
};

struct node_rule {
    uint32_t key, operation, value; /* key: zone, gen, ssd */
};

struct job_rule {
    uint32_t app, apart, weight, by_rack; /* app 0: any labels */
};

struct job {
    int live;
    lsched_id id;
    uint32_t app; /* 1..3; 0: no labels */
    uint32_t n;
    int64_t cpu;
    uint32_t tolerates[2]; /* 0 no, 1 yes, 2 for ten minutes where it stops */
    struct node_rule rules[TERMS];
    uint32_t weights[TERMS], n_rules;
    struct job_rule near[TERMS];
    uint32_t n_near;
    uint32_t exclusive;                             /* EXCLUSIVE_* */
    uint32_t state[TASKS], node[TASKS], old[TASKS]; /* old: node that it leaves, NODES */
    int64_t start[TASKS];
    lsched_id decision[TASKS];
};

struct world {
    uint64_t seed;
    struct chance chance;
    lsched_cluster *c;
    int64_t now;
    uint32_t next_name;
    lsched_id ids[NODES];
    struct node nodes[NODES];
    struct job jobs[JOBS];
    uint64_t placed, moved, evicted, waited;
};

static const char *const keys[] = {"zone", "gen", "ssd"};
static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
static const char *const taint_keys[] = {"hot", "old"};

static void wrong(const struct world *w, const char *what, uint32_t job, uint32_t node) {
    fprintf(stderr, "seed %llu, minute %lld: %s: job j%u, node n%u\n", (unsigned long long)w->seed,
            (long long)(w->now / MINUTE), what, job, node);
    fail();
}

static void must(const struct world *w, int64_t rc, const lsched_error *err, const char *call) {
    if (rc >= 0) return;
    fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, call, err->message);
    fail();
}

/* ---- what the rules say ---------------------------------------------------------------------- */

static int label_of(const struct node *n, uint32_t key, uint32_t *value) {
    int v = key == 0 ? n->zone : key == 1 ? n->gen : n->ssd;
    *value = (uint32_t)v;
    return v >= 0;
}

static int rule_holds(const struct node *n, const struct node_rule *r) {
    uint32_t v;
    int has = label_of(n, r->key, &v);
    switch (r->operation) {
    case LSCHED_LABEL_IN: return has && v == r->value;
    case LSCHED_LABEL_NOT_IN: return !has || v != r->value;
    case LSCHED_LABEL_EXISTS: return has;
    case LSCHED_LABEL_ABSENT: return !has;
    case LSCHED_LABEL_GREATER: return has && v > r->value;
    default: return has && v < r->value;
    }
}

static int welcomes(const struct world *w, uint32_t node, const struct job *j) {
    const struct node *n = &w->nodes[node];
    int required = 0, good = 0;
    for (uint32_t t = 0; t < 2; t++) {
        if (n->effects[t] == LSCHED_TAINT_NO_START + 1 && !j->tolerates[t]) return 0;
        if (n->effects[t] == LSCHED_TAINT_STOP + 1 && j->tolerates[t] != 1) return 0;
    }
    for (uint32_t i = 0; i < j->n_rules; i++) {
        required |= j->weights[i] == 0;
        good |= j->weights[i] == 0 && rule_holds(n, &j->rules[i]);
    }
    return !required || good;
}

static int same_place(const struct world *w, const struct job_rule *r, uint32_t a, uint32_t b) {
    if (!r->by_rack) return a == b;
    return w->nodes[a].rack < RACKS && w->nodes[a].rack == w->nodes[b].rack;
}

static int speaks_of(const struct job_rule *r, const struct job *j) {
    return r->app == 0 || r->app == j->app;
}

/* Tasks of such jobs in the place of the node, beside one task itself; releasing: those that stop
 * count, too. */
static uint32_t beside(const struct world *w, const struct job_rule *r, uint32_t node,
                       int releasing, const struct job *self, uint32_t task) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *o = &w->jobs[i];
        for (uint32_t t = 0; o->live && speaks_of(r, o) && t < o->n; t++) {
            if ((o != self || t != task) && (o->state[t] == PLACED || o->state[t] == CLAIMS))
                n += (uint32_t)same_place(w, r, node, o->node[t]);
            if (releasing && o->old[t] < NODES) n += (uint32_t)same_place(w, r, node, o->old[t]);
        }
    }
    return n;
}

static int nowhere(const struct world *w, const struct job_rule *r) {
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t t = 0; w->jobs[i].live && t < w->jobs[i].n; t++)
            if (speaks_of(r, &w->jobs[i]) &&
                (w->jobs[i].state[t] == PLACED || w->jobs[i].state[t] == CLAIMS))
                return 0;
    return 1;
}

/* Does anybody there keep apart from the job. */
static int is_shunned(const struct world *w, const struct job *j, uint32_t node, int releasing,
                      uint32_t task) {
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *o = &w->jobs[i];
        for (uint32_t r = 0; o->live && r < o->n_near; r++) {
            const struct job_rule *rule = &o->near[r];
            if (!rule->apart || rule->weight || !speaks_of(rule, j)) continue;
            for (uint32_t t = 0; t < o->n; t++) {
                int here = (o != j || t != task) &&
                           (o->state[t] == PLACED || o->state[t] == CLAIMS) &&
                           same_place(w, rule, node, o->node[t]);
                if (here ||
                    (releasing && o->old[t] < NODES && same_place(w, rule, node, o->old[t])))
                    return 1;
            }
        }
    }
    return 0;
}

/* Does an exclusive level of the job, or of a job that is there, keep it from the node. */
static int is_excluded(const struct world *w, const struct job *j, uint32_t node, int releasing) {
    if (j->exclusive == EXCLUSIVE_BY_RACK && w->nodes[node].rack == RACKS) return 1;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *o = &w->jobs[i];
        for (uint32_t t = 0; o != j && o->live && t < o->n; t++)
            for (uint32_t level = EXCLUSIVE_BY_NODE; level <= EXCLUSIVE_BY_RACK; level++) {
                const struct job_rule place = {.by_rack = level == EXCLUSIVE_BY_RACK};
                if (j->exclusive != level && o->exclusive != level) continue;
                if ((o->state[t] == PLACED || o->state[t] == CLAIMS) &&
                    same_place(w, &place, node, o->node[t]))
                    return 1;
                if (releasing && o->old[t] < NODES && same_place(w, &place, node, o->old[t]))
                    return 1;
            }
    }
    return 0;
}

/* seats: a claim becomes a place; it was near to somebody when it was made. */
static int neighbours_allow(const struct world *w, const struct job *j, uint32_t task,
                            uint32_t node, int now, int seats) {
    for (uint32_t r = 0; r < j->n_near; r++) {
        const struct job_rule *rule = &j->near[r];
        if (rule->weight) continue;
        if (rule->apart && beside(w, rule, node, now, j, task)) return 0;
        if (rule->apart || seats) continue;
        if (rule->by_rack && w->nodes[node].rack == RACKS) return 0;
        if (beside(w, rule, node, 0, j, task) == 0 && !(speaks_of(rule, j) && nowhere(w, rule)))
            return 0;
    }
    return !is_shunned(w, j, node, now, task) && !is_excluded(w, j, node, now);
}

static int32_t tier(const struct world *w, const struct job *j, uint32_t node) {
    int32_t sum = 0;
    for (uint32_t t = 0; t < 2; t++)
        if (w->nodes[node].effects[t] == LSCHED_TAINT_AVOID + 1 && !j->tolerates[t]) sum -= 1000;
    for (uint32_t i = 0; i < j->n_rules; i++)
        if (rule_holds(&w->nodes[node], &j->rules[i])) sum += (int32_t)j->weights[i];
    for (uint32_t r = 0; r < j->n_near; r++) {
        int32_t weight = (int32_t)j->near[r].weight;
        if (weight && beside(w, &j->near[r], node, 0, j, TASKS))
            sum += j->near[r].apart ? -weight : weight;
    }
    return sum;
}

/* Room for one task now: of what is free, and of what will be when claims are met. surely: though nothing that leaves should leave in
 * time for claims. */
static int has_room(const struct world *w, const struct job *j, uint32_t node, int surely) {
    const struct node *n = &w->nodes[node];
    int64_t held = 0, then = 0;
    uint32_t tasks = 0, tasks_then = 0;
    if (n->draining || n->cordoned || !w->ids[node]) return 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *o = &w->jobs[i];
        for (uint32_t t = 0; o->live && t < o->n; t++) {
            int here = o->node[t] == node && (o->state[t] == PLACED || o->state[t] == CLAIMS);
            int holds = (o->node[t] == node && o->state[t] == PLACED) || o->old[t] == node;
            held += holds ? o->cpu : 0;
            tasks += (uint32_t)holds;
            then += here ? o->cpu : 0;
            tasks_then += (uint32_t)here;
        }
    }
    for (uint32_t i = 0; surely && i < JOBS; i++)
        for (uint32_t t = 0; w->jobs[i].live && t < w->jobs[i].n; t++)
            if (w->jobs[i].state[t] == CLAIMS && w->jobs[i].node[t] == node) {
                held += w->jobs[i].cpu;
                tasks++;
            }
    if (n->tasks_max && (tasks >= n->tasks_max || tasks_then >= n->tasks_max)) return 0;
    return n->cpu - held >= j->cpu && n->cpu - then >= j->cpu;
}

static int could_go(const struct world *w, const struct job *j, uint32_t node) {
    return has_room(w, j, node, 1) && welcomes(w, node, j) &&
           neighbours_allow(w, j, TASKS, node, 1, 0);
}

static int must_go(const struct world *w, const struct job *j, uint32_t task, uint32_t node) {
    const struct node *n = &w->nodes[node];
    if (n->draining) return 1;
    for (uint32_t t = 0; t < 2; t++) {
        if (n->effects[t] != LSCHED_TAINT_STOP + 1 || j->tolerates[t] == 1) continue;
        int64_t from = n->since[t] > j->start[task] ? n->since[t] : j->start[task];
        if (j->tolerates[t] == 0 || from + 10 * MINUTE <= w->now) return 1;
    }
    return 0;
}

/* ---- the cluster ----------------------------------------------------------------------------- */

static uint32_t taints_of(const struct node *n, lsched_taint *list) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < 2; t++)
        if (n->effects[t])
            list[count++] =
                (lsched_taint){lsched_cstr(taint_keys[t]), LSCHED_TEXT("x"), n->effects[t] - 1, 0};
    return count;
}

static void choose_taints(struct world *w, struct node *n) {
    for (uint32_t t = 0; t < 2; t++) {
        uint32_t was = n->effects[t];
        n->effects[t] = chance_one_in(&w->chance, 2) ? 0 : 1 + chance_below(&w->chance, 3);
        if (n->effects[t] != was) n->since[t] = w->now;
    }
}

static void add_node(struct world *w, uint32_t i) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    struct node *n = &w->nodes[i];
    lsched_label labels[4];
    lsched_taint taints[2];
    char name[16], rack[4];
    memset(n, 0, sizeof *n);
    n->cpu = 1000 * chance_between(&w->chance, 2, 8);
    n->rack = chance_below(&w->chance, RACKS + 1);
    n->zone = (int)chance_below(&w->chance, 3) - 1;
    n->gen = (int)chance_below(&w->chance, 8) - 1;
    n->ssd = (int)chance_below(&w->chance, 2) - 1;
    n->tasks_max = chance_one_in(&w->chance, 3) ? 1 + chance_below(&w->chance, 3) : 0;
    choose_taints(w, n);
    snprintf(name, sizeof name, "n%u", i);
    snprintf(rack, sizeof rack, "r%u", n->rack);
    if (n->rack < RACKS)
        labels[d.n_labels++] = (lsched_label){LSCHED_TEXT("rack"), lsched_cstr(rack)};
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t v;
        if (label_of(n, k, &v))
            labels[d.n_labels++] = (lsched_label){lsched_cstr(keys[k]), lsched_cstr(numbers[v])};
    }
    const lsched_amount cpu = {LSCHED_CPU, 0, n->cpu};
    d.name = lsched_cstr(name);
    d.tag = i;
    d.capacity = &cpu;
    d.n_capacity = 1;
    d.labels = labels;
    d.taints = taints;
    d.n_taints = taints_of(n, taints);
    d.tasks_max = n->tasks_max;
    must(w, lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &w->ids[i], NULL, &err), &err,
         "nodes_add");
}

static void update_node(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    uint32_t i = chance_below(&w->chance, NODES), state = chance_below(&w->chance, 5);
    struct node *n = &w->nodes[i];
    lsched_taint taints[2];
    u.node = w->ids[i];
    if (chance_one_in(&w->chance, 2)) {
        u.set = LSCHED_NODE_SET_STATE;
        u.state = state > LSCHED_NODE_DRAINING ? LSCHED_NODE_READY : state;
        n->cordoned = u.state == LSCHED_NODE_CORDONED;
        n->draining = u.state == LSCHED_NODE_DRAINING;
    } else if (chance_one_in(&w->chance, 2)) {
        u.set = LSCHED_NODE_SET_TAINTS;
        choose_taints(w, n);
        u.taints = taints;
        u.n_taints = taints_of(n, taints);
    } else {
        u.set = LSCHED_NODE_SET_TASKS_MAX;
        u.tasks_max = n->tasks_max = chance_below(&w->chance, 4);
    }
    must(w, lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err), &err, "nodes_update");
    for (uint32_t j = 0; j < JOBS; j++) /* claims that are not welcome any more are withdrawn */
        for (uint32_t t = 0; u.set == LSCHED_NODE_SET_TAINTS && w->jobs[j].live && t < w->jobs[j].n;
             t++)
            if (w->jobs[j].state[t] == CLAIMS && w->jobs[j].node[t] == i &&
                !welcomes(w, i, &w->jobs[j]))
                w->jobs[j].state[t] = WAITS;
}

static void make(struct world *w) {
    static const char policy[] =
        "return { api = 1, name = 'drains', pipeline = { 'drain', 'allocate' } }";
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_topology_desc topology = LSCHED_TOPOLOGY_DESC_INIT;
    const lsched_text level = LSCHED_TEXT("rack");
    opts.verify_every_plan = 1;
    must(w, lsched_cluster_create(&opts, &w->c, &err), &err, "create");
    cache_check_on(w->c);
    must(w,
         lsched_policy_load(w->c, LSCHED_TEXT("drains"), (lsched_text){policy, sizeof policy - 1},
                            NULL, &err),
         &err, "policy");
    topology.name = LSCHED_TEXT("site");
    topology.levels = &level;
    topology.n_levels = 1;
    must(w, lsched_topologies_add(w->c, &topology, 1, sizeof topology, NULL, NULL, NULL, &err),
         &err, "topologies_add");
    queue.name = LSCHED_TEXT("q");
    must(w, lsched_queues_add(w->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), &err,
         "queues_add");
    for (uint32_t i = 0; i < NODES; i++) add_node(w, i);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void choose_rules(struct world *w, struct job *j) {
    for (uint32_t t = 0; t < 2; t++) j->tolerates[t] = chance_below(&w->chance, 3);
    j->n_rules = chance_one_in(&w->chance, 2) ? chance_below(&w->chance, TERMS + 1) : 0;
    for (uint32_t i = 0; i < j->n_rules; i++) {
        struct node_rule *r = &j->rules[i];
        r->key = chance_below(&w->chance, 3);
        r->operation = chance_below(&w->chance, 6);
        r->value = chance_below(&w->chance, r->key == 1 ? 7 : 2);
        j->weights[i] = chance_one_in(&w->chance, 2) ? 0 : 1 + chance_below(&w->chance, 9);
    }
    j->exclusive = chance_one_in(&w->chance, 5) ? 1 + chance_below(&w->chance, 2) : 0;
    j->n_near = chance_one_in(&w->chance, 2) ? chance_below(&w->chance, TERMS + 1) : 0;
    for (uint32_t i = 0; i < j->n_near; i++)
        j->near[i] =
            (struct job_rule){chance_below(&w->chance, 4), chance_below(&w->chance, 2),
                              chance_one_in(&w->chance, 2) ? 0 : 1 + chance_below(&w->chance, 9),
                              chance_below(&w->chance, 2)};
}

struct description {
    lsched_job_desc job;
    lsched_group_desc group;
    lsched_amount cpu;
    lsched_toleration tolerations[4];
    lsched_label_rule rules[TERMS];
    lsched_text values[TERMS];
    lsched_node_affinity node_affinities[TERMS];
    lsched_job_affinity job_affinities[TERMS];
    lsched_label labels[TERMS], label;
    char name[16];
};

static void describe_terms(const struct job *j, struct description *d) {
    for (uint32_t i = 0; i < j->n_rules; i++) {
        uint32_t op = j->rules[i].operation;
        d->values[i] = lsched_cstr(numbers[j->rules[i].value]);
        d->rules[i] =
            (lsched_label_rule){lsched_cstr(keys[j->rules[i].key]), &d->values[i],
                                op != LSCHED_LABEL_EXISTS && op != LSCHED_LABEL_ABSENT, op};
        d->node_affinities[i] = (lsched_node_affinity){&d->rules[i], 1, j->weights[i]};
    }
    for (uint32_t i = 0; i < j->n_near; i++) {
        const struct job_rule *r = &j->near[i];
        d->labels[i] = (lsched_label){LSCHED_TEXT("app"), lsched_cstr(numbers[r->app])};
        d->job_affinities[i] =
            (lsched_job_affinity){.labels = &d->labels[i],
                                  .n_labels = r->app != 0,
                                  .apart = r->apart,
                                  .weight = r->weight,
                                  .level = lsched_cstr(r->by_rack ? "rack" : "node")};
    }
    d->group.exclusive_level = lsched_cstr(j->exclusive == EXCLUSIVE_BY_RACK   ? "rack"
                                           : j->exclusive == EXCLUSIVE_BY_NODE ? "node"
                                                                               : "");
    d->group.node_affinities = d->node_affinities;
    d->group.n_node_affinities = j->n_rules;
    d->group.job_affinities = d->job_affinities;
    d->group.n_job_affinities = j->n_near;
}

static void describe_tolerations(const struct job *j, struct description *d) {
    for (uint32_t t = 0; t < 2; t++) {
        lsched_toleration one = {lsched_cstr(taint_keys[t]), LSCHED_TEXT("x"),
                                 LSCHED_TOLERATES_ANY_EFFECT, 0, 0};
        if (j->tolerates[t] == 0) continue;
        if (j->tolerates[t] == 2) one.stop_after_us = 10 * MINUTE;
        d->tolerations[d->group.n_tolerations++] = one;
    }
    d->group.tolerations = d->tolerations;
}

static void submit(struct world *w) {
    static struct description d;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(&w->chance, JOBS);
    struct job *j = &w->jobs[i];
    if (j->live) return;
    memset(j, 0, sizeof *j);
    memset(&d, 0, sizeof d);
    j->app = chance_below(&w->chance, 4);
    j->n = chance_one_in(&w->chance, 3) ? 1 + chance_below(&w->chance, TASKS) : 1;
    j->cpu = 500 * chance_between(&w->chance, 1, 6);
    choose_rules(w, j);
    for (uint32_t t = 0; t < TASKS; t++) {
        j->state[t] = WAITS;
        j->old[t] = NODES;
    }
    d.job = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    d.group = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    snprintf(d.name, sizeof d.name, "j%u-%u", i, w->next_name++);
    d.cpu = (lsched_amount){LSCHED_CPU, 0, j->cpu};
    d.label = (lsched_label){LSCHED_TEXT("app"), lsched_cstr(numbers[j->app])};
    d.group.max_count = d.group.min_count = j->n;
    d.group.request = &d.cpu;
    d.group.n_request = 1;
    describe_tolerations(j, &d);
    describe_terms(j, &d);
    d.job.name = lsched_cstr(d.name);
    d.job.tag = i;
    d.job.queue_name = LSCHED_TEXT("q");
    d.job.groups = &d.group;
    d.job.n_groups = 1;
    d.job.submit_us = w->now;
    d.job.labels = &d.label;
    d.job.n_labels = j->app != 0;
    must(w, lsched_jobs_submit(w->c, &d.job, 1, sizeof d.job, NULL, &j->id, NULL, &err), &err,
         "submit");
    j->live = 1;
}

static void end_job(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct job *j = &w->jobs[chance_below(&w->chance, JOBS)];
    if (!j->live) return;
    must(w, lsched_jobs_remove(w->c, &j->id, 1, NULL, NULL, &err), &err, "jobs_remove");
    j->live = 0;
}

static void report(struct world *w, const struct job *j, uint32_t task, uint32_t event) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = j->id;
    e.task_index = task;
    e.at_us = w->now;
    must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static struct job *job_of(struct world *w, const lsched_decision *d) {
    return &w->jobs[d->job_tag];
}

static void judge_place(struct world *w, const lsched_decision *d) {
    struct job *j = job_of(w, d);
    uint32_t task = d->task_index, node = (uint32_t)d->node_tag, i = (uint32_t)d->job_tag;
    int claimed = j->state[task] == CLAIMS, claims = d->kind == LSCHED_DECIDE_NOMINATE;
    if (!welcomes(w, node, j)) wrong(w, "its labels or taints do not let it go there", i, node);
    if (!neighbours_allow(w, j, task, node, !claims, claimed))
        wrong(w, claims ? "a claim beside whom a term forbids" : "beside whom a term forbids", i,
              node);
    if (!claimed && !claims && j->n == 1) {
        if (!has_room(w, j, node, 0)) wrong(w, "there is no room", i, node);
        for (uint32_t n = 0; n < NODES; n++)
            if (could_go(w, j, n) && tier(w, j, n) > tier(w, j, node))
                wrong(w, "another node is of a better tier", i, n);
    }
    j->state[task] = claims ? CLAIMS : PLACED;
    j->node[task] = node;
    j->start[task] = w->now;
    j->decision[task] = d->id;
    w->placed++;
}

static void judge_stop(struct world *w, const lsched_plan *plan, const lsched_decision *d) {
    struct job *j = job_of(w, d);
    int due = 0;
    if (d->reason != LSCHED_FOR_DRAIN)
        wrong(w, "stopped for another reason", (uint32_t)d->job_tag, 0);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *o = lsched_plan_at(plan, i);
        if ((o->kind == LSCHED_DECIDE_EVICT || o->kind == LSCHED_DECIDE_MIGRATE) &&
            o->group == d->group)
            due |= must_go(w, j, o->task_index, (uint32_t)o->node_tag);
    }
    if (!due) wrong(w, "stopped though it may stay", (uint32_t)d->job_tag, (uint32_t)d->node_tag);
    j->old[d->task_index] = j->node[d->task_index];
    j->state[d->task_index] = WAITS;
    w->moved += d->kind == LSCHED_DECIDE_MIGRATE;
    w->evicted += d->kind == LSCHED_DECIDE_EVICT;
}

/* Withdrawn: what had a place or a claim and is not said to have one any more. */
static void catch_up(struct world *w) {
    for (uint32_t i = 0; i < JOBS; i++) {
        struct job *j = &w->jobs[i];
        lsched_task_info info = {.size = sizeof info};
        uint64_t cursor = 0;
        uint32_t state[TASKS] = {WAITS, WAITS, WAITS};
        if (!j->live) continue;
        while (lsched_tasks_next(w->c, j->id, 0, &cursor, &info, NULL) == 1) {
            if (info.state == LSCHED_TASK_NOMINATED) state[info.task_index] = CLAIMS;
            if (info.state >= LSCHED_TASK_PROPOSED && info.state <= LSCHED_TASK_RUNNING)
                state[info.task_index] = PLACED;
        }
        memcpy(j->state, state, sizeof state);
    }
}

static void settle(struct world *w, const lsched_plan *plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        must(w, settle_each(w->c, &d->id, &yes, 1, NULL, &err), &err, "settle");
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_PLACE)
            report(w, job_of(w, d), d->task_index, LSCHED_EVENT_STARTED);
    }
}

static void stop_some(struct world *w) {
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t t = 0; w->jobs[i].live && t < w->jobs[i].n; t++) {
            if (w->jobs[i].old[t] == NODES || chance_one_in(&w->chance, 3)) continue;
            report(w, &w->jobs[i], t, LSCHED_EVENT_FAILED);
            w->jobs[i].old[t] = NODES;
        }
}

static void nobody_waits_in_vain(struct world *w) {
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *j = &w->jobs[i];
        if (!j->live || j->n != 1 || j->state[0] != WAITS || j->old[0] != NODES) continue;
        w->waited++;
        for (uint32_t n = 0; n < NODES; n++)
            if (could_go(w, j, n)) {
                char why[512];
                lsched_explain(w->c, j->id, why, sizeof why, NULL, NULL);
                fprintf(stderr, "%s\n", why);
                wrong(w, "waits though it could start", i, n);
            }
    }
}

/* Claims that the cycle withdrew before it placed anything. */
static void forget_withdrawn(struct world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_withdrawn_size(plan); i++)
        for (uint32_t j = 0; j < JOBS; j++)
            for (uint32_t t = 0; w->jobs[j].live && t < w->jobs[j].n; t++)
                if (w->jobs[j].state[t] == CLAIMS &&
                    w->jobs[j].decision[t] == lsched_plan_withdrawn_at(plan, i))
                    w->jobs[j].state[t] = WAITS;
}

static void cycle(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    opts.now_us = w->now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    must(w, lsched_schedule(w->c, &opts, &plan, &err), &err, "schedule");
    forget_withdrawn(w, plan);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE)
            judge_stop(w, plan, d);
        else
            judge_place(w, d);
    }
    catch_up(w);
    lsched_plan_info info = {.size = sizeof info};
    must(w, lsched_plan_get(plan, &info, NULL), &err, "plan_info");
    /* What was evicted may have been what kept somebody waiting: he is tried when it is gone. */
    if (info.evictions + info.moves == 0) nobody_waits_in_vain(w);
    settle(w, plan);
    lsched_plan_destroy(plan);
}

static void step(struct world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    w->now += MINUTE * chance_between(&w->chance, 0, 6);
    cycle(w); /* the library knows the time by now */
    stop_some(w);
    for (uint32_t n = chance_below(&w->chance, 5); n > 0; n--) submit(w);
    for (uint32_t n = chance_below(&w->chance, 3); n > 0; n--) end_job(w);
    if (chance_one_in(&w->chance, 2)) update_node(w);
    if (chance_one_in(&w->chance, 8)) {
        must(w, lsched_cluster_clone(w->c, &copy, &err), &err, "clone");
        lsched_cluster_destroy(w->c);
        w->c = copy;
    }
    cycle(w);
}

static void rules_hold_at_every_step(void **unused) {
    static struct world w;
    uint64_t seed = chance_seed(5171), placed = 0, moved = 0, evicted = 0, waited = 0;
    uint32_t rounds = chance_rounds(60);
    (void)unused;
    printf("seed %llu, %u rounds\n", (unsigned long long)seed, rounds);
    for (uint32_t r = 0; r < rounds; r++) {
        memset(&w, 0, sizeof w);
        w.seed = w.chance.state = seed + r;
        make(&w);
        for (int s = 0; s < STEPS; s++) step(&w);
        lsched_cluster_destroy(w.c);
        placed += w.placed;
        moved += w.moved;
        evicted += w.evicted;
        waited += w.waited;
    }
    printf("%llu places and claims, %llu moves, %llu evictions, %llu waited\n",
           (unsigned long long)placed, (unsigned long long)moved, (unsigned long long)evicted,
           (unsigned long long)waited);
    assert_true(placed > 0 && evicted > 0 && waited > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_hold_at_every_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
