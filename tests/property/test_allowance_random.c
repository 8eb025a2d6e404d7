/*
 * Allowances under random events: terms that change, jobs and gangs with and without estimates,
 * starts, ends, failures, evictions, overruns, jumps over many periods, clones and saves. Starts
 * and ends are reported in time, late, and as ends of tasks whose starts nobody has reported.
 * The clock is set back, over seconds and over many periods. Some allowances are those of single
 * users of a queue, whose sub-queues come and go.
 *
 * A model outside the library integrates what the tasks of lsched_tasks_next() cost, second by
 * second of the clock and period by period, and compares what lsched_allowance_get() says after
 * each event. In worlds whose jobs keep their estimates, no allowance is passed, unless what ran
 * at the begin of a period alone passes it. A job of one task that waits for an allowance would
 * pass one; a cycle decides nothing before the time that lsched_next_wake names. Where an allowance
 * ends work, the model says from its own sums when it is spent: no work below it is left after the
 * grace, and nothing is stopped for another reason or sooner. The model also says of each running
 * job which allowance will be spent when, and whether and when it will stop the job, and compares
 * that with lsched_job_end_get().
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

enum { NODES = 4, JOBS = 80, TASKS = 3, STEPS = 170, QUEUES = 6, PLACES = 400 };
#define SECOND  INT64_C(1000000)
#define HOUR_US INT64_C(3600000000)

__extension__ typedef __int128 wide;

/* An allowance as the model sees it; all sums are micro-units x HOUR_US. */
struct terms {
    int has;
    int64_t amount, carry, period, unknown, price[3], start, end, set;
    wide carried, used, bound;
    uint32_t spent;             /* LSCHED_SPENT_* */
    int64_t grace, found, stop; /* found: when a cycle found it spent, 0: it did not */
};

/* A task with a place: as of the latest look. placed: when it got its place, for its
 * reservation. */
struct held {
    uint32_t job, index;
    int runs, leaves, confirmed;
    int64_t placed[QUEUES], start; /* placed: by allowance */
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs, n_held;
    int keeps; /* 1: jobs keep their estimates */
    lsched_cluster *c;
    lsched_plan *plan;
    lsched_error err;
    int64_t now, duration[JOBS], cpu[JOBS], memory[JOBS];
    lsched_id node[NODES], queue[QUEUES], job[JOBS];
    uint32_t tasks[JOBS], of[JOBS];
    struct terms terms[QUEUES];
    struct held held[PLACES];
    int64_t from[JOBS][TASKS][QUEUES]; /* of running tasks: charged in `used` from this time on */
    int64_t ends[JOBS][TASKS][QUEUES]; /* of running tasks: as expected at their starts */
    uint64_t late, unstarted, back, told, told_stop;
    uint64_t events, compared, waits, passed, quiet, periods, evicted, ended, spared, switched;
};

/* The tree: 0 is the root of 1 and 2; 3 stands alone. The jobs of 1 are those of two users, whose
 * sub-queues come and go, but stay as long as they have an allowance. */
enum { SHARED = 1, USERS = 4 };
static const int parent[QUEUES] = {-1, 0, 0, -1, SHARED, SHARED};
static const char *const names[QUEUES] = {"top", "a", "b", "alone", "a/u", "a/v"};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u: %s (%s)\n", m->seed, m->step, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static lsched_text user_of(uint32_t q) {
    return lsched_cstr(names[q] + 2);
}

/* Returns 0 if the sub-queue of a user does not exist. */
static lsched_id id_of(const struct model *m, int q) {
    return q < USERS ? m->queue[q] : lsched_find(m->c, LSCHED_KIND_QUEUE, lsched_cstr(names[q]));
}

static int is_on_path(int q, uint32_t leaf) {
    for (int at = (int)leaf; at >= 0; at = parent[at])
        if (at == q) return 1;
    return 0;
}

/* ---- what tasks cost ---- */

static int64_t rounded(int64_t price, int64_t amount, int64_t unit) {
    wide product = (wide)price * amount;
    return (int64_t)((product + unit - 1) / unit);
}

static int64_t rate(const struct model *m, const struct terms *t, uint32_t j) {
    return rounded(t->price[1], m->cpu[j], 1000) +
           rounded(t->price[2], m->memory[j], INT64_C(1) << 30);
}

static int64_t length(const struct model *m, const struct terms *t, uint32_t j) {
    return m->duration[j] ? m->duration[j] : t->unknown ? t->unknown : LSCHED_NEVER_US;
}

