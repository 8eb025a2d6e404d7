/*
 * evict_world.h -- clusters in which queues take work from each other, for property tests: a
 * random tree of queues with guarantees, nodes of eight GPUs, jobs of one leaf, and a host that
 * does as plans say.
 *
 * The host's part is played by evict_obey(): what is confirmed starts, what is to stop stops.
 * evict_settle_down() repeats that until a plan has nothing in it, and fails if that does not
 * come.
 */
#ifndef TESTS_EVICT_WORLD_H
#define TESTS_EVICT_WORLD_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "api/calls/skip_check.h"
#include "engine/state/cache_check.h"
#include "property/random_days.h"
#include "support/settle.h"
#include "support/queue_update.h"

#define EV_QUEUES  16u
#define EV_JOBS    160u
#define EV_NODES   16u
#define EV_GPUS    8u /* per node */
#define EV_HOUR_US INT64_C(3600000000)

struct ev_job {
    lsched_id id;
    uint32_t queue, max, min, gpus, flags;
    int32_t priority;
    int live;
    uint32_t models; /* bit 0: some of its tasks may be on H100s, bit 1: on A100s */
};

struct ev_queue {
    lsched_id id;
    uint32_t parent, depth, children; /* parent: index or EV_QUEUES */
    int64_t quota, limit;             /* GPUs; -1: unlimited */
};

/* What a world may have; each member that is 0 is left out. */
struct ev_options {
    int one_gpu;    /* all tasks are of one GPU */
    int no_gangs;   /* one task per job */
    int limits;     /* of queues */
    int waits;      /* minimum run times, delays, rates, disruption budgets */
    int firm;       /* non-preemptible and interactive jobs, and such as never preempt */
    int trees;      /* jobs of several leaves */
    int scarce;     /* quotas may add up to more than there is */
    int lend;       /* lend limits */
    int zero_quota; /* no quotas at all */
    int parts;      /* quotas and limits of a model and of a pool */
    int inside;     /* nodes with links, NUMA nodes and network cards, tasks that ask for them */
    int days;       /* tasks ask for memory, many of them for more or less of it by the hour */
    int ends;       /* time limits, backoff after failures, failures after which a job rests */
    int held;       /* the orchestrator holds jobs and releases them */
    int saves;      /* jobs that write a checkpoint when they are asked */
    int leaves;     /* estimates and limits of jobs, for nodes that leave (ev_absence) */
    const lsched_cluster_opts *cluster; /* NULL: the defaults */
};

struct ev_world {
    uint64_t seed;
    uint32_t step;
    struct ev_options o;
    struct chance chance;
    lsched_cluster *c;
    int64_t now_us;
    uint32_t n_queues, n_jobs, n_nodes, made_nodes;
    struct ev_queue queue[EV_QUEUES];
    struct ev_job job[EV_JOBS];
    lsched_id node[EV_NODES];
    uint32_t h100[EV_NODES], spot[EV_NODES]; /* the first devices, by number; in the pool */
    lsched_device_request asks[5];           /* of the job in hand, by group */
    struct random_day curve[5];              /* likewise */
    uint64_t evictions, moves, nominations, places, cycles;
};

#define EV_CHECK(w, condition, ...)                                                          \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            print_error("seed %llu step %u: %s\n", (unsigned long long)(w)->seed, (w)->step, \
                        #condition);                                                         \
            fail_msg(__VA_ARGS__);                                                           \
        }                                                                                    \
    } while (0)

static inline void ev_must(const struct ev_world *w, int32_t code, const lsched_error *err) {
    EV_CHECK(w, code >= 0, "%d %s", code, err->message);
}

/* ---- building ---- */

