/*
 * Soft limits under random events: jobs of two queues with and without a soft limit, limits and
 * priorities that change, minimum run times, stops that the host refuses, ends, clones, saves, and a clock
 * that is set back. Each job has one task of one core on equal nodes, so that any task can take the
 * place of any other.
 *
 * A plain model reads from the public calls what runs, since when, and what waits. It knows the rules
 * of soft limits and no search:
 *   - work of the job's own queue is stopped only if its priority is lower, or equal and its soft limit
 *     is over, and only after the minimum run time of its queue
 *   - no work is stopped for a job while work of the same queue runs on that is past its soft limit
 *     and could be stopped for the same job
 *   - when no cycle is due, no job waits beside work of its queue that its soft limit lets it stop
 *   - lsched_next_wake() is not after the first time at which such work can be stopped
 *   - lsched_job_end_get() says the end of the soft limit
 * LSCHED_SCHEDULE_VERIFY repeats each plan with the independent verifier.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"
#include "support/cluster_copy.h"

enum { NODES = 2, CORES = 3, QUEUES = 2, JOBS = 40, STEPS = 100, WAKES = 400 };
#define SECOND   INT64_C(1000000)
#define GRACE_US (20 * SECOND)

/* One job as the library says before a cycle, and what only the host knows of it. */
struct seen {
    uint32_t queue, state; /* LSCHED_TASK_* of its task */
    int32_t priority;
    int64_t since, soft, refused_until;
    int stopped; /* 1: the plan that is read stops it */
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs;
    int reclaims; /* 1: the pipeline has reclaim, so that work stops for other queues, too */
    lsched_cluster *c;
    lsched_error err;
    int64_t now, least[QUEUES]; /* least: the minimum run time of each queue */
    lsched_id node[NODES], queue[QUEUES], job[JOBS];
    struct seen seen[JOBS];
    uint64_t cycles, equals, lowers, others, before, refused, back, told;
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u, now %" PRId64 ": %s (%s)\n", m->seed, m->step,
            m->now, what, m->err.message);
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        const struct seen *s = &m->seen[j];
        fprintf(stderr,
                "  j%u: queue %u, state %u, priority %d, since %" PRId64 ", soft %" PRId64 "\n", j,
                s->queue, s->state, s->priority, s->since, s->soft);
    }
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

/* ---- the model ---- */

static uint32_t job_of(const struct model *m, lsched_id id) {
    uint32_t j = 0;
    while (m->job[j] != id) j++;
    return j;
}

/* Returns when the soft limit of the job lets jobs of equal priority stop it, LSCHED_NEVER_US if
 * never. */
static int64_t soft_end(const struct model *m, uint32_t j) {
    const struct seen *s = &m->seen[j];
    if (s->state != LSCHED_TASK_RUNNING || s->soft == 0) return LSCHED_NEVER_US;
    int64_t at = s->since + s->soft, ripe = s->since + m->least[s->queue];
    if (ripe > at) at = ripe;
    return s->refused_until > at ? s->refused_until : at;
}

/* Reads all jobs. */
static void look(struct model *m) {
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        struct seen *s = &m->seen[j];
        lsched_job_info info = {.size = sizeof info};
        lsched_task_info task = {.size = sizeof task};
        lsched_job_end end = LSCHED_JOB_END_INIT;
        uint64_t cursor = 0;
        s->stopped = 0;
        s->state = LSCHED_TASK_DONE;
        if (lsched_job_get(m->c, m->job[j], &info, NULL) != LSCHED_OK) continue;
        CHECK(m, lsched_tasks_next(m->c, m->job[j], 0, &cursor, &task, &m->err) >= 0, "tasks");
        s->state = info.tasks_placed == 0 ? LSCHED_TASK_NONE : task.state;
        s->since = info.running_since_us;
        CHECK(m, lsched_job_end_get(m->c, m->job[j], &end, &m->err) == LSCHED_OK, "the end");
        int64_t over =
            s->soft && s->state == LSCHED_TASK_RUNNING ? s->since + s->soft : LSCHED_NEVER_US;
        CHECK(m, end.soft_us == over, "another end of the soft limit");
    }
}

