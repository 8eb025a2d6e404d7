/*
 * Firm starts (backfill_firm = 1 and 2) against a model outside the library: on random clusters of 1
 * to 5 nodes, jobs arrive in any order of priority, run shorter than estimated or longer, fail,
 * change while they wait, are removed; nodes close, open and leave for a time, estimates of running
 * work grow, limits of queues change, the policy loses and gets the parameter, budgets of cycles are
 * small, work is imported or adopted from a clone, places are rejected, runs start late, and cycles
 * come late, some after the clock was set forwards. The model knows of each waiting job until when
 * its start is firm, on which node, and what has happened. Each start that is later than the model
 * knows, and each firm start that is not told any more, needs a record of the change feed whose
 * cause is something that happened. A record about a job without a firm start fails, too.
 *
 * In a third of the rounds no cause exists, and then no firm start is lost at all. With
 * backfill_firm = 1, jobs without a time limit outlast their estimates also in these rounds.
 *
 * Now and then a clone of the cluster, or what was saved of it, takes its place, and the cluster is
 * asked what would start, which leaves nothing behind. Now and then memory runs out in a cycle: it
 * then changes nothing, and the model goes on. LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one
 * seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/fault_alloc.h"
#include "support/settle.h"

#define JOBS_MAX  60u
#define NODES_MAX 5u
#define TASKS_MAX 4u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)
#define NEVER     LSCHED_NEVER_US

/* what can happen in a round, as bits */
enum {
    OVERRUNS = 1,
    CLOSES = 2,
    GROWS = 4,
    LIMITS = 8,
    POLICIES = 16,
    BUDGETS = 32,
    IMPORTS = 64,
    REJECTS = 128,
    DELAYS = 256,
    LEAVES = 512,
    ADOPTS = 1024,
    GUARANTEES = 2048,
    LATES = 4096,
    KINDS = 13
};

/* firm: the time until which the start is firm, on the node firm_on (0: not told); NEVER: not firm. limit: the time
 * limit of the job, which is its length; 0: none. grew, limited: since then, work on that node got a
 * later end or came there in another way than by a cycle, and a limit has changed. off: since then,
 * a cycle had a policy without firm starts, and can have given the room away. refused: since then, a
 * place of some job was rejected. late_start: the job has a place, and its run starts then; 0: it
 * has started. */
struct work {
    char name[16];
    lsched_id id, on[TASKS_MAX], firm_on;
    int64_t length, limit, runs, submit, start, end, firm, late_start;
    uint32_t gpus, tasks, queue, fails;
    int32_t priority;
    int is_there, is_done, is_changed, grew, limited, off, refused;
};

struct site {
    lsched_cluster *c;
    struct fault_alloc memory;
    uint32_t n_nodes, n_queues, n_jobs, n_shapes, order, reservations, can;
    uint32_t firm; /* the parameter, while the policy has it */
    const char *by, *share;
    uint32_t gpus[NODES_MAX], shape_gpus[4], shape_tasks[4];
    lsched_id node[NODES_MAX];
    int is_closed[NODES_MAX], leaves[NODES_MAX], grew[NODES_MAX];
    int limit_changed, is_firm, was_partial, any_refused, any_leaves, has_quota;
    uint64_t cursor;
    int64_t cycled; /* time of the latest cycle */
    struct work job[JOBS_MAX];
};

static uint64_t seed_now, first_seed, rounds, events, granted, earlier, kept, quiet_rounds;
static uint64_t starved, loads, asked, adopted, imported, rejected, by_limit, lates;
static uint64_t lost[64];
static struct site site;

/* ---- the world ---- */

