/*
 * Gangs under everything that takes members away, on small random clusters: members that fail, end, are refused, moved, drained and
 * evicted by each action, with moves that the host asks for and without, in elastic gangs, gangs of two groups and gangs that wait out a
 * failure. Every plan passes verification, and this test counts for itself, from what it reported and was told:
 *   - no task is proposed in a gang that is below its minimum by what is proposed, confirmed, running or done, claims not counted;
 *   - a decision to move names the node where the task goes on, and the task has a claim there;
 *   - consolidation stops nobody, and no task of a gang below its minimum moves;
 *   - nothing of a job is placed before the backoff of its last failure is over;
 *   - an eviction for others leaves a gang at its minimum or stops all of it.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "property/chance.h"
#include "support/settle.h"

#define JOBS    10u
#define NODES   4u
#define TASKS   6u /* of a job */
#define STEPS   60u
#define SECOND  INT64_C(1000000)
#define START   INT64_C(1700000000000000)
#define BACKOFF (90 * SECOND)

struct gang {
    lsched_id id;
    uint32_t groups, min[2], count[2], min_groups;
    int64_t backoff, failed_at; /* of the last failure that counts */
    uint8_t done[TASKS], claimed[TASKS];
    uint8_t stood; /* before the cycle, with its claims */
};

struct site {
    lsched_cluster *c;
    struct chance r;
    uint32_t n_jobs;
    int64_t now;
    lsched_id node[NODES];
    struct gang job[JOBS];
};

struct tally {
    uint64_t places, claims, moves, evictions, stale, done, below;
};

static uint64_t seed_now, step_now;
static struct tally tally;

#define SAY(good, ...)                                                           \
    do {                                                                         \
        if (!(good)) {                                                           \
            print_message("seed %llu step %llu: ", (unsigned long long)seed_now, \
                          (unsigned long long)step_now);                         \
            print_message(__VA_ARGS__);                                          \
            fail();                                                              \
        }                                                                        \
    } while (0)
#define OK(call)                                                                    \
    do {                                                                            \
        int64_t ok_code = (call);                                                   \
        SAY(ok_code >= 0, "%s: %lld %s\n", #call, (long long)ok_code, err.message); \
    } while (0)

/* ---- the cluster ---- */

static void load_policy(struct site *s) {
    static const char *const pipelines[] = {
        "'preempt', 'evict-overdue', 'allocate', 'consolidate', 'drain'",
        "'allocate', 'consolidate'",
        "'allocate', 'reclaim', 'preempt', 'consolidate', 'evict-stale-gangs'",
        "'drain', 'allocate', 'preempt'",
        "'consolidate', 'drain', 'reclaim', 'allocate', 'evict-stale-gangs'",
        "'drain', 'preempt', 'evict-overdue', 'allocate', 'consolidate'",
    };
    char text[400];
    lsched_error err = LSCHED_ERROR_INIT;
    int n = snprintf(
        text, sizeof text,
        "return { api = 1, name = 'p', fair_share = 'quota', placement = '%s', pipeline = { %s } }",
        chance_one_in(&s->r, 2) ? "spread" : "binpack",
        pipelines[chance_below(&s->r, sizeof pipelines / sizeof *pipelines)]);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), (lsched_text){text, (size_t)n}, NULL, &err));
}

static void add_nodes(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lsched_device_desc devices = {
            .size = sizeof devices, .count = 4, .model = LSCHED_TEXT("H100")};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name), node.devices = &devices, node.n_devices = 1;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &s->node[i], NULL, &err));
    }
}

static void add_queues(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount quota = {LSCHED_GPU, 0, 8000};
    for (uint32_t i = 0; i < 2; i++) {
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = lsched_cstr(i ? "b" : "a"), queue.quota = &quota, queue.n_quota = 1;
        OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    }
}

