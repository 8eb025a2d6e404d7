/*
 * random_changes.h -- random changes of every kind to a cluster: nodes, their labels, taints,
 * bounds, prices, capacities, absences, reservations and MIG instances, queues, jobs, tasks, policies
 * whose hooks fail now and then or read what moves, and calls that fail.
 */
#ifndef TESTS_RANDOM_CHANGES_H
#define TESTS_RANDOM_CHANGES_H

#include "property/random_checks.h"
#include "support/job_priority.h"
#include "support/settle.h"
#include "support/queue_update.h"

enum { BATCH = 6 };

/* Hooks about nodes that read each kind of field, and some that fail for some nodes or at some times. */
static const char *const policies[] = {
    "", /* none: nothing but the state decides */
    "score = function(job, node) if node.tasks == 3 then error('x') end return node.gpu_free end",
    "score = function(job, node) return 1 / (node.price - 2) + node.cpu_free end",
    "score = function(job, node) return hash(node.name, job.name) * job.waiting end",
    "score = function(job, node, now) return hash(node.name) * (now % 120) - node.tasks end",
    "filter = function(job, node, now) return job.priority > 1 or now % 240 >= 120 end",
    "filter = function(job, node) return job.waiting > 90 or node.labels.disk ~= 'ssd' end",
    "filter = function(job, node) return job.tasks_placed < 2 or node.tasks > 0 end,\n"
    "score = function(job, node) if job.tasks_placed == 2 then error('x') end\n"
    "  return node.gpu_whole_free - node.cpu_free end",
    "filter = function(job, node) if node.gpu_free == 2 then error('x') end return true end",
    "placement = function(job) if job.priority == 3 then return 'tight' end\n"
    "  return job.tasks > 1 and 'spread' or nil end",
    "placement = function(job) return job.waiting > 60 and 'fgd' or 'best-fit' end,\n"
    "score = function(job, node) if hash(node.name) < 0.2 then error('x') end return node.gpu end",
    "quota = function(queue) return { gpu = queue.jobs % 4 } end,\n"
    "priority = function(job) if job.tasks_placed == 1 then error('x') end return job.waiting end",
    "limit = function(queue) if queue.jobs == 6 then error('x') end return { gpu = 5 } end",
};
/* An action that evicts may stand before allocate, and alone: it takes up whom nobody has tried. */
static const char *const pipelines[] = {"'allocate'",
                                        "'allocate', 'reclaim', 'preempt'",
                                        "'allocate', 'consolidate'",
                                        "'drain', 'allocate'",
                                        "'reclaim', 'allocate'",
                                        "'preempt', 'reclaim', 'allocate'",
                                        "'consolidate', 'allocate', 'reclaim'",
                                        "'preempt'"};
enum { PIPELINES = sizeof pipelines / sizeof *pipelines, EVICTS_FIRST = 4 };
static const char *const placements[] = {"binpack", "spread", "fgd", "least-fragmentation"};

struct run {
    struct where at;
    struct world w;
    struct chance chance; /* of what the test does beside the world */
    lsched_cluster *c;
    uint64_t changes, refused;
    int steady; /* no hook is in force: what it says may move with time */
    int evicts_first;
    uint64_t closed; /* the latest step in which a node closed or was removed; 0: none */
};

static void must(const struct run *r, int64_t code, const lsched_error *err) {
    CHECK(&r->at, code >= 0, "%lld %s", (long long)code, err->message);
}

static uint64_t image_of(const lsched_cluster *c) {
    uint64_t hash = 0;
    assert_true(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash, NULL) >= 0);
    return hash;
}

/* ---- changes ---- */

static struct world_node *some_node(struct run *r) {
    struct world_node *n = &r->w.nodes[chance_below(&r->chance, r->w.n_nodes)];
    return n->live ? n : NULL;
}