/* True if a job of equal priority can stop the job now, because its soft limit is over. */
static int is_over(const struct model *m, uint32_t j) {
    return soft_end(m, j) <= m->now && !m->seen[j].stopped;
}

static void check_stop(struct model *m, const lsched_decision *d) {
    uint32_t v = job_of(m, d->job), f = job_of(m, d->for_job);
    struct seen *victim = &m->seen[v], *mine = &m->seen[f];
    int over = is_over(m, v);
    CHECK(m, victim->state == LSCHED_TASK_RUNNING, "work that does not run stops");
    CHECK(m, m->now - victim->since >= m->least[victim->queue], "work stops too early");
    victim->stopped = 1;
    if (d->reason == LSCHED_FOR_PREEMPT) {
        CHECK(m, victim->queue == mine->queue, "work of another queue is preempted");
        CHECK(m, victim->priority < mine->priority || (over && victim->priority == mine->priority),
              "a job stops work that does not yield to it");
        m->equals += victim->priority == mine->priority;
        m->lowers += victim->priority < mine->priority;
    } else {
        CHECK(m, d->reason == LSCHED_FOR_RECLAIM && victim->queue != mine->queue, "reason");
        m->others += (uint64_t)over;
    }
    m->before += (uint64_t)over;
    for (uint32_t j = 0; j < m->n_jobs && !over; j++)
        CHECK(m,
              !is_over(m, j) || m->seen[j].queue != victim->queue ||
                  (d->reason == LSCHED_FOR_PREEMPT && m->seen[j].priority > mine->priority),
              "other work stops before work past its soft limit");
}

/* No cycle is due now: no job waits that could have stopped work, and the next cycle is due in time
 * for those that can stop some later. */
static void check_rest(struct model *m) {
    int64_t wake = lsched_next_wake(m->c);
    look(m);
    for (uint32_t w = 0; w < m->n_jobs; w++)
        for (uint32_t j = 0; j < m->n_jobs && m->seen[w].state == LSCHED_TASK_NONE; j++) {
            int64_t at = soft_end(m, j);
            if (m->seen[j].queue != m->seen[w].queue || at == LSCHED_NEVER_US ||
                m->seen[j].priority > m->seen[w].priority)
                continue;
            CHECK(m, at > m->now, "a job waits beside work past its soft limit");
            CHECK(m, wake <= at, "no cycle is due at the end of a soft limit");
            m->told++;
        }
}

/* ---- the host ---- */

static void answer(struct model *m, lsched_id decision, int32_t outcome) {
    lsched_settlement s = {sizeof s, outcome, decision, {NULL, 0}, NULL};
    CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
}

static int64_t report(struct model *m, uint32_t j, uint32_t event) {
    lsched_task_event e = {.size = sizeof e, .event = event, .job = m->job[j], .at_us = m->now};
    return lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, NULL);
}

static void carry_out(struct model *m, const lsched_decision *d) {
    uint32_t j = job_of(m, d->job);
    if (lsched_decision_state(m->c, d->id, NULL) < 0) return; /* an answer withdrew it */
    if (d->kind == LSCHED_DECIDE_PLACE) CHECK(m, report(m, j, LSCHED_EVENT_STARTED) == 1, "start");
    if (d->kind != LSCHED_DECIDE_EVICT) return;
    if (chance_one_in(&m->chance, 5)) {
        answer(m, d->id, LSCHED_OUTCOME_REJECTED);
        m->seen[j].refused_until = m->now + GRACE_US;
        m->refused++;
    } else {
        CHECK(m, report(m, j, LSCHED_EVENT_FAILED) == 1, "stop");
    }
}

