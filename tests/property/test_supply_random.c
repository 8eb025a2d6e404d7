/*
 * Supplies under random events: amounts and foreign use that change, jobs and gangs that need several
 * supplies, starts, ends, failures, imports, evictions, nodes that go and come in trees of two
 * topologies, clones and saves.
 *
 * A model outside the library knows which domains a node is in, which places have which amounts, and
 * what each task needs. After each event it adds up the tasks of lsched_tasks_next(), and compares
 * what lsched_supplies_next() says. After each cycle, no place of a task that the plan places has
 * less than nothing left; and no job of one task waits for a supply while a node exists that has
 * room and whose places all have enough. No nomination waits for a supply that will not come, and
 * a cycle decides nothing before the time that lsched_next_wake names.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum { NODES = 10, JOBS = 60, TASKS = 4, STEPS = 160, SUPPLIES = 3, OPEN = 64, PLACES = 64 };
enum { ROWS = 2, RACKS = 3, NETS = 3, CPUS = 6 };
#define SECOND INT64_C(1000000)

/* A place: the cluster, a row, a rack of a row, or a net. -1: the level is not part of its name. */
struct place {
    int supply, row, rack, net;
    int64_t amount, foreign;
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs, n_places;
    lsched_cluster *c;
    lsched_plan *plan;
    lsched_error err;
    int64_t now;
    lsched_id node[NODES], job[JOBS];
    int row[NODES], rack[NODES], net[NODES]; /* net -1: outside of the second topology */
    uint32_t tasks[JOBS], min[JOBS];
    int64_t need[JOBS][SUPPLIES], cpu[JOBS];
    struct place place[PLACES];
    lsched_id open[OPEN];
    uint32_t n_open;
    uint64_t placed, short_seen, evicted, full, compared, nominated, quiet, reasons;
};

static const char *const supplies[SUPPLIES] = {"licence", "watts", "channels"};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u: %s (%s)\n", m->seed, m->step, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

/* ---- the world ---- */

static void add_node(struct model *m, uint32_t n) {
    lsched_amount room = {LSCHED_CPU, 0, CPUS * 1000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    char name[24], row[8], rack[8], net[8];
    lsched_label labels[3] = {{LSCHED_TEXT("rack"), {rack, 1}},
                              {LSCHED_TEXT("row"), {row, 1}},
                              {LSCHED_TEXT("net"), {net, 1}}};
    snprintf(name, sizeof name, "n%u-%u", n, m->step);
    m->row[n] = (int)chance_below(&m->chance, ROWS);
    m->rack[n] = (int)chance_below(&m->chance, RACKS);
    m->net[n] = (int)chance_below(&m->chance, NETS + 1) - 1;
    snprintf(row, sizeof row, "%d", m->row[n]);
    snprintf(rack, sizeof rack, "%d", m->rack[n]);
    snprintf(net, sizeof net, "%d", m->net[n] < 0 ? 0 : m->net[n]);
    node.name = lsched_cstr(name);
    node.capacity = &room;
    node.n_capacity = 1;
    node.labels = labels;
    node.n_labels = m->net[n] < 0 ? 2 : 3;
    CHECK(m, lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, &m->node[n], NULL, &m->err) == 1,
          "add node");
}