/* A device is cordoned, fails, is back, or gets other taints. After each change, the verifier counts again. */
static void change_device(struct run *r) {
    struct world_node *n = some_node(r);
    lsched_device_update u[4];
    lsched_taint taints[4];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_device_info d = {.size = sizeof d};
    uint32_t devices = 0, many = 1 + chance_below(&r->chance, 4);
    if (!n) return;
    lsched_id id = lsched_find(r->c, LSCHED_KIND_NODE, world_text(n->name));
    while (lsched_device_get(r->c, id, devices, &d, &err) >= 0) devices++;
    if (devices == 0) return;
    for (uint32_t i = 0; i < many; i++) {
        u[i] = (lsched_device_update)LSCHED_DEVICE_UPDATE_INIT;
        u[i].node = id;
        u[i].set = LSCHED_DEVICE_SET_HEALTH;
        u[i].device = chance_below(&r->chance, devices);
        u[i].health = chance_below(&r->chance, 3);
        if (!r->w.has_rules || !chance_one_in(&r->w.rules, 2)) continue;
        u[i].set = LSCHED_DEVICE_SET_TAINTS;
        random_taint(&r->w.rules, &taints[i]);
        u[i].taints = &taints[i];
        u[i].n_taints = chance_one_in(&r->w.rules, 3) ? 0 : 1;
    }
    must(r, lsched_devices_update(r->c, u, many, sizeof u[0], NULL, NULL, &err), &err);
    must(r, lsched_verify(r->c, NULL, &err), &err);
}

/* Others use more or less of a node, in amounts and devices. */
static void change_foreign(struct run *r) {
    struct chance *c = &r->chance;
    struct world_node *n = some_node(r);
    lsched_foreign_use u = LSCHED_FOREIGN_USE_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount amount[2] = {{LSCHED_CPU, 0, chance_between(c, 0, 40) * 1000},
                               {LSCHED_MEMORY, 0, chance_between(c, 0, 64) * GIB}};
    if (!n) return;
    u.node_name = world_text(n->name);
    u.amounts = amount;
    u.n_amounts = chance_below(c, 3);
    u.device_mask = chance_one_in(c, 2) ? 1u << chance_below(c, 4) : 0;
    if (u.device_mask && r->w.has_wide && chance_one_in(c, 2)) {
        u.device_mask = 0;
        u.device_words[1] = UINT64_C(1) << chance_below(c, 64);
    }
    r->refused += lsched_foreign_set(r->c, &u, 1, sizeof u, NULL, NULL, NULL) < 0;
    must(r, lsched_verify(r->c, NULL, &err), &err);
}

/* A proposed or confirmed task starts on any node, on devices that the library chooses there. */
static void start_elsewhere(struct run *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t cursor = 0, tasks = 0;
    struct world_node *n = some_node(r);
    if (!n) return;
    for (lsched_id job; (job = lsched_next(r->c, LSCHED_KIND_JOB, &cursor)) != 0; tasks = 0) {
        lsched_task_info t = {.size = sizeof t};
        if (lsched_tasks_next(r->c, job, 0, &tasks, &t, NULL) != 1) continue;
        if (t.state != LSCHED_TASK_PROPOSED && t.state != LSCHED_TASK_CONFIRMED) continue;
        if (chance_one_in(&r->chance, 2)) continue;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = job;
        e.task_index = t.task_index;
        e.node_name = world_text(n->name);
        /* the node may have too few devices, or no such instances */
        lsched_tasks_report(r->c, &e, 1, sizeof e, NULL, NULL, &err);
        must(r, lsched_verify(r->c, NULL, &err), &err);
        return;
    }
}

/* An absence that has begun, or begins within ten minutes, for some minutes or for ever; or none. */
static void random_absence(struct run *r, lsched_node_update *u) {
    struct chance *c = &r->chance;
    if (chance_one_in(c, 4)) return;
    u->leaves_us =
        r->w.now_us + (chance_between(c, 0, chance_one_in(c, 2) ? 660 : 6000) - 60) * 1000000;
    if (chance_one_in(c, 6)) return;
    int64_t takes = chance_between(c, 1, 400) * 1000000;
    u->back_us = u->leaves_us + takes;
    if (chance_one_in(c, 3)) u->leaves_every_us = takes + chance_between(c, 1, 900) * 1000000;
}

/* Such a window for one queue, on a node or on all nodes of its rack; or a reservation ends. A node
 * that has an absence or another reservation is in none. */