/* How long the task is expected to take of the allowance from now on. */
static int64_t rest(const struct model *m, const struct terms *t, const struct held *h) {
    int64_t placed = h->placed[t - m->terms], span = length(m, t, h->job),
            from = placed > t->start ? placed : t->start;
    if (!h->runs) return t->period && t->end - from < span ? t->end - from : span;
    int64_t end = m->ends[h->job][h->index][t - m->terms];
    while (end <= m->now) end += end - h->start;
    if (t->period && end > t->end) end = t->end;
    return end == LSCHED_NEVER_US ? end : end - m->now;
}

static void expect_end(struct model *m, int q, const struct held *h, int64_t start) {
    int64_t span = length(m, &m->terms[q], h->job);
    m->ends[h->job][h->index][q] = span == LSCHED_NEVER_US ? span : start + span;
}

static wide projected(const struct model *m, int q) {
    const struct terms *t = &m->terms[q];
    wide sum = 0;
    for (uint32_t i = 0; i < m->n_held; i++) {
        const struct held *h = &m->held[i];
        if (!is_on_path(q, m->of[h->job])) continue;
        int64_t span = rest(m, t, h);
        if (h->runs && span == LSCHED_NEVER_US) span -= m->now;
        sum += (wide)rate(m, t, h->job) * span;
    }
    return sum;
}

static wide total(const struct terms *t) {
    return (wide)t->amount * HOUR_US + t->carried;
}

/* The most that is used if estimates are kept: the allowance, or what runs already will use. */
static void set_bound(struct model *m, int q) {
    struct terms *t = &m->terms[q];
    wide will = t->used + projected(m, q);
    t->bound = will > total(t) ? will : total(t);
}

/* Advances the clock of the model, period by period. What holds places now has held them since. */
static void advance(struct model *m, int64_t to) {
    for (int q = 0; q < QUEUES; q++) {
        struct terms *t = &m->terms[q];
        int64_t at = m->now, sum = 0;
        if (!t->has) continue;
        for (uint32_t i = 0; i < m->n_held; i++)
            if (m->held[i].runs && is_on_path(q, m->of[m->held[i].job]))
                sum += rate(m, t, m->held[i].job);
        while (t->period && to >= t->end) {
            t->used += (wide)sum * (t->end - at);
            wide left = total(t) - t->used, most = (wide)t->carry * HOUR_US;
            t->carried = left < 0 ? 0 : left < most ? left : most;
            at = t->start = t->end;
            t->end += t->period;
            t->used = 0;
            t->bound = -1;
            m->spared += t->found && t->spent == LSCHED_SPENT_END && to < t->stop;
            t->found = 0;
            m->periods++;
        }
        t->used += (wide)sum * (to - at);
    }
    m->now = to;
    for (int q = 0; q < QUEUES; q++)
        if (m->terms[q].has && m->terms[q].bound < 0) set_bound(m, q);
}

static int64_t later_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The task has run from the time `at`, not from the time at which that is reported. */
static void model_start(struct model *m, const struct held *h, int64_t at) {
    for (int q = 0; q < QUEUES; q++) {
        struct terms *t = &m->terms[q];
        if (!t->has || !is_on_path(q, m->of[h->job])) continue;
        int64_t from = later_of(later_of(at, h->placed[q]), t->start);
        t->used += (wide)rate(m, t, h->job) * (m->now - from);
        m->from[h->job][h->index][q] = from;
        expect_end(m, q, h, at);
        m->late += from < m->now;
    }
}

/* The task was gone at the time `at`. If no start was reported, it ran since its placement. */
static void model_end(struct model *m, const struct held *h, int64_t at) {
    for (int q = 0; q < QUEUES; q++) {
        struct terms *t = &m->terms[q];
        if (!t->has || !is_on_path(q, m->of[h->job])) continue;
        int64_t from = h->runs ? m->from[h->job][h->index][q] : h->placed[q],
                end = later_of(later_of(at, from), t->start);
        wide each = rate(m, t, h->job);
        if (h->runs) t->used -= each * (m->now - end);
        if (!h->runs) t->used += each * (end - later_of(from, t->start));
        m->late += h->runs && end < m->now;
        m->unstarted += !h->runs && end > later_of(from, t->start);
    }
}

/* ---- what the library says ---- */