static void make(struct model *m) {
    static const char *const policies[] = {
        "return { api = 1, name = 'p', pipeline = { 'allocate' } }",
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }",
        ("return { api = 1, name = 'p', fair_share = 'quota', "
         "pipeline = { 'allocate', 'reclaim', 'preempt', 'consolidate' } }"),
        "return { api = 1, name = 'p', pipeline = { 'backfill' } }"};
    lsched_text levels[2] = {LSCHED_TEXT("row"), LSCHED_TEXT("rack")}, nets = LSCHED_TEXT("net");
    lsched_topology_desc trees[2] = {LSCHED_TOPOLOGY_DESC_INIT, LSCHED_TOPOLOGY_DESC_INIT};
    lsched_amount quota = {LSCHED_CPU, 0, 16000};
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    lsched_text policy = lsched_cstr(policies[chance_below(&m->chance, 4)]);
    if (lsched_policy_load(m->c, LSCHED_TEXT("p"), policy, NULL, &m->err) < 0)
        wrong(m, "the policy is refused");
    trees[0].name = LSCHED_TEXT("power");
    trees[0].levels = levels;
    trees[0].n_levels = 2;
    trees[1].name = LSCHED_TEXT("fabric");
    trees[1].levels = &nets;
    trees[1].n_levels = 1;
    CHECK(m, lsched_topologies_add(m->c, trees, 2, sizeof trees[0], NULL, NULL, NULL, &m->err) == 2,
          "topologies");
    for (uint32_t q = 0; q < 2; q++) {
        queues[q].name = q ? LSCHED_TEXT("b") : LSCHED_TEXT("a");
        queues[q].quota = &quota;
        queues[q].n_quota = 1;
    }
    CHECK(m, lsched_queues_add(m->c, queues, 2, sizeof queues[0], NULL, NULL, NULL, &m->err) == 2,
          "queues");
    for (int s = 0; s < SUPPLIES; s++) {
        lsched_supply_desc d = LSCHED_SUPPLY_DESC_INIT;
        d.name = lsched_cstr(supplies[s]);
        d.amount =
            chance_one_in(&m->chance, 3) ? LSCHED_UNLIMITED : chance_between(&m->chance, 5, 30);
        CHECK(m, lsched_supplies_add(m->c, &d, 1, sizeof d, NULL, NULL, &m->err) == 1, "supply");
        m->place[m->n_places++] = (struct place){s, -1, -1, -1, d.amount, 0};
    }
    for (uint32_t n = 0; n < NODES; n++) add_node(m, n);
    m->now = 1000 * SECOND;
}

static void submit(struct model *m) {
    struct chance *c = &m->chance;
    lsched_supply_need needs[SUPPLIES];
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[24];
    if (m->n_jobs == JOBS) return;
    uint32_t j = m->n_jobs;
    snprintf(name, sizeof name, "j%u", j);
    m->cpu[j] = 1000 * chance_between(c, 1, 3);
    lsched_amount request = {LSCHED_CPU, 0, m->cpu[j]};
    for (int s = 0; s < SUPPLIES; s++) {
        m->need[j][s] = chance_one_in(c, 2) ? 0 : chance_between(c, 1, 5);
        if (m->need[j][s] == 0) continue;
        needs[group.n_supplies] = (lsched_supply_need)LSCHED_SUPPLY_NEED_INIT;
        needs[group.n_supplies].supply = lsched_cstr(supplies[s]);
        needs[group.n_supplies++].amount = m->need[j][s];
    }
    group.supplies = needs;
    group.supply_elem_size = sizeof needs[0];
    group.request = &request;
    group.n_request = 1;
    group.max_count = 1 + chance_below(c, TASKS);
    group.min_count = 1 + chance_below(c, group.max_count);
    if (chance_one_in(c, 5)) {
        group.topology = LSCHED_TEXT("power");
        group.required_level = chance_one_in(c, 2) ? LSCHED_TEXT("rack") : LSCHED_TEXT("row");
    }
    job.name = lsched_cstr(name);
    job.queue_name = chance_one_in(c, 2) ? LSCHED_TEXT("a") : LSCHED_TEXT("b");
    job.groups = &group;
    job.n_groups = 1;
    job.priority = (int32_t)chance_below(c, 4);
    job.duration_us = chance_one_in(c, 2) ? (int64_t)chance_between(c, 10, 200) * SECOND : 0;
    m->tasks[j] = group.max_count;
    m->min[j] = group.min_count;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &m->job[j], NULL, &m->err) == 1,
          "submit");
    m->n_jobs++;
}

/* ---- what the places should have in use ---- */

static int is_below(const struct model *m, uint32_t n, const struct place *p) {
    return (p->row < 0 || p->row == m->row[n]) && (p->rack < 0 || p->rack == m->rack[n]) &&
           (p->net < 0 || p->net == m->net[n]);
}

static uint32_t node_at(const struct model *m, lsched_id id) {
    uint32_t n = 0;
    while (n < NODES && m->node[n] != id) n++;
    CHECK(m, n < NODES, "a task on a node that is gone");
    return n;
}

struct sums {
    int64_t used[PLACES], coming[PLACES], cpu[NODES], cpu_later[NODES];
};