/* Islands of two or four, two NUMA nodes of few cores, two or three cards; or all links equal. */
static inline void ev_inside(struct ev_world *w, lsched_machine_desc *m) {
    static lsched_link links[EV_GPUS * EV_GPUS], nic_links[3 * EV_GPUS];
    static uint8_t device_numa[EV_GPUS], nic_numa[] = {0, 1, LSCHED_NO_NUMA};
    static lsched_numa_desc numa[2];
    static const lsched_text nics[] = {LSCHED_TEXT_INIT("a"), LSCHED_TEXT_INIT("b"),
                                       LSCHED_TEXT_INIT("c")};
    uint32_t island = 2u << chance_below(&w->chance, 3);
    for (uint32_t i = 0; i < EV_GPUS; i++) {
        device_numa[i] = (uint8_t)(i * 2 / EV_GPUS);
        for (uint32_t j = 0; j < EV_GPUS; j++)
            links[i * EV_GPUS + j].kind = i == j                     ? LSCHED_LINK_SELF
                                          : i / island == j / island ? LSCHED_LINK_NVLINK
                                                                     : LSCHED_LINK_SYS;
        for (uint32_t c = 0; c < 3; c++)
            nic_links[c * EV_GPUS + i].kind = i % 3 == c ? LSCHED_LINK_PIX : LSCHED_LINK_SYS;
    }
    for (uint32_t a = 0; a < 2; a++)
        numa[a] = (lsched_numa_desc){1000 * chance_between(&w->chance, 2, 5), INT64_C(1) << 39};
    *m = (lsched_machine_desc)LSCHED_MACHINE_DESC_INIT;
    m->n_devices = EV_GPUS;
    m->links = links;
    m->device_numa = device_numa;
    m->numa = numa;
    m->n_numa = 2;
    m->nics = nics;
    m->nic_numa = nic_numa;
    m->nic_links = nic_links;
    m->n_nics = 2 + chance_below(&w->chance, 2);
}

static inline void ev_add_node(struct ev_world *w) {
    char name[16];
    snprintf(name, sizeof name, "n%u", w->made_nodes++);
    lsched_amount capacity[] = {{LSCHED_CPU, 0, 640000}, {LSCHED_MEMORY, 0, INT64_C(1) << 40}};
    lsched_device_desc device = LSCHED_DEVICE_DESC_INIT;
    device.count = EV_GPUS;
    device.model = LSCHED_TEXT("H100");
    device.memory_bytes = INT64_C(80) << 30;
    lsched_device_desc devices[2] = {device, device};
    lsched_label label = {LSCHED_TEXT("tier"), LSCHED_TEXT("spot")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = (lsched_text){name, strlen(name)};
    node.capacity = capacity;
    node.n_capacity = 2;
    node.devices = devices;
    node.n_devices = 1;
    if (w->o.parts) { /* of two models, or one; in the pool, or not */
        devices[0].count = chance_below(&w->chance, 3) * (EV_GPUS / 2);
        devices[1].count = EV_GPUS - devices[0].count;
        devices[1].model = LSCHED_TEXT("A100");
        node.n_devices = devices[1].count ? 2 : 1;
        if (devices[0].count == 0) node.devices = &devices[node.n_devices = 1];
        node.labels = &label;
        node.n_labels = (uint32_t)chance_one_in(&w->chance, 2);
    }
    w->h100[w->n_nodes] = w->o.parts ? devices[0].count : EV_GPUS;
    w->spot[w->n_nodes] = node.n_labels;
    lsched_machine_desc machine;
    if (w->o.inside && !chance_one_in(&w->chance, 6)) {
        ev_inside(w, &machine);
        node.machine = &machine;
    }
    lsched_error err = LSCHED_ERROR_INIT;
    ev_must(w,
            lsched_nodes_add(w->c, &node, 1, sizeof node, NULL, &w->node[w->n_nodes], NULL, &err),
            &err);
    w->n_nodes++;
}

/* Makes the absence of the update the window of a reservation for some queue. Without an absence,
 * the reservation of the node ends. */
static inline void ev_reservation(struct ev_world *w, const lsched_node_update *u) {
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name.ptr = lsched_name(w->c, u->node, &d.name.len); /* one for each node */
    d.queue = w->queue[chance_below(&w->chance, w->n_queues)].id;
    d.nodes = &u->node;
    d.n_nodes = 1;
    d.start_us = u->leaves_us;
    d.end_us = u->back_us;
    d.every_us = u->leaves_every_us;
    int is_over = d.end_us && !d.every_us && d.end_us <= w->now_us;
    if (d.start_us && !is_over) {
        int32_t code = lsched_reservations_set(w->c, &d, 1, sizeof d, NULL, NULL, &err);
        if (code != LSCHED_E_LIMIT) ev_must(w, code, &err); /* of the queue */
    } else {
        ev_must(w, lsched_reservations_remove(w->c, &d.name, 1, &opts, NULL, &err), &err);
    }
}

/* A node is to leave, is away, or stays; once, again and again, or for ever. In a third
 * of the worlds, it is reserved instead. */
static inline void ev_absence(struct ev_world *w) {
    const int64_t minute = EV_HOUR_US / 60;
    struct chance *c = &w->chance;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w->node[chance_below(c, w->n_nodes)];
    u.set = LSCHED_NODE_SET_ABSENCE;
    if (!chance_one_in(c, 5)) {
        int64_t takes = chance_between(c, 1, 8 * 60) * minute / 60;
        u.leaves_us = w->now_us + chance_between(c, -120, 600) * minute / 60;
        if (!chance_one_in(c, 6)) u.back_us = u.leaves_us + takes;
        if (u.back_us && !chance_one_in(c, 3))
            u.leaves_every_us = takes + chance_between(c, 1, 10 * 60) * minute / 60;
    }
    if (w->seed % 3 == 0)
        ev_reservation(w, &u);
    else
        ev_must(w, lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &err), &err);
}