static void change_reservation(struct run *r, const struct world_node *n) {
    struct chance *c = &r->chance;
    const lsched_label rack = {world_text("rack"), world_text(n->rack)};
    const lsched_text node = world_text(n->name);
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    d.name = chance_one_in(c, 2) ? world_text("night") : world_text("day");
    d.queue_name = world_text(r->w.queues[chance_below(c, r->w.n_queues)].name);
    d.node_names = &node;
    d.n_node_names = 1;
    d.labels = &rack;
    d.n_labels = (uint32_t)chance_one_in(c, 3);
    random_absence(r, &u);
    d.start_us = u.leaves_us;
    d.end_us = u.back_us;
    d.every_us = u.leaves_every_us;
    uint64_t before = image_of(r->c);
    int32_t code = d.start_us ? lsched_reservations_set(r->c, &d, 1, sizeof d, NULL, NULL, NULL)
                              : lsched_reservations_remove(r->c, &d.name, 1, NULL, NULL, NULL);
    if (code < 0) CHECK(&r->at, image_of(r->c) == before, "a refused reservation left something");
    r->refused += code < 0;
}

static void change_node(struct run *r) {
    static const lsched_mig_instance cuts[] = {{{"3g.40gb", 7}, 0, 0}, {{"1g.10gb", 7}, 4, 0}};
    static const int64_t unit[] = {4000, 16 * GIB, 1};
    struct chance *c = &r->chance;
    struct world_node *n = some_node(r);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    if (!n) return;
    u.name = world_text(n->name);
    /* nodes leave in a third of the worlds: they keep most jobs without an estimate from starting */
    u.set = 1u << chance_below(c, r->at.seed % 3 == 1 ? 9 : 8);
    struct chance own = {.state = c->state ^ 0x4e5e}; /* so that other seeds keep their meaning */
    if ((u.set & LSCHED_NODE_SET_ABSENCE) && r->at.seed % 2 && chance_one_in(&own, 2)) {
        change_reservation(r, n);
        return;
    }
    if (u.set & LSCHED_NODE_SET_ABSENCE) random_absence(r, &u);
    lsched_label labels[3] = {
        {world_text("rack"), world_text(n->rack)},
        {world_text("zone"), world_text("z1")},
        {world_text("disk"), world_text(chance_one_in(c, 2) ? "ssd" : "hdd")}};
    lsched_taint taint;
    random_taint(c, &taint);
    lsched_amount amount = n->capacity[chance_below(c, n->desc.n_capacity)];
    amount.amount = chance_between(c, 0, 20) * unit[amount.kind == WORLD_NIC ? 2 : amount.kind - 1];
    u.state = chance_below(c, 3);
    u.capacity = &amount;
    u.n_capacity = 1;
    u.price_micro_per_hour = chance_between(c, 0, 3) * 1000000;
    u.labels = labels;
    u.n_labels = chance_one_in(c, 4) ? 1 : 3;
    u.taints = &taint;
    u.n_taints = chance_below(c, 2);
    u.tasks_max = chance_below(c, 4);
    u.mig_device = chance_below(c, 8);
    u.mig_instances = cuts;
    u.n_mig_instances = chance_below(c, 3);
    uint64_t before = image_of(r->c);
    int32_t code = lsched_nodes_update(r->c, &u, 1, sizeof u, NULL, NULL, NULL);
    if (code < 0) CHECK(&r->at, image_of(r->c) == before, "a refused update left something");
    if (code >= 0 && (u.set & LSCHED_NODE_SET_STATE) && u.state != LSCHED_NODE_READY)
        r->closed = r->at.step;
    r->refused += code < 0;
}

