/*
 * Resizes of running tasks, under random events: requests for more and less, settlements of all
 * kinds, evictions, ends, failures, nodes that grow, shrink and go, limits that change, cycles that
 * do not ask for the kind, proposals that expire, clones and saves.
 *
 * After each event, the verifier checks the state, and a model outside the library checks what the
 * calls say: the use of the top queue is the sum of what its tasks are charged; a charge is the
 * larger of what a task has and wants while a decision is open, and what it has otherwise; what a
 * task has changes by a confirmation alone. A clone that was saved and loaded makes the same plan.
 * No wish waits without a reason, unless the next cycle is due at once.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum { NODES = 4, JOBS = 40, TASKS = 4, STEPS = 150, KINDS = 2, OPEN = 64, ROUNDS = 120 };
#define SECOND INT64_C(1000000)

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs;
    lsched_cluster *c;
    lsched_plan *plan;
    lsched_error err;
    int64_t now;
    lsched_id node[NODES], queue[3], job[JOBS];
    uint32_t tasks[JOBS];
    int64_t request[JOBS][KINDS]; /* of one task, as submitted */
    lsched_id open[OPEN];         /* decisions of the latest plans */
    uint32_t kind[OPEN], n_open;
    int64_t has[JOBS][TASKS][KINDS]; /* what running tasks had at the latest look; -1: not known */
    uint64_t proposed, confirmed, waited, withdrawn, twins;
};

static const uint32_t kinds[KINDS] = {LSCHED_CPU, LSCHED_MEMORY};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u: %s (%s)\n", m->seed, m->step, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

/* ---- the world ---- */

static void submit(struct model *m) {
    static const char *const queues[] = {"a", "b"};
    struct chance *c = &m->chance;
    lsched_amount request[] = {{LSCHED_CPU, 0, 500 * chance_between(c, 1, 6)},
                               {LSCHED_MEMORY, 0, chance_between(c, 0, 4)},
                               {LSCHED_GPU, 0, 1000 * chance_between(c, 0, 1)}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[24];
    if (m->n_jobs == JOBS) return;
    snprintf(name, sizeof name, "j%u", m->n_jobs);
    group.request = request;
    group.n_request = 3;
    group.max_count = 1 + chance_below(c, TASKS);
    group.min_count = 1 + chance_below(c, group.max_count);
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queues[chance_below(c, 2)]);
    job.groups = &group;
    job.n_groups = 1;
    job.priority = (int32_t)chance_below(c, 4);
    job.flags = chance_one_in(c, 3) ? LSCHED_JOB_NON_PREEMPTIBLE : 0;
    m->tasks[m->n_jobs] = group.max_count;
    for (uint32_t k = 0; k < KINDS; k++) m->request[m->n_jobs][k] = request[k].amount;
    CHECK(m,
          lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &m->job[m->n_jobs], NULL, &m->err) ==
              1,
          "submit");
    memset(m->has[m->n_jobs], 0xFF, sizeof m->has[0]);
    m->n_jobs++;
}

static void add_node(struct model *m, uint32_t n) {
    lsched_amount room[] = {{LSCHED_CPU, 0, 6000}, {LSCHED_MEMORY, 0, 12}};
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 2, .model = LSCHED_TEXT("g")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    char name[24];
    snprintf(name, sizeof name, "n%u-%u", n, m->step);
    node.name = lsched_cstr(name);
    node.capacity = room;
    node.n_capacity = 2;
    node.devices = &gpus;
    node.n_devices = 1;
    CHECK(m, lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, &m->node[n], NULL, &m->err) == 1,
          "add node");
}

static void make(struct model *m) {
    static const char *const policies[] = {
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }",
        "return { api = 1, name = 'p', fair_share = 'quota', pipeline = { 'allocate', "
        "'reclaim', 'preempt', 'consolidate' } }",
        "return { api = 1, name = 'p', fair_share = 'quota', pipeline = { 'drain', "
        "'allocate', 'reclaim' } }"};
    lsched_amount quota = {LSCHED_CPU, 0, 9000}, limit = {LSCHED_CPU, 0, 16000},
                  lend = {LSCHED_CPU, 0, 3000};
    lsched_queue_desc queues[3] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT,
                                   LSCHED_QUEUE_DESC_INIT};
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    lsched_text policy = lsched_cstr(policies[chance_below(&m->chance, 3)]);
    if (lsched_policy_load(m->c, LSCHED_TEXT("p"), policy, NULL, &m->err) < 0)
        wrong(m, "the policy is refused");
    for (uint32_t q = 0; q < 3; q++) {
        queues[q].name = q == 0 ? LSCHED_TEXT("top") : q == 1 ? LSCHED_TEXT("a") : LSCHED_TEXT("b");
        if (q) queues[q].parent_name = LSCHED_TEXT("top");
        queues[q].quota = &quota;
        queues[q].n_quota = 1;
        queues[q].limit = &limit;
        queues[q].n_limit = q ? chance_below(&m->chance, 2) : 0;
        queues[q].lend_limit = &lend;
        queues[q].n_lend_limit = q == 1 && chance_one_in(&m->chance, 2);
    }
    CHECK(m,
          lsched_queues_add(m->c, queues, 3, sizeof queues[0], NULL, m->queue, NULL, &m->err) == 3,
          "queues");
    for (uint32_t n = 0; n < NODES; n++) add_node(m, n);
    m->now = 1000 * SECOND;
}