static void add_up(struct model *m, struct sums *s) {
    memset(s, 0, sizeof *s);
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_task_info info = {.size = sizeof info};
        lsched_job_info job = {.size = sizeof job};
        uint64_t cursor = 0;
        if (lsched_job_get(m->c, m->job[j], &job, NULL) != LSCHED_OK) continue;
        while (lsched_tasks_next(m->c, m->job[j], 0, &cursor, &info, &m->err) == 1) {
            uint32_t state = info.state;
            if (state == LSCHED_TASK_NONE || state == LSCHED_TASK_DONE) continue;
            uint32_t n = node_at(m, info.node);
            int claims = state == LSCHED_TASK_NOMINATED, leaves = state == LSCHED_TASK_RELEASING;
            s->cpu[n] += claims ? 0 : m->cpu[j];
            s->cpu_later[n] += leaves ? 0 : m->cpu[j];
            for (uint32_t p = 0; p < m->n_places; p++) {
                int64_t need = m->need[j][m->place[p].supply];
                if (!is_below(m, n, &m->place[p])) continue;
                s->used[p] += claims ? 0 : need;
                s->coming[p] += claims ? -need : leaves ? need : 0;
            }
        }
    }
}

static int64_t left(const struct model *m, const struct sums *s, uint32_t p, int later) {
    const struct place *at = &m->place[p];
    if (at->amount == LSCHED_UNLIMITED) return LSCHED_UNLIMITED;
    int64_t now = at->amount - at->foreign - s->used[p], then = now + s->coming[p];
    return later ? then : then < now ? then : now;
}

static void look(struct model *m) {
    struct sums s;
    uint32_t n = 0;
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "the state is not sound");
    add_up(m, &s);
    lsched_supply_info info = LSCHED_SUPPLY_INFO_INIT;
    for (uint64_t at = 0; lsched_supplies_next(m->c, &at, &info, &m->err) == 1; n++) {
        const struct place *p = &m->place[n]; /* places are listed as they were made */
        CHECK(m, n < m->n_places, "more places than were set");
        CHECK(m, strncmp(info.supply.ptr, supplies[p->supply], info.supply.len) == 0, "its supply");
        CHECK(m, info.amount == p->amount && info.foreign == p->foreign, "the amount of a place");
        CHECK(m, info.used == s.used[n], "the use of a place");
        CHECK(m, info.levels == (p->net >= 0 ? 1u : (uint32_t)(p->row >= 0) + (p->rack >= 0)),
              "the level of a place");
        /* an overdue task is not counted on any more */
        CHECK(m, info.coming <= s.coming[n], "what comes free at a place");
        m->full += info.left == 0;
        m->compared++;
    }
    CHECK(m, n == m->n_places, "fewer places than were set");
}

/* ---- events ---- */

/* True if a task of the job would find a node with cpus and enough of all supplies. */
static int could_start(struct model *m, uint32_t j, const struct sums *s) {
    for (uint32_t n = 0; n < NODES; n++) {
        int fits =
            s->cpu[n] + m->cpu[j] <= CPUS * 1000 && s->cpu_later[n] + m->cpu[j] <= CPUS * 1000;
        for (uint32_t p = 0; p < m->n_places && fits; p++)
            if (is_below(m, n, &m->place[p]) && m->need[j][m->place[p].supply] > left(m, s, p, 0))
                fits = m->need[j][m->place[p].supply] == 0;
        if (fits) return 1;
    }
    return 0;
}

/* Returns the number of tasks of the job that have a place, in any state. */
static uint32_t tasks_held(struct model *m, uint32_t j) {
    lsched_task_info info = {.size = sizeof info};
    uint32_t n = 0;
    for (uint64_t at = 0; lsched_tasks_next(m->c, m->job[j], 0, &at, &info, &m->err) == 1;)
        n += info.state != LSCHED_TASK_RELEASING;
    return n;
}

/* True if the text says that the whole cluster lacks supply i for n tasks of the job, with the sums
 * of the model. Sets *lacks to 1 if that is so. */