static void draw_job(struct site *s, struct chance *r, uint32_t j, int64_t lengths, int64_t at) {
    struct work *w = &s->job[j];
    uint32_t shape = chance_below(r, s->n_shapes);
    snprintf(w->name, sizeof w->name, "j%02u", (unsigned)(j * 37 % 100));
    w->gpus = s->shape_gpus[shape];
    w->tasks = s->shape_tasks[shape];
    w->queue = chance_below(r, s->n_queues);
    w->priority = chance_one_in(r, 5) ? (int32_t)chance_below(r, 3) : 0;
    w->length = chance_one_in(r, 20) ? 0 : chance_between(r, 1, lengths) * HOUR / 8;
    w->runs = w->length ? w->length : HOUR;
    if (s->firm == 1 && chance_one_in(r, 2)) w->limit = w->length;
    if (chance_one_in(r, 2)) w->runs = 1 + chance_between(r, 0, w->runs - 1);
    int is_free = s->firm == 1 && w->limit == 0; /* no promise trusts the estimate */
    if (w->length && ((s->can & OVERRUNS) || is_free) && chance_one_in(r, is_free ? 2 : 6))
        w->runs += chance_between(r, 1, HOUR);
    w->fails = chance_one_in(r, 10) ? 1 : 0;
    w->submit = at;
    w->start = w->end = -1;
    w->firm = NEVER;
}

static void draw(struct site *s, struct chance *r) {
    static const char *const orders[] = {"fifo", "fifo", "priority", "shortest-first"};
    static const char *const shares[] = {"fifo", "drf"};
    memset(s, 0, sizeof *s);
    s->n_nodes = 1 + chance_below(r, NODES_MAX);
    s->n_queues = chance_one_in(r, 2) ? 1 : 1 + chance_below(r, 3);
    s->n_jobs = 10 + chance_below(r, JOBS_MAX - 10);
    s->n_shapes = 1 + chance_below(r, 4);
    s->by = orders[chance_below(r, 4)];
    s->share = shares[chance_below(r, 2)];
    s->order = chance_below(r, 3);
    s->reservations = chance_one_in(r, 2) ? 0 : 1 + chance_below(r, 4);
    s->is_firm = 1;
    s->firm = 1 + chance_below(r, 2);
    uint32_t sort = chance_below(r, 3);
    if (sort == 1) s->can = 1u << chance_below(r, KINDS);
    if (sort == 2) s->can = chance_below(r, 1u << KINDS);
    quiet_rounds += s->can == 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) s->gpus[i] = 1 + chance_below(r, 8);
    for (uint32_t i = 0; i < s->n_shapes; i++) {
        s->shape_gpus[i] = 1 + chance_below(r, 4);
        s->shape_tasks[i] = chance_one_in(r, 4) ? 1 + chance_below(r, TASKS_MAX) : 1;
    }
    int64_t at = START, lengths = chance_between(r, 2, 40);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        at += chance_one_in(r, 2) ? 0 : chance_between(r, 0, HOUR / 2);
        draw_job(s, r, j, lengths, at);
    }
}

static void add_nodes(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
        devices.count = s->gpus[i];
        devices.model = LSCHED_TEXT("gpu");
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.devices = &devices;
        node.n_devices = 1;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &s->node[i], NULL, &err));
    }
}

static void load_policy(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    char text[400];
    snprintf(text, sizeof text,
             "return { api = 1, name = 'p', order = '%s', fair_share = '%s', pipeline = { "
             "'backfill' }, params = { backfill_order = %u, backfill_reservations = %u, "
             "backfill_firm = %u } }",
             s->by, s->share, (unsigned)s->order, (unsigned)s->reservations,
             s->is_firm ? (unsigned)s->firm : 0u);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
}

static void make(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_allocator hooks = fault_hooks(&s->memory);
    opts.verify_every_plan = 1;
    opts.allocator = &hooks;
    OK(lsched_cluster_create(&opts, &s->c, &err));
    cache_check_on(s->c);
    load_policy(s);
    add_nodes(s);
    for (uint32_t q = 0; q < s->n_queues; q++) {
        char name[8];
        lsched_id id;
        snprintf(name, sizeof name, "q%u", (unsigned)q);
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = lsched_cstr(name);
        OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    }
}

static void submit(struct site *s, struct work *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    char queue[8];
    snprintf(queue, sizeof queue, "q%u", (unsigned)w->queue);
    lsched_amount request = {LSCHED_GPU, 0, 1000 * w->gpus};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = w->tasks;
    group.request = &request;
    group.n_request = 1;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(w->name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.priority = w->priority;
    job.submit_us = w->submit;
    job.duration_us = w->length;
    job.time_limit_us = w->limit;
    OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &w->id, NULL, &err));
    w->is_there = 1;
    events++;
}

/* ---- events ---- */

static int waits(const struct work *w) {
    return w->is_there && !w->is_done && w->start < 0;
}