/* ---- what the calls say ---- */

static int64_t amount(struct model *m, uint32_t j, uint32_t i, uint32_t k, uint32_t which) {
    int64_t a = lsched_resize_amount(m->c, m->job[j], i, kinds[k], which, &m->err);
    CHECK(m, a >= 0, "an amount of a running task");
    return a;
}

/* Compares one running task with the model, and notes what it has. */
static void look_at(struct model *m, uint32_t j, uint32_t i, int64_t charged[KINDS]) {
    lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
    CHECK(m, lsched_resize_get(m->c, m->job[j], i, &info, &m->err) == LSCHED_OK, "resize info");
    int open = info.state == LSCHED_RESIZE_STATE_PROPOSED;
    CHECK(m, open == (info.decision != 0), "a proposal and its decision");
    for (uint32_t k = 0; k < KINDS; k++) {
        int64_t has = amount(m, j, i, k, LSCHED_RESIZE_AMOUNT_HAS),
                wants = amount(m, j, i, k, LSCHED_RESIZE_AMOUNT_WANTS);
        charged[k] = amount(m, j, i, k, LSCHED_RESIZE_AMOUNT_CHARGED);
        CHECK(m, charged[k] == (open && wants > has ? wants : has), "what a task is charged");
        CHECK(m, m->has[j][i][k] < 0 || m->has[j][i][k] == has,
              "what a task has changed without a confirmation");
        m->has[j][i][k] = has;
    }
}

static void look(struct model *m) {
    int64_t used[KINDS] = {0};
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "the state is not sound");
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_task_info info = {.size = sizeof info};
        lsched_job_info job = {.size = sizeof job};
        uint64_t cursor = 0;
        int seen[TASKS] = {0};
        if (lsched_job_get(m->c, m->job[j], &job, NULL) != LSCHED_OK) continue;
        while (lsched_tasks_next(m->c, m->job[j], 0, &cursor, &info, &m->err) == 1) {
            int64_t charged[KINDS];
            uint32_t i = info.task_index, state = info.state;
            memcpy(charged, m->request[j], sizeof charged);
            seen[i] |= state == LSCHED_TASK_RUNNING;
            if (state == LSCHED_TASK_RUNNING) look_at(m, j, i, charged);
            int counts = state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_PROPOSED ||
                         state == LSCHED_TASK_CONFIRMED || state == LSCHED_TASK_NOMINATED;
            for (uint32_t k = 0; k < KINDS && counts; k++) used[k] += charged[k];
        }
        for (uint32_t i = 0; i < TASKS; i++)
            if (!seen[i]) memset(m->has[j][i], 0xFF, sizeof m->has[j][i]);
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        int64_t top = -1;
        lsched_queue_amount(m->c, m->queue[0], kinds[k], &top, NULL, NULL, &m->err);
        CHECK(m, top == used[k], "the use of the top queue");
    }
}

/* ---- events ---- */