static void cycle(struct model *m) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = m->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    look(m);
    CHECK(m, lsched_schedule(m->c, &o, &plan, &m->err) >= 0, "schedule");
    m->cycles++;
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        if (lsched_plan_at(plan, i)->kind == LSCHED_DECIDE_EVICT)
            check_stop(m, lsched_plan_at(plan, i));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) carry_out(m, lsched_plan_at(plan, i));
    lsched_plan_destroy(plan);
}

/* Cycles at each time that a cycle names. */
static void pass_time(struct model *m, int64_t to) {
    for (uint32_t n = 0;; n++) {
        int64_t wake = lsched_next_wake(m->c);
        CHECK(m, n < WAKES, "the cluster asks for cycles without an end");
        if (wake > m->now) check_rest(m);
        if (wake > to) break;
        if (wake > m->now) m->now = wake;
        cycle(m);
    }
    m->now = to;
    cycle(m);
}

/* ---- events ---- */

static int64_t random_limit(struct chance *c) {
    return chance_one_in(c, 3) ? 0 : chance_between(c, 1, 200) * SECOND;
}

static void submit(struct model *m) {
    struct chance *c = &m->chance;
    char name[16];
    if (m->n_jobs == JOBS) return;
    snprintf(name, sizeof name, "j%u", m->n_jobs);
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = &cpu;
    g.n_request = 1;
    struct seen *s = &m->seen[m->n_jobs];
    s->queue = chance_below(c, QUEUES);
    s->priority = (int32_t)chance_below(c, 3);
    s->soft = random_limit(c);
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue = m->queue[s->queue];
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.priority = s->priority;
    d.submit_us = m->now;
    d.soft_limit_us = s->soft;
    CHECK(m,
          lsched_jobs_submit(m->c, &d, 1, sizeof d, NULL, &m->job[m->n_jobs], NULL, &m->err) == 1,
          "submit");
    m->n_jobs++;
}

static void update(struct model *m) {
    struct chance *c = &m->chance;
    uint32_t j = chance_below(c, m->n_jobs);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = m->job[j];
    u.set = chance_one_in(c, 3) ? LSCHED_JOB_SET_PRIORITY : LSCHED_JOB_SET_SOFT_LIMIT;
    u.priority = (int32_t)chance_below(c, 3);
    u.soft_limit_us = random_limit(c);
    if (lsched_jobs_update(m->c, &u, 1, sizeof u, NULL, NULL, NULL) != 1) return;
    if (u.set == LSCHED_JOB_SET_PRIORITY)
        m->seen[j].priority = u.priority;
    else
        m->seen[j].soft = u.soft_limit_us;
}

static void swap(struct model *m) {
    lsched_cluster *other = NULL;
    if (chance_one_in(&m->chance, 2)) {
        CHECK(m, lsched_cluster_clone(m->c, &other, &m->err) == LSCHED_OK, "clone");
    } else {
        CHECK(m, cluster_copy_by_image(m->c, &other, &m->err) == LSCHED_OK, "save and load");
    }
    lsched_cluster_destroy(m->c);
    m->c = other;
}

/* What the host refused counts as refused at the new time. */
static void set_back(struct model *m) {
    int64_t to = m->now - chance_between(&m->chance, 1, 100) * SECOND;
    if (to <= SECOND) return;
    for (uint32_t j = 0; j < m->n_jobs; j++)
        if (m->seen[j].refused_until > to + GRACE_US) m->seen[j].refused_until = to + GRACE_US;
    m->now = to;
    m->back++;
    CHECK(m, lsched_clock_set(m->c, to, &m->err) == LSCHED_OK, "set back");
}