/* A good element before a bad one: everything that the good one did is taken back. */
static void failed_call(struct run *r) {
    struct world_node *n = some_node(r);
    if (!n) return;
    lsched_node_update u[2] = {LSCHED_NODE_UPDATE_INIT, LSCHED_NODE_UPDATE_INIT};
    u[0].name = world_text(n->name);
    u[0].set = LSCHED_NODE_SET_LABELS | LSCHED_NODE_SET_TAINTS | LSCHED_NODE_SET_STATE;
    u[0].state = LSCHED_NODE_CORDONED;
    u[1].name = world_text("no such node");
    lsched_node_desc d[2] = {r->w.nodes[0].desc, r->w.nodes[0].desc};
    d[0].name = d[1].name = world_text("never there");
    uint64_t before = image_of(r->c);
    int32_t code;
    if (chance_one_in(&r->chance, 2) && r->w.n_jobs < WORLD_JOBS) { /* all that a job may have */
        lsched_job_desc j[2];
        j[0] = j[1] = r->w.jobs[world_new_job(&r->w)].desc;
        j[1].queue_name = world_text("no such queue");
        code = lsched_jobs_submit(r->c, j, 2, sizeof j[0], NULL, NULL, NULL, NULL);
    } else {
        code = chance_one_in(&r->chance, 2)
                   ? lsched_nodes_update(r->c, u, 2, sizeof u[0], NULL, NULL, NULL)
                   : lsched_nodes_add(r->c, d, 2, sizeof d[0], NULL, NULL, NULL, NULL);
    }
    CHECK(&r->at, image_of(r->c) == before, "a failed call left something");
    r->refused += code < 0;
}

static void add_or_remove_node(struct run *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct world_node *n = some_node(r);
    if (n && chance_one_in(&r->chance, 2)) {
        lsched_id id = find_by(r->c, LSCHED_KIND_NODE, n->name);
        must(r, lsched_nodes_remove(r->c, &id, 1, NULL, NULL, &err), &err);
        n->live = 0;
        r->closed = r->at.step;
        return;
    }
    if (r->w.n_nodes == WORLD_NODES) return;
    n = &r->w.nodes[world_new_node(&r->w)];
    must(r, lsched_nodes_add(r->c, &n->desc, 1, sizeof n->desc, NULL, NULL, NULL, &err), &err);
    n->live = 1;
}

static void change_queue(struct run *r) {
    struct world_queue *q = &r->w.queues[chance_below(&r->chance, r->w.n_queues)];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id id = find_by(r->c, LSCHED_KIND_QUEUE, q->name);
    world_queue_numbers(&r->w, q);
    must(r, queue_update_all(r->c, id, &q->desc, &err), &err);
}

static void submit(struct run *r) {
    uint32_t n = 1 + chance_below(&r->chance, BATCH);
    for (uint32_t i = 0; i < n && r->w.n_jobs < WORLD_JOBS; i++) {
        struct world_job *j = &r->w.jobs[world_new_job(&r->w)];
        lsched_error err = LSCHED_ERROR_INIT;
        must(r, lsched_jobs_submit(r->c, &j->desc, 1, sizeof j->desc, NULL, NULL, NULL, &err),
             &err);
        j->live = 1;
    }
}

static lsched_id some_job(struct run *r) {
    uint64_t cursor = 0;
    lsched_id id = 0;
    for (uint32_t i = chance_below(&r->chance, 20) + 1; i > 0; i--) {
        lsched_id next = lsched_next(r->c, LSCHED_KIND_JOB, &cursor);
        if (!next) break;
        id = next;
    }
    return id;
}

static void change_job(struct run *r) {
    lsched_id id = some_job(r);
    int32_t priority = (int32_t)chance_below(&r->chance, 5);
    if (!id) return;
    if (chance_one_in(&r->chance, 3))
        lsched_jobs_remove(r->c, &id, 1, NULL, NULL, NULL);
    else
        job_priority_set(r->c, id, priority, NULL);
}

/* Tasks start, end, fail; decisions are refused. What does not fit the state is refused, which is a change, too. */
static void report(struct run *r) {
    lsched_id job = some_job(r);
    for (int i = 0; job && i < 4; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = job;
        e.task_index = chance_below(&r->chance, 4);
        e.event = 1 + chance_below(&r->chance, 3);
        r->refused += lsched_tasks_report(r->c, &e, 1, sizeof e, NULL, NULL, NULL) < 0;
    }
}

static void settle(struct run *r) {
    uint64_t cursor = 0;
    lsched_id id;
    for (int i = 0; i < 8 && (id = lsched_next(r->c, LSCHED_KIND_DECISION, &cursor)) != 0; i++) {
        lsched_outcome o =
            chance_one_in(&r->chance, 4) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        if (chance_one_in(&r->chance, 2)) settle_each(r->c, &id, &o, 1, NULL, NULL);
    }
}

