/*
 * What `backfill` expects of running and waiting work by the key `estimates` of the table
 * `contention`, against a model in plain arrays.
 *
 * One device is shared by some tasks with known kinds and estimates. A job that needs all of it is
 * planned for the latest expected end. A job that comes later and fits beside the tasks starts if
 * and only if it is expected to end by then. With `estimates = "alone"`, the model lengthens each
 * estimate by the greatest slow-down of the task's kind beside any kind that `max` does not bar; it
 * computes this from the numbers that it wrote into the policy. Time limits bound what is expected.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints the seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum { KINDS = 3, RUNNING = 4 };
#define SECOND INT64_C(1000000)
#define START  (1000 * SECOND)

struct job {
    lsched_id id;
    uint32_t kind, milli; /* kind: KINDS for a name that the table lacks */
    int64_t duration, limit;
};

struct model {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    lsched_error err;
    int is_alone, others; /* others: -1 for none */
    uint32_t most, milli[KINDS][KINDS], n;
    struct job job[RUNNING + 2];
    uint64_t longer, kept_out, started;
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ": %s (%s)\n", m->seed, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static const char *const names[KINDS + 1] = {"a", "b", "c", "unknown"};

/* ---- the model ---- */

static int counts_as(const struct model *m, uint32_t kind) {
    return kind < KINDS ? (int)kind : m->others;
}

static int bars(const struct model *m, int a, int b) {
    return m->most && (m->milli[a][b] > m->most || m->milli[b][a] > m->most);
}

static int64_t lasts(struct model *m, const struct job *j) {
    int kind = counts_as(m, j->kind);
    uint32_t worst = 1000;
    for (int b = 0; m->is_alone && kind >= 0 && j->milli < 1000 && b < KINDS; b++)
        if (!bars(m, kind, b) && m->milli[kind][b] > worst) worst = m->milli[kind][b];
    int64_t longest = j->duration * worst / 1000;
    m->longer += longest > j->duration;
    return j->limit && j->limit < longest ? j->limit : longest;
}

/* ---- the world ---- */

static void load_policy(struct model *m) {
    struct chance *c = &m->chance;
    char text[1024];
    m->is_alone = !chance_one_in(c, 4);
    m->others = chance_one_in(c, 3) ? 1 : -1;
    m->most = chance_one_in(c, 3) ? 0 : 1100 + 100 * chance_below(c, 8);
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         "return { api = 1, order = 'fifo', pipeline = { 'backfill' }, "
                         "contention = { %sestimates = '%s', ",
                         m->others < 0 ? "" : "others = 'b', ", m->is_alone ? "alone" : "beside");
    if (m->most)
        n += (size_t)snprintf(text + n, sizeof text - n, "max = %u.%u, ", m->most / 1000,
                              m->most / 100 % 10);
    n += (size_t)snprintf(text + n, sizeof text - n, "slowdown = { ");
    for (int a = 0; a < KINDS; a++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s = { ", names[a]);
        for (int b = 0; b < KINDS; b++) {
            m->milli[a][b] = 1000 + 100 * chance_below(c, 10);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s = %u.%u, ", names[b],
                                  m->milli[a][b] / 1000, m->milli[a][b] / 100 % 10);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "}, ");
    }
    snprintf(text + n, sizeof text - n, "} } }");
    CHECK(m, lsched_policy_load(m->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &m->err) >= 0,
          text);
}

static void make(struct model *m) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_device_desc device = LSCHED_DEVICE_DESC_INIT;
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    queue.name = LSCHED_TEXT("q");
    CHECK(m, lsched_queues_add(m->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &m->err) == 1,
          "queue");
    device.count = 1;
    device.model = LSCHED_TEXT("H100");
    device.share_mode = LSCHED_SHARING_MPS;
    node.name = LSCHED_TEXT("n");
    node.devices = &device;
    node.n_devices = 1;
    CHECK(m, lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, NULL, NULL, &m->err) == 1, "node");
}