static void cycle(struct model *m) {
    struct chance *c = &m->chance;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    int asks = !chance_one_in(c, 4);
    m->now += (int64_t)chance_below(c, 40) * SECOND;
    opts.now_us = m->now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | (uint32_t)asks << LSCHED_DECIDE_RESIZE;
    if (chance_one_in(c, 3)) opts.proposal_life_us = 30 * SECOND;
    if (chance_one_in(c, 6)) opts.decisions_max = 1;
    lsched_cluster *twin = NULL;
    if (chance_one_in(c, 4))
        CHECK(m, lsched_cluster_clone(m->c, &twin, &m->err) == LSCHED_OK, "clone");
    lsched_plan_destroy(m->plan);
    m->plan = NULL;
    CHECK(m, lsched_schedule(m->c, &opts, &m->plan, &m->err) == LSCHED_OK, "cycle");
    lsched_plan_info info = {.size = sizeof info};
    CHECK(m, lsched_plan_get(m->plan, &info, NULL) == LSCHED_OK, "plan");
    if (twin) {
        lsched_plan *other = NULL;
        lsched_plan_info same = {.size = sizeof same};
        CHECK(m, lsched_schedule(twin, &opts, &other, &m->err) == LSCHED_OK, "cycle of a clone");
        CHECK(m,
              lsched_plan_get(other, &same, NULL) == LSCHED_OK &&
                  same.plan_hash == info.plan_hash && same.next_wake_us == info.next_wake_us,
              "a clone makes another plan");
        lsched_plan_destroy(other);
        lsched_cluster_destroy(twin);
        m->twins++;
    }
    for (size_t i = 0; i < lsched_plan_size(m->plan) && m->n_open < OPEN; i++) {
        const lsched_decision *d = lsched_plan_at(m->plan, i);
        CHECK(m, asks || d->kind != LSCHED_DECIDE_RESIZE, "a kind that was not asked for");
        m->kind[m->n_open] = d->kind;
        m->open[m->n_open++] = d->id;
        m->proposed += d->kind == LSCHED_DECIDE_RESIZE;
    }
    if (!asks || opts.decisions_max) return;
    lsched_resize_info z = LSCHED_RESIZE_INFO_INIT;
    for (uint64_t at = 0; lsched_resizes_next(m->c, &at, &z, &m->err) == 1;) {
        if (z.state != LSCHED_RESIZE_STATE_WAITING) continue;
        /* an eviction that this cycle undid again withdrew the proposal */
        int again = z.code == LSCHED_WAIT_NONE && info.next_wake_us <= m->now;
        CHECK(m, again || (z.code != LSCHED_WAIT_NONE && z.need > z.have),
              "a wish waits without a reason");
        m->waited += (uint64_t)!again;
    }
}

/* Ends what is open of the decision's task, as a host would. */
static void settle(struct model *m) {
    struct chance *c = &m->chance;
    if (m->n_open == 0) return;
    uint32_t at = chance_below(c, m->n_open);
    lsched_id id = m->open[at];
    lsched_decision d = {.size = sizeof d};
    m->n_open--;
    uint32_t kind = m->kind[at];
    m->open[at] = m->open[m->n_open];
    m->kind[at] = m->kind[m->n_open];
    if (lsched_decision_get(m->c, id, &d, NULL) != LSCHED_OK) {
        m->withdrawn += kind == LSCHED_DECIDE_RESIZE;
        return;
    }
    int rejects = chance_one_in(c, 4);
    lsched_settlement s = {sizeof s,
                           rejects ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED,
                           id,
                           {NULL, 0},
                           NULL};
    uint32_t j = 0;
    while (m->job[j] != d.job) j++;
    if (d.kind == LSCHED_DECIDE_RESIZE && !rejects)
        for (uint32_t k = 0; k < KINDS; k++)
            m->has[j][d.task_index][k] = amount(m, j, d.task_index, k, LSCHED_RESIZE_AMOUNT_WANTS);
    CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
    m->confirmed += d.kind == LSCHED_DECIDE_RESIZE && !rejects;
    if (rejects) return;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = d.job;
    e.task_index = d.task_index;
    e.event = d.kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
    if (d.kind == LSCHED_DECIDE_PLACE || d.kind == LSCHED_DECIDE_EVICT ||
        d.kind == LSCHED_DECIDE_MIGRATE)
        CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) == 1, "report");
}

static void resize(struct model *m) {
    struct chance *c = &m->chance;
    if (m->n_jobs == 0) return;
    lsched_amount request[] = {{LSCHED_CPU, 0, 500 * chance_between(c, 0, 8)},
                               {LSCHED_MEMORY, 0, chance_between(c, 0, 9)}};
    lsched_task_resize z = LSCHED_TASK_RESIZE_INIT;
    uint32_t j = chance_below(c, m->n_jobs);
    z.job = m->job[j];
    z.task_index = chance_below(c, m->tasks[j]);
    z.request = request + chance_below(c, 2);
    z.n_request = 1;
    if (chance_one_in(c, 3)) z.request = request, z.n_request = 2;
    lsched_batch_opts opts = {sizeof opts, chance_one_in(c, 2) ? LSCHED_BATCH_IDEMPOTENT : 0};
    (void)lsched_tasks_resize(m->c, &z, 1, sizeof z, &opts, NULL, &m->err); /* it can be refused */
}

