/*
 * Where tasks go by the tables of a policy about kinds of work, against a model that looks at
 * every device of every node.
 *
 * The strategy is `first-fit`, so that a placement is known to the last device: of the nodes with
 * room, the one with the greatest speed, or speed for the price of a device; of these, the one
 * with the least harm, and of equal ones the first by name; on it, the devices with the least
 * harm, then the fullest, then the lowest index. Speeds for a price are compared as fractions,
 * exactly. The model keeps the tables as it wrote them and the tasks as the plans say, and shares
 * nothing with the library. Tables change, come and go; tasks with shares of one or two devices,
 * in every sharing mode, start and end; nodes close and open and get other prices; clusters are
 * cloned.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum {
    NODES = 7,
    DEVICES = 3,
    JOBS = 64,
    TASKS = 3,
    STEPS = 60,
    KINDS = 4,
    NAMES = 5,
    HELD = 128,
    MODELS = 4
};
#define SECOND INT64_C(1000000)
#define WHOLE  1000u

/* What the policy says: milli[a][b] is what `a` suffers beside `b`. */
struct table {
    int is_on, others; /* others: -1 for none */
    uint32_t most, avoid, milli[KINDS][KINDS];
};

/* The speeds of kinds on models; 0: the table does not say it. */
struct speeds {
    int is_on, others, by_price;
    uint32_t milli[KINDS][MODELS];
};

struct task {
    lsched_id job;
    uint32_t index, node, milli;
    uint64_t devices;
    int kind; /* number of its name; NAMES: it has none */
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs, n_held;
    lsched_cluster *c;
    lsched_error err;
    int64_t now;
    lsched_id node[NODES], job[JOBS];
    uint32_t devices[NODES], mode[NODES][DEVICES], model[NODES][DEVICES];
    int64_t price[NODES];
    int is_closed[NODES], kind[JOBS];
    uint32_t milli[JOBS], spread[JOBS];
    struct table table;
    struct speeds speeds;
    struct task held[HELD];
    uint64_t placed, beside, chosen, faster, tables;
};

struct place {
    uint32_t node;
    uint64_t devices, harm;
    uint32_t speed; /* of the slowest device; 0: no speed is said */
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u: %s (%s)\n", m->seed, m->step, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static const char *const names[NAMES] = {"alpha", "b", "serve", "train", "unknown"};
static const char *const models[MODELS] = {
    "A100-80GB", "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "T4"};

/* ---- the policy ---- */

static void draw_table(struct model *m) {
    struct chance *c = &m->chance;
    struct table *t = &m->table;
    memset(t, 0, sizeof *t);
    t->is_on = !chance_one_in(c, 6);
    t->most = chance_one_in(c, 2) ? 0 : 1000 + 50 * chance_below(c, 12);
    t->avoid = chance_one_in(c, 5) ? 0 : 1000 + 50 * chance_below(c, 6);
    t->others = chance_one_in(c, 2) ? 0 : -1;
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++)
            t->milli[a][b] = chance_one_in(c, 3) ? 1000 : 1000 + 50 * chance_below(c, 12);
}

static void put_factor(char *out, size_t cap, const char *key, uint32_t milli) {
    size_t n = strlen(out);
    if (milli) snprintf(out + n, cap - n, "%s = %u.%03u, ", key, milli / 1000, milli % 1000);
}

static void draw_speeds(struct model *m) {
    struct chance *c = &m->chance;
    struct speeds *s = &m->speeds;
    memset(s, 0, sizeof *s);
    s->is_on = chance_one_in(c, 2);
    s->by_price = chance_one_in(c, 2);
    s->others = chance_one_in(c, 2) ? 1 : -1;
    for (int a = 0; a < KINDS; a++) {
        uint32_t unit = chance_one_in(c, 2) ? 250 : 1; /* each kind can have its own */
        for (int b = 0; b < MODELS; b++)
            if (!chance_one_in(c, 4)) s->milli[a][b] = unit * (1 + chance_below(c, 8));
    }
    s->milli[0][0] = 1; /* a table names a model */
}

static void put_contention(const struct table *t, char *text, size_t cap) {
    char key[32];
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, cap - n, ", contention = { ");
    put_factor(text, cap, "max", t->most);
    put_factor(text, cap, "avoid", t->avoid);
    n = strlen(text);
    if (t->others >= 0)
        n += (size_t)snprintf(text + n, cap - n, "others = '%s', ", names[t->others]);
    n += (size_t)snprintf(text + n, cap - n, "slowdown = { ");
    for (int a = 0; a < KINDS; a++) {
        n += (size_t)snprintf(text + n, cap - n, "['%s'] = { ", names[a]);
        for (int b = 0; b < KINDS; b++) {
            snprintf(key, sizeof key, "['%s']", names[b]);
            put_factor(text, cap, key, t->milli[a][b]);
        }
        n = strlen(text);
        n += (size_t)snprintf(text + n, cap - n, "}, ");
    }
    snprintf(text + n, cap - n, "} }");
}