static int runs(const struct work *w) {
    return w->is_there && !w->is_done && w->start >= 0;
}

static void report(struct site *s, struct work *w, uint32_t event, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t t = 0; t < w->tasks; t++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = event;
        e.job = w->id;
        e.task_index = t;
        e.at_us = now;
        OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
    }
    events++;
}

/* Something happened to the nodes of the work that can take room of firm starts. */
static void touch(struct site *s, const struct work *w) {
    for (uint32_t t = 0; t < w->tasks; t++)
        for (uint32_t i = 0; i < s->n_nodes; i++) s->grew[i] |= s->node[i] == w->on[t];
}

static void start_late_runs(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (!runs(w) || !w->late_start || w->late_start > now) continue;
        w->late_start = 0;
        w->start = now;
        touch(s, w);
        report(s, w, LSCHED_EVENT_STARTED, now);
    }
}

static void end_runs(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (!runs(w) || w->late_start || w->end > now) continue;
        report(s, w, w->fails ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED, now);
        w->is_done = !w->fails;
        w->fails = 0;
        w->start = w->end = -1;
        w->firm = NEVER;
    }
}

static void set_length(struct site *s, struct work *w, int64_t length) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_update u = {.size = sizeof u, .job = w->id, .set = LSCHED_JOB_SET_DURATION};
    u.duration_us = w->length = length;
    OK(lsched_jobs_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
}

/* Changes the estimate of a job that waits, or removes the job. */
static void meddle(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    if (!waits(w)) return;
    if (chance_one_in(r, 3)) {
        w->is_done = 1;
        w->firm = NEVER;
        OK(lsched_jobs_remove(s->c, &w->id, 1, NULL, NULL, &err));
        return;
    }
    if (w->limit) return;
    w->is_changed = 1;
    w->runs = chance_between(r, 1, 20) * HOUR / 8;
    set_length(s, w, w->runs);
}

/* Lets a run take longer, and says so. */
static void grow(struct site *s, struct chance *r) {
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    if (!runs(w) || !w->length || w->limit) return;
    int64_t more = chance_between(r, 1, 8) * HOUR / 8;
    w->end += more;
    touch(s, w);
    set_length(s, w, w->length + more);
}