static void submit(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct gang *g = &s->job[s->n_jobs];
    char name[8];
    snprintf(name, sizeof name, "j%u", s->n_jobs);
    lsched_amount gpu = {LSCHED_GPU, 0, 1000 * chance_between(&s->r, 1, 2)};
    lsched_group_desc group[3] = {LSCHED_GROUP_DESC_INIT, LSCHED_GROUP_DESC_INIT,
                                  LSCHED_GROUP_DESC_INIT};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    memset(g, 0, sizeof *g);
    g->groups = chance_one_in(&s->r, 4) ? 2 : 1;
    g->min_groups = g->groups == 2 && chance_one_in(&s->r, 2) ? 1 : g->groups;
    for (uint32_t i = 0; i < g->groups; i++) {
        g->count[i] = (uint32_t)chance_between(&s->r, 1, g->groups == 2 ? 3 : 5);
        g->min[i] = (uint32_t)chance_between(&s->r, 1, g->count[i]);
        lsched_group_desc *d = &group[g->groups == 2 ? i + 1 : 0];
        d->min_count = g->min[i], d->max_count = g->count[i];
        d->request = &gpu, d->n_request = 1, d->parent = 0;
    }
    if (g->groups == 2) group[0].min_groups = g->min_groups;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(chance_one_in(&s->r, 2) ? "a" : "b");
    job.groups = group, job.n_groups = g->groups == 2 ? 3 : 1;
    job.priority = (int32_t)chance_below(&s->r, 3);
    job.submit_us = s->now;
    job.backoff_us = g->backoff = chance_one_in(&s->r, 2) ? BACKOFF : 0;
    if (chance_one_in(&s->r, 4)) job.time_limit_us = 400 * SECOND;
    OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &g->id, NULL, &err));
    s->n_jobs++;
}

/* ---- what the host sees ---- */

struct seen {
    uint32_t n;
    lsched_task_info task[2 * TASKS];
};

/* 0 once the job has ended. */
static int look(const struct site *s, uint32_t j, struct seen *out) {
    lsched_job_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    out->n = 0;
    if (lsched_job_get(s->c, s->job[j].id, &info, NULL) < 0) return 0;
    for (lsched_task_info t = {.size = sizeof t};
         out->n < 2 * TASKS && lsched_tasks_next(s->c, s->job[j].id, 0, &cursor, &t, NULL) == 1;)
        out->task[out->n++] = t;
    return 1;
}

static uint32_t state_bit(const lsched_task_info *t) {
    return 1u << t->state;
}

#define STANDS \
    (1u << LSCHED_TASK_PROPOSED | 1u << LSCHED_TASK_CONFIRMED | 1u << LSCHED_TASK_RUNNING)

/* Tasks of the states, and those that are done, by groups; how many in all. */
static uint32_t members(const struct gang *g, const struct seen *seen, uint32_t states,
                        uint32_t *of) {
    uint32_t all = 0;
    of[0] = of[1] = 0;
    for (uint32_t i = 0; i < seen->n; i++)
        if (state_bit(&seen->task[i]) & states) {
            of[seen->task[i].task_index >= g->count[0]]++;
            all++;
        }
    for (uint32_t i = 0; i < TASKS; i++) of[i >= g->count[0]] += g->done[i];
    return all;
}

static int at_minimum(const struct gang *g, const struct seen *seen, uint32_t states) {
    uint32_t of[2], good = 0;
    members(g, seen, states, of);
    for (uint32_t i = 0; i < g->groups; i++) good += of[i] >= g->min[i];
    return good >= g->min_groups;
}

static uint32_t job_of(const struct site *s, lsched_id id) {
    for (uint32_t j = 0; j < s->n_jobs; j++)
        if (s->job[j].id == id) return j;
    SAY(0, "a decision about no job\n");
    return 0;
}

/* ---- what a plan may hold ---- */

static int is_moved(const lsched_plan *plan, const lsched_decision *claim) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_MIGRATE && d->job == claim->job &&
            d->task_index == claim->task_index)
            return d->to_node == claim->node;
    }
    return 0;
}

