/* offers_trial.c -- see offers_trial.h. */
#include "support/offers_trial.h"
#include "support/queue_update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#define START_US INT64_C(1700000000000000)
#define STEP     500 /* milli-GPUs: every request, limit and quota is a multiple */

enum { NODES = 4, QUEUES = 4, JOBS = 8, PRIORITIES = 6 };

struct offers_world {
    struct chance chance, elastic;
    int early; /* 1: job "j" has a turn before it waits, so it can have tasks */
    uint32_t n_nodes, n_queues, n_jobs; /* the last job waits */
    char node_name[NODES][8], queue_name[QUEUES][8], job_name[JOBS][8];
    lsched_node_desc node[NODES];
    lsched_device_desc device[NODES];
    lsched_amount capacity[NODES][2];
    lsched_label label[NODES];
    lsched_queue_desc queue[QUEUES];
    lsched_amount limit[QUEUES], quota[QUEUES];
    lsched_job_desc job[JOBS];
    lsched_group_desc group[JOBS];
    lsched_amount request[JOBS][2];
    lsched_selector selector;
    lsched_text wanted;
    lsched_cluster *c;
    int64_t now;
};

/* What a cycle decides. */
struct decided {
    int starts;                /* job "j" */
    uint32_t started, stopped; /* bit i: job i */
};

static struct {
    uint64_t waits, grow, curable, offered, worked, best, losers, wrong, tried, per_change[16];
} offers_seen;

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static void die(uint64_t seed, const char *what, const char *message) {
    fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)seed, what, message);
    exit(1);
}

/* ---- worlds ---- */

static void make_nodes(struct offers_world *w) {
    struct chance *c = &w->chance;
    w->n_nodes = 1 + chance_below(c, NODES);
    for (uint32_t i = 0; i < w->n_nodes; i++) {
        lsched_node_desc *d = &w->node[i];
        snprintf(w->node_name[i], sizeof w->node_name[i], "n%u", i);
        lsched_init(d, sizeof *d);
        lsched_init(&w->device[i], sizeof w->device[i]);
        w->device[i].count = 1u << chance_below(c, 4);
        w->device[i].model = text("H100");
        w->device[i].share_mode = LSCHED_SHARING_FRACTION;
        w->capacity[i][0] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 2, 8) * 4000};
        w->capacity[i][1] = (lsched_amount){LSCHED_MEMORY, 0, INT64_C(64) << 30};
        w->label[i] = (lsched_label){text("disk"), text(chance_one_in(c, 3) ? "hdd" : "ssd")};
        d->name = text(w->node_name[i]);
        d->state = chance_one_in(c, 5) ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
        d->capacity = w->capacity[i];
        d->n_capacity = 2;
        d->devices = &w->device[i];
        d->n_devices = 1;
        d->labels = &w->label[i];
        d->n_labels = chance_one_in(c, 4) ? 0 : 1;
        d->price_micro_per_hour = chance_between(c, 1, 3) * 1000000;
    }
}

static void make_queues(struct offers_world *w) {
    struct chance *c = &w->chance;
    w->n_queues = 1 + chance_below(c, QUEUES);
    for (uint32_t i = 0; i < w->n_queues; i++) {
        lsched_queue_desc *d = &w->queue[i];
        snprintf(w->queue_name[i], sizeof w->queue_name[i], "q%u", i);
        lsched_init(d, sizeof *d);
        d->name = text(w->queue_name[i]);
        if (w->n_queues > 2 && i > 0 && i < 3) d->parent_name = text(w->queue_name[0]);
        w->limit[i] = (lsched_amount){LSCHED_GPU, 0, chance_between(c, 0, 16) * STEP};
        w->quota[i] = (lsched_amount){LSCHED_GPU, 0, chance_between(c, 0, 16) * STEP};
        d->limit = &w->limit[i];
        d->quota = &w->quota[i];
        d->n_limit = chance_one_in(c, 2) ? 1 : 0;
        d->n_quota = chance_one_in(c, 2) ? 1 : 0;
        d->jobs_max = chance_one_in(c, 5) ? 1 + chance_below(c, 2) : 0;
    }
}

