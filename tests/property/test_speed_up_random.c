/*
 * The action "speed-up" against a model in plain arrays: random jobs with one task on random models
 * of devices, which come free as jobs end.
 *
 * The model computes each gain and each price from the numbers that it wrote into the policy and
 * the jobs. After each cycle it checks:
 *   - a job that moves gains more time than it pays, may be moved, and has been in its place for
 *     the least time, so that no job moves twice within it
 *   - no job that waits could run on the node to which another job moves
 *   - no job that still could move, by the same rules, is left where it is
 *   - a clone that runs the same cycle makes the same plan
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints the seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum { MODELS = 3, KINDS = 2, NODES = 5, JOBS = 14, CYCLES = 12, DEVICES_MOST = 4 };
#define SECOND  INT64_C(1000000)
#define START   (100000 * SECOND)
#define RELEASE (30 * SECOND) /* the default of policies */
#define MINUTE  (60 * SECOND)

struct job {
    lsched_id id;
    uint32_t kind, gpus, only; /* kind: KINDS for a name that the table lacks; only: 1 + a model */
    int is_there, stays, node; /* node: where it runs, -1 for nowhere */
    int moves, goes; /* moves: 1 if the plan moves it; goes: to which node it has moved, or -1 */
    int64_t duration, checkpoint, restart, since, start, moved;
};

struct model {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    lsched_error err;
    int64_t now, price, stay;
    uint32_t speed[KINDS][MODELS], devices[NODES], of[NODES], n_submitted;
    lsched_id node[NODES];
    struct job job[JOBS];
    uint64_t moves, kept_by_waiting, kept_by_stay;
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ": %s (%s)\n", m->seed, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static const char *const model_names[MODELS] = {"A100", "H100", "T4"};
static const char *const kind_names[KINDS + 1] = {"a", "b", "unknown"};

/* ---- the rules ---- */

static int64_t lost(const struct model *m, const struct job *j) {
    int64_t ran = m->now - j->start;
    return j->checkpoint ? ran % j->checkpoint : ran;
}

/* True if the job gains more than it pays when it moves to the node. */
static int gains(const struct model *m, const struct job *j, uint32_t to) {
    if (j->kind == KINDS || j->duration == 0 || j->node < 0) return 0;
    int64_t left = j->since + j->duration - m->now;
    int64_t slow = m->speed[j->kind][m->of[j->node]], fast = m->speed[j->kind][m->of[to]];
    if (left <= 0 || fast <= slow) return 0;
    int64_t saved = left * (fast - slow) / fast; /* at most 10^15 before the division */
    return saved > lost(m, j) + j->restart + MINUTE + RELEASE + m->price;
}

/* True if the job could run on the node if it were empty. */
static int can_run(const struct model *m, const struct job *j, uint32_t node) {
    return m->devices[node] >= j->gpus && (j->only == 0 || j->only - 1 == m->of[node]);
}

static int is_ripe(const struct model *m, const struct job *j) {
    return m->now - j->start >= m->stay;
}

/* ---- the world ---- */

static void load_policy(struct model *m) {
    struct chance *c = &m->chance;
    char text[1024];
    m->price = SECOND * (chance_one_in(c, 3) ? 0 : chance_between(c, 0, 7200));
    m->stay = SECOND * (chance_one_in(c, 4) ? 0 : chance_between(c, 60, 7200));
    size_t n = (size_t)snprintf(text, sizeof text,
                                "return { api = 1, order = 'fifo', pipeline = { 'allocate', "
                                "'speed-up' }, params = { speed_up_price = %d, speed_up_stay = %d "
                                "}, speeds = { speed = { ",
                                (int)(m->price / SECOND), (int)(m->stay / SECOND));
    for (uint32_t k = 0; k < KINDS; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s = { ", kind_names[k]);
        for (uint32_t i = 0; i < MODELS; i++) {
            m->speed[k][i] = 500 + 500 * chance_below(c, 8);
            if (i && chance_one_in(c, 6))
                m->speed[k][i] = 1000; /* a hole */
            else
                n += (size_t)snprintf(text + n, sizeof text - n, "%s = %u.%u, ", model_names[i],
                                      m->speed[k][i] / 1000, m->speed[k][i] / 100 % 10);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "}, ");
    }
    snprintf(text + n, sizeof text - n, "} } }");
    CHECK(m, lsched_policy_load(m->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &m->err) >= 0,
          text);
}

static void make(struct model *m) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    queue.name = LSCHED_TEXT("q");
    CHECK(m, lsched_queues_add(m->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &m->err) == 1,
          "queue");
    for (uint32_t i = 0; i < NODES; i++) {
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        lsched_device_desc device = LSCHED_DEVICE_DESC_INIT;
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        m->devices[i] = 1 + chance_below(&m->chance, DEVICES_MOST);
        m->of[i] = chance_below(&m->chance, MODELS);
        device.count = m->devices[i];
        device.model = lsched_cstr(model_names[m->of[i]]);
        node.name = lsched_cstr(name);
        node.devices = &device;
        node.n_devices = 1;
        CHECK(m,
              lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, &m->node[i], NULL, &m->err) == 1,
              "node");
    }
    load_policy(m);
}