static void put_speeds(const struct speeds *s, char *text, size_t cap) {
    char key[64];
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, cap - n, ", speeds = { prefer = '%s', ",
                          s->by_price ? "price" : "speed");
    if (s->others >= 0)
        n += (size_t)snprintf(text + n, cap - n, "others = '%s', ", names[s->others]);
    n += (size_t)snprintf(text + n, cap - n, "speed = { ");
    for (int a = 0; a < KINDS; a++) {
        n += (size_t)snprintf(text + n, cap - n, "['%s'] = { ", names[a]);
        for (int b = 0; b < MODELS; b++) {
            snprintf(key, sizeof key, "['%s']", models[b]);
            put_factor(text, cap, key, s->milli[a][b]);
        }
        n = strlen(text);
        n += (size_t)snprintf(text + n, cap - n, "}, ");
    }
    snprintf(text + n, cap - n, "} }");
}

static void load_policy(struct model *m) {
    char text[4096] = "return { api = 1, placement = 'first-fit'";
    draw_table(m);
    draw_speeds(m);
    if (m->table.is_on) put_contention(&m->table, text, sizeof text);
    if (m->speeds.is_on) put_speeds(&m->speeds, text, sizeof text);
    strcat(text, " }");
    m->tables++;
    if (lsched_policy_load(m->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &m->err) < 0) {
        fprintf(stderr, "%s\n", text);
        wrong(m, "the policy is refused");
    }
}

/* Returns the kind that counts for a task, by the number of its name; -1: none. */
static int counts_as(const struct table *t, int name) {
    if (!t->is_on) return -1;
    return name < KINDS ? name : t->others;
}

/* ---- the world ---- */

/* The currency of a world: what counts for a price must not depend on it. */
static int64_t draw_price(struct model *m) {
    static const int64_t units[] = {1, 500000, INT64_C(5000000000000)};
    int64_t unit = units[m->seed % 3];
    return chance_one_in(&m->chance, 4) ? 0 : unit * (int64_t)chance_between(&m->chance, 1, 12);
}

static void add_node(struct model *m, uint32_t n) {
    static const uint32_t modes[] = {LSCHED_SHARING_FRACTION, LSCHED_SHARING_MPS,
                                     LSCHED_SHARING_TIME_SLICE, LSCHED_SHARING_WHOLE};
    lsched_amount room = {LSCHED_CPU, 0, 512000};
    lsched_device_desc d[DEVICES];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    char name[8];
    m->devices[n] = 1 + chance_below(&m->chance, DEVICES);
    for (uint32_t i = 0; i < m->devices[n]; i++) {
        d[i] = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
        d[i].count = 1;
        m->model[n][i] =
            chance_below(&m->chance, i && !chance_one_in(&m->chance, 4) ? 1 : MODELS + 1);
        if (i && m->model[n][i] == 0) m->model[n][i] = m->model[n][0];
        d[i].model =
            lsched_cstr(m->model[n][i] < MODELS ? models[m->model[n][i]] : "named-nowhere");
        d[i].share_mode = m->mode[n][i] = modes[chance_below(&m->chance, 10) % 4];
    }
    snprintf(name, sizeof name, "n%u", n);
    node.name = lsched_cstr(name);
    node.capacity = &room;
    node.n_capacity = 1;
    node.devices = d;
    node.n_devices = m->devices[n];
    node.price_micro_per_hour = m->price[n] = draw_price(m);
    CHECK(m, lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, &m->node[n], NULL, &m->err) == 1,
          "add node");
}

static void make(struct model *m) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    queue.name = LSCHED_TEXT("q");
    CHECK(m, lsched_queues_add(m->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &m->err) == 1,
          "queue");
    for (uint32_t n = NODES; n-- > 0;) add_node(m, n); /* rows are not in the order of names */
    load_policy(m);
    m->now = 1000 * SECOND;
}

static void submit(struct model *m) {
    struct chance *c = &m->chance;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[8];
    if (m->n_jobs == JOBS) return;
    uint32_t j = m->n_jobs++;
    snprintf(name, sizeof name, "j%02u", j);
    m->spread[j] = chance_one_in(c, 5) ? 2 : 1;
    m->milli[j] = chance_one_in(c, 10) ? WHOLE : 50 * (uint32_t)chance_between(c, 1, 10);
    m->kind[j] = (int)chance_below(c, NAMES + 1);
    lsched_amount request[2] = {{LSCHED_GPU, 0, (int64_t)m->milli[j] * m->spread[j]},
                                {LSCHED_CPU, 0, 1000}};
    group.gpu_devices = m->milli[j] == WHOLE ? 0 : m->spread[j];
    group.request = request;
    group.n_request = 2;
    if (m->kind[j] < NAMES) group.work_kind = lsched_cstr(names[m->kind[j]]);
    group.max_count = 1 + chance_below(c, TASKS);
    group.min_count = 1 + chance_below(c, group.max_count);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &m->job[j], NULL, &m->err) == 1,
          "submit");
}