static struct job *submit(struct model *m, uint32_t milli) {
    struct chance *c = &m->chance;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    struct job *j = &m->job[m->n];
    char name[8];
    snprintf(name, sizeof name, "j%u", m->n++);
    *j = (struct job){.kind = chance_below(c, KINDS + 1), .milli = milli};
    /* more than the time until the last check, so that no task outlasts its estimate */
    j->duration = SECOND * chance_between(c, 300, 7200);
    if (chance_one_in(c, 4)) j->limit = j->duration + j->duration / 1000 * chance_below(c, 900);
    lsched_amount request = {LSCHED_GPU, 0, milli};
    group.request = &request;
    group.n_request = 1;
    group.work_kind = lsched_cstr(names[j->kind]);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.duration_us = j->duration;
    job.time_limit_us = j->limit;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &j->id, NULL, &m->err) == 1,
          "submit");
    return j;
}

/* Runs a cycle and starts what it places. Returns 1 if it placed the job; stores in *until until
 * when the job waits otherwise. */
static int cycle(struct model *m, const struct job *j, int64_t now, int64_t *until) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    int placed = 0;
    *until = 0;
    o.now_us = now;
    o.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    CHECK(m, lsched_schedule(m->c, &o, &plan, &m->err) >= 0, "schedule");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement s = {sizeof s, LSCHED_OUTCOME_CONFIRMED, d->id, {NULL, 0}, NULL};
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = d->job;
        placed |= d->job == j->id;
        CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
        CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) >= 0, "report");
    }
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        const lsched_waiting *w = lsched_plan_waiting_at(plan, i);
        if (w->job == j->id && w->code == LSCHED_WAIT_PLANNED) *until = w->until_us;
    }
    lsched_plan_destroy(plan);
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "verify");
    return placed;
}

static void play(struct model *m) {
    int64_t now = START, latest = 0, until, unused;
    uint32_t used = 0, n = 0, kinds[RUNNING];
    load_policy(m);
    for (uint32_t i = 0; i < RUNNING; i++, now += SECOND * chance_between(&m->chance, 1, 50)) {
        struct job *j = submit(m, 50 + 50 * chance_below(&m->chance, 4));
        if (!cycle(m, j, now, &unused)) { /* its kind is barred */
            CHECK(m, lsched_jobs_remove(m->c, &j->id, 1, NULL, NULL, &m->err) == 1, "remove");
            continue;
        }
        int64_t end = now + lasts(m, j);
        if (end > latest) latest = end;
        used += j->milli;
        kinds[n++] = j->kind;
    }
    if (chance_one_in(&m->chance, 4)) load_policy(m), m->n = RUNNING, latest = 0;
    struct job *whole = submit(m, 1000);
    CHECK(m, !cycle(m, whole, now, &until), "the whole device is not free");
    if (latest == 0) return; /* another table: what runs can break its rules */
    CHECK(m, until == latest, "the planned start is not the latest expected end");
    struct job *late = submit(m, 100);
    int kind = counts_as(m, late->kind), fits = used + late->milli <= 1000;
    for (uint32_t i = 0; i < n && kind >= 0; i++) {
        int other = counts_as(m, kinds[i]);
        if (other >= 0 && bars(m, kind, other)) fits = 0;
    }
    int in_time = now + lasts(m, late) <= latest;
    CHECK(m, cycle(m, late, now, &unused) == (fits && in_time), "a start before the planned one");
    m->started += fits && in_time;
    m->kept_out += fits && !in_time && now + late->duration <= latest;
}

int main(void) {
    enum { ROUNDS = 1000 };
    uint32_t rounds = chance_rounds(ROUNDS);
    uint64_t first = chance_seed(1), sums[3] = {0};
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct model m = {.chance = {seed}, .seed = seed};
        m.err = (lsched_error)LSCHED_ERROR_INIT;
        make(&m);
        play(&m);
        const uint64_t of[3] = {m.longer, m.started, m.kept_out};
        for (int i = 0; i < 3; i++) sums[i] += of[i];
        lsched_cluster_destroy(m.c);
    }
    printf("lengthened estimates %" PRIu64 "; starts before the planned one %" PRIu64
           ", kept out by the lengthened estimate alone %" PRIu64 "\n",
           sums[0], sums[1], sums[2]);
    return !chance_enough(sums[1], 1, ROUNDS) || !chance_enough(sums[2], 1, ROUNDS);
}