static void submit(struct model *m, struct job *j) {
    struct chance *c = &m->chance;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[12];
    snprintf(name, sizeof name, "j%03u", m->n_submitted++);
    *j = (struct job){.is_there = 1, .node = -1, .goes = -1, .gpus = 1 + chance_below(c, 2)};
    j->kind = chance_below(c, 2 * KINDS + 1) / 2;
    j->only = chance_one_in(c, 2) ? 1 + chance_below(c, MODELS) : 0;
    j->duration = chance_one_in(c, 8) ? 0 : SECOND * chance_between(c, 600, 100000);
    j->checkpoint = chance_one_in(c, 4) ? 0 : SECOND * chance_between(c, 60, 1200);
    j->restart = chance_one_in(c, 2) ? 0 : SECOND * chance_between(c, 1, 1800);
    j->stays = chance_one_in(c, 6);
    lsched_amount request = {LSCHED_GPU, 0, 1000 * (int64_t)j->gpus};
    lsched_text only = lsched_cstr(model_names[j->only ? j->only - 1 : 0]);
    group.request = &request;
    group.n_request = 1;
    group.device_models = &only;
    group.n_device_models = j->only != 0;
    group.work_kind = lsched_cstr(kind_names[j->kind]);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.duration_us = j->duration;
    job.checkpoint_period_us = j->checkpoint;
    job.restart_cost_us = j->restart;
    if (j->stays)
        job.flags = chance_one_in(c, 2) ? LSCHED_JOB_NON_PREEMPTIBLE : LSCHED_JOB_INTERACTIVE;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &j->id, NULL, &m->err) == 1,
          "submit");
}

static struct job *job_of(struct model *m, lsched_id id) {
    for (uint32_t i = 0; i < JOBS; i++)
        if (m->job[i].is_there && m->job[i].id == id) return &m->job[i];
    wrong(m, "a decision about no job");
    return NULL;
}

static uint32_t node_of(const struct model *m, lsched_id id) {
    for (uint32_t i = 0; i < NODES; i++)
        if (m->node[i] == id) return i;
    wrong(m, "a decision about no node");
    return 0;
}

static void report(struct model *m, const struct job *j, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = j->id;
    e.at_us = m->now;
    CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) >= 0, "report");
}

/* ---- cycles ---- */

static lsched_plan *plan_of(struct model *m, lsched_cluster *c, uint64_t *hash) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    o.now_us = m->now;
    o.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    CHECK(m, lsched_schedule(c, &o, &plan, &m->err) >= 0, "schedule");
    lsched_plan_get(plan, &info, NULL);
    *hash = info.plan_hash;
    return plan;
}

/* Counts the devices of each node that no job holds and no job is to get. */
static void count_free(const struct model *m, const struct job *jobs, const int *to,
                       uint32_t *left) {
    for (uint32_t i = 0; i < NODES; i++) left[i] = m->devices[i];
    for (uint32_t i = 0; i < JOBS; i++) {
        if (!jobs[i].is_there) continue;
        if (jobs[i].node >= 0) left[jobs[i].node] -= jobs[i].gpus;
        if (to[i] >= 0) left[to[i]] -= jobs[i].gpus;
    }
}