/* ---- the model of a placement ---- */

/* Returns what the two suffer beside each other, where the policy avoids it; sets *bars if one of
 * them may not be beside the other. */
static uint64_t between(const struct table *t, int a, int b, int *bars) {
    uint64_t sum = 0;
    a = counts_as(t, a), b = counts_as(t, b);
    if (a < 0 || b < 0) return 0;
    const uint32_t both[2] = {t->milli[a][b], t->milli[b][a]};
    for (int i = 0; i < 2; i++) {
        if (t->most && both[i] > t->most) *bars = 1;
        if (t->avoid && both[i] > t->avoid) sum += both[i] - 1000;
    }
    return sum;
}

/* True if the task can take device i of the node. Sets its harm and what is free. */
static int device_takes(const struct model *m, uint32_t n, uint32_t i, uint32_t j, uint64_t *harm,
                        uint32_t *free) {
    int bars = 0, is_shared = m->mode[n][i] != LSCHED_SHARING_WHOLE;
    uint32_t used = 0;
    *harm = 0;
    for (uint32_t t = 0; t < m->n_held; t++) {
        const struct task *x = &m->held[t];
        if (x->node != n || !(x->devices >> i & 1)) continue;
        used += x->milli;
        if (is_shared) *harm += between(&m->table, m->kind[j], x->kind, &bars);
    }
    *free = WHOLE - used;
    if (m->milli[j] == WHOLE) return used == 0;
    return is_shared && !bars && used + m->milli[j] <= WHOLE;
}

/* Finds the devices of the node that the task takes; returns 0 if there are too few. */
static int choose_devices(const struct model *m, uint32_t n, uint32_t j, struct place *p) {
    *p = (struct place){n, 0, 0, 0};
    for (uint32_t need = m->spread[j]; need > 0; need--) {
        uint64_t best = UINT64_MAX, best_harm = 0;
        uint32_t at = DEVICES;
        for (uint32_t i = 0; i < m->devices[n]; i++) {
            uint64_t harm;
            uint32_t free;
            if (p->devices >> i & 1 || !device_takes(m, n, i, j, &harm, &free)) continue;
            uint64_t rank = harm * 4096 + free;
            if (rank >= best) continue;
            best = rank, best_harm = harm, at = i;
        }
        if (at == DEVICES) return 0;
        p->devices |= UINT64_C(1) << at;
        p->harm += best_harm;
    }
    return 1;
}

/* Returns the speed of the slowest device of the place in thousandths; 0: none is said. */
static uint32_t speed_at(const struct model *m, const struct place *p, int name) {
    const struct speeds *s = &m->speeds;
    int kind = name < KINDS ? name : s->others;
    uint32_t slowest = UINT32_MAX;
    if (!s->is_on || kind < 0) return 0;
    for (uint32_t i = 0; i < m->devices[p->node]; i++) {
        uint32_t model = m->model[p->node][i], speed = model < MODELS ? s->milli[kind][model] : 0;
        if (speed == 0) speed = 1000;
        if (p->devices >> i & 1 && speed < slowest) slowest = speed;
    }
    return slowest;
}

/* Returns 1, 0 or -1 if the first place is faster, or faster for the price, equal or slower. */
static int faster(const struct model *m, const struct place *a, const struct place *b) {
    uint64_t x = a->speed, y = b->speed;
    if (m->speeds.by_price) {
        int free = (m->price[a->node] == 0) - (m->price[b->node] == 0);
        if (free) return free;
        if (m->price[a->node]) {
            x *= m->devices[a->node] * (uint64_t)m->price[b->node];
            y *= m->devices[b->node] * (uint64_t)m->price[a->node];
        }
    }
    return (x > y) - (x < y);
}

static int choose(const struct model *m, uint32_t j, struct place *best) {
    uint32_t found = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        struct place p;
        if (m->is_closed[n] || !choose_devices(m, n, j, &p)) continue;
        p.speed = speed_at(m, &p, m->kind[j]);
        int by = found && p.speed ? faster(m, &p, best) : 0;
        if (found++ == 0 || by > 0 || (by == 0 && p.harm < best->harm)) *best = p;
    }
    return found > 0;
}

/* ---- events and cycles ---- */