static int is_claimed(const struct seen *seen, uint32_t index, lsched_id node) {
    for (uint32_t i = 0; i < seen->n; i++)
        if (seen->task[i].task_index == index && seen->task[i].node == node &&
            seen->task[i].state == LSCHED_TASK_NOMINATED)
            return 1;
    return 0;
}

static void judge_decision(struct site *s, const lsched_plan *plan, const lsched_decision *d) {
    struct gang *g = &s->job[job_of(s, d->job)];
    struct seen seen;
    SAY(look(s, (uint32_t)(g - s->job), &seen), "a decision about a job that has ended\n");
    int waits = g->backoff && g->failed_at && s->now < g->failed_at + g->backoff;
    switch (d->kind) {
    case LSCHED_DECIDE_PLACE:
        tally.places++;
        SAY(!waits || g->claimed[d->task_index], "j%u/%u starts before its backoff is over\n",
            (unsigned)(g - s->job), d->task_index);
        break;
    case LSCHED_DECIDE_NOMINATE:
        tally.claims++;
        SAY(!waits || is_moved(plan, d), "j%u/%u claims room before its backoff is over\n",
            (unsigned)(g - s->job), d->task_index);
        g->claimed[d->task_index] = 1;
        break;
    case LSCHED_DECIDE_MIGRATE:
        tally.moves++;
        SAY(d->to_node && is_claimed(&seen, d->task_index, d->to_node),
            "j%u/%u moves and has no new place\n", (unsigned)(g - s->job), d->task_index);
        SAY(at_minimum(g, &seen, STANDS | 1u << LSCHED_TASK_NOMINATED),
            "a gang below its minimum moves: j%u\n", (unsigned)(g - s->job));
        break;
    default:
        tally.evictions++;
        SAY(d->reason != LSCHED_FOR_CONSOLIDATE, "j%u/%u is stopped by a consolidation\n",
            (unsigned)(g - s->job), d->task_index);
    }
}

/* Was anything of the job stopped for another job. */
static int lost(const struct site *s, const lsched_plan *plan, uint32_t j) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->job == s->job[j].id && d->kind == LSCHED_DECIDE_EVICT &&
            (d->reason == LSCHED_FOR_RECLAIM || d->reason == LSCHED_FOR_PREEMPT))
            return 1;
    }
    return 0;
}

static void judge_gangs(struct site *s, const lsched_plan *plan) {
    struct seen seen;
    uint32_t of[2];
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const struct gang *g = &s->job[j];
        if (!look(s, j, &seen)) continue;
        int stands = at_minimum(g, &seen, STANDS);
        SAY(!members(g, &seen, 1u << LSCHED_TASK_PROPOSED, of) || stands,
            "j%u starts below its minimum\n", j);
        if (members(g, &seen, STANDS, of) && !stands) tally.below++;
        if (plan && g->stood && lost(s, plan, j))
            SAY(!members(g, &seen, 1u << LSCHED_TASK_RUNNING, of) ||
                    at_minimum(g, &seen, STANDS | 1u << LSCHED_TASK_NOMINATED),
                "j%u is left below its minimum\n", j);
    }
}

/* ---- events ---- */

static void settle(struct site *s, const lsched_plan *plan, uint32_t refuses) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how =
            chance_one_in(&s->r, refuses) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        if (chance_one_in(&s->r, 6) ||
            lsched_decision_state(s->c, d->id, NULL) != LSCHED_DECISION_PROPOSED)
            continue;
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
    }
}