static int says_lack(const struct model *m, uint32_t j, const struct sums *s, int i, uint32_t n,
                     const char *text, int *lacks) {
    char want[160], needs[160];
    int64_t rest = left(m, s, (uint32_t)i, 0), need = m->need[j][i] * n; /* first: of the cluster */
    if (need == 0 || need <= rest) return 0;
    *lacks = 1;
    snprintf(want, sizeof want, "the cluster has %" PRId64 " of supply %s left of %" PRId64,
             rest > 0 ? rest : 0, supplies[i], m->place[i].amount);
    if (need > m->place[i].amount) { /* whatever comes free */
        snprintf(needs, sizeof needs,
                 "the job needs %" PRId64 " of supply %s, and the cluster has %" PRId64 " in all",
                 need, supplies[i], m->place[i].amount);
        return strncmp(text, needs, strlen(needs)) == 0;
    }
    snprintf(needs, sizeof needs, "; the job needs %" PRId64, need);
    return strncmp(text, want, strlen(want)) == 0 && strstr(text, needs);
}

/* True if each node is below a place that has less than a task of the job needs, also when nothing
 * uses it. */
static int never_has(const struct model *m, uint32_t j) {
    for (uint32_t n = 0; n < NODES; n++) {
        uint32_t p = 0;
        if (m->node[n] == 0) continue;
        while (p < m->n_places && !(is_below(m, n, &m->place[p]) &&
                                    m->need[j][m->place[p].supply] > m->place[p].amount))
            p++;
        if (p == m->n_places) return 0;
    }
    return 1;
}

/* The text of a wait for a supply: if the whole cluster lacks one, it names one that lacks; if it
 * says that the job is tried again, a cycle is due. */
static void check_reason(struct model *m, uint32_t j, const struct sums *s, const char *text) {
    uint32_t held = tasks_held(m, j), n = held < m->min[j] ? m->min[j] - held : 1;
    int lacks = 0, named = 0;
    int in_all = strstr(text, " in all") != NULL,
        of_places = in_all && strstr(text, ", the most of");
    CHECK(m, of_places ? never_has(m, j) : in_all || !never_has(m, j), text);
    m->reasons++;
    if (of_places) return;
    for (int i = 0; i < SUPPLIES; i++) named |= says_lack(m, j, s, i, n, text, &lacks);
    if (strstr(text, "the next cycle tries it again"))
        CHECK(m, !lacks && lsched_next_wake(m->c) <= m->now, text);
    else
        CHECK(m, named == lacks && (named || !strstr(text, "the cluster has")), text);
}

static void check_plan(struct model *m) {
    struct sums s;
    add_up(m, &s);
    for (size_t i = 0; i < lsched_plan_size(m->plan); i++) {
        const lsched_decision *d = lsched_plan_at(m->plan, i);
        m->evicted += d->kind == LSCHED_DECIDE_EVICT;
        if (d->kind != LSCHED_DECIDE_PLACE && d->kind != LSCHED_DECIDE_NOMINATE) continue;
        uint32_t j = 0, n = node_at(m, d->node);
        while (m->job[j] != d->job) j++;
        m->placed++;
        for (uint32_t p = 0; p < m->n_places; p++)
            if (m->need[j][m->place[p].supply] && is_below(m, n, &m->place[p]))
                CHECK(m, left(m, &s, p, d->kind == LSCHED_DECIDE_NOMINATE) >= 0,
                      "a plan places a task where too little is left");
    }
    for (size_t i = 0; i < lsched_plan_waiting_size(m->plan); i++) {
        const lsched_waiting *w = lsched_plan_waiting_at(m->plan, i);
        char text[512];
        uint32_t j = 0;
        if (w->code != LSCHED_WAIT_SUPPLY) continue;
        m->short_seen++;
        while (m->job[j] != w->job) j++;
        CHECK(m, lsched_waiting_text(m->c, w, text, sizeof text, &m->err) > 0, "the text");
        check_reason(m, j, &s, text);
        /* a node that refused such tasks is left out for a while */
        if (m->seed % 2 == 0 && m->tasks[j] == 1 && could_start(m, j, &s)) wrong(m, text);
    }
}

/* True if the task of the job on the node needs a supply of a place that, with all that is coming
 * and all that is nominated, will have less than nothing left. */