static void import(struct run *r) {
    struct world_node *n = some_node(r);
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    t.job = some_job(r);
    if (!n || !t.job) return;
    t.node_name = world_text(n->name);
    t.task_index = chance_below(&r->chance, 3);
    t.start_us = r->w.now_us - 1000000;
    r->refused += lsched_tasks_import(r->c, &t, 1, sizeof t, NULL, NULL, NULL) < 0;
}

static void load_policy(struct run *r) {
    struct chance *c = &r->chance;
    char text[2048];
    uint32_t pipeline = chance_below(c, PIPELINES);
    uint32_t which = chance_one_in(c, 3) ? 0 : chance_below(c, sizeof policies / sizeof *policies);
    snprintf(
        text, sizeof text,
        "return { api = 1, name = 'p', fair_share = '%s', placement = '%s', pipeline = { %s },\n%s }",
        chance_one_in(c, 2) ? "quota" : "drf", placements[chance_below(c, 4)], pipelines[pipeline],
        policies[which]);
    lsched_policy_opts o = {.size = sizeof o, .failures_max = 1 + chance_below(c, 8)};
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = lsched_policy_load(r->c, LSCHED_TEXT("p"), lsched_cstr(text), &o, &err);
    if (code == LSCHED_E_NOLUA) return; /* the rest of the test stands */
    must(r, code, &err);
    r->steady = which == 0;
    r->evicts_first = pipeline >= EVICTS_FIRST;
}

static const struct {
    const char *name;
    uint32_t weight;
    void (*run)(struct run *r);
} changes[] = {
    {"node", 14, change_node},       {"device", 10, change_device},
    {"foreign", 5, change_foreign},  {"start elsewhere", 6, start_elsewhere},
    {"failed call", 3, failed_call}, {"node set", 3, add_or_remove_node},
    {"queue", 4, change_queue},      {"submit", 10, submit},
    {"job", 4, change_job},          {"report", 10, report},
    {"settle", 8, settle},           {"import", 3, import},
    {"policy", 3, load_policy},
};

/* A cluster with the queues and nodes of a random world, and some jobs. opts: NULL, or of the cluster. */
static void begin_world(struct run *r, uint64_t seed, const lsched_cluster_opts *opts,
                        void (*made)(struct run *r)) {
    static const lsched_text levels[] = {{"zone", 4}, {"rack", 4}};
    lsched_error err = LSCHED_ERROR_INIT;
    r->at = (struct where){seed, 0, "begin"};
    world_init(&r->w, seed);
    r->chance.state = seed ^ 0xcac4e;
    r->closed = 0;
    r->steady = 1;
    must(r, lsched_cluster_create(opts, &r->c, &err), &err);
    made(r);
    if (r->w.has_nic) must(r, lsched_resource_add(r->c, LSCHED_TEXT("nic"), &err), &err);
    if (r->w.has_models) must(r, world_add_parts(r->c, &err), &err);
    lsched_topology_desc site = LSCHED_TOPOLOGY_DESC_INIT;
    site.name = world_text("site");
    site.levels = levels;
    site.n_levels = 2;
    if (r->w.has_topology)
        must(r, lsched_topologies_add(r->c, &site, 1, sizeof site, NULL, NULL, NULL, &err), &err);
    for (uint32_t q = 0; q < r->w.n_queues; q++) {
        must(r,
             lsched_queues_add(r->c, &r->w.queues[q].desc, 1, sizeof r->w.queues[q].desc, NULL,
                               NULL, NULL, &err),
             &err);
        r->w.queues[q].live = 1;
    }
    for (uint32_t n = 0; n < r->w.n_nodes; n++) {
        must(r,
             lsched_nodes_add(r->c, &r->w.nodes[n].desc, 1, sizeof r->w.nodes[n].desc, NULL, NULL,
                              NULL, &err),
             &err);
        r->w.nodes[n].live = 1;
    }
    if (seed % 4) load_policy(r);
    submit(r);
}

/* One random change. */
static void change_some(struct run *r) {
    uint32_t total = 0;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) total += changes[i].weight;
    uint32_t drawn = chance_below(&r->chance, total);
    size_t i = 0;
    while (drawn >= changes[i].weight) drawn -= changes[i++].weight;
    r->at.event = changes[i].name;
    changes[i].run(r);
    r->changes++;
}

#endif