static void open_or_close(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(r, s->n_nodes);
    lsched_node_update u = {.size = sizeof u, .node = s->node[i]};
    s->is_closed[i] = !s->is_closed[i];
    u.set = LSCHED_NODE_SET_STATE;
    u.state = s->is_closed[i] ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    OK(lsched_nodes_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
}

static void change_limit(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[8];
    lsched_queue_update u = {.size = sizeof u, .set = LSCHED_QUEUE_SET_LIMIT};
    lsched_amount limit = {LSCHED_GPU, 0, 1000 * (int64_t)(2 + chance_below(r, 8))};
    snprintf(name, sizeof name, "q%u", (unsigned)chance_below(r, s->n_queues));
    u.name = lsched_cstr(name);
    u.limit = &limit;
    u.n_limit = chance_one_in(r, 3) ? 0 : 1;
    OK(lsched_queues_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    s->limit_changed = 1;
    events++;
}

/* The orchestrator has put a waiting job on a node itself. */
static void import(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    uint32_t i = chance_below(r, s->n_nodes);
    if (!waits(w) || w->tasks * w->gpus > s->gpus[i]) return;
    w->is_changed = 1;
    for (uint32_t t = 0; t < w->tasks; t++) {
        lsched_task_import task = {.size = sizeof task, .task_index = t};
        task.job = w->id;
        task.node = w->on[t] = s->node[i];
        task.start_us = now;
        OK(lsched_tasks_import(s->c, &task, 1, sizeof task, NULL, NULL, &err));
    }
    w->start = now;
    w->end = now + w->runs;
    touch(s, w);
    imported++;
    events++;
}

/* A node leaves for a time, or its absence is called off. */
static void leave(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(r, s->n_nodes);
    lsched_node_update u = {.size = sizeof u, .node = s->node[i]};
    u.set = LSCHED_NODE_SET_ABSENCE;
    s->leaves[i] = s->any_leaves = 1;
    if (chance_one_in(r, 2)) {
        u.leaves_us = now + chance_between(r, 1, 16) * HOUR / 4;
        u.back_us = u.leaves_us + chance_between(r, 1, 8) * HOUR / 4;
    }
    OK(lsched_nodes_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
}

/* A queue gets a guarantee, or loses all of it. */
static void change_quota(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_update u = {.size = sizeof u, .set = LSCHED_QUEUE_SET_QUOTA};
    lsched_amount quota = {LSCHED_GPU, 0, s->has_quota ? 0 : 1000};
    u.name = LSCHED_TEXT("q0");
    u.quota = &quota;
    u.n_quota = 1;
    OK(lsched_queues_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    s->has_quota = !s->has_quota;
    events++;
}

static void happen(struct site *s, struct chance *r, int64_t now) {
    if (chance_one_in(r, 6)) meddle(s, r);
    if ((s->can & IMPORTS) && chance_one_in(r, 10)) import(s, r, now);
    if ((s->can & GUARANTEES) && chance_one_in(r, 10)) change_quota(s);
    if ((s->can & LEAVES) && chance_one_in(r, 10)) leave(s, r, now);
    if ((s->can & CLOSES) && chance_one_in(r, 8)) open_or_close(s, r);
    if ((s->can & GROWS) && chance_one_in(r, 4)) grow(s, r);
    if ((s->can & LIMITS) && chance_one_in(r, 10)) change_limit(s, r);
    if ((s->can & POLICIES) && chance_one_in(r, 10)) {
        s->is_firm = !s->is_firm;
        load_policy(s);
    }
}

struct saved {
    char bytes[1u << 20];
    size_t n;
};

static int32_t add_bytes(void *user, const void *bytes, size_t n) {
    struct saved *to = user;
    if (n > sizeof to->bytes - to->n) return LSCHED_E_NOMEM;
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    return LSCHED_OK;
}

/* Saves the cluster, and makes another of the bytes. */
static void load(struct site *s, lsched_cluster **other) {
    static struct saved saved;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_allocator hooks = fault_hooks(&s->memory);
    opts.verify_every_plan = 1;
    opts.allocator = &hooks;
    saved.n = 0;
    OK(lsched_cluster_save(s->c, add_bytes, &saved, &err));
    OK(lsched_cluster_load(&opts, saved.bytes, saved.n, other, &err));
    loads++;
}

/* Goes on with a clone, or with what was saved. */
static void copy(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *other = NULL;
    if (chance_one_in(r, 2))
        load(s, &other);
    else
        OK(lsched_cluster_clone(s->c, &other, &err));
    uint64_t mine, its;
    OK(lsched_cluster_hash(s->c, LSCHED_HASH_IMAGE, &mine, &err));
    OK(lsched_cluster_hash(other, LSCHED_HASH_IMAGE, &its, &err));
    assert_true(mine == its);
    if (chance_one_in(r, 2)) {
        lsched_cluster_destroy(s->c);
        s->c = other;
        cache_check_on(s->c);
        s->cursor = lsched_changes_end(s->c);
    } else {
        lsched_cluster_destroy(other);
    }
}

/* ---- what a cycle may do ---- */

static int has_overdue(const struct site *s, lsched_id node, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const struct work *w = &s->job[j];
        if (!runs(w) || !w->length) continue;
        if (!w->late_start && w->start + w->length > now) continue;
        if (s->firm == 1 && !w->limit && !(s->can & ~(uint32_t)BUDGETS)) continue;
        for (uint32_t t = 0; t < w->tasks; t++)
            if (w->on[t] == node || node == 0) return 1;
    }
    return 0;
}

/* True if the cause of a loss is something that the model saw happen. others: other jobs lost their
 * firm starts before in this cycle. */
static int happened(const struct site *s, const struct work *w, uint32_t because, int others,
                    int64_t now) {
    int is_gone = 0, grew = w->grew;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        if (w->firm_on != s->node[i] && w->firm_on != 0) continue;
        is_gone |= s->is_closed[i] || s->leaves[i];
        grew |= s->grew[i];
    }
    switch (because) {
    case LSCHED_BECAUSE_NODE: return is_gone;
    case LSCHED_BECAUSE_OVERRUN:
        /* work that was adopted just now has not started */
        return has_overdue(s, w->firm_on, now) || ((s->can & ADOPTS) && grew);
    case LSCHED_BECAUSE_ROOM:
        /* after a late cycle, jobs whose starts have come need the room at the same time */
        return w->off || grew || (s->can & LATES);
    case LSCHED_BECAUSE_JOB: return w->is_changed;
    case LSCHED_BECAUSE_LIMIT:
        /* what the limit allows is used by work that should have ended before the start */
        return w->off || w->limited || s->limit_changed ||
               (s->can & (OVERRUNS | GROWS | IMPORTS | DELAYS | ADOPTS | LATES)) ||
               (s->firm == 1 && (s->can & LIMITS));
    case LSCHED_BECAUSE_RULE:
        /* plans do not know which nodes were refused, and how long work can run before an absence */
        return !s->is_firm || w->refused || s->any_refused || s->any_leaves;
    case LSCHED_BECAUSE_BUDGET: return (s->was_partial || (s->can & ADOPTS)) && w->firm < now;
    case LSCHED_BECAUSE_GUARANTEE: return s->has_quota;
    case LSCHED_BECAUSE_EARLIER: return others;
    default: return 0;
    }
}

/* Reads the change feed: each loss must be of a firm start, and have a cause that happened. */
static void read_losses(struct site *s, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_change change = {.size = sizeof change};
    int others = 0;
    int32_t rc;
    while ((rc = lsched_changes_next(s->c, &s->cursor, &change, &err)) == 1) {
        uint32_t j = 0;
        if (change.kind != LSCHED_CHANGE_FIRM_LOST) continue;
        while (j < s->n_jobs && s->job[j].id != change.job) j++;
        assert_true(j < s->n_jobs);
        struct work *w = &s->job[j];
        if (w->firm == NEVER)
            fail_msg("seed %llu, at +%lld s: %s lost a firm start (%s) that it did not have",
                     (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
                     lsched_because_name(change.because));
        if (!happened(s, w, change.because, others, now))
            fail_msg(
                "seed %llu, at +%lld s (kinds %#x, firm %u): %s lost its firm start at +%lld s "
                "because of %s, which did not happen",
                (unsigned long long)seed_now, (long long)((now - START) / 1000000),
                (unsigned)s->can, (unsigned)s->firm, w->name,
                (long long)((w->firm - START) / 1000000), lsched_because_name(change.because));
        if (change.until_us > w->firm)
            fail_msg(
                "seed %llu, at +%lld s: the record says that the start of %s was firm at +%lld "
                "s, and not at +%lld s",
                (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
                (long long)((change.until_us - START) / 1000000),
                (long long)((w->firm - START) / 1000000));
        others |= change.because != LSCHED_BECAUSE_JOB;
        lost[change.because]++;
        w->firm = NEVER;
    }
    OK(rc);
}

static void late(const struct work *w, int64_t at, int64_t now) {
    fail_msg("seed %llu, at +%lld s: the start of %s was firm at +%lld s, is at +%lld s, and no "
             "record tells why",
             (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
             (long long)((w->firm - START) / 1000000),
             (long long)(at == NEVER ? -1 : (at - START) / 1000000));
}

struct trace {
    uint64_t image, feed;
    int64_t wake;
};

static struct trace trace_of(const struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct trace t = {.feed = lsched_changes_end(s->c), .wake = lsched_next_wake(s->c)};
    OK(lsched_cluster_hash(s->c, LSCHED_HASH_IMAGE, &t.image, &err));
    return t;
}

static void left_nothing(const struct site *s, const struct trace *before, const char *what) {
    struct trace now = trace_of(s);
    if (now.image != before->image || now.feed != before->feed || now.wake != before->wake)
        fail_msg("seed %llu: %s left something behind", (unsigned long long)seed_now, what);
}

/* Asks whether a job would start now. */
static void ask(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    lsched_schedule_opts schedule = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = {.size = sizeof opts, .schedule = &schedule};
    lsched_would_start_answer answer = {.size = sizeof answer};
    struct trace before = trace_of(s);
    if (!waits(w)) return;
    schedule.now_us = now;
    OK(lsched_would_start(s->c, w->id, NULL, &opts, &answer, &err));
    left_nothing(s, &before, "a question what would start");
    asked++;
}

/* Makes a plan. Memory runs out now and then. */
static void plan_now(struct site *s, struct chance *r, int64_t now, lsched_plan **plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    if ((s->can & BUDGETS) && !chance_one_in(r, 4)) opts.work_budget = 1 + chance_below(r, 6);
    if (chance_one_in(r, 4)) {
        struct trace before = trace_of(s);
        s->memory.fail_at = s->memory.calls + 1 + chance_below(r, 60);
        int32_t rc = lsched_schedule(s->c, &opts, plan, &err);
        s->memory.fail_at = 0;
        if (rc >= 0) return;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        left_nothing(s, &before, "a cycle without memory");
        starved++;
    }
    OK(lsched_schedule(s->c, &opts, plan, &err));
}

/* Settles the places of a plan. A job whose place is rejected has no firm start any more. */
static void settle_plan(struct site *s, struct chance *r, const lsched_plan *plan, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id refused = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        uint32_t j = 0;
        if (d->job == refused) continue;
        while (!waits(&s->job[j]) || s->job[j].id != d->job) j++;
        struct work *w = &s->job[j];
        w->on[d->task_index] = d->node;
        if (w->end < 0 && (s->can & REJECTS) && chance_one_in(r, 6)) {
            how = LSCHED_OUTCOME_REJECTED;
            refused = d->job;
            w->firm = NEVER;
            s->any_refused = 1;
            rejected++;
        } else {
            w->end = now;
        }
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
    }
}

/* Adopts the plan of a clone, which was made before something happened. */
static void adopt(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts schedule = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_adopt_opts opts = {.size = sizeof opts, .schedule = &schedule};
    lsched_cluster *other = NULL;
    lsched_plan *from = NULL, *plan = NULL;
    schedule.now_us = now;
    OK(lsched_cluster_clone(s->c, &other, &err));
    OK(lsched_schedule(other, &schedule, &from, &err));
    happen(s, r, now);
    OK(lsched_adopt(s->c, from, &opts, &plan, &err));
    read_losses(s, now);
    settle_plan(s, r, plan, now);
    for (uint32_t j = 0; j < s->n_jobs; j++)
        if (waits(&s->job[j]) && s->job[j].end == now) touch(s, &s->job[j]);
    adopted += lsched_plan_size(plan);
    lsched_plan_destroy(from);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(other);
}

static void cycle(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan;
    plan_now(s, r, now, &plan);
    read_losses(s, now);
    settle_plan(s, r, plan, now);
    read_losses(s, now);
    lsched_plan_get(plan, &info, &err);
    if (info.flags & LSCHED_PLAN_PARTIAL) s->was_partial = 1;
    lsched_plan_destroy(plan);
    events++;
}

static void follow_wait(struct site *s, struct work *w, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting why = {.size = sizeof why};
    OK(lsched_waiting_get(s->c, w->id, &why, &err));
    if (w->firm != NEVER && (why.firm_us > w->firm || (now > w->firm && !s->was_partial)))
        late(w, why.firm_us, now);
    int64_t was = w->firm;
    granted += w->firm == NEVER && why.firm_us != NEVER;
    earlier += why.firm_us < w->firm && w->firm != NEVER;
    if (w->firm == NEVER) {
        w->grew = w->limited = w->off = 0;
        w->refused = s->any_refused;
    } else {
        for (uint32_t i = 0; i < s->n_nodes; i++)
            w->grew |= s->grew[i] && (w->firm_on == s->node[i] || w->firm_on == 0);
        w->limited |= s->limit_changed;
        w->off |= !s->is_firm;
        w->refused |= s->any_refused;
    }
    w->firm = why.firm_us;
    /* a job that a budget left in line has no node in its record, also if its start has moved */
    if (w->firm != NEVER && (why.plan_node || w->firm != was)) w->firm_on = why.plan_node;
}

/* Begins the runs that the plan placed, and reads until when the starts of the others are firm. */
static void follow(struct site *s, struct chance *r, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        w->is_changed = 0;
        if (runs(w)) w->firm = NEVER; /* imported */
        if (!waits(w)) continue;
        if (w->end < 0) {
            follow_wait(s, w, now);
            continue;
        }
        if (w->firm != NEVER && now > w->firm && w->firm <= s->cycled) late(w, now, now);
        kept += w->firm != NEVER;
        by_limit += w->firm != NEVER && s->firm == 1;
        w->firm = NEVER;
        w->start = now;
        w->end = now + (w->fails ? w->runs / 2 + 1 : w->runs);
        if ((s->can & DELAYS) && chance_one_in(r, 4)) {
            w->late_start = now + chance_between(r, 1, HOUR);
            w->end += w->late_start - now;
            continue;
        }
        report(s, w, LSCHED_EVENT_STARTED, now);
    }
    memset(s->grew, 0, sizeof s->grew);
    s->limit_changed = s->any_refused = 0;
    s->cycled = now;
}

static int64_t next_time(const struct site *s, uint32_t arrived) {
    int64_t next = arrived < s->n_jobs ? s->job[arrived].submit : NEVER;
    int64_t wake = lsched_next_wake(s->c);
    if (wake < next) next = wake;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        int64_t at = s->job[j].late_start ? s->job[j].late_start : s->job[j].end;
        if (s->job[j].start >= 0 && at < next) next = at;
    }
    return next;
}

/* Lets the next cycle come late, possibly after the clock was set forwards. */
static int64_t be_late(struct site *s, struct chance *r, int64_t now, int64_t next) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (!(s->can & LATES) || !chance_one_in(r, 4)) return next;
    next += chance_between(r, 1, HOUR);
    if (chance_one_in(r, 2)) OK(lsched_clock_set(s->c, chance_between(r, now + 1, next), &err));
    lates++;
    return next;
}

static void play(struct site *s, struct chance *r) {
    int64_t now = START;
    for (uint32_t arrived = 0, step = 0; step < 600; step++) {
        start_late_runs(s, now);
        end_runs(s, now);
        while (arrived < s->n_jobs && s->job[arrived].submit <= now) submit(s, &s->job[arrived++]);
        happen(s, r, now);
        read_losses(s, now);
        if (chance_one_in(r, 20)) copy(s, r);
        if (chance_one_in(r, 20)) ask(s, r, now);
        if ((s->can & ADOPTS) && chance_one_in(r, 6)) adopt(s, r, now);
        cycle(s, r, now);
        follow(s, r, now);
        int64_t next = next_time(s, arrived);
        if (next == NEVER) break;
        now = be_late(s, r, now, next > now ? next : now + 1);
    }
}

static void test_starts_are_firm(void **state) {
    uint64_t all = 0, quiet_lost = 0;
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        uint64_t before = 0, after = 0;
        draw(&site, &r);
        for (uint32_t b = 0; b < 64; b++) before += b == LSCHED_BECAUSE_JOB ? 0 : lost[b];
        make(&site);
        play(&site, &r);
        lsched_cluster_destroy(site.c);
        assert_true(site.memory.live_blocks == 0 && site.memory.wrong_sizes == 0);
        for (uint32_t b = 0; b < 64; b++) after += b == LSCHED_BECAUSE_JOB ? 0 : lost[b];
        if (site.can == 0) quiet_lost += after - before;
    }
    for (uint32_t b = 0; b < 64; b++) {
        all += lost[b];
        if (lost[b])
            print_message("lost because of %s: %llu\n", lsched_because_name(b),
                          (unsigned long long)lost[b]);
    }
    print_message("seeds %llu .. +%llu: %llu events, %llu firm starts, %llu moved earlier, %llu "
                  "kept, %llu lost; %llu rounds without causes\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)events, (unsigned long long)granted,
                  (unsigned long long)earlier, (unsigned long long)kept, (unsigned long long)all,
                  (unsigned long long)quiet_rounds);
    print_message(
        "%llu starts behind time limits kept; %llu cycles without memory, %llu loads, "
        "%llu questions, %llu imports, %llu rejections, %llu adopted decisions, %llu late cycles\n",
        (unsigned long long)by_limit, (unsigned long long)starved, (unsigned long long)loads,
        (unsigned long long)asked, (unsigned long long)imported, (unsigned long long)rejected,
        (unsigned long long)adopted, (unsigned long long)lates);
    assert_true(quiet_lost == 0);
    assert_true(rounds < 100 || (by_limit && starved && loads && asked && imported && rejected &&
                                 adopted && lates));
    assert_true(rounds < 20 || (granted > rounds && kept > rounds / 2 && earlier > 0 && all > 0));
}

int main(void) {
    first_seed = chance_seed(9300);
    rounds = chance_rounds(200);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_starts_are_firm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