/* Reads which tasks have places. A task that had its place before keeps the time of it. */
static void read_held(struct model *m) {
    m->n_held = 0;
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_task_info info = {.size = sizeof info};
        lsched_job_info job = {.size = sizeof job};
        uint64_t cursor = 0;
        if (lsched_job_get(m->c, m->job[j], &job, NULL) != LSCHED_OK) continue;
        while (lsched_tasks_next(m->c, m->job[j], 0, &cursor, &info, &m->err) == 1) {
            if (info.state == LSCHED_TASK_NONE || info.state == LSCHED_TASK_DONE) continue;
            CHECK(m, m->n_held < PLACES, "too many tasks");
            struct held *h = &m->held[m->n_held++];
            *h = (struct held){.job = j, .index = info.task_index, .start = info.start_us};
            h->leaves = info.state == LSCHED_TASK_RELEASING;
            h->confirmed = info.state == LSCHED_TASK_CONFIRMED;
            h->runs = h->leaves || info.state == LSCHED_TASK_RUNNING;
            for (int q = 0; q < QUEUES; q++) /* its time counts from its placement, or the terms */
                h->placed[q] = h->start > m->terms[q].set ? h->start : m->terms[q].set;
        }
    }
}

static int64_t whole(wide sum, int up) {
    if (sum < 0) return -whole(-sum, !up);
    sum = (sum + (up ? HOUR_US - 1 : 0)) / HOUR_US;
    return sum > (wide)1 << 62 ? INT64_C(1) << 62 : (int64_t)sum;
}

static void compare(struct model *m, int q) {
    const struct terms *t = &m->terms[q];
    lsched_allowance_info i = LSCHED_ALLOWANCE_INFO_INIT;
    lsched_id id = id_of(m, q);
    int32_t rc = id ? lsched_allowance_get(m->c, id, &i, &m->err) : LSCHED_E_NOENT;
    CHECK(m, rc == (t->has ? LSCHED_OK : LSCHED_E_NOENT), "whether the queue has an allowance");
    if (!t->has) return;
    wide will = projected(m, q);
    int64_t sum = 0;
    for (uint32_t h = 0; h < m->n_held; h++)
        if (m->held[h].runs && is_on_path(q, m->of[m->held[h].job]))
            sum += rate(m, t, m->held[h].job);
    CHECK(m, i.amount_micro == t->amount && i.carry_micro == t->carry, "the terms");
    CHECK(m, i.period_start_us == t->start, "the start of the period");
    CHECK(m, i.period_end_us == (t->period ? t->end : LSCHED_NEVER_US), "the end of the period");
    CHECK(m, i.rate_micro == sum, "the rate");
    CHECK(m, i.spent == t->spent && i.grace_us == t->grace, "what happens when it is spent");
    CHECK(m, i.spent_since_us == (t->found && t->used >= total(t) ? t->found : LSCHED_NEVER_US),
          "since when it is spent");
    CHECK(m, i.carried_micro == whole(t->carried, 0), "what was carried");
    CHECK(m, i.used_micro == whole(t->used, 1), "what was used");
    CHECK(m, i.projected_micro == whole(will, 1), "what will be used");
    CHECK(m, i.left_micro == whole(total(t) - t->used - will, 0), "what is left");
    if (i.exhausted_at_us != LSCHED_NEVER_US && i.exhausted_at_us > m->now) {
        wide then = t->used + (wide)sum * (i.exhausted_at_us - m->now);
        CHECK(m, then >= total(t) && then - sum < total(t), "when it is exhausted");
    }
    if (m->keeps) CHECK(m, t->used <= t->bound, "the allowance is passed");
    m->passed += t->used > total(t);
    m->compared++;
}

/* How an allowance will end the work of a job, if what runs now runs on. */
struct spend {
    int q; /* -1: it will not be spent in its period */
    int64_t at, stop;
};

static struct spend spend_of(const struct model *m, int q) {
    const struct terms *t = &m->terms[q];
    struct spend s = {-1, LSCHED_NEVER_US, LSCHED_NEVER_US};
    wide sum = 0, lacks = total(t) - t->used;
    int64_t end = t->period ? t->end : LSCHED_NEVER_US;
    for (uint32_t h = 0; h < m->n_held; h++)
        if (m->held[h].runs && is_on_path(q, m->of[m->held[h].job]))
            sum += rate(m, t, m->held[h].job);
    if (lacks > 0 && (sum == 0 || (lacks + sum - 1) / sum >= end - m->now)) return s;
    s.q = q;
    s.at = lacks > 0 ? m->now + (int64_t)((lacks + sum - 1) / sum) : t->found ? t->found : m->now;
    if (t->spent == LSCHED_SPENT_END && s.at + t->grace < end) s.stop = s.at + t->grace;
    return s;
}