static void cycle(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    struct seen seen;
    opts.now_us = s->now += SECOND * chance_between(&s->r, 1, 60);
    opts.moves_max = chance_one_in(&s->r, 2) ? chance_below(&s->r, 8) : 0;
    opts.proposal_life_us =
        chance_one_in(&s->r, 3) ? SECOND * chance_between(&s->r, 1, 200) : LSCHED_NEVER_US;
    for (uint32_t j = 0; j < s->n_jobs; j++)
        s->job[j].stood = look(s, j, &seen) &&
                          at_minimum(&s->job[j], &seen, STANDS | 1u << LSCHED_TASK_NOMINATED);
    OK(lsched_schedule(s->c, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        judge_decision(s, plan, lsched_plan_at(plan, i));
    judge_gangs(s, plan);
    settle(s, plan, chance_one_in(&s->r, 3) ? 3 : 1000);
    lsched_plan_destroy(plan);
}

static void report(struct site *s, uint32_t j, const lsched_task_info *t, uint32_t event) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    struct gang *g = &s->job[j];
    e.event = event, e.job = t->job, e.task_index = t->task_index, e.at_us = s->now;
    OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
    if (event == LSCHED_EVENT_ENDED) g->done[t->task_index] = 1, tally.done++;
    if (event == LSCHED_EVENT_FAILED && t->state != LSCHED_TASK_RELEASING &&
        (!g->failed_at || t->start_us > g->failed_at)) {
        g->failed_at = s->now;
        memset(g->claimed, 0, sizeof g->claimed); /* what has one keeps it */
        struct seen seen;
        if (look(s, j, &seen))
            for (uint32_t i = 0; i < seen.n; i++)
                g->claimed[seen.task[i].task_index] |= seen.task[i].state == LSCHED_TASK_NOMINATED;
    }
}

/* Something happens to a task of the job. */
static void tasks_live(struct site *s, uint32_t j) {
    struct seen seen;
    if (!look(s, j, &seen)) return;
    for (uint32_t i = 0; i < seen.n; i++) {
        const lsched_task_info *t = &seen.task[i];
        struct seen now;
        if (!look(s, j, &now) || now.n != seen.n) return; /* the report before withdrew some */
        if (t->state == LSCHED_TASK_CONFIRMED && !chance_one_in(&s->r, 3))
            report(s, j, t, LSCHED_EVENT_STARTED);
        else if (t->state == LSCHED_TASK_RUNNING && chance_one_in(&s->r, 12))
            report(s, j, t, chance_one_in(&s->r, 2) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED);
        else if (t->state == LSCHED_TASK_RELEASING && !chance_one_in(&s->r, 3))
            report(s, j, t, LSCHED_EVENT_FAILED);
        else
            continue;
        return;
    }
}

static void nodes_live(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_node_update u = {.size = sizeof u, .set = LSCHED_NODE_SET_STATE};
    u.node = s->node[chance_below(&s->r, NODES)];
    u.state = chance_one_in(&s->r, 3)   ? LSCHED_NODE_DRAINING
              : chance_one_in(&s->r, 3) ? LSCHED_NODE_CORDONED
                                        : LSCHED_NODE_READY;
    OK(lsched_nodes_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
}

static void one_world(uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    struct site s = {.r = {seed}, .now = START};
    seed_now = seed;
    opts.verify_every_plan = 1;
    OK(lsched_cluster_create(&opts, &s.c, &err));
    load_policy(&s);
    add_nodes(&s);
    add_queues(&s);
    for (step_now = 0; step_now < STEPS; step_now++) {
        if (s.n_jobs < JOBS && chance_one_in(&s.r, 3)) submit(&s);
        for (uint32_t j = 0; j < s.n_jobs; j++) tasks_live(&s, j);
        if (chance_one_in(&s.r, 8)) nodes_live(&s);
        if (chance_one_in(&s.r, 25)) load_policy(&s);
        judge_gangs(&s, NULL);
        cycle(&s);
    }
    lsched_cluster_destroy(s.c);
}

static void gangs_stand_whatever_takes_their_members(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(400);
    for (uint32_t i = 0; i < rounds; i++) one_world(first + i);
    print_message(
        "%llu places, %llu claims, %llu moves, %llu evictions, %llu ends, %llu times below a minimum\n",
        (unsigned long long)tally.places, (unsigned long long)tally.claims,
        (unsigned long long)tally.moves, (unsigned long long)tally.evictions,
        (unsigned long long)tally.done, (unsigned long long)tally.below);
    if (rounds >= 100)
        assert_true(tally.places && tally.claims && tally.moves && tally.evictions && tally.done &&
                    tally.below);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gangs_stand_whatever_takes_their_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