static inline uint32_t ev_kinds(const struct ev_world *w, uint32_t q, lsched_amount *quota,
                                lsched_amount *limit) {
    uint32_t bits = 0;
    if (w->queue[q].quota != 0) {
        *quota = (lsched_amount){
            LSCHED_GPU, 0, w->queue[q].quota < 0 ? LSCHED_UNLIMITED : w->queue[q].quota * 1000};
        bits |= 1;
    }
    if (w->queue[q].limit >= 0) {
        *limit = (lsched_amount){LSCHED_GPU, 0, w->queue[q].limit * 1000};
        bits |= 2;
    }
    return bits;
}

enum { EV_PARTS = 2, EV_AMOUNTS = 4 + 2 * (1 + EV_PARTS) };

static inline void ev_add_parts(struct ev_world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_label label = {LSCHED_TEXT("tier"), LSCHED_TEXT("spot")};
    lsched_pool_desc pool = LSCHED_POOL_DESC_INIT;
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    pool.name = LSCHED_TEXT("spot");
    pool.labels = &label;
    pool.n_labels = 1;
    ev_must(w, lsched_pools_add(w->c, &pool, 1, sizeof pool, NULL, NULL, &err), &err);
    part.name = LSCHED_TEXT("gpu:spot");
    part.pool = pool.name;
    ev_must(w, lsched_resource_add_part(w->c, &part, &err), &err);
    part.name = LSCHED_TEXT("gpu:H100");
    part.pool = (lsched_text){"", 0};
    part.model = LSCHED_TEXT("H100");
    ev_must(w, lsched_resource_add_part(w->c, &part, &err), &err);
}

/* Amounts of parts behind those of gpu, each list in one piece. */
static inline void ev_describe_parts(struct ev_world *w, lsched_queue_desc *d,
                                     lsched_amount *amounts) {
    struct chance *c = &w->chance;
    lsched_amount *quota = &amounts[4], *limit = &amounts[5 + EV_PARTS];
    uint32_t quotas = d->n_quota, limits = d->n_limit;
    if (quotas) quota[0] = amounts[0];
    if (limits) limit[0] = amounts[1];
    for (uint32_t p = 0; p < EV_PARTS; p++) {
        uint32_t kind = LSCHED_RESOURCE_KINDS_MAX + p;
        if (chance_one_in(c, 2))
            quota[quotas++] = (lsched_amount){kind, 0, chance_between(c, 0, 12) * 1000};
        if (w->o.limits && chance_one_in(c, 6))
            limit[limits++] = (lsched_amount){kind, 0, chance_between(c, 1, 16) * 1000};
    }
    d->quota = quota;
    d->n_quota = quotas;
    d->limit = limit;
    d->n_limit = limits;
}

static inline void ev_describe(struct ev_world *w, uint32_t q, lsched_queue_desc *d,
                               lsched_amount *amounts) {
    struct chance *c = &w->chance;
    uint32_t bits = ev_kinds(w, q, &amounts[0], &amounts[1]);
    lsched_init(d, sizeof *d);
    d->quota = &amounts[0];
    d->n_quota = bits & 1;
    d->limit = &amounts[1];
    d->n_limit = bits >> 1;
    d->priority = chance_one_in(c, 6) ? 1 : 0;
    amounts[2] = (lsched_amount){LSCHED_GPU, 0, chance_between(c, 1, 4) * 1000};
    if (w->o.parts) ev_describe_parts(w, d, amounts);
    d->weight_milli = &amounts[2];
    d->n_weight = (uint32_t)chance_one_in(c, 3);
    amounts[3] = (lsched_amount){LSCHED_GPU, 0, chance_between(c, 0, 4) * 1000};
    d->lend_limit = &amounts[3];
    d->n_lend_limit = (uint32_t)(w->o.lend && chance_one_in(c, 5));
    if (w->o.waits && chance_one_in(c, 4)) d->reclaim_min_runtime_us = EV_HOUR_US / 60;
    if (w->o.waits && chance_one_in(c, 4)) d->preempt_min_runtime_us = EV_HOUR_US / 30;
    if (w->o.waits && chance_one_in(c, 6)) d->preemption_delay_us = EV_HOUR_US / 120;
}