static int tells_more(const struct model *m, struct spend a, struct spend b) {
    if (b.q < 0 || a.stop != b.stop) return b.q < 0 || a.stop < b.stop;
    int first = m->terms[a.q].spent == LSCHED_SPENT_FIRST_VICTIM,
        was = m->terms[b.q].spent == LSCHED_SPENT_FIRST_VICTIM;
    return first != was ? first : a.at < b.at;
}

/* Compares what is told of the end of a job. Work that is due to be stopped already is stopped by
 * the next cycle, whatever the exact time is. */
static void compare_end(struct model *m, uint32_t j) {
    lsched_job_end e = LSCHED_JOB_END_INIT;
    struct spend best = {-1, LSCHED_NEVER_US, LSCHED_NEVER_US};
    int64_t last = 0;
    uint32_t running = 0;
    if (lsched_job_end_get(m->c, m->job[j], &e, NULL) == LSCHED_E_STALE) return;
    for (uint32_t i = 0; i < m->n_held; i++) {
        const struct held *h = &m->held[i];
        if (h->job != j || !h->runs || h->leaves) continue;
        running++;
        last = later_of(last, h->start);
    }
    for (int q = (int)m->of[j]; running && q >= 0; q = parent[q]) {
        if (!m->terms[q].has || rate(m, &m->terms[q], j) == 0) continue;
        struct spend s = spend_of(m, q);
        if (s.q >= 0 && tells_more(m, s, best)) best = s;
    }
    CHECK(m, e.tasks_running == running, "how many tasks of the job run");
    CHECK(m, e.expected_us == (running && m->duration[j] ? last + m->duration[j] : LSCHED_NEVER_US),
          "the expected end of the job");
    CHECK(m, e.allowance_queue == (best.q < 0 ? 0 : id_of(m, best.q)), "which allowance decides");
    CHECK(m, e.spent_us == best.at, "when it is spent");
    CHECK(m, later_of(e.spent_stop_us, m->now) == later_of(best.stop, m->now),
          "when it stops the job");
    if (best.q >= 0) CHECK(m, e.spent == m->terms[best.q].spent, "what it does when it is spent");
    m->told += best.q >= 0;
    m->told_stop += best.stop != LSCHED_NEVER_US;
}

static void look(struct model *m) {
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "the state is not sound");
    read_held(m);
    for (int q = 0; q < QUEUES; q++) compare(m, q);
    for (uint32_t j = 0; j < m->n_jobs; j++) compare_end(m, j);
    m->events++;
}

/* ---- the world ---- */

/* A cycle finds which allowances are spent. */
static void note_spent(struct model *m) {
    for (int q = 0; q < QUEUES; q++) {
        struct terms *t = &m->terms[q];
        int is = t->has && t->used >= total(t);
        if (is == (t->found != 0)) continue;
        m->spared += !is && t->spent == LSCHED_SPENT_END;
        t->found = is ? m->now : 0;
        t->stop = m->now + t->grace;
    }
}

/* True if the work below the allowance must have ended. */
static int has_ended(const struct model *m, int q) {
    const struct terms *t = &m->terms[q];
    return t->has && t->spent == LSCHED_SPENT_END && t->found && t->stop <= m->now;
}