static void stop(struct model *m) {
    struct chance *c = &m->chance;
    if (m->n_jobs == 0) return;
    uint32_t j = chance_below(c, m->n_jobs);
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = m->job[j];
    e.task_index = chance_below(c, m->tasks[j]);
    e.event = chance_one_in(c, 2) ? LSCHED_EVENT_ENDED : LSCHED_EVENT_FAILED;
    (void)lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err); /* if it runs */
}

static void change_node(struct model *m) {
    struct chance *c = &m->chance;
    uint32_t n = chance_below(c, NODES);
    if (chance_one_in(c, 6)) {
        CHECK(m, lsched_nodes_remove(m->c, &m->node[n], 1, NULL, NULL, &m->err) == 1, "remove");
        add_node(m, n);
        return;
    }
    lsched_amount room = {LSCHED_CPU, 0, 1000 * chance_between(c, 4, 9)};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = m->node[n];
    u.set = LSCHED_NODE_SET_CAPACITY;
    u.capacity = &room;
    u.n_capacity = 1;
    CHECK(m, lsched_nodes_update(m->c, &u, 1, sizeof u, NULL, NULL, &m->err) == 1, "node update");
}

static void change_queue(struct model *m) {
    lsched_amount limit = {LSCHED_CPU, 0, 1000 * chance_between(&m->chance, 6, 20)};
    lsched_queue_update u = LSCHED_QUEUE_UPDATE_INIT;
    u.queue = m->queue[1 + chance_below(&m->chance, 2)];
    u.set = LSCHED_QUEUE_SET_LIMIT;
    u.limit = &limit;
    u.n_limit = 1;
    CHECK(m, lsched_queues_update(m->c, &u, 1, sizeof u, NULL, NULL, &m->err) == 1, "queue update");
}

struct bytes {
    char *p;
    size_t n;
};
static int32_t append(void *user, const void *p, size_t n) {
    struct bytes *b = user;
    char *more = realloc(b->p, b->n + n);
    if (!more) return -1;
    b->p = more;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

/* The run continues with a cluster that was saved and loaded. */
static void reload(struct model *m) {
    struct bytes b = {NULL, 0};
    lsched_cluster *other = NULL;
    CHECK(m, lsched_cluster_save(m->c, append, &b, &m->err) == LSCHED_OK, "save");
    CHECK(m, lsched_cluster_load(NULL, b.p, b.n, &other, &m->err) == LSCHED_OK, "load");
    free(b.p);
    lsched_cluster_destroy(m->c);
    m->c = other;
}

static void run(struct model *m, uint64_t seed) {
    memset(m, 0, sizeof *m);
    m->seed = seed;
    m->chance.state = seed;
    m->err = (lsched_error)LSCHED_ERROR_INIT;
    make(m);
    for (m->step = 1; m->step <= STEPS; m->step++) {
        uint32_t what = chance_below(&m->chance, 20);
        if (what < 2)
            submit(m);
        else if (what < 8)
            cycle(m);
        else if (what < 13)
            settle(m);
        else if (what < 17)
            resize(m);
        else if (what == 17)
            stop(m);
        else if (what == 18)
            (chance_one_in(&m->chance, 2) ? change_node : change_queue)(m);
        else if (chance_one_in(&m->chance, 3))
            reload(m);
        look(m);
    }
    lsched_plan_destroy(m->plan);
    lsched_cluster_destroy(m->c);
}

int main(void) {
    static struct model m;
    uint64_t first = chance_seed(1), sum[5] = {0};
    uint32_t rounds = chance_rounds(ROUNDS);
    for (uint32_t r = 0; r < rounds; r++) {
        run(&m, first + r);
        sum[0] += m.proposed;
        sum[1] += m.confirmed;
        sum[2] += m.waited;
        sum[3] += m.withdrawn;
        sum[4] += m.twins;
    }
    printf("%u rounds: %" PRIu64 " resizes proposed, %" PRIu64 " confirmed, %" PRIu64
           " withdrawn, %" PRIu64 " waits seen, %" PRIu64 " plans compared with a clone's\n",
           rounds, sum[0], sum[1], sum[3], sum[2], sum[4]);
    return chance_enough(sum[0], 500, ROUNDS) && chance_enough(sum[1], 100, ROUNDS) &&
                   chance_enough(sum[2], 500, ROUNDS) && chance_enough(sum[3], 50, ROUNDS)
               ? 0
               : 1;
}