static void make_job(struct offers_world *w, uint32_t i, const char *name) {
    struct chance *c = &w->chance;
    lsched_job_desc *d = &w->job[i];
    lsched_group_desc *g = &w->group[i];
    snprintf(w->job_name[i], sizeof w->job_name[i], "%s", name);
    lsched_init(d, sizeof *d);
    lsched_init(g, sizeof *g);
    /* a queue with children takes no jobs */
    uint32_t q = chance_below(c, w->n_queues);
    if (q == 0 && w->n_queues > 2) q = 1 + chance_below(c, 2);
    static const int64_t gpus[] = {500, 1000, 1000, 2000, 4000, 8000};
    w->request[i][0] = (lsched_amount){LSCHED_GPU, 0, gpus[chance_below(c, 6)]};
    w->request[i][1] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 1, 4) * 1000};
    g->request = w->request[i];
    g->n_request = 2;
    g->max_count = chance_one_in(c, 3) ? 1 + chance_below(c, 3) : 1;
    d->name = text(w->job_name[i]);
    d->queue_name = text(w->queue_name[q]);
    d->groups = g;
    d->n_groups = 1;
    d->priority = (int32_t)chance_below(c, 3);
    d->submit_us = START_US + i;
    if (chance_one_in(c, 4)) d->flags = LSCHED_JOB_NON_PREEMPTIBLE;
}

static void make_jobs(struct offers_world *w) {
    w->n_jobs = 1 + chance_below(&w->chance, JOBS);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        char name[8];
        snprintf(name, sizeof name, i + 1 < w->n_jobs ? "a%u" : "j", i);
        make_job(w, i, name);
    }
    lsched_group_desc *g = &w->group[w->n_jobs - 1];
    if (chance_one_in(&w->elastic, 3)) {
        g->max_count += chance_below(&w->elastic, 4);
        g->min_count = chance_one_in(&w->elastic, 2) ? LSCHED_MIN_NONE : 1;
        w->early = chance_one_in(&w->elastic, 2);
    }
    if (!chance_one_in(&w->chance, 3)) return;
    w->wanted = text("ssd");
    w->selector = (lsched_selector)LSCHED_SELECTOR_INIT;
    w->selector.key = text("disk");
    w->selector.values = &w->wanted;
    w->selector.n_values = 1;
    g->selectors = &w->selector;
    g->n_selectors = 1;
}

static const char policy[] =
    "return { api = 1, name = 'p', fair_share = 'quota', pipeline = { 'allocate', 'reclaim', 'preempt' } }";

static lsched_plan *cycle(struct offers_world *w, lsched_cluster *c, uint64_t seed) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    o.now_us = w->now;
    if (lsched_schedule(c, &o, &plan, &err) < 0) die(seed, "schedule", err.message);
    return plan;
}

/* What was placed runs, and what was evicted is gone. */
static void carry_out(lsched_cluster *c, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = d->job;
        e.task_index = d->task_index;
        e.event = d->kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
        if (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_EVICT)
            (void)lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, NULL);
    }
}

static void offers_submit(struct offers_world *w, uint32_t i, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_jobs_submit(w->c, &w->job[i], 1, sizeof *w->job, NULL, NULL, NULL, &err) < 0)
        die(seed, "submit", err.message);
}

/* Starts most of the jobs, then submits the others and job "j". */
static void offers_world_make(struct offers_world *w, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    memset(w, 0, sizeof *w);
    w->chance.state = seed * 7919;
    w->elastic.state = seed ^ 0xe1a;
    w->now = START_US + 1000000;
    make_nodes(w);
    make_queues(w);
    make_jobs(w);
    if (lsched_cluster_create(NULL, &w->c, &err) < 0) die(seed, "create", err.message);
    lsched_policy_opts po = {.size = sizeof po};
    if (lsched_policy_load(w->c, LSCHED_TEXT("p"), text(policy), &po, &err) < 0)
        die(seed, "policy", err.message);
    if (lsched_nodes_add(w->c, w->node, w->n_nodes, sizeof *w->node, NULL, NULL, NULL, &err) < 0 ||
        lsched_queues_add(w->c, w->queue, w->n_queues, sizeof *w->queue, NULL, NULL, NULL, &err) <
            0)
        die(seed, "world", err.message);
    uint32_t running = w->n_jobs > 1 ? chance_below(&w->chance, w->n_jobs) : 0;
    w->early = w->early && running > 0;
    if (w->early) offers_submit(w, w->n_jobs - 1, seed);
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        if (i + 1 < w->n_jobs || !w->early) offers_submit(w, i, seed);
        if (i + 1 != running) continue;
        lsched_plan *plan = cycle(w, w->c, seed);
        carry_out(w->c, plan);
        lsched_plan_destroy(plan);
        w->now += chance_between(&w->chance, 1, 100) * 1000000;
    }
}

static lsched_id job_id(const lsched_cluster *c, const char *name) {
    return lsched_find(c, LSCHED_KIND_JOB, text(name));
}