static void set_terms(struct model *m, int q) {
    struct chance *c = &m->chance;
    struct terms *t = &m->terms[q];
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    lsched_amount price[2] = {{LSCHED_CPU, 0, 0}, {LSCHED_MEMORY, 0, 0}};
    price[0].amount = chance_between(c, 1, 3) * 777777;
    price[1].amount = chance_one_in(c, 2) ? 0 : chance_between(c, 1, 1000000);
    d.queue = m->queue[q < USERS ? q : SHARED];
    if (q >= USERS) d.user = user_of((uint32_t)q);
    d.price = price;
    d.n_price = 2;
    d.amount_micro = chance_one_in(c, 12) ? 0 : chance_between(c, 1, 900) * 10001;
    d.period_us = chance_one_in(c, 4) ? 0 : chance_between(c, 50, 1000) * SECOND + 7;
    if (d.period_us) d.carry_micro = chance_one_in(c, 2) ? 0 : chance_between(c, 1, 500) * 10001;
    if (d.period_us) d.start_us = chance_between(c, -2000, 4000) * SECOND;
    d.unknown_us = chance_one_in(c, 2) ? 0 : chance_between(c, 1, 200) * SECOND;
    d.flags = chance_one_in(c, 3) ? LSCHED_ALLOWANCE_RESET : 0;
    d.spent = chance_below(c, 3);
    if (d.spent == LSCHED_SPENT_END && chance_one_in(c, 2))
        d.grace_us = chance_between(c, 1, 300) * SECOND;
    CHECK(m, lsched_allowances_set(m->c, &d, 1, sizeof d, NULL, NULL, &m->err) == 1, "set");
    if (!t->has || (d.flags & LSCHED_ALLOWANCE_RESET)) t->used = t->carried = 0;
    t->has = 1;
    t->amount = d.amount_micro;
    t->carry = d.carry_micro;
    t->period = d.period_us;
    t->unknown = d.unknown_us;
    t->price[1] = price[0].amount;
    t->price[2] = price[1].amount;
    if (t->carried > (wide)t->carry * HOUR_US) t->carried = (wide)t->carry * HOUR_US;
    t->start = m->now;
    if (t->period) {
        t->start = d.start_us;
        while (t->start > m->now) t->start -= t->period;
        while (t->start + t->period <= m->now) t->start += t->period;
        t->end = t->start + t->period;
    }
    int begins = d.spent == LSCHED_SPENT_END && t->spent != LSCHED_SPENT_END;
    m->switched += begins && t->found && t->used >= total(t);
    t->spent = d.spent;
    t->grace = d.grace_us;
    if (begins || t->used < total(t)) t->found = 0; /* a grace that begins is a whole one */
    t->stop = t->found + t->grace;
    t->set = m->now;
    for (uint32_t i = 0; i < m->n_held; i++) {
        m->held[i].placed[q] = m->now;
        m->from[m->held[i].job][m->held[i].index][q] = m->now;
        expect_end(m, q, &m->held[i], m->held[i].start);
    }
    set_bound(m, q);
}

static void remove_terms(struct model *m, int q) {
    lsched_id id = id_of(m, q);
    if (id == 0) return;
    int32_t rc = lsched_allowances_remove(m->c, &id, 1, NULL, NULL, &m->err);
    CHECK(m, rc == (m->terms[q].has ? 1 : LSCHED_E_NOENT), "remove");
    memset(&m->terms[q], 0, sizeof m->terms[q]);
}

static void make(struct model *m) {
    static const char *const policies[] = {
        "return { api = 1, name = 'p', pipeline = { 'allocate' } }",
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }",
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'reclaim' } }",
        "return { api = 1, name = 'p', pipeline = { 'backfill' } }"};
    lsched_amount room[2] = {{LSCHED_CPU, 0, 6000}, {LSCHED_MEMORY, 0, INT64_C(16) << 30}};
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    lsched_text policy = lsched_cstr(policies[chance_below(&m->chance, 4)]);
    CHECK(m, lsched_policy_load(m->c, LSCHED_TEXT("p"), policy, NULL, &m->err) >= 0, "policy");
    for (uint32_t n = 0; n < NODES; n++) {
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        char name[8];
        snprintf(name, sizeof name, "n%u", n);
        node.name = lsched_cstr(name);
        node.capacity = room;
        node.n_capacity = 2;
        CHECK(m,
              lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, &m->node[n], NULL, &m->err) == 1,
              "node");
    }
    for (int q = 0; q < USERS; q++) {
        lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
        d.name = lsched_cstr(names[q]);
        if (q == SHARED) d.flags = LSCHED_QUEUE_PER_USER;
        if (parent[q] >= 0) d.parent_name = lsched_cstr(names[parent[q]]);
        CHECK(m, lsched_queues_add(m->c, &d, 1, sizeof d, NULL, &m->queue[q], NULL, &m->err) == 1,
              "queue");
    }
    m->now = 1000 * SECOND;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = m->now; /* the clock begins */
    CHECK(m, lsched_schedule(m->c, &opts, &m->plan, &m->err) == LSCHED_OK, "schedule");
    m->keeps = chance_one_in(&m->chance, 2);
}