static inline int64_t ev_random_quota(struct ev_world *w) {
    struct chance *c = &w->chance;
    int64_t most = (int64_t)w->n_nodes * EV_GPUS;
    if (w->o.zero_quota || chance_one_in(c, 5)) return 0;
    if (chance_one_in(c, 12)) return -1;
    return chance_between(c, 0, w->o.scarce ? most : most / w->n_queues + 1);
}

static inline void ev_add_queues(struct ev_world *w) {
    struct chance *c = &w->chance;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t n = 2 + chance_below(c, EV_QUEUES - 2);
    w->n_queues = n;
    for (uint32_t q = 0; q < n; q++) {
        char name[16], parent[16];
        lsched_queue_desc d;
        lsched_amount amounts[EV_AMOUNTS];
        uint32_t p = q && !chance_one_in(c, 3) ? chance_below(c, q) : EV_QUEUES;
        if (p != EV_QUEUES && w->queue[p].depth >= 4) p = EV_QUEUES;
        w->queue[q] = (struct ev_queue){
            .parent = p, .depth = p == EV_QUEUES ? 0 : w->queue[p].depth + 1, .limit = -1};
        w->queue[q].quota = ev_random_quota(w);
        if (w->o.limits && chance_one_in(c, 4)) w->queue[q].limit = chance_between(c, 1, 24);
        ev_describe(w, q, &d, amounts);
        snprintf(name, sizeof name, "q%u", q);
        d.name = (lsched_text){name, strlen(name)};
        d.created_us = 1 + (int64_t)chance_below(c, 3);
        if (p != EV_QUEUES) {
            snprintf(parent, sizeof parent, "q%u", p);
            d.parent_name = (lsched_text){parent, strlen(parent)};
            w->queue[p].children++;
        }
        ev_must(w, lsched_queues_add(w->c, &d, 1, sizeof d, NULL, &w->queue[q].id, NULL, &err),
                &err);
    }
}

static inline void ev_update_queue(struct ev_world *w) {
    lsched_queue_desc d;
    lsched_amount amounts[EV_AMOUNTS];
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t q = chance_below(&w->chance, w->n_queues);
    w->queue[q].quota = ev_random_quota(w);
    ev_describe(w, q, &d, amounts);
    ev_must(w, queue_update_all(w->c, w->queue[q].id, &d, &err), &err);
}

/* The same GPUs, asked for with wishes about where they are. */
static inline void ev_wish(struct ev_world *w, const struct ev_job *job, lsched_group_desc *g,
                           lsched_device_request *ask) {
    struct chance *c = &w->chance;
    *ask = (lsched_device_request)LSCHED_DEVICE_REQUEST_INIT;
    ask->devices = job->gpus;
    ask->numa = chance_below(c, 3);
    ask->nics = chance_one_in(c, 3) ? 1 : 0;
    if (chance_one_in(c, 3)) ask->link = LSCHED_LINK_NVLINK;
    g->n_request = 1; /* without gpu: the request says it */
    g->device_requests = ask;
    g->n_device_requests = 1;
}

/* One leaf as described; or a tree of equal leaves, of which it needs one or all, within a larger
 * group or not. */