static uint32_t job_at(const struct model *m, lsched_id id) {
    uint32_t j = 0;
    while (j < m->n_jobs && m->job[j] != id) j++;
    return j;
}

static void take(struct model *m, const lsched_decision *d) {
    uint32_t j = job_at(m, d->job);
    struct place p = {NODES, 0, 0, 0}, first = p;
    CHECK(m, d->kind == LSCHED_DECIDE_PLACE && j < m->n_jobs && m->n_held < HELD, "a decision");
    int any = choose(m, j, &p);
    if (!any || m->node[p.node] != d->node || p.devices != d->device_mask) {
        fprintf(stderr, "job %u, task %u: devices %#x of node %u; expected %#x of n%u\n", j,
                d->task_index, d->device_mask, (unsigned)d->node, (unsigned)p.devices, p.node);
        wrong(m, "the place is not the best one");
    }
    for (uint32_t n = NODES; n-- > 0;) {
        struct place other;
        if (!m->is_closed[n] && choose_devices(m, n, j, &other)) first = other;
    }
    first.speed = speed_at(m, &first, m->kind[j]);
    m->faster += p.speed && faster(m, &p, &first) > 0;
    m->chosen += first.node != p.node;
    m->beside += p.harm > 0;
    m->placed++;
    m->held[m->n_held++] =
        (struct task){d->job, d->task_index, p.node, m->milli[j], p.devices, m->kind[j]};
}

static void report(struct model *m, const struct task *t, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = t->job;
    e.task_index = t->index;
    CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) >= 0, "report");
}

static void end_some(struct model *m) {
    for (uint32_t t = m->n_held; t-- > 0;) {
        if (!chance_one_in(&m->chance, 6)) continue;
        report(m, &m->held[t], LSCHED_EVENT_ENDED);
        m->held[t] = m->held[--m->n_held];
    }
}

static void turn_node(struct model *m) {
    uint32_t n = chance_below(&m->chance, NODES);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    m->is_closed[n] = !m->is_closed[n];
    u.node = m->node[n];
    u.set = LSCHED_NODE_SET_STATE | LSCHED_NODE_SET_PRICE;
    u.price_micro_per_hour = m->price[n] = draw_price(m);
    u.state = m->is_closed[n] ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    CHECK(m, lsched_nodes_update(m->c, &u, 1, sizeof u, NULL, NULL, &m->err) >= 0, "update node");
}

static void copy_world(struct model *m) {
    lsched_cluster *copy = NULL;
    CHECK(m, lsched_cluster_clone(m->c, &copy, &m->err) == LSCHED_OK, "clone");
    lsched_cluster_destroy(m->c);
    m->c = copy;
}

static void cycle(struct model *m) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    uint32_t was = m->n_held;
    o.now_us = m->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    CHECK(m, lsched_schedule(m->c, &o, &plan, &m->err) >= 0, "schedule");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) take(m, lsched_plan_at(plan, i));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        lsched_settlement s = {
            sizeof s, LSCHED_OUTCOME_CONFIRMED, lsched_plan_at(plan, i)->id, {NULL, 0}, NULL};
        CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
    }
    for (uint32_t t = was; t < m->n_held; t++) report(m, &m->held[t], LSCHED_EVENT_STARTED);
    lsched_plan_destroy(plan);
}

static void step(struct model *m) {
    m->now += SECOND * chance_between(&m->chance, 1, 20);
    for (uint32_t n = chance_below(&m->chance, 4); n > 0; n--) submit(m);
    end_some(m);
    if (chance_one_in(&m->chance, 8)) load_policy(m);
    if (chance_one_in(&m->chance, 8)) turn_node(m);
    if (chance_one_in(&m->chance, 10)) copy_world(m);
    cycle(m);
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "verify");
}

int main(void) {
    uint32_t rounds = chance_rounds(60);
    uint64_t first = chance_seed(1), sums[5] = {0};
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct model *m = calloc(1, sizeof *m);
        if (!m) return 1;
        m->seed = seed;
        m->err = (lsched_error)LSCHED_ERROR_INIT;
        m->chance = (struct chance){seed};
        make(m);
        for (m->step = 0; m->step < STEPS; m->step++) step(m);
        const uint64_t of[5] = {m->placed, m->chosen, m->faster, m->beside, m->tables};
        for (int i = 0; i < 5; i++) sums[i] += of[i];
        lsched_cluster_destroy(m->c);
        free(m);
    }
    printf("placed %" PRIu64 ", not on the first node with room %" PRIu64
           ", on a faster one %" PRIu64 ", with some harm %" PRIu64 "; tables %" PRIu64 "\n",
           sums[0], sums[1], sums[2], sums[3], sums[4]);
    return 0;
}