static struct decided decide(struct offers_world *w, lsched_cluster *c, uint64_t seed) {
    struct decided d = {0};
    lsched_plan *plan = cycle(w, c, seed);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *x = lsched_plan_at(plan, i);
        uint32_t j = 0;
        while (j < w->n_jobs && job_id(c, w->job_name[j]) != x->job) j++;
        if (x->kind == LSCHED_DECIDE_PLACE || x->kind == LSCHED_DECIDE_NOMINATE)
            d.started |= 1u << j;
        if (x->kind == LSCHED_DECIDE_EVICT) d.stopped |= 1u << j;
    }
    d.starts = (int)(d.started >> (w->n_jobs - 1) & 1);
    lsched_plan_destroy(plan);
    return d;
}

static lsched_cluster *copy_of(const struct offers_world *w, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    if (lsched_cluster_create(NULL, &copy, &err) < 0 || lsched_cluster_clone(w->c, &copy, &err) < 0)
        die(seed, "clone", err.message);
    return copy;
}

/* ---- brute force ---- */

struct best {
    int found;
    uint32_t losers, change;
    int64_t cost;
};

static uint32_t bits(uint32_t x) {
    return (uint32_t)__builtin_popcount(x);
}

static uint32_t losers_of(const struct offers_world *w, const struct decided *without,
                          const struct decided *with, uint32_t gone) {
    uint32_t mine = 1u << (w->n_jobs - 1) | gone;
    return bits(without->started & ~with->started & ~mine) +
           bits(with->stopped & ~without->stopped & ~mine);
}

static void note(struct best *b, uint32_t losers, uint32_t change, int64_t cost) {
    int better = !b->found || (losers > 0) < (b->losers > 0) ||
                 ((losers > 0) == (b->losers > 0) &&
                  (change < b->change || (change == b->change && cost < b->cost)));
    if (!better) return;
    *b = (struct best){1, losers, change, cost};
}

static int32_t apply_to_node(lsched_cluster *c, const char *name, uint32_t change) {
    lsched_label l = {text("disk"), text("ssd")};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.name = text(name);
    u.set = change == LSCHED_OFFER_LABEL ? LSCHED_NODE_SET_LABELS : LSCHED_NODE_SET_STATE;
    u.labels = &l;
    u.n_labels = 1;
    u.state = LSCHED_NODE_READY;
    return lsched_nodes_update(c, &u, 1, sizeof u, NULL, NULL, NULL);
}

static int32_t apply_to_queue(struct offers_world *w, lsched_cluster *c, uint32_t q,
                              uint32_t change, int64_t value) {
    lsched_queue_desc d = w->queue[q];
    lsched_amount a = {LSCHED_GPU, 0, value};
    lsched_id id = lsched_find(c, LSCHED_KIND_QUEUE, text(w->queue_name[q]));
    if (change == LSCHED_OFFER_JOBS_MAX) d.jobs_max = (uint32_t)value;
    if (change == LSCHED_OFFER_LIMIT) d.limit = &a;
    if (change == LSCHED_OFFER_QUOTA) d.quota = &a;
    if (change == LSCHED_OFFER_LIMIT) d.n_limit = 1;
    if (change == LSCHED_OFFER_QUOTA) d.n_quota = 1;
    return queue_update_all(c, id, &d, NULL);
}

static int32_t brute_apply(struct offers_world *w, lsched_cluster *c, uint32_t change, uint32_t at,
                           int64_t value) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_id id;
    switch (change) {
    case LSCHED_OFFER_UNCORDON:
    case LSCHED_OFFER_LABEL: return apply_to_node(c, w->node_name[at], change);
    case LSCHED_OFFER_PRIORITY:
        u.job = job_id(c, "j");
        u.set = LSCHED_JOB_SET_PRIORITY;
        u.priority = (int32_t)value;
        return lsched_jobs_update(c, &u, 1, sizeof u, NULL, NULL, NULL);
    case LSCHED_OFFER_WITHDRAW:
        id = job_id(c, w->job_name[at]);
        return id ? lsched_jobs_remove(c, &id, 1, NULL, NULL, NULL) : LSCHED_E_STALE;
    case LSCHED_OFFER_ADD_NODE: {
        lsched_node_desc d = w->node[at];
        d.name = text("new");
        d.state = LSCHED_NODE_READY;
        return lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL);
    }
    default: return apply_to_queue(w, c, at, change, value);
    }
}