static inline uint32_t ev_groups(struct ev_world *w, const struct ev_job *job,
                                 const lsched_amount *request, lsched_group_desc *g) {
    static const lsched_text models[] = {LSCHED_TEXT_INIT("H100"), LSCHED_TEXT_INIT("A100")};
    struct chance *c = &w->chance;
    uint32_t n = w->o.trees && chance_one_in(c, 4) ? 3 + 2 * chance_below(c, 2) : 1;
    for (uint32_t i = 0; i < n; i++) {
        lsched_init(&g[i], sizeof g[i]);
        g[i].parent = i > 2 ? 2 : 0; /* 0 { 1, 2 } or 0 { 1, 2 { 3, 4 } } */
        if (i == 0 && n > 1) g[i].min_groups = chance_below(c, 3);
        if (i == 2 && n > 3) g[i].min_groups = chance_below(c, 3);
        if ((i == 0 && n > 1) || (i == 2 && n > 3)) continue;
        g[i].max_count = job->max;
        g[i].min_count = job->min ? job->min : LSCHED_MIN_NONE;
        g[i].request = request;
        g[i].n_request = w->o.days ? 3 : 2;
        if (w->o.days && !chance_one_in(c, 3)) random_day_task(c, &g[i], &w->curve[i]);
        if (w->o.parts && chance_one_in(c, 3)) {
            g[i].device_models = &models[chance_below(c, 2)];
            g[i].n_device_models = 1;
        }
        if (w->o.inside && chance_one_in(c, 2)) ev_wish(w, job, &g[i], &w->asks[i]);
    }
    return n;
}

/* The models that the group's tasks may be on: bits as in struct ev_job. */
static inline uint32_t ev_models(const lsched_group_desc *g) {
    if (g->n_request == 0 && g->n_device_requests == 0) return 0; /* no leaf */
    if (g->n_device_models == 0) return 3;
    return g->device_models[0].ptr[0] == 'H' ? 1 : 2;
}

/* Submit a job as described; its id goes into *job. */
static inline void ev_submit(struct ev_world *w, struct ev_job *job, const char *name) {
    lsched_amount request[] = {
        {LSCHED_CPU, 0, 1000}, {LSCHED_GPU, 0, job->gpus * 1000}, {LSCHED_MEMORY, 0, 0}};
    if (w->o.days) request[2].amount = chance_between(&w->chance, 1, 8) << 37; /* a node: 8 */
    lsched_group_desc group[5];
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    d.name = (lsched_text){name, strlen(name)};
    d.queue = w->queue[job->queue].id;
    d.groups = group;
    d.n_groups = ev_groups(w, job, request, group);
    for (uint32_t i = 0; i < d.n_groups; i++) job->models |= ev_models(&group[i]);
    d.flags = job->flags;
    d.priority = job->priority;
    d.submit_us = w->now_us;
    d.checkpoint_period_us = chance_one_in(&w->chance, 3) ? EV_HOUR_US : 0;
    if (w->o.waits && chance_one_in(&w->chance, 8)) d.disruptions_max = 1;
    if (chance_one_in(&w->chance, 6))
        d.release_us = (int64_t)chance_between(&w->chance, 1, 200) * 1000000;
    if (w->o.saves && chance_one_in(&w->chance, 2))
        d.checkpoint_us = (int64_t)chance_between(&w->chance, 1, 300) * 1000000;
    if (w->o.leaves && !chance_one_in(&w->chance, 5))
        d.duration_us = EV_HOUR_US / 60 * chance_between(&w->chance, 1, 6);
    if (w->o.leaves && chance_one_in(&w->chance, 4))
        d.time_limit_us = EV_HOUR_US / 60 * chance_between(&w->chance, 1, 12);
    if (w->o.ends && chance_one_in(&w->chance, 4)) d.time_limit_us = EV_HOUR_US / 30;
    if (w->o.ends && chance_one_in(&w->chance, 3)) d.backoff_us = EV_HOUR_US / 60;
    if (w->o.ends && chance_one_in(&w->chance, 8)) d.retries_max = 2;
    ev_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &job->id, NULL, &err), &err);
    job->live = 1;
}

static inline uint32_t ev_random_leaf(struct ev_world *w) {
    for (;;) {
        uint32_t q = chance_below(&w->chance, w->n_queues);
        if (w->queue[q].children == 0) return q;
    }
}