static int is_short_later(struct model *m, uint32_t j, uint32_t n) {
    lsched_supply_info info = LSCHED_SUPPLY_INFO_INIT;
    uint32_t p = 0;
    for (uint64_t at = 0; lsched_supplies_next(m->c, &at, &info, &m->err) == 1; p++)
        if (m->need[j][m->place[p].supply] && is_below(m, n, &m->place[p]) &&
            info.amount != LSCHED_UNLIMITED &&
            info.amount - info.foreign - info.used + info.coming < 0)
            return 1;
    return 0;
}

/* After a cycle, each nominated task will have its supplies. */
static void check_claims(struct model *m) {
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_task_info info = {.size = sizeof info};
        lsched_job_info job = {.size = sizeof job};
        uint64_t at = 0;
        if (lsched_job_get(m->c, m->job[j], &job, NULL) != LSCHED_OK) continue;
        while (lsched_tasks_next(m->c, m->job[j], 0, &at, &info, &m->err) == 1) {
            if (info.state != LSCHED_TASK_NOMINATED) continue;
            m->nominated++;
            CHECK(m, !is_short_later(m, j, node_at(m, info.node)),
                  "a nomination waits for a supply that will not come");
        }
    }
}

/* A cycle now decides nothing if lsched_next_wake names a later time. */
static void check_wake(struct model *m) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *clone = NULL;
    lsched_plan *plan = NULL;
    opts.now_us = m->now;
    if (lsched_next_wake(m->c) <= m->now) return;
    CHECK(m, lsched_cluster_clone(m->c, &clone, &m->err) == LSCHED_OK, "clone");
    CHECK(m, lsched_schedule(clone, &opts, &plan, &m->err) == LSCHED_OK, "cycle of a clone");
    CHECK(m, lsched_plan_size(plan) + lsched_plan_withdrawn_size(plan) == 0,
          "a cycle decides something before the time of lsched_next_wake");
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(clone);
    m->quiet++;
}

static void cycle(struct model *m) {
    struct chance *c = &m->chance;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    m->now += (int64_t)chance_below(c, 40) * SECOND;
    opts.now_us = m->now;
    opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    if (chance_one_in(c, 3)) opts.proposal_life_us = 30 * SECOND;
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
    }
    check_plan(m);
    check_claims(m);
    for (size_t i = 0; i < lsched_plan_size(m->plan) && m->n_open < OPEN; i++)
        m->open[m->n_open++] = lsched_plan_at(m->plan, i)->id;
}

static void settle(struct model *m) {
    struct chance *c = &m->chance;
    if (m->n_open == 0) return;
    uint32_t at = chance_below(c, m->n_open);
    lsched_decision d = {.size = sizeof d};
    lsched_id id = m->open[at];
    m->open[at] = m->open[--m->n_open];
    if (lsched_decision_get(m->c, id, &d, NULL) != LSCHED_OK) return;
    int rejects = m->seed % 2 && chance_one_in(c, 5);
    lsched_settlement s = {sizeof s,
                           rejects ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED,
                           id,
                           {NULL, 0},
                           NULL};
    CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
    if (rejects || d.kind == LSCHED_DECIDE_NOMINATE) return;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = d.job;
    e.task_index = d.task_index;
    e.event = d.kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
    CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) == 1, "report");
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

/* The host says that a task runs, whatever the supplies allow. */
static void import(struct model *m) {
    struct chance *c = &m->chance;
    if (m->n_jobs == 0) return;
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    uint32_t j = chance_below(c, m->n_jobs);
    t.job = m->job[j];
    t.task_index = chance_below(c, m->tasks[j]);
    t.node = m->node[chance_below(c, NODES)];
    t.start_us = m->now;
    (void)lsched_tasks_import(m->c, &t, 1, sizeof t, NULL, NULL, &m->err); /* if it waits */
}

static uint32_t place_of(struct model *m, const struct place *p) {
    for (uint32_t i = 0; i < m->n_places; i++)
        if (m->place[i].supply == p->supply && m->place[i].row == p->row &&
            m->place[i].rack == p->rack && m->place[i].net == p->net)
            return i;
    return m->n_places;
}

static int has_node(const struct model *m, const struct place *p) {
    for (uint32_t n = 0; n < NODES; n++)
        if (is_below(m, n, p)) return 1;
    return 0;
}