/* 1 if the change lets the job start. cost: as what_if.h counts, -1 for a withdrawn job, whose cost is not counted here. */
static int brute_try(struct offers_world *w, const struct decided *without, uint32_t change,
                     uint32_t at, int64_t value, int64_t cost, struct best *b, uint64_t seed) {
    lsched_cluster *copy = copy_of(w, seed);
    int works = 0;
    if (brute_apply(w, copy, change, at, value) >= 0) {
        uint32_t gone = change == LSCHED_OFFER_WITHDRAW ? 1u << at : 0;
        struct decided with = decide(w, copy, seed);
        works = with.starts;
        if (works) note(b, losers_of(w, without, &with, gone), change, cost);
    }
    lsched_cluster_destroy(copy);
    return works;
}

static void brute_values(struct offers_world *w, const struct decided *without, uint32_t change,
                         uint32_t q, int64_t from, struct best *b, uint64_t seed) {
    int64_t step = change == LSCHED_OFFER_JOBS_MAX ? 1 : STEP;
    for (int64_t v = from + step; v <= from + 40 * step; v += step)
        if (brute_try(w, without, change, q, v, v - from, b, seed)) return;
}

/* True if the queue is that of job "j", or above it. A rise elsewhere can only let the job start by letting others take more. */
static int is_above_job(const struct offers_world *w, uint32_t q) {
    lsched_text own = w->job[w->n_jobs - 1].queue_name;
    if (!strcmp(own.ptr, w->queue_name[q])) return 1;
    for (uint32_t i = 0; i < w->n_queues; i++)
        if (!strcmp(own.ptr, w->queue_name[i]) && w->queue[i].parent_name.len)
            return !strcmp(w->queue[i].parent_name.ptr, w->queue_name[q]);
    return 0;
}

static struct best brute_force(struct offers_world *w, const struct decided *without,
                               uint64_t seed) {
    struct best b = {0};
    for (uint32_t n = 0; n < w->n_nodes; n++) {
        if (w->node[n].state != LSCHED_NODE_READY)
            brute_try(w, without, LSCHED_OFFER_UNCORDON, n, 0, 0, &b, seed);
        if (w->group[w->n_jobs - 1].n_selectors)
            brute_try(w, without, LSCHED_OFFER_LABEL, n, 0, 0, &b, seed);
        brute_try(w, without, LSCHED_OFFER_ADD_NODE, n, 0, w->node[n].price_micro_per_hour, &b,
                  seed);
    }
    for (uint32_t q = 0; q < w->n_queues; q++) {
        if (!is_above_job(w, q)) continue;
        if (w->queue[q].jobs_max)
            brute_values(w, without, LSCHED_OFFER_JOBS_MAX, q, w->queue[q].jobs_max, &b, seed);
        if (w->queue[q].n_limit)
            brute_values(w, without, LSCHED_OFFER_LIMIT, q, w->limit[q].amount, &b, seed);
        brute_values(w, without, LSCHED_OFFER_QUOTA, q,
                     w->queue[q].n_quota ? w->quota[q].amount : 0, &b, seed);
    }
    int32_t mine = w->job[w->n_jobs - 1].priority;
    for (int32_t p = mine + 1; p <= PRIORITIES; p++)
        if (brute_try(w, without, LSCHED_OFFER_PRIORITY, 0, p, p - mine, &b, seed)) break;
    for (uint32_t j = 0; j + 1 < w->n_jobs; j++)
        brute_try(w, without, LSCHED_OFFER_WITHDRAW, j, 0, -1, &b, seed);
    return b;
}

/* ---- offers ---- */

static void offers_ask(struct offers_world *w, lsched_would_start_answer *a, lsched_offer *o,
                       uint64_t seed) {
    lsched_schedule_opts so = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts wo = LSCHED_WOULD_START_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t before = 0, after = 1;
    so.now_us = w->now;
    wo.schedule = &so;
    wo.tries_max = 1000;
    *a = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    *o = (lsched_offer)LSCHED_OFFER_INIT;
    a->offer = o;
    lsched_cluster_hash(w->c, LSCHED_HASH_IMAGE, &before, NULL);
    if (lsched_would_start(w->c, job_id(w->c, "j"), NULL, &wo, a, &err) < 0)
        die(seed, "would_start", err.message);
    lsched_cluster_hash(w->c, LSCHED_HASH_IMAGE, &after, NULL);
    if (before != after) die(seed, "would_start", "the search left something behind");
}

static void bad(uint64_t seed, const char *what, const lsched_offer *o, const struct best *b) {
    fprintf(
        stderr,
        "seed %llu: %s: offer %s, cost %lld, %llu losers; brute force: %s, cost %lld, %u losers\n",
        (unsigned long long)seed, what, lsched_offer_name(o->change), (long long)o->cost,
        (unsigned long long)o->losers, b->found ? lsched_offer_name(b->change) : "none",
        (long long)b->cost, b->losers);
    offers_seen.wrong++;
}