static inline void ev_random_job(struct ev_world *w) {
    static const uint32_t sizes[] = {1, 1, 1, 2, 4, 8};
    struct chance *c = &w->chance;
    if (w->n_jobs == EV_JOBS) return;
    struct ev_job *job = &w->job[w->n_jobs];
    char name[16];
    snprintf(name, sizeof name, "j%u", w->n_jobs++);
    *job = (struct ev_job){.queue = ev_random_leaf(w), .max = 1, .min = 1, .gpus = 1};
    if (!w->o.one_gpu) job->gpus = sizes[chance_below(c, 6)];
    if (!w->o.no_gangs && chance_one_in(c, 3)) {
        job->max = 1 + chance_below(c, 6);
        job->min = chance_one_in(c, 2) ? job->max : chance_below(c, job->max + 1);
    }
    job->priority = chance_one_in(c, 3) ? (int32_t)chance_below(c, 3) : 0;
    if (w->o.firm && chance_one_in(c, 6)) job->flags |= LSCHED_JOB_NON_PREEMPTIBLE;
    if (w->o.firm && chance_one_in(c, 8)) job->flags |= LSCHED_JOB_INTERACTIVE;
    if (w->o.firm && chance_one_in(c, 8)) job->flags |= LSCHED_JOB_NEVER_PREEMPTS;
    ev_submit(w, job, name);
}

static inline void ev_policy(struct ev_world *w, const char *share, const char *pipeline,
                             const char *eviction) {
    char text[1024];
    lsched_error err = LSCHED_ERROR_INIT;
    int n = snprintf(text, sizeof text,
                     "return { api = 1, name = 'evicts', fair_share = '%s',\n"
                     "  pipeline = { %s },\n  eviction = { %s } }\n",
                     share, pipeline, eviction);
    ev_must(
        w,
        lsched_policy_load(w->c, LSCHED_TEXT("evicts"), (lsched_text){text, (size_t)n}, NULL, &err),
        &err);
}

#define EV_PIPELINE "'allocate', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs'"

static inline void ev_begin(struct ev_world *w, uint64_t seed, struct ev_options o) {
    lsched_error err = LSCHED_ERROR_INIT;
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->chance.state = seed;
    w->o = o;
    w->now_us = INT64_C(1700000000000000);
    ev_must(w, lsched_cluster_create(o.cluster, &w->c, &err), &err);
    cache_check_on(w->c);
    skip_check_on(w->c, chance_skips());
    if (w->o.parts) ev_add_parts(w);
    for (uint32_t n = 1 + chance_below(&w->chance, 6); n > 0; n--) ev_add_node(w);
    ev_add_queues(w);
}

static inline void ev_end(struct ev_world *w) {
    lsched_cluster_destroy(w->c);
}

/* ---- cycles ---- */

static inline void ev_print(const struct ev_world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        size_t a = 0, b = 0, n = 0;
        const char *job = lsched_name(w->c, d->job, &a), *node = lsched_name(w->c, d->node, &b),
                   *other = d->for_job ? lsched_name(w->c, d->for_job, &n) : "";
        print_message("  %zu: group %llu kind %u reason %u job %.*s task %u node %.*s for %.*s\n",
                      i, (unsigned long long)d->group, d->kind, d->reason, (int)a, job,
                      d->task_index, (int)b, node, (int)n, other);
    }
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        lsched_job_info info = {.size = sizeof info};
        if (!w->job[j].live || lsched_job_get(w->c, w->job[j].id, &info, NULL) < 0) continue;
        print_message("  j%u: queue q%u %u..%u x %u GPUs priority %d flags %u: %u placed %u run %u "
                      "done%s\n",
                      j, w->job[j].queue, w->job[j].min, w->job[j].max, w->job[j].gpus,
                      w->job[j].priority, w->job[j].flags, info.tasks_placed, info.tasks_running,
                      info.tasks_done, info.stale_gang ? ", stale" : "");
    }
    for (uint32_t q = 0; q < w->n_queues; q++) {
        lsched_queue_share s = {.size = sizeof s};
        lsched_queue_share_get(w->c, w->queue[q].id, LSCHED_GPU, &s, NULL);
        print_message(
            "  q%u below %d: quota %lld limit %lld: uses %lld, guaranteed %lld, fair %lld\n", q,
            w->queue[q].parent == EV_QUEUES ? -1 : (int)w->queue[q].parent,
            (long long)w->queue[q].quota, (long long)w->queue[q].limit, (long long)s.used,
            (long long)s.guarantee, (long long)s.fair_share);
        for (uint32_t p = 0; w->o.parts && p < EV_PARTS; p++) {
            uint32_t kind = LSCHED_RESOURCE_KINDS_MAX + p;
            int64_t used = 0, quota = 0;
            lsched_queue_amount(w->c, w->queue[q].id, kind, &used, &quota, NULL, NULL);
            print_message("    uses %lld of %lld %s\n", (long long)used, (long long)quota,
                          lsched_resource_name(w->c, kind));
        }
    }
}