static void change_amount(struct model *m) {
    struct chance *c = &m->chance;
    char value[3][8];
    lsched_label labels[2];
    lsched_supply_update u = LSCHED_SUPPLY_UPDATE_INIT;
    struct place p = {(int)chance_below(c, SUPPLIES), -1, -1, -1, LSCHED_UNLIMITED, 0};
    uint32_t what = chance_below(c, 4);
    if (what == 1 || what == 2) p.row = (int)chance_below(c, ROWS);
    if (what == 2) p.rack = (int)chance_below(c, RACKS);
    if (what == 3) p.net = (int)chance_below(c, NETS);
    for (int i = 0; i < 3; i++)
        snprintf(value[i], 8, "%d", i == 0 ? p.row : i == 1 ? p.rack : p.net);
    if (p.rack >= 0)
        labels[u.n_labels++] = (lsched_label){LSCHED_TEXT("rack"), lsched_cstr(value[1])};
    if (p.row >= 0)
        labels[u.n_labels++] = (lsched_label){LSCHED_TEXT("row"), lsched_cstr(value[0])};
    if (p.net >= 0)
        labels[u.n_labels++] = (lsched_label){LSCHED_TEXT("net"), lsched_cstr(value[2])};
    u.topology = p.net >= 0 ? LSCHED_TEXT("fabric") : LSCHED_TEXT("power");
    u.supply = lsched_cstr(supplies[p.supply]);
    u.labels = labels;
    u.set = 1 + chance_below(c, 3);
    u.amount = chance_one_in(c, 6) ? LSCHED_UNLIMITED : chance_between(c, 0, 14);
    u.foreign = chance_between(c, 0, 3);
    int32_t rc = lsched_supplies_update(m->c, &u, 1, sizeof u, NULL, NULL, &m->err);
    CHECK(m, rc == (has_node(m, &p) ? 1 : LSCHED_E_NOENT), "an amount is set");
    if (rc < 0) return;
    uint32_t at = place_of(m, &p);
    CHECK(m, at < PLACES, "places of the test");
    if (at == m->n_places) m->place[m->n_places++] = p;
    if (u.set & LSCHED_SUPPLY_SET_AMOUNT) m->place[at].amount = u.amount;
    if (u.set & LSCHED_SUPPLY_SET_FOREIGN) m->place[at].foreign = u.foreign;
}

static void change_node(struct model *m) {
    uint32_t n = chance_below(&m->chance, NODES);
    CHECK(m, lsched_nodes_remove(m->c, &m->node[n], 1, NULL, NULL, &m->err) == 1, "remove");
    add_node(m, n);
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
        uint32_t what = chance_below(&m->chance, 24);
        if (what < 4)
            submit(m);
        else if (what < 9)
            cycle(m);
        else if (what < 15)
            settle(m);
        else if (what < 19)
            change_amount(m);
        else if (what < 21)
            stop(m);
        else if (what == 21)
            import(m);
        else if (what == 22)
            change_node(m);
        else if (chance_one_in(&m->chance, 3))
            reload(m);
        look(m);
        check_wake(m);
    }
    lsched_plan_destroy(m->plan);
    lsched_cluster_destroy(m->c);
}

int main(void) {
    static struct model m;
    uint64_t first = chance_seed(1), sum[7] = {0};
    uint32_t rounds = chance_rounds(120);
    for (uint32_t r = 0; r < rounds; r++) {
        run(&m, first + r);
        sum[0] += m.placed;
        sum[1] += m.short_seen;
        sum[2] += m.evicted;
        sum[3] += m.full;
        sum[4] += m.compared;
        sum[5] += m.nominated;
        sum[6] += m.quiet;
    }
    printf("%u rounds: %" PRIu64 " tasks placed, %" PRIu64 " waits for a supply, %" PRIu64
           " evictions, %" PRIu64 " of %" PRIu64 " places without a rest, %" PRIu64
           " nominations looked at, %" PRIu64 " times without a cause to decide\n",
           rounds, sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6]);
    if (rounds < 50) return 0;
    return sum[0] > 1000 && sum[1] > 500 && sum[2] > 10 && sum[3] > 500 && sum[5] > 50 &&
                   sum[6] > 500
               ? 0
               : 1;
}