static void submit(struct model *m) {
    static const uint32_t leaves[] = {2, 3, USERS, USERS + 1};
    struct chance *c = &m->chance;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT, groups[3];
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[16];
    if (m->n_jobs == JOBS) return;
    uint32_t j = m->n_jobs;
    snprintf(name, sizeof name, "j%u", j);
    m->cpu[j] = chance_between(c, 1, 6) * 333;
    m->memory[j] = chance_between(c, 1, 4096) << 20;
    m->of[j] = leaves[chance_below(c, 4)];
    m->duration[j] = chance_one_in(c, 4) && !m->keeps ? 0 : chance_between(c, 5, 300) * SECOND;
    lsched_amount request[2] = {{LSCHED_CPU, 0, m->cpu[j]}, {LSCHED_MEMORY, 0, m->memory[j]}};
    group.request = request;
    group.n_request = 2;
    group.max_count = 1 + (chance_one_in(c, 2) ? 0 : chance_below(c, TASKS));
    group.min_count = 1 + chance_below(c, group.max_count);
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(names[m->of[j] < USERS ? m->of[j] : SHARED]);
    if (m->of[j] >= USERS) job.user = user_of(m->of[j]);
    job.groups = &group;
    job.n_groups = 1;
    if (group.max_count == TASKS) { /* two groups, of two tasks and of one, or one of all */
        groups[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
        groups[1] = groups[2] = group;
        groups[1].max_count = 2;
        groups[1].min_count = 1;
        groups[2].max_count = groups[2].min_count = 1;
        job.groups = groups;
        job.n_groups = 3;
    }
    job.priority = (int32_t)chance_below(c, 3);
    job.duration_us = m->duration[j];
    m->tasks[j] = group.max_count;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &m->job[j], NULL, &m->err) == 1,
          "submit");
    m->n_jobs++;
}

/* ---- events ---- */

/* Returns the task whose end is reported: the one that leaves, if the task that moves has another
 * place already. */
static const struct held *ends_first(const struct model *m, const struct held *h) {
    for (uint32_t i = 0; i < m->n_held; i++)
        if (m->held[i].job == h->job && m->held[i].index == h->index && m->held[i].leaves)
            return &m->held[i];
    return h;
}

/* Returns 0 if the library refuses the event because of the state of the task. */
static int report(struct model *m, const struct held *h, uint32_t event, int64_t at) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    if (event != LSCHED_EVENT_STARTED) h = ends_first(m, h);
    e.job = m->job[h->job];
    e.task_index = h->index;
    e.event = event;
    e.at_us = at;
    int32_t rc = lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err);
    if (rc < 0 && !h->runs) return 0;
    CHECK(m, rc >= 0, "report");
    if (event == LSCHED_EVENT_STARTED)
        model_start(m, h, at);
    else
        model_end(m, h, at);
    return 1;
}

/* A time of an event that is reported now. */
static int64_t time_of_event(struct model *m) {
    if (chance_one_in(&m->chance, 2)) return m->now;
    return later_of(1, m->now - chance_between(&m->chance, 0, 400) * SECOND);
}

/* Reports the start of a placed task, or the end of one whose start nobody has reported. Where
 * estimates are kept, the task has not run longer than its estimate. */
static void report_placed(struct model *m) {
    for (uint32_t i = 0; i < m->n_held; i++) {
        struct held h = m->held[i];
        int64_t at = time_of_event(m), span = m->duration[h.job];
        uint32_t event = LSCHED_EVENT_STARTED;
        if (h.runs || !chance_one_in(&m->chance, 3)) continue;
        if (chance_one_in(&m->chance, 2))
            event = chance_one_in(&m->chance, 5) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
        if (m->keeps && event == LSCHED_EVENT_STARTED) at = later_of(at, m->now - span);
        if (m->keeps && event != LSCHED_EVENT_STARTED && at > h.start + span) at = h.start + span;
        if (!report(m, &h, event, at)) continue;
        read_held(m);
        i = 0;
    }
}

/* Ends what runs, some of it or, with keeps, all that is at its estimate. */
static void end_some(struct model *m, int due) {
    for (uint32_t i = 0; i < m->n_held;) {
        struct held h = m->held[i];
        int64_t end = h.start + m->duration[h.job];
        int ends =
            h.runs && (due ? m->duration[h.job] && end <= m->now : chance_one_in(&m->chance, 4));
        i++;
        if (!ends) continue;
        report(m, &h,
               h.leaves || chance_one_in(&m->chance, 5) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED,
               due ? m->now : time_of_event(m));
        read_held(m);
        i = 0;
    }
}

/* Moves the time on. Where estimates are kept, every task ends before its estimate is over. */
static void pass_time(struct model *m, int64_t to) {
    while (m->keeps) {
        int64_t next = to;
        for (uint32_t i = 0; i < m->n_held; i++) {
            int64_t end = m->held[i].start + m->duration[m->held[i].job];
            if (m->held[i].runs && end < next) next = end > m->now ? end : m->now;
        }
        if (next == to) break;
        advance(m, next);
        end_some(m, 1);
    }
    advance(m, to);
}