static inline lsched_plan *ev_cycle(struct ev_world *w, lsched_cluster *c) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = w->now_us;
    ev_must(w, lsched_schedule(c, &opts, &plan, &err), &err);
    int32_t rc = lsched_verify(c, plan, &err);
    if (rc < 0) ev_print(w, plan);
    ev_must(w, rc, &err);
    return plan;
}

static inline void ev_tally(struct ev_world *w, const lsched_plan *plan) {
    w->cycles++;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        uint32_t kind = lsched_plan_at(plan, i)->kind;
        w->evictions += kind == LSCHED_DECIDE_EVICT;
        w->moves += kind == LSCHED_DECIDE_MIGRATE;
        w->nominations += kind == LSCHED_DECIDE_NOMINATE;
        w->places += kind == LSCHED_DECIDE_PLACE;
    }
}

static inline uint64_t ev_stops(const lsched_plan *plan) {
    uint64_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        n += (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE) &&
             d->reason != LSCHED_FOR_STALE_GANG;
    }
    return n;
}

static inline void ev_settle_all(struct ev_world *w, const lsched_plan *plan,
                                 lsched_outcome outcome) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        lsched_id id = lsched_plan_at(plan, i)->id;
        lsched_error err = LSCHED_ERROR_INIT;
        if (lsched_decision_state(w->c, id, NULL) != LSCHED_DECISION_PROPOSED) continue;
        ev_must(w, settle_each(w->c, &id, &outcome, 1, NULL, &err), &err);
    }
}

static inline int32_t ev_report(struct ev_world *w, lsched_id job, uint32_t index, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    e.event = event;
    e.job = job;
    e.task_index = index;
    int32_t rc = lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err);
    ev_must(w, rc, &err);
    return rc;
}

/* What tasks on nodes are in one state (bit set): collected first, as reports change the lists. */
static inline uint32_t ev_tasks(const struct ev_world *w, uint32_t states, lsched_task_info *out,
                                uint32_t cap) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        while (n < cap && lsched_tasks_next(w->c, 0, w->node[i], &cursor, &t, NULL) == 1)
            if (states >> t.state & 1) out[n++] = t;
    }
    return n;
}

#define EV_TASKS (EV_NODES * EV_GPUS * 2)

/* What is confirmed starts; what was told to stop has stopped. */
static inline void ev_obey(struct ev_world *w) {
    lsched_task_info t[EV_TASKS];
    uint32_t n = ev_tasks(w, 1u << LSCHED_TASK_RELEASING, t, EV_TASKS);
    for (uint32_t i = 0; i < n; i++) ev_report(w, t[i].job, t[i].task_index, LSCHED_EVENT_FAILED);
    n = ev_tasks(w, 1u << LSCHED_TASK_CONFIRMED, t, EV_TASKS);
    for (uint32_t i = 0; i < n; i++) ev_report(w, t[i].job, t[i].task_index, LSCHED_EVENT_STARTED);
}

static inline uint64_t ev_image(const lsched_cluster *c) {
    uint64_t hash = 0;
    assert_true(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash, NULL) >= 0);
    return hash;
}

/* Cycles with everything done as told, until `quiet` of them in a row have nothing in their
 * plans. Returns how many there were. */
static inline uint32_t ev_settle_down(struct ev_world *w, uint32_t quiet, int64_t step_us) {
    uint32_t n = 0, still = 0;
    for (; still < quiet; n++) {
        w->now_us += step_us;
        lsched_plan *plan = ev_cycle(w, w->c);
        if (n > 194 + quiet) ev_print(w, plan); /* what goes to and fro */
        EV_CHECK(w, n < 200 + quiet, "%u cycles and no rest", n);
        still = lsched_plan_size(plan) ? 0 : still + 1;
        ev_tally(w, plan);
        ev_settle_all(w, plan, LSCHED_OUTCOME_CONFIRMED);
        lsched_plan_destroy(plan);
        ev_obey(w);
    }
    return n;
}

static inline lsched_job_info ev_info(const struct ev_world *w, const struct ev_job *job) {
    lsched_job_info info = {.size = sizeof info};
    if (!job->live || lsched_job_get(w->c, job->id, &info, NULL) < 0) info.tasks_wanted = 0;
    return info;
}

#endif