/* Checks the moves of a plan. `to`: the node to which each job is to go, -1 for none. */
static void check_moves(struct model *m, const int *to) {
    uint32_t left[NODES];
    count_free(m, m->job, to, left);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct job *j = &m->job[i];
        if (!j->is_there || j->node < 0) continue;
        int moves = to[i] >= 0;
        for (uint32_t n = 0; n < NODES; n++) {
            int waits = 0;
            if (moves && (int)n != to[i]) continue;
            for (uint32_t w = 0; w < JOBS; w++)
                waits |= m->job[w].is_there && m->job[w].node < 0 && to[w] < 0 &&
                         can_run(m, &m->job[w], n);
            int may = gains(m, j, n) && can_run(m, j, n) && !j->stays;
            int fits = moves || (left[n] >= j->gpus && (int)n != j->node);
            if (moves) CHECK(m, may && !waits && is_ripe(m, j), "a move against the rules");
            if (moves) continue;
            CHECK(m, !(may && fits && !waits && is_ripe(m, j)), "a job that could move stays");
            m->kept_by_waiting += may && fits && waits && is_ripe(m, j);
            m->kept_by_stay += may && fits && !waits && !is_ripe(m, j);
        }
        if (!moves) continue;
        CHECK(m, j->moved == 0 || m->now - j->moved >= m->stay, "a job moves twice in its time");
        j->moved = m->now;
        j->moves = 1;
        m->moves++;
    }
}

static void settle(struct model *m, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement s = {sizeof s, LSCHED_OUTCOME_CONFIRMED, d->id, {NULL, 0}, NULL};
        struct job *j = job_of(m, d->job);
        if (d->kind == LSCHED_DECIDE_NOMINATE) continue;
        CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        j->node = (int)node_of(m, d->node);
        j->start = m->now;
        if (j->since == 0) j->since = m->now;
        report(m, j, LSCHED_EVENT_STARTED);
    }
}

/* Runs a cycle. Afterwards each job that moves has left its old place, and waits to start in the
 * new one. Returns the number of such jobs. */
static int cycle(struct model *m) {
    lsched_cluster *other = NULL;
    uint64_t hash, again;
    int to[JOBS], moves = 0;
    CHECK(m, lsched_cluster_clone(m->c, &other, &m->err) == LSCHED_OK, "clone");
    lsched_plan *plan = plan_of(m, m->c, &hash);
    lsched_plan_destroy(plan_of(m, other, &again));
    lsched_cluster_destroy(other);
    CHECK(m, hash == again, "a clone has another plan");
    for (uint32_t i = 0; i < JOBS; i++) to[i] = -1;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        CHECK(m, d->kind != LSCHED_DECIDE_EVICT, "work is stopped");
        if (d->kind == LSCHED_DECIDE_MIGRATE)
            CHECK(m, d->reason == LSCHED_FOR_SPEED && d->for_job == 0, "a move for another reason");
        else
            to[job_of(m, d->job) - m->job] = (int)node_of(m, d->node);
    }
    check_moves(m, to);
    settle(m, plan);
    lsched_plan_destroy(plan);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct job *j = &m->job[i];
        if (!j->is_there) continue;
        CHECK(m, j->goes < 0 || j->goes == j->node, "a job that moved is not in its new place");
        j->goes = j->moves ? to[i] : -1;
        if (!j->moves) continue;
        report(m, j, LSCHED_EVENT_FAILED);
        j->node = -1;
        j->moves = 0;
        moves++;
    }
    return moves;
}

static void play(struct model *m) {
    m->now = START;
    for (uint32_t i = 0; i < CYCLES; i++, m->now += SECOND * chance_between(&m->chance, 1, 5000)) {
        for (uint32_t n = 0; n < JOBS; n++) {
            struct job *j = &m->job[n];
            int ends = j->is_there && chance_one_in(&m->chance, j->node < 0 ? 4 : 6);
            if (ends)
                CHECK(m, lsched_jobs_remove(m->c, &j->id, 1, NULL, NULL, &m->err) == 1, "end");
            if (ends) j->is_there = 0;
            if (!j->is_there && chance_one_in(&m->chance, i ? 6 : 2)) submit(m, j);
        }
        while (cycle(m)) {}
    }
}

int main(void) {
    enum { ROUNDS = 400 };
    uint32_t rounds = chance_rounds(ROUNDS);
    uint64_t first = chance_seed(1), sums[3] = {0};
    static struct model m;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        m = (struct model){.chance = {seed}, .seed = seed};
        m.err = (lsched_error)LSCHED_ERROR_INIT;
        make(&m);
        play(&m);
        const uint64_t of[3] = {m.moves, m.kept_by_waiting, m.kept_by_stay};
        for (int i = 0; i < 3; i++) sums[i] += of[i];
        lsched_cluster_destroy(m.c);
    }
    printf("moves %" PRIu64 "; kept back by jobs that wait %" PRIu64 ", by the least time %" PRIu64
           "\n",
           sums[0], sums[1], sums[2]);
    return !chance_enough(sums[0], 60, ROUNDS) || !chance_enough(sums[1], 15, ROUNDS) ||
           !chance_enough(sums[2], 30, ROUNDS);
}