/* Sets the clock back. What was used stays; what was expected comes sooner by the same time. */
static void set_back(struct model *m) {
    int64_t far = chance_one_in(&m->chance, 3) ? 5000 : 100,
            to = m->now - chance_between(&m->chance, 0, far) * SECOND - 3;
    if (m->keeps || to <= 0) return;
    for (int q = 0; q < QUEUES; q++) {
        struct terms *t = &m->terms[q];
        if (!t->has) continue;
        for (uint32_t i = 0; i < m->n_held; i++) {
            const struct held *h = &m->held[i];
            int64_t *end = &m->ends[h->job][h->index][q];
            if (!h->runs || !is_on_path(q, m->of[h->job])) continue;
            while (*end <= m->now) *end += *end - h->start;
            if (*end != LSCHED_NEVER_US) *end -= m->now - to;
            m->from[h->job][h->index][q] = to;
        }
        if (t->set > to) t->set = to;
        if (!t->period && t->start > to) t->start = to;
        while (t->period && t->start > to) t->start -= t->period;
        if (t->period) t->end = t->start + t->period;
        if (!t->found) continue;
        t->found = later_of(1, t->found - (m->now - to));
        t->stop = t->found + t->grace;
    }
    for (uint32_t i = 0; i < m->n_held; i++)
        if (m->held[i].runs && m->held[i].start > to) m->held[i].start = to;
    m->now = to;
    m->back++;
    CHECK(m, lsched_clock_set(m->c, to, &m->err) == LSCHED_OK, "set back");
    look(m);
}

static wide need_of(const struct model *m, int q, uint32_t j) {
    const struct terms *t = &m->terms[q];
    int64_t span = length(m, t, j);
    if (t->period && t->end - m->now < span) span = t->end - m->now;
    return (wide)rate(m, t, j) * span;
}

static void check_waits(struct model *m) {
    for (size_t i = 0; i < lsched_plan_waiting_size(m->plan); i++) {
        const lsched_waiting *w = lsched_plan_waiting_at(m->plan, i);
        char text[512];
        uint32_t j = 0;
        int passes = 0;
        if (w->code != LSCHED_WAIT_ALLOWANCE) continue;
        m->waits++;
        while (m->job[j] != w->job) j++;
        CHECK(m, lsched_waiting_text(m->c, w, text, sizeof text, &m->err) > 0, "the text");
        CHECK(m, w->need > w->have && w->until_us > m->now, "what is needed");
        for (int q = 0; q < QUEUES; q++)
            if (m->terms[q].has && is_on_path(q, m->of[j]))
                passes |=
                    m->terms[q].used + projected(m, q) + need_of(m, q, j) > total(&m->terms[q]);
        if (m->tasks[j] == 1) CHECK(m, passes, text);
    }
}

static void cycle(struct model *m) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = m->now;
    opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    lsched_plan_destroy(m->plan);
    m->plan = NULL;
    int64_t wake = lsched_next_wake(m->c);
    CHECK(m, lsched_schedule(m->c, &opts, &m->plan, &m->err) >= 0, "schedule");
    if (wake > m->now) {
        CHECK(m, lsched_plan_size(m->plan) == 0, "a cycle decides before the next wake");
        m->quiet++;
    }
    note_spent(m);
    for (size_t i = 0; i < lsched_plan_size(m->plan); i++) {
        const lsched_decision *d = lsched_plan_at(m->plan, i);
        uint32_t j = 0;
        int ends = 0;
        m->evicted += d->kind == LSCHED_DECIDE_EVICT;
        if (d->reason != LSCHED_FOR_ALLOWANCE) continue;
        while (m->job[j] != d->job) j++;
        for (int q = 0; q < QUEUES; q++) ends |= is_on_path(q, m->of[j]) && has_ended(m, q);
        CHECK(m, ends, "work ends, although no allowance is spent or its grace is not over");
        m->ended++;
    }
    look(m);
    /* the cycle can give back work that was stopped for another job; then the next one is due now */
    for (uint32_t i = 0; i < m->n_held && lsched_next_wake(m->c) > m->now; i++)
        for (int q = 0; q < QUEUES; q++)
            if (is_on_path(q, m->of[m->held[i].job]) && !m->held[i].leaves &&
                !m->held[i].confirmed) /* its start is awaited */
                CHECK(m, !has_ended(m, q), "work is left below an allowance that is spent");
    check_waits(m);
    for (size_t i = 0; i < lsched_plan_size(m->plan); i++) {
        const lsched_decision *d = lsched_plan_at(m->plan, i);
        uint32_t h = 0;
        if (d->kind != LSCHED_DECIDE_PLACE || chance_one_in(&m->chance, 8)) continue;
        while (h < m->n_held && (m->job[m->held[h].job] != d->job || m->held[h].runs ||
                                 m->held[h].index != d->task_index))
            h++;
        CHECK(m, h < m->n_held, "a placed task has no place");
        if (chance_one_in(&m->chance, 4)) {
            lsched_settlement s = {sizeof s, LSCHED_OUTCOME_CONFIRMED, d->id, {NULL, 0}, NULL};
            if (chance_one_in(&m->chance, 3)) s.outcome = LSCHED_OUTCOME_REJECTED;
            (void)lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, NULL);
        } else {
            report(m, &m->held[h], LSCHED_EVENT_STARTED, m->now);
        }
    }
}