/* Applies the offer to a clone. Returns 1 if the job starts and the number of losers is right. */
static int offer_holds(struct offers_world *w, const struct decided *without, const lsched_offer *o,
                       uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = copy_of(w, seed);
    uint32_t gone = 0;
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (o->change == LSCHED_OFFER_WITHDRAW && job_id(copy, w->job_name[j]) == o->object)
            gone = 1u << j;
    if (lsched_offer_apply(copy, o, &err) < 0) die(seed, "offer_apply", err.message);
    struct decided with = decide(w, copy, seed);
    int holds = with.starts && losers_of(w, without, &with, gone) == o->losers &&
                (o->losers == 0) == (o->loser == 0);
    lsched_cluster_destroy(copy);
    return holds;
}

static int is_best(const lsched_offer *o, const struct best *b) {
    if (!b->found) return 1; /* a value beyond those of brute force */
    if ((o->losers > 0) != (b->losers > 0)) return o->losers == 0;
    if (o->change != b->change) return o->change < b->change;
    return o->change == LSCHED_OFFER_WITHDRAW || o->cost <= b->cost;
}

static void offers_seed(struct offers_world *w, uint64_t seed) {
    lsched_would_start_answer a;
    lsched_offer o;
    offers_world_make(w, seed);
    offers_ask(w, &a, &o, seed);
    lsched_cluster *copy = copy_of(w, seed);
    struct decided without = decide(w, copy, seed);
    lsched_cluster_destroy(copy);
    if (without.starts != (a.start == LSCHED_START_NOW)) die(seed, "would_start", "untrue");
    if (a.start == LSCHED_START_LATER || a.start == LSCHED_START_NEVER) {
        offers_seen.grow += (uint64_t)w->early;
        struct best b = brute_force(w, &without, seed);
        offers_seen.waits++;
        offers_seen.curable += b.found != 0;
        offers_seen.offered += b.found && o.change;
        offers_seen.tried += o.tried;
        offers_seen.per_change[o.change]++;
        if (o.change) {
            int holds = offer_holds(w, &without, &o, seed);
            offers_seen.worked += (uint64_t)holds;
            if (!holds) bad(seed, "the offer does not hold", &o, &b);
            offers_seen.losers += o.losers > 0;
            if (holds && !is_best(&o, &b)) bad(seed, "not the best", &o, &b);
        } else if (b.found && getenv("LSCHED_TEST_SHOW")) {
            fprintf(stderr, "seed %llu: no offer (waits: %s); brute force: %s, %u losers\n",
                    (unsigned long long)seed, lsched_wait_name(a.code), lsched_offer_name(b.change),
                    b.losers);
        }
    }
    lsched_cluster_destroy(w->c);
}

int offers_trial(uint64_t seed, uint32_t rounds) {
    struct offers_world *w = calloc(1, sizeof *w);
    for (uint64_t s = seed; w && s < seed + rounds; s++) offers_seed(w, s);
    free(w);
    uint64_t made = 0;
    for (uint32_t i = 1; i < 16; i++) made += offers_seen.per_change[i];
    printf(
        "seeds %llu .. +%u: %llu waits (%llu had a turn before), %llu curable by one change, %llu of them (%.1f %%) got an offer; %llu of %llu offers hold "
        "(%llu name losers); %llu wrong; %.1f changes tried each\n",
        (unsigned long long)seed, rounds, (unsigned long long)offers_seen.waits,
        (unsigned long long)offers_seen.grow, (unsigned long long)offers_seen.curable,
        (unsigned long long)offers_seen.offered,
        offers_seen.curable ? 100.0 * (double)offers_seen.offered / (double)offers_seen.curable : 0,
        (unsigned long long)offers_seen.worked, (unsigned long long)made,
        (unsigned long long)offers_seen.losers, (unsigned long long)offers_seen.wrong,
        (double)offers_seen.tried / (double)(offers_seen.waits ? offers_seen.waits : 1));
    for (uint32_t i = 0; i < 16; i++)
        if (offers_seen.per_change[i])
            printf("  %-9s %llu\n", lsched_offer_name(i),
                   (unsigned long long)offers_seen.per_change[i]);
    if (offers_seen.wrong || offers_seen.worked != made) return 1;
    return rounds > 1 && 10 * offers_seen.offered < 9 * offers_seen.curable;
}