static void step(struct model *m) {
    struct chance *c = &m->chance;
    uint32_t what = chance_below(c, 100);
    if (what < 40 || m->n_jobs == 0) submit(m);
    if (what >= 40 && what < 50) update(m);
    if (what >= 50 && what < 60) (void)report(m, chance_below(c, m->n_jobs), LSCHED_EVENT_ENDED);
    if (what >= 60 && what < 64) swap(m);
    if (what == 64) set_back(m);
    if (what >= 65) pass_time(m, m->now + chance_between(c, 0, 60) * SECOND);
}

static void make(struct model *m) {
    static const char *const nodes[] = {"n0", "n1"}, *const queues[] = {"q0", "q1"};
    const char *text = m->reclaims ? "return { api = 1, name = 'p', fair_share = 'quota', pipeline "
                                     "= { 'allocate', 'reclaim', 'preempt' },"
                                     " eviction = { grace_seconds = 20 } }"
                                   : "return { api = 1, name = 'p', fair_share = 'quota', pipeline "
                                     "= { 'allocate', 'preempt' },"
                                     " eviction = { grace_seconds = 20 } }";
    lsched_node_desc n[NODES];
    lsched_queue_desc q[QUEUES];
    /* the second queue has the larger guarantee, and reclaims */
    int64_t least = chance_between(&m->chance, 0, 2);
    lsched_amount cpu = {LSCHED_CPU, 0, CORES * 1000},
                  quota[QUEUES] = {{LSCHED_CPU, 0, least * 1000},
                                   {LSCHED_CPU, 0, chance_between(&m->chance, least, 5) * 1000}};
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    CHECK(m,
          lsched_policy_load(m->c, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &m->err) ==
              LSCHED_OK,
          "policy");
    for (uint32_t i = 0; i < NODES; i++) {
        n[i] = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
        n[i].name = lsched_cstr(nodes[i]);
        n[i].capacity = &cpu;
        n[i].n_capacity = 1;
    }
    for (uint32_t i = 0; i < QUEUES; i++) {
        q[i] = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
        q[i].name = lsched_cstr(queues[i]);
        q[i].quota = &quota[i];
        q[i].n_quota = 1;
        m->least[i] = chance_one_in(&m->chance, 2) ? chance_between(&m->chance, 1, 90) * SECOND : 0;
        q[i].preempt_min_runtime_us = q[i].reclaim_min_runtime_us = m->least[i];
    }
    CHECK(m, lsched_nodes_add(m->c, n, NODES, sizeof n[0], NULL, m->node, NULL, &m->err) == NODES,
          "nodes");
    CHECK(m,
          lsched_queues_add(m->c, q, QUEUES, sizeof q[0], NULL, m->queue, NULL, &m->err) == QUEUES,
          "queues");
    m->now = SECOND;
}

int main(void) {
    uint64_t first = chance_seed(1), sum[8] = {0};
    uint32_t rounds = chance_rounds(100);
    for (uint32_t r = 0; r < rounds; r++) {
        static struct model m;
        memset(&m, 0, sizeof m);
        m.err = (lsched_error)LSCHED_ERROR_INIT;
        m.seed = first + r;
        m.chance.state = m.seed;
        m.reclaims = (int)(m.seed % 2);
        make(&m);
        for (m.step = 0; m.step < STEPS; m.step++) step(&m);
        lsched_cluster_destroy(m.c);
        const uint64_t of[] = {m.cycles, m.equals,  m.lowers, m.others,
                               m.before, m.refused, m.back,   m.told};
        for (int i = 0; i < 8; i++) sum[i] += of[i];
    }
    printf("%" PRIu64 " cycles, %" PRIu64 " tasks stopped for jobs of equal priority, %" PRIu64
           " for higher ones, %" PRIu64 " past their soft limit for other queues, %" PRIu64
           " past it in all, %" PRIu64 " stops refused, %" PRIu64
           " times the clock set back, %" PRIu64 " ends of soft limits awaited\n",
           sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]);
    if (rounds < 20) return 0;
    for (int i = 0; i < 8; i++)
        if (sum[i] == 0) return 1;
    return 0;
}