static void swap(struct model *m) {
    lsched_cluster *other = NULL;
    if (chance_one_in(&m->chance, 2)) {
        CHECK(m, lsched_cluster_clone(m->c, &other, &m->err) == LSCHED_OK, "clone");
    } else {
        CHECK(m, cluster_copy_by_image(m->c, &other, &m->err) == LSCHED_OK, "save and load");
    }
    lsched_plan_destroy(m->plan);
    m->plan = NULL;
    lsched_cluster_destroy(m->c);
    m->c = other;
    look(m);
}

static void step(struct model *m) {
    struct chance *c = &m->chance;
    uint32_t what = chance_below(c, 100);
    int64_t jump = chance_one_in(c, 30) ? 5000 : chance_one_in(c, 3) ? 200 : 30;
    if (what < 25) {
        submit(m);
    } else if (what < 70) {
        pass_time(m, m->now + chance_between(c, 0, jump) * SECOND + chance_between(c, 0, 9));
        cycle(m);
    } else if (what < 76) {
        report_placed(m);
    } else if (what < 88) {
        end_some(m, 0);
    } else if (what < 94) {
        set_terms(m, (int)chance_below(c, QUEUES));
    } else if (what < 95) {
        set_back(m);
        cycle(m);
    } else if (what < 96) {
        remove_terms(m, (int)chance_below(c, QUEUES));
    } else {
        swap(m);
    }
    look(m);
}

int main(void) {
    uint64_t first = chance_seed(1), events = 0, waits = 0, passed = 0, quiet = 0, periods = 0,
             evicted = 0, ended = 0, spared = 0, compared = 0, late = 0, unstarted = 0, back = 0,
             switched = 0, told = 0, told_stop = 0;
    uint32_t rounds = chance_rounds(420);
    for (uint32_t r = 0; r < rounds; r++) {
        static struct model m;
        memset(&m, 0, sizeof m);
        m.err = (lsched_error)LSCHED_ERROR_INIT;
        m.seed = first + r;
        m.chance.state = m.seed;
        make(&m);
        for (m.step = 0; m.step < STEPS; m.step++) step(&m);
        lsched_plan_destroy(m.plan);
        lsched_cluster_destroy(m.c);
        events += m.events;
        compared += m.compared;
        waits += m.waits;
        passed += m.passed;
        quiet += m.quiet;
        periods += m.periods;
        evicted += m.evicted;
        ended += m.ended;
        spared += m.spared;
        late += m.late;
        unstarted += m.unstarted;
        back += m.back;
        switched += m.switched;
        told += m.told;
        told_stop += m.told_stop;
    }
    printf("%" PRIu64 " events, %" PRIu64 " comparisons, %" PRIu64
           " waits for an allowance, %" PRIu64 " periods begun, %" PRIu64
           " comparisons beyond the amount, %" PRIu64 " quiet cycles, %" PRIu64
           " evictions, %" PRIu64 " of them because an allowance was spent, %" PRIu64
           " graces that ended early, %" PRIu64 " late reports, %" PRIu64
           " ends without a start, %" PRIu64 " times the clock set back, %" PRIu64
           " graces that new terms began, %" PRIu64 " ends told, %" PRIu64 " of them stops\n",
           events, compared, waits, periods, passed, quiet, evicted, ended, spared, late, unstarted,
           back, switched, told, told_stop);
    if (rounds < 100) return 0;
    /* each world has more than 170 events; the rest is rarer, but met in 100 worlds */
    return events >= (uint64_t)STEPS * rounds && waits && passed && quiet && periods && evicted &&
                   ended && ((spared && switched) || rounds < 400) && late && unstarted && back &&
                   told > told_stop && told_stop
               ? 0
               : 1;
}
